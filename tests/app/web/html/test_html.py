"""What people, models and imports wrote is text wherever the page shows it, and never markup."""

from __future__ import annotations

import ast
import html
import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from chatmem.app.chat.panels import PromptPart, TimelineStep, Why, WhyRow
from chatmem.app.shown.chips import Chip, TurnChips
from chatmem.app.shown.status import Standing
from chatmem.app.web.html import fragments
from chatmem.app.web.html.literal import literal, notice
from chatmem.app.web.html.rendering import TEMPLATES, environment, line
from chatmem.app.web.html.reports import chart
from chatmem.app.web.windows.listing import View
from chatmem.memory.errors import InputError
from chatmem.memory.transfer.exchange import BadRecord, Preview
from chatmem.memory.values import Author, JournalEntry, Memory, Rows, Session, Turn

ROOT = Path(__file__).resolve().parents[4]
SLOWLY = settings(deadline=None)
NOW = "2026-05-08T13:56:00Z"
PIECES = [*"<>\"'&;/=ab {}%#$\\\n\u202e", "<b>", "<script>", "{{ 7 * 7 }}", "{% raw %}", "&lt;", "${x}"]
HOSTILE = st.lists(st.sampled_from(PIECES), max_size=20).map(lambda found: f"x{''.join(found)}x")
"""Never empty, and so no part of a fragment is left out because of it."""


def memory(words: str) -> Memory:
    return Memory(1, 1, words, words, words, words, NOW, NOW)


def turn(words: str) -> Turn:
    return Turn(1, 1, 1, words, words, NOW)


def chip(words: str) -> Chip:
    return Chip(1, words, words, words, words, 1, 1, False, True, 1, words, words)


def entry(words: str, kind: Any = "insert") -> JournalEntry:
    return JournalEntry(
        1, 1, words, NOW, kind, Author(words, words, words), words, 1, after={"id": 1, "fact": words}, reason=words
    )


def report(words: str) -> dict[str, Any]:
    return {words: words, "models": {words: {words: {"value": 0.5}}}}


FRAGMENTS: dict[str, Callable[[str], str]] = {
    "note": fragments.note,
    "aside": lambda words: fragments.aside(words, warns=True),
    "typed": lambda words: fragments.typed([words]),
    "memory_table": lambda words: fragments.memory_table([memory(words)], 2, {1: "+"}),
    "tools": lambda words: fragments.tools(View(subject=words), [words], [words]),
    "command": fragments.command,
    "wish": fragments.wish,
    "chips": lambda words: fragments.chips(TurnChips(1, (chip(words), chip(words)), 2, words)),
    "sessions": lambda words: fragments.sessions([Session(1, 1, words, NOW)], 1, {1: words}),
    "timeline": lambda words: fragments.timeline(
        [TimelineStep(1, NOW, words, words, words, False, True, words, (turn(words),))], 1
    ),
    "why": lambda words: fragments.why(
        Why(words, words, words, (WhyRow(words, words, True, memory(words), (turn(words),), words),))
    ),
    "prompt": lambda words: fragments.prompt([PromptPart(words, words, words, 3, 0.5)]),
    "journal": lambda words: fragments.journal([entry(words), entry(words, "refused")], [chip(words), chip(words)]),
    "rows": lambda words: fragments.rows(Rows((words,), ((words,),))),
    "written": lambda words: fragments.written([entry(words)]),
    "refused": lambda words: fragments.refused(words, words),
    "preview": lambda words: fragments.preview(Preview(False, {}, {}, {}, (BadRecord(words, words),), 1, (words,))),
    "models": lambda words: fragments.models([(words, words)], words),
    "status": lambda words: fragments.status(words, Standing(blocked=words), waiting=1, before=1, models=words),
    "blocked": fragments.blocked,
    "chart": lambda words: chart(report(words)),
    "notice": notice,
}


KEEP_LINES = {"command", "wish", "typed", "refused", "prompt", "note", "aside", "blocked", "status", "notice"}


class Reader(HTMLParser):
    """What a browser makes of a fragment: its tags with the names of their attributes, and its text."""

    def __init__(self, code: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, ...]] = []
        self.text = ""
        self.feed(code)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, *(name for name, _ in attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("name", FRAGMENTS)
@SLOWLY
@given(words=HOSTILE)
def test_no_text_becomes_markup(name: str, words: str) -> None:
    shown, plain = FRAGMENTS[name](words), FRAGMENTS[name]("xx")
    for sign in "<>\"'":
        assert shown.count(sign) == plain.count(sign)
    read = Reader(shown)
    assert read.tags == Reader(plain).tags
    if name not in KEEP_LINES:
        assert line(words)[:30] in read.text
    assert name == "notice" or "\u202e" not in shown


def test_every_fragment_is_tried() -> None:
    """Whoever adds a fragment adds it here as well."""
    functions = {
        node.name
        for node in ast.parse(Path(fragments.__file__).read_text()).body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    }
    assert functions <= set(FRAGMENTS)


def test_templates_escape_all_and_let_nothing_through() -> None:
    made = environment()
    assert made.autoescape is True
    assert {path.suffix for path in TEMPLATES.iterdir()} == {".html"}
    for path in TEMPLATES.iterdir():
        assert made.get_template(path.name).module is not None
        code = "".join(re.findall(r"{[{%].*?[%}]}", path.read_text(encoding="utf-8"), re.DOTALL))
        assert not re.search(r"\|\s*(safe|xmlattr|tojson|urlize)\b|\bautoescape\b|\bMarkup\b", code), path.name


MARKUP = re.compile(r"</?[a-zA-Z]|<!(--|[a-zA-Z])")
SOUGHT = {b"</head>"}
"""Not written but looked for, in the page as Gradio makes it."""


def strings(path: Path) -> Iterator[tuple[int, str]]:
    """Every string of a file that holds markup, or a `<` and is a piece of a longer one; docstrings are left out."""
    tree = ast.parse(path.read_text())
    joined = [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr | ast.BinOp)]
    pieces = {id(each) for node in joined for each in ast.walk(node)}
    told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in told and node.value not in SOUGHT:
            text = node.value.decode("latin-1") if isinstance(node.value, bytes) else node.value
            if isinstance(text, str) and (MARKUP.search(text) or ("<" in text and id(node) in pieces)):
                yield node.lineno, text


def test_no_markup_is_put_together_in_python(tmp_path: Path) -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{number} {text!r}"
        for path in sorted((ROOT / "app" / "web").rglob("*.py"))
        for number, text in strings(path)
    ]
    assert not wrong, "\n".join(wrong)
    code = ('f"<{tag}>"', '"<" + tag', '"<b>"', '"<%s>" % tag', '"".join(["<b>", fact])', 'b"<b>"')
    for number, each in enumerate(code):
        (tmp_path / f"{number}.py").write_text(f"found = {each}")
        assert list(strings(tmp_path / f"{number}.py")), each


MARKDOWN = MarkdownIt("commonmark", {"html": True, "breaks": True}).enable(["table", "strikethrough"])
MARKS = [*"#*_`~-+=>|[]()!<&;:.1 \n\t\\$\"'", "\n\n", "    ", "1. ", "- ", "> ", "![x](http://x.y/z)", "<img src=x>",
         "<!--", "&amp;", "&#46;", "&#0000046;", "[a]: b\n", "| a |\n| - |\n", "---", "www."]  # fmt: skip
SPOKEN = st.lists(
    st.one_of(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), st.sampled_from(MARKS)), max_size=30
).map("".join)


@SLOWLY
@given(SPOKEN)
def test_a_line_is_shown_letter_for_letter(words: str) -> None:
    shown = MARKDOWN.render(literal(words))
    if not words:
        assert shown == ""
        return
    [told] = re.fullmatch(r"<p>(.*)</p>\n", shown, re.DOTALL).groups()  # type: ignore[union-attr]
    assert "<" not in told
    assert html.unescape(told) == words


@SLOWLY
@given(SPOKEN)
def test_the_page_can_read_a_line_back(words: str) -> None:
    bare = re.compile(r"&#(0\d{6});")
    assert f"/{bare.pattern}/g" in (ROOT / "assets" / "web" / "literal.js").read_text()
    assert bare.sub(lambda found: chr(int(found[1])), literal(words)) == words


def test_ordinary_lines_stay_as_they_are() -> None:
    for words in (
        "fact: I have two cats, Nori and Wasabi.",
        "What's up (with you)? Well; nothing!",
        "Ich wohne in Köln.",
    ):
        assert literal(words) == words


def test_what_cannot_be_done_is_told_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    gradio = pytest.importorskip("gradio")
    from chatmem.app.web.handlers.talk import told as telling

    told: list[str] = []
    monkeypatch.setattr(gradio, "Warning", lambda text, duration: told.append(text))

    @telling
    def fails() -> Iterator[str]:
        raise InputError("There is no <img src=x>.")
        yield ""

    assert len(list(fails())) == 1
    assert told == ["There is no &lt;img src=x&gt;."]
