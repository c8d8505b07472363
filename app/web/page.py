"""The page: its parts, and which function each event calls."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gradio as gr

from ..shown.choices import KEEP_LINES, KEEP_OTHERS, OFFERED
from .handlers import tab_layout
from .handlers.tab_layout import HIDDEN
from .handlers.talk import Handlers
from .html.help import empty
from .html.paint import PANES
from .html.rendering import render
from .windows.windows import House

ASSETS = Path(__file__).resolve().parents[2] / "assets" / "web"
FIND, WORDS = "Search all that was said", "Search the memory"
"""What a field is for: said in it while it is empty, and its name for who doesn't see it."""
WHERE = "(new URL(location.href).searchParams.get('session') || '') + '/' + (window.chatmemWent || 0)"
"""The session that the page's address names (see address.js): a window may be new to the server at any time."""
AT_LOOK = f"(words, find, _) => [words, find, {WHERE}]"
AT_SEND = f"(line, words, find, _) => {{ window.chatmem.sent(); return [line, words, find, {WHERE}] }}"
"""The box is emptied here: a server that did it later would wipe what is typed meanwhile."""
AT_TICK = f"(stamp, words, find, _, __) => [stamp, words, find, !!document.querySelector('#chat textarea'), {WHERE}]"
"""Also whether a line of the talk is open."""
READABLE = {
    "background_fill_primary": "*neutral_50",  # as Soft has it, which `set` would forget
    "body_text_color_subdued": "*neutral_600", "body_text_color_subdued_dark": "*neutral_400",
    "input_placeholder_color": "*neutral_500", "input_placeholder_color_dark": "*neutral_300",
    "block_label_text_color": "*primary_800", "block_title_text_color": "*primary_800",
    "block_label_background_fill_dark": "*primary_800", "color_accent": "*primary_700",
    "button_primary_background_fill": "*primary_700", "button_primary_background_fill_dark": "*primary_700",
    "button_primary_background_fill_hover": "*primary_800", "button_primary_background_fill_hover_dark": "*primary_800",
    "button_secondary_background_fill_hover_dark": "*primary_700",
    "checkbox_border_color": "*neutral_500", "checkbox_border_color_dark": "*neutral_400",
    "checkbox_border_color_hover": "*neutral_700", "checkbox_border_color_hover_dark": "*neutral_200",
    "checkbox_label_background_fill_selected": "*primary_700",
    "checkbox_label_background_fill_selected_dark": "*primary_700",
}  # fmt: skip
"""Where Soft's own colours are too faint to be seen by all: each text, or box to tick, and its ground are 4.5 to 1."""
SCRIPTS = ("once.js", "page.js", "focus.js", "form.js", "history.js", "choose.js", "ask.js", "literal.js")


def style() -> str:
    return (ASSETS / "page.css").read_text(encoding="utf-8")


def theme() -> Any:
    """Gradio's soft theme with the system's own fonts: nothing is fetched from anywhere."""
    fonts = ("system-ui", "-apple-system", "Segoe UI", "Roboto", "sans-serif")
    mono = ("ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "monospace")
    soft = gr.themes.Soft(primary_hue="emerald", neutral_hue="slate", font=fonts, font_mono=mono)
    return soft.set(**READABLE)


def build(house: House) -> gr.Blocks:
    """The page over a house. Nothing of it is about one person before a browser asks for it."""
    from .handlers.api import add_api

    on = Handlers(house)
    with gr.Blocks(title="chatmem", fill_width=True, analytics_enabled=False, delete_cache=(3600, 3600)) as page:
        p = SimpleNamespace(
            stamp=gr.State(""), editing=gr.Checkbox(False, visible=False), where=gr.Textbox("", visible=False)
        )
        _sidebar(p, signed_in=house.accounts is not None)
        _top(p)
        with gr.Tabs():
            with gr.Tab("Chat", id="chat"):
                _chat(p, empty(signed_in=house.accounts is not None))
            tab_layout.tabs(p, on, house)
        _wire(p, on, page)
        add_api(house)
    return page


def _sidebar(p: SimpleNamespace, *, signed_in: bool) -> None:
    with gr.Sidebar(width=270, elem_id="side"):
        gr.HTML(render("page", "title"), js_on_load=None)
        p.new = gr.Button("New session", size="sm", elem_id="new")
        p.find = gr.Textbox(label=FIND, placeholder=FIND, show_label=False, container=False, elem_id="find")
        p.sessions = gr.HTML("", elem_id="sessions", elem_classes="cm-html", js_on_load=None, apply_default_css=False)
        if signed_in:
            gr.HTML(render("sign_in", "out"), js_on_load=None)


def _top(p: SimpleNamespace) -> None:
    p.status = gr.HTML("", elem_id="status", js_on_load=None)
    with gr.Column(visible=False, elem_id="ask", min_width=0) as p.ask:
        p.question = gr.Markdown("", elem_id="question", padding=True)
        with gr.Row():
            p.yes = gr.Button("Yes", variant="stop", size="sm", elem_id="yes")
            p.no = gr.Button("No", size="sm", elem_id="no")
        p.keep_lines = gr.Button(OFFERED[KEEP_LINES], size="sm", visible=False, elem_id="keep-lines")
        p.keep_others = gr.Button(OFFERED[KEEP_OTHERS], size="sm", visible=False, elem_id="keep-others")
    p.actions = _unseen("actions", *SCRIPTS)
    p.typed = gr.HTML("", elem_id="typed", js_on_load=None, apply_default_css=False)
    p.download, p.address, p.answer = (_unseen(name, f"{name}.js") for name in ("download", "address", "answer"))


def _unseen(name: str, *scripts: str) -> gr.HTML:
    """A component that is there for its scripts alone."""
    code = "\n".join((ASSETS / each).read_text(encoding="utf-8") for each in scripts)
    return gr.HTML(None, html_template=render("page", "unseen"), js_on_load=code, elem_id=name)


def _chat(p: SimpleNamespace, before: str) -> None:
    with gr.Row():
        with gr.Column(scale=3, min_width=320, elem_id="talk"):
            p.chat = gr.Chatbot(
                show_label=False, elem_id="chat", editable="user", placeholder=before, feedback_options=None,
                buttons=["copy"], layout="bubble", height=None, latex_delimiters=[],
            )  # fmt: skip
            with gr.Row(equal_height=True, elem_id="entry"):
                p.line = gr.Textbox(
                    label="Message", placeholder="Message, or /help", show_label=False, container=False, lines=1,
                    max_lines=10, scale=8, autofocus=True, elem_id="line", min_width=160,
                )  # fmt: skip
                p.send = gr.Button("Send", variant="primary", scale=1, min_width=80, elem_id="send")
                p.stop = gr.Button("Stop", variant="stop", scale=1, min_width=80, visible=False, elem_id="stop")
        with gr.Column(scale=2, min_width=320, elem_id="pane"):
            p.words = gr.Textbox(label=WORDS, placeholder=WORDS, show_label=False, container=False, elem_id="words")
            p.detail = gr.HTML("", elem_id="detail", elem_classes="cm-html", js_on_load=None, apply_default_css=False)
            p.tools = gr.HTML("", elem_id="tools", elem_classes="cm-html", js_on_load=None, apply_default_css=False)
            p.memory = gr.HTML("", elem_id="memory", elem_classes="cm-html", js_on_load=None, apply_default_css=False)


def _wire(p: SimpleNamespace, on: Handlers, page: gr.Blocks) -> None:
    panes: Sequence[Any] = [getattr(p, name) for name in PANES]
    looks = [p.words, p.find]
    page.load(on.look, [*looks, p.where], panes, js=AT_LOOK, **HIDDEN)
    page.load(on.typed, None, p.typed, **HIDDEN)
    page.unload(on.leave)
    every = HIDDEN | {"trigger_mode": "multiple"}  # a click that comes while another is being done is not lost
    gr.on([p.line.submit, p.send.click], on.send, [p.line, *looks, p.where], [p.line, *panes], js=AT_SEND, **every)
    p.stop.click(on.stop, None, None, queue=False, **HIDDEN)
    p.chat.retry(on.retry, looks, panes, **HIDDEN)
    p.chat.edit(on.edit, looks, panes, **HIDDEN)
    p.new.click(on.new, looks, panes, **HIDDEN)
    p.yes.click(on.yes, looks, panes, **HIDDEN)
    p.no.click(on.no, looks, panes, **HIDDEN)
    for button, flag in zip((p.keep_lines, p.keep_others), OFFERED, strict=True):
        button.click(on.keeper(flag), looks, panes, **HIDDEN)
    done = [p.detail, p.download, p.answer, *panes]
    p.actions.select(on.act, looks, done, **every).then(on.journal, None, p.journal, **HIDDEN)
    gr.on([p.words.input, p.words.submit], on.memory, p.words, p.memory, trigger_mode="always_last", **HIDDEN)
    gr.on([p.find.input, p.find.submit], on.sessions, p.find, p.sessions, trigger_mode="always_last", **HIDDEN)
    gr.Timer(1.0).tick(on.tick, [p.stamp, *looks, p.editing, p.where], panes, js=AT_TICK, **HIDDEN)
