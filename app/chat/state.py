"""How a chat stands: whose memory it is, its session, the latest lines, and what store, models and worker it has.

Talk, panels and slash commands take this value and change it; the controller holds it. It knows none of them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ...memory.database.moments import moment_of
from ...memory.errors import InputError
from ...memory.forget.basis import Basis
from ...memory.language.detect import language_of
from ...memory.language.question import stands_alone
from ...memory.language.quoted.secrets import without_secrets
from ...memory.values import (
    ASSISTANT,
    FORGOTTEN,
    ForgetPlan,
    ForgetReport,
    Moment,
    Recall,
    Session,
    Turn,
    TurnStatus,
    User,
)
from ..config.safe_text import one_line
from ..config.settings import Settings
from ..shown.events import (
    Asked,
    ChangeAsked,
    Event,
    FactAsked,
    IncognitoChanged,
    Notice,
    SessionStarted,
    UserChanged,
)
from .asking.questions import Questions
from .pump import Pump
from .roles import AgentsSource
from .worker import Job, StorageWorker

if TYPE_CHECKING:
    from ...memory.store.store import Store
    from ...memory.values import StorageState
    from ...models.api import Memory
    from ...models.files.profiles.profile import Profile
    from ...models.lm import Chunk

LONGEST_NAME = 64
LATER = "Lines from before that are remembered once incognito is off, or at the next start: {}."
LEANT_ON = 4
"""Turns before a question that it may lean on."""
ENGLISH_ONLY = (
    "The small model that comes with chatmem speaks English only: lines in other languages are kept and found by their "
    "words, and no facts are made of them. A larger model (`chatmem models pull`, then --model gguf:FILE) speaks yours."
)
KEPT = 400
"""Turns of a session that this process holds; how many of them a model reads hangs on its window."""


class ChatState:
    """The state of one chat. Not for several threads at once, save for `wait`, `pump` and `hurried`.

    `open_store` is called at the first need. `closed`: slash commands that are not offered here, each with the
    sentence that says why. `emit` gets what the storage worker did, in its thread.
    """

    at_hand = 0
    """The line that is being answered, until its job is the worker's (0: none)."""
    erased_of: str | None = None
    """Of whose memory something was erased for good in this chat."""
    erased_after = 0
    """The last line before that (0: none is left)."""
    wished: tuple[str, ...] = ()
    """The lines that were typed for what is `offered`: they name what is to go, and go with it."""
    _recall: Recall | None = None
    _recalled_for: tuple[int, frozenset[int]] = 0, frozenset()
    """The line that it was for, and the lines before that, on which it may lean."""
    told_language = False
    """Whether the user knows that the model speaks English only."""

    def __init__(
        self, open_store: Callable[[], Store], agents: AgentsSource, settings: Settings, emit: Callable[[Event], None],
        *, incognito: bool = False, closed: Mapping[str, str] | None = None,
    ) -> None:  # fmt: skip
        self.settings, self.agents, self.incognito = settings, agents, incognito
        self.closed = closed or {}
        self.session: Session | None = None
        """None until the first line is said."""
        self.recent: list[Turn] = []
        """The turns of the session, oldest first, at most `KEPT`."""
        self.thought = ""
        """What the model thought before its last reply, where it tells."""
        self.last_user: User | None = None
        """Under which name the last reply was asked for."""
        self.attempts = 0
        """How often the last line was answered again."""
        self.questions = Questions()
        """What the last line may have told or ended, until the next one."""
        self.offered: Asked | None = None
        """The question of a forget, until the next line."""
        self.noted: int | None = None
        """The memory that `/remember` wrote since the last line of talk."""
        self.pump: Pump[Event | Chunk] | None = None
        """The reply that is being written."""
        self.hurried = threading.Event()
        """Set when the user wants to leave at once: what can wait for another time is not begun any more."""
        self.others: Callable[[], Sequence[ChatState]] = tuple
        """The other chats of the same person in this program."""
        self.taking = threading.Lock()
        """Held by the chat, of these, that takes up lines that wait, or begins with one."""
        self.trouble = ""
        """Why the last search went by words alone, as the user was told."""
        self._open_store = open_store
        self._opened: Store | None = None
        self._opening = threading.Lock()
        self._name = valid_name(settings.user)
        self._user: User | None = None
        self.worker = StorageWorker(lambda: self.store, agents, self._heard(emit), settings.line_chars)

    def _heard(self, emit: Callable[[Event], None]) -> Callable[[Event], None]:
        """What the worker tells, with its question noted, so that the next line may answer it; while an erase waits for
        its yes, no other question comes between."""

        def heard(event: Event) -> None:
            later = self.offered is not None
            if not isinstance(event, (ChangeAsked, FactAsked)) or self.questions.ask(event, later=later):
                emit(event)

        return heard

    @property
    def store(self) -> Store:
        """The memory, opened at the first need. Raises StoreError."""
        with self._opening:
            if self._opened is None:
                self._opened = self._open_store()
                if not self.incognito:
                    self._opened.recutting.begin()
                    self._opened.reembedding.begin()
            return self._opened

    @property
    def memory(self) -> Memory:
        """The user's memory, as the Python API has it. Raises StoreError."""
        from ...models.api import Memory

        return Memory.over(self.store, self.user)

    def close_store(self) -> None:
        """Closes the memory, if it was opened."""
        if self._opened is not None:
            self._opened.close()

    def wait(self, timeout: float | None = None) -> bool:
        """True when every line so far has been turned into memories; False after `timeout` seconds."""
        return self.worker.wait(timeout)

    def now(self) -> Moment:
        """The time by the memory's clock."""
        if self.incognito:
            return moment_of(datetime.now(UTC))
        return self.store.now()

    # Whose memory

    @property
    def name(self) -> str:
        """The user's name, without asking the database."""
        return self._name

    @property
    def user(self) -> User:
        """Whose memory it is; in incognito a mere name that the database is not asked about."""
        if self.incognito:
            return User(0, self._name)
        if self._user is None:
            self._user = self.store.users.get(self._name)
        return self._user

    def set_user(self, user: User) -> None:
        """Takes over what the database holds of a user, such as a name that was told."""
        self._name, self._user = user.name, user

    def read_name(self) -> None:
        """After an undo or a redo, which may have given the user another name."""
        self.set_user(self.store.users.get(self.name))

    def switch_user(self, name: str) -> Iterator[Event]:
        """Another user's memory from here on; ends the session. Raises InputError for what can't be a name."""
        name = valid_name(name)
        self.end_session()
        self._name, self._user = name, None
        yield UserChanged(self.user)
        if not self.incognito:
            self.retry_pending()

    def set_incognito(self, on: bool) -> Iterator[Event]:
        """Into or out of incognito; what is said there is gone from the prompt on the way out."""
        later = 0
        if on != self.incognito:
            later = self.worker.put_aside() if on else 0  # nothing is remembered meanwhile, nor lost
            self.end_session()
            self.incognito = on
            if not on:
                self.worker.take_up()
        yield IncognitoChanged(on)
        if later:
            yield Notice(LATER.format(later))

    def forget_everything(self) -> None:
        """After the user's memory is gone: nothing of it stays in this process either."""
        self.session, self.recent, self._recall, self._user, self.thought = None, [], None, None, ""
        self.questions.clear()

    def forget(self, plan: ForgetPlan) -> ForgetReport:
        """Erases what a plan names; no waiting job, and nothing of this process, brings it back. Raises NotFound."""
        with self.worker.still():
            report = self.memory.forget(replace(plan, typed=(*plan.typed, *self.wished)))
            said = {turn.id for job in self.worker.jobs for turn in job.turns} | {turn.id for turn in self.recent}
            now = {turn.id: turn for turn in self.store.turns.by_id(self.user.id, sorted(said))}
            self.worker.forget({key for key in said if key not in now or now[key].text == FORGOTTEN})
            self.recent = [now[turn.id] for turn in self.recent if turn.id in now]
            self._recall, self.noted, self.erased_of, self.thought = None, None, self.name, ""
            self.questions.clear()
            self.erased_after = max((turn.id for turn in self.recent), default=0)
            self.read_name()
        return report

    # What was looked up

    def recalled(self, recall: Recall, turn: Turn) -> None:
        """Keeps what was looked up for a line, until the next one."""
        self._recall, self.last_user = recall, self.user
        self._recalled_for = turn.id, frozenset(one.id for one in self.leant_on())

    @property
    def last_recall(self) -> Recall | None:
        """What the last reply was built on, without what was erased since, in another chat or by another program; None
        where the line that was answered was. Raises StoreError."""
        if self._recall is not None and not self.incognito:
            line, before = self._recalled_for
            left = self.store.forget.left_of(self.user.id, self._recall, line, before)
            self.thought = self.thought if left is self._recall else ""
            self._recall = left
        return self._recall

    @property
    def last_thought(self) -> str:
        """What was thought before the last reply; empty where something that it may name was erased since."""
        return self.thought if self.last_recall is not None or self.incognito else ""

    # The session

    def ensure_session(self, first_line: str) -> Iterator[Event]:
        """A session is made by its first line, so that an empty chat leaves none behind."""
        if self.session is None and not self.incognito:
            title = one_line(without_secrets(first_line), 60)  # titles are seen by who looks over one's shoulder
            self.session = self.store.sessions.start(self.user.id, title=title)
            yield SessionStarted(self.session, self.user)

    def resume(self, session_id: int) -> Iterator[Event]:
        """Goes on in an earlier session; its latest turns are in the prompt again."""
        session = self.store.sessions.get(session_id, user_id=self.user.id)
        self.end_session()
        self.session = self.store.sessions.resume(session.id)
        self.read_recent()
        yield SessionStarted(session, self.user, resumed=True)

    def read_recent(self) -> None:
        """The latest turns as the database has them: the session may go on in another window."""
        if self.session is not None:
            self.recent = self.store.turns.of(self.session.id, limit=KEPT)

    def end_session(self) -> int | None:
        """Ends the session, if one is open; its id."""
        ended = self.session
        self.session, self.recent, self._recall, self.attempts, self.thought = None, [], None, 0, ""
        if ended is not None:
            self.store.sessions.end(ended.id)
        return ended.id if ended else None

    # Its lines

    def keep(
        self, speaker: str, text: str, *, status: TurnStatus = "complete", storage: StorageState = "skipped",
        basis: Basis | None = None,
    ) -> Turn:  # fmt: skip
        """The turn, committed; in incognito a turn that only this process knows. `basis`: as of `Turns.add`."""
        if self.incognito or self.session is None:
            return Turn(0, 0, 0, speaker, text, self.now(), status)
        with self.taking:  # nobody may look when it waits and isn't at hand
            turn = self.store.turns.add(self.session.id, speaker, text, status=status, storage=storage, basis=basis)
            self.at_hand = turn.id if storage == "pending" else self.at_hand
        return turn

    def take_back(self, turn_id: int) -> None:
        """An earlier line is at hand again: no chat reads it any further; what of it is being read is waited for."""
        with self.taking:
            self.at_hand = turn_id
        for chat in (self, *self.others()):
            chat.worker.take_back(turn_id)

    def reread_recent(self) -> None:
        """The turns of the session as they are now: another program may have forgotten some."""
        kept = sorted({turn.id for turn in self.recent if turn.id})
        now = {turn.id: turn for turn in self.store.turns.by_id(self.user.id, kept)} if kept else {}
        self.recent = [now.get(turn.id, turn) for turn in self.recent if not turn.id or turn.id in now]

    def remember_recent(self, *turns: Turn | None) -> None:
        """Adds to the turns of the session; the oldest go."""
        self.recent += [turn for turn in turns if turn is not None]
        del self.recent[:-KEPT]

    def recent_for(self, turn: Turn, profile: Profile) -> Sequence[Turn]:
        """The turns that belong before this line in the prompt: none before a question that needs none, where the model
        was trained here; others see the whole talk, or as many turns as the settings say."""
        told = language_of(turn.text, self.settings.language, thorough=False)
        trained = profile.prompts == "trained"
        if not self.settings.recent_turns or (trained and stands_alone(turn.text, told) and not self.incognito):
            return ()
        before = self.recent[: self.recent.index(turn)] if turn in self.recent else self.recent
        before = [one for one in before if one.text != FORGOTTEN]
        return before[-profile.talk_turns :] if profile.talk_turns else before

    def leant_on(self) -> Sequence[Turn]:
        """The turns before a question, which it may lean on: "and hers?"."""
        return [one for one in self.recent[-LEANT_ON:] if one.text != FORGOTTEN]

    def of_its_language(self, text: str, profile: Profile) -> Iterator[Event]:
        """Once: that the small model speaks English only, where a line is in another language."""
        told = language_of(text, self.settings.language, thorough=False)
        if profile.prompts == "trained" and told.code != "en" and not self.told_language:
            self.told_language = True
            yield Notice(ENGLISH_ONLY)

    def by_words(self) -> Notice | None:
        """That search went by words alone, once for each reason."""
        trouble, before = self.store.search.trouble, self.trouble
        self.trouble = trouble
        return Notice(f"Search went by words alone: {trouble}", "warning") if trouble and trouble != before else None

    def last_exchange(self) -> tuple[Turn | None, Turn | None]:
        """The user's last line of this session and the reply to it (None: there was none)."""
        reply = self.recent[-1] if self.recent and self.recent[-1].speaker == ASSISTANT else None
        before = self.recent[:-1] if reply else self.recent
        return (before[-1] if before and before[-1].speaker != ASSISTANT else None), reply

    def drop_last_exchange(self) -> None:
        """The last line and its reply are no longer among the latest turns; the database keeps them."""
        turn, reply = self.last_exchange()
        del self.recent[len(self.recent) - sum(part is not None for part in (turn, reply)) :]

    def undo_writes_of(self, turn: Turn) -> None:
        """Takes back what was written from a turn. Raises InputError when a later change stands on it."""
        if self.store.journal.turn_writes(turn.id, user_id=self.user.id):
            self.store.journal.undo_turn(turn.id, user_id=self.user.id)
            self.read_name()

    def retry_pending(self) -> int:
        """Hands the worker the lines that are not turned into memories yet and that no chat is at, and what others put
        aside; how many there are."""
        with self.taking:
            others = self.others()
            jobs = [job for other in others for job in other.worker.give_up_aside()]
            taken = {job.turn_id for job in jobs}.union(*(chat.turn_ids for chat in (self, *others)))
            pending = self.store.queue.pending(self.user.id)  # read last: what is done since waits no longer
            jobs += [self._job(turn) for turn in pending if turn.id not in taken]
            for job in jobs:
                self.worker.put(job)
        return len({job.turn_id for job in jobs})

    @property
    def turn_ids(self) -> set[int]:
        """The lines that are this chat's to remember: the one at hand, and those that its worker has."""
        return {self.at_hand, *self.worker.turn_ids}

    def _job(self, turn: Turn) -> Job:
        following = [t for t in self.store.turns.of(turn.session_id) if t.id > turn.id][:1]
        return Job(self.user, (turn, *(t for t in following if t.speaker == ASSISTANT)))


def valid_name(name: str) -> str:
    """A user's name as given, trimmed. Raises InputError for one that is empty, too long or not printable."""
    trimmed = name.strip()
    if not trimmed or len(trimmed) > LONGEST_NAME or not trimmed.isprintable():
        raise InputError(f"{one_line(name, 40)!r} can't be a user's name; take 1 to {LONGEST_NAME} letters.")
    return trimmed
