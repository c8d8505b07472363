"""What happens when somebody wants something forgotten: all that holds it is shown once, and one yes erases it.

`/forget` and plain words ("please forget my locker number") come here; the planning is the memory's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from ...memory.errors import InputError, ModelError, NotFound
from ...memory.forget import typed
from ...memory.forget.asking import Wish, points_back, wish_for, wish_of
from ...memory.forget.orders.again import wants_back
from ...memory.forget.orders.beside import brings_news
from ...memory.forget.wanted.picked import picked
from ...memory.forget.wanted.sharing import names_other, sharing
from ...memory.forget.wanted.unread import is_vague, seems_to_wish
from ...memory.language.asked.telling import asks
from ...memory.language.detect import language_of
from ...memory.language.language import Language
from ...memory.language.told.promises import claimed_forgetting
from ...memory.language.typed.texting import typed_out
from ...memory.values import ASSISTANT, FORGOTTEN, ForgetPlan, Memory, Recall, Turn
from ...models.embedder.punctuation.restored import with_marks
from ..shown.choices import KEEP_LINES, KEEP_OTHERS, agreed, declined, waits
from ..shown.events import Asked, Event, Forgotten, Notice, Untyped
from ..shown.forgetting import (
    GONE,
    UNKEPT,
    UNREAD,
    UNSURE,
    UNSURE_AGAIN,
    all_but,
    nothing,
    nothing_of,
    perhaps,
    question,
)
from .state import ChatState

if TYPE_CHECKING:
    from ...models.chat.direct import Direct
    from ...models.chat.forgetting.wished import Wishes

ALONE = "Only the wish to forget was taken from that line; say the rest in a line of its own."
TOGETHER = "Nothing is erased: what you name can't go without what is to stay."
KEEP_APART, YES = "--keep-apart", "--yes"
EVERYTHING = "everything"
"""What agrees to losing the whole memory where words asked for it: who says yes by habit may have meant one matter."""
LOOKED_AT = 16
"""Facts that search finds for a wish in words of its own, of which it is asked whether they are meant."""
SOON = 1
"""Lines since something was erased, behind which it may be wanted back."""
NEAREST = 3
"""Facts that are named where nothing holds the words of a wish."""
TELLS = 4
"""Words beside a wish from which on they may tell something: "oh no." does not."""
PART = "."
"""Between a fact and the number of a statement in it: `/forget 12.2`."""
LINE = "line:"
"""Before the number of a line: `/forget 12 line:30`."""


_POINTS = re.compile(r"\b(?:it|that|this)\b(?! (?:i|we|my|our)\b)", re.IGNORECASE)
"""With which a wish may mean what was said right before it."""
POINTING = 2.0
"""How far the model must then be above its bound, as no known fact speaks for a wish: of 64 unread ones that point 60
are, of seven lines of talk that it took for one four ("I don't talk about myself much so... sorry if this comes in
pieces" is none)."""


def answers(c: ChatState, text: str, asked: Asked | None) -> Iterator[Event] | None:
    """What a line does at the question that is open (`asked`), as "only the first one": it is asked anew of what that
    picks. By a no it is closed; by half an answer, as "hm, maybe", it stays open. None for any other line."""
    plan = asked.plan if asked is not None else None
    if plan is not None and (answer := _picked(c, text, plan)) is not None:
        return iter([answer])
    if asked is not None and agreed(asked, text) is False:
        return iter([Notice(declined(asked))])
    if asked is None or not (more := waits(asked, text)):
        return None
    c.offered = asked
    return iter([Notice(more), asked])


def goes_on(line: str, asked: Asked | None) -> bool:
    """Whether a command does what a question (`asked`) is about, or asks it with other options."""
    if asked is None or asked.plan is None:
        return asked is not None and line.startswith(asked.again)
    shown = {str(one.id) for one in asked.plan.facts} | _keys(asked.again)
    return re.match(r"/forget\s", line, re.IGNORECASE) is not None and not shown.isdisjoint(_keys(line))


def _keys(line: str) -> set[str]:
    """The facts and lines that a command names by number; of a statement its fact."""
    keys = (word.lstrip("#") for word in line.replace(",", " ").split()[1:] if _number(word))
    return {key if key.startswith(LINE) else key.partition(PART)[0] for key in keys}


def wishes(c: ChatState, text: str) -> Iterator[Event] | None:
    """What a line of talk does that wishes something forgotten; None for talk. Raises InputError where nothing may be
    forgotten.

    What is no sure wish ("delete my salary") is one where the memory holds it, and "forget it" right after something
    was told.
    """
    language = language_of(text, c.settings.language, thorough=False)
    wish = wish_of(text, language)
    if wish is None and wants_gone_back(c, text):
        return None
    if wish is None and points_back(text, language):
        return _just_told(c)
    if wish is None or (not wish.sure and (c.incognito or _plan(c, wish).empty)):
        return _in_other_words(c, text, language)
    if wish.kind == "matter" and not wish.told and not c.incognito and _plan(c, wish).empty:
        model, before = _reads_wishes(c, language), _said_before(c, text)
        if not wish.alone or (model is not None and _is_talk(model, text, before)):
            return None  # "Forget Berlin. We're going to Lisbon in May"
        if model is not None and (meant := _meant(c, model, text, before)):
            return iter([_ask_nearly(c, meant)])
    return wished(c, wish)


def _picked(c: ChatState, text: str, offered: ForgetPlan) -> Event | None:
    """The question anew, of what an answer picks of what was shown; None where it is none. Nothing is asked about that
    was not shown, nor what is to stay."""
    shown = (*offered.facts, *offered.others)
    some = None if c.incognito or offered.user_id != c.user.id else picked(text, shown)
    if some is None or "forget" in c.closed:
        return None
    parts = tuple(part for part in offered.asked_parts if part[0] in some)
    try:
        plan = c.store.forget.plan(c.user.id, some, keep_lines=offered.keep_lines, keep_others=True, parts=parts)
    except NotFound:  # it was erased meanwhile
        return None
    goes = {one.id for one in (*plan.facts, *plan.others)}
    unshown = tuple(one for one in plan.apart if one not in shown)  # of the others it is just said that they stay
    return _ask(c, replace(plan, apart=unshown)) if goes == {*some} else Notice(TOGETHER)


def unread(c: ChatState, recall: Recall) -> Direct | None:
    """The reply to a line of talk that wants back what was erased, or that seems to wish something forgotten, in words
    that weren't understood."""
    from ...models.chat.direct import Direct

    if wants_gone_back(c, recall.query):
        return Direct(GONE, replace(recall, items=()))
    language = language_of(recall.query, c.settings.language, thorough=False)
    if not seems_to_wish(recall.query, language):
        return None
    model = _reads_wishes(c, language)
    talks = model is not None and _is_talk(model, recall.query, _said_before(c, recall.query))
    return None if talks else Direct(UNREAD, replace(recall, items=()))


def wants_gone_back(c: ChatState, text: str) -> bool:
    """Whether a line wants back what was just erased for good: after other talk, "I want it back" is of something
    else."""
    since = sum(one.speaker != ASSISTANT and one.id > c.erased_after for one in c.recent)
    if c.incognito or c.erased_of != c.name or since > SOON:
        return False
    return wants_back(text, language_of(text, c.settings.language, thorough=False))


def _in_other_words(c: ChatState, text: str, language: Language) -> Iterator[Event] | None:
    """The question whether to erase what a line means which wishes it forgotten in words of its own: facts, or what was
    told right before. None for talk, and where it means nothing that is known."""
    model, before = _reads_wishes(c, language), _said_before(c, text)
    if model is None or not _is_wish(model, text, before):
        return None
    meant = _meant(c, model, text, before)
    if not meant:
        points = _POINTS.search(text) and not names_other(text, before) and _is_wish(model, text, before, POINTING)
        return _just_told(c, text) if points else None
    tells = len(model.without(text, language, before, above=0.0).split()) >= TELLS
    events: list[Event] = [Notice(ALONE)] if tells else []
    return iter([*events, _ask_nearly(c, meant, text)])


def _meant(c: ChatState, model: Wishes, text: str, before: str) -> tuple[int, ...]:
    """The facts that a wish means, by what search finds near it."""
    near = _near(c, text, before)
    with suppress(ModelError):
        return tuple(near[at].id for at in model.meant(text, [one.fact for one in near], before))
    return ()


def _nearest(c: ChatState, model: Wishes, text: str, before: str) -> list[Memory]:
    """The few facts that a wish comes nearest to, where it surely means none."""
    near = _near(c, text, before)
    with suppress(ModelError):
        return [near[at] for at in model.nearest(text, [one.fact for one in near], before)]
    return []


def _near(c: ChatState, text: str, before: str) -> Sequence[Memory]:
    found = c.store.search(c.user.id, f"{before} {text}".strip(), limit=LOOKED_AT, use_turns=False)
    return sharing(text, found.memories)


def _ask_nearly(c: ChatState, meant: Sequence[int], line: str = "") -> Event:
    """The question about facts that no words of a wish name. `line`: as of `Asked`."""
    plan = replace(c.store.forget.plan(c.user.id, tuple(meant), keep_apart=True), near=True)
    return _ask(c, plan, line=line)


def _reads_wishes(c: ChatState, language: Language) -> Wishes | None:
    """The small model that reads wishes to forget; None where nothing may be forgotten, and where it is not there,
    can't be used or wasn't trained."""
    from ...models.chat.forgetting.wished import knows, wishes

    with suppress(ModelError):
        return None if c.incognito or "forget" in c.closed or not knows(language) else wishes()
    return None


def _is_wish(model: Wishes, text: str, before: str, above: float = 0.0) -> bool:
    """No model that fails keeps a line from being talk."""
    with suppress(ModelError):
        return model.is_wish(text, before, above)
    return False


def _is_talk(model: Wishes, text: str, before: str) -> bool:
    with suppress(ModelError):
        return model.is_talk(text, before)
    return False


def _said_before(c: ChatState, text: str) -> str:
    """The user's line before this one."""
    said = [turn.text for turn in c.recent if turn.speaker != ASSISTANT and turn.text != FORGOTTEN]
    return next((one for one in reversed(said) if text not in (one, typed_out(with_marks(one)))), "")


def unkept(reply: str, *, again: bool = False) -> Iterator[Event]:
    """That nothing was forgotten, where a model's reply says so; `again`: something was, before."""
    if claim := claimed_forgetting(reply):
        nothing_was = "by this line nothing more was" if again else "nothing was"
        yield Notice(f"The reply says “{claim}”, but {nothing_was} forgotten; /forget WORDS erases it.", "warning")


def undone(c: ChatState, turn: Turn, reply: Turn | None) -> Iterator[Event]:
    """That nothing was forgotten, where a reply says so, or where a line that was answered as talk may wish it."""
    told = reply.text if reply else ""
    if told == GONE:
        return
    again = c.erased_of == c.name
    claims = list(unkept(told, again=again))
    yield from claims
    model, before = _reads_wishes(c, language_of(turn.text, c.settings.language, thorough=False)), ""
    if claims or model is None or not _is_wish(model, turn.text, before := _said_before(c, turn.text)):
        return
    near, unsure = _nearest(c, model, turn.text, before), UNSURE_AGAIN if again else UNSURE
    unsure = "" if told == UNREAD else unsure
    if unsure or near:
        yield Notice(perhaps(near, unsure))


def _just_told(c: ChatState, line: str = "") -> Iterator[Event] | None:
    """The question whether to erase what was told or noted last; None where that was nothing. `line`: as of `Asked`."""
    if c.incognito or "forget" in c.closed:
        return None
    if c.noted is not None:
        return iter([_ask(c, c.store.forget.plan(c.user.id, (c.noted,)), line=line)])
    turn, _ = c.last_exchange()
    if turn is None or turn.text == FORGOTTEN:
        return None
    waits = any(job.turn_id == turn.id for job in c.worker.jobs) or c.store.turns.get(turn.id).storage == "pending"
    language = language_of(turn.text, c.settings.language, thorough=False)
    if c.store.journal.turn_writes(turn.id, user_id=c.user.id) or (waits and not asks(turn.text, language)):
        return iter([_ask(c, c.store.forget.plan(c.user.id, line_ids=(turn.id,)), line=line)])
    return None


def _plan(c: ChatState, wish: Wish) -> ForgetPlan:
    turn, _ = c.last_exchange()
    plan = c.store.forget.wished(c.user.id, wish, last_line=turn.id if turn else None)
    if not plan.empty or wish.kind != "matter" or wish.told or not wish.sure:
        return plan
    near = c.store.search.alone_near(c.user.id, wish.said or wish.words)
    return plan if near is None else replace(c.store.forget.plan(c.user.id, (near,), keep_apart=True), near=True)


def wished(c: ChatState, wish: Wish, *, yes: bool = False) -> Iterator[Event]:
    """Shows what a wish would erase, and asks, or (`yes`) erases it: all that there is is never erased unasked. Raises
    InputError where nothing may be forgotten."""
    if "forget" in c.closed:
        raise InputError(c.closed["forget"])
    if c.incognito:
        raise InputError("Incognito is on, and forgetting needs the memory; /incognito off turns it off.")
    if wish.kind == "whole":
        yield Notice(all_but(wish.keeping)) if wish.keeping else ask_for_all(c, word=EVERYTHING)
        return
    plan = _plan(c, wish)
    if not wish.alone or (plan.empty and not wish.told and any(map(brings_news, c.wished))):
        yield Notice(ALONE)
    if plan.empty and wish.told:
        yield _untyped(c, UNKEPT)
    elif yes and not plan.empty and plan.sure:
        yield Forgotten(c.forget(plan))
    else:
        yield _ask(c, plan, wish.words)


def _untyped(c: ChatState, text: str) -> Notice:
    """What is told of a wish that nothing holds. It says itself what it wants kept nowhere, so it is taken out of what
    was typed, too; but no line that may be talk ("forget mum, dad is ill")."""
    lines = [line for line in c.wished if text == UNKEPT or line.startswith("/") or not brings_news(line)]
    with suppress(OSError):
        if typed.prune(c.store.forget.beside.typed_by(c.user.name), typed.just(lines)):
            return Untyped(text)
    return Notice(text)


def asked_for(c: ChatState, rest: str) -> Iterator[Event]:
    """`/forget`: numbers of memories (and `line:30`), or words; `--yes` erases, else it is shown and asked."""
    words = rest.replace(",", " ").split()
    flags = {word for word in words if word in (KEEP_LINES, KEEP_OTHERS, KEEP_APART, YES)}
    keys = [word for word in words if word not in flags]
    if not keys:
        raise InputError("Write what to forget: /forget 12, or words to find it by: /forget my old job.")
    if not all(_number(key) for key in keys):
        text = " ".join(word for word in rest.split() if word not in flags)
        yield from wished(c, wish_for(text), yes=flags == {YES})  # of what shall stay it is asked
        return
    named = [key.lstrip("#").partition(PART) for key in keys if not key.startswith(LINE)]
    facts = tuple(dict.fromkeys(int(key) for key, _, _ in named))
    parts = tuple((int(key), int(place) - 1) for key, _, place in named if place)
    lines = tuple(dict.fromkeys(int(key.removeprefix(LINE)) for key in keys if key.startswith(LINE)))
    try:
        plan = c.store.forget.plan(
            c.user.id, facts, line_ids=lines, keep_lines=KEEP_LINES in flags, keep_others=KEEP_OTHERS in flags,
            parts=parts, keep_apart=KEEP_APART in flags,
        )  # fmt: skip
    except NotFound:  # "/forget 4471" may mean the number itself
        if flags or lines or len(keys) > 1:
            raise
        plan = c.store.forget.wished(c.user.id, Wish("matter", keys[0]))
        if plan.empty:
            raise
    if YES not in flags:
        yield _ask(c, plan)
        return
    yield Forgotten(c.forget(plan))


def _number(key: str) -> bool:
    return bool(re.fullmatch(rf"#?\d+(?:\{PART}\d+)?|{LINE}\d+", key))


def _ask(c: ChatState, plan: ForgetPlan, words: str = "", line: str = "") -> Event:
    """The question; where nothing holds the words, what is nearest to them. `line`: as of `Asked`."""
    if plan.empty and plan.kept:
        return Notice(nothing_of(plan))
    if plan.empty and words and is_vague(words):
        return Notice(UNREAD)
    if plan.empty:
        near = c.store.search(c.user.id, words, limit=NEAREST, use_turns=False, floor=True).memories if words else ()
        return _untyped(c, nothing(near))
    command = _command(plan)
    c.offered = Asked(question(plan, f"{command} "), f"{command} {YES}", plan, line=line)
    return c.offered


def _command(plan: ForgetPlan) -> str:
    """The line that asks for just this."""
    some = {key for key, _ in plan.asked_parts}
    keys = [str(key) for key in plan.asked_facts if key not in some]
    keys += [f"{key}{PART}{place + 1}" for key, place in plan.asked_parts]
    keys += [f"{LINE}{key}" for key in plan.asked_lines]
    chosen = (KEEP_LINES, plan.keep_lines), (KEEP_OTHERS, plan.keep_others), (KEEP_APART, plan.keep_apart)
    flags = [flag for flag, on in chosen if on]
    return " ".join(["/forget", *keys, *flags])


def ask_for_all(c: ChatState, word: str = "") -> Asked:
    """The question before everything of a user is forgotten; `word`: what agrees to it, where no yes does."""
    user = c.user
    count, sessions = len(c.store.facts.all(user.id)), len(c.store.sessions.all(user.id))
    held = f"{count} memor{'y' if count == 1 else 'ies'}, {sessions} session{'' if sessions == 1 else 's'}"
    c.offered = Asked(f"Forget everything of {user.called or user.name} for good: {held}?", "/reset --yes", word=word)
    return c.offered
