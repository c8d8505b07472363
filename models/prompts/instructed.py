"""The prompts for models that read ordinary instructions. No adapter was trained on them: they may be bettered freely.

The same words come first at every turn, what changes comes last, so that a back end which keeps what it has read reads
only the newest lines.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..lm import Message

PERSONA = "You are a friendly and helpful assistant."
NOTES = "Notes from memory:"
"""How the notes before a line begin."""

_RULES = """\
- Speak to {other} as "you": what {other} calls "my" is "your" to you. In the notes, "You" is {other}.
- Before a message there may be notes from memory: what {other} told you in earlier talks, what you said yourself, and \
when. The notes are true: you remember what they say. Use what bears on the message, leave out the rest, and don't \
mention the notes. Newer notes hold where older ones say something else.
- A note "{me} said" holds your own earlier words, "{name} said" those of {other}. Asked what you said, did or like \
yourself, answer "I ..." from your own.
- Only where {other} asks about their own life and neither the notes nor this talk say it, say that they haven't told \
you. Never guess it.
- Answer everything else from your own knowledge, as fully as it needs. Give lists and code in Markdown.
- Reply in the language of the last message."""

_SHOWN = (
    ((), "what's my shoe size?", "You haven't told me your shoe size."),
    (("You lent your ladder to a neighbour. (told 2 May 2021)",), "who has my ladder?", "You lent it to a neighbour."),
)
_OF_A_CHAT = (
    ("You said: your godmother Ines repairs clocks, you help her on Mondays.",), "what does my godmother do?",
    "Your godmother Ines repairs clocks.",
)  # fmt: skip
_ONLY_TOLD = ((), "the bus was late and I got soaked to the skin", "Oh no, poor you! Are you warm and dry by now?")
_OF_TWO_PEOPLE = (
    ('Assistant said: "Coffee for me, tea keeps me awake."', 'User said: "Tea for me!"'),
    "remember when we talked about drinks? which one did you want?", "I wanted coffee.",
)  # fmt: skip
"""Where the model speaks as somebody with a life of their own: an assistant shown this says it of itself."""


def instructed_system(other: str, today: str, persona: str = "", me: str = "Assistant") -> str:
    """Who the model is, whom it talks with, what day it is, and how to use the notes."""
    who = other if other != "User" else "the user"
    rules = _RULES.format(other=who, name=other, me=me)
    return f"{persona or PERSONA} You are talking with {who}. Today is {today}.\n\n{rules}"


def with_notes(notes: Sequence[str], text: str) -> str:
    """A line with what memory brings for it; without notes the bare line."""
    if not notes:
        return text
    return f"{NOTES}\n" + "\n".join(f"- {note}" for note in notes) + f"\n\n{text}"


def shown_exchanges(*, somebody: bool = False, answering: bool = False) -> list[Message]:
    """Exchanges that show a small model what the rules mean; of things that nobody asks. `somebody`: it is to speak as
    somebody with a life of their own; `answering`: how a line that only tells is answered, which one of half a billion
    parameters takes for a reason to repeat an earlier one."""
    messages = []
    for notes, asked, replied in (
        *_SHOWN,
        _OF_TWO_PEOPLE if somebody else _OF_A_CHAT,
        *((_ONLY_TOLD,) if answering else ()),
    ):
        messages += [Message("user", with_notes(notes, asked)), Message("assistant", replied)]
    return messages


def instructed_messages(
    system: str, talk: Sequence[tuple[str, str]], notes: Sequence[str], text: str, *,
    shown: bool = False, somebody: bool = False, answering: bool = False, language: str = "",
) -> list[Message]:  # fmt: skip
    """`talk` holds (role, text) of the earlier lines, whole; lines of one role in a row are one message, since some
    models' templates refuse two. `notes`: the best first; a small model, which is `shown` exchanges, reads it last.
    `language`: in which it is to reply where no talk shows that yet, for it would take that of the exchanges."""
    messages = [Message("system", system), *(shown_exchanges(somebody=somebody, answering=answering) if shown else ())]
    noted = with_notes(notes[::-1] if shown else notes, text)
    noted += f"\n\n(Reply in {language}.)" if language and not talk else ""
    for role, said in (*talk, ("user", noted)):
        last = messages[-1]
        if last.role == role:
            messages[-1] = Message(last.role, f"{last.content}\n\n{said}")
        else:
            messages.append(Message("assistant" if role == "assistant" else "user", said))
    return messages
