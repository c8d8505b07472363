"""The Python API: `chatmem.Memory`, one person's memory in one object.

    import chatmem

    with chatmem.Memory("m.db", user="ana") as memory:
        memory.say("I have two cats, Nori and Wasabi")
        print(memory.recall("what are my cats called?").text)

The chat, the MCP server and the page stand on the same store; what one of them writes, the others find.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import tzinfo
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from ..memory.database.inputs import Count, Named, looked_at
from ..memory.database.key import Secret
from ..memory.database.moments import moment
from ..memory.errors import InputError, StoreError
from ..memory.forget.asking import Wish, wish_for
from ..memory.language.quoted.whose import whose
from ..memory.language.words import query_words
from ..memory.store.queue import STORAGE
from ..memory.store.store import Store
from ..memory.store.undo import REVERSIBLE
from ..memory.store.writing import new_batch
from ..memory.values import (
    HUMAN,
    Author,
    ForgetPlan,
    ForgetReport,
    JournalEntry,
    Moment,
    Recall,
    RecallItem,
    Turn,
    User,
    WriteResult,
)
from ..memory.values import Memory as Row
from . import registry
from .chat.answer import Talkers, memory_lines
from .files.spec import parse
from .storage.outcome import Origin, Said
from .storage.parts import LINE_CHARS, PART_CHARS, PartByPart, as_own, parts_of, told_apart
from .storage.unkept import unkept

if TYPE_CHECKING:
    from .lm import LM

WORDS = 200
"""Words of memory that a prompt gets, as in the chat."""


@dataclass(frozen=True, slots=True)
class RecalledText:
    """What bears on a question. `text` is ready for a prompt: a line each, best first; empty when nothing does.
    `trouble`: why it was looked for by its words alone, in a sentence, where the encoder failed."""

    recall: Recall
    text: str
    trouble: str = ""

    @property
    def items(self) -> tuple[RecallItem, ...]:
        """Facts with the lines they came from, and lines, best first."""
        return self.recall.items

    @property
    def why(self) -> list[str]:
        """For each item, in words, what found it: "words", "vectors", "entity" and so on."""
        return [", ".join(item.why) for item in self.recall.items]


@looked_at
class Memory:
    """One person's memory. Not for several threads at once; several may be open on one file.

    `path`: an SQLite file (made if missing), or "sqlite:///PATH". `user`: whose memory; users never see each other's.
    `name`: what the person is called; facts are told under it ("User" until a name is known).
    `model`: the spec of the model that writes memories ("embedded", "gguf:PATH", "openai:NAME"; loaded at the first
    `say`), or None: lines are kept and found, and no facts are written. `embedder`: what makes vectors ("embedded",
    "gguf:PATH", "openai:NAME", "hf:NAME"). `zone`: where the person lives, so that "yesterday" is their yesterday
    (None: UTC). `passphrase`: opens an encrypted file, and has a new one made encrypted. `prompts`: a file of
    `chatmem optimize`, for a model without an adapter.
    Raises StoreError, InputError, and SettingsError for a name that is no model or encoder, each with what to do.
    Where an encoder can't be used, search goes by words and warns.

    >>> import chatmem, pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> with chatmem.Memory(folder / "m.db", user="ana", name="Ana", model=None) as memory:
    ...     cats = memory.remember("Ana has two cats, Nori and Wasabi.", topic="pets")
    ...     print(memory.recall("what are my cats called?").text)
    ...     edited = memory.edit(cats.memory_id, "Ana has three cats.")
    ...     print([row.fact for row in memory.search("cats")])
    ...     print([entry.kind for entry in memory.undo()], memory.facts()[0].fact)
    Ana has two cats, Nori and Wasabi.
    ['Ana has three cats.']
    ['undo'] Ana has two cats, Nori and Wasabi.
    """

    def __init__(
        self, path: Path | str, user: str = "me", *,
        name: str | None = None, model: Named | None = "embedded", zone: tzinfo | None = None,
        embedder: str = "embedded", passphrase: str | None = None, prompts: Path | str | None = None,
    ) -> None:  # fmt: skip
        from .embedder.choose import choose

        if passphrase == "":
            raise InputError("the passphrase is empty: give one, or None for a file that isn't encrypted.")
        if model is not None:
            parse(model)
        secret = None if passphrase is None else Secret(passphrase)
        store = Store.open(path, embedder=choose(embedder), zone=zone, secret=secret)
        try:
            known = store.users.get(user)
            self._begin(store, store.users.call(known.id, name) if name else known, model, None, prompts)
        except BaseException:
            store.close()
            raise
        self._owns = True

    @classmethod
    def over(cls, store: Store, user: User, agent: Any = None, author: Author = HUMAN) -> Self:
        """The memory of a user in a store that somebody else opened and closes. `agent`: a StorageAgent that `say` and
        `take_in` use; None: they write no facts. `author`: whose each other write is, in the journal."""
        made = cls.__new__(cls)
        made._begin(store, user, None, agent)
        made._author = author
        return made

    def _begin(
        self, store: Store, user: User, model: str | None, agent: Any, prompts: Path | str | None = None
    ) -> None:  # fmt: skip
        self._store, self._user, self._model, self._agent, self._prompts = store, user, model, agent, prompts
        self._closed = self._owns = False
        self._author = HUMAN
        self._lms: list[LM] = []
        self._session: int | None = None

    @property
    def store(self) -> Store:
        """The store behind it. Raises StoreError once it is closed: SQLite would open the file again, unseen."""
        if self._closed:
            raise StoreError("this memory is closed; open it anew.")
        return self._store

    @property
    def user(self) -> User:
        """Whose memory it is, by the name that was told last."""
        self._user = self.store.users.by_id(self._user.id)
        return self._user

    def __enter__(self) -> Self:
        assert self.store
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the session, lets go of the model and, where this opened it, of the file: then nothing works."""
        if self._session is not None:
            with suppress(StoreError):
                self._store.sessions.end(self._session)
            self._session = None
        while self._lms:
            self._lms.pop().close()
            self._agent = None
        if self._owns and not self._closed:
            self._closed = True
            self._store.close()

    # What is said

    def say(self, text: str, *, said_at: Moment | None = None) -> Said:
        """Keeps a line of the user's and has the storage model write what is worth remembering, in one call.

        The line is on the disk before a model sees it; a long text is one turn, read in parts; a wish to forget is kept
        nowhere (`Said.unkept`). Raises ModelError when the model fails: then the line waits, and `catch_up` tries anew.
        """
        if not text.strip():
            raise InputError("there is nothing to remember in an empty line: say something.")
        if (wish := unkept(self.store, self.user, text, self._session)) is not None:
            return wish
        if self._session is None:
            self._session = self.store.sessions.start(self._user.id, title=" ".join(text.split())[:60]).id
        user = self.user
        turn = self.store.turns.add(self._session, user.subject, text, said_at=said_at, storage="pending")
        return self._said(turn, self.take_in(turn))

    def catch_up(self) -> list[Said]:
        """Has the lines that still wait turned into memories, oldest first, as after a crash. Raises ModelError."""
        return [self._said(turn, self.take_in(turn)) for turn in self.store.queue.pending(self._user.id)]

    def take_in(
        self, turn: Turn, lines: Sequence[Turn] | None = None, *, again: bool = False, own: bool = False,
        more: bool = False,
    ) -> WriteResult | None:  # fmt: skip
        """Has a pending line turned into memories. `lines`: what the model reads for it (the line itself by default).

        `again`: it is read even where memories of it were written already, as one that was left off in the middle (a
        fact that is known is not written twice). `own`: the person said that what the line seems to quote is their own.
        `more`: these lines are one part of it and others follow, so it waits on. None when another process has the
        line. Raises ModelError: the line waits on.
        """
        store = self.store
        agent, lines = self._reader([turn] if lines is None else lines)
        if not store.queue.claim(turn.id):
            return None
        again = again or (isinstance(agent, PartByPart) and agent is not self._agent)
        known = [one for one in store.journal.entries(self._user.id, turn_id=turn.id) if one.kind in REVERSIBLE]
        if not again and any(entry.author.actor == STORAGE and not entry.undone for entry in known):
            agent = None  # a process wrote this line's memories and ended before it could say so
        try:
            result: WriteResult = agent.run(lines, self.user) if agent is not None else WriteResult(())
        except BaseException:
            with suppress(StoreError):
                store.queue.release(turn.id)
            raise
        if result.again:  # the line waits on, for one more try later
            store.queue.release(turn.id)
        if result.again or more:
            return result
        quoted = not own and bool(whose(turn.text, turn.speaker).quoted)
        store.queue.finish(turn.id, "kept" if own else "quoted" if quoted else "done")
        return result

    def own(self, turn_id: int) -> Said:
        """Takes what a line of the user's seems to quote for their own words after all: they said so. Raises NotFound,
        InputError for a line that quotes nothing, ModelError."""
        turn = self.store.turns.get(turn_id, user_id=self._user.id)
        quoted = as_own(turn)
        self.store.turns.set(turn.id, storage="pending")
        return self._said(turn, self.take_in(turn, [quoted], again=True, own=True))

    def _said(self, turn: Turn, result: WriteResult | None) -> Said:
        written, refused = (
            tuple(one for one in (result.entries if result else ()) if (one.kind == "refused") == thrown)
            for thrown in (False, True)
        )
        now, apart = self.store.turns.get(turn.id, user_id=self._user.id), told_apart(turn)
        now = replace(now, quoted=() if now.storage == "kept" else apart.quoted)
        read = self._agent is None or len(turn.text) <= LINE_CHARS
        unread = "" if read else parts_of(apart.text, LINE_CHARS).unread
        return Said(now, written, refused, unread, result.doubts if result else ())

    def _reader(self, lines: Sequence[Turn]) -> tuple[Any, Sequence[Turn]]:
        """Who reads these lines, and how: a long one in parts, unless whoever gave the agent sees to that."""
        agent, told = self._storage(), lines[0]
        if agent is None or isinstance(agent, PartByPart) or len(told.text) <= PART_CHARS:
            return agent, lines
        told = told if told.quoted is not None else told_apart(told)
        parts = parts_of(told.text, LINE_CHARS)
        return (PartByPart(agent, parts), [told, *lines[1:]]) if parts.several else (agent, lines)

    def _storage(self) -> Any:
        if self._agent is None and self._model is not None:
            from .prompts.tuned import read_prompts
            from .storage.by_language import storage_agent

            prompts, lm = read_prompts(self._prompts or ""), self._load(registry.for_role(self._model, "storage"))
            trained = partial(self._load, registry.for_role("embedded", "storage"))
            self._agent = storage_agent(lm, self.store, trained=trained, prompt=prompts.of("storage", lm))
        return self._agent

    def _load(self, spec: str) -> LM:
        self._lms.append(registry.load(spec))
        return self._lms[-1]

    # What is known

    def recall(self, question: str, *, words: Count = WORDS, now: Moment | None = None) -> RecalledText:
        """What bears on a question, in at most about `words` words. `now`: when it is asked. Raises InputError. Warns
        (UserWarning) when it was looked for by its words alone."""
        user, now = self.user, None if now is None else moment(now, "now")
        found = self.store.search(user.id, question, word_budget=words, now=now, speaker=user.subject, floor=True)
        scene = Talkers(other=user.subject, zone=self.store.zone)
        return RecalledText(found, "\n".join(memory_lines(found, scene, words)), self._told_trouble())

    def search(self, words: str, *, limit: Count = 10) -> list[Row]:
        """The facts that fit, best first. Warns as `recall` does."""
        found = self.store.search(self._user.id, words, limit=limit, use_turns=False, speaker=self.user.subject)
        self._told_trouble()
        return list(found.memories)

    def _told_trouble(self) -> str:
        """Why the last search went by words alone; whoever called hears of it as well, once for each reason."""
        if trouble := self.store.search.trouble:
            warnings.warn(f"Search goes by words alone: {trouble}", stacklevel=4)
        return trouble

    def facts(self, *, limit: Count | None = None) -> list[Row]:
        """All current facts, newest first."""
        return self.store.facts.all(self._user.id, limit=limit, newest=True)

    def get(self, memory_id: int) -> Row:
        """One fact, current or not. Raises NotFound."""
        return self.store.facts.get(memory_id, user_id=self._user.id)

    def why(self, memory_id: int) -> Origin:
        """Where a fact comes from. Raises NotFound."""
        row = self.get(memory_id)
        lines = self.store.facts.evidence([row.id]).get(row.id, ())
        return Origin(row, lines, tuple(self.store.journal.history(row.id, user_id=self._user.id)))

    def journal(self, *, limit: Count | None = None, refused: bool = False) -> list[JournalEntry]:
        """What was written, oldest first; with `refused`, only what a check or the guard threw away, and why."""
        return list(self.store.journal.entries(self._user.id, kind="refused" if refused else None, limit=limit))

    # Putting right

    def remember(
        self, fact: str, *, subject: str | None = None, topic: str = "", date: str | None = None,
        author: Author | None = None, batch: str | None = None, turn_ids: Sequence[int] = (),
    ) -> JournalEntry:  # fmt: skip
        """Writes a fact in just these words; one that is known already stays as it is, and its entry is returned.

        `date`: a date, a month, a year, or words such as "yesterday". Raises InputError.
        """
        return self.store.facts.remember(
            self._user.id, subject or self.user.subject, topic, fact, happened_on=date, author=author or self._author,
            batch=batch or new_batch(), turn_ids=turn_ids,
        )  # fmt: skip

    def edit(self, memory_id: int, fact: str) -> JournalEntry:
        """Puts a fact right; the old words stay as history. Raises NotFound, InputError."""
        return self.store.facts.edit(memory_id, fact=fact, author=self._author, user_id=self._user.id)

    def end(self, memory_id: int) -> JournalEntry:
        """Closes a fact that no longer holds; it stays as history. Raises NotFound, InputError for a closed one."""
        return self.store.facts.retire(memory_id, self._author, user_id=self._user.id)

    def undo(self, write: int | None = None) -> list[JournalEntry]:
        """Takes a write back by its id, or the last one that stands, with all that was written in one go with it.

        Raises InputError when there is none, or when a later write stands on it (it says which).
        """
        journal = self.store.journal
        if write is not None:
            return [journal.undo(write, author=self._author, user_id=self._user.id)]
        standing = [one for one in journal.entries(self._user.id) if one.kind in REVERSIBLE and not one.undone]
        if not standing:
            raise InputError("There is nothing to undo.")
        return journal.undo_batch(standing[-1].batch, author=self._author, user_id=self._user.id)

    def to_forget(
        self, *memory_ids: int,
        words: str = "", about: str = "", keep_lines: bool = False, keep_others: bool = False,
    ) -> ForgetPlan:  # fmt: skip
        """All that holds these facts, changing nothing: what to show before `forget` is called with it.

        Instead of ids, `words` in which a matter is told ("my locker number"), or `about`, a name: all that names it.
        `keep_lines`: lines and replies stay, only the facts with their history go. `keep_others`: further facts from
        those lines stay. The plan is `empty` where nothing holds the words. Raises NotFound, InputError.
        """
        forget = self.store.forget
        named = bool(memory_ids) + bool(words.strip()) + bool(about.strip())
        if named != 1:
            much = "that names more than one matter" if named else "say which facts to forget"
            raise InputError(f"{much}: give ids (search shows them), or words, or about whom, one of these.")
        if memory_ids:
            ids = tuple(dict.fromkeys(memory_ids))
            return forget.plan(self._user.id, ids, keep_lines=keep_lines, keep_others=keep_others)
        found = forget.wished(self._user.id, Wish("about", about) if about.strip() else wish_for(words))
        if found.empty and not found.near and not about.strip() and not query_words(words):
            raise InputError(f"{words.strip()!r} may mean anything: say what to forget in words that tell more.")
        if not keep_lines and not keep_others:
            return found
        plan = forget.plan(
            self._user.id, found.asked_facts, line_ids=found.asked_lines, keep_lines=keep_lines,
            keep_others=keep_others or found.keep_others, parts=found.asked_parts, keep_apart=found.keep_apart,
        )  # fmt: skip
        return replace(plan, near=found.near, kept=found.kept, unkept=found.unkept)

    def forget(
        self, *what: int | ForgetPlan, keep_lines: bool = False, keep_others: bool = False
    ) -> ForgetReport:  # fmt: skip
        """Erases facts with their history, the lines that told them, the replies that repeat them, and what else holds
        them; nothing brings them back, and the report says what was searched for them afterwards.

        Takes a plan of `to_forget` (which says what stays), or ids, which are then forgotten as `to_forget` of them
        would show. All must be this user's, or nothing is erased (NotFound).
        """
        plan = what[0] if len(what) == 1 and isinstance(what[0], ForgetPlan) else None
        if plan is None:
            ids = [one for one in what if isinstance(one, int)]
            if len(ids) < len(what):
                raise InputError("give one plan, or ids of facts.")
            plan = self.to_forget(*ids, keep_lines=keep_lines, keep_others=keep_others)
        if plan.user_id != self._user.id:
            raise InputError("that plan is of another user's memory.")
        return self.store.forget.carry_out(plan)
