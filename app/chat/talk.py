"""One line of talk, end to end: kept, recalled for, answered, handed to the storage worker."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from ...memory.errors import InputError, ModelError, NotFound
from ...memory.language.detect import language_of
from ...memory.language.leaning.lines import leans
from ...memory.language.own_name import NAMES, ToldName, agrees, agrees_first, takes_name, told_name, without_fine
from ...memory.language.quoted.whose import own_words, whose
from ...memory.language.told.promises import claimed_save
from ...memory.language.typed.texting import typed_out
from ...memory.store.writing import new_batch
from ...memory.values import ASSISTANT, FORGOTTEN, OWN_NAME, Recall, StorageState, Turn, TurnStatus
from ...models.chat.honest import checked
from ...models.chat.notes import without_told, without_turns
from ...models.chat.told.worldly import shorter
from ...models.embedder.punctuation.restored import with_marks
from ...models.lm import Chunk
from ...models.storage.parts import parts_of
from ..config.safe_text import clipped, storable
from ..config.zone import Here
from ..shown.events import (
    Asked,
    ChangeAsked,
    ClaimUnkept,
    Event,
    FactAsked,
    Failed,
    MemoryWritten,
    NameAsked,
    Notice,
    Recalled,
    ReplyChunk,
    ReplyFinished,
    ReplyStarted,
    ReplyStopped,
    ReplyThought,
    TurnSaved,
    UserChanged,
)
from . import forgetting
from .hops import Keeper, looked
from .parts import announced, of_a_cut_line
from .pump import Pump
from .roles import Agents
from .state import ChatState
from .worker import Job
from .yes_no import settle, settle_fact, told_after_all

if TYPE_CHECKING:
    from ...models.chat.direct import Direct

THOUGHT_CHARS = 40
"""Of what a model thinks, so much is told at once."""
ONCE_MORE = 8
"""Words behind a yes that may say no more than what was asked."""
SHOW_EVERY = 0.08
"""Seconds between two commits of a reply that is being written: each piece is committed before it is shown."""


def talk(c: ChatState, text: str, passed: Asked | None = None) -> Iterator[Event]:
    """Answers a line. The line is committed before a model sees it. `passed`: the question to erase that it passes by.

    A bare "yes" or "no" after a question (for the user's name, about a memory that may be over) answers it and is no
    talk. A yes that goes on answers the second kind and is kept as a line; one that only says once more what was asked
    isn't read for facts. A wish to forget something is no talk either: it would keep what is to go.
    """
    asked = c.questions.take()
    named = isinstance(asked, NameAsked) and not c.incognito and takes_name(text, asked.name)
    agreed = True if isinstance(asked, NameAsked) and named and not without_fine(text, asked.name) else agrees(text)
    if asked is not None and not c.incognito and agreed is not None:
        return (yield from _settled(c, asked, agreed))
    if (forgets := forgetting.wishes(c, text)) is not None:
        yield from forgets
        return
    yield from told_after_all(c, passed)
    storage: StorageState = "skipped" if forgetting.wants_gone_back(c, text) else "pending"
    if isinstance(asked, ChangeAsked) and not c.incognito and (rest := agrees_first(text)) is not None:
        yield from settle(c, asked, True)
        if leans(rest) and len(rest.split()) <= ONCE_MORE:  # "it's 2 out of 10 now" would end another row
            storage = "skipped"
    elif isinstance(asked, NameAsked) and named:
        yield from _named(c, asked)
    c.noted = None
    yield from c.ensure_session(text)
    batch = new_batch()
    name = _new_name(c, text)
    turn = c.keep(name or c.user.subject, text, storage=storage)
    yield TurnSaved(turn)
    yield from _learn_name(c, turn, name, batch)
    yield from _keep_name(c, turn, batch)
    yield from _of_a_long_line(c, text)
    yield from answer(c, turn)
    yield from _ask_name(c, turn)


def _settled(c: ChatState, asked: NameAsked | ChangeAsked | FactAsked, agreed: bool) -> Iterator[Event]:
    if isinstance(asked, FactAsked):
        yield from settle_fact(c, asked, agreed)
    elif isinstance(asked, ChangeAsked):
        yield from settle(c, asked, agreed)
    else:
        yield from _named(c, asked) if agreed else iter([Notice("Then no name is kept.")])


def _of_a_long_line(c: ChatState, text: str) -> Iterator[Event]:
    """What is done with a message that is read for facts in parts."""
    parts = parts_of(own_words(text, c.user.subject), c.settings.line_chars)
    if parts.several and not c.incognito:
        yield Notice(announced(text, parts))


def _told(c: ChatState, text: str) -> ToldName | None:
    if c.incognito:
        return None
    own, quoted = whose(clipped(text, c.settings.line_chars), c.user.called or "")
    told = told_name(own, language_of(own, c.settings.language, thorough=False))
    if told is None or not told.plainly:
        return told
    sure = told.in_words or c.user.called in (None, told.name)  # "Max here" on Ana's machine may be a guest
    return told if sure and not quoted else replace(told, plainly=False, in_words=True)


def _new_name(c: ChatState, text: str) -> str | None:
    """The name that a line plainly tells, when it is another than the one that the user goes by."""
    told = _told(c, text)
    return told.name if told and told.plainly and told.name != c.user.called else None


def _ask_name(c: ChatState, turn: Turn) -> Iterator[Event]:
    """Asks back for a name that isn't told plainly; from those who have told one only where it is told as a name."""
    told = _told(c, turn.text)
    if told is None or told.plainly or told.name == c.user.called or (c.user.called and not told.in_words):
        return
    text = f"Shall I call you {told.name}? Say yes, or just go on."
    if c.questions.ask(asked := NameAsked(text, name=told.name, turn_id=turn.id)):
        yield asked


def _named(c: ChatState, asked: NameAsked) -> Iterator[Event]:
    """Takes a name that was asked for; the line that may have told it is where it comes from."""
    batch = new_batch()
    with suppress(NotFound):  # the line may have been erased in between, and the name with it
        turn = c.store.turns.get(asked.turn_id, user_id=c.user.id)
        told = _told(c, turn.text)
        if told is not None and told.name == asked.name:
            yield from _learn_name(c, turn, asked.name, batch)
            yield from _keep_name(c, turn, batch)


def _learn_name(c: ChatState, turn: Turn, name: str | None, batch: str) -> Iterator[Event]:
    if name is None:
        return
    before = c.user.called
    with c.worker.still():  # a line that is being stored is stored under the old name, and then renamed with the rest
        c.set_user(c.store.users.call(c.user.id, name, turn_id=turn.id, batch=batch))
    yield UserChanged(c.user, told=True, before=before)


def _keep_name(c: ChatState, turn: Turn, batch: str) -> Iterator[Event]:
    """The told name as a fact, in the words that the storage model is trained to use, so that neither writes a second.

    Without it, it would hang on the model whether the name can be found, corrected and forgotten like all else.
    """
    told = _told(c, turn.text)
    if told is None or told.name != c.user.called:
        return
    fact = f"{OWN_NAME}{told.name}."
    entry = c.store.facts.remember(
        c.user.id, c.user.subject, "name", fact, turn_ids=[turn.id], author=NAMES, said_at=turn.said_at, batch=batch
    )
    if entry.batch == batch:
        yield MemoryWritten(turn.id, (entry,))


def answer(c: ChatState, turn: Turn, reply_id: int | None = None, attempt: int = 0) -> Iterator[Event]:
    """Replies to `turn`; with `reply_id` the reply takes the place of that earlier one.

    All slow work is in the pump's thread, so that the user can stop it in any phase: loading, looking up, replying.
    """
    c.thought = ""
    c.reread_recent()
    pump, keeper = Pump(lambda: _work(c, turn, attempt)), Keeper(c, turn, reply_id)
    c.pump, last = pump, list[Chunk]()
    failure: ModelError | None = None
    loaded, begin = False, time.perf_counter()
    writing = begin
    c.worker.pause()
    try:
        for piece in _pieces(pump, last):
            if isinstance(piece, str):
                yield from _thoughts(c, keeper)
                keeper.add(piece)
                if keeper.gone:
                    break
                yield ReplyChunk(piece)
            else:
                loaded = True
                c.thought += piece.text if isinstance(piece, ReplyThought) else ""
                writing = time.perf_counter() if isinstance(piece, ReplyStarted) else writing
                if isinstance(piece, Recalled):
                    c.recalled(piece.recall, turn)
                    keeper.saw(piece.recall)
                yield piece
    except ModelError as error:
        failure = error
    finally:
        pump.stop()
        c.pump = None
        c.agents.cancel()
        c.worker.resume()
    now = time.perf_counter()
    yield from _ended(c, turn, keeper, pump, last, (now - begin, now - writing), failure)
    if loaded or not failure:  # models that don't load don't store either: the line waits for the next start
        yield from _store(c, turn, keeper.turn)


def _thoughts(c: ChatState, keeper: Keeper) -> Iterator[Event]:
    """What the model thought, before the first word of its reply, where the user wants to see it."""
    if c.settings.show_thinking and c.thought.strip() and not keeper.text:
        yield Notice(f"(thinks) {c.thought.strip()}")


def _work(c: ChatState, turn: Turn, attempt: int) -> Generator[Event | Chunk, None, None]:
    """What the pump's thread does: load, look up, reply. Raises ModelError."""
    agents = c.agents.get()
    with agents.turn() as mine:
        if mine:
            yield from answered(c, agents, turn, attempt)


def answered(c: ChatState, agents: Agents, turn: Turn, attempt: int = 0) -> Generator[Event | Chunk, None, None]:
    """What is recalled for a line, and the reply piece by piece; nothing is kept. Raises ModelError."""
    text = clipped(turn.text, agents.profile.line_chars)
    yield from of_a_cut_line(turn.text, text)
    yield from c.of_its_language(text, agents.profile)
    if not agents.profile.capable and _in_english(c, text):
        text = typed_out(with_marks(text))
    recall = Recall(text)
    if not c.incognito:
        begin = time.perf_counter()
        recall, trouble = _recall(c, agents, text)
        if trouble:
            yield trouble
        recall = without_turns(recall, {turn.id})
        read_off = _read_off(c, recall, agents) if not attempt else None
        if read_off:
            recall, concluded = replace(read_off.recall, read_off=bool(read_off.text)), ""
        else:
            recall, concluded = yield from looked(c, agents, turn, recall)
        if not recall.read_off:
            recall = without_told(recall, turn.id, c.store.facts.evidence([one.id for one in recall.memories]))
        yield Recalled(recall, time.perf_counter() - begin)
        if read_off and read_off.text:
            yield ReplyStarted("memory")
            yield Chunk(read_off.text, "stop")
            return
        if concluded:
            yield ReplyStarted(agents.model)
            yield Chunk(concluded, "stop")
            return
    yield ReplyStarted(agents.model)
    told, recent = material(c, agents, turn, recall)
    reply = agents.answer.reply(c.user, told, recent, text, c.now(), attempt=attempt)
    if _in_english(c, text):
        reply = checked(reply, agents.profile, recall, recent, c.user.subject)
    yield from shorter(reply, [turn.text for turn in c.recent if turn.speaker == ASSISTANT])


def _in_english(c: ChatState, text: str) -> bool:
    return language_of(text, c.settings.language, thorough=False).code == "en"


def material(c: ChatState, agents: Agents, turn: Turn, recall: Recall) -> tuple[Recall, Sequence[Turn]]:
    """What of the recall and of the talk belongs in the prompt for a line. A model that is shown as much of the talk as
    fits leaves out by itself what it sees twice."""
    recent = c.recent_for(turn, agents.profile)
    if agents.profile.prompts == "plain":
        return recall, recent
    return without_turns(recall, {each.id for each in recent}), recent


def _read_off(c: ChatState, recall: Recall, agents: Agents) -> Direct | None:
    """The reply that the memory itself gives, without a model, or what a model is to reply from; asked for again
    (`/regenerate`), a model replies from all."""
    from ...models.chat.reader.instead import instead

    if (unread := forgetting.unread(c, recall)) is not None:
        return unread
    language = language_of(recall.query, c.settings.language, thorough=False)
    return instead(
        c.store, c.user, recall, language, before=c.last_recall, zone=Here(), capable=agents.profile.capable,
        reads="itself" if agents.hops is not None else agents.reads,
    )  # fmt: skip


def _recall(c: ChatState, agents: Agents, query: str) -> tuple[Recall, Notice | None]:
    """The recall, by plain search when the retrieval model fails."""
    user, now = c.user, c.now()
    try:
        found = agents.retrieval.recall(user, query, now=now, asker=user.subject, before=c.leant_on())
        return found, c.by_words()
    except ModelError as error:
        words = agents.profile.memory_words
        found = c.store.search(user.id, query, now=now, speaker=user.subject, word_budget=words, floor=True)
        return found, Notice(f"The retrieval model failed ({error}); plain search was used.", "warning")


def _pieces(pump: Pump[Event | Chunk], last: list[Chunk]) -> Iterator[Event | str]:
    """Events as they come, and the reply in at most some 12 pieces a second; `last` gets the chunk with the counts."""
    held, thought, shown_at = "", "", 0.0
    try:
        for item in pump:
            if isinstance(item, Event):
                yield item
                continue
            last[:] = [item]
            thought = storable(thought + item.thought)
            held = storable(held + item.text)
            if not shown_at:
                held = held.lstrip()
            if thought and (held or item.finish or len(thought) > THOUGHT_CHARS):
                yield ReplyThought(thought)
                thought = ""
            if held and time.perf_counter() - shown_at >= SHOW_EVERY:
                yield held
                held, shown_at = "", time.perf_counter()
    except ModelError:
        if held:  # what came before the failure is kept, even where it was not shown yet
            yield held
        raise
    if held and not pump.interrupted:
        yield held


def _ended(
    c: ChatState, turn: Turn, keeper: Keeper, pump: Pump[Event | Chunk], last: list[Chunk],
    seconds: tuple[float, float], failure: ModelError | None,
) -> Iterator[Event]:  # fmt: skip
    """The reply's last word, and its place among the latest turns; `seconds`: of all of it, and of the writing."""
    status: TurnStatus = "failed" if failure else "stopped" if pump.interrupted else "complete"
    reply = keeper.finish(status)
    c.remember_recent(turn, reply)
    if failure:
        yield Failed(f"{failure} {'' if c.incognito else '(Your line is kept.)'}")
    elif keeper.gone:
        yield Notice("What this reply was made from was forgotten meanwhile, so the reply isn't kept.", "warning")
        yield ReplyStopped(reply)
    elif status == "stopped":
        yield ReplyStopped(reply)
    elif reply is None:
        yield Notice("The model had nothing to say; try /regenerate, or say it in other words.", "warning")
    else:
        chunk = last[-1] if last else None
        yield ReplyFinished(
            reply, seconds[0], chunk.prompt_tokens if chunk else 0, chunk.completion_tokens if chunk else 0,
            truncated=bool(chunk and chunk.finish == "length"), writing=seconds[1],
        )  # fmt: skip


def _store(c: ChatState, turn: Turn, reply: Turn | None) -> Iterator[Event]:
    """The job for the storage worker."""
    claim = claimed_save(reply.text, language_of(reply.text, thorough=False)) if reply else None
    yield from forgetting.undone(c, turn, reply)
    if not c.incognito:
        c.worker.put(Job(c.user, (turn, reply) if reply else (turn,), claim))
    elif claim:
        yield ClaimUnkept(None, claim)


def regenerate(c: ChatState, text: str | None = None) -> Iterator[Event]:
    """Another reply to the last line, or to `text` in its place. What was written from the line is undone first."""
    turn, reply = c.last_exchange()
    if turn is None:
        raise InputError("There is no line to answer again yet; say something first.")
    if turn.text == FORGOTTEN and not text:
        raise InputError("The last line was forgotten, so there is nothing to answer again; say something new.")
    if not c.incognito:
        c.take_back(turn.id)
    c.drop_last_exchange()
    if c.incognito:
        turn = replace(turn, text=text or turn.text)
    else:
        c.undo_writes_of(turn)
        batch = new_batch()
        turn = c.store.turns.set(turn.id, text=text, storage="pending")
        yield TurnSaved(turn)
        yield from _learn_name(c, turn, _new_name(c, turn.text), batch)
        yield from _keep_name(c, turn, batch)
    c.attempts += 1
    yield from answer(c, turn, reply.id if reply else None, attempt=c.attempts)
