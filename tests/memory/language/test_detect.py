"""Which language a line is in. `tuned`: lines at which the rule was made; `held`: looked at once, for the detector's
thresholds; `fresh`: written afterwards, and nothing was changed for them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from chatmem.memory.language.detect import OTHER_LETTERS, language_of
from chatmem.memory.language.language import UNKNOWN, by_code, english
from tests.clock import least_seconds

HERE = Path(__file__).parent
ROOT = HERE.parents[2]


def lines(half: str) -> list[tuple[str, str]]:
    rows = (HERE / f"{half}.tsv").read_text(encoding="utf-8").splitlines()
    return [(code, text) for code, _, text in (row.partition("\t") for row in rows)]


@pytest.mark.parametrize(("half", "wrong", "exact"), [("tuned", 1, 140), ("held", 0, 135), ("fresh", 1, 70)])
def test_hardly_a_line_is_taken_for_english_or_for_none(half: str, wrong: int, exact: int) -> None:
    told = [(code, language_of(text).code, text) for code, text in lines(half)]
    assert len([row for row in told if row[0] != "en" and row[1] == "en"]) <= wrong
    assert len([row for row in told if row[0] == "en" and row[1] != "en"]) <= 1
    assert sum(code == found for code, found, _ in told) >= exact


@pytest.mark.parametrize(
    "line", ["ok", "Porto!", "42", "", "Ana", "pizza", "haha", "no", "Leo, Mia", "https://x.de/der/das"]
)
def test_a_line_that_tells_nothing_is_in_the_language_of_the_talk_before(line: str) -> None:
    german = language_of("Ich wohne in Wien.")
    assert language_of(line) is english()
    assert language_of(line, before=german) is german


@pytest.mark.parametrize(
    "line", ["ta, laters", "ta", "kk ta", "gn xx", "skint af", "ty", "safe bro", "nah deffo mate", "soz x"]
)
def test_hasty_thanks_and_leave_are_english(line: str) -> None:
    assert language_of(line) is english()


@pytest.mark.parametrize("line", ["merci, salut", "ta soeur", "ok danke", "ty i ja", "tak, hej", "oui mate"])
def test_what_another_language_may_have_is_no_such_line(line: str) -> None:
    assert language_of(line) is not english()


def test_a_setting_holds_for_every_line() -> None:
    assert language_of("Ich wohne in Wien.", "en") is english()
    assert language_of("I live in Vienna.", "de").code == "de"
    assert language_of("I live in Vienna.", "auto") is english()
    assert by_code(" EN ") is english() and by_code("") is UNKNOWN


def test_a_quick_look_needs_no_detector() -> None:
    code = (
        "import sys\nfrom chatmem.memory.language.detect import language_of as of\n"
        "print(*[of(text, thorough=False).code for text in ('I live here', 'ich bin da', 'Pinta caras', 'Я дома')])\n"
        "print('py3langid' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["en", "de", "en", OTHER_LETTERS, "False"]


def test_importing_the_room_reads_no_words() -> None:
    code = (
        "import chatmem.memory.language as room, importlib, pkgutil, tomllib\n"
        "def refuse(*given): raise AssertionError('read at import')\n"
        "tomllib.loads = tomllib.load = refuse\n"
        "for found in pkgutil.iter_modules(room.__path__): importlib.import_module(f'{room.__name__}.{found.name}')"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("text", ["a" * 1_000_000, "a@" * 500_000, "://" * 300_000, "www." * 250_000])
def test_a_line_without_a_space_costs_no_time(text: str) -> None:
    assert least_seconds(lambda: language_of(text, thorough=False), enough=0.6) < 0.6
