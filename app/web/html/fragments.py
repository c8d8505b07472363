"""Memories, chips, history, journal and the why-panel as HTML, each made by its template.

What can be clicked carries `data-act`, `data-id` and, where something is to be typed, `data-form`; assets/web/page.js
hands it to `clicks`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ....memory.transfer.exchange import Preview
from ....memory.values import JournalEntry, Memory, Rows, Session
from ...chat.panels import PromptPart, TimelineStep, Why
from ...chat.slash.files import plan_lines
from ...shown.chips import Chip, TurnChips
from ...shown.render import chip
from ...shown.status import Standing
from ..windows.listing import ORDERS, PAGE, View
from .rendering import render

QUOTED = "” "
"""The mark before a quotation's line, which elsewhere stands in a column of marks."""

NOT_YET = "Nothing was looked up yet in this session; say something first."
NOT_SINCE = "Nothing was looked up since this page opened the session; say something, and it is shown for the reply."


def typed(lines: Sequence[str]) -> str:
    """Lines for page.js, which brings them back at the arrow keys."""
    return render("page", "typed", lines=lines)


def note(words: str) -> str:
    """A word in place of what there is nothing of."""
    return render("parts", "note", words=words)


def command(words: str) -> str:
    """A command as it was typed, as one's own line."""
    return render("talk", "command", words=words)


def wish(words: str) -> str:
    """A line that is kept nowhere, as one's own line."""
    return render("talk", "wish", words=words)


def aside(words: str, *, warns: bool) -> str:
    """A word of the program's own between the lines of the talk."""
    return render("talk", "aside", words=words, warns=warns)


def memory_table(
    memories: Sequence[Memory], total: int, fresh: Mapping[int, str], view: View | None = None, near: int | None = None
) -> str:
    """A page of `total` rows with their buttons; those in `fresh` flash and carry their mark (+ came, ~ changed). A
    word stands before row `near`, from which on all is found by its meaning alone."""
    view = view or View()
    sought = bool(view.words or view.subject or view.topic)
    return render(
        "memory",
        "table",
        memories=memories,
        total=total,
        fresh=fresh,
        sought=sought,
        page=view.page,
        first=view.page * PAGE,
        near=near,
    )


def tools(view: View, subjects: Sequence[str], topics: Sequence[str]) -> str:
    """What orders and filters the memory, and what can be done with what is chosen (choose.js counts that)."""
    lists = [
        ("order", "Order", list(ORDERS.items()), view.order),
        ("subject", "About", [("", "Anyone"), *((one, one) for one in subjects)], view.subject or ""),
        ("topic", "Topic", [("", "Any topic"), *((one, one) for one in topics)], view.topic or ""),
    ]
    return render("memory", "tools", lists=lists)


def chips(found: TurnChips) -> str:
    """The writes of a turn, each with its buttons, and one button for all of them ("": it wrote nothing)."""
    return render("talk", "chips", found=found, quoted=found.quoted.removeprefix(QUOTED))


def sessions(found: Sequence[Session], current: int | None, lines: Mapping[int, str] | None = None) -> str:
    """Sessions to take up, rename and delete; the one that goes on is marked. `lines`: by session what was found in it,
    to which it opens (history.js)."""
    return render("sessions", "sessions", found=found, current=current, lines=lines or {})


def timeline(steps: Sequence[TimelineStep], memory_id: int, now: int | None = None) -> str:
    """All that happened to a fact; `now` is the number that it has now (None: it is not remembered any more)."""
    return render("memory", "timeline", steps=steps, memory_id=memory_id, now=now)


def why(found: Why | None, *, opened: bool = False) -> str:
    """The SELECT, the rows, the evidence lines with their dates, and which of them the prompt held. `opened`: lines
    were said before this page opened the session, and what was looked up for them is kept nowhere."""
    return render("why", "why", found=found, before=NOT_SINCE if opened else NOT_YET)


def prompt(parts: Sequence[PromptPart]) -> str:
    """The exact prompt of the last reply, each part with its share of the tokens."""
    return render("why", "prompt", parts=parts)


def journal(entries: Sequence[JournalEntry], found: Sequence[Chip]) -> str:
    """The writes with their chips, newest first, with their SQL and who wrote them."""
    return render("journal", "journal", both=list(zip(entries, found, strict=True)))


def rows(found: Rows) -> str:
    """The result of a query."""
    return render("tabs", "rows", found=found)


def written(entries: Sequence[JournalEntry]) -> str:
    """What a write by hand changed."""
    if not entries:
        return note("Nothing was changed: no row fits, or all is known already.")
    return render("tabs", "list", lines=[chip(entry) for entry in entries])


def refused(reason: str, hint: str = "") -> str:
    """Why a statement was not run."""
    return note(f"Not run: {reason.rstrip('.')}. {hint}".strip())


def preview(plan: Preview) -> str:
    """What an import would do."""
    return render("tabs", "list", lines=plan_lines(plan))


def models(specs: Sequence[tuple[str, str]], words: str) -> str:
    """Each role's model, and `words` on where the memory is."""
    return render("tabs", "models", specs=specs, words=words)


def status(name: str, standing: Standing, *, waiting: int, before: int, models: str) -> str:
    """Who, whether memory is on, how many lines wait to be stored and how many people `before` this one's reply."""
    return render("talk", "status", name=name, standing=standing, waiting=waiting, before=before, models=models)


def blocked(sentence: str) -> str:
    """Why the memory can't be shown."""
    return render("talk", "blocked", sentence=sentence)
