"""Notes: how a model that reads instructions writes what a line tells, one note a line (or the same as JSON).

Short to write (some 15 tokens a fact, a third of SQL) and in a form that each model knows. Where the back end holds a
reply to a form, it is held to this one; elsewhere `read_notes` takes what models make of it: bullets, fences, JSON.
The instructions and the examples stand in `notes.toml`, first in the prompt and always the same in a language, so that
they are read once and kept in the cache.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..lm import Message
from .draft import Add, Change, Close, Draft, Entry
from .messages import Known, Line, one_line

MAX_NOTES = 6
"""Facts that one line may give: more is the model running in circles."""
BEFORE_WORDS = 80
"""Of an earlier line, which only sets the scene."""
_NOTHING = re.compile(r"^[\s\"'`.]*(?:[-–—]+|none|nothing|null|n/a|\(none\)|\(nothing\))[\s\"'`.]*$", re.IGNORECASE)
_FENCE = re.compile(r"^\s*```\w*\s*$", re.MULTILINE)
_ADD = re.compile(r"^\s*(?:[-*•]\s*)?\+\s*(?P<topic>[^:：|\n]{1,40})[:：|]\s*(?P<fact>\S.*)$")
_CHANGE = re.compile(r"^\s*(?:[-*•]\s*)?=\s*#?(?P<id>\d+)\s*(?:[:：|]\s*|\s+)(?P<fact>\S.*)$")
_CLOSE = re.compile(r"^\s*(?:[-*•]\s*)?[x×X]\s*#?(?P<id>\d+)\s*[.:]?\s*$")
_BARE = re.compile(r"^\s*[-*•]\s+(?:(?P<topic>[^\W\d_][\w ]{1,24})[:：]\s*)?(?P<fact>\S.*)$")

_GRAMMAR = r"""
add ::= "+ " topic ": " fact
topic ::= [^:\n+=|\x00-\x1f]{2,30}
text ::= [^\n\x00-\x1f]{3,240}
"""
SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {
            "notes": {
                "type": "array",
                "maxItems": MAX_NOTES,
                "items": {
                    "type": "object",
                    "properties": {
                        "do": {"type": "string", "enum": ["+", "=", "x"]},
                        "id": {"type": "integer"},
                        "topic": {"type": "string"},
                        "fact": {"type": "string"},
                    },
                    "required": ["do"],
                    "additionalProperties": False,
                },
            }
        },
        "required": ["notes"],
        "additionalProperties": False,
    }
)
"""For endpoints, which know JSON schemas but no GBNF."""


def named(language: str) -> str:
    """The language's name in English by its code; empty for English and for those that aren't known."""
    return str(_data()["names"].get(language, ""))


def note_messages(
    before: Sequence[Line], line: Line, known: Sequence[Known], language: str, *, as_json: bool = False
) -> list[Message]:  # fmt: skip
    """The instructions, examples in the line's language (in English where there are none), and the line."""
    data, shots = _data(), _shots(language, as_json)
    guide = str(data["guide"]).strip() + (str(data["as_json"]) if as_json else "")
    if name := named(language):
        guide += "\n" + str(data["written_in"]).format(language=name)
    return [Message("system", guide), *shots, Message("user", _scene(before, line, known))]


def again(reply: str, reason: str) -> list[Message]:
    """What is added where a reply can't be read."""
    return [Message("assistant", reply[:600]), Message("user", str(_data()["again"]).format(reason=reason))]


def _scene(before: Sequence[Line], line: Line, known: Sequence[Known]) -> str:
    parts = ["Known:", *(f"{row.id} | {row.topic}: {row.fact}" for row in known)] if known else []
    earlier = before[-2:]
    parts += ["Before:", *(f"{who}: {one_line(text, BEFORE_WORDS)}" for who, text in earlier)] if earlier else []
    return "\n".join([*parts, "Line:", f"{line.speaker}: {one_line(line.text)}"])


def note_grammar(ids: Sequence[int] = (), whose: Sequence[str] = (), *, nothing: bool = True) -> str:
    """Notes that add facts, change or close these known rows; or `nothing`. `whose`: the words that a fact may begin
    with, of which a small model would else take those of the examples; none: any."""
    kinds = ["add"] + (["change", "close"] if ids else [])
    dash = '"-" | ' if nothing else ""
    begins = " | ".join(json.dumps(word, ensure_ascii=False) for word in whose)
    rules = [
        f'root ::= {dash}note ("\\n" note){{0,{MAX_NOTES - 1}}}',
        f"note ::= {' | '.join(kinds)}",
        f"fact ::= ({begins}) text" if whose else "fact ::= text",
    ]
    if ids:
        one = " | ".join(json.dumps(str(number)) for number in ids)
        rules += ['change ::= "= " id ": " fact', 'close ::= "x " id', f"id ::= {one}"]
    return "\n".join(rules) + _GRAMMAR


def read_notes(text: str, speaker: str, ids: Sequence[int] = (), *, cut: bool = False) -> Draft:
    """The draft in a reply. Never raises: what can't be read is its `fault`. `ids`: the rows that it may change; `cut`:
    the token limit ended the reply, so its last note is left out. Facts are told of the `speaker`."""
    bare = _FENCE.sub("", text).strip()
    if "{" in bare and (found := _from_json(bare)) is not None:
        told = [entry for row in found if (entry := _of_row(row, speaker, ids)) is not None]
        return Draft(_once(told), text=text) if told or not found else Draft(fault="no note has a fact", text=text)
    lines = [line for line in bare.splitlines() if line.strip()]
    lines, broken = (lines[:-1], lines[-1].strip()) if cut and lines else (lines, "")
    if not lines:
        return Draft(fault="the reply was cut short" if cut else "the reply is empty", text=text)
    if _NOTHING.match(lines[0]):
        return Draft(text=text)
    told = [entry for line in lines[:MAX_NOTES] if (entry := _of_line(line, speaker, ids)) is not None]
    if told:
        return Draft(_once(told), text=text, broken=broken)
    return Draft(fault=f"it is no note: {one_line(lines[0], 8)!r}", text=text)


def _once(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Without what is told twice, under whatever topic."""
    kept: dict[str, Entry] = {}
    for entry in entries:
        fact = "" if isinstance(entry, Close) else (entry.fact or "")
        kept.setdefault(fact.casefold().rstrip(" .。") or repr(entry), entry)
    return tuple(kept.values())


def _of_line(line: str, speaker: str, ids: Sequence[int]) -> Entry | None:
    if found := _CHANGE.match(line):
        return _changed(int(found["id"]), found["fact"], speaker, ids)
    if found := _CLOSE.match(line):
        return Close(int(found["id"])) if int(found["id"]) in ids else None
    if found := _ADD.match(line) or _BARE.match(line):
        return _added(found["topic"] or "", found["fact"], speaker)
    return None


def _of_row(row: Any, speaker: str, ids: Sequence[int]) -> Entry | None:
    if isinstance(row, str):
        return _added("", row, speaker)
    if not isinstance(row, dict):
        return None
    fact, number = str(row.get("fact") or "").strip(), row.get("id")
    if row.get("do") == "x":
        return Close(number) if isinstance(number, int) and number in ids else None
    if row.get("do") == "=" and isinstance(number, int):
        return _changed(number, fact, speaker, ids) if fact else None
    return _added(str(row.get("topic") or ""), fact, speaker) if fact else None


def _added(topic: str, fact: str, speaker: str) -> Add | None:
    fact = " ".join(fact.split()).strip('"` ')
    return Add(speaker, " ".join(topic.split()).strip('"`* ')[:60], fact) if fact else None


def _changed(number: int, fact: str, speaker: str, ids: Sequence[int]) -> Entry | None:
    """A change; of a row that wasn't shown, a fact of its own."""
    fact = " ".join(fact.split()).strip('"` ')
    if not fact:
        return None
    return Change(number, fact) if number in ids else Add(speaker, "", fact)


def _from_json(text: str) -> list[Any] | None:
    """The notes of the first JSON object or list in the reply; None: there is none."""
    for start in (at for at, letter in enumerate(text) if letter in "{["):
        try:
            found, _ = json.JSONDecoder().raw_decode(text[start:])
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            rows = found.get("notes", [found] if "fact" in found else None)
            return rows if isinstance(rows, list) else None
        return found if isinstance(found, list) else None
    return None


@lru_cache(maxsize=32)
def _shots(language: str, as_json: bool) -> tuple[Message, ...]:
    """The examples as turns of a talk."""
    messages: list[Message] = []
    for shot in _data().get(language, _data()["en"]):
        notes = _as_json(shot["notes"]) if as_json else shot["notes"]
        messages += [Message("user", shot["scene"]), Message("assistant", notes)]
    return tuple(messages)


def _as_json(notes: str) -> str:
    rows: list[dict[str, Any]] = []
    for entry in read_notes(notes, "", range(10)):
        if isinstance(entry, Add):
            rows.append({"do": "+", "topic": entry.topic, "fact": entry.fact})
        elif isinstance(entry, Change):
            rows.append({"do": "=", "id": entry.id, "fact": entry.fact})
        else:
            rows.append({"do": "x", "id": entry.id})
    return json.dumps({"notes": rows}, ensure_ascii=False)


@lru_cache(maxsize=1)
def _data() -> Mapping[str, Any]:
    return tomllib.loads((Path(__file__).parent / "notes.toml").read_text(encoding="utf-8"))
