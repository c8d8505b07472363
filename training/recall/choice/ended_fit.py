"""`chatmem train recall --ended`: a cross-encoder reads a line with a known fact, and says whether the line ends it.

It learns from scenes, pairs and whole talks (`ended_rows.py`); each fact beside a line is a case of its own, so the
loss is the binary cross entropy. How it and the choice are believed together is fitted on what neither learned from:
scenes and pairs held back, and the manner that nothing learns from.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ....eval.measures.intervals import Estimate, wilson
from ....eval.runs.progress import make_progress
from ....eval.runs.records import Records
from ....memory.errors import InputError
from ....models.decoding.choosing import SHOWN, Choosing
from ....models.embedder import cross_encoder
from ....models.prompts.messages import Line, over_messages
from ....models.storage.changes.ended import LEAST, NAME, read_as
from ...material.templates.ends.scenes import LEANING, scenes, unseen_scenes
from ...material.templates.talk import Split
from ...material.templates.told import further_talks, manner_talks, short_talks, told_talks, unseen_further_talks
from .choice_fit import logistic
from .cross_encoder_fit import CrossConfig, Trainee, in_turn, train
from .ended_rows import Case, indirect, pair_cases, scene_cases, talk_cases

CONFIG = CrossConfig(steps=760, batch=24, shipped=8, save_every=40)
SURE, LIKELY, ASK = 0.02, 0.06, 0.25
"""Shares of the lines that end nothing, of those fitted on, of which a row is closed, is asked about, and of which the
chat model is asked at all: they were written to look like ends, and most lines of a talk look like none."""

LEANING_LIKELY = 0.12
"""The share for asking about lines that lean on others: these were written to mislead, and a question costs little."""
SHORT_QUIET = 0.4
"""Share of the lines of short talks that end nothing: more of them were written to mislead."""
THIRD = 3
"""Of the scenes held back, the third part: as many lines as in the unseen manner."""
BLOCK = 40
"""Lines that go the same way when halves are told apart: those of a scene stand together."""


class EndRow(NamedTuple):
    """A line (`text`) beside known facts (`shown`), and which of them it ends."""

    text: str
    shown: tuple[str, ...]
    ends: tuple[int, ...]

    def loss(self, logits: Any) -> Any:
        """The binary cross entropies, in sum."""
        import torch

        wanted = torch.zeros(len(self.shown), device=logits.device)
        wanted[list(self.ends)] = 1.0
        return torch.nn.functional.binary_cross_entropy_with_logits(logits, wanted, reduction="sum")


def end_row(case: Case) -> EndRow:
    """The case as it is read."""
    return EndRow(read_as(Line(case.user, case.line), case.before), case.facts, case.ends)


def learned(seed: int, split: Split = "train") -> list[EndRow]:
    """All that is learned from, or what of it is held back."""
    rng, found = random.Random(seed), scenes(split)
    cases = [*scene_cases(found), *pair_cases(indirect(split), found, rng)]
    cases += talk_cases([*told_talks(split), *manner_talks(split)], rng)
    cases += talk_cases([*short_talks(split), *further_talks(split)], rng, SHORT_QUIET)
    return [end_row(case) for case in cases]


def held_back() -> list[Case]:
    """What is fitted on: the manner that nothing learns from, and of the others what is held back, without lines that
    lean on others."""
    plain = [one for one in scenes("valid") if not any(one.before)]
    talks = [one for one in _talks_held_back() if not one.before]
    return [*scene_cases(unseen_scenes()), *scene_cases(plain[::THIRD]), *talks]


def leaning() -> list[Case]:
    """What the bounds for lines that lean on others are fitted on: those held back, and those of an unseen manner."""
    held = [one for one in scenes("valid") if any(one.before)]
    talks = [one for one in _talks_held_back() if one.before]
    return [*scene_cases(unseen_scenes(LEANING)), *scene_cases(held), *talks]


def _talks_held_back() -> list[Case]:
    """Lines of short talks that it has not learned from, as the chat meets them: most aren't written to mislead."""
    talks = [*short_talks("valid"), *further_talks("valid"), *unseen_further_talks()]
    return list(talk_cases(talks, random.Random(1), 1.0))


class Looked(NamedTuple):
    """A case as both saw it: the cross-encoder's logits of its facts, the choice's chances, and which it ends."""

    logits: np.ndarray
    chances: np.ndarray
    ends: np.ndarray

    @property
    def chosen(self) -> np.ndarray:
        """The choice's chances as logits."""
        sure = np.clip(self.chances, LEAST, 1 - LEAST)
        found: np.ndarray = np.log(sure / (1 - sure))
        return found


def fitted(cases: Sequence[Looked]) -> dict[str, float]:
    """The bounds and weights by name, as `ended.weights_of` reads them."""
    x = np.concatenate([np.c_[one.logits, one.chosen, np.ones(len(one.ends))] for one in cases])
    wanted = np.concatenate([one.ends for one in cases]).astype(float)
    encoder, choice, bias = logistic(x, wanted, np.full(len(x), 1 / len(x)))
    quiet = [one for one in cases if not one.ends.any()]
    both = sorted((encoder * one.logits + choice * one.chosen + bias).max() for one in quiet)
    alone = sorted(one.logits.max() for one in quiet)
    return {
        "encoder": encoder, "choice": choice, "bias": bias,
        "sure": _above(SURE, both), "likely": _above(LIKELY, both), "ask": _above(ASK, alone),
        "alone, sure": _above(SURE, alone), "alone, likely": _above(LIKELY, alone),
    }  # fmt: skip


def fitted_leaning(cases: Sequence[Looked]) -> dict[str, float]:
    """The bounds for lines that lean on others."""
    quiet = sorted(one.logits.max() for one in cases if not one.ends.any())
    return {"leaning, sure": _above(SURE, quiet), "leaning, likely": _above(LEANING_LIKELY, quiet)}


def _above(share: float, found: Sequence[float]) -> float:
    return round(float(found[min(int((1 - share) * len(found)), len(found) - 1)]), 4)


def measured(cases: Sequence[Looked], at: dict[str, float]) -> dict[str, Estimate]:
    """Facts that are ended and not closed, and lines that end nothing of which one is closed."""
    found: dict[str, Estimate] = {}
    for name, sure, likely in (("both", "sure", "likely"), ("alone", "alone, sure", "alone, likely")):
        scored = [
            (at["encoder"] * one.logits + at["choice"] * one.chosen + at["bias"] if name == "both" else one.logits, one)
            for one in cases
        ]
        over = [float(score) for scores, one in scored for score in scores[one.ends]]
        quiet = [float(scores.max()) for scores, one in scored if not one.ends.any()]
        found[f"ended, not closed, {name}"] = wilson(sum(score < at[sure] for score in over), len(over))
        found[f"ended, neither closed nor asked about, {name}"] = wilson(
            sum(score < at[likely] for score in over), len(over)
        )
        found[f"nothing ended, and one closed, {name}"] = wilson(sum(score >= at[sure] for score in quiet), len(quiet))
    return found


def run(out: Path, folder: Path | None, seed: int) -> int:
    """Trains it unless OUT holds one, fits how it is believed, writes OUT/ended.gguf and .json, and prints what both
    reach. The choice's chances are kept in OUT, so that an interruption loses none. Raises InputError, ModelError."""
    from ....models import registry

    choosing = Choosing(registry.load("embedded+storage"))
    if choosing.adapter is None:
        raise InputError("There is no adapter `choice`, beside which it is fitted: chatmem adapters lists them.")
    adapter, head = cross_encoder.files(NAME)
    if not (out / adapter).is_file():
        _trained(out, folder, seed)
    encoder = cross_encoder.read(NAME, out)
    assert encoder is not None
    with Records(out / "chances.jsonl", {"adapter": choosing.adapter.name}) as kept:
        cases = _looked(held_back(), encoder, choosing, kept)
    for name, estimate in _crossed(*_halves(cases)).items():
        print(f"{name}: {estimate}")
    leant = [_read(case, encoder) for case in leaning()]
    for name, estimate in _crossed_leaning(*_halves(leant)).items():
        print(f"{name}: {estimate}")
    data = json.loads((out / head).read_text(encoding="utf-8"))
    (out / head).write_text(
        json.dumps(data | {"bounds": fitted(cases) | fitted_leaning(leant)}) + "\n", encoding="utf-8"
    )
    print(f"{out}: {adapter} and {head} for assets/ranker")
    return 0


def _trained(out: Path, folder: Path | None, seed: int) -> None:
    from ....models.embedder.convert import packaged_weights

    config = replace(CONFIG, seed=seed)
    material = learned(seed)
    order = in_turn(len(material), config, random.Random(seed))
    tell = make_progress("steps", config.steps)
    train(
        Trainee(folder or packaged_weights(), config),
        lambda step: [material[place] for place in order[step * config.batch : (step + 1) * config.batch]],
        out, NAME, lambda done, _total, _loss: tell(done),
    )  # fmt: skip


def _looked(
    held: Sequence[Case], encoder: cross_encoder.CrossEncoder, choosing: Choosing, kept: Records
) -> list[Looked]:
    tell, found = make_progress("held back, lines", len(held)), list[Looked]()
    known = {str(row["key"]): row["chances"] for row in kept.rows}
    for number, case in enumerate(held, 1):
        facts, line = list(case.facts[:SHOWN]), Line(case.user, case.line)
        key = f"{case.user}: {case.line}"
        if key not in known:
            *chances, _ = choosing.chances(over_messages(facts, line), len(facts))
            known[key] = [round(one, 6) for one in chances]
            kept.add({"key": key, "chances": known[key]})
        ends = np.array([place in case.ends for place in range(len(facts))])
        found.append(Looked(encoder.logits(read_as(line), facts), np.array(known[key]), ends))
        tell(number)
    return found


def _read(case: Case, encoder: cross_encoder.CrossEncoder) -> Looked:
    """A line that leans on others, as the cross-encoder alone sees it."""
    facts = list(case.facts[:SHOWN])
    ends = np.array([place in case.ends for place in range(len(facts))])
    return Looked(encoder.logits(read_as(Line(case.user, case.line), case.before), facts), np.zeros(len(facts)), ends)


def _halves(cases: Sequence[Looked]) -> list[list[Looked]]:
    return [[one for at, one in enumerate(cases) if at // BLOCK % 2 == half] for half in (0, 1)]


def _crossed_leaning(first: Sequence[Looked], second: Sequence[Looked]) -> dict[str, Estimate]:
    """Lines that lean on others: the same as `measured`, of each half with the bounds of the other."""
    hits: dict[str, list[bool]] = {}
    for mine, others in ((first, second), (second, first)):
        at = fitted_leaning(others)
        for one in mine:
            over, highest = one.logits[one.ends], float(one.logits.max())
            for name, bound in (("not closed", "leaning, sure"), ("neither closed nor asked about", "leaning, likely")):
                hits.setdefault(f"leaning: ended, {name}", []).extend(bool(x < at[bound]) for x in over)
            if not one.ends.any():
                hits.setdefault("leaning: nothing ended, and one closed", []).append(highest >= at["leaning, sure"])
    return {name: wilson(sum(some), len(some)) for name, some in hits.items()}


def _crossed(first: Sequence[Looked], second: Sequence[Looked]) -> dict[str, Estimate]:
    """What each half reaches with what was fitted on the other, together."""
    tables = [measured(first, fitted(second)), measured(second, fitted(first))]
    return {
        name: wilson(round(sum(one[name].value * one[name].n for one in tables)), sum(one[name].n for one in tables))
        for name in tables[0]
    }
