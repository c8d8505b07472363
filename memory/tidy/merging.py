"""How the texts of several facts become one, and one becomes several; and what must not get lost on the way."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from ..errors import InputError
from ..language.dates import find_dates
from ..language.language import english
from ..language.quoted.in_quotes import in_quotes, is_followed, quoted
from ..language.words import content, details, lost, sentences, tokens
from ..values import Memory


def merged_text(memories: Sequence[Memory], lines: Sequence[str], strategy: str) -> str:
    """One text for facts about one subject, the oldest first. `lines` are the texts they came from.

    Raises InputError where words of the facts would stand neither in the text nor in the lines.
    """
    text = _STRATEGIES[strategy]([memory.fact for memory in memories], memories[0].subject, lines)
    facts = [memories[-1].fact] if strategy == "newest" else [memory.fact for memory in memories]
    check_kept(facts, [text, *lines], memories[0].subject)
    return text


def check_kept(facts: Sequence[str], kept: Sequence[str], subject: str) -> None:
    """Raises InputError naming the words of `facts` that stand nowhere in `kept`."""
    gone = lost(facts, kept, subject)
    if gone:
        raise InputError(f"this would lose {', '.join(sorted(gone)[:8])}: keep these words.")


def check_grounded(text: str, sources: Sequence[str], subject: str) -> None:
    """Raises InputError when a text tells names, numbers or mostly words that stand in none of its sources."""
    said = " ".join(sources)
    there = content(said) | frozenset(tokens(said)) | details(said)
    made_up = details(text, subject) - there - content(subject)
    words = content(text, subject)
    if made_up or 2 * len(words - there) > len(words):
        unknown = sorted(made_up or words - there)[:6]
        raise InputError(f"{', '.join(unknown)} stands in none of its lines: tell only what was said.")


def same_subject(memories: Sequence[Memory]) -> None:
    """Raises InputError unless all are about one subject."""
    subjects = list(dict.fromkeys(memory.subject for memory in memories))
    if len(subjects) > 1:
        raise InputError(f"these are about {' and '.join(subjects)}: merge memories about one subject only.")


def common_date(memories: Sequence[Memory]) -> str | None:
    """The most exact of dates that agree. Raises InputError when they are different days."""
    dates = sorted({memory.happened_on for memory in memories if memory.happened_on}, key=len)
    if not dates:
        return None
    if any(not dates[-1].startswith(date) for date in dates):
        raise InputError(f"these happened on different days ({', '.join(dates)}): keep them apart.")
    return dates[-1]


def common_topic(memories: Sequence[Memory]) -> str:
    """The commonest topic, the newest of equals."""
    counted = Counter(memory.topic for memory in reversed(memories) if memory.topic)
    return counted.most_common(1)[0][0] if counted else ""


def _concatenate(facts: Sequence[str], subject: str, _lines: Sequence[str]) -> str:
    """All sentences, but for those whose words stand in another; quotations of one person are one quotation."""
    said = [words for fact in facts if (words := quoted(fact)) is not None]
    if said and len({*facts}) == 1:
        return facts[0]
    if not joinable(facts):
        raise InputError("a quotation stays as it was said: leave it whole, or delete it where another tells the same.")
    return in_quotes(facts[0].partition(" said: ")[0], _whole(said, subject)) if said else _whole(facts, subject)


def joinable(facts: Sequence[str]) -> bool:
    """Whether different facts could stand in one row: no quotation beside what quotes nothing, another person's, or one
    that later words follow, for nobody knew any more what was said."""
    who = {None if quoted(fact) is None else fact.partition(" said: ")[0] for fact in facts}
    return len(who) == 1 and not any(is_followed(fact) for fact in facts)


def _whole(texts: Sequence[str], subject: str) -> str:
    parts = list(dict.fromkeys(part for text in texts for part in sentences(text)))
    words = {part: content(part, subject) for part in parts}
    kept: list[str] = []
    for place, part in enumerate(parts):
        others = [*kept, *parts[place + 1 :]]
        if not any(words[part] <= words[other] for other in others):
            kept.append(part)
    return " ".join(part if part[-1] in ".!?" else part + "." for part in kept or parts[:1])


def _summarize(facts: Sequence[str], subject: str, lines: Sequence[str]) -> str:
    """The fewest whole facts that hold all names and numbers, and every word that stands in no line (greedy cover)."""
    wanted = frozenset[str]().union(*(details(fact, subject) for fact in facts)) | lost(facts, lines, subject)
    holds = {fact: (content(fact, subject) | details(fact, subject) | frozenset(tokens(fact))) for fact in facts}
    kept: list[str] = []
    while not kept or (wanted and len(kept) < len(facts)):
        rest = [fact for fact in facts if fact not in kept]
        if not rest:
            break
        best = max(rest, key=lambda fact: (len(wanted & holds[fact]), fact.startswith(subject), -len(fact)))
        kept.append(best)
        wanted -= holds[best]
    return _concatenate([fact for fact in facts if fact in kept], subject, lines)


def _common(facts: Sequence[str], subject: str, _lines: Sequence[str]) -> str:
    """The fact whose words the others bear out most."""
    words = [content(fact, subject) for fact in facts]

    def borne_out(place: int) -> float:
        own = words[place]
        others = [one for at, one in enumerate(words) if at != place]
        return sum(len(own & other) / max(1, len(own)) for other in others)

    return facts[max(range(len(facts)), key=lambda place: (borne_out(place), len(words[place])))]


def _newest(facts: Sequence[str], subject: str, lines: Sequence[str]) -> str:
    """The newest fact, after what the older ones tell beside it: of several statements it replaces the likest one."""
    newest, kept = content(facts[-1], subject), list[str]()
    for fact in facts[:-1]:
        told = clauses(fact, subject)
        if len(told) > 1:
            shared = [len(content(part, subject) & newest) for part in told]
            replaced = shared.index(max(shared)) if max(shared) else None
            kept += [part for place, part in enumerate(told) if place != replaced]
    return _concatenate([*kept, facts[-1]], subject, lines) if kept else facts[-1]


_STRATEGIES: Mapping[str, Callable[[Sequence[str], str, Sequence[str]], str]] = {
    "summarize": _summarize, "concatenate": _concatenate, "extract_common": _common, "newest": _newest,
}  # fmt: skip


def parts_of(memory: Memory, criteria: str, most: int, names: Sequence[str]) -> list[tuple[str, str, str | None]]:
    """(subject, fact, date) of the parts of a fact. `names`: the subjects that there are.

    Raises InputError when it can't be cut that way.
    """
    cut = clauses(memory.fact, memory.subject)
    parts = [(memory.subject, text, memory.happened_on) for text in cut]
    if criteria == "temporal":
        dated = [find_dates(text, memory.said_at) for text in cut]
        parts = [(memory.subject, text, found[0][1] if found else memory.happened_on)
                 for text, found in zip(cut, dated, strict=True)]  # fmt: skip
        if len({date for _, _, date in parts}) < 2:
            raise InputError(f"memory {memory.id} tells of one time only: leave it whole.")
    if criteria == "speaker":
        parts = [(_about(text, memory.subject, names), text, date) for _, text, date in parts]
        if len({subject for subject, _, _ in parts}) < 2:
            raise InputError(f"memory {memory.id} is about one person only: leave it whole.")
    if len(parts) < 2:
        raise InputError(f"memory {memory.id} holds one statement only: leave it whole.")
    return [*parts[: most - 1], _joined(parts[most - 1 :])] if len(parts) > most else parts


def _about(text: str, subject: str, names: Sequence[str]) -> str:
    """The longest known name that a statement begins with, which may end in a full stop or a mark."""
    found = [name for name in names if re.match(rf"{re.escape(name)}(?!\w|['’]s)", text)]
    return max(found, key=len, default=subject)


def _joined(parts: Sequence[tuple[str, str, str | None]]) -> tuple[str, str, str | None]:
    subject, _, date = parts[0]
    return subject, " ".join(text for _, text, _ in parts), date


@lru_cache(maxsize=1)
def _joint() -> re.Pattern[str]:
    """Where a fact goes on with a statement of its own."""
    verbs = english().alternatives("verbs", "joined")
    return re.compile(rf"(?:,? and(?: also)?|;|, but) (?=(?:(?:also|never|always|still|usually) )?(?:{verbs})\b)")


def clauses(fact: str, subject: str) -> list[str]:
    """The fact cut into statements of its subject: at the ends of sentences, and at "and" before a verb.

    Every part begins with what its sentence began with, so that it stands by itself; one part: it can't be cut. What
    somebody is quoted to have said is one.
    """
    if quoted(fact) is not None:
        return [fact]
    found = []
    for sentence in sentences(fact):
        if not re.match(rf"{re.escape(subject)}\b", sentence):
            return [fact]
        parts = [part.strip(" ,;") for part in _joint().split(sentence.rstrip(".!"))]
        if any(len(tokens(part)) < 2 for part in parts) or not sentence.startswith(subject + " "):
            parts = [sentence.rstrip(".!")]
        found += [part if part.startswith(subject) else f"{subject} {part}" for part in parts]
    return [part + "." for part in found if part]
