"""Names, promises, settings and words on the screen."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatmem.app.config import settings
from chatmem.app.config.edit import put_setting
from chatmem.app.config.paths import find_paths
from chatmem.app.config.safe_text import clipped, short_path, shown, storable, typed
from chatmem.app.shown.reasons import reasons
from chatmem.app.shown.render import Wrap
from chatmem.memory.errors import SettingsError
from chatmem.memory.language.own_name import told_name
from chatmem.memory.language.told.promises import claimed_save
from chatmem.memory.values import Memory, RecallItem


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("My name is Ana.", "Ana"), ("my name's ana and I sail", "Ana"), ("Hi, I'm Ana!", "Ana"), ("I am Ana", "Ana"),
        ("Call me Ana Maria please", "Ana Maria"), ("Hello there, I'm Jean-Luc, from Lyon", "Jean-Luc"),
        ("I'm Ana and I love tea", "Ana"), ("my full name is Seán O'Neil", "Seán O'Neil"), ("I’m Leo.", "Leo"),
        ("hello, Joseph here", "Joseph"), ("This is Bob here, hi!", "Bob"),
        ("Morning! Olu here.", "Olu"), ("evening all, Kofi here", "Kofi"), ("Hello, Rosa speaking.", "Rosa"),
        ("Everyone calls me Bo", "Bo"), ("I'm called Bo, by the way", "Bo"), ("Hi, the name's Bond.", "Bond"),
    ],
)  # fmt: skip
def test_names_that_are_told(line: str, name: str) -> None:
    told = told_name(line)
    assert told is not None
    assert told.name == name


@pytest.mark.parametrize(
    ("line", "rest"),
    [
        ("My name is Tom and I live in Lyon", "I live in Lyon"), ("Hello, I'm Ana!", ""),
        ("Joseph here. I fish.", "I fish."), ("My friends call me Bo.", ""), ("I'm called Bo and I sail", "I sail"),
        ("I love tea. My name's Ana", "I love tea."), ("Hi! My name is Irene, nice to meet you.", ""),
    ],
)  # fmt: skip
def test_what_a_line_says_besides_the_name(line: str, rest: str) -> None:
    told = told_name(line)
    assert told is not None
    assert told.rest == rest


NO_NAMES = """I'm tired|I'm Tired.|I am German|I'm Catholic|call me later|Call me when you are here|don't call me Bob
I'm STARVING|My name is not important|my dog's name is Rex|I'm from Spain|I'm in Berlin|I'm Having fun|She is Ana
he said "my name is Bob"|I'm OK|what is my name?|call me a taxi|I'm so happy|I'm 34|I'm going home, Ana|Nothing here.
Rain here again|Winter here is cold|We are here|I love it here|Strictly speaking, no.|I'm called to the bar|I go by bike
I have a boat. The name is Anna.|nobody calls me Al""".replace("\n", "|")


@pytest.mark.parametrize("line", NO_NAMES.split("|"))
def test_what_is_no_name(line: str) -> None:
    assert told_name(line) is None


@given(st.text(max_size=300))
def test_any_text_may_be_looked_at(text: str) -> None:
    told = told_name(text)
    assert told is None or (told.name and told.name in text.title() + text)
    claimed_save(text)


@pytest.mark.parametrize(
    "reply", ["Great, I'll remember that!", "I've noted it down.", "I won’t forget.", "I will keep that in mind"]
)
def test_promises(reply: str) -> None:
    assert claimed_save(reply)


@pytest.mark.parametrize(
    "reply", ["Do you remember?", "I remember your cats.", "Tell me if I'll remember it.", "Nice."]
)
def test_no_promises(reply: str) -> None:
    assert claimed_save(reply) is None


@given(st.text(max_size=400), st.integers(10, 100))
def test_a_clipped_text_keeps_both_ends(text: str, most: int) -> None:
    short = clipped(text, most)
    assert len(short) <= max(most, 0)
    assert short == text or (len(text) > most and text.startswith(short.split(" … ")[0]))


@given(st.text())
def test_what_is_shown_cannot_drive_a_terminal(text: str) -> None:
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", shown(text))
    storable(text).encode()


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("my cat is \x1b[1;31mRed\x1b[0m", "my cat is Red"), ("\x1b[Ayes", "yes"), ("\x1bOBno", "no"),
        ("\x1b]0;title\x07hi", "hi"), ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"), ("\x1b(Bx", "x"),
        ("\x1b[200~yes\x1b[201~", "yes"), ("\x1byes", "yes"), ("\x1bOK then", "OK then"),
        ("a\r\nb\rc\x0cd\te", "a\nb\nc\nd\te"), ("a\x07b\x9bc", "abc"), ("[31m and ]0; stay", "[31m and ]0; stay"),
        ("é 日本 👩\u200d👧 \u200e", "é 日本 👩\u200d👧 \u200e"),
    ],
)  # fmt: skip
def test_what_is_typed_or_pasted_is_read_without_what_drives_a_terminal(text: str, meant: str) -> None:
    assert typed(text) == meant


@given(st.lists(st.text("ab \n日", max_size=12), max_size=20), st.integers(4, 30))
def test_wrapping_in_pieces_changes_only_white_space(pieces: list[str], width: int) -> None:
    wrap = Wrap(lambda: width)
    out = "".join(wrap.feed(piece) for piece in pieces) + wrap.flush()
    assert "".join(out.split()) == "".join("".join(pieces).split())
    for line in out.split("\n"):
        if len(line.split()) > 1:
            assert sum(2 if letter == "日" else 1 for letter in line.rstrip()) <= width


def test_flag_beats_environment_beats_file(tmp_path: Path) -> None:
    paths = find_paths({"CHATMEM_HOME": str(tmp_path)})
    paths.config.mkdir()
    paths.config_file.write_text('model = "gguf:a"\nuser = "ana"\ntoken_budget = 500\n')
    found = settings.load(paths, {"CHATMEM_MODEL": "gguf:b", "CHATMEM_USER": "ben"}, {"user": "cleo", "model": None})
    assert (found.model, found.user, found.token_budget, found.color) == ("gguf:b", "cleo", 500, "auto")


@pytest.mark.parametrize("line", ["modle = 5", "model = 5", "token_budget = '9'", "token_budget = 1", "color = 'blue'",
                                  "history = 1", "[chat]\nuser = 'a'", "model = "])  # fmt: skip
def test_a_wrong_config_is_one_sentence_that_names_the_file(tmp_path: Path, line: str) -> None:
    file = tmp_path / "c.toml"
    file.write_text(line)
    with pytest.raises(SettingsError) as caught:
        settings.load(find_paths({"CHATMEM_HOME": str(tmp_path)}), {}, {}, str(file))
    assert str(file) in str(caught.value)
    assert "\n" not in str(caught.value).replace(line, "")


def test_a_config_of_an_editor_that_marks_its_files_is_read_and_edited(tmp_path: Path) -> None:
    file = tmp_path / "c.toml"
    file.write_bytes(b'\xef\xbb\xbfuser = "ana"\r\ntoken_budget = 500\r\n')
    told = settings.load(find_paths({"CHATMEM_HOME": str(tmp_path)}), {}, {}, str(file))
    assert (told.user, told.token_budget) == ("ana", 500)
    put_setting(file, "user", "ben")
    assert settings.load(find_paths({"CHATMEM_HOME": str(tmp_path)}), {}, {}, str(file)).user == "ben"


def test_every_setting_explains_itself() -> None:
    described = settings.describe()
    assert [setting.name for setting in described][:3] == ["db", "user", "model"]
    assert all(setting.help for setting in described)
    assert {setting.env for setting in described} >= {"CHATMEM_DB", "CHATMEM_USER", "CHATMEM_MODEL"}


@pytest.mark.parametrize(
    ("why", "told"),
    [
        (("words", "meaning", "sql"), "same words (sister, live), near in meaning, the SELECT brought it"),
        (("context",), "said next to a line that fits"),
        (("name", "date", "pinned"), "about the one asked about, of the time asked about, pinned"),
        ((), "somewhat near in meaning"),
    ],
)
def test_why_something_was_found_is_told_in_words(why: tuple[str, ...], told: str) -> None:
    memory = Memory(1, 1, "Ana", "sister", "Ana's sister lives in Graz.", None, "", "")
    assert reasons(RecallItem(0.03, memory, why=why), "Where does my sister live?") == told


def test_a_path_is_shortened_for_a_narrow_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: Path("/people/ana"))
    assert short_path("/people/ana/chat.db") == "~/chat.db"
    assert short_path("/people/ana/.local/share/chatmem/chatmem.db") == "…/chatmem/chatmem.db"
    assert short_path("chatmem.db") == "chatmem.db"
