"""All text can be read: at least 4.5 to 1 between it and what it stands on, in light and in dark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.app.web.conftest import Served, done, loaded, say, see

LEAST = 4.5
PAIRS = (
    ("body_text_color", "background_fill_primary"), ("body_text_color", "background_fill_secondary"),
    ("body_text_color_subdued", "background_fill_primary"), ("body_text_color_subdued", "background_fill_secondary"),
    ("body_text_color_subdued", "block_background_fill"), ("input_placeholder_color", "input_background_fill"),
    ("button_primary_text_color", "button_primary_background_fill"),
    ("button_primary_text_color", "button_primary_background_fill_hover"),
    ("button_secondary_text_color", "button_secondary_background_fill"),
    ("button_secondary_text_color", "button_secondary_background_fill_hover"),
    ("block_title_text_color", "block_title_background_fill"),
    ("block_label_text_color", "block_label_background_fill"),
    ("checkbox_border_color", "background_fill_primary"), ("checkbox_border_color_hover", "background_fill_primary"),
    ("checkbox_label_text_color_selected", "checkbox_label_background_fill_selected"),
)  # fmt: skip
TABS = ("Chat", "Why", "Prompt", "Journal", "SQL", "Files", "Evaluation", "Settings", "Help")
FAINT = (Path(__file__).parent / "faint.js").read_text(encoding="utf-8")


def colour(theme: Any, name: str, dark: bool) -> str:
    """A colour of the theme, through all the names that stand for it."""
    value = (dark and getattr(theme, f"{name}_dark", None)) or getattr(theme, name)
    if value.startswith("*"):
        return colour(theme, value[1:], dark and not value[1:].rpartition("_")[2].isdigit())
    return {"white": "#ffffff"}.get(value, value)


def light(colour: str) -> float:
    """How bright a colour looks, from 0 to 1, as WCAG 2 reckons it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (one / 12.92 if one <= 0.03928 else ((one + 0.055) / 1.055) ** 2.4 for one in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def ratio(one: str, other: str) -> float:
    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_themes_own_colours_can_be_read(dark: bool) -> None:
    pytest.importorskip("gradio", reason="the page needs the extra web: pip install 'chatmem[web]'")
    from chatmem.app.web.page import theme

    found = theme()
    told = {pair: (colour(found, pair[0], dark), colour(found, pair[1], dark)) for pair in PAIRS}
    assert {pair: both for pair, both in told.items() if ratio(*both) < LEAST} == {}


@pytest.mark.parametrize("look", ["light", "dark"])
def test_what_the_page_shows_can_be_read(page: Any, local: Served, look: str) -> None:
    say(page, "fact: I have two cats.")
    see(page, "#chat .cm-chip", "two cats")
    say(page, "/help")
    done(page)
    page.evaluate("look => localStorage.setItem('chatmem-theme', look)", look)
    page.reload()
    loaded(page)
    see(page, "#memory", "two cats")
    page.wait_for_function("dark => document.body.classList.contains('dark') === dark", arg=look == "dark")
    for tab in TABS:
        page.get_by_role("tab", name=tab).click()
        page.wait_for_function("document.getAnimations().every(each => each.playState !== 'running')")
        page.wait_for_timeout(300)
        assert (tab, page.evaluate(FAINT, LEAST)) == (tab, [])
    page.get_by_role("tab", name="Chat").click()
    page.click("#memory [data-act=history]")
    see(page, "#detail", "History of")
    page.click("#memory [data-act=edit]")
    page.wait_for_selector(".cm-form")
    assert page.evaluate(FAINT, LEAST) == []
