"""What to expect of a model on this machine, in plain words: how soon it speaks, how fast, what it needs and sees."""

from __future__ import annotations

from collections.abc import Iterator

from .profile import Chooses, Profile

WORDS_PER_TOKEN = 0.75
ANSWER_WORDS, LONG_WORDS = 40, 600
TURN_TOKENS = 450
"""Tokens that are new at a turn: some notes from memory, the line, and the last exchange."""
SLOW_FIRST, SLOW_ANSWER = 10.0, 30.0
_STORED = (
    " English lines are stored, and rows selected, by the embedded model, which was trained for that (storage_model "
    "and retrieval_model change it)."
)
_READ: dict[Chooses, str] = {
    "told back": f" It is so small that a question about what you told gets the told sentence itself.{_STORED}",
    "led": f" Asked about what you told, it is shown the sentence that answers, and says it in its own words.{_STORED}",
    "itself": "",
}


def sentences(
    profile: Profile, *, reading: float, writing: float, memory: int = 0, here: bool = True
) -> Iterator[str]:  # fmt: skip
    """`reading` and `writing`: tokens a second (0: not measured); `memory`: bytes that model and cache take; `here`: on
    this machine, and no server."""
    yield _kind(profile)
    yield _sees(profile)
    if reading and here:
        first = TURN_TOKENS / reading
        slow = "; a smaller one is better in a chat" if first > SLOW_FIRST and profile.capable else ""
        wait = _span(first)
        yield f"It reads {reading:.0f} tokens a second: at a usual turn the first word takes about {wait}{slow}."
    if writing:
        short, long = (words / WORDS_PER_TOKEN / writing for words in (ANSWER_WORDS, LONG_WORDS))
        slow = "; a smaller model would be quicker" if short > SLOW_ANSWER and profile.capable else ""
        yield (
            f"It writes {writing:.0f} tokens a second: an answer of {ANSWER_WORDS} words takes about {_span(short)}, "
            f"one of {LONG_WORDS} words {_span(long)}{slow}."
        )
    if memory:
        yield f"It takes about {memory / 1e9:.1f} GB of memory."
    if here:
        yield "These are figures of this moment: beside other work a machine is slower."


def _kind(profile: Profile) -> str:
    family = profile.family or "of no family that chatmem knows"
    size = f", {profile.parameters:g} billion parameters" if profile.parameters else ""
    if profile.capable:
        thinking = profile.thinking != "none"
        thinks = " It thinks before it replies, which takes longer; /thinking shows it." if thinking else ""
        return f"This model ({family}{size}) is asked in plain words.{thinks}{_READ[profile.chooses]}"
    if profile.prompts == "trained":
        return "This is the embedded model, or one as small: it is asked as chatmem's own adapters were trained."
    return f"This model ({family}{size}) is small for plain words; expect short and simple replies."


def _sees(profile: Profile) -> str:
    talk = f"the last {profile.talk_turns} turns" if profile.talk_turns else "the whole talk as far as it fits"
    return (
        f"It reads {profile.window:,} tokens at once: {talk}, {profile.memory_words} words of memory, "
        f"and replies with up to {profile.reply_tokens:,} tokens."
    )


def _span(seconds: float) -> str:
    if seconds < 1:
        return "less than a second"
    return f"{seconds:.0f} seconds" if seconds < 90 else f"{seconds / 60:.0f} minutes"
