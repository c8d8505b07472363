"""Vectors and passages for what is stored: made outside the write lock, and caught up later where they are missing."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress

from sqlalchemy import Connection, select

from ..database import tables as t
from ..database.engine import raw
from ..errors import ChatmemError, ModelBroken, ModelError, ModelNotReady, StoreFull, StoreLocked
from ..search import fulltext, vectors
from ..search.nearest.numbers import SHIFT, first_of
from ..search.passages import passages
from ..search.vectors import Embedder, Look, Pending, foreign
from .base import Ground, StorePart

RECENT = 64
"""Newest rows that are looked at again each time, since a reply's text grows while it is being written."""

STEP = 32
"""Turns of an older database that are moved at once: the write lock is held for some milliseconds."""
LOOKED_AT, SAME = 3, 0.9
"""Newest vectors that are made anew to see whose they are; from this cosine of the nearest they are its own."""
AHEAD = 512
"""Rows without a vector that are looked up at a time."""
BATCH_SECONDS, MOST = 0.5, 64
"""What one batch may take, since a question that comes meanwhile waits for it; and the most rows of one."""
ALONE_SECONDS, ALONE_MOST = 4.0, 256
"""The same where no chat is open: what Ctrl+C costs at most."""
FEW = 64
"""So few are left to the next searches."""
AGAIN, PATIENCE = 60.0, 2.0
"""Seconds until an encoder that failed is tried again, and for which a batch is waited for when the store closes."""
Tell = Callable[[int, int], None]
_MOVED = (
    "INSERT OR REPLACE INTO vectors (kind, ref_id, model, user_id, data) "
    "SELECT 'passage', ?, model, user_id, data FROM vectors WHERE kind = 'turn' AND ref_id = ?"
)


class VectorUpkeep(StorePart):
    """`store.vectors`: gives memories and passages of turns their vectors. Without an embedder it does nothing."""

    def embed_pending(self, user_id: int | None = None, limit: int = 256, *, back: int | None = None) -> int:
        """Embeds up to `limit` memories and passages without a vector, newest first; returns how many it did.

        `back`: beside the new rows so many older ones are looked at, further back each time (None: all that haven't
        been looked at yet). Raises ModelError when the encoder fails."""
        if self.ground.embedder is None or self.db.read_only:
            return 0
        with self.db.read() as db:
            newest = vectors.last_ids(db)
            look = {kind: self._look(kind, user_id, last, back) for kind, last in newest.items()}
            pending = vectors.pending(db, self.ground.embedder.name, user_id, limit, look)
        done = self.embed(pending)
        if done == len(pending) < limit:  # nothing is left there; what comes has higher ids
            for kind, one in look.items():
                self.ground.embedded[kind, user_id] = one.floor, max(newest[kind] - RECENT, 0)
        return done

    def _look(self, kind: str, user_id: int | None, newest: int, back: int | None = None) -> Look:
        unknown = max(newest - RECENT, 0)
        above, to = self.ground.embedded.get((kind, user_id), (unknown, unknown))
        return Look(0 if back is None else max(above - back, 0), above, to)

    def embed_memories(self, memory_ids: Iterable[int | None]) -> None:
        """Gives those memories that are current their vectors; where the encoder fails, or is another than the embedded
        and so may be slow, that is for later."""
        ids = [memory_id for memory_id in memory_ids if memory_id is not None]
        if self.ground.embedder is None or not ids:
            return
        try:
            if not foreign(self.ground.embedder):
                self.embed(self._current(ids))
                return
        except ModelError:
            pass
        self.ground.lacks_vector("memory", min(ids))

    def _current(self, ids: Sequence[int]) -> list[Pending]:
        current = (t.memories.c.id.in_(ids), t.memories.c.valid_to.is_(None))
        query = select(t.memories.c.id, t.memories.c.user_id, t.memories.c.fact).where(*current)
        with self.db.read() as db:
            return [("memory", row.id, row.user_id, row.fact) for row in db.execute(query)]

    def lacking(self, limit: int) -> list[Pending]:
        """What has no vector yet, newest first. Raises ModelError."""
        if self.ground.embedder is None or self.db.read_only:
            return []
        with self.db.read() as db:
            look = {kind: self._look(kind, None, last) for kind, last in vectors.last_ids(db).items()}
            return vectors.pending(db, self.ground.embedder.name, None, limit, look)

    def kept(self) -> list[tuple[str, int, int]]:
        """Each encoder of which there are vectors: its name, how many, and their bytes."""
        with self.db.read() as db:
            return vectors.kept(db)

    def drop(self, *, others: bool) -> int:
        """Deletes the vectors of the encoder in use, or of all others; returns how many.

        Raises ModelError, StoreError."""
        if self.ground.embedder is None:
            return 0
        name = self.ground.embedder.name
        with self.db.write() as db:
            gone = vectors.drop_encoder(db, name, others=others)
        self.ground.embedded.clear()
        return gone

    def check(self) -> None:
        """Looks once whether the vectors under the encoder's name are its own, by making the newest anew: an endpoint
        may have another model under the same name. Raises ModelError."""
        embedder = self.ground.embedder
        if embedder is None or not foreign(embedder) or embedder.name in self.ground.trusted:
            return
        with self.db.read() as db:
            known = [(one, text) for one in vectors.newest(db, embedder.name, LOOKED_AT)
                     if one[2].any() and (text := _text(db, *one[:2])) is not None]  # fmt: skip
        made = embedder.embed([text for _, text in known])
        if known and max(float(new @ old) for new, ((*_, old), _) in zip(made, known, strict=True)) < SAME:
            raise ModelBroken(
                f"The vectors kept of {embedder.name} were made by another model of that name; "
                "run `chatmem memory reembed --anew`, or set `embedder` back."
            )
        self.ground.trusted.add(embedder.name)

    def embed(self, pending: Sequence[Pending], stop: Callable[[], bool] = lambda: False) -> int:
        """Makes the vectors and keeps those of what is still as it was; returns how many it did: none where there is no
        room or the database is busy, and when `stop()` says so once they are made. Raises ModelError."""
        if self.ground.embedder is None or not pending:
            return 0
        self.check()
        name, texts = self.ground.embedder.name, [text for *_, text in pending]
        if foreign(self.ground.embedder):
            with self.db.read() as db:
                texts = _spoken(db, pending)
        matrix = self.ground.embedder.embed(texts)
        if stop():
            return 0
        try:
            # Not durable: a vector that a power cut takes is made again.
            with self.db.write(durable=False) as db:
                for (kind, ref_id, user_id, text), vector in zip(pending, matrix, strict=True):
                    if _exists(db, kind, ref_id, text):
                        vectors.put(db, user_id, kind, [ref_id], vector[None, :], name)
        except (StoreFull, StoreLocked):  # what the vector is of is kept, and found by its words until there is room
            return 0
        return len(pending)


def _text(db: Connection, kind: str, number: int) -> str | None:
    """What a vector of another encoder than the embedded is of; None where that is gone."""
    table, words = ("memories", "fact") if kind == "memory" else ("turns", "text")
    key = number if kind == "memory" else number >> SHIFT
    row = raw(db).execute(f"SELECT {words} FROM {table} WHERE id = ?", (key,)).fetchone()
    if row is None or kind == "memory":
        return row and str(row[0])
    spans, place = passages(row[0]), number & (1 << SHIFT) - 1
    piece = row[0][slice(*spans[place])] if place < len(spans) else None
    return piece and _spoken(db, [(kind, number, 0, piece)])[0]


def _spoken(db: Connection, pending: Sequence[Pending]) -> list[str]:
    """The texts, those of turns with who said it: other encoders than the embedded, whose questions are trained to do
    without, find a line of talk by the name that is asked for."""
    who = {key: raw(db).execute("SELECT speaker FROM turns WHERE id = ?", (key,)).fetchone()
           for key in {number >> SHIFT for kind, number, *_ in pending if kind == "passage"}}  # fmt: skip
    named = [(who[number >> SHIFT] if kind == "passage" else None, text) for kind, number, _, text in pending]
    return [f"{row[0]}: {text}" if row else text for row, text in named]


def _exists(db: Connection, kind: str, ref_id: int, text: str) -> bool:
    """Whether the thing is still there: it may have been forgotten, or grown, while its vector was being made."""
    if kind == "memory":
        return db.scalar(select(1).where(t.memories.c.id == ref_id, t.memories.c.valid_to.is_(None))) is not None
    turn_id, place = ref_id >> SHIFT, ref_id & (1 << SHIFT) - 1
    now = db.scalar(select(t.turns.c.text).where(t.turns.c.id == turn_id))
    spans = passages(now) if now is not None else ()
    return now is not None and place < len(spans) and now[spans[place][0] : spans[place][1]] == text


class Recutting(StorePart):
    """`store.recutting`: turns of an older database, which were searched whole, get their passages: in small steps,
    beside whatever else runs.

    Each step moves some turns, words and vectors at once, so at any moment a turn is found one way or the other; who
    stops after a step loses nothing, and the next call goes on with what is left.
    """

    def __init__(self, ground: Ground) -> None:
        super().__init__(ground)
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def begin(self) -> None:
        """Goes through what is left in a thread of its own, unless there is nothing; `end` stops it."""
        if self._thread is None and not self.db.read_only and self.waiting():
            self._thread = threading.Thread(target=self._behind, name="chatmem-passages", daemon=True)
            self._thread.start()

    def end(self) -> None:
        """Waits for the step that is under way, if any; the rest is for another time."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()

    def _behind(self) -> None:
        with suppress(ChatmemError):  # what can't be done now (a broken model, a full disk) is found whole as before
            self.run(stop=self._stop.is_set)

    def waiting(self) -> int:
        """Turns that are still indexed whole."""
        with self.db.read() as db:
            return int(raw(db).execute("SELECT count(*) FROM turns_fts_docsize").fetchone()[0])

    def run(self, tell: Tell = lambda done, total: None, stop: Callable[[], bool] = lambda: False) -> int:
        """Moves turn by turn until none is left or `stop()` says so; returns how many are left.

        `tell` gets how many are done, and of how many. Raises StoreError when the database can't be written at all.
        """
        total = left = 0 if self.db.read_only else self.waiting()
        while left and not stop():
            if not self._step():
                break
            left = self.waiting()
            tell(total - left, total)
        return left

    def _embedded(self) -> Embedder | None:
        """The encoder, where it is the embedded one: others follow by themselves (`Reembedding`)."""
        embedder = self.ground.embedder
        try:
            return None if embedder is None or foreign(embedder) else embedder
        except ModelError:
            return None

    def _step(self) -> bool:
        """Whether some turns were moved; a full disk or a busy database is for later."""
        with self.db.read() as db:
            ids = fulltext.uncut(db, STEP)
            texts = _texts(db, ids)
        several = [(first_of(key) + n, text[a:b]) for key, (_, text) in texts.items()
                   if len(spans := passages(text)) > 1 for n, (a, b) in enumerate(spans)]  # fmt: skip
        embedder = self._embedded()
        matrix = embedder.embed([text for _, text in several]) if embedder and several else None
        try:
            with self.db.write(durable=False) as db:
                # What was changed or forgotten in the meantime is no longer among them.
                now = {*fulltext.uncut(db, STEP)}
                same = [key for key, told in _texts(db, ids).items() if key in now and told == texts[key]]
                fulltext.recut(db, same)
                kept = {*same}
                for place, (number, _) in enumerate(several):
                    if matrix is not None and embedder and (key := number >> SHIFT) in kept:
                        vectors.put(db, texts[key][0], "passage", [number], matrix[place][None], embedder.name)
                _move_vectors(db, [key for key in same if len(passages(texts[key][1])) == 1])
                raw(db).executemany("DELETE FROM vectors WHERE kind = 'turn' AND ref_id = ?", [(key,) for key in same])
        except (StoreFull, StoreLocked):
            return False
        for key in same:
            self.ground.lacks_vector("turn", key)
        return bool(same)


class Reembedding(StorePart):
    """`store.reembedding`: what has no vector of the encoder in use gets one, newest first, beside whatever else runs:
    all of it once another encoder is set, the rest after an import.

    Each batch is committed by itself, so who stops loses nothing, and the next call goes on with what is left. Until
    then that is found by its words.
    """

    def __init__(self, ground: Ground, upkeep: VectorUpkeep) -> None:
        super().__init__(ground)
        self._upkeep = upkeep
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def begin(self) -> None:
        """Goes through what is left in a thread of its own; `end` stops it."""
        if self._thread is None and not self.db.read_only and self.ground.embedder is not None:
            self._thread = threading.Thread(target=self._behind, name="chatmem-reembed", daemon=True)
            self._thread.start()

    def end(self) -> None:
        """Begins no further batch; one that is under way is waited for a little, and else given up."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(PATIENCE)

    def _behind(self) -> None:
        while not self._stop.is_set():
            try:
                if self.waiting() > FEW:
                    self.run(stop=self._stop.is_set)
                return
            except ModelNotReady:
                self._stop.wait(1.0)
            except ModelError:  # an endpoint may come back, a file may be put there
                self._stop.wait(AGAIN)
            except ChatmemError:
                return

    def waiting(self) -> int:
        """Memories and passages without a vector of the encoder in use. Raises ModelError."""
        if self.ground.embedder is None:
            return 0
        name = self.ground.embedder.name
        with self.db.read() as db:
            return vectors.lacking(db, name)

    def run(
        self, tell: Tell = lambda done, total: None, stop: Callable[[], bool] = lambda: False, *, alone: bool = False
    ) -> int:  # fmt: skip
        """Embeds until nothing is left or `stop()` says so; returns how many are left.

        `tell` gets how many are done, and of how many. `alone`: no chat waits for it, so its batches may be large, and
        the embedded encoder makes them on two threads. Raises ModelError when the encoder fails (what is done is kept),
        StoreError when the database can't be written at all.
        """
        total, done, size = self.waiting(), 0, 8
        seconds, most = (ALONE_SECONDS, ALONE_MOST) if alone else (BATCH_SECONDS, MOST)
        while not stop() and (pending := self._upkeep.lacking(AHEAD)):
            while pending:
                begin = time.monotonic()
                some = 0 if stop() else self._upkeep.embed(pending[:size], stop)
                if not some:
                    return max(total - done, 0) if stop() else self.waiting()
                done, pending = done + some, pending[size:]
                tell(min(done, total), total)
                size = min(size * 2, most) if time.monotonic() - begin < seconds / 2 else max(size // 2, 1)
        return max(total - done, 0) if stop() else self.waiting()


def _texts(db: Connection, ids: Sequence[int]) -> dict[int, tuple[int, str]]:
    """User and text of each turn."""
    query = "SELECT user_id, text FROM turns WHERE id = ?"
    rows = {key: raw(db).execute(query, (key,)).fetchone() for key in ids}
    return {key: (row[0], row[1]) for key, row in rows.items() if row}


def _move_vectors(db: Connection, ids: Sequence[int]) -> None:
    """A turn that is one passage keeps its vector."""
    raw(db).executemany(_MOVED, [(first_of(key), key) for key in ids])
