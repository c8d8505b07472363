"""`chatmem sessions`: conversations, listed, shown, searched, renamed, deleted, taken up again."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import Any

from ...eval.arguments import COUNT, PLACE, TEXT
from ...memory.errors import InputError, WrongUsage
from ..config.options import SESSION_ID, STREAM, add_action
from ..config.zone import minute
from ..context import Context, confirm, put, put_json, put_table, say
from ..shown.hints import counted, lines


def register(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    def add(name: str, text: str, act: Any, *, json: bool = False) -> argparse.ArgumentParser:
        return add_action(actions, name, text, act, json=json)

    listing = add("list", "all sessions, newest first", _list, json=True)
    listing.add_argument("--limit", type=COUNT, metavar="N", help="only the newest N")
    listing.set_defaults(words=None)
    searching = add("search", "sessions in which something was said", _list, json=True)
    searching.add_argument("words", type=TEXT, help="words in the title or in a line")
    searching.set_defaults(limit=None)
    add("show", "what was said in a session", _show, json=True).add_argument(
        "id", type=SESSION_ID, help="the session's number"
    )
    exporting = add("export", "write what was said in a session to a file or to stdout", _export)
    exporting.add_argument("id", type=SESSION_ID, help="the session's number")
    exporting.add_argument("file", nargs="?", type=PLACE, help="ends in .md (Markdown) or .json; - or none: stdout")
    exporting.add_argument("--format", choices=("md", "json"), help="instead of the ending (md)")
    exporting.add_argument("--plain", action="store_true", help="in the open, though the memory is encrypted")
    exporting.add_argument("--yes", action="store_true", help="write over a file that exists")
    renaming = add("rename", "give a session another title", _rename)
    renaming.add_argument("id", type=SESSION_ID, help="the session's number")
    renaming.add_argument("title", type=TEXT, help="its new title")
    deleting = add("delete", "delete a session's lines; its memories stay", _delete)
    deleting.add_argument("id", type=SESSION_ID, help="the session's number")
    deleting.add_argument("--forget", action="store_true", help="erase the memories from it too, for good")
    deleting.add_argument("--yes", action="store_true", help="don't ask")
    resuming = add("resume", "go on in a session", _resume)
    resuming.add_argument("id", type=SESSION_ID, nargs="?", help="the session (the last one)")
    from ..line.command import add_options

    add_options(resuming)


def _list(args: argparse.Namespace, context: Context) -> None:
    with context.open_store(writes=False) as store:
        user = context.known_user(store)
        sessions = store.sessions.all(user.id, search=args.words, limit=args.limit) if user else []
    if args.json:
        put_json(sessions)
    else:
        rows = [(s.id, minute(s.started_at), s.ended_at and minute(s.ended_at), s.turns, s.title) for s in sessions]
        put_table(("id", "started", "ended", "lines", "title"), rows)


def _show(args: argparse.Namespace, context: Context) -> None:
    with context.open_store(writes=False) as store:
        session = store.sessions.get(args.id, user_id=context.require_user(store).id)
        turns = store.turns.of(session.id)
    if args.json:
        put_json({"session": session, "turns": turns})
        return
    put(f"{session.title} ({minute(session.started_at)})")
    for turn in turns:
        mark = "" if turn.status == "complete" else f" [{turn.status}]"
        put(f"{minute(turn.said_at)} {turn.speaker}: {turn.text}{mark}")


def _export(args: argparse.Namespace, context: Context) -> None:
    from ..shown.events import plain
    from ..shown.talk_markdown import talk_markdown, write_talk

    if args.file == STREAM:
        args.file = None
    form = args.format or (args.file.suffix.lower().removeprefix(".") if args.file else "md")
    if form not in ("md", "json"):
        raise WrongUsage(f"{args.file.name} does not say what to write: end it in .md or .json, or add --format.")
    with context.open_store(writes=False) as store:
        user = context.require_user(store)
        session = store.sessions.get(args.id, user_id=user.id)
        turns = store.turns.of(session.id)
        if args.file is not None and store.db.key is not None and not args.plain:
            raise InputError(
                f"The memory is encrypted, and {args.file} would not be: add --plain, or take `chatmem memory export`."
            )
        whole = {"session": session, "turns": turns}
        text = talk_markdown(session, turns) if form == "md" else json.dumps(plain(whole), ensure_ascii=False, indent=2)
        if args.file is None:
            put(text.rstrip("\n"))
            return
        if args.file.exists():
            confirm(f"{args.file} exists; write over it?", args.yes)
        write_talk(args.file, text)
        store.forget.wrote(user.id, args.file)
    say(f"Wrote {lines(len(turns))} to {args.file}.")


def _rename(args: argparse.Namespace, context: Context) -> None:
    with context.open_store(there=True) as store:
        store.sessions.get(args.id, user_id=context.require_user(store).id)
        store.sessions.rename(args.id, args.title)
    say(f"Session {args.id} is now called {args.title!r}.")


def _delete(args: argparse.Namespace, context: Context) -> None:
    from ..shown.forgetting import exported, question

    with context.open_store(there=True) as store:
        user = context.require_user(store)
        session = store.sessions.get(args.id, user_id=user.id)
        named = f"session {session.id} ({session.title}): its {lines(session.turns)}"
        exports: Sequence[str] = ()
        if args.forget:
            plan = store.forget.of_session(session.id, user_id=user.id)
            exports = plan.exports
            if not args.yes:
                say(question(plan))
            confirm(f"Delete {named} and all memories from {'it' if session.turns == 1 else 'them'}?", args.yes)
        else:
            confirm(f"Delete {named} (memories stay)?", args.yes)
        report = store.forget.session(session.id, forget=args.forget, user_id=user.id)
    gone = f"{lines(report.turns + report.replies)}{' (replies included)' if report.replies else ''}"
    facts = f" and {counted(report.rows, 'memory', 'memories')}" if report.rows or args.forget else ""
    say(f"Deleted {gone}{facts}.")
    for held in exported(exports):
        say(held)


def _resume(args: argparse.Namespace, context: Context) -> int:
    from ..line.command import start

    with context.open_store(writes=False) as store:
        user = context.require_user(store)
        latest = store.sessions.all(user.id, limit=1)
        session = store.sessions.get(
            args.id if args.id is not None else (latest[0].id if latest else 0), user_id=user.id
        )
    return start(args, context, resume=session.id)
