"""What a memory kept of lives: facts read, lost to other lines, changed; what it says that nobody told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...measures.intervals import Estimate, wilson
from .life import Life, matches


@dataclass(frozen=True, slots=True)
class Lived:
    """A life that was told: the current memories after each line, and what the agent asked back then: whether a known
    fact is over, and what would take its place (empty: nothing)."""

    life: Life
    after: tuple[tuple[str, ...], ...]
    asked: tuple[tuple[tuple[str, str], ...], ...]

    def told(self, line: int, fact: int) -> bool:
        """Whether a memory tells that fact after that line."""
        return line >= 0 and any(self.life.facts[fact].told_by(memory) for memory in self.after[line])

    def lost(self) -> Iterator[tuple[int, int]]:
        """(line, fact) of each true fact that was there before a line which doesn't end it, and is not after it."""
        for line in range(len(self.life.lines)):
            still = self.life.holding(line - 1) & self.life.holding(line) if line else frozenset[int]()
            yield from ((line, fact) for fact in sorted(still) if self.told(line - 1, fact) > self.told(line, fact))

    def changes(self) -> Iterator[tuple[int, int, int | None, bool]]:
        """(line, old fact, new fact, right) of each change and end whose old fact was there before its line. Right: the
        old one is not there any more, and the new one is."""
        for number, said in enumerate(self.life.lines):
            new = {self.life.facts[place].instead_of: place for place in said.tells}
            for old in said.ends:
                if self.told(number - 1, old):
                    now = new.get(old)
                    right = not self.told(number, old) and (now is None or self.told(number, now))
                    yield number, old, now, right

    def sense(self) -> Iterator[bool]:
        """Of each question back, whether it is about a fact that its line ends."""
        for said, some in zip(self.life.lines, self.asked, strict=True):
            for known, _ in some:
                yield any(self.life.facts[end].told_by(known) for end in said.ends)

    @property
    def at_end(self) -> tuple[str, ...]:
        return self.after[-1] if self.after else ()


def measures(done: Sequence[Lived]) -> dict[str, Estimate]:
    """Shares with their intervals. The facts of one life aren't independent, so intervals are rather too narrow."""
    read, kept, at_once, ends, changed, asked_for, lost, sense = (list[bool]() for _ in range(8))
    for one in done:
        last = len(one.life.lines) - 1
        read += [one.told(n, fact) for n, said in enumerate(one.life.lines) for fact in said.tells]
        kept += [one.told(last, fact) for fact in sorted(one.life.holding(last))]
        ended = {end for said in one.life.lines for end in said.ends}
        ends += [one.told(last, fact) for fact in sorted(ended)]
        for number, *_, right in one.changes():
            changed.append(right)
            asked_for.append(bool(one.asked[number]) and not right)
        at_once += [bool(asked) for asked, said in zip(one.asked, one.life.lines, strict=True) if not said.ends]
        sense += one.sense()
        gone = {line for line, _ in one.lost()}
        lost += [line in gone for line in range(len(one.life.lines))]
    tells = [_tells_something(memory, one) for one in done for memory in one.at_end]
    never = [any(matches(keys, memory) for memory in one.at_end) for one in done for keys in one.life.never]
    return {
        "facts there at the end, of those that are true": _share(kept),
        "facts there right after the line that tells them": _share(read),
        "lines that lose a true fact told before": _share(lost),
        "changes and ends right, of facts that were there": _share(changed),
        "asked instead": _share(asked_for),
        "outdated facts there at the end, of those that ended": _share(ends),
        "asked back, of lines that end nothing": _share(at_once),
        "questions back about a fact that their line ends": _share(sense),
        "memories at the end that tell a true fact": _share(tells),
        "misreadings that are there": _share(never),
    }


def _tells_something(memory: str, one: Lived) -> bool:
    holding = one.life.holding(len(one.life.lines) - 1)
    return any(one.life.facts[fact].told_by(memory) for fact in holding)


def faults(one: Lived) -> Iterator[str]:
    """What went wrong, for people: by line, then at the end."""
    life, lost = one.life, dict[int, list[int]]()
    for line, fact in one.lost():
        lost.setdefault(line, []).append(fact)
    wrong = {(line, old): new for line, old, new, right in one.changes() if not right}
    for number, said in enumerate(life.lines):
        notes = [f"lost: {life.facts[fact].text}" for fact in lost.get(number, ())]
        notes += [f"not there: {life.facts[fact].text}" for fact in said.tells if not one.told(number, fact)]
        notes += [
            f"still there: {life.facts[old].text}" for line, old in wrong if line == number and one.told(line, old)
        ]
        notes += [f"asked: {known} -> {new or 'over'}" for known, new in one.asked[number]]
        if notes:
            yield f"{said.text}\n    " + "\n    ".join(notes)


def plain(one: Lived, hidden: bool) -> Mapping[str, Any]:
    """A life's outcome for programs; without any words where it is sealed."""
    found: dict[str, Any] = {"manner": one.life.manner, "key": one.life.key, "lost": sum(1 for _ in one.lost())}
    found |= {name: value.value for name, value in measures([one]).items() if value.n}
    return found if hidden else found | {"name": one.life.name, "faults": [*faults(one)], "memory": one.at_end}


def _share(hits: Sequence[bool]) -> Estimate:
    return wilson(sum(hits), len(hits))
