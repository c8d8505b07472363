"""Pairs of what is known of somebody and what they say now, and whether a memory came out of that as it should.

A file of pairs is TOML, a `[[pair]]` each: `known` (one to three facts in the third person) with their `topics`, the
new `line` of `user` (Nadia unless told), `ends` (which of the known facts, by place, may not be current afterwards;
none: all must stay), `says` (words that one current fact must hold then; `a|b` are alternatives), `matter` and `kind`.
`before`: the line right before it, which told the known facts, or those of `told` (by place); others were told weeks
ago.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ....memory.errors import InputError, NotFound
from ...measures.intervals import Estimate, wilson
from ...measures.text import contained, words

FOLDER = Path(__file__).parent
SEALED = ("sealed", "hard", "corrections-sealed", "further-sealed")
"""Pairs that who works on chatmem only measures with; of the hard ones, told aslant, those that end nothing look most
as if they did."""
SHIPPED = ("open", "sealed", "hard")
"""The pairs that ship; the open ones may be read."""
NAMES = ("open", *SEALED, "indirect", "corrections", "further")
"""`indirect`: 1,200 told so indirectly ("the cast came off") that words alone hardly tell; to learn from, or to see
how far a model reads between the lines. `corrections`: in which what the line before told is put right, or only seems
to be; to learn from, but for the sealed ones of a further writer. `further`: 100 by a writer who had seen no others, of
whom 100 more are sealed; neither has been read."""
USER = "Nadia"
_TURNED = {
    "not",
    "no",
    "never",
    "nor",
    "without",
    "isnt",
    "doesnt",
    "dont",
    "didnt",
    "wasnt",
    "longer",
    "used",
    "former",
}
"""Words with which a fact that holds all the words of another says the opposite of it, or that it was so once."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One pair; see the module's docstring."""

    matter: str
    kind: str
    user: str
    known: tuple[str, ...]
    topics: tuple[str, ...]
    line: str
    ends: tuple[int, ...]
    says: tuple[str, ...]
    before: str = ""
    told: tuple[int, ...] = ()

    @property
    def key(self) -> str:
        """A print of all that it says: a pair that was changed is another."""
        told = {name: value for name, value in asdict(self).items() if name not in ("before", "told") or value}
        return hashlib.sha256(repr(told).encode()).hexdigest()[:12]

    def said_before(self, place: int) -> bool:
        """Whether the line before told that known fact."""
        return bool(self.before) and (not self.told or place in self.told)

    @property
    def stays(self) -> tuple[int, ...]:
        """The places of the known facts that the line leaves as they are."""
        return tuple(place for place in range(len(self.known)) if place not in self.ends)


@dataclass(frozen=True, slots=True)
class PairOutcome:
    """What became of a pair: known facts that are gone and shouldn't be, those that ended and are still current, the
    `says` that no current fact holds, and whether the agent asked back."""

    pair: Pair
    lost: tuple[int, ...]
    outdated: tuple[int, ...]
    unsaid: tuple[str, ...]
    asked: bool = False

    @property
    def missed(self) -> bool:
        """Something was to be changed or noted and was not; who asks back has not missed it."""
        return bool(self.outdated or self.unsaid) and not self.asked

    @property
    def right(self) -> bool:
        return not (self.lost or self.outdated or self.unsaid or self.asked)


def load_pairs(path: Path) -> list[Pair]:
    """The pairs of a TOML file. Raises NotFound, or InputError that names the pair."""
    try:
        rows = tomllib.loads(path.read_text(encoding="utf-8"))["pair"]
    except FileNotFoundError:
        raise NotFound(f"There is no file {path} of pairs; {' and '.join(SHIPPED)} ship with chatmem.") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError) as error:
        raise InputError(f"{path} is no file of pairs ({error!r}); see {FOLDER / 'open.toml'}.") from error
    if not isinstance(rows, list) or not rows:
        raise InputError(f"{path} holds no [[pair]]; see {FOLDER / 'open.toml'}.")
    pairs = [_pair(row, f"{path}, pair {number}") for number, row in enumerate(rows, 1)]
    if len({pair.key for pair in pairs}) < len(pairs):
        raise InputError(f"{path} holds a pair twice; each must stand there once.")
    return pairs


def _pair(row: Mapping[str, Any], place: str) -> Pair:
    try:
        known = _texts(row["known"])
        topics, says = _texts(row.get("topics", [""] * len(known))), _texts(row.get("says", []))
        ends = tuple(int(end) for end in row["ends"])
        pair = Pair(
            str(row["matter"]), str(row.get("kind", "")), str(row.get("user", USER)), known, topics,
            str(row["line"]), ends, says, str(row.get("before", "")), tuple(map(int, row.get("told", ()))),
        )  # fmt: skip
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"{place} is not whole ({error!r}); see {FOLDER / 'open.toml'}.") from error
    if not pair.known or len(pair.topics) != len(pair.known) or not pair.line.strip():
        raise InputError(f"{place} needs known facts, as many topics if any, and a line.")
    if any(not 0 <= end < len(pair.known) for end in pair.ends):
        raise InputError(f"{place}: `ends` counts the known facts from 0 and names one that isn't there.")
    return pair


def _texts(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list):
        raise TypeError(f"{values!r} is no list")
    return tuple(map(str, values))


def outcome(pair: Pair, current: Sequence[str], asked: bool = False) -> PairOutcome:
    """What became of the pair when these facts are current."""
    return PairOutcome(
        pair,
        tuple(place for place in pair.stays if not any(tells(fact, pair.known[place]) for fact in current)),
        tuple(place for place in pair.ends if any(words(fact) == words(pair.known[place]) for fact in current)),
        tuple(says for says in pair.says if not any(_holds(fact, says) for fact in current)),
        asked,
    )


def tells(fact: str, known: str) -> bool:
    """Whether a fact still tells a known one: all of its words, and none that turns them round."""
    turned = {word for word in _plain(fact) if word in _TURNED} - set(_plain(known))
    return contained(known, fact) == 1.0 and not turned


def _plain(text: str) -> list[str]:
    return re.findall(r"[a-z]+", text.lower().replace("'", "").replace("’", ""))


def _holds(fact: str, says: str) -> bool:
    return any(contained(option, fact) == 1.0 for option in says.split("|"))


def measures(done: Sequence[PairOutcome]) -> dict[str, Estimate]:
    """Shares with their intervals, for all, for each matter and each kind; "change": pairs with an end to a fact."""
    change, stay = [one for one in done if one.pair.ends], [one for one in done if not one.pair.ends]
    others = [one for one in change if one.pair.stays]
    table = {
        "right": _share([one.right for one in done]),
        "right, change": _share([one.right for one in change]),
        "right, no change": _share([one.right for one in stay]),
        "wrong overwrites": _share([bool(one.lost) for one in done]),
        "wrong overwrites, no change": _share([bool(one.lost) for one in stay]),
        "wrong overwrites of other facts, change": _share([bool(one.lost) for one in others]),
        "missed, change": _share([one.missed for one in change]),
        "old fact still current, change": _share([bool(one.outdated) and not one.asked for one in change]),
        "new fact not there": _share([bool(one.unsaid) and not one.asked for one in done if one.pair.says]),
        "asked, change": _share([one.asked for one in change]),
        "asked, no change": _share([one.asked for one in stay]),
    }
    for matter in dict.fromkeys(one.pair.matter for one in done):
        some = [one for one in done if one.pair.matter == matter]
        table[f"wrong overwrites: {matter}"] = _share([bool(one.lost) for one in some])
        table[f"missed: {matter}"] = _share([one.missed for one in some if one.pair.ends])
    for kind in dict.fromkeys(one.pair.kind for one in done if one.pair.kind):
        table[f"right: {kind}"] = _share([one.right for one in done if one.pair.kind == kind])
    return table


def _share(hits: Sequence[bool]) -> Estimate:
    return wilson(sum(hits), len(hits))
