"""What would be forgotten, before the one yes; and what was, after it: the same words in every front end."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence

from ...memory.values import ForgetPlan, ForgetReport, Memory, Mention, Turn
from ..config.safe_text import one_line, shown
from ..config.zone import day

MOST = 12
"""How many replies, names of sessions and typed lines are shown one by one, the others are counted; of what is
remembered, and of what was said by the person, all is shown."""
WIDE = 160
NOTHING = "Nothing that is remembered or was said holds these words, so there is nothing to forget."
UNREAD = (
    "Nothing is forgotten: I don't understand what should go. “Forget that I hate flying”, “forget everything about "
    "Tom” or /forget WORDS shows what would go, and asks; “forget everything” means the whole memory."
)
UNSURE = "Nothing was forgotten. Should something be: /forget WORDS shows what would go, and asks."
UNSURE_AGAIN = UNSURE.replace("Nothing was forgotten", "By this line nothing more was forgotten")
"""The same where something was erased in this chat: "nothing was forgotten" would be false."""
GONE = (
    "What was erased for good can't be brought back: nothing of it is kept anywhere. Only a backup or an export that "
    "you made before still holds it: `chatmem backup --restore FILE` or /import FILE brings that back."
)
UNKEPT = "That line isn't kept, and nothing that is remembered or was said holds its words."


def nothing(near: Sequence[Memory] = ()) -> str:
    """Where nothing holds the words of a wish; `near`: facts that may be meant by them."""
    if not near:
        return NOTHING
    rows = [f"    {_fact(one)}" for one in near]
    return shown("\n".join(["Nothing that is remembered or was said holds these words. Nearest to them:", *rows,
                            f"(/forget {near[0].id} shows what would be erased of it.)"]))  # fmt: skip


def perhaps(near: Sequence[Memory], unsure: str = "") -> str:
    """Beside a reply to what may wish something forgotten: `near`, facts that may be meant by it."""
    if not near:
        return unsure
    rows = [f"    {_fact(one)}" for one in near]
    said = [unsure] if unsure else []
    return shown("\n".join([*said, "If it is one of these, /forget and its number shows what would be erased:", *rows]))


def all_but(keeping: str) -> str:
    """Where all is to go but something."""
    return shown(f"Nothing is erased: all but “{keeping}” can't be picked out. Name what is to go, piece by piece.")


def nothing_of(plan: ForgetPlan) -> str:
    """Where nothing goes: nothing holds the words of the wish, or all that does is to stay by its own words."""
    if not plan.kept:
        return NOTHING
    return shown("\n".join(["Nothing is erased: all that this means is to stay.", *_kept(plan)]))


def _kept(plan: ForgetPlan, most: int = sys.maxsize) -> list[str]:
    return _listed("stays, as you asked", map(_fact, plan.kept), most)


def question(plan: ForgetPlan, command: str = "", most: int | None = None) -> str:
    """All that would go and all that would stay, as a question. `command`: what to write an option after. `most`: how
    many of a kind are shown one by one (None: as `MOST` says); the others are counted."""
    many, few = (sys.maxsize, MOST) if most is None else (most, most)
    return shown(
        "\n".join([head(plan), *_going(plan, many, few), *_staying(plan, many, few), *_choices(plan, command)])
    )


def head(plan: ForgetPlan) -> str:
    """What is asked, in a sentence or two; of much, how much it is."""
    asks = "Erase this for good?" if not plan.keep_lines else "Erase these facts for good, and keep what was said?"
    if plan.near:
        asks = f"Nothing that is remembered holds just these words; this comes nearest. {asks}"
    if plan.unkept:
        asks = f"Nothing of this holds “{plan.unkept}”, so nothing is left out for that. {asks}"
    if plan.uncut:
        asks = f"What goes also holds “{plan.uncut}” and can't be cut: tell that again, if it is to be kept. {asks}"
    if plan.unheld:
        asks = f"Nothing that is remembered or was said holds “{plan.unheld}”. {asks}"
    said = () if plan.keep_lines else (
        (len(plan.lines), "line"), (len(plan.replies), "reply"), (len(plan.titles), "session name"),
        (len(plan.typed), "typed line"),
    )  # fmt: skip
    facts = len(plan.facts) + len(plan.earlier) + len(plan.others) + len(plan.insights)
    counted = [(number, name) for number, name in ((facts, "fact"), *said) if number]
    if sum(number for number, _ in counted) <= MOST:
        return asks
    return f"{asks} In all {_joined([count(number, name) for number, name in counted])}."


def how_much(plan: ForgetPlan) -> str:
    """How many facts, lines and replies would go, as a button has room for."""
    facts = len(plan.facts) + len(plan.others) + len(plan.insights)
    counted = ((facts, "fact"), (len(plan.lines), "line"), (len(plan.replies), "reply"))
    return ", ".join(count(number, name) for number, name in counted if number)


def _going(plan: ForgetPlan, most: int, few: int) -> list[str]:
    whole = {*plan.rests}
    facts = (_fact(one) for one in plan.facts if (one.id, one.fact) not in whole)
    stays = " (these stay, and still hold it)" if plan.keep_lines else ""
    return [
        *_listed("remembered", facts, most),
        *_listed("this stays of it", (f"#{key}  {one_line(text, WIDE)}" for key, text in plan.rests), most),
        *_listed("as it was before", (f"“{one_line(text, WIDE)}”" for text in plan.earlier), most),
        *_listed("remembered of the same, or from the same lines", map(_fact, plan.others), most),
        *_listed("concluded from it, and so gone with it", map(_fact, plan.insights), most),
        *_listed(f"said by you{stays}", map(_said, plan.lines), most),
        *_listed(f"replies that repeat it{stays}", map(_said, plan.replies), few),
        *_listed("names of sessions", (f"“{one_line(title, WIDE)}”" for title in plan.titles), few),
        *_listed("lines in the input history", (one_line(line, WIDE) for line in plan.typed), few),
    ]


def _staying(plan: ForgetPlan, most: int, few: int) -> list[str]:
    leaning = (_fact(one) if isinstance(one, Memory) else _said(one) for one in plan.leaning)
    apart = (_fact(one) for one in plan.apart if one not in plan.kept)
    return [
        *_kept(plan, most), *_listed("told in the same lines, and stays", apart, most),
        *_listed("may be about it, as it was told right after it, and stays", leaning, most),
        *_stays(plan.stays, few), *exported(plan.exports),
    ]  # fmt: skip


def _choices(plan: ForgetPlan, command: str) -> list[str]:
    """What to type to have more of it stay, or go."""
    choices = []
    if command and (plan.lines or plan.replies) and plan.facts and not plan.keep_lines:
        choices.append(f"  To keep what was said, and erase the facts alone, type: {command}--keep-lines")
    if command and plan.others:
        choices.append(f"  To keep the other facts, type: {command}--keep-others")
    if command and plan.leaning:
        keys = " ".join(f"{'' if isinstance(one, Memory) else 'line:'}{one.id}" for one in plan.leaning)
        choices.append(f"  To have what may be about it go too, type: {command}{keys}")
    return choices


def outcome(report: ForgetReport, *, everything: bool = False) -> Iterator[tuple[str, str]]:
    """What was erased, what was searched for it, and what stays: lines with the names of their styles."""
    counted = ((report.rows, "row"), (report.journal, "journal entry"), (report.turns, "line"),
               (report.replies, "reply"), (report.typed, "typed line"))  # fmt: skip
    told = ", ".join(count(number, name) for number, name in counted if number) or "nothing was left of it"
    yield f"- {'Everything is forgotten' if everything else 'Forgotten'}: {told}.", "-"
    if report.lines_kept:
        hold = "holds" if report.lines_kept == 1 else "hold"
        yield f"  What was said stays, as you chose: {count(report.lines_kept, 'line')} still {hold} it.", "warn"
    yield _proof(report, everything)
    yield from ((f"  {line}", "dim") for line in _stays(report.stays))
    yield from ((f"  {line}", "warn") for line in exported(report.exports))


def sentence(report: ForgetReport, *, everything: bool = False) -> str:
    """The outcome in one paragraph."""
    return " ".join(text.strip().removeprefix("- ") for text, _ in outcome(report, everything=everything))


_SEARCHED = {
    "database": "the database's bytes", "texts": "its rows (for short words)",
    "rows": "all rows of the encrypted database",
}  # fmt: skip


def _proof(report: ForgetReport, everything: bool) -> tuple[str, str]:
    if report.found_in:
        return f"  ! Something of it is still found in {', '.join(report.found_in)}; run `chatmem doctor`.", "bad"
    if not report.bytes_checked:
        return "  It could not be proven that no byte is left; run `chatmem doctor`.", "warn"
    where = _joined([_SEARCHED.get(one, f"the {one}") for one in report.searched])
    if everything:
        return f"  Searched for it afterwards: {where}. None of it was found.", "dim"
    what = "the erased sentences" if not report.words else (
        f"the erased sentences and {count(report.words, 'word')} that stood nowhere else"
    )  # fmt: skip
    inside = f" ({report.within} more only inside other words or ids.)" if report.within else ""
    stand = "stands" if report.elsewhere == 1 else "stand"
    beside = f" ({report.elsewhere} more {stand} elsewhere, in what stays.)" if report.elsewhere else ""
    none = "None was found."
    if report.quoted:
        there = "stands" if report.quoted == 1 else "stand"
        named = _joined([f"“{one_line(one, WIDE)}”" for one in report.own_quoted[:3]]) if report.own_quoted else ""
        which = f" ({named}{', ...' if len(report.own_quoted) > 3 else ''})" if named else ""
        none = f"{report.quoted} of the sentences still {there} in what stays{which}; nothing else was found."
    return f"  Searched for {what}: {where}. {none}{inside}{beside}", "dim"


def _listed(title: str, items: Iterable[str], most: int) -> list[str]:
    rows = list(items)
    if rows and not most:
        return [f"  {title}: {len(rows)}"]
    more = [f"    ... and {len(rows) - most} more"] if len(rows) > most else []
    return [f"  {title}:", *(f"    {row}" for row in rows[:most]), *more] if rows else []


def _fact(memory: Memory) -> str:
    gone = "" if memory.valid_to is None else " (no longer current)"
    return f"#{memory.id}  {one_line(memory.fact, WIDE)}{gone}"


def _said(turn: Turn) -> str:
    return f"{day(turn.said_at)}  {one_line(turn.text, WIDE)}"


def _stays(mentions: Sequence[Mention], most: int = MOST) -> list[str]:
    """Which names, numbers and rare words stand elsewhere, and where, in a line."""
    by_word: dict[str, list[Mention]] = {}
    for one in mentions:
        by_word.setdefault(one.word, []).append(one)
    rows = []
    for word, where in list(by_word.items())[:most]:
        facts = [f"#{key}" for key in dict.fromkeys(one.id for one in where if one.where == "fact")]
        old = [f"the history of #{key}" for key in dict.fromkeys(one.id for one in where if one.where == "history")]
        lines = len({one.id for one in where if one.where == "line"})
        places = [*facts[:5], *old[:3], *([count(lines, "other line")] if lines else [])]
        rows.append(f"“{word}” ({_joined(places)})")
    if len(by_word) > most:
        rows.append(count(len(by_word) - most, "more word" if rows else "word of it"))
    return [f"In what stays there is still {_joined(rows)}."] if rows else []


def exported(paths: Sequence[str]) -> list[str]:
    if not paths:
        return []
    named = ", ".join(paths)
    told = (
        f"Files that were written for you (exports, backups, tuned prompts) hold it, are yours, and stay: {named}. "
        "Delete them, or have them written anew."
    )
    return [told]


def count(number: int, name: str) -> str:
    plural = name[:-1] + "ies" if name.endswith(("ry", "ly")) else name + "s"
    return f"{number} {name if number == 1 else plural}"


def _joined(parts: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1]))) if parts else "nothing"
