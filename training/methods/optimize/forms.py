"""What an agent is shown, as named and typed fields: read off a training row's prompt, and written as that again.

An optimiser sees the fields; the model sees just what it will see at work. No DSPy in here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ....models.chat import retrieval
from ....models.editor import prompts as editor
from ....models.lm import Message
from ....models.prompts.messages import ANSWER, RETRIEVAL_SYSTEM, STORAGE_SYSTEM
from ....models.storage import reading

Fields = dict[str, Any]
_KNOWN = re.compile(r"\d+ \| [^|]* \| .*")


@dataclass(frozen=True, slots=True)
class Form:
    """An agent's fields. `start`: what it is told by hand; `inputs`: their names, types and meanings; `output`: the
    name and meaning of what it writes; `read` makes the fields of a prompt's messages and `write` the messages of the
    fields, with the hand-written instruction."""

    agent: str
    start: str
    inputs: Mapping[str, tuple[type, str]]
    output: tuple[str, str]
    read: Callable[[Sequence[Message]], Fields]
    write: Callable[[Fields], list[Message]]

    def shown(self, fields: Fields) -> str:
        """The fields in a demonstration: the matter itself, without whom it is about."""
        return self.write(fields)[-1].content


def messages_of(row: Mapping[str, Any]) -> list[Message]:
    """A training row's prompt."""
    return [Message(role, said) for role, said in row["messages"]]


def agent_of(row: Mapping[str, Any]) -> str | None:
    """Whose training row it is, by what it tells the model; None: a row of one's own, which tells something else."""
    said = row["messages"][0][1]
    told = {STORAGE_SYSTEM: "storage", RETRIEVAL_SYSTEM: "retrieval", editor.EDITOR_SYSTEM: "editor"}
    return "answer" if said.endswith(ANSWER) else told.get(said)


def _storage_fields(asked: Sequence[Message]) -> Fields:
    lines = asked[-1].content.split("\n")
    place = len(lines) - 1 - lines[::-1].index("Store:")
    known = [line for line in lines[:place] if _KNOWN.fullmatch(line)]
    before = [line for line in lines[:place] if line != "Known:" and not _KNOWN.fullmatch(line)]
    return {"known": known, "before": before, "line": "\n".join(lines[place + 1 :])}


def _storage_messages(fields: Fields) -> list[Message]:
    known = ["Known:", *fields["known"]] if fields["known"] else []
    text = "\n".join([*known, *fields["before"], "Store:", fields["line"]])
    return [Message("system", reading.GUIDE), Message("user", text)]


_HEADS = {"subjects": "Subjects: ", "topics": "Topics: ", "dates": "Dates: ", "today": "Today: "}
_FOUND = "- "


def _retrieval_fields(asked: Sequence[Message]) -> Fields:
    """Lines of known heads until that of today; what follows is the question, in as many lines as it has."""
    head, mark, rest = asked[-1].content.partition(f"\n{_HEADS['today']}")
    today, _, question = rest.partition("\n")
    lines = f"{head}{mark}{today}".split("\n")
    fields: Fields = {"question": question}
    for name, start in _HEADS.items():
        fields[name] = next((line.removeprefix(start) for line in lines if line.startswith(start)), "")
    return fields | {"found": [line.removeprefix(_FOUND) for line in lines if line.startswith(_FOUND)]}


def _retrieval_messages(fields: Fields) -> list[Message]:
    told = {name: f"{head}{fields[name]}" for name, head in _HEADS.items()}
    found = ["Found:", *(f"{_FOUND}{one}" for one in fields["found"])] if fields["found"] else []
    dates = [told["dates"]] if fields["dates"] else []
    text = "\n".join([told["subjects"], told["topics"], *found, *dates, told["today"], fields["question"]])
    return [Message("system", retrieval.GUIDE), Message("user", text)]


def _answer_fields(asked: Sequence[Message]) -> Fields:
    block, _, question = asked[-1].content.removeprefix("Memory:\n").partition("\n\n")
    recent = [f"{one.role}: {one.content}" for one in asked[1:-1]]
    who = asked[0].content.removesuffix(ANSWER).strip()
    memory = [line.removeprefix("- ") for line in block.split("\n")]
    return {"who": who, "recent": recent, "memory": memory, "question": question}


def _answer_messages(fields: Fields) -> list[Message]:
    recent = []
    for said in fields["recent"]:
        role, _, text = said.partition(": ")
        recent.append(Message("assistant" if role == "assistant" else "user", text))
    noted = "\n".join(f"- {line}" for line in fields["memory"])
    asked = Message("user", f"Memory:\n{noted}\n\n{fields['question']}")
    return [Message("system", f"{fields['who']} {ANSWER}"), *recent, asked]


def _editor_fields(asked: Sequence[Message]) -> Fields:
    return {"question": asked[-1].content}


def _editor_messages(fields: Fields) -> list[Message]:
    return [Message("system", editor.GUIDE), Message("user", fields["question"])]


_TEXTS = list[str]
FORMS = {
    "storage": Form(
        "storage", reading.GUIDE,
        {
            "known": (_TEXTS, "rows that the memory holds: id | topic | fact"),
            "before": (_TEXTS, "the lines before it"),
            "line": (str, "who speaks, and the line to be stored"),
        },
        ("sql", "the SQL, or exactly -- nothing"), _storage_fields, _storage_messages,
    ),
    "retrieval": Form(
        "retrieval", retrieval.GUIDE,
        {
            "subjects": (str, "people of whom the memory holds facts"), "topics": (str, "some of its topics"),
            "found": (_TEXTS, "what a first search found"),
            "dates": (str, "periods that the question names, with their first day and the first one after"),
            "today": (str, "today's date"), "question": (str, "who asks, and the question"),
        },
        ("sql", "one SELECT"), _retrieval_fields, _retrieval_messages,
    ),
    "answer": Form(
        "answer", ANSWER,
        {
            "who": (str, "who replies to whom, and today's date"), "recent": (_TEXTS, "the last lines of the talk"),
            "memory": (_TEXTS, "what was recalled, best first"), "question": (str, "the line to reply to"),
        },
        ("reply", "the reply"), _answer_fields, _answer_messages,
    ),
    "editor": Form(
        "editor", editor.GUIDE, {"question": (str, "the rows, what was said, and the choices")},
        ("answer", "one of the choices"), _editor_fields, _editor_messages,
    ),
}  # fmt: skip
"""The forms by agent."""
