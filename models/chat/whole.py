"""A question made whole from the talk, so that search knows what it asks: "and hers?" -> "What is Ana's dog called?".

A model that reads instructions is asked, where a question leans on what was said before it and only there; the embedded
one isn't: for it the rule of `memory/language/leaning/questions.py` does what is plain.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...memory.errors import ModelError
from ...memory.language.detect import language_of
from ...memory.language.leaning.questions import leans, made_whole
from ...memory.values import ASSISTANT, Turn
from ..files.profiles.profile import profile_of
from ..lm import LM, Message, Options, complete
from ..prompts.messages import one_line

LINES, LINE_WORDS = 4, 60
"""Lines of the talk that are shown, and words of each."""
MAX_TOKENS = 48
GUIDE = """\
Rewrite the last question so that it can be understood without the talk before it: put the person or thing that it \
points at in its place. Keep its language, and keep "I" and "my". Add nothing. Answer with the question alone."""
_SHOTS = (
    ("Talk:\nuser: Where does Ben's sister work?\nassistant: At the harbour.\nQuestion: and his brother?",
     "Where does Ben's brother work?"),
    ("Talk:\nuser: my aunt Olga got a parrot\nassistant: How nice!\nQuestion: what was she called again?",
     "What is my aunt called?"),
    ("Talk:\nuser: Wie heißt meine Katze?\nassistant: Mimi.\nQuestion: und wie alt ist sie?",
     "Wie alt ist meine Katze Mimi?"),
)  # fmt: skip


def whole(lm: LM | None, text: str, before: Sequence[Turn], setting: str | None = None) -> str:
    """The question as it is to be looked up. `before`: the talk so far, oldest first; `setting`: the language."""
    language = language_of(text, setting, thorough=False)
    if not before or not leans(text, language):
        return text
    if lm is None or not profile_of(lm).capable:
        own = [turn.text for turn in before if turn.speaker != ASSISTANT]
        return made_whole(text, own[-LINES:], language)
    try:
        told = complete(lm, messages(text, before), Options(max_tokens=MAX_TOKENS, stop=("\n",)))
    except ModelError:  # the question itself can be looked up too
        return text
    told = told.strip().strip("\"'").removeprefix("Question:").strip()
    return told if _is_one(told, text, before) else text


def messages(text: str, before: Sequence[Turn]) -> list[Message]:
    """The instructions, three examples, the talk and the question."""
    shots = [one for scene, answer in _SHOTS for one in (Message("user", scene), Message("assistant", answer))]
    talk = [
        f"{'assistant' if turn.speaker == ASSISTANT else 'user'}: {one_line(turn.text, LINE_WORDS)}"
        for turn in before[-LINES:]
    ]
    asked = "\n".join(["Talk:", *talk, f"Question: {one_line(text, LINE_WORDS)}"])
    return [Message("system", GUIDE), *shots, Message("user", asked)]


def _is_one(told: str, text: str, before: Sequence[Turn]) -> bool:
    """Whether a model gave back one question of a sane length, and no answer or chatter."""
    said = sum(len(turn.text) for turn in before[-LINES:])
    return bool(told) and told.endswith(("?", "？")) and len(told) <= min(3 * len(text) + said, 300)
