"""`chatmem train recall --punctuation`: MiniLM learns which marks a line lacks (`models/embedder/punctuation/`): a LoRA
on all linear layers, and four classes of each word's last vector. The loss is the cross entropy of each word.

Measured on the talks of writers that nothing learns from: precision, recall and F1 of the ends of sentences and of
commas.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ....eval.runs.progress import make_progress
from ....memory.errors import InputError
from ....models.embedder.cross_encoder import FOLDER, files
from ....models.embedder.punctuation.restored import MARKS, NAME, Restorer, read
from ...material.templates.told import unseen_further_talks, unseen_week_talks
from .cross_encoder_fit import CrossConfig, Trainee, train
from .punctuation_rows import Unmarked, drawn, runs, talks_of

CONFIG = CrossConfig(steps=400, batch=24, rank=16, shipped=8, rate=1.5e-3, head_rate=3e-3, save_every=50)
MEASURED = 400
"""Texts of unread writers that it is measured on."""


class Marker(Trainee):
    """MiniLM with its LoRA, and a layer of four classes above each word."""

    def __init__(self, folder: Path, config: CrossConfig) -> None:
        import torch

        super().__init__(folder, config)
        self.head = torch.nn.Linear(self.model.config.hidden_size, len(MARKS), device=self.device)
        torch.nn.init.normal_(self.head.weight, std=0.03)
        torch.nn.init.zeros_(self.head.bias)

    def go_on(self, folder: Path, name: str) -> None:
        """Begins with what `save` wrote. Raises ModelBroken."""
        import torch

        self.read_lora(folder / files(name)[0])
        data = json.loads((folder / files(name)[1]).read_text(encoding="utf-8"))
        with torch.no_grad():
            self.head.weight.copy_(torch.tensor(data["weights"]))
            self.head.bias.copy_(torch.tensor(data["bias"]))

    def loss(self, rows: Sequence[Any]) -> Any:
        """The mean over all words of texts (`Unmarked`)."""
        import torch

        found = self.tokenizer(
            [list(one.words) for one in rows], is_split_into_words=True, padding=True, truncation=True, max_length=256,
            return_tensors="pt",
        )  # fmt: skip
        hidden = self.model(**{name: one.to(self.device) for name, one in found.items()}).last_hidden_state
        places, wanted = list[tuple[int, int]](), list[int]()
        for number, one in enumerate(rows):
            last = {word: at for at, word in enumerate(found.word_ids(number)) if word is not None}
            places += [(number, at) for at in last.values()]
            wanted += [one.classes[word] for word in last]
        rowed, columns = zip(*places, strict=True)
        logits = self.head(hidden[list(rowed), list(columns)].float())
        return torch.nn.functional.cross_entropy(logits, torch.tensor(wanted, device=self.device))

    def save(self, out: Path, name: str) -> None:
        """Writes the LoRA and the layer above as the chat reads them."""
        self.save_lora(out, name)
        weights = self.head.weight.detach().cpu().numpy().astype(np.float64).round(4).tolist()
        data = {"weights": weights, "bias": self.head.bias.detach().cpu().numpy().astype(np.float64).round(4).tolist()}
        (out / files(name)[1]).write_text(json.dumps(data) + "\n", encoding="utf-8")


def run(out: Path, folder: Path | None, seed: int, start: Path | None = None) -> int:
    """Trains it unless OUT holds it, and prints what it reaches. Raises InputError, ModelError."""
    if not (out / files(NAME)[0]).is_file():
        _trained(out, folder, seed, start)
    restorer = read(out)
    if restorer is None:
        raise InputError(f"{out} holds {NAME}.gguf without {NAME}.json: delete it, and it is trained anew.")
    unread = [said for talk in (*unseen_further_talks(), *unseen_week_talks()) if (said := runs(talk))]
    rng = random.Random(seed)
    for what, share in measured(restorer, [drawn(unread, rng) for _ in range(MEASURED)]).items():
        print(f"{what}: {share:.3f}")
    print(f"{out}: {NAME}.gguf and {NAME}.json, for {FOLDER.name}")
    return 0


def _trained(out: Path, folder: Path | None, seed: int, start: Path | None) -> None:
    from ....models.embedder.convert import packaged_weights

    config = replace(CONFIG, seed=seed)
    talks = [said for talk in talks_of("train") if (said := runs(talk))]
    if not talks:
        raise InputError("The talks that this learns from lie in the checkout alone: run it from there.")
    tell, trainee = make_progress(f"{NAME}: steps", config.steps), Marker(folder or packaged_weights(), config)
    if start is not None:
        trainee.go_on(start, NAME)

    def rows(step: int) -> list[Unmarked]:
        rng = random.Random(f"{seed} {step}")
        return [drawn(talks, rng) for _ in range(config.batch)]

    losses: list[float] = []

    def told(done: int, total: int, loss: float) -> None:
        losses.append(loss)
        tell(done)

    train(trainee, rows, out, NAME, told)
    (out / f"{NAME}.log").write_text("\n".join(f"{one:.4f}" for one in losses) + "\n", encoding="utf-8")


def measured(restorer: Restorer, texts: Sequence[Unmarked]) -> dict[str, float]:
    """Precision, recall and F1 of the ends of sentences (any of "." and "?"), of question marks among all, and of
    commas; the last word of a text, which ends it in any case, doesn't count."""
    found = np.concatenate([restorer.logits(one.words).argmax(axis=1)[:-1] for one in texts])
    wanted = np.concatenate([np.array(one.classes[:-1], int) for one in texts])
    table = dict[str, float]()
    for what, kinds in (("ends of sentences", (2, 3)), ("question marks", (3,)), ("commas", (1,)), ("any", (1, 2, 3))):
        hit, said, is_ = (np.isin(one, kinds) for one in (found, found, wanted))
        right = int((hit & is_).sum())
        precision, recall = right / max(1, int(said.sum())), right / max(1, int(is_.sum()))
        table |= {f"{what}, precision": precision, f"{what}, recall": recall}
        table[f"{what}, F1"] = 2 * precision * recall / max(1e-9, precision + recall)
    return table | {"words": float(len(wanted))}
