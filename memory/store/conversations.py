"""Users, sessions and turns: who talks, and what was said. A turn is on the disk when `turns.add` returns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Select, bindparam, case, func, insert, literal, or_, select, update

from ..database import tables as t
from ..database.moments import moment, moment_of
from ..database.rows import evidence_ids, image_of, line, memory_of, plain, said, session_of, turn_of, user_of
from ..errors import NotFound
from ..forget.basis import Basis, is_gone
from ..search import fulltext, vectors
from ..values import FORGOTTEN, HUMAN, Author, Moment, Session, StorageState, Turn, TurnStatus, User
from .base import Ground, StorePart
from .queue import Queue
from .writing import Writing, check_turns, new_batch, record, supersede

NAME_LIMIT = 100
TITLE_LIMIT = 200
MOST_WORDS = 100
"""Words of a search that are looked for."""
_OWNER = select(t.sessions.c.user_id).where(t.sessions.c.id == bindparam("session_id"))
_ADD_TURN = insert(t.turns)
_LAST_SAID = (
    select(t.turns.c.said_at)
    .where(t.turns.c.session_id == bindparam("session_id"))
    .order_by(t.turns.c.id.desc())
    .limit(1)
)
LEAD = 600
"""Seconds by which lines that came at once may run ahead of the clock."""


class Users(StorePart):
    """`store.users`: whose memories there are."""

    def get(self, name: str) -> User:
        """The user of that name, made if there is none yet."""
        name = line(name, "the user's name", NAME_LIMIT)
        found = select(t.users).where(t.users.c.name == name)
        with self.db.read() as db:
            row = db.execute(found).one_or_none()
        if row is None:
            with self.db.write() as db:
                values = {"name": name, "created_at": self.now()}
                db.execute(insert(t.users).prefix_with("OR IGNORE").values(values))
                row = db.execute(found).one()
        return user_of(row)

    def all(self) -> list[User]:
        with self.db.read() as db:
            return [user_of(row) for row in db.execute(select(t.users).order_by(t.users.c.id))]

    def by_id(self, user_id: int) -> User:
        with self.db.read() as db:
            row = db.execute(select(t.users).where(t.users.c.id == user_id)).one_or_none()
        if row is None:
            raise NotFound(f"there is no user {user_id}: name one with --user.")
        return user_of(row)

    def call(
        self, user_id: int, called: str, *,
        author: Author = HUMAN, turn_id: int | None = None, batch: str | None = None,
    ) -> User:  # fmt: skip
        """Sets the name that the user goes by; their own facts move to that subject. One batch, which can be undone.

        `turn_id`: the line that told the name. It is no evidence of the facts that are renamed with it.
        """
        called = line(called, "the name", NAME_LIMIT)
        with self.db.write() as db:
            user = self.by_id(user_id)
            if user.called == called:
                return user
            turn_ids = () if turn_id is None else (turn_id,)
            writing = Writing(user_id, batch or new_batch(), self.now(), author, f"-- called {called}")
            told = replace(writing, turn_ids=turn_ids)
            check_turns(db, told)
            db.execute(update(t.users).where(t.users.c.id == user_id).values(called=called))
            record(db, told, "call", before={"called": user.called}, after={"called": called})
            old = re.compile(rf"(?<!\w){re.escape(user.subject)}(?!\w)")  # a name may end in a full stop or a mark
            own = select(t.memories).where(
                t.memories.c.user_id == user_id, t.memories.c.valid_to.is_(None), t.memories.c.subject == user.subject
            )
            for memory in map(memory_of, db.execute(own).all()):
                image = image_of(memory, evidence_ids(db, memory.id))
                fact = old.sub(lambda _: called, memory.fact)
                supersede(db, writing, image, {"subject": called, "fact": fact})
        return replace(user, called=called)


class Sessions(StorePart):
    """`store.sessions`: dated runs of turns."""

    def __init__(self, ground: Ground, users: Users) -> None:
        super().__init__(ground)
        self._users = users

    def start(self, user_id: int, title: str = "", at: Moment | None = None) -> Session:
        self._users.by_id(user_id)
        title = plain(title)[:TITLE_LIMIT].rstrip()
        values = {"user_id": user_id, "title": title, "started_at": at or self.now()}
        with self.db.write() as db:
            key = db.execute(insert(t.sessions).values(values)).inserted_primary_key
        assert key is not None
        return self.get(key[0])

    def end(self, session_id: int, at: Moment | None = None) -> None:
        """Ends a session that is open; one that has ended keeps its end."""
        self.get(session_id)
        open_one = (t.sessions.c.id == session_id, t.sessions.c.ended_at.is_(None))
        with self.db.write() as db:
            db.execute(update(t.sessions).where(*open_one).values(ended_at=at or self.now()))

    def resume(self, session_id: int) -> Session:
        """Opens an ended session again."""
        self.get(session_id)
        with self.db.write() as db:
            db.execute(update(t.sessions).where(t.sessions.c.id == session_id).values(ended_at=None))
        return self.get(session_id)

    def rename(self, session_id: int, title: str) -> Session:
        self.get(session_id)
        title = line(title, "the title", TITLE_LIMIT)
        with self.db.write() as db:
            db.execute(update(t.sessions).where(t.sessions.c.id == session_id).values(title=title))
        return self.get(session_id)

    def get(self, session_id: int, *, user_id: int | None = None) -> Session:
        """One session; with `user_id`, only if it is theirs."""
        with self.db.read() as db:
            row = db.execute(_sessions().where(t.sessions.c.id == session_id)).one_or_none()
        if row is None or user_id not in (None, row.user_id):
            raise NotFound(f"there is no session {session_id}", "list them with `chatmem sessions list`")
        return session_of(row)

    def all(self, user_id: int, search: str | None = None, limit: int | None = None) -> list[Session]:
        """Newest first. `search`: words that all stand in the title or in what was said, in any order and case."""
        query = _sessions().where(t.sessions.c.user_id == user_id)
        for word in _sought(search or ""):
            said = select(t.turns.c.session_id).where(
                t.turns.c.user_id == user_id, t.turns.c.text.icontains(word, autoescape=True)
            )
            titled = t.sessions.c.title.icontains(word, autoescape=True)
            query = query.where(or_(titled, t.sessions.c.id.in_(said)))
        query = query.order_by(t.sessions.c.started_at.desc(), t.sessions.c.id.desc()).limit(limit)
        with self.db.read() as db:
            return [session_of(row) for row in db.execute(query)]


class Turns(StorePart):
    """`store.turns`: every utterance."""

    def __init__(self, ground: Ground, queue: Queue) -> None:
        super().__init__(ground)
        self._queue = queue

    def add(
        self, session_id: int, speaker: str, text: str, *,
        said_at: Moment | None = None, status: TurnStatus = "complete", storage: StorageState = "skipped",
        basis: Basis | None = None,
    ) -> Turn:  # fmt: skip
        """Keeps what was said. When this returns, a kill or a power cut can't take it away. `basis`: what it was made
        from; if any of that was forgotten meanwhile, that something was said is kept and not what.

        Raises InputError for a `said_at` that is no moment; a day alone is its first moment.
        """
        speaker, text = line(speaker, "the speaker's name", NAME_LIMIT), said(text)
        with self.db.read() as db:
            user_id = db.scalar(_OWNER, {"session_id": session_id})
        if user_id is None:
            raise NotFound(f"there is no session {session_id}", "list them with `chatmem sessions list`")
        values: dict[str, Any] = {
            "session_id": session_id, "user_id": user_id, "speaker": speaker, "text": text,
            "said_at": moment(said_at, "said_at") if said_at else self._next(session_id), "status": status,
            "storage": storage,
        }  # fmt: skip
        claim = self._queue.claiming() if storage == "pending" else {}
        with self.db.write() as db:
            gone = basis is not None and is_gone(db, basis)
            values |= {"text": FORGOTTEN} if gone else {}
            key = db.execute(_ADD_TURN, values | claim).inserted_primary_key
            assert key is not None
            if not gone:
                fulltext.index_turns(db, [key[0]])
        return Turn(id=key[0], **values)

    def _next(self, session_id: int) -> Moment:
        """Now, or a second after what was said last in the session: what was said first is told by these moments, and
        pasted lines, or thanks that need no model, come within one second. Not after what lies far ahead."""
        now = self.now()
        with self.db.read() as db:
            last = db.scalar(_LAST_SAID, {"session_id": session_id})
        return _later(last) if last and now <= last <= _later(now, LEAD) else now

    def set(
        self, turn_id: int, *,
        text: str | None = None, status: TurnStatus | None = None, storage: StorageState | None = None,
        basis: Basis | None = None,
    ) -> Turn:  # fmt: skip
        """Changes a turn, as when a reply that is being streamed grows, or storage is done with it; `basis` as in
        `add`."""
        before = self.get(turn_id)
        told = {"text": text if text is None else said(text), "status": status, "storage": storage}
        changes = {name: new for name, new in told.items() if new is not None and new != getattr(before, name)}
        if storage == "pending":  # said anew here, so whoever is at work on the old words writes nothing any more
            changes |= self._queue.claiming()
            self._queue.keep_place(turn_id, 0)
        if changes:
            with self.db.write() as db:
                gone = basis is not None and is_gone(db, basis)
                changes |= {"text": FORGOTTEN} if gone else {}
                if "text" in changes:
                    fulltext.drop(db, "turn", [turn_id])
                    vectors.drop_turns(db, [turn_id])
                db.execute(update(t.turns).where(t.turns.c.id == turn_id).values(changes))
                if "text" in changes and not gone:
                    fulltext.index_turns(db, [turn_id])
                    self.ground.lacks_vector("turn", turn_id)
        return self.get(turn_id)

    def get(self, turn_id: int, *, user_id: int | None = None) -> Turn:
        """One turn; with `user_id`, only if it is theirs."""
        with self.db.read() as db:
            row = db.execute(select(t.turns).where(t.turns.c.id == turn_id)).one_or_none()
        if row is None or user_id not in (None, row.user_id):
            raise NotFound(f"there is no turn {turn_id}", "`chatmem sessions show` lists a session's turns")
        return turn_of(row)

    def by_id(self, user_id: int, turn_ids: Sequence[int]) -> list[Turn]:
        """Those turns of the user that exist, in the order in which they were said."""
        query = select(t.turns).where(t.turns.c.user_id == user_id, t.turns.c.id.in_(turn_ids)).order_by(t.turns.c.id)
        with self.db.read() as db:
            return [turn_of(row) for row in db.execute(query)]

    def holding(self, session_ids: Sequence[int], search: str) -> dict[int, Turn]:
        """For each of these sessions what was said last in it with the most of these words; none where nothing was."""
        held = [t.turns.c.text.icontains(word, autoescape=True) for word in _sought(search)]
        if not held:
            return {}
        most = sum((case((one, 1), else_=0) for one in held), literal(0))
        best = func.row_number().over(partition_by=t.turns.c.session_id, order_by=(most.desc(), t.turns.c.id.desc()))
        mine = (t.turns.c.session_id.in_(session_ids), t.turns.c.text != FORGOTTEN, or_(*held))
        ranked = select(t.turns.c.id, best.label("place")).where(*mine).subquery()
        query = select(t.turns).join(ranked, ranked.c.id == t.turns.c.id).where(ranked.c.place == 1)
        with self.db.read() as db:
            return {row.session_id: turn_of(row) for row in db.execute(query)}

    def before(self, turn: Turn, limit: int) -> list[Turn]:
        """What was said in the session shortly before a turn, in order."""
        mine = (t.turns.c.session_id == turn.session_id) & (t.turns.c.id < turn.id)
        query = select(t.turns).where(mine).order_by(t.turns.c.id.desc()).limit(limit)
        with self.db.read() as db:
            return [turn_of(row) for row in db.execute(query)][::-1]

    def of(self, session_id: int, limit: int | None = None) -> list[Turn]:
        """What was said in a session, in order; with `limit`, its last turns."""
        query = select(t.turns).where(t.turns.c.session_id == session_id).order_by(t.turns.c.id.desc()).limit(limit)
        with self.db.read() as db:
            return [turn_of(row) for row in db.execute(query)][::-1]


def _sought(search: str) -> list[str]:
    """The words to look for; SQLite takes no expression of a thousand parts."""
    return list(dict.fromkeys(search.split()))[:MOST_WORDS]


def _later(at: Moment, seconds: int = 1) -> Moment:
    return moment_of(datetime.fromisoformat(at) + timedelta(seconds=seconds))


def _sessions() -> Select[Any]:
    count = select(func.count()).where(t.turns.c.session_id == t.sessions.c.id).scalar_subquery()
    return select(t.sessions, count.label("turns"))
