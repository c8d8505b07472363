"""What marks alone tell to be somebody else's: markup, code, data, mail, logs of a chat.

Each function takes a text and gives the places (start, end) that aren't the speaker's own. What earlier ones found is
`HIDDEN` letter by letter, so line ends and places stay.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from functools import lru_cache

from ..language import english
from ..points import letters as re
from .vocabulary import HIDDEN, any_of, any_word, low_words, vocabulary

Span = tuple[int, int]

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)|/\*.*?(?:\*/|\Z)|\{#.*?(?:#\}|\Z)", re.DOTALL)
_CLOSING = re.compile(r"</(?P<tag>[a-z][\w:-]{0,40})\s*>", re.IGNORECASE)
_BRACKETS = re.compile(
    r"\[(?P<tag>/?[A-Z_]{2,20}|quote|code|system|spoiler|user|inst)(?:[=\s][^\]]{0,200})?\](?s:.*?)(?:\[/(?P=tag)\]|\Z)",
    re.IGNORECASE,
)
_NOTE = re.compile(r"\[[^\[\]]{0,60}\b(?:system|assistant|ai|bot)\b[^\[\]]{0,2000}\]", re.IGNORECASE)
_TOKENS = re.compile(r"<\|[\w ]{1,40}\|>(?s:.*)")
_OPEN_TAG = re.compile(
    r"<(?:memory|system|user|assistant|instructions?|system-[\w-]{1,30})\b[^<>]{0,200}>(?s:.*)", re.IGNORECASE
)
_ARMOUR = re.compile(r"-----BEGIN [^\n]{1,60}-----(?s:.*?)(?:-----END [^\n]{1,60}-----|\Z)")
_FENCE = re.compile(r"(?m)^[ \t]*(?P<fence>`{3,}|~{3,})(?s:.*?)(?:^[ \t]*(?P=fence)[ \t]*$|\Z)")
_FENCED_INLINE = re.compile(r"```(?s:.*?)(?:```|\Z)")
_INLINE = re.compile(r"`[^`\n]{1,500}`")
_INVISIBLE = re.compile("[\U000e0000-\U000e007f\u200b\u2060-\u2064\ufeff]+")


@lru_cache(maxsize=1)
def _opening() -> re.Pattern[str]:
    form = english().alternatives("quoted", "form_tags")
    return re.compile(
        rf"<(?!(?:{form})\b)(?P<tag>[a-z][\w:-]{{0,40}})(?:\s[^<>]{{0,500}})?>",
        re.IGNORECASE,
    )


def markup(text: str) -> Iterator[Span]:
    """Comments, elements with what they hold, tags of forums and of models' prompts, invisible letters."""
    for pattern in (_COMMENT, _TOKENS, _ARMOUR, _BRACKETS, _NOTE, _INVISIBLE):
        yield from _places(pattern, text)
    yield from _elements(text)
    yield from _places(_OPEN_TAG, text)


def _elements(text: str) -> Iterator[Span]:
    """Elements that are closed, each from its first tag to the next that closes such a one."""
    ends: dict[str, list[int]] = {}
    for found in _CLOSING.finditer(text):
        ends.setdefault(found["tag"].lower(), []).append(found.end())
    for found in _opening().finditer(text):
        after = ends.get(found["tag"].lower(), [])
        if (place := bisect_left(after, found.end())) < len(after):
            yield found.start(), after[place]


def fenced(text: str) -> Iterator[Span]:
    """Fenced code, and code in a line that is more than a word."""
    yield from _places(_FENCE, text)
    yield from _places(_FENCED_INLINE, text)
    for found in _INLINE.finditer(text):
        if re.search(r"[\"'({=;]", found[0]) or len(found[0].split()) > 2:
            yield found.span()


def _places(pattern: re.Pattern[str], text: str) -> Iterator[Span]:
    return (found.span() for found in pattern.finditer(text))


# Code and data without a fence

_OBJECT = re.compile(r"[\[{]\s{0,20}(?:\{\s{0,20})?[\"'][\w .-]{1,60}[\"']\s{0,20}:|\{\s{0,20}[\w-]{1,40}\s{0,5}:\s")
_CALL = re.compile(r"[\w.]{2,40}\s?\(\s{0,5}(?P<mark>[\"'])[^\n\"]{0,300}?(?P=mark)[^()\n]{0,100}\)\s?;?")
_SQL = re.compile(
    r"\b(?:INSERT\s+INTO\s+\w+\s*\(|UPDATE\s+\w+\s+SET\s|DELETE\s+FROM\s+\w+\s+WHERE\s|"
    r"SELECT\s+[\w*, ]{1,100}\s+FROM\s)[^\n]*"
)
_RULES = re.compile(r"[.#@]?[\w:.#>-]{1,60}\s*\{[^{}]{0,2000}:[^{}]{0,2000};?\s*\}")
_LOG = re.compile(r"(?m)^[ \t]*\[?\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2})?\S{0,12}[^\n]*")
_FRONT = re.compile(r"\A\s*---[ \t]*\n(?s:.*?)(?:\n---[ \t]*(?=\n|\Z)|\Z)")
_TABLE = re.compile(r"(?m)^[ \t]*\|[^\n]*\|[^\n]*$")
_DIFF = re.compile(r"(?m)^@@ [^\n]*\n(?:[ +-][^\n]*\n?)*")
_CELLS = re.compile(r"^[^\s,;][^,;\n]{0,80}(?:[,;](?! )[^,;\n]{0,80}){2,}$")


@lru_cache(maxsize=1)
def _shell() -> re.Pattern[str]:
    return re.compile(rf"(?m)^[ \t]*(?:[$%]\s|(?:{english().alternatives('quoted', 'shell')})\s+\S)[^\n]*")


@lru_cache(maxsize=1)
def _code_line() -> re.Pattern[str]:
    return re.compile(
        rf"^\s*(?:(?:{english().alternatives('quoted', 'code')})\b.*[({{:;=\"'].*|#include\b.*|[}}\])]+[;,)]*"
        r"|[\w.\[\]\"']{1,60}\s*(?:=|\+=|:=|==)\s*[\"'\[{(\d].*|.*[{;]\s*|\s*(?:#|//)\s.*)$"
    )


def code(text: str) -> Iterator[Span]:
    """Code, data and logs that stand in the open."""
    if found := _OBJECT.search(text):
        end = max(text.rfind("}"), text.rfind("]")) + 1
        yield found.start(), max(end, found.end())
    for pattern in (_FRONT, _DIFF, _TABLE, _SQL, _CALL, _RULES, _shell(), _LOG):
        yield from _places(pattern, text)
    yield from _runs(text, lambda line: bool(_CELLS.match(line.strip())), 2)
    yield from _code_lines(text)


def _code_lines(text: str) -> Iterator[Span]:
    """Neighbouring lines of which most look like code; comments and texts between them are code's, too."""
    if "\n" not in text:
        return
    found = [
        line
        for line in _lines(text)
        if HIDDEN in text[slice(*line)] or (_code_line().match(text[slice(*line)]) and text[slice(*line)].strip())
    ]
    strong = [line for line in found if not re.match(rf"\s*(?:#|//)\s|\s*{HIDDEN}", text[slice(*line)])]
    if (
        len(found) >= 2
        and strong
        and len(found) * 2 >= sum(bool(text[slice(*line)].strip()) for line in _lines(text)) - 1
    ):
        yield found[0][0], found[-1][1]


def _runs(text: str, fits: Callable[[str], bool], least: int) -> Iterator[Span]:
    """Runs of at least so many neighbouring lines that fit."""
    run: list[Span] = []
    for line in [*_lines(text), (len(text), len(text))]:
        if line[0] < line[1] and fits(text[slice(*line)]):
            run.append(line)
            continue
        if len(run) >= least:
            yield run[0][0], run[-1][1]
        run = []


def _lines(text: str) -> list[Span]:
    found, at = [], 0
    for line in text.splitlines(keepends=True):
        found.append((at, at + len(line.rstrip("\r\n"))))
        at += len(line)
    return found


# Mail

_QUOTED_LINE = re.compile(r"(?m)^[ \t]*(?:>+[ \t]?(?=\S)|\|\s(?=\w))[^\n]*(?:\n|\Z)")


def mail(text: str) -> Iterator[Span]:
    """Quoted lines, forwarded mail, and mail with its headers or with greeting and close."""
    yield from _places(_QUOTED_LINE, text)
    for pattern in (_forwarded(), _wrote()):
        if found := pattern.search(text):
            quoted = _QUOTED_LINE.search(text, found.end())
            yield found.start(), found.end() if quoted else len(text)
    headers = list(_headers().finditer(text))
    if len(headers) > 1 or (headers and (_SURE_HEADER.search(headers[0][0]) or _sent(text, headers[0]))):
        yield headers[0].start(), len(text)
    yield from _letters(text)


_SURE_HEADER = re.compile(r"@|\A\s*(?:subject|betreff)", re.IGNORECASE)


def _sent(text: str, header: re.Match[str]) -> bool:
    """Whether a header tells from whom it is, and a greeting follows."""
    return _FROM.match(header[0]) is not None and _greeted(text, header.end())


_FROM = re.compile(r"\s*\**(?:from|von|de|da|to|an)\b", re.IGNORECASE)


def _greeted(text: str, at: int) -> bool:
    """Whether the next line after a header that ends there greets somebody, and does nothing else."""
    found = _greetings().match(text, at + len(text[at:]) - len(text[at:].lstrip()))
    name = low_words(found["name"]) if found else []
    alone = found is not None and re.match(r",?[ \t]*(?:\n|\Z)", text[found.end("name") :]) is not None
    comma = found is not None and text[found.end("name") :].startswith(",")
    return bool(name) and alone and comma and not vocabulary().has("greeted_not", name[:1])


@lru_cache(maxsize=1)
def _forwarded() -> re.Pattern[str]:
    return re.compile(
        rf"(?im)^[ \t]*(?:-{{2,}}[ \t]*(?:{any_of('forwarded')})[ \t]*-*|begin forwarded message:?|fwd?:[ \t]).*"
    )


@lru_cache(maxsize=1)
def _wrote() -> re.Pattern[str]:
    """ "On Monday Tom wrote:" on a line of its own, in any order of its words; with a digit, an address or a day."""
    return re.compile(
        rf"(?im)^[ \t]*(?=[^\n]{{0,200}}(?:\d|@))(?:[^\n]{{2,200}}[ \t])?(?:{any_of('wrote')})\b"
        r"[^\n:：]{0,80}[:：][ \t]*$"
    )


@lru_cache(maxsize=1)
def _headers() -> re.Pattern[str]:
    return re.compile(rf"(?im)^[ \t]*\*{{0,2}}(?:{any_word('headers')})\*{{0,2}}[ \t]?:[ \t]*\S[^\n]*$")


def _letters(text: str) -> Iterator[Span]:
    """From "Dear Ms Cole," to "Kind regards, Tom": somebody else is greeted, and a name stands below."""
    ends = [found.end() for found in _closings().finditer(text)]
    for found in _greetings().finditer(text):
        name = low_words(found["name"])
        if not name or vocabulary().has("greeted_not", name[:1]):
            continue
        if ends and ends[-1] > found.end():
            yield found.start("greeting"), ends[-1]
            return


@lru_cache(maxsize=1)
def _greetings() -> re.Pattern[str]:
    return re.compile(
        rf"(?im)^[ \t]*(?P<greeting>{any_of('greeting')})[ \t]+(?P<name>[^\n,!:;?]{{1,60}})[,!:;]?[ \t]*(?=\n|\b)"
    )


@lru_cache(maxsize=1)
def _closings() -> re.Pattern[str]:
    return re.compile(
        rf"(?im)^[ \t]*(?:{any_of('closing')})[ \t]*[,.!]?[ \t]*\n+"
        rf"[ \t]*(?-i:[^\W\d_]*[A-ZÀ-ÞА-Я][^\n]{{0,60}})[ \t]*(?=\n|\Z)"
    )


# Logs of a chat

_CLOCK = r"\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:[ \u202f]?[ap]\.?m\.?)?"
_DAY = r"\d{1,4}[./-]\d{1,2}(?:[./-]\d{2,4})?"
_WHO = r"[^\n:<>\[\]()]{1,40}?"
_SAID = re.compile(
    rf"(?im)^[ \t]*(?:\[(?:{_DAY},?[ ])?{_CLOCK}\][ ]?{_WHO}:|(?:{_DAY},?[ ]){_CLOCK}[ ]?(?:-[ ])?{_WHO}:"
    rf"|{_CLOCK}[ ]-[ ]{_WHO}:|{_WHO}[ ]?[(\[](?:{_DAY},?[ ])?{_CLOCK}[)\]][ ]?:?|<[@+]?[\w .|-]{{1,30}}>(?=[ ]))[^\n]*"
)
_HEAD = re.compile(rf"(?im)^[ \t]*\w[\w .'-]{{0,30}}[ \t]+(?:{_DAY},?[ ])?{_CLOCK}[ \t]*$")


def chat(text: str) -> Iterator[Span]:
    """Lines of a chat's log: a time and who said it, or its name between < and >."""
    said = [found.span() for found in _SAID.finditer(text)]
    yield from said
    if heads := [found.span() for found in _HEAD.finditer(text) if found.end() < len(text)]:
        yield heads[0][0], len(text)


def paragraph_end(text: str, at: int) -> int:
    """The end of the paragraph in which a place stands."""
    found = re.search(r"\n[ \t]*\n", text[at:])
    return at + found.start() if found else len(text)


def hide(text: str, spans: list[Span]) -> str:
    """The text with these places hidden; line ends stay."""
    letters = list(text)
    for start, end in spans:
        for at in range(start, end):
            if letters[at] != "\n":
                letters[at] = HIDDEN
    return "".join(letters)
