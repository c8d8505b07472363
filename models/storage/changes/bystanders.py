"""Rows that a line can't end, whoever thinks so: who isn't spoken of is a chef as before.

The cross-encoder of `ended.py` reads one row at a time and doesn't know of whom a line tells: of "I quit the bakery" it
was as sure of "Jonas is a chef" as of the speaker's own job.
"""

from __future__ import annotations

from functools import lru_cache

from ....memory.language.facts.change_words import stands
from ....memory.language.facts.corrections import clauses, signals
from ....memory.language.facts.matters import parts
from ....memory.language.facts.over import apart_from_its_time, has_ended, idle
from ....memory.language.facts.put_right import days, may_put_right, rights
from ....memory.language.kinship import pattern, pets, plainly_related, relations
from ....memory.language.language import english
from ....memory.language.points import letters as re
from ....memory.language.third_person import verbs
from ....memory.language.told.numbered import counted_otherwise
from ....memory.language.words import terms, tokens
from ....memory.values import Memory
from ...prompts.messages import Line
from ..told.known_as import is_of_a_namesake
from .end_facts import days_told

_OWN_NAME = re.compile(r"The user['’]s name is \S|User is (?:called|named) ")


def stands_by(row: Memory, line: Line, before: str = "") -> bool:
    """Whether a line can't be about a row: that of the speaker's name, which the one who asks for names keeps, or one
    of somebody of whom a line doesn't speak that is all about the speaker, or one of what the line only names by the
    way, or counts, or has to do. `before`: the lines that it leans on."""
    if _OWN_NAME.match(row.fact) or _is_of_one_unnamed(row.fact, line, f"{before} {line.text}"):
        return True
    if (
        is_of_a_namesake(row.fact, line.text)
        or _is_of_another(row.fact, line)
        or (not before and _is_the_speakers(row.fact, line))
    ):
        return True
    if _is_of_another_day(row.fact, line, before) or _shares_its_time(row.fact, line):
        return True
    return not before and (_counts_otherwise(row.fact, line) or _is_only_named(row.fact, line) or _must(row.fact, line))


def _counts_otherwise(fact: str, line: Line) -> bool:
    """Whether the line counts something else than what the fact counts, and tells no end beside that: of "has three
    kids" in "six nights left. Then I see my kids"."""
    told = [one for one in _PIECES.split(line.text) if _things(fact, line) & {*terms(plainly_related(one))}]
    return counted_otherwise(fact, line.text) and not any(has_ended(one) or signals(one).any_change for one in told)


def _shares_its_time(fact: str, line: Line) -> bool:
    """Whether the line has nothing of a fact but what that tells the time by: of "goes to physio before their shift" in
    "my shift is over"."""
    shared = _things(fact, line) & {*terms(plainly_related(line.text))}
    return bool(shared) and not shared & {*terms(plainly_related(apart_from_its_time(fact)))}


def _is_only_named(fact: str, line: Line) -> bool:
    """Whether the line has of what somebody does nothing but the time or place of something else that they do: of
    "plays mahjong on Fridays" in "we have tea after the mahjong". What was done after it may have been its end."""
    if not _kinds(fact) or not _kinds(fact) <= {"does", "taste", "has"} or _ends_something(line.text):
        return False
    about = _things(fact, line)
    told = [one for one in clauses(line.text) if about & {*terms(one)}]
    aside = [about & {*terms(_BESIDE.sub(" ", one))} for one in told]
    now = not {word for one in told for word in tokens(one)} & verbs().past
    return bool(told) and now and not any(aside)


def _must(fact: str, line: Line) -> bool:
    """Whether a line has no word of what somebody wishes for, and tells what they have to do or to be: "wants to be a
    vet" in "for the dressing-up day I have to be an astronaut"."""
    if not stands("wishing", fact) or not stands("must", line.text) or _ends_something(line.text):
        return False
    return not {*terms(fact)} - {"want", "wish", "hope", "plan", "like"} & {*terms(line.text)}


def _is_of_another_day(fact: str, line: Line, before: str) -> bool:
    """Whether a fact tells a day or a date, the line others and not that one, and not a word else of the fact: "they
    cancelled the 28th" is no end of an appointment on the 20th, nor of runs on Mondays. On which day something ended
    ("sawed off on Friday") says nothing of which thing it was."""
    said = f"{before} {line.text}"
    mine, told = _days_of(fact), _days_of(_when().sub(" ", said))
    if not mine or not told or mine & (_days_of(said) | {*re.findall(r"\d+", said)}) or rights(line.text):
        return False
    if _MOVES.search(said) or stands("put_off", said) or stands("rescheduled", said):
        return False
    return not _things(fact, line) & {*terms(plainly_related(said))}


_MOVES = re.compile(
    r"\b(?:mov(?:ed?|es|ing)|chang(?:ed?|es|ing)|swap\w*|switch\w*|push\w*|shift\w*|put back"
    r"|brought forward|bumped|instead|now|nowadays"
    r"|(?:my|our|the) (?:day|days) off|free|from \w+ to)\b", re.IGNORECASE,
)  # fmt: skip
"""That something is on another day, or that a day is free: then it may be of any row with a day."""


@lru_cache(maxsize=1)
def _when() -> re.Pattern[str]:
    """When something was or will be: "on Friday", "since the 3rd", "last March"."""
    named = "|".join([*english().weekdays, *english().month_names])
    return re.compile(
        r"\b(?:on|since|last|this|next|from|until|till|by|in|for|before|after)(?: the)?"
        r"(?: \d+(?:st|nd|rd|th)?(?: of)?)?"
        rf" (?:(?:{named})s?\b(?: \d+(?:st|nd|rd|th)?)?|\d+(?:st|nd|rd|th)\b)", re.IGNORECASE,
    )  # fmt: skip


def _days_of(text: str) -> set[str]:
    """The days of the week, months and days of a month that a text tells, in stems and figures."""
    return days_told(text) | {number for one in days(text) for number in re.findall(r"\d+", one)}


def _ends_something(text: str) -> bool:
    return signals(text).any_change or has_ended(text)


def _things(fact: str, line: Line) -> set[str]:
    """The telling words of a fact, without names, days and words for who is whose."""
    names = {one for name in _NAME.findall(fact) for one in terms(name)}
    return {*terms(plainly_related(fact))} - {*terms(f"{line.speaker} user")} - names - days_told(fact) - idle()


def _kinds(fact: str) -> set[str]:
    return {matter.kind.split(".")[0] for part in parts(fact) for matter in part.matters}


_PIECES = re.compile(r"[,.;:!?]+\s")
_BESIDE = re.compile(r"\b(?:after|before|between|beside|besides|alongside|next to|apart from)(?: [\w'’-]+){1,3}", re.I)


def only_likely(row: Memory, line: Line) -> bool:
    """Whether a line may end a row and surely doesn't say so: what somebody hasn't used for long they still have ("I
    haven't been to the gym since May"), and who does something with the speaker is who they are ("Dr Lund has put me
    on antibiotics" of "Ana's doctor is Dr Lund")."""
    if _shares_a_day_alone(row.fact, line):
        return True
    if stands("lapsed", line.text) and not has_ended(line.text) and not _kinds(row.fact) & {"home", "job"}:
        return True
    who = _WHO.search(row.fact)
    does = re.search(rf"\b{re.escape(who['name'])}{_WITH_ME}", line.text) if who else None
    return does is not None and not signals(line.text[does.start() :]).ends


def _shares_a_day_alone(fact: str, line: Line) -> bool:
    """Whether a line has nothing of a fact but its day, and tells no end: "Mondays are awful since the new boss came"
    of "takes piano lessons on Mondays"."""
    said = signals(line.text)
    if said.ends or said.corrects or has_ended(line.text) or _MOVES.search(line.text) or _OFF.search(line.text):
        return False
    if not days_told(fact) & days_told(line.text):
        return False
    return not _things(fact, line) & {*terms(plainly_related(line.text))}


_OFF = re.compile(r"\bdays? off\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days? off\b", re.IGNORECASE)


def born_on(row: Memory, line: Line) -> bool:
    """Whether a row tells a birthday, and the line another day without a word for one: "the midwife says the 9th now,
    not the 14th" is of what is due, and nobody's birthday moves."""
    birth = english().words("dates", "of_birth")
    return bool({*tokens(row.fact)} & birth and days(line.text)) and not {*tokens(line.text)} & birth


_WITH_ME = r"(?: has|['’]s)? [a-z]+(?:ed|t)? (?:me|my|us|our) [a-z]"
_WHO = re.compile(r"(?:\bis|\bnamed|\bcalled|\bhas)(?: [A-Z][a-z]{0,3}\.?)? (?P<name>[A-Z][\w’'-]*\w)\.?$")


def _is_of_another(fact: str, line: Line) -> bool:
    """Whether a line begins with somebody whom a fact about others doesn't name, has no word for a change, an end or a
    slip, and none of the fact's own: "and Finn's two" after "Isla's four"."""
    begun = _BEGINS.match(line.text)
    if begun is None or begun["name"] in fact or not {*_NAME.findall(fact)} - {line.speaker, f"{line.speaker}'s"}:
        return False
    if signals(line.text).any_change or has_ended(line.text) or may_put_right(line.text) or relations(line.text):
        return False
    return not ({*terms(fact)} - {*terms(line.speaker)}) & {*terms(line.text)}


_BEGINS = re.compile(r"(?:(?:and|also|oh|so),? )*(?P<name>[A-Z][\w-]+)(?:['’]s| is| has| [a-z]+s)\b")


def _is_the_speakers(fact: str, line: Line) -> bool:
    """Whether a fact tells what the speaker takes or likes, and a line begins with somebody else, has no word of the
    speaker, and none of the fact but times of day: "is on amlodipine at night" in "our Susan's had enough of the
    wards, no more nights"."""
    begun = _SOMEBODY.match(line.text)
    if begun is None or {*tokens(line.text)} & _ME:
        return False
    if begun["name"] and begun["name"].lower() not in english().words("given", "names"):
        return False
    own = re.match(rf"(?:User|{re.escape(line.speaker)}) (?:also |still |now )?(?P<does>.*)", fact)
    if own is None or not _ONES_OWN.match(own["does"]) or relations(fact) or _NAME.search(fact):
        return False
    about = {*terms(fact)} - {*terms(f"{line.speaker} user")} - days_told(fact) - idle() - _TIMES
    return not about & {*terms(line.text)}


def _is_of_one_unnamed(fact: str, line: Line, said: str) -> bool:
    """Whether a fact is of somebody by name, and what was said names nobody of theirs, no relation, no "she", no "we",
    and none of the fact's other words."""
    holder, words = parts(fact)[0].holder, {*tokens(said)}
    named = any(one in holder.names for one in tokens(fact)[:1] if fact[:1].isupper()) or bool(holder.roles)
    mine = holder.names & {*tokens(line.speaker), "user"} or holder.names <= english().stop
    if not named or not holder.names or mine or words & (holder.names | _others()) or relations(said):
        return False
    about = {*terms(plainly_related(fact))} - {*terms(f"{line.speaker} user")} - idle()
    return not about & {*terms(plainly_related(said))}


def without_a_sign(row: Memory, line: Line, before: str = "") -> bool:
    """Whether a line has neither a word of a row, names, kin and days aside, nor one for a change, an end or a slip:
    what the cross-encoder was sure of in such lines was right for two of seven facts of eighteen lives, else for three
    of four. `before`: the lines that it leans on."""
    if signals(line.text).any_change or has_ended(line.text) or may_put_right(line.text):
        return False
    names = {one for name in [*_NAME.findall(row.fact), *relations(row.fact)] for one in terms(name)}
    about = {*terms(plainly_related(row.fact))} - {*terms(f"{line.speaker} user")} - names - days_told(row.fact)
    return not about & {*terms(plainly_related(f"{before} {line.text}"))}


_NAME = re.compile(r"(?<!^)\b[A-Z][\w’'-]*")


_SOMEBODY = re.compile(
    rf"(?i:(?:well|so|and|oh|now|anyway),? )*(?:(?i:our|my) (?:[a-z]+ )?(?:(?i:{pattern(english())})\b|[A-Z][a-z])"
    r"|(?P<name>[A-Z][a-z][\w-]*)(?:['’]s|,| (?=[a-z])))"
)
_ONES_OWN = re.compile(
    r"(?:is|has been) (?:allergic to|taking|on (?![\w-]+ (?:shifts?|leave|duty|call|holidays?|nights?|days?)\b))|takes "
    r"|(?:can['’]t|cannot|doesn['’]t|does not) (?:eat|drink|like|stand)\b|(?:hates|dislikes|likes|loves|prefers) "
)
"""Of a fact that tells what one takes, can't eat or likes, which nobody else ends."""
_ME = frozenset(
    {"i", "me", "we", "us", "mine", "ours", "myself", "i'm", "i've", "i'd", "i'll", "we're", "we've", "we'll"}
)
_TIMES = frozenset({"morning", "night", "evening", "day", "week", "month", "year", "time", "today", "tonight"})


@lru_cache(maxsize=1)
def _others() -> frozenset[str]:
    """Words that may stand for somebody else, alone or with the speaker: "she", "we", "the dog"."""
    return english().words("words", "third_person") | english().first_person_plural | pets()
