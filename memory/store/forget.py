"""Forgetting for good: rows, history, journal copies, what was said of it and what echoes it, indexes and free pages;
then the files are searched for its words and numbers."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from sqlalchemy import Connection, delete, select, update
from sqlalchemy.dialects.sqlite import insert

from ..database import tables as t
from ..database.derived import resting_on
from ..database.engine import raw
from ..database.rows import Image, digest, evidence_ids, image_of, memory_of, quote
from ..database.ties import entries_of
from ..errors import InputError, NotFound, StoreFull
from ..forget import erase, parting, proof, typed
from ..forget.asking import Wish, wish_for
from ..forget.basis import left_of
from ..forget.erase import Erased
from ..forget.found import Asked, Found
from ..forget.gather import gather
from ..forget.proof import Beside
from ..forget.telling import Words, all_words
from ..forget.wanted import excepted, when
from ..forget.wanted.along import going_along
from ..forget.wanted.leaning import may_be_about
from ..forget.wanted.meant import meant, wanted_of
from ..guard.view import WRITABLE
from ..language.dates import find_dates
from ..search import fulltext
from ..values import ASSISTANT, FORGOTTEN, HUMAN, ForgetPlan, ForgetReport, Recall, User
from .base import Ground, StorePart
from .conversations import Sessions, Turns, Users
from .undo import Journal
from .writing import Writing, add, new_batch, twin

__all__ = ["FORGOTTEN", "Forget"]


class Forget(StorePart):
    """`store.forget`: plans what holds a matter, and erases it for good. Nothing here can be undone.

    `beside`: the files that chatmem keeps beside the database; whoever opens the store names them.
    """

    def __init__(self, ground: Ground, users: Users, sessions: Sessions, turns: Turns, journal: Journal) -> None:
        super().__init__(ground)
        self._users, self._sessions, self._turns, self._journal = users, sessions, turns, journal
        self.beside = Beside()

    # What would go

    def plan(
        self, user_id: int, memory_ids: Sequence[int] = (), *,
        line_ids: Sequence[int] = (), keep_lines: bool = False, keep_others: bool = False,
        parts: Sequence[tuple[int, int]] = (), keep_apart: bool = False,
    ) -> ForgetPlan:  # fmt: skip
        """All that holds these memories and lines, changing nothing. Raises NotFound when one isn't the user's.

        `keep_lines`: only the facts with their history go. `keep_others`: further facts from those lines stay;
        `keep_apart`: those of them that share no telling word. `parts`: of facts that tell several things, the numbers
        of the statements that go (`forget.parting`).
        """
        asked = Asked(
            user_id, tuple(memory_ids), tuple(line_ids), keep_lines, keep_others, tuple(parts), keep_apart
        )  # fmt: skip
        with self.db.read() as db:
            self._check(db, asked)
            found = gather(db, asked, self._own_names(user_id))
            leaning = () if keep_lines else may_be_about(db, found.plan)
        return replace(self._beside(found), leaning=leaning)

    def wished(self, user_id: int, wish: Wish, *, last_line: int | None = None) -> ForgetPlan:
        """What a wish in plain words means; a plan that is `empty` where nothing holds its words.

        "about", or somebody by role ("my aunt"): all facts and lines that name them, and what those lines tell of them
        by "we" or "she"; further facts from those lines stay. `last_line`: what "what I just said" is. Raises
        InputError for the wish to forget everything, which is `user`.
        """
        if wish.kind == "whole":
            all_of_it = ": `chatmem memory forget --all` or, in a chat, reset forgets it"
            but = f" but “{wish.keeping}”; name what is to go" if wish.keeping else all_of_it
            raise InputError(f"that is everything{but}.")
        if wish.kind in ("last", "today", "talk"):
            with self.db.read() as db:
                lines = when.lines(db, user_id, wish.kind, last_line, self.now(), self.ground.zone)
            return self._without(self.plan(user_id, line_ids=lines), wish)
        with self.db.read() as db:
            found = meant(db, user_id, wish, self._own_names(user_id), self.now())
        plan = self.plan(
            user_id, found.facts, line_ids=found.lines, keep_others=found.whole, parts=found.parts,
            keep_apart=not found.whole and bool(found.facts),
        )  # fmt: skip
        if found.whole and (along := going_along(plan, wanted_of(wish.words), self._own_names(user_id))):
            facts = sorted({*found.facts, *along})
            plan = self.plan(user_id, facts, line_ids=found.lines, keep_others=True, parts=found.parts)
        return replace(self._without(plan, wish), near=found.near or wish.loose, unheld=found.unheld)

    def _without(self, plan: ForgetPlan, wish: Wish) -> ForgetPlan:
        """The plan without what the wish says is to stay; the plan itself where nothing of it holds that."""
        keeping = wish_for(wish.keeping).words or wish.keeping  # "the thing about Tom" is Tom
        if plan.empty or not wish.keeping or (wish.kind == "matter" and excepted.told_so(plan, keeping)):
            return plan
        with self.db.read() as db:
            left = excepted.without(db, plan, keeping, self._own_names(plan.user_id))
        if left is None or left.uncut:
            return replace(plan, uncut=wish.keeping) if left else replace(plan, unkept=wish.keeping)
        some, others = bool(left.facts or left.lines), bool(plan.asked_facts)
        anew = self.plan(plan.user_id, left.facts, line_ids=left.lines, keep_others=others, parts=left.parts)
        return replace(anew if some else ForgetPlan(plan.user_id), kept=left.kept, leaning=())

    def _beside(self, found: Found) -> ForgetPlan:
        """The plan with what the files beside the database hold."""
        plan = found.plan
        if plan.keep_lines:
            return plan
        user = self._users.by_id(plan.user_id)
        lines = filter(typed.holding(found), typed.typed_lines(self.beside.typed_by(user.name)))
        return replace(plan, typed=tuple(dict.fromkeys(lines)), exports=self._exports_with(found))

    def _own_names(self, user_id: int) -> tuple[str, ...]:
        user = self._users.by_id(user_id)
        return (user.subject, User(0, "").subject)

    def _check(self, db: Connection, asked: Asked) -> None:
        for memory_id in asked.facts:
            owner = db.scalar(select(t.memories.c.user_id).where(t.memories.c.id == memory_id))
            owner = owner or next((one.user_id for one in entries_of(db, [memory_id])), None)
            if owner != asked.user_id:
                raise NotFound(f"there is no memory {memory_id}", "list them with `chatmem memory list`")
        for memory_id, place in asked.parts:
            fact = db.scalar(select(t.memories.c.fact).where(t.memories.c.id == memory_id)) or ""
            lone = all(one == parting.STAYS for _, one in asked.parts) and len(asked.parts) == len(asked.facts)
            if missing := parting.missing(memory_id, fact, place, lone=lone):
                raise InputError(missing)
        known = {turn.id for turn in self._turns.by_id(asked.user_id, asked.lines)}
        for turn_id in asked.lines:
            if turn_id not in known:
                self._turns.get(turn_id, user_id=asked.user_id)  # which says so

    # Doing it

    def carry_out(self, plan: ForgetPlan) -> ForgetReport:
        """Erases what a plan names, and what came to hold the matter since; nothing brings it back.

        Raises NotFound when something that was asked for is gone already: then nothing is erased.
        """
        return self._carried_out(Asked.by(plan), Erased(), plan.typed)

    def memories(
        self, user_id: int, memory_ids: Sequence[int], *, with_evidence_text: bool = False
    ) -> ForgetReport:  # fmt: skip
        """Erases memories with all that they replaced or that replaced them; other facts stay.

        `with_evidence_text`: the lines and replies that hold it, too. Raises NotFound when one isn't the user's.
        """
        asked = Asked(user_id, tuple(memory_ids), (), not with_evidence_text, keep_others=True)
        return self._carried_out(asked, Erased())

    def _carried_out(self, asked: Asked, erased: Erased, lines: Sequence[str] = ()) -> ForgetReport:
        """`lines`: typed ones that go with it."""
        user = self._users.by_id(asked.user_id)
        with self.db.write() as db:
            self._check(db, asked)
            found = gather(db, asked, self._own_names(asked.user_id))
            rests = self._rests(db, found)
            self._erase(db, user, found, erased)
            ids = {key: self._rewritten_as(db, user.id, image) for key, image in rests.items()}
            fulltext.purge(db)
        stays = tuple(replace(one, id=ids.get(one.id, one.id)) for one in found.plan.stays)
        plan = found.plan
        removed = 0
        with suppress(OSError):  # a history that can't be written: the search below says that it holds it
            removed = typed.prune(self.beside.typed_by(user.name), typed.holding(found, lines))
        report = self._scrub(user, erased, found.words, lines=not plan.keep_lines)
        return replace(
            report, typed=removed, stays=stays, exports=self._exports_with(found),
            lines_kept=len(plan.lines) + len(plan.replies) if plan.keep_lines else 0,
        )  # fmt: skip

    def _rests(self, db: Connection, found: Found) -> dict[int, Image]:
        """What stays of facts of which only some statements go, by their ids: rows of their own, from the lines that
        stay."""
        rows, rests = {one.id: one for one in found.plan.facts}, dict[int, Image]()
        for key, text in found.plan.rests:
            row = rows[key]
            lines = [one for one in evidence_ids(db, key) if one not in found.turns]
            days = [day for _, day in find_dates(text, row.said_at, self.ground.zone)]
            happened_on = row.happened_on if text == row.fact or row.happened_on in days else None
            rests[key] = image_of(replace(row, fact=text, happened_on=happened_on), lines) | {
                "id": None, "replaces": None, "created_by": HUMAN.actor, "valid_from": self.now(),
            }  # fmt: skip
        return rests

    def _rewritten_as(self, db: Connection, user_id: int, image: Image) -> int:
        """The id of the row that says what stays of a fact."""
        known = twin(db, user_id, digest(image["subject"], image["fact"]))
        if known is not None:
            return known
        values = ", ".join(quote(image[name]) for name in WRITABLE)
        sql = f"INSERT INTO memory ({', '.join(WRITABLE)}) VALUES ({values});"
        return add(db, Writing(user_id, new_batch(), self.now(), HUMAN, sql), image).memory_id or 0

    def _erase(self, db: Connection, user: User, found: Found, erased: Erased) -> None:
        erase.drop_refused(db, found.turns, erased)
        before = set(erased.texts)
        erase.purge_rows(db, user.id, found.rows, erased)
        erased.texts -= {text for _, text in found.plan.rests}
        facts = erased.texts - before
        erase.blank_turns(db, found.turns, erased)
        erase.forget_name(db, user, facts)
        if not found.plan.keep_lines:
            erase.forget_titles(db, user.id, found.plan.lines, found.signs)
        erase.redact_words(db, user.id, found.words.all.keys(), found.words.strong.keys())

    def turn(self, turn_id: int, *, user_id: int | None = None) -> ForgetReport:
        """Erases a turn and what was written because of it; a fact that it changed is again as it was before."""
        erased = Erased()
        turn = self._turns.get(turn_id, user_id=user_id)
        user = self._users.by_id(turn.user_id)
        with self.db.write() as db:
            self._unwrite(db, turn.user_id, turn_id, erased)
            erase.delete_turns(db, [turn_id], erased)
            fulltext.purge(db)
        return self._scrub(user, erased)

    def user(self, user_id: int, *, name: bool = False) -> ForgetReport:
        """Erases all of a user's sessions, turns, memories and journal; with `name`, the user as well (reset)."""
        erased = Erased()
        user = self._users.by_id(user_id)
        exports = self.exports(user_id)
        lines = self.beside.typed_by(user.name)
        removed = len(typed.typed_lines(lines))
        with self.db.write() as db:
            erase.purge_user(db, user_id, erased)
            if name:
                db.execute(delete(t.users).where(t.users.c.id == user_id))
            else:
                db.execute(update(t.users).where(t.users.c.id == user_id).values(called=None))
            fulltext.purge(db)
        if lines is not None:
            with suppress(OSError):
                lines.unlink(missing_ok=True)
        report = self._scrub(user, erased, lines=True)
        return replace(report, typed=removed, exports=tuple(str(path) for path in exports))

    def session(
        self, session_id: int, *, forget: bool = False, user_id: int | None = None
    ) -> ForgetReport:  # fmt: skip
        """Deletes a session with its turns. Memories from it stay, without that evidence; `forget` erases them too."""
        erased = Erased(ends=True)
        session = self._sessions.get(session_id, user_id=user_id)
        user = self._users.by_id(session.user_id)
        with self.db.write() as db:
            turn_ids = list(db.scalars(select(t.turns.c.id).where(t.turns.c.session_id == session_id)))
            self._unwrite_all(db, session.user_id, turn_ids, erased, forget)
            erase.delete_turns(db, turn_ids, erased)
            db.execute(update(t.journal).where(t.journal.c.session_id == session_id).values(session_id=None))
            db.execute(delete(t.sessions).where(t.sessions.c.id == session_id))
            if forget:
                erased.texts.add(session.title)
                fulltext.purge(db)
        gone = ForgetReport(erased.rows, erased.journal, erased.turns, bytes_checked=False, replies=erased.replies)
        return self._scrub(user, erased) if forget else gone

    def of_session(self, session_id: int, *, user_id: int | None = None) -> ForgetPlan:
        """What `session` with `forget` erases: that is tried, and taken back at once, so that all of it is shown."""
        owner = self._sessions.get(session_id, user_id=user_id).user_id
        said = self._turns.of(session_id)
        rows = select(t.memories).where(t.memories.c.user_id == owner).order_by(t.memories.c.id)
        with self.db.write() as db:
            before = [memory_of(row) for row in db.execute(rows)]
            with db.begin_nested() as trial:
                self._unwrite_all(db, owner, [turn.id for turn in said], Erased(ends=True), True)
                left = {row.id for row in db.execute(rows)}
                trial.rollback()
        gone = [one for one in before if one.id not in left]
        kept = [turn for turn in said if turn.text != FORGOTTEN]
        plan = ForgetPlan(
            owner, facts=tuple(one for one in gone if not one.derived),
            insights=tuple(one for one in gone if one.derived),
            lines=tuple(turn for turn in kept if turn.speaker != ASSISTANT),
            replies=tuple(turn for turn in kept if turn.speaker == ASSISTANT),
        )  # fmt: skip
        return replace(plan, exports=proof.holding(self.exports(owner), self.db.key, plan, {}))

    def _unwrite_all(
        self, db: Connection, user_id: int, turn_ids: Sequence[int], erased: Erased, forget: bool
    ) -> None:  # fmt: skip
        """What was concluded from these turns goes with them; `forget`: what was written because of them, too."""
        for turn_id in reversed(turn_ids if forget else ()):
            self._unwrite(db, user_id, turn_id, erased)
        erase.purge_rows(db, user_id, resting_on(db, user_id, erased.ids, turn_ids), erased)
        erase.redact_quotes(db, user_id, erased.texts)

    def _unwrite(self, db: Connection, user_id: int, turn_id: int, erased: Erased) -> None:
        entries = self._journal.of_turn(turn_id, user_id)(db)
        erase.unwrite(db, user_id, turn_id, entries, lambda one: self._journal.back(db, one, HUMAN, ""), erased)

    def left_of(self, user_id: int, recall: Recall, line: int, before: Collection[int] = ()) -> Recall | None:
        """A recall without what was erased since (`basis.left_of`)."""
        with self.db.read() as db:
            return left_of(db, user_id, recall, line, before)

    # Whether anything is left

    def _scrub(
        self, user: User, erased: Erased, words: Words | None = None, *, lines: bool = False
    ) -> ForgetReport:  # fmt: skip
        """Rewrites the file without free pages, empties the WAL and looks whether anything of it is left.

        `lines`: the typed lines were pruned, and are searched as well."""
        words = words or Words()
        report = ForgetReport(erased.rows, erased.journal, erased.turns, False, erased.replies, words=len(words.all))
        try:
            if not self._rewritten():
                return report
        except StoreFull:  # The rows are gone; only the proof needs room.
            return report
        found, within, elsewhere, quoted = self._found(erased, words)
        with self.db.read() as db:
            own = proof.of_user(db, user.id, quoted)
        searched = ["database" if self.db.key is None else "rows"]
        searched += ["texts"] if self.db.key is None and proof.short(words.all) else []
        typed_in = self.beside.typed_by(user.name) if lines else None
        if typed_in is not None and typed_in.is_file():
            searched.append("typed lines")
            found += [typed_in] if words.all.keys() & all_words("\n".join(typed.typed_lines(typed_in))) else []
        for path in filter(Path.is_file, self.beside.others if words.all else ()):
            said = proof.whole_words_in(path, words.all.keys())
            if said & words.strong.keys():
                found.append(path)
            elif not said:  # a lesser word may be the log's own
                searched.append(path.suffix.lstrip(".") or path.name)
        return replace(
            report, bytes_checked=not found, words=len(words.all) - within - elsewhere, within=within,
            elsewhere=elsewhere, quoted=len(quoted), own_quoted=own, searched=tuple(searched),
            found_in=tuple(str(path) for path in found),
        )  # fmt: skip

    def _rewritten(self) -> bool:
        with self.db.alone() as driver:
            driver.execute("VACUUM")
            for _ in range(50):
                (busy, *_rest) = driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
                if not busy:
                    break
                time.sleep(0.02)  # Another process is reading an older state; it will be done soon.
        return not busy

    def _found(self, erased: Erased, words: Words) -> tuple[list[Path], int, int, set[str]]:
        """The database's files that hold something of it though no living row does; how many words stand only within
        something that lives; how many stand there as words; and which of the erased sentences stand there."""
        files = proof.companions(self.db.path)
        needles = proof.needles_of(erased.texts, files)
        if self.db.key is None:
            suspects = {path: proof.texts_in_bytes(path, needles) for path in files}
            said = {path: proof.words_in_bytes(path, words.all) for path in files}
        with self.db.read() as db:
            if self.db.key is not None:
                files = files[:1]
                texts_there, words_there = proof.in_rows(raw(db), needles, words.all)
                suspects, said = {files[0]: {*texts_there}}, {files[0]: words_there}
            texts = {one for some in suspects.values() for one in some}
            left = texts - proof.living(db, {one: (one,) for one in texts}) if texts else set()
            held = {one: words.all[one] for some in said.values() for one in some}
            within = proof.living(db, held) if held else set()
            left |= held.keys() - within
            elsewhere = proof.standing(db, {one: words.all[one] for one in (*within, *proof.short(words.all))})
            stale = proof.stale_in_index(db, words.all)
        there = [path for path in files if stale or left & {*suspects[path], *said[path]}]
        return there, len(within - elsewhere), len(elsewhere), texts - left

    # Exports

    def wrote(self, user_id: int, path: Path) -> None:
        """Keeps in mind that an export of a user was written there; a database that can't be written doesn't."""
        if self.db.read_only:
            return
        values = {"user_id": user_id, "path": str(path.absolute()), "written_at": self.now()}
        known = insert(t.exports).values(values).on_conflict_do_update(
            index_elements=["user_id", "path"], set_={"written_at": values["written_at"]}
        )  # fmt: skip
        with self.db.write() as db:
            db.execute(known)

    def exports(self, user_id: int) -> list[Path]:
        """The exports of a user that are still where they were written."""
        with self.db.read() as db:
            paths = db.scalars(select(t.exports.c.path).where(t.exports.c.user_id == user_id).order_by(t.exports.c.id))
            return [path for one in paths if (path := Path(one)).is_file()]

    def _exports_with(self, found: Found) -> tuple[str, ...]:
        """Those that hold a name, number or rare word of it, or one of its facts and lines as it stands."""
        return proof.holding(self.exports(found.plan.user_id), self.db.key, found.plan, found.words.strong)
