"""Memories, chips, history, journal and the why-panel as HTML. All text from people and models is escaped here.

What can be clicked carries `data-act`, `data-id` and, where something is to be typed, `data-form`; assets/web/page.js
hands it to `actions`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from html import escape

from ...memory.exchange import Preview
from ...memory.values import JournalEntry, Memory, Rows, Session, Turn
from ..chips import Chip, TurnChips
from ..panels import Part, Step, Why
from ..render import chip
from ..slash_files import plan_lines
from ..texts import one_line, shown
from ..zone import day, minute

Field = tuple[str, str, str]
"""A thing to type: its name, its label, and what it holds now."""
UNDO_TURN = "Take back all that was written from this line"


def text(value: object, most: int = 2_000) -> str:
    """Anything as escaped text."""
    return escape(one_line(shown(str(value)), most))


def button(act: str, key: object, label: str, *, title: str = "", form: Sequence[Field] = (), kind: str = "") -> str:
    """A button that asks for an action; with `form` the fields are typed first."""
    typed = f' data-form="{escape(json.dumps(form))}"' if form else ""
    told = escape(title or label)
    return (f'<button type="button" class="cm-b {kind}" data-act="{act}" data-id="{escape(str(key))}"{typed}'
            f' title="{told}" aria-label="{told}">{escape(label)}</button>')  # fmt: skip


def typed(lines: Sequence[str]) -> str:
    """Lines for page.js, which brings them back at the arrow keys."""
    return f'<i data-lines="{escape(json.dumps(lines))}"></i>'


def note(words: str) -> str:
    return f'<p class="cm-note">{escape(words)}</p>'


def memory_table(memories: Sequence[Memory], total: int, fresh: dict[int, str], words: str = "") -> str:
    """Rows with their buttons; those in `fresh` flash and carry their mark (+ came, ~ changed)."""
    if not memories:
        return note("Nothing found." if words else "Nothing is remembered yet. Tell me about yourself.")
    rows = "".join(_memory_row(memory, fresh.get(memory.id, "")) for memory in memories)
    more = f"{len(memories):,} of {total:,}; search finds the others." if len(memories) < total and not words else ""
    return f'<table class="cm-memory" aria-label="Memory"><tbody>{rows}</tbody></table>{note(more) if more else ""}'


def _memory_row(memory: Memory, mark: str) -> str:
    form = [("fact", "Fact", memory.fact), ("subject", "About", memory.subject), ("topic", "Topic", memory.topic),
            ("happened_on", "When", memory.happened_on or "")]  # fmt: skip
    pin = button("unpin", memory.id, "Unpin") if memory.pinned else button(
        "pin", memory.id, "Pin", title="Pin: every reply sees it")  # fmt: skip
    told = " · ".join(part for part in (
        f"#{memory.id}", text(memory.subject, 40), text(memory.topic, 40), text(memory.happened_on or ""),
        "pinned" if memory.pinned else "") if part)  # fmt: skip
    sign = f'<b class="cm-mark">{mark}</b> ' if mark else ""
    acts = "".join((
        button("edit", memory.id, "Edit", form=form), pin,
        button("undo-row", memory.id, "Undo", title="Take back the last change of this memory"),
        button("history", memory.id, "History"),
        button("forget", memory.id, "Forget", title="Forget for good", kind="cm-bad"),
    ))  # fmt: skip
    kind = "cm-flash" if mark else ""
    return (f'<tr id="cm-m{memory.id}" class="{kind}"><td><div class="cm-fact">{sign}'
            f'{text(memory.fact)}</div><div class="cm-meta">{told}</div>'
            f'<div class="cm-acts">{acts}</div></td></tr>')  # fmt: skip


def chips(found: TurnChips) -> str:
    """The writes of a turn, each with its buttons, and one button for all of them."""
    whole = button("undo-turn", found.turn_id, f"Undo all {found.undo}", title=UNDO_TURN) if found.undo else ""
    if not found.chips and not whole:
        return ""
    return '<div class="cm-chips">' + "".join(map(_chip, found.chips)) + whole + "</div>"


def _chip(chip: Chip) -> str:
    acts = ""
    if chip.can_undo:
        acts += button("undo", chip.entry_id, "Undo")
    elif chip.undone:
        acts += button("redo", chip.entry_id, "Redo")
    if chip.can_edit and chip.now:
        acts += button("edit", chip.row, "Edit", form=[("fact", "Fact", chip.now)])
    if chip.later and chip.memory_id is not None:
        acts += button("history", chip.memory_id, "History")
    kind = {"+": "came", "-": "went"}.get(chip.sign, "changed")
    kind += " undone" if chip.undone else " later" if chip.later else ""
    return f'<div class="cm-chip {kind}"><span>{text(chip.told)}</span>{acts}</div>'


def sessions(found: Sequence[Session], current: int | None) -> str:
    if not found:
        return note("No sessions yet.")
    return '<ul class="cm-sessions">' + "".join(_session(one, one.id == current) for one in found) + "</ul>"


def _session(one: Session, current: bool) -> str:
    title = one.title or f"Session {one.id}"
    acts = button("rename", one.id, "Rename", form=[("title", "Title", title)])
    acts += button("delete", one.id, "Delete", kind="cm-bad")
    return (f'<li class="{"cm-current" if current else ""}"><button type="button" class="cm-open" data-act="resume" '
            f'data-id="{one.id}">{text(title, 60)}<small>{day(one.started_at)} · {one.turns} lines</small></button>'
            f'<span class="cm-acts">{acts}</span></li>')  # fmt: skip


def timeline(steps: Sequence[Step], memory_id: int) -> str:
    """All that happened to a fact."""
    rows = "".join(_step(step) for step in steps)
    close = button("close", 0, "Close")
    return f'<section class="cm-history"><h4>History of #{memory_id} {close}</h4><ol>{rows}</ol></section>'


def _step(step: Step) -> str:
    act = button("undo", step.entry_id, "Undo") if step.can_undo else ""
    act = button("redo", step.entry_id, "Redo") if step.undone else act
    return (f'<li><div>{text(step.text)}</div><div class="cm-meta">{minute(step.at)} · '
            f'{text(step.who)}</div>{_sql(step.sql)}{_lines(step.evidence)}'
            f'<div class="cm-acts">{act}</div></li>')  # fmt: skip


def _sql(sql: str | None) -> str:
    return f"<pre><code>{escape(shown(sql))}</code></pre>" if sql else ""


def _lines(turns: Iterable[Turn]) -> str:
    return "".join(f"<blockquote><small>{day(turn.said_at)}</small> <b>{text(turn.speaker)}</b>: {text(turn.text)}"
                   "</blockquote>" for turn in turns)  # fmt: skip


def why(found: Why | None) -> str:
    """The SELECT, the rows, the evidence lines with their dates, and which of them the prompt held."""
    if found is None:
        return note("Nothing was looked up yet in this session; say something first.")
    refused = note(f"Not run: {found.refused}") if found.refused else ""
    rows = "".join(
        f'<li><div>{f"#{row.memory.id} " if row.memory else ""}{text(row.text)}'
        f'{" <mark>in context</mark>" if row.in_context else ""}</div><div class="cm-meta">'
        f'found by: {text(row.found)}</div>{_lines(row.evidence)}</li>' for row in found.rows)  # fmt: skip
    told = f"<ol>{rows}</ol>" if rows else note("Nothing was found, so the reply had no memory to build on.")
    query = f"<p>Looked up for: <q>{text(found.query)}</q></p>"
    return f'<section class="cm-why">{query}{_sql(found.sql)}{refused}{told}</section>'


def context(parts: Sequence[Part]) -> str:
    """The exact prompt of the last reply, each part with its share of the tokens."""
    if not parts:
        return note("No prompt was made yet in this session; say something first.")
    return "".join(
        f'<details class="cm-part" open><summary>{text(part.name)} <small>{part.tokens} tokens, {part.share:.0%}'
        f'</small><span class="cm-bar"><i style="width:{100 * part.share:.1f}%"></i></span></summary>'
        f"<pre>{escape(shown(part.text))}</pre></details>" for part in parts)  # fmt: skip


def journal(entries: Sequence[JournalEntry], found: Sequence[Chip]) -> str:
    """The writes with their chips, newest first, with their SQL and who wrote them."""
    if not entries:
        return note("Nothing was written yet.")
    both = reversed(list(zip(entries, found, strict=True)))
    return '<ol class="cm-journal">' + "".join(_entry(entry, chip) for entry, chip in both) + "</ol>"


def _entry(entry: JournalEntry, chip: Chip) -> str:
    what = f"refused: {entry.reason}" if entry.kind == "refused" else chip.told
    act = button("undo", entry.id, "Undo") if chip.can_undo else ""
    act = button("redo", entry.id, "Redo") if entry.undone else act
    model = "+".join(part for part in (entry.author.model, entry.author.adapter) if part)
    who = f"{entry.author.actor} {model}".strip()
    kind = "undone" if entry.undone else ""
    return (f'<li class="{kind}"><div>{text(what)}</div><div class="cm-meta">write {entry.id}'
            f' · {minute(entry.at)} · {text(who)}</div>{_sql(entry.sql)}'
            f'<div class="cm-acts">{act}</div></li>')  # fmt: skip


def rows(found: Rows) -> str:
    """The result of a query."""
    if not found.rows:
        return note("No rows.")
    head = "".join(f"<th>{text(name)}</th>" for name in found.columns)
    body = "".join("<tr>" + "".join(f"<td>{text('' if cell is None else cell)}</td>" for cell in row) + "</tr>"
                   for row in found.rows)  # fmt: skip
    more = note("There is more; add a LIMIT to choose.") if found.truncated else ""
    return f'<div class="cm-scroll"><table class="cm-rows"><tr>{head}</tr>{body}</table></div>{more}'


def written(entries: Sequence[JournalEntry]) -> str:
    """What a write by hand changed."""
    rows = "".join(f"<li>{text(chip(entry))}</li>" for entry in entries)
    return f"<ul>{rows}</ul>" if rows else note("Nothing was changed: no row fits, or all is known already.")


def refused(reason: str, hint: str = "") -> str:
    """Why a statement was not run."""
    return note(f"Not run: {reason.rstrip('.')}. {hint}".strip())


def preview(plan: Preview) -> str:
    """What an import would do."""
    return f"<ul>{''.join(f'<li>{text(line)}</li>' for line in plan_lines(plan))}</ul>"
