"""PersonaMem as bowen-upenn published it: chats of a made-up person with an assistant, and questions with options.

`questions_32k.csv` (128k, 1M) has a question a line, `shared_contexts_32k.jsonl` beside it the chats, an object a line:
{id: [{"role", "content"}, ...]}. A question is asked after the first `end_index_in_shared_context` messages of a chat.
"""

from __future__ import annotations

import ast
import csv
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...memory.errors import InputError, NotFound
from ...memory.values import ASSISTANT
from .official_files import Loaded, head, json_lines, sorted_out, string
from .sessions import Sitting, Utterance

COLUMNS = (
    "persona_id", "question_id", "question_type", "topic", "context_length_in_tokens", "user_question_or_message",
    "correct_answer", "all_options", "shared_context_id", "end_index_in_shared_context",
)  # fmt: skip
USER, PERSONA = "User", "Persona"
TURNS = 20
"""Messages of a session where the chat doesn't mark where one begins (with a message of the system)."""
_FIELD = 1 << 24
"""Bytes that a field of the table may have."""
_SAID = re.compile(r"(?:User|Assistant)\s*:\s*")


@dataclass(frozen=True, slots=True)
class PersonaQuestion:
    """A question with its options, each beginning with its letter as in "(a) ..."; `answer`: that letter, "(a)"."""

    id: str
    kind: str
    question: str
    answer: str
    options: tuple[str, ...]
    chat: str
    sessions: tuple[Sitting, ...]


def load_personamem(path: Path | str, contexts: Path | None = None) -> Loaded[PersonaQuestion]:
    """The questions of a table; a bad line is reported by its number. `contexts`: the chats, where they don't lie
    beside it under the official name. Raises NotFound, InputError."""
    path = Path(path)
    head(path)  # else its chats would be told to be missing
    chats = _chats(contexts or path.with_name(path.stem.replace("questions", "shared_contexts") + ".jsonl"))
    known: dict[tuple[str, int], tuple[Sitting, ...]] = {}
    by_id = dict(pair for pairs in chats.rows for pair in pairs)
    rows = sorted_out(path, _lines(path), lambda line, number: _question(line, by_id, known), "line")
    return Loaded(rows.rows, (*chats.problems, *rows.problems))


def _lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    usual = csv.field_size_limit(_FIELD)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            table = csv.DictReader(file)
            missing = [name for name in COLUMNS if name not in (table.fieldnames or ())]
            if missing:
                raise InputError(f"{path} has no column {', '.join(missing)}; give PersonaMem's questions_32k.csv.")
            before = table.line_num
            for line in table:
                yield before + 1, line
                before = table.line_num
    except FileNotFoundError:
        raise NotFound(f"There is no file {path}; give the path of the data set.") from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path} can't be read as a table ({error}).") from error
    finally:
        csv.field_size_limit(usual)  # it is the whole process's


Chat = Sequence[tuple[str, str]]
"""Who said what, by the roles of the file."""


def _chats(path: Path) -> Loaded[list[tuple[str, Chat]]]:
    """A line of the file holds one chat or several, each under its id."""
    return json_lines(path, lambda data, number: [(str(name), _messages(some)) for name, some in data.items()])


def _messages(found: Any) -> Chat:
    return [(string(one["role"], "role"), string(one["content"], "content")) for one in found]


def _question(
    line: dict[str, Any], chats: dict[str, Chat], known: dict[tuple[str, int], tuple[Sitting, ...]]
) -> PersonaQuestion:
    chat, end = string(line["shared_context_id"], "shared_context_id"), int(line["end_index_in_shared_context"])
    if chat not in chats:
        raise ValueError(f"there is no chat {chat[:40]}")
    if not 0 <= end <= len(chats[chat]):
        raise ValueError(f"chat {chat[:12]} has {len(chats[chat])} messages, not {end}")
    options = _options(string(line["all_options"], "all_options"))
    answer = letter(line["correct_answer"])
    if answer is None or answer not in [letter(one) for one in options]:
        raise ValueError(f"correct_answer {str(line['correct_answer'])[:20]!r} is none of the options")
    if (chat, end) not in known:
        known[chat, end] = tuple(_sittings(chats[chat][:end]))
    return PersonaQuestion(
        string(line["question_id"], "question_id"), string(line["question_type"], "question_type"),
        string(line["user_question_or_message"], "user_question_or_message"), answer, options, chat, known[chat, end],
    )  # fmt: skip


def _options(text: str) -> tuple[str, ...]:
    """A list of texts, written as Python or as JSON writes one."""
    try:
        found = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        found = json.loads(text)
    if not isinstance(found, list) or len(found) < 2:
        raise ValueError("all_options is no list of options")
    return tuple(one if letter(one) else f"({chr(97 + place)}) {one}" for place, one in enumerate(map(str, found)))


def letter(text: str) -> str | None:
    """The letter at the beginning of an option or of a right answer, as in "(a)"; None where there is none."""
    found = re.match(r"\s*\(?([a-zA-Z])\)|\s*([a-zA-Z])\s*$", str(text))
    return f"({(found[1] or found[2]).lower()})" if found else None


def _sittings(messages: Chat) -> Iterator[Sitting]:
    """A message of the system begins a session; what it tells of the persona is kept as a line."""
    marked = any(role == "system" for role, _ in messages)
    run: list[tuple[str, str]] = []
    number = 0
    for role, text in messages:
        if run and (role == "system" if marked else len(run) >= TURNS and role == "user"):
            number += 1
            yield _sitting(run, number)
            run = []
        run.append((role, text))
    if run:
        yield _sitting(run, number + 1)


def _sitting(run: Chat, number: int) -> Sitting:
    names = {"user": USER, "assistant": ASSISTANT, "system": PERSONA}
    for role, _ in run:
        if role not in names:
            raise ValueError(f"role {role!r} is none of user, assistant and system")
    said = [(names[role], _SAID.sub("", text, count=1) if _SAID.match(text) else text) for role, text in run]
    return Sitting(tuple(Utterance(who, text, "", f"S{number}:{at}") for at, (who, text) in enumerate(said)))
