"""Official data files to plain values. A bad row is reported with its line, never dropped in silence.

The data sets are not part of chatmem: the paths are the user's. Multi-Session Chat as JSON lines with human facts,
MSC-Self-Instruct ("DMR") as MemGPT published it, LoCoMo as snap-research published it, LongMemEval as xiaowu0162
published it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Generic, TypeVar

from ..memory.errors import InputError, NotFound
from ..memory.values import ASSISTANT

Row = TypeVar("Row")
_BAD = (ValueError, KeyError, TypeError, IndexError, AttributeError)
"""What reading a row of the wrong form raises."""


@dataclass(frozen=True, slots=True)
class Said:
    """One turn of a data set. `facts` are the human-written ones, first person; `id` where the data has one."""

    speaker: str
    text: str
    facts: str = ""
    id: str = ""


@dataclass(frozen=True, slots=True)
class Sitting:
    """One session: its turns and, where the data tells it, when it was (ISO 8601)."""

    turns: tuple[Said, ...]
    at: str | None = None


@dataclass(frozen=True, slots=True)
class MscChat:
    """A chat of Multi-Session Chat with the human-written facts of each turn."""

    id: str
    sessions: tuple[Sitting, ...]


@dataclass(frozen=True, slots=True)
class DmrRow:
    """Earlier sessions, and one question by Speaker 2 that Speaker 1 answers from them."""

    id: str
    sessions: tuple[Sitting, ...]
    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class LocomoQuestion:
    """`category` 1 multi-hop, 2 temporal, 3 open-domain, 4 single-hop, 5 adversarial; evidence ids that exist."""

    question: str
    answer: str
    category: int
    evidence: tuple[str, ...]
    place: int = 0
    """Its place in the conversation's list, counted from 0: what an audit names it by."""


@dataclass(frozen=True, slots=True)
class Observed:
    """A fact that a person noted of a conversation: about whom, and the ids of the turns that it came from."""

    subject: str
    fact: str
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LocomoTalk:
    """One conversation of LoCoMo."""

    id: str
    speakers: tuple[str, str]
    sessions: tuple[Sitting, ...]
    questions: tuple[LocomoQuestion, ...]
    summaries: tuple[str, ...] = ()
    """The official summary of each session; empty where there is none."""
    observed: tuple[Observed, ...] = ()
    """The observations, in the order of the sessions; their evidence holds ids that exist."""


@dataclass(frozen=True, slots=True)
class LongRow:
    """One question of LongMemEval with the sessions before it. `evidence`: ids "SESSION:NUMBER" of the turns that hold
    the answer, `evidence_sessions`: ids of their sessions; `abstain`: the right answer is that it isn't known."""

    id: str
    kind: str
    question: str
    answer: str
    asked_at: str
    sessions: tuple[Sitting, ...]
    evidence: tuple[str, ...]
    evidence_sessions: tuple[str, ...]
    abstain: bool


@dataclass(frozen=True, slots=True)
class Loaded(Generic[Row]):
    """The good rows of a file, and a sentence for each bad one."""

    rows: tuple[Row, ...]
    problems: tuple[str, ...] = ()


def load_msc(path: Path | str) -> Loaded[MscChat]:
    """MSC chats, one a line: {"id", "sessions": [{"session", "turns": [{"speaker", "text", "facts"}]}]}."""
    return _json_lines(Path(path), _msc)


def load_dmr(path: Path | str) -> Loaded[DmrRow]:
    """DMR rows, one a line: `previous_dialogs` and `self_instruct` {"B": question, "A": answer}."""
    return _json_lines(Path(path), _dmr)


def load_locomo(path: Path | str) -> Loaded[LocomoTalk]:
    """LoCoMo's list of conversations; a bad conversation or question is reported by its place in the list."""
    data = _json_list(Path(path), "conversations", "LoCoMo's locomo10.json")
    bad: list[str] = []

    def make(item: Any, number: int) -> LocomoTalk:
        return _locomo(item, number, lambda told: bad.append(f"{Path(path).name}, conversation {number}, {told}"))

    loaded = _sorted_out(Path(path), enumerate(data, 1), make, "conversation")
    return Loaded(loaded.rows, (*loaded.problems, *bad))


def load_longmemeval(path: Path | str) -> Loaded[LongRow]:
    """LongMemEval's list of questions; a bad one is reported by its place in the list."""
    data = _json_list(Path(path), "questions", "LongMemEval's longmemeval_s.json")
    return _sorted_out(Path(path), enumerate(data, 1), _long, "question")


def _json_list(path: Path, what: str, file: str) -> list[Any]:
    try:
        data = json.loads(_text(path))
    except ValueError as error:
        raise InputError(f"{path} is not JSON ({error}); give {file}.") from error
    if not isinstance(data, list):
        raise InputError(f"{path} holds no list of {what}; give {file}.")
    return data


def head(path: Path) -> str:
    """The first characters of a text file, by which its form is told. Raises NotFound, InputError."""
    try:
        with path.open(encoding="utf-8") as file:
            return file.read(64)
    except FileNotFoundError:
        raise NotFound(f"There is no file {path}; give the path of the data set.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} can't be read as UTF-8 text: {error}.") from error


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise NotFound(f"There is no file {path}; give the path of the data set.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} can't be read as UTF-8 text: {error}.") from error


def _json_lines(path: Path, make: Callable[[Any, int], Row]) -> Loaded[Row]:
    lines = ((number, line) for number, line in enumerate(_text(path).splitlines(), 1) if line.strip())
    return _sorted_out(path, lines, lambda line, number: make(json.loads(line), number), "line")


def _sorted_out(
    path: Path, items: Iterator[tuple[int, Any]] | enumerate[Any], make: Callable[[Any, int], Row], what: str
) -> Loaded[Row]:
    rows, problems = [], []
    for number, item in items:
        try:
            rows.append(make(item, number))
        except _BAD as error:
            problems.append(f"{path.name}, {what} {number}: {_reason(error)}")
    if not rows:
        first = f" ({problems[0]})" if problems else ""
        raise InputError(f"{path} holds no row that can be used{first}; is it the right file?")
    return Loaded(tuple(rows), tuple(problems))


def _reason(error: Exception) -> str:
    return f"there is no {error}" if isinstance(error, KeyError) else f"not in the data set's form ({error})"


def _string(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{name} is not text")
    return value


def _msc(data: Any, number: int) -> MscChat:
    sessions = []
    for session in data["sessions"]:
        turns = [
            Said(_string(t["speaker"], "speaker"), _string(t["text"], "text"), _string(t.get("facts") or "", "facts"))
            for t in session["turns"]
        ]
        sessions.append(Sitting(tuple(turns)))
    return MscChat(str(data.get("id", number)), tuple(sessions))


def _dmr(data: Any, number: int) -> DmrRow:
    asked = data["self_instruct"]
    sessions = []
    for session in data["previous_dialogs"]:
        turns = [
            Said(
                _string(t["id"], "id"), _string(t["text"], "text"), _string(t.get("persona_text") or "", "persona_text")
            )
            for t in session["dialog"]
        ]
        sessions.append(Sitting(tuple(turns)))
    name = data.get("metadata", {}).get("initial_data_id") or number
    return DmrRow(str(name), tuple(sessions), _string(asked["B"], "question B"), _string(asked["A"], "answer A"))


def _locomo(data: Any, number: int, tell: Callable[[str], None]) -> LocomoTalk:
    talk, told = data["conversation"], data.get("session_summary") or {}
    sessions, summaries = [], []
    for key in sorted((k for k in talk if re.fullmatch(r"session_\d+", k)), key=lambda k: int(k[8:])):
        turns = tuple(Said(_string(t["speaker"], "speaker"), _with_caption(t), "", t["dia_id"]) for t in talk[key])
        sessions.append(Sitting(turns, _moment(talk[f"{key}_date_time"])))
        summaries.append(str(told.get(f"{key}_summary") or ""))
    known = {turn.id for session in sessions for turn in session.turns}
    questions = []
    for place, qa in enumerate(data["qa"], 1):
        try:
            questions.append(_question(qa, known, place - 1))
        except _BAD as error:
            tell(f"question {place}: {_reason(error)}")
    name = str(data.get("sample_id", number))
    speakers = (_string(talk["speaker_a"], "speaker_a"), _string(talk["speaker_b"], "speaker_b"))
    observed = tuple(_observations(data.get("observation") or {}, known))
    return LocomoTalk(name, speakers, tuple(sessions), tuple(questions), tuple(summaries), observed)


def _observations(data: Any, known: set[str]) -> Iterator[Observed]:
    for key in sorted(data, key=lambda k: int(re.sub(r"\D", "", k) or 0)):
        for subject, found in data[key].items():
            for fact, evidence in found:
                ids = _ids(evidence if isinstance(evidence, list) else [evidence], known)
                yield Observed(_string(subject, "subject"), _string(fact, "observation"), ids)


def _with_caption(turn: Any) -> str:
    """A picture's caption belongs to the turn's text: hundreds of questions are about such turns."""
    caption = turn.get("blip_caption")
    return f"{turn['text']} [shares a picture: {caption}]" if caption else str(turn["text"])


def _moment(text: str) -> str:
    """ "1:56 pm on 8 May, 2023" as ISO 8601."""
    return datetime.strptime(text, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _ids(listed: Iterable[object], known: set[str]) -> tuple[str, ...]:
    """Evidence strings may hold several ids, leading zeros or broken ids: what matches no turn is left out."""
    ids = [part for text in listed for part in re.split(r"[;,\s]+", str(text)) if part]
    tidy = [re.sub(r"(D)0*(\d+):0*(\d+)", r"\1\2:\3", part) for part in ids]
    return tuple(dict.fromkeys(part for part in tidy if part in known))


def _question(qa: Any, known: set[str], place: int) -> LocomoQuestion:
    evidence = _ids(qa.get("evidence") or [], known)
    category = int(qa["category"])
    if category not in range(1, 6):
        raise ValueError(f"category {category} is none of 1 to 5")
    if category != 5 and "answer" not in qa:
        raise KeyError("answer")
    return LocomoQuestion(_string(qa["question"], "question"), str(qa.get("answer", "")), category, evidence, place)


def _long(data: Any, number: int) -> LongRow:
    ids, dates, talks = data["haystack_session_ids"], data["haystack_dates"], data["haystack_sessions"]
    if not len(ids) == len(dates) == len(talks):
        raise ValueError(f"{len(talks)} sessions, but {len(ids)} ids and {len(dates)} dates")
    sessions, evidence = [], []
    for name, date, turns in sorted(zip(_apart(ids), dates, talks, strict=True), key=lambda one: _day_time(one[1])):
        said = [(t["role"], _string(t["content"], "content"), bool(t.get("has_answer"))) for t in turns]
        evidence += [f"{name}:{place}" for place, (_, text, holds) in enumerate(said) if holds and text.strip()]
        rows = tuple(Said(_role(role), text, "", f"{name}:{place}") for place, (role, text, _) in enumerate(said))
        sessions.append(Sitting(rows, _day_time(date)))
    name = str(data["question_id"])
    return LongRow(
        name, _string(data["question_type"], "question_type"), _string(data["question"], "question"),
        str(data["answer"]), _day_time(data["question_date"]), tuple(sessions), tuple(evidence),
        tuple(dict.fromkeys(map(str, data["answer_session_ids"]))), name.endswith("_abs"),
    )  # fmt: skip


def _apart(ids: Any) -> list[str]:
    """The ids of the sessions; one that comes again gets a number, so that its turns keep ids of their own."""
    seen: dict[str, int] = {}
    names = []
    for one in ids:
        seen[one] = seen.get(one, 0) + 1
        names.append(str(one) if seen[one] == 1 else f"{one}#{seen[one]}")
    return names


def _role(role: Any) -> str:
    """Who said it, as the store names them."""
    if role not in ("user", "assistant"):
        raise ValueError(f"role {role!r} is neither user nor assistant")
    return "User" if role == "user" else ASSISTANT


def _day_time(text: str) -> str:
    """ "2023/05/25 (Thu) 20:21" as ISO 8601."""
    plain = re.sub(r"\s*\(\w+\)\s*", " ", text)
    return datetime.strptime(plain, "%Y/%m/%d %H:%M").replace(tzinfo=UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
