"""The answer agent: replies from what was recalled, and says so when memory doesn't hold it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import tzinfo
from functools import partial

from ...memory.errors import PromptTooLong
from ...memory.language.asked.personal import asks_knowhow, of_the_world
from ...memory.language.asked.small_talk import is_small_talk
from ...memory.language.asked.telling import asks, only_tells
from ...memory.language.detect import language_of
from ...memory.language.language import Language
from ...memory.language.words import query_words, terms
from ...memory.search.evidence import told_texts
from ...memory.values import ASSISTANT, Moment, Recall, Turn, User
from ..decoding.thought import split_thoughts
from ..files.profiles.profile import SHIPPED, Profile, profile_of
from ..lm import LM, Chunk, Message, Options
from ..prompts.instructed import instructed_messages, instructed_system
from ..prompts.messages import answer_messages
from ..prompts.notes import named
from ..prompts.tuned import Prompt
from .acknowledged import acknowledged, heard, of_a_life, unled, unpromising
from .broken_off import gone_on
from .notes import few, notes, without_turns
from .running_talk import Said, running_talk, without_thanks
from .telling import ME, RECALL_WORDS, YOU, Talkers, memory_lines, spoken_date
from .told.spelled import spelled
from .told.worldly import SMALL, remembered, soundly

__all__ = [
    "BUDGET", "MAX_TOKENS", "ME", "RECALL_WORDS", "YOU", "AnswerAgent", "Talkers", "memory_lines",
    "spoken_date",
]  # fmt: skip

BUDGET = 20_000
"""Most tokens of a prompt, whatever the context window allows."""
MAX_TOKENS = SHIPPED.reply_tokens
RECENT = SHIPPED.talk_turns
"""Lines of the running talk in the prompt of a model that was trained here."""
LEAST_PROMPT = 300
"""Tokens below which a prompt isn't made shorter for a server that says it is too long."""
SHORT = 60
"""Words up to which a line may only be thanked for; longer ones ask for a reply that has read them."""
REFUSAL = "You haven't told me"
"""How a model that was trained here says so."""
FRAME = 6
"""Tokens that a template puts around a message."""


class AnswerAgent:
    """Replies as `me` (the assistant by default) from the recall and the running talk.

    `profile`: how the model is used, its own where none is given; `words`: most words of memory, the profile's where
    none are given; `persona`: who a model that reads instructions is to be; `zone`: whose days are told; `prompt`: one
    tuned to a model without an adapter.
    """

    def __init__(
        self, lm: LM, *,
        budget: int = BUDGET, words: int | None = None, me: str = ASSISTANT, zone: tzinfo | None = None,
        profile: Profile | None = None, persona: str = "", prompt: Prompt | None = None,
    ) -> None:  # fmt: skip
        self.lm, self.budget, self.me, self.zone, self.persona = lm, budget, me, zone, persona
        self.tuned = prompt if lm.adapter is None else None
        self._profile = profile
        self._words = words

    @property
    def profile(self) -> Profile:
        return self._profile or profile_of(self.lm)

    @property
    def words(self) -> int:
        return self.profile.memory_words if self._words is None else self._words

    def prompt(self, user: User, recall: Recall, recent_turns: Sequence[Turn], text: str, now: Moment) -> list[Message]:
        """The exact prompt. What doesn't fit the token budget goes, oldest talk first, then the weakest memories.

        A model that was trained here is given a recall without the lines of `recent_turns`; for others the lines that
        the prompt holds anyway are left out here, since what of the talk fits is known only here.
        """
        scene = Talkers(self.me, user.subject, self.zone)
        if self.profile.prompts == "plain" and self.tuned is None:  # prompts are tuned in the form below
            return self._instructed(scene, recall, recent_turns, text, now)
        if self.me == ASSISTANT and only_tells(text, language_of(text, thorough=False)):
            # A small model that is shown memory and talk says once more what it said before.
            recall, recent_turns = replace(recall, items=(), general=True), ()
        recent = [("assistant" if turn.speaker == self.me else "user", turn.text) for turn in recent_turns[-RECENT:]]
        lines = memory_lines(recall, scene, self.words)
        while True:
            memory = None if recall.general and not lines else lines
            messages = answer_messages(scene.system(now, memory=memory is not None), recent, memory, text)
            messages = self.tuned.in_answer(messages) if self.tuned else messages
            if self._size(messages) <= self._room or not (recent or lines):
                return messages
            if recent:
                recent.pop(0)
            else:
                lines.pop()

    def _instructed(
        self, scene: Talkers, recall: Recall, recent_turns: Sequence[Turn], text: str, now: Moment
    ) -> list[Message]:
        """The prompt for a model that reads instructions: the whole talk as far as it fits, then notes and line."""
        shown, somebody = self.profile.small, self.me != ASSISTANT
        language = named(language_of(text, thorough=False).code) if shown else ""
        scene.turned = shown and not somebody
        system = instructed_system(scene.other, scene.day(now), self._who(), scene.named(self.me))
        said = [Said("assistant" if turn.speaker == self.me else "user", turn.text, turn.id) for turn in recent_turns]
        said = without_thanks(said) if shown else said
        form = partial(
            instructed_messages, system, text=text, shown=shown, somebody=somebody, language=language,
            answering=self.profile.chooses == "led" and not somebody,
        )  # fmt: skip
        frame = self._size(form([], []))
        given = self._notes(recall, scene)
        talk = running_talk(said, self._talk_room(frame, given), self.lm.count_tokens)
        if not recall.chosen:
            given = self._notes(without_turns(recall, {one.turn_id for one in talk}), scene)
        while True:
            pairs = [(one.role, one.text) for one in talk]
            messages = form(pairs, given)
            if self._size(messages) <= self._room or not given:
                return messages
            given.pop()

    def _notes(self, recall: Recall, scene: Talkers) -> list[str]:
        """Best first. A small model is led astray by a dozen, and reads for many seconds before its first word."""
        given = notes(recall, scene, self.words)
        return few(given, recall, scene.other) if self.profile.small else given

    def _who(self) -> str:
        return self.persona if self.me == ASSISTANT else f"You are {self.me}. {self.persona}".strip()

    def _talk_room(self, frame: int, given: Sequence[str]) -> int:
        """Tokens for the running talk: what frame and notes leave of the room, and at most what the profile says."""
        left = self._room - frame - sum(self.lm.count_tokens(note) + FRAME for note in given)
        return max(min(left, self.profile.talk_tokens or left), 0)

    def reply(
        self, user: User, recall: Recall, recent_turns: Sequence[Turn], text: str, now: Moment, *, attempt: int = 0
    ) -> Iterator[Chunk]:
        """Streams the reply; `attempt` above 0 asks for another wording. Raises ModelError."""
        profile = self.profile
        options = Options(
            max_tokens=profile.reply_tokens, temperature=profile.temperature, top_p=profile.top_p, repeat_penalty=1.05
        )
        if attempt:
            options = replace(options, temperature=max(options.temperature, 0.7), top_p=0.9, seed=attempt)
        while True:
            messages = self.prompt(user, recall, recent_turns, text, now)
            try:
                yield from self._open(user, recall, recent_turns, text, now, messages, options)
                return
            except PromptTooLong:
                if profile.prompts != "plain" or not self._shrink(messages):
                    raise

    def _open(
        self, user: User, recall: Recall, recent_turns: Sequence[Turn], text: str, now: Moment,
        messages: Sequence[Message], options: Options,
    ) -> Iterator[Chunk]:  # fmt: skip
        """The reply; of a small model to a question about the world without memory, which would make it refuse or take
        a name out of it: at once where nothing that was recalled speaks of it, else if it refuses."""
        said = [turn.text for turn in recent_turns if turn.speaker == self.me]
        if self.profile.capable:
            return self._capably(text, said, messages, options)
        first = self.lm.adapter is not None and not options.seed  # whoever asks for another reply gets the model's own
        language = language_of(text, thorough=False)
        if self.me == ASSISTANT and first and asks_knowhow(text, language):
            return iter([Chunk(SMALL, "stop")])
        if self.me == ASSISTANT and first and (thanks := acknowledged(text, said)):
            return iter([Chunk(thanks, "stop")])
        if self.me == ASSISTANT and not asks(text, language):
            other = replace(options, temperature=max(options.temperature, 0.7), top_p=0.9, seed=options.seed + 1)
            replied = _unrepeated(self._streamed(messages, options), said, partial(self._streamed, messages, other))
            replied = spelled(replied, text)
            return unpromising(replied, text, said) if self.lm.adapter is not None else replied
        replied = self._answered(user, recall, recent_turns, text, now, messages, options, language)
        return unled(replied, text) if self.lm.adapter is not None else replied

    def _answered(
        self, user: User, recall: Recall, recent_turns: Sequence[Turn], text: str, now: Moment,
        messages: Sequence[Message], options: Options, language: Language,
    ) -> Iterator[Chunk]:  # fmt: skip
        """The reply of a small model to a question."""
        if not of_the_world(text, language, told_texts(recall)):
            return self._streamed(messages, options)
        bare = self.prompt(user, replace(recall, items=(), general=True), recent_turns, text, now)
        known, own = partial(self._streamed, bare, options), self.me == ASSISTANT and self.lm.adapter is not None
        if not _speaks_of(recall, text):
            return soundly(known(), text) if own else known()
        replied = self._streamed(messages, options)
        return remembered(replied, text, lambda: soundly(known(), text)) if own else _unrefused(replied, known)

    def _capably(
        self, text: str, said: Sequence[str], messages: Sequence[Message], options: Options
    ) -> Iterator[Chunk]:  # fmt: skip
        """The reply of a model that reads instructions; a small one's own to what is only told after a long reply, for
        then something may be worked on, but not word for word an earlier one."""
        thanks = self._thanks(text, said) if not options.seed else None
        greets = is_small_talk(text, language_of(text, thorough=False))  # "Hello!" may be said back
        if thanks is None and self.profile.small and self.me == ASSISTANT and not (options.seed or greets):
            return _unrepeated(
                self._streamed(messages, options), [text.strip()], lambda: iter([Chunk(heard(text), "stop")])
            )
        if thanks is None:
            return self._streamed(messages, options)
        instead = iter([Chunk(thanks, "stop")])
        if len(said[-1].split()) <= SHORT:
            return instead
        return _unrepeated(self._streamed(messages, options), said, lambda: instead)

    def _thanks(self, text: str, said: Sequence[str]) -> str | None:
        """What is said to a short line that only tells, in place of a model of a few billion parameters, which says it
        again, or is sorry for what is good news. It replies to the first line of a talk, and has then read its rules
        before the first question."""
        if not self.profile.small or self.persona or self.me != ASSISTANT or not said:
            return None
        short = len(text.split()) <= SHORT and "\n" not in text.strip()
        return acknowledged(text, said) if short and of_a_life(text) else None

    def _streamed(self, messages: Sequence[Message], options: Options) -> Iterator[Chunk]:
        """The reply, thoughts taken apart; one that breaks off is asked to be gone on with, once."""
        if not self.profile.capable:
            return self.lm.generate(messages, options)
        return split_thoughts(gone_on(self.lm, messages, options))  # also of a model that nobody knew to think

    def _shrink(self, messages: Sequence[Message]) -> bool:
        """After a refusal for length: the next prompt has half the tokens of this one. False: that leaves nothing."""
        half = self._size(messages) // 2
        self.budget = min(self.budget, half)
        return half >= LEAST_PROMPT

    @property
    def _room(self) -> int:
        return min(self.budget, self.lm.context_tokens - self.profile.reply_tokens)

    def _size(self, messages: Sequence[Message]) -> int:
        count: Callable[[str], int] = self.lm.count_tokens
        return sum(count(message.content) + FRAME for message in messages)


def _speaks_of(recall: Recall, text: str) -> bool:
    """Whether anything that was recalled holds half of the question's words: "who plays the drums?"."""
    asked = {*terms(" ".join(query_words(text)))}
    return any(2 * len(asked & {*terms(told)}) >= len(asked) for told in told_texts(recall)) if asked else False


def _unrepeated(
    replied: Iterator[Chunk], said: Sequence[str], again: Callable[[], Iterator[Chunk]]
) -> Iterator[Chunk]:  # fmt: skip
    """A reply; one that says word for word what `said` holds is made anew, once. It is held back only as long
    as it may still become one of those."""
    held, begun = list[Chunk](), ""
    for chunk in replied:
        if chunk.thought and not chunk.text and not held:
            yield chunk
            continue
        held.append(chunk)
        begun += chunk.text
        if not any(one.startswith(begun.strip()) for one in said):
            yield from itertools.chain(held, replied)
            return
    yield from again() if begun.strip() in said else held


def _unrefused(replied: Iterator[Chunk], again: Callable[[], Iterator[Chunk]]) -> Iterator[Chunk]:
    """A reply; one that begins by saying that it wasn't told, of a question that nobody need have told, is made anew
    without memory, for memory in its prompt makes a small model refuse what it knows."""
    held, begun = list[Chunk](), ""
    for chunk in replied:
        held.append(chunk)
        begun += chunk.text
        if len(begun) >= len(REFUSAL) or not REFUSAL.startswith(begun):
            break
    yield from again() if begun.startswith(REFUSAL) else itertools.chain(held, replied)
