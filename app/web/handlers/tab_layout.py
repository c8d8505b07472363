"""The other tabs: why, prompt, journal, SQL, files, evaluation, settings."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import gradio as gr

from ..html.help import guide
from ..windows.windows import House
from .tabs import TabHandlers
from .talk import Handlers

HIDDEN: dict[str, Any] = {
    "show_progress": "hidden", "api_visibility": "private", "api_name": "page", "concurrency_limit": None,
}  # fmt: skip
"""Events of the page itself: no endpoints for programs, whose names they leave free."""
EXAMPLE = "SELECT subject, count(*) AS facts FROM memory GROUP BY subject ORDER BY facts DESC"
COLUMNS = (
    "Query `memory(id, subject, topic, fact, happened_on, said_at)`, your current memories, or `lines(id, speaker, "
    "text, said_at, session)`, what was said."
)
WRITES = "Allow INSERT, UPDATE and DELETE, through guard and journal"
REPORTS_ALONE = "Reports and charts of past evaluations."
REPORTS = (
    REPORTS_ALONE
    + " They are read from `{folder}`: `chatmem eval report RECORD --to` that folder puts them there, and so "
    "does what `chatmem eval storage --json` prints, kept as a file."
)
THEMES = ("system", "light", "dark")


def tabs(p: SimpleNamespace, on: Handlers, house: House) -> None:
    """All tabs but the first, wired."""
    does = TabHandlers(house, on.desk)
    p.journal = _readings(does)
    _sql(does)
    _files(p, does)
    _reports(does, house)
    _settings(does, house)
    with gr.Tab("Help", id="help"):
        gr.Markdown(guide(house.closed), elem_id="guide")


def _readings(does: TabHandlers) -> gr.HTML:
    """Tabs that only show; what the last of them shows in."""
    for label, read, told in (
        ("Why", does.why, "What the last reply was built on: the SELECT, the rows, the lines they came from."),
        ("Prompt", does.context, "The exact prompt of the last reply, and each part's share of its tokens."),
        ("Journal", does.journal, "The last 50 writes, refused ones too, newest first."),
    ):
        with gr.Tab(label, id=label.lower()) as tab:
            gr.Markdown(told)
            shown = gr.HTML(
                "", elem_id=f"tab-{label.lower()}", elem_classes="cm-html", js_on_load=None, apply_default_css=False
            )
            again = gr.Button("Refresh", size="sm", elem_classes="cm-small")
        gr.on([tab.select, again.click], read, None, shown, **HIDDEN)
    return shown


def _sql(does: TabHandlers) -> None:
    with gr.Tab("SQL", id="sql"):
        gr.Markdown(COLUMNS)
        query = gr.Code(EXAMPLE, language="sql", lines=3, show_label=False, elem_id="query", interactive=True)
        writes = gr.Checkbox(False, label=WRITES, elem_id="writes", container=False)
        run = gr.Button("Run", variant="primary", size="sm", elem_classes="cm-small", elem_id="run")
        result = gr.HTML("", elem_id="result", elem_classes="cm-html", js_on_load=None, apply_default_css=False)
        back = gr.Button("Undo this write", size="sm", elem_classes="cm-small", elem_id="take-back", visible=False)
        batch = gr.State("")
    run.click(does.sql, [query, writes], [result, back, batch], **HIDDEN)
    back.click(does.take_back, batch, [result, back, batch], **HIDDEN)


def _files(p: SimpleNamespace, does: TabHandlers) -> None:
    with gr.Tab("Files", id="files"):
        gr.Markdown("**Export** what is remembered. JSON is complete and can be imported again.")
        with gr.Row():
            for form in ("JSON", "CSV", "Markdown"):
                gr.Button(form, size="sm", elem_id=f"export-{form.lower()}").click(
                    does.exporter(form.lower()), None, p.download, **HIDDEN)  # fmt: skip
        gr.Markdown("**Import** an export (.json) or a table with the columns subject and fact (.csv).")
        file = gr.File(label="File", file_types=[".json", ".csv", ".tsv"], elem_id="file", height=120)
        plan = gr.HTML("", elem_id="plan", elem_classes="cm-html", js_on_load=None, apply_default_css=False)
        take = gr.Button("Import", variant="primary", size="sm", visible=False, elem_id="take")
    file.upload(does.preview, file, [plan, take], **HIDDEN)
    file.clear(does.drop, file, [plan, take], **HIDDEN)
    take.click(does.take, file, [file, plan, take], **HIDDEN)


def _reports(does: TabHandlers, house: House) -> None:
    with gr.Tab("Evaluation", id="evaluation") as tab:
        gr.Markdown(REPORTS.format(folder=house.reports) if house.accounts is None else REPORTS_ALONE)
        which = gr.Dropdown([], label="Report", elem_id="which", interactive=True)
        shown = gr.HTML("", elem_id="report", elem_classes="cm-html", js_on_load=None, apply_default_css=False)
        page = gr.Markdown("", elem_id="report-text")
    tab.select(does.reports, which, which, **HIDDEN).then(does.report, which, [shown, page], **HIDDEN)
    which.input(does.report, which, [shown, page], **HIDDEN)


def _settings(does: TabHandlers, house: House) -> None:
    with gr.Tab("Settings", id="settings") as tab:
        incognito = gr.Checkbox(label="Incognito: read and write nothing", elem_id="incognito")
        look = gr.Radio(THEMES, value="system", label="Light or dark", elem_id="theme")
        with gr.Row():
            budget = gr.Number(label="Most tokens of one prompt", precision=0, minimum=256, elem_id="budget")
            words = gr.Number(label="Most words of memory in one prompt", precision=0, minimum=0, elem_id="recall")
        save = gr.Button("Use these budgets", size="sm", elem_classes="cm-small", elem_id="budgets")
        models = gr.HTML("", elem_id="models", elem_classes="cm-html", js_on_load=None, apply_default_css=False)
        if house.accounts is None:
            with gr.Row():
                role = gr.Dropdown(["all", "answer", "storage", "retrieval"], value="all", label="Role")
                spec = gr.Textbox(label="Model", placeholder="embedded, gguf:PATH, hf:NAME, openai:NAME", scale=3)
            gr.Button("Switch model", size="sm", elem_classes="cm-small", elem_id="switch").click(
                does.switch, [role, spec], models, **(HIDDEN | {"show_progress": "minimal"}))  # fmt: skip
    tab.select(does.settings, incognito, [incognito, budget, words, models], **HIDDEN)
    tab.select(None, None, look, js="() => window.chatmem.theme()", **HIDDEN)
    look.input(None, look, None, js="(name) => { window.chatmem.theme(name); }", **HIDDEN)
    incognito.input(does.incognito, incognito, [incognito], **HIDDEN)
    save.click(does.budgets, [budget, words], [budget, words], **HIDDEN)
