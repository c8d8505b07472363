"""The executable reward of the storage agent: its SQL is run in a sandboxed memory and what changed is compared.

Both the human target's SQL and the sample's run behind the same guard, on the known rows that the prompt shows. Scored
is what the memory then holds: the facts' tokens, names and numbers kept, whose they are, whether a known row was
changed instead of told twice, and nothing where the human noted nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ...eval.measures.text import contained, kept, token_overlap
from ...memory.language.dates import find_dates
from ...memory.store.store import Store
from ...memory.values import ASSISTANT, HUMAN, Author
from ...models.lm import Options
from ...models.prompts.draft import ANY_DAY, unwrap, whole_rows
from ...models.prompts.grammars import storage_grammar
from ...models.prompts.messages import NOTHING, Known, Line
from ...models.storage.reading import MAX_TOKENS
from ...models.storage.told.fidelity import inventions
from ..material.templates.generate import generate
from ..policy.sampling import means

REFUSED = -0.2
"""Below every statement that the guard lets through, or breaking the form would win."""
RIGHT_NOTHING = 0.7
"""About what a good fact earns, so that storing pays exactly where a fact is likelier than not."""
STORED = 0.3
"""Of a fact's reward, what storing anything on the right subject earns; the rest is for how well it is told."""
QUALITY = {"f1": 0.5, "recall": 0.15, "kept": 0.25, "dated": 0.1}
MADE_UP = 3
"""Words that nobody said, in one turn's facts, from which on they are as untrue as they can be."""
OTHER = "Somebody"
BEST = 3
"""Rows that a question brings when downstream recall is measured."""
_KNOWN = re.compile(r"(\d+) \| ([^|]*) \| (.*)")
_ID = re.compile(r"WHERE id = (\d+);")


@dataclass(frozen=True, slots=True)
class Window:
    """What a storage prompt shows."""

    known: tuple[Known, ...]
    before: tuple[Line, ...]
    line: Line

    @property
    def subjects(self) -> list[str]:
        """Whom the agent may write about: the people who speak in the window, the line's speaker first."""
        return list(dict.fromkeys([self.line.speaker, *(b.speaker for b in self.before if b.speaker != ASSISTANT)]))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a memory holds after some SQL: (subject, fact, date) of new and changed rows, ids of changed and deleted."""

    wrote: bool
    rows: tuple[tuple[str, str, str | None], ...] = ()
    touched: frozenset[int] = frozenset()
    refused: bool = False

    @property
    def text(self) -> str:
        return " ".join(fact for _, fact, _ in self.rows)


def window_of(messages: Sequence[Sequence[str]]) -> Window:
    """The window of a storage row's prompt (the inverse of `messages.storage_messages`)."""
    lines = messages[-1][1].split("\n")
    place = len(lines) - 1 - lines[::-1].index("Store:")
    known = [Known(int(m[1]), m[2], m[3]) for line in lines[:place] if (m := _KNOWN.fullmatch(line))]
    said = [_line(line) for line in lines[:place] if line != "Known:" and not _KNOWN.fullmatch(line)]
    return Window(tuple(known), tuple(said), _line("\n".join(lines[place + 1 :])))


def _line(text: str) -> Line:
    speaker, _, said = text.partition(": ")
    return Line(speaker, said)


class Sandbox:
    """Memories that live for one run of SQL each."""

    def __init__(self) -> None:
        self._folder = TemporaryDirectory(prefix="chatmem-sandbox-")
        self._store = Store.open(Path(self._folder.name) / "sandbox.db")
        self._count = 0

    def recalled(self, speaker: str, outcome: Outcome, gold: Outcome) -> float:
        """Downstream recall: the share of each human fact's telling words in the best rows for a question about it.

        The outcome's rows lie among others on the same person; the question is one word of the fact, the same for
        all samples of a turn.
        """
        user = self._store.users.get(self._next())
        others = [(speaker, topic, fact.replace(OTHER, speaker)) for topic, fact in distractors()]
        for who, topic, fact in (*others, *((who, "fact", fact) for who, fact, _ in outcome.rows)):
            self._store.facts.remember(user.id, who, topic, fact, author=HUMAN)
        shares = []
        for _, fact, _ in gold.rows:
            words = sorted(set(re.findall(r"[A-Za-z]{4,}", fact.replace(speaker, ""))), key=len) or [fact]
            found = self._store.search(user.id, f"What about {words[-1]}?", limit=BEST, use_turns=False)
            shares.append(contained(fact.replace(speaker, ""), " ".join(memory.fact for memory in found.memories)))
        return sum(shares) / len(shares) if shares else 1.0

    def _next(self) -> str:
        self._count += 1
        return str(self._count)

    def run(self, window: Window, sql: str) -> Outcome:
        """The outcome of `sql` in a memory that holds the window's known rows."""
        if sql.strip() == NOTHING:
            return Outcome(False)
        user = self._store.users.get(self._next())
        ids = {}
        for row in window.known:
            entry = self._store.facts.remember(user.id, window.line.speaker, row.topic, row.fact, author=HUMAN)
            ids[row.id] = entry.memory_id or 0
        done = self._store.facts.write(
            user.id, _ID.sub(lambda m: f"WHERE id = {ids.get(int(m[1]), m[1])};", sql),
            author=Author("agent:storage"), subjects=window.subjects, said_at=ANY_DAY,
        )  # fmt: skip
        shown = {real: number for number, real in ids.items()}
        rows = [e.after for e in done.entries if e.after is not None and e.kind != "delete"]
        return Outcome(
            True,
            tuple((str(r["subject"]), str(r["fact"]), r.get("happened_on")) for r in rows),
            frozenset(shown[e.before["id"]] for e in done.entries if e.before and e.before["id"] in shown),
            done.refused is not None,
        )

    def close(self) -> None:
        """Removes them."""
        self._store.close()
        self._folder.cleanup()


@cache
def distractors() -> tuple[tuple[str, str], ...]:
    """(topic, fact) rows about one person, for the sampled ones to be found among."""
    golds = [gold for talk in generate(seed=9, n=3) for gold in talk.live.values()]
    return tuple((gold.topic, gold.fact.replace(gold.subject, OTHER)) for gold in golds[:24])


def score(got: Outcome, gold: Outcome, speaker: str) -> dict[str, float]:
    """The reward (-0.2 to 1) and its terms, each 0 to 1, higher is better."""
    terms = {"valid": float(not got.refused), "store or not": float(got.wrote == gold.wrote)}
    if got.refused:
        return {"reward": REFUSED, **terms}
    if not gold.wrote:
        return {"reward": 0.0 if got.wrote else RIGHT_NOTHING, **terms}
    if not got.wrote:
        return {"reward": 0.0, **terms, "f1": 0.0}
    told = _quality(got, gold, speaker)
    subject = sum(who == speaker for who, _, _ in got.rows) / len(got.rows) if got.rows else 1.0
    either = got.touched | gold.touched
    change = len(got.touched & gold.touched) / len(either) if either else 1.0
    quality = sum(QUALITY[name] * value for name, value in told.items()) / sum(QUALITY[name] for name in told)
    reward = subject * (0.25 + 0.75 * change) * (STORED + (1 - STORED) * quality)
    return {"reward": reward, **terms, **told, "subject": subject, "change": change}


def true_to(got: Outcome, window: Window) -> float:
    """1 where the facts hold only words that were said or known, 0 from `MADE_UP` others on."""
    around = [*(line.text for line in window.before), *(row.fact for row in window.known), *window.subjects]
    made_up = inventions([fact for _, fact, _ in got.rows], window.line.text, around)
    return max(0.0, 1 - made_up / MADE_UP)


def _quality(got: Outcome, gold: Outcome, speaker: str) -> dict[str, float]:
    """How well the facts are told; `kept` only where there are names or numbers to keep."""
    _, recall, f1 = token_overlap(got.text, gold.text)
    dated = float({d for _, _, d in got.rows if d} == {d for _, _, d in gold.rows if d})
    told = {"f1": f1, "recall": recall, "dated": dated}
    hits, total = kept(gold.text.replace(speaker, "They"), got.text)
    if total:
        told["kept"] = hits / total
    return told


class StorageTask:
    """Rewards for rows {"messages", "completion"}, whose completion is the SQL of the human facts."""

    measure = "F1 and store-or-not"

    def __init__(self, downstream: float = 0.0, faithful: float = 0.0) -> None:
        """`downstream`: the share of a fact's reward that is for being found again by a question. `faithful`: the
        share that is lost with words that nobody said."""
        self.sandbox, self.downstream, self.faithful = Sandbox(), downstream, faithful
        self._golds: dict[str, Outcome] = {}

    def accepts(self, row: dict[str, Any]) -> bool:
        """Whether the row is a storage prompt."""
        return "Store:" in row["messages"][-1][1].split("\n")

    def options(self, row: dict[str, Any]) -> Options:
        """As the agent itself asks, with both speakers allowed as subjects."""
        window = window_of(row["messages"])
        dates = list(dict.fromkeys(words for words, _ in find_dates(window.line.text, ANY_DAY)))
        grammar = storage_grammar(window.subjects, [known.id for known in window.known], dates)
        return Options(max_tokens=MAX_TOKENS, grammar=grammar)

    def score(self, row: dict[str, Any], text: str) -> dict[str, float]:
        """The reward of a completion and its terms."""
        window = window_of(row["messages"])
        key = row["messages"][-1][1] + row["completion"]
        if key not in self._golds:
            self._golds[key] = self.sandbox.run(window, row["completion"])
        sql = unwrap(text) if text.rstrip().endswith((";", NOTHING)) else whole_rows(text)
        got, gold = self.sandbox.run(window, sql), self._golds[key]
        terms = score(got, gold, window.line.speaker)
        if self.faithful and gold.rows and got.rows and not got.refused:
            terms["faithful"] = true_to(got, window)
            terms["reward"] *= 1 - self.faithful * (1 - terms["faithful"])
        if self.downstream and gold.rows and got.rows and not got.refused:
            terms["recalled"] = self.sandbox.recalled(window.line.speaker, got, gold)
            share = self.downstream * terms["subject"]
            terms["reward"] = (1 - self.downstream) * terms["reward"] + share * terms["recalled"]
        return terms

    def summary(self, scores: Sequence[Mapping[str, float]]) -> dict[str, float]:
        """Means over the turns that have the term; first the mean of strict F1 and store-or-not."""
        found = means(scores)
        return {self.measure: (found.get("f1", 0.0) + found["store or not"]) / 2, **found}

    def close(self) -> None:
        """Removes the sandbox."""
        self.sandbox.close()
