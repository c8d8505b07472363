"""What a person or a model wrote is text wherever the page shows it: each letter is there, and none of it acts."""

from __future__ import annotations

from typing import Any

import pytest

from tests.app.web.conftest import LINE, Served, before, counts, done, edit, incognito, reads, say, see

HOSTILE = (
    '<img src=x onerror="window.broken=1"> [link](javascript:window.broken=1) ![p](http://192.0.2.1/x.png) $x^2$ $$y$$ '
    "\\(z\\) **b** _i_ `c` ~~s~~ <b>t</b> {{value}} ${window.broken=1} @children &lt; &amp; "
    "<script>window.broken=1</script>"
)
BLOCK = (
    "# head\n\n- item\n1. one\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n```js\ncode\n```\n\n> quote\n\n"
    "    indented\n\n***\nlast"
)
MARKUP = "a, img, b, i, em, strong, del, s, code, pre, table, ul, ol, li, h1, h2, blockquote, hr, script, .katex"


def clean(page: Any, place: str, but: str = "") -> None:
    """Nothing at a place is markup, and nothing has acted."""
    found = page.evaluate(
        "([place, markup, but]) => [...document.querySelectorAll(place)].flatMap(e => [...e.querySelectorAll(markup)])"
        ".filter(e => !but || !e.closest(but)).map(e => e.outerHTML.slice(0, 200))",
        [place, MARKUP, but],
    )
    assert found == []
    assert page.evaluate("window.broken") is None


@pytest.mark.parametrize("words", [HOSTILE, BLOCK], ids=["inline", "block"])
def test_a_reply_is_text(page: Any, local: Served, words: str) -> None:
    local.tell(set={"says": [words[at : at + 7] for at in range(0, len(words), 7)]})
    say(page, "hello")
    see(page, "#chat [data-testid=bot]", words[-6:].strip())
    page.wait_for_selector("#send:visible")
    shown = reads(page, "#chat [data-testid=bot] .md", words)
    assert shown.count("\n") >= words.count("\n")
    clean(page, "#chat [data-testid=bot] .md")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click("#chat button[aria-label='Copy message'] >> nth=1")
    assert page.evaluate("navigator.clipboard.readText()").strip() == words.strip()


def test_a_line_its_chip_its_memory_and_its_session_are_text(page: Any, local: Served) -> None:
    say(page, f"fact: {HOSTILE}")
    see(page, "#chat .cm-chip", HOSTILE)
    see(page, "#memory .cm-fact", HOSTILE)
    reads(page, "#chat [data-testid=user] .md", f"fact: {HOSTILE}")
    for place in ("#chat [data-testid=user] .md", "#chat .cm-chip span", "#sessions .cm-open"):
        clean(page, place)
    clean(page, "#memory .cm-fact", ".cm-mark")
    page.click("#memory [data-act=history]")
    see(page, "#detail", HOSTILE)
    clean(page, "#detail section li > div", "pre, blockquote, .cm-acts")
    say(page, f"what of {HOSTILE}")
    page.wait_for_selector("#send:visible")
    for tab, shown in (("Why", "#tab-why"), ("Journal", "#tab-journal"), ("Prompt", "#tab-prompt")):
        page.get_by_role("tab", name=tab).click()
        see(page, shown, "onerror")
        clean(page, shown, "ol, pre, .cm-bar")
        assert page.locator(f"{shown} :is(img, a, b:not(blockquote > b), script, em, strong)").count() == 0


def test_commands_errors_and_questions_are_text(page: Any, local: Served) -> None:
    say(page, f"/remember {HOSTILE}")
    see(page, "#chat .cm-command", f"/remember {HOSTILE}")
    see(page, "#memory .cm-fact", HOSTILE)
    clean(page, "#chat .cm-command")
    say(page, f"/{HOSTILE.replace(' ', '')}")
    see(page, "#chat .cm-note", "There is no command")
    clean(page, "#chat .cm-note")
    page.click("#memory [data-act=edit]")
    page.fill(".cm-form [name=happened_on]", "<img src=x onerror=window.broken=1> **b** [l](javascript:1)")
    page.click(".cm-form .cm-save")
    see(page, ".cm-form [role=alert]", "<img src=x onerror=window.broken=1> **b** [l](javascript:1)")
    clean(page, ".cm-form [role=alert]")
    page.click(".cm-form >> text=Cancel")
    page.click("#memory [data-act=forget]")
    page.wait_for_selector("#no:visible")
    see(page, "#question", "<img src=x onerror=")
    clean(page, "#question")
    page.click("#no")
    page.fill(f"{LINE}", "")
    page.goto(local.url + "/?session=<img src=x onerror=window.broken=1>**b**")
    see(page, "#chat .cm-note", "There is no session <img src=x onerror=")
    clean(page, "#chat .cm-note")


def test_a_message_over_the_page_is_text(page: Any, local: Served) -> None:
    incognito(page, "incognito")
    page.evaluate(
        "history.pushState(null, '', '?session=<img src=x onerror=window.broken=1>**b**');"
        "window.dispatchEvent(new PopStateEvent('popstate'))"
    )
    see(page, "body", "so session <img src=x onerror=window.broken=1>*")
    assert page.locator("img[src=x]").count() == 0 and page.evaluate("window.broken") is None
    page.wait_for_function("location.search === ''")


def test_a_name_and_a_title_are_text_in_filters_and_sessions(page: Any, local: Served) -> None:
    user = local.store.users.get("me").id
    local.store.facts.remember(user, HOSTILE[:90], HOSTILE[:90], "Something.")
    say(page, "hello")
    see(page, "#sessions", "hello")
    page.click("#sessions [data-act=rename]")
    page.fill(".cm-form [name=title]", HOSTILE[:60])
    page.click(".cm-form .cm-save")
    see(page, "#sessions", HOSTILE[:50])
    clean(page, "#sessions .cm-open")
    page.wait_for_function("document.querySelector('[data-view=subject]').options.length === 2")
    assert page.locator("[data-view=subject] option").nth(1).inner_text().startswith("<img src=x onerror=")
    page.select_option("[data-view=subject]", index=1)
    see(page, "#memory .cm-meta", HOSTILE[:30])
    clean(page, "#memory .cm-meta")


def test_what_was_typed_as_a_command_stands_before_its_result(page: Any, local: Served) -> None:
    say(page, "fact: I have two cats.")
    see(page, "#chat .cm-chip", "I have two cats.")
    say(page, "/memory cats")
    see(page, "#chat .cm-note", "Memories about 'cats'")
    before(page, "/memory cats", "Memories about 'cats'")
    counts(page, "#chat .cm-chip", 1)  # the chip stays with its line
    done(page)
    page.click("#memory [data-act=forget]")
    page.wait_for_selector("#no:visible")
    assert "/forget" not in page.inner_text("#chat")  # a button's own command was not typed
    page.click("#no")
    page.wait_for_selector("#question", state="hidden")
    edit(page, "fact: I have three cats.")  # the line, which is still the last that was said
    see(page, "#memory", "I have three cats.")
