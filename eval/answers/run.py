"""The run behind `chatmem eval msc | locomo | ...`: every system answers every question, each a record.

One row a question, system and model: question, gold, category, what was retrieved (turn ids, memories with evidence,
the SELECT), tokens of the prompt, answer, seconds, model, adapter, version, commit, seed. Rows are on the disk as soon
as they exist; the same run goes on after a kill and ends with the same rows.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...models.prompts.tuned import NONE, Prompts
from ..datasets.cases import letters
from ..ingestion.stores import Library
from ..measures.text import contained
from ..runs.models import MANY, WHOLE, ReaderSettings, forgetting, is_local, load
from ..runs.provenance import code
from ..runs.records import Records
from ..runs.requests import Asking, Pace, Paced
from ..runs.spread import map_rows
from .systems import SUMMARY_PROMPT, SUMMARY_TOKENS, WITH_FACTS, StoredConversation, SystemContext, fitted

if TYPE_CHECKING:
    from ...models.chat.answer import Talkers
    from ...models.lm import LM, Message
    from ..datasets.cases import Case, Conversation
    from ..ranking.embed import Embedded
    from ..ranking.rank import Ranked

Tell = Callable[[int], None]
PLAIN_SUMMARIES = ("official", "lines")
PIECE = 4
"""Questions that a worker is given at once, and so loses at most when it is killed."""


@dataclass(frozen=True, slots=True)
class AnswerPlan:
    """What is run. `models`: specs of answer models (none: retrieval alone). `facts`: none, agent or human.
    `summaries`: official (else last lines), lines, or the spec of a model that writes them. `per_minute`: requests to
    endpoints. `ranker`: the spec of the model that ranks sessions, `hopper`: of the one that takes the steps of hops;
    `prompts`: tuned ones for the answer models."""

    name: str
    cases: tuple[Case, ...]
    systems: tuple[str, ...]
    models: tuple[str, ...] = ()
    facts: str = "agent"
    storage: str = "embedded+storage"
    retrieval: str | None = "embedded+retrieval"
    summaries: str = "official"
    words: int = 200
    seed: int = 0
    threads: int | None = None
    context_tokens: int | None = None
    parallel: int = 1
    per_minute: float | None = None
    ranker: str | None = None
    hopper: str | None = None
    prompts: Prompts = NONE

    def keys(self, case: Case, system: str) -> list[tuple[str, str | None]]:
        """The key and the model of each row of a question and system."""
        if not self.models:
            return [(f"{case.key}|{system}", None)]
        return [(f"{case.key}|{system}|{model}", model) for model in self.models]

    def all_keys(self) -> list[str]:
        return [key for case in self.cases for system in self.systems for key, _ in self.keys(case, system)]

    def specs(self) -> list[str]:
        """The models that it asks."""
        facts = bool(set(self.systems) & set(WITH_FACTS)) and self.facts != "none"
        found: list[str | None] = [*self.models]
        found += [self.storage if self.facts == "agent" else None, self.retrieval] if facts else []
        found += [self.ranker if "ranked-sessions" in self.systems else None]
        found += [self.hopper if "hops" in self.systems else None]
        return [spec for spec in found if spec] + ([] if self.summaries in PLAIN_SUMMARIES else [self.summaries])

    def talks(self) -> dict[Conversation, list[Case]]:
        """The cases by conversation, in the order in which they were drawn."""
        found: dict[Conversation, list[Case]] = {}
        for case in self.cases:
            found.setdefault(case.talk, []).append(case)
        return found


class Cast:
    """The models of a run, each loaded once and only when it is needed."""

    def __init__(self, plan: AnswerPlan, stack: ExitStack) -> None:
        self.plan, self._stack = plan, stack
        self.pace = Pace(plan.per_minute)
        self._loaded: dict[tuple[str, ReaderSettings], LM] = {}
        self._embedded: Embedded | None = None
        self._ranked: Ranked | None = None

    def lm(self, spec: str, reading: ReaderSettings = WHOLE) -> LM:
        """Raises ModelError, SettingsError."""
        key = (spec, reading)
        if key not in self._loaded:
            self._loaded[key] = load(spec, self.plan.threads, self.plan.context_tokens, reading)
            self._stack.callback(self._loaded[key].close)
        return self._loaded[key]

    def paced(self, spec: str, reading: ReaderSettings = WHOLE) -> LM:
        """The same for agents: an endpoint waits for its turn."""
        return self.lm(spec, reading) if is_local(spec) else Paced(self.lm(spec), self.pace)

    def by_session(self, system: str, case: Case) -> SystemContext:
        """What the systems of whole sessions give. Raises ModelError."""
        from ...models.files.model_files import cache_folder
        from ..ranking.embed import Embedded, Embedding
        from ..ranking.rank import Ranked, Ranking
        from .by_session import sessions_given

        if self._embedded is None:
            self._embedded = Embedded(Embedding(cache_folder() / "rank" / "vectors.db"))
            self._stack.callback(self._embedded.close)
        if system == "sessions":
            return sessions_given(self._embedded, None, case)
        if self._ranked is None:
            assert self.plan.ranker is not None
            step = Ranking(self.plan.ranker, seed=self.plan.seed, threads=self.plan.threads)
            self._ranked = Ranked(step)
            self._stack.callback(self._ranked.close)
        return sessions_given(self._embedded, self._ranked, case)

    def writer(self) -> LM:
        """The storage agent's model."""
        return self.paced(self.plan.storage, MANY)


def answer_all(
    plan: AnswerPlan, records: Records, *, tell: Tell = lambda done: None, workers: int = 1, ray: bool = False
) -> None:  # fmt: skip
    """Adds the rows that are missing. `workers`: conversations at once, by threads or by `ray`, each with models of its
    own. Raises ModelError; what is done by then is kept."""
    done, origin = records.done, code()
    if workers > 1 or ray:
        _answer_spread(plan, records, tell, workers, ray)
        return
    with ExitStack() as stack:
        cast = Cast(plan, stack)
        if set(plan.all_keys()) - done:
            for spec in plan.models:  # one that can't be loaded is told before any work is done
                cast.lm(spec)
        at_once = 1 if is_local(plan.storage) else plan.parallel
        library = stack.enter_context(Library(records.path.with_suffix(".stores"), plan.facts, at_once))
        asking = stack.enter_context(Asking(_at_once(plan)))
        for talk, cases in plan.talks().items():
            open_one = _Opened(plan, cast, library, talk)
            for case, system, missing in _missing(plan, cases, done):
                given = open_one.told(system).give(system, case)
                scene = open_one.told(system).scene()
                for key, model in missing:
                    row = _row(plan, key, case, system, given) | origin
                    take = partial(_keep, records, tell)
                    asking.put(partial(_answered, cast, model, row, case, given, scene), take)
        asking.finish()


def _answer_spread(plan: AnswerPlan, records: Records, tell: Tell, workers: int, ray: bool) -> None:
    """Some questions of a conversation at a time, those of one conversation by one worker."""
    done = frozenset(records.done)
    left = [[case for case in cases if any(_missing(plan, [case], set(done)))] for cases in plan.talks().values()]
    pieces = [tuple(cases[at : at + PIECE]) for cases in left for at in range(0, len(cases), PIECE)]
    make = AnswerWork(replace(plan, cases=()), records.path.with_suffix(".stores"), done)
    results = map_rows(make, pieces, workers=workers, ray=ray, group=lambda cases: cases[0].talk.id)
    for _, rows in results:
        for row in rows:
            _keep(records, tell, row)


@dataclass(frozen=True, slots=True)
class AnswerWork:
    """What makes the workers of a run that is spread; `done`: keys of rows that are there."""

    plan: AnswerPlan
    stores: Path
    done: frozenset[str]

    def __call__(self) -> AnswerWorker:
        return AnswerWorker(self)


class AnswerWorker:
    """Answers some questions of one conversation: their rows. Raises ModelError."""

    def __init__(self, work: AnswerWork) -> None:
        self.work, self._stack = work, ExitStack()
        self.cast = Cast(work.plan, self._stack)
        self.library = self._stack.enter_context(Library(work.stores, work.plan.facts))
        self._opened: _Opened | None = None

    def __call__(self, cases: Sequence[Case]) -> list[dict[str, Any]]:
        plan, rows, origin = self.work.plan, list[dict[str, Any]](), code()
        if self._opened is None or self._opened.talk.id != cases[0].talk.id:
            self._opened = _Opened(plan, self.cast, self.library, cases[0].talk)
        for case, system, missing in _missing(plan, cases, set(self.work.done)):
            told = self._opened.told(system)
            given = told.give(system, case)
            for key, model in missing:
                row = _row(plan, key, case, system, given) | origin
                rows.append(_answered(self.cast, model, row, case, given, told.scene()))
        return rows

    def close(self) -> None:
        """Lets go of the models and stores."""
        self._stack.close()


def _at_once(plan: AnswerPlan) -> int:
    return 1 if any(is_local(model) for model in plan.models) else plan.parallel


def _missing(
    plan: AnswerPlan, cases: Sequence[Case], done: set[str]
) -> Iterator[tuple[Case, str, list[tuple[str, str | None]]]]:
    for case in cases:
        for system in plan.systems:
            left = [(key, model) for key, model in plan.keys(case, system) if key not in done]
            if left:
                yield case, system, left


def _keep(records: Records, tell: Tell, row: Mapping[str, Any]) -> None:
    records.add(row)
    tell(len(records.rows))


class _Opened:
    """A conversation's stores, with facts and without, opened when a system asks for them."""

    def __init__(self, plan: AnswerPlan, cast: Cast, library: Library, talk: Conversation) -> None:
        self.plan, self.cast, self.library, self.talk = plan, cast, library, talk
        self._told: dict[bool, StoredConversation] = {}

    def told(self, system: str) -> StoredConversation:
        facts = system in WITH_FACTS and self.plan.facts != "none"
        if facts not in self._told:
            self._told[facts] = self._open(facts)
        return self._told[facts]

    def _open(self, facts: bool) -> StoredConversation:
        plan, cast = self.plan, self.cast
        storage = cast.writer if facts and plan.facts == "agent" else None
        retrieval = cast.paced(plan.retrieval) if facts and plan.retrieval else None
        summariser = None if plan.summaries in PLAIN_SUMMARIES else partial(summary, cast.paced(plan.summaries))
        talk = self.talk
        if plan.summaries != "official":
            talk = replace(talk, summaries=())
        return StoredConversation(
            self.library.open(talk, storage, facts), talk, words=plan.words, retrieval=retrieval,
            summariser=summariser, fresh=forgetting(retrieval) if retrieval else lambda: None,
            by_session=cast.by_session, hopper=lambda: cast.paced(plan.hopper) if plan.hopper else None,
        )  # fmt: skip


def summary(lm: LM, text: str) -> str:
    """A session in at most 80 words, by a model; what doesn't fit its window is left out from the front."""
    from ...models.decoding.budget import fit
    from ...models.lm import Message, Options, complete

    forgetting(lm)()
    text = fit(text, lm.context_tokens - SUMMARY_TOKENS - 120, lm.count_tokens, "tail")
    messages = [Message("system", SUMMARY_PROMPT), Message("user", text)]
    return complete(lm, messages, Options(max_tokens=SUMMARY_TOKENS, repeat_penalty=1.05)).strip()


def _row(plan: AnswerPlan, key: str, case: Case, system: str, given: SystemContext) -> dict[str, Any]:
    row: dict[str, Any] = {
        "key": key, "eval": plan.name, "case": case.key, "system": system, "category": case.category,
        "question": case.question, "gold": case.gold, "abstain": case.abstain, "evidence": case.evidence,
    }  # fmt: skip
    if case.options:
        row["options"] = case.options
    if case.sessions:
        row["sessions"] = case.sessions
    if case.audited is not None:
        row |= {"gold_audited": case.audited, "evidence_audited": case.audited_evidence}
    if given.ranked is not None:
        row["ranked"] = given.ranked
        if given.sessions:
            row["ranked_sessions"] = given.sessions
    if given.sql is not None:
        row |= {"sql": given.sql, "refused": given.refused, "rows": given.rows}
    return row | {"seed": plan.seed, "seconds": {"recall": given.seconds}}


def _answered(
    cast: Cast, spec: str | None, row: dict[str, Any], case: Case, given: SystemContext, scene: Talkers
) -> dict[str, Any]:
    """The row with the model's answer; without a model, with the context alone."""
    from ...models.chat.answer import MAX_TOKENS
    from ...models.lm import Options

    if spec is None:
        return row | _context(case, given.lines, given, 0)
    lm = cast.lm(spec)
    tuned = cast.plan.prompts.of("answer", lm)
    own = partial(_prompt_for(lm), scene, case)
    given = given if tuned else _shown(lm, given, scene, cast.plan.words)

    def asked(some: Sequence[str]) -> Sequence[Message]:
        return tuned.in_answer(prompt(scene, case, some)) if tuned else own(some)

    lines, cut = fitted(given, lambda some: _fits(lm, asked(some), given.in_time))
    messages = asked(lines)
    forgetting(lm)()
    if not is_local(spec):
        cast.pace.wait()
    options = Options(max_tokens=MAX_TOKENS, repeat_penalty=1.05, grammar=letters(case.options))
    begin, text, tokens = time.perf_counter(), "", 0
    for chunk in lm.generate(messages, options):
        text, tokens = text + chunk.text, chunk.prompt_tokens or tokens
    seconds = row["seconds"] | {"answer": round(time.perf_counter() - begin, 4)}
    return row | _context(case, lines, given, cut) | {
        "model": spec, "adapter": lm.adapter, "answer": text.strip(), "seconds": seconds,
        "prompt_tokens": tokens or sum(lm.count_tokens(message.content) for message in messages),
    }  # fmt: skip


def _shown(lm: LM, given: SystemContext, scene: Talkers, words: int) -> SystemContext:
    """A recall in the form in which the model is shown it in the chat: as notes, where it reads ordinary words."""
    from ...memory.values import ASSISTANT
    from ...models.chat.notes import few, notes
    from ...models.files.profiles.profile import profile_of

    if given.recall is None or profile_of(lm).prompts != "plain":
        return given
    small = profile_of(lm).small
    scene.turned = small and scene.me == ASSISTANT
    found = notes(given.recall, scene, words)
    return replace(given, lines=tuple(few(found, given.recall, scene.other) if small else found))


def _prompt_for(lm: LM) -> Callable[[Talkers, Case, Sequence[str]], list[Message]]:
    """What makes the answer agent's prompt for this model."""
    from ...models.files.profiles.profile import profile_of

    return partial(_instructed, lm) if profile_of(lm).prompts == "plain" else prompt


def _instructed(lm: LM, scene: Talkers, case: Case, lines: Sequence[str]) -> list[Message]:
    from ...memory.values import ASSISTANT
    from ...models.files.profiles.profile import profile_of
    from ...models.prompts.instructed import instructed_messages, instructed_system

    persona = "" if scene.me == ASSISTANT else f"You are {scene.me}."
    system = instructed_system(scene.other, scene.day(case.talk.now), persona, scene.named(scene.me))
    shown, somebody = profile_of(lm).small, scene.me != ASSISTANT
    return instructed_messages(system, [], lines, case.question, shown=shown, somebody=somebody)


def prompt(scene: Talkers, case: Case, lines: Sequence[str]) -> list[Message]:
    """The one prompt of all systems: the answer agent's."""
    from ...models.prompts.messages import answer_messages

    return answer_messages(scene.system(case.talk.now), [], lines, case.asked)


def _fits(lm: LM, messages: Sequence[Message], whole: bool) -> bool:
    """A whole conversation may fill the window; a recall keeps to the chat's budget too."""
    from ...models.chat.answer import BUDGET, MAX_TOKENS

    room = lm.context_tokens - MAX_TOKENS
    used = sum(lm.count_tokens(message.content) + 6 for message in messages)
    return used <= (room if whole else min(BUDGET, room))


def _context(case: Case, lines: Sequence[str], given: SystemContext, cut: int) -> dict[str, Any]:
    """How much of the gold stands in what the model was given, and the lines themselves where they are few."""
    text = "\n".join(lines)
    told: dict[str, Any] = {"held": round(contained(case.gold, text), 4), "context_words": len(text.split())}
    if cut:
        told["lines_cut"] = cut
    return told if given.in_time else told | {"context": list(lines)}
