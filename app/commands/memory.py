"""`chatmem memory`: what is remembered, from the command line. The reading half; `memory_write` changes things."""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from ...eval.arguments import COUNT, TEXT
from ...memory.errors import WrongUsage
from ..config.options import MEMORY_ID, PAST, add_action
from ..config.zone import day, minute
from ..context import Context, put, put_json, put_table, say
from . import memory_write

if TYPE_CHECKING:
    from ...memory.store.store import Store
    from ...memory.values import Memory


def register(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    def add(name: str, text: str, act: Any, *, json: bool = True) -> argparse.ArgumentParser:
        return add_action(actions, name, text, act, json=json)

    listing = add("list", "all that is remembered now", _list)
    listing.add_argument("--subject", type=TEXT, metavar="NAME", help="only about NAME")
    listing.add_argument(
        "--topic", metavar="TOPIC", help='only on TOPIC: as it is stored ("salary"), or a whole area ("work")'
    )
    listing.add_argument("--insights", action="store_true", help="only what was concluded, not told")
    listing.add_argument("--all", action="store_true", help="with what was replaced or deleted since")
    as_of = "as it was then, such as 2026-05-08T13:56, or at the end of a day: 2026-05-08, yesterday"
    listing.add_argument("--as-of", type=PAST, metavar="MOMENT", help=as_of)
    listing.add_argument("--limit", type=COUNT, metavar="N", help="at most N")
    searching = add("search", "what is remembered about something", _search)
    searching.add_argument("words", nargs="+", help="a question, or the words of one")
    searching.add_argument("--limit", type=COUNT, default=10, metavar="N", help="at most N (10)")
    searching.add_argument("--facts", action="store_true", help="only memories, not lines in which it was said")
    add("show", "one memory with the lines it came from", _show).add_argument(
        "id", type=MEMORY_ID, help="the memory's number"
    )
    add("history", "all that happened to a memory", _history).add_argument(
        "id", type=MEMORY_ID, help="the memory's number"
    )
    journal = add("journal", "all writes, refused ones too, with their SQL", _journal)
    journal.add_argument("--refused", action="store_true", help="only what a check or the guard threw away, and why")
    journal.add_argument("--limit", type=COUNT, default=50, metavar="N", help="the last N (50)")
    memory_write.register(add)


def _list(args: argparse.Namespace, context: Context) -> None:
    with context.open_store(writes=False) as store:
        user = context.known_user(store)
        whole = _whole(store, user.id, args) if user else []
        nothing = context.nothing_yet(store)
    memories = [one for one in whole if _fits(one, args.subject, args.topic)][: args.limit]
    if args.json:
        put_json(memories)
        return
    put_memories(memories)
    if not memories:
        narrowed = args.subject or args.topic or args.as_of or args.insights
        say(_none_fits(whole, args.subject, args.topic) if user and narrowed else nothing)


def _whole(store: Store, user_id: int, args: argparse.Namespace) -> list[Memory]:
    """What is listed, whomever it is about and on whatever topic."""
    if args.as_of:
        then = store.journal.as_of(user_id, args.as_of)
        return [one for one in then if one.derived or not args.insights]
    limit = args.limit if args.subject is None and args.topic is None else None
    return store.facts.all(user_id, current=not args.all, limit=limit, derived=True if args.insights else None)


def _fits(memory: Memory, subject: str | None, topic: str | None) -> bool:
    from ...memory.language.facts.areas import is_of

    about = subject is None or memory.subject.casefold() == subject.strip().casefold()
    return about and (topic is None or is_of(memory.topic, memory.fact, topic))


def _none_fits(whole: Sequence[Memory], subject: str | None, topic: str | None) -> str:
    """That nothing does, with the subject or topic nearest to one that nothing is about."""
    from ...memory.language.facts.areas import area, label

    topics = [(area(one.topic, one.fact), one.topic, label(one.topic, one.fact)) for one in whole]
    names = {"subject": [one.subject for one in whole], "topic": [name for three in topics for name in three]}
    near = []
    for option, wanted in (("subject", subject), ("topic", topic)):
        if wanted and not any(_fits(one, **{"subject": None, "topic": None, option: wanted}) for one in whole):
            known = {name.casefold(): name for name in names[option] if name}
            near += [f'--{option} "{known[one]}"' for one in difflib.get_close_matches(wanted.casefold(), known, n=1)]
    return f"No memory fits that; did you mean {' '.join(near)}?" if near else "No memory fits that."


def put_memories(memories: Any) -> None:
    from ...memory.language.facts.areas import label
    from ..shown.reasons import concluded

    def marks(m: Any) -> str:
        over = f" [until {day(m.valid_to)}]" if m.valid_to is not None else ""
        return (" [pinned]" if m.pinned else "") + over + concluded(m)

    rows = [(m.id, m.subject, label(m.topic, m.fact), m.fact + marks(m), m.happened_on or day(m.said_at))
            for m in memories]  # fmt: skip
    put_table(("id", "subject", "topic", "fact", "when"), rows)


def _search(args: argparse.Namespace, context: Context) -> None:
    from ...memory.values import Recall
    from ..shown.reasons import LOOKED_THROUGH, reasons, telling_first, told_part

    query = " ".join(args.words).strip()
    if not query:
        raise WrongUsage("Write what to look for, as in `chatmem memory search cats`.")
    with context.open_store(writes=False, search=True) as store:
        user = context.known_user(store)
        most = max(args.limit, LOOKED_THROUGH)
        found = store.search(user.id, query, limit=most, use_turns=not args.facts) if user else Recall(query)
        trouble, nothing = store.search.trouble, "Nothing fits that." if user else context.nothing_yet(store)
    found = telling_first(found, args.limit)
    if trouble:
        say(f"By words alone: {trouble}")
    if args.json:
        put_json(found)
        return
    rows = []
    for item in found.items:
        line = item.memory.fact if item.memory else f"{item.turns[0].speaker}: {told_part(item)}"
        when = (item.memory.happened_on or day(item.memory.said_at)) if item.memory else day(item.turns[0].said_at)
        rows.append((item.memory.id if item.memory else f"line {item.turns[0].id}", line, when, reasons(item, query)))
    put_table(("id", "what", "when", "found by"), rows)
    if not rows:
        say(nothing)


def _show(args: argparse.Namespace, context: Context) -> None:
    with context.open_store(writes=False) as store:
        memory = store.facts.get(args.id, user_id=context.require_user(store).id)
        evidence = store.facts.evidence([memory.id]).get(memory.id, ())
    if args.json:
        put_json({"memory": memory, "evidence": evidence})
        return
    put(memory.fact)
    state = "current" if memory.valid_to is None else f"replaced or deleted at {minute(memory.valid_to)}"
    put(f"about {memory.subject} ({memory.topic or 'no topic'}), happened on {memory.happened_on or 'no date told'}")
    pinned = ", pinned" if memory.pinned else ""
    put(f"said at {minute(memory.said_at)}, written by {memory.created_by}, {state}{pinned}")
    for turn in evidence:
        put(f"  {minute(turn.said_at)} {turn.speaker}: {turn.text}")


def _history(args: argparse.Namespace, context: Context) -> None:
    with context.open_store(writes=False) as store:
        entries = store.journal.history(args.id, user_id=context.require_user(store).id)
    _put_entries(args.json, entries)


def _journal(args: argparse.Namespace, context: Context) -> None:
    with context.open_store(writes=False) as store:
        user = context.known_user(store)
        kind: Literal["refused"] | None = "refused" if args.refused else None
        entries = store.journal.entries(user.id, kind=kind, limit=args.limit) if user else []
    _put_entries(args.json, entries)


def _put_entries(json: bool, entries: Any) -> None:
    if json:
        put_json(entries)
        return
    rows = [
        (e.id, minute(e.at), e.kind + (" (undone)" if e.undone else ""), e.author.actor, e.reason or "", e.sql)
        for e in entries
    ]
    put_table(("write", "when", "what", "who", "why refused", "sql"), rows)
