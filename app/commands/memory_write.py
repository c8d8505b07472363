"""The half of `chatmem memory` that changes things. All but `forget` can be undone."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from ...eval.arguments import PLACE, TEXT
from ...memory.errors import InputError, WrongUsage
from ..config.options import DAY, MEMORY_ID, STREAM, WRITE_ID
from ..context import Context, confirm, put, put_json, put_table, say

if TYPE_CHECKING:
    from ...memory.store.store import Store
    from ...memory.values import JournalEntry

Add = Callable[..., argparse.ArgumentParser]


def register(add: Add) -> None:
    adding = add("add", "remember a fact in just these words", _add)
    adding.add_argument("fact", type=TEXT, help="one sentence that says it all")
    adding.add_argument("--subject", type=TEXT, metavar="NAME", help="whom it is about (the user)")
    adding.add_argument("--topic", default="", metavar="TOPIC", help="a short noun, such as pets")
    adding.add_argument(
        "--date", type=DAY, metavar="DATE", help="when it happened, such as 2026, 2026-05-08 or yesterday"
    )
    editing = add("edit", "put a memory right; its history stays", _edit)
    editing.add_argument("id", type=MEMORY_ID, help="the memory's number")
    editing.add_argument("--fact", type=TEXT, metavar="FACT", help="what is true instead")
    editing.add_argument("--subject", type=TEXT, metavar="NAME", help="whom it is about")
    editing.add_argument("--topic", metavar="TOPIC", help="a short noun, such as pets")
    editing.add_argument("--date", type=DAY, metavar="DATE", help="when it happened; an empty one takes the date away")
    add("delete", "know a memory no more; undo brings it back", _delete).add_argument(
        "id", type=MEMORY_ID, help="the memory's number"
    )
    pinning = add("pin", "always bring a memory into the prompt", _pin)
    pinning.add_argument("id", type=MEMORY_ID, help="the memory's number")
    pinning.add_argument("--off", action="store_true", help="no longer")
    for name, text in (("undo", "take back the last write"), ("redo", "do the last undone write again")):
        add(name, text + ", or the one with the number", _undo if name == "undo" else _redo).add_argument(
            "write", type=WRITE_ID, nargs="?", help="a number from `chatmem memory journal`")  # fmt: skip
    add("passages", "cut what an older chatmem indexed whole into passages; the chat does it too", _passages)
    embedding = add(
        "reembed", "give all that is remembered vectors by the encoder in use; the chat does it too", _reembed
    )
    embedding.add_argument(
        "--status", action="store_true", help="only tell how many are left, and which vectors are kept"
    )
    embedding.add_argument(
        "--anew", action="store_true", help="make all of this encoder's anew: its server has another model now"
    )
    embedding.add_argument(
        "--drop-others",
        action="store_true",
        help="erase the vectors of all other encoders: to go back takes making them",
    )
    _register_files(add)


def _register_files(add: Add) -> None:
    forgetting = add("forget", "erase for good, with all that was said of it; shows it first", _forget)
    forgetting.add_argument("id", type=MEMORY_ID, nargs="*", help="the memories' numbers")
    forgetting.add_argument("--words", metavar="WORDS", help="what these words tell of, such as 'my locker number'")
    forgetting.add_argument("--about", metavar="NAME", help="all that names somebody or something")
    forgetting.add_argument("--all", action="store_true", help="everything of this user")
    forgetting.add_argument("--keep-lines", action="store_true", help="keep what was said, erase the facts alone")
    forgetting.add_argument("--keep-others", action="store_true", help="keep further facts from the same lines")
    forgetting.add_argument("--yes", action="store_true", help="don't ask")
    exporting = add("export", "write what is remembered to a file or to stdout", _export, json=False)
    exporting.add_argument(
        "file", nargs="?", type=PLACE, help="ends in .json (complete), .csv, .md or .db; - or none: stdout"
    )
    exporting.add_argument("--form", choices=("json", "csv", "markdown", "db"), help="instead of the ending")
    exporting.add_argument(
        "--plain", action="store_true", help="in the open, of an encrypted memory too; else FILE.sealed is written"
    )
    exporting.add_argument("--yes", action="store_true", help="write over a file that exists")
    importing = add("import", "read an export or a CSV of facts; shows first what it would do", _import)
    importing.add_argument("file", type=PLACE, help="a .json export, or a .csv table with the columns subject and fact")
    importing.add_argument("--preview", action="store_true", help="only show what it would do")
    importing.add_argument("--yes", action="store_true", help="don't ask")


def _done(args: argparse.Namespace, entries: Sequence[JournalEntry]) -> None:
    """Tells what was written: as JSON on stdout, or as + ~ - lines."""
    from ..shown.render import chips

    if args.json:
        put_json(entries)
        return
    for line in chips(entries):
        put(line)


def _add(args: argparse.Namespace, context: Context) -> None:
    from ...memory.store.writing import new_batch
    from ..shown.events import plain

    batch = new_batch()
    with context.open_store(search=True) as store:
        user = store.users.get(context.settings.user)
        subject = args.subject or user.subject
        entry = store.facts.remember(user.id, subject, args.topic, args.fact, happened_on=args.date, batch=batch)
    known = entry.batch != batch
    if args.json:
        put_json([plain(entry) | {"known": known}])
    elif not known:
        _done(args, [entry])
    if known:
        number = entry.memory_id
        say(f"That is known already as #{number}; chatmem memory edit {number} changes it.")


def _edit(args: argparse.Namespace, context: Context) -> None:
    if all(value is None for value in (args.fact, args.subject, args.topic, args.date)):
        raise WrongUsage("Say what to change: --fact, --subject, --topic or --date.")
    with context.open_store(search=True, there=True) as store:
        user = context.require_user(store)
        entry = store.facts.edit(
            args.id, subject=args.subject, topic=args.topic, fact=args.fact, happened_on=args.date, user_id=user.id
        )
        _done(args, [entry])


def _delete(args: argparse.Namespace, context: Context) -> None:
    with context.open_store(there=True) as store:
        _done(args, [store.facts.retire(args.id, user_id=context.require_user(store).id)])


def _pin(args: argparse.Namespace, context: Context) -> None:
    with context.open_store(there=True) as store:
        user_id = context.require_user(store).id
        if store.facts.get(args.id, user_id=user_id).pinned != args.off:
            raise InputError(f"Memory {args.id} is {'not ' if args.off else ''}pinned already.")
        _done(args, [store.facts.pin(args.id, not args.off, user_id=user_id)])


def _undo(args: argparse.Namespace, context: Context) -> None:
    from ..shown.journal_state import live_writes

    with context.open_store(search=True, there=True) as store:
        user = context.require_user(store)
        if args.write is not None:
            _done(args, [store.journal.undo(args.write, user_id=user.id)])
            return
        writes = live_writes(store.journal.entries(user.id))
        if not writes:
            raise InputError("There is nothing to undo.")
        _done(args, store.journal.undo_batch(writes[-1].batch, user_id=user.id))


def _redo(args: argparse.Namespace, context: Context) -> None:
    from ..shown.journal_state import undone_writes

    with context.open_store(search=True, there=True) as store:
        user = context.require_user(store)
        if args.write is not None:
            _done(args, [store.journal.redo(args.write, user_id=user.id)])
            return
        undone = undone_writes(store.journal.entries(user.id))
        if not undone:
            raise InputError("There is nothing to do again.")
        _done(args, store.journal.redo_batch(undone[-1].batch, user_id=user.id))


def _forget(args: argparse.Namespace, context: Context) -> None:
    from ...models.api import Memory
    from ..shown.forgetting import nothing_of, question, sentence

    words, about = args.words or "", args.about or ""
    named = bool(args.id) + args.all + bool(words.strip()) + bool(about.strip())
    if named != 1:
        more = "That names more than one matter: take one way, " if named else "Name the memories to forget "
        raise WrongUsage(f"{more}by their numbers, or with --words, --about or --all.")
    with context.open_store(there=True) as store:
        user = context.require_user(store)
        if args.all:
            confirm(f"Erase everything of {user.called or user.name} for good?", args.yes)
            report = store.forget.user(user.id)
        else:
            memory, kept = Memory.over(store, user), {"keep_lines": args.keep_lines, "keep_others": args.keep_others}
            plan = memory.to_forget(*args.id, words=words, about=about, **kept)
            if plan.empty:
                raise InputError(nothing_of(plan))
            sure = args.yes and plan.sure
            if not sure:
                say(question(plan))
            confirm("Erase it?", sure)
            report = memory.forget(plan)
    if args.json:
        put_json(report)
    say(sentence(report, everything=args.all))


def _passages(args: argparse.Namespace, context: Context) -> None:
    from ...eval.runs.progress import make_progress
    from ..shown.hints import lines

    with context.open_store(search=True, there=True) as store:
        total = store.recutting.waiting()
        tell = make_progress("lines", total)
        left = store.recutting.run(lambda done, _: tell(done))
    if args.json:
        put_json({"done": total - left, "left": left})
        return
    cut = f"{lines(total - left)} {'was' if total - left == 1 else 'were'} cut into passages, {left} are left."
    say(cut if total else "All lines are cut already.")


def _reembed(args: argparse.Namespace, context: Context) -> None:
    from ...eval.runs.progress import make_progress
    from ...models.embedder.choose import ready
    from ..shown.hints import counted

    if args.status and (args.anew or args.drop_others):
        raise WrongUsage("--status only tells: leave it out, or --anew and --drop-others.")
    spec = context.settings.embedder
    with context.open_store(search=True, there=True, read_only=args.status) as store:
        if not args.status and spec != "embedded":
            say(f"The encoder {spec} is being loaded.")
        if args.anew and not args.status:
            ready(lambda: store.vectors.drop(others=False))
        left = total = ready(store.reembedding.waiting)
        if total and not args.status:
            tell = make_progress("vectors", total)
            left = store.reembedding.run(lambda done, _: tell(done), alone=True)
        dropped = store.vectors.drop(others=True) if args.drop_others and not args.status else 0
        name, kept = ready(lambda: store.embedder.name if store.embedder else ""), store.vectors.kept()
    if args.json:
        others = [{"encoder": one, "vectors": count, "bytes": size} for one, count, size in kept]
        put_json({"encoder": name, "done": total - left, "left": left, "dropped": dropped, "kept": others})
        return
    put_table(("encoder", "vectors", "MB", ""), [
        (one, count, f"{size / 1e6:.1f}", "in use" if one == name else "") for one, count, size in kept
    ])  # fmt: skip
    if dropped:
        say(f"{counted(dropped, 'vector')} of other encoders {'was' if dropped == 1 else 'were'} erased.")
    if not left:
        say("All that is remembered has its vector.")
    else:
        say(f"{left} are left; until they have a vector, they are found by their words.")


def _export(args: argparse.Namespace, context: Context) -> None:
    from ...memory.transfer.exchange import export_file, export_text, place_of
    from ..shown.hints import counted

    with context.open_store(writes=False) as store:
        user = context.require_user(store)
        if args.file == STREAM and store.db.key is not None and not args.plain:
            raise InputError(
                "The memory is encrypted, and stdout takes it in the open alone: add --plain, or name a file."
            )
        if args.file in (None, STREAM):
            export_text(store, user.id, sys.stdout, args.form or "json")
            return
        place = place_of(store, args.file, plain=args.plain)
        if args.plain and store.db.key is not None:
            say(f"Warning: {place} will not be encrypted; whoever has this disk can read it.")
        if place.exists():
            confirm(f"{place} exists; write over it?", args.yes)
        count = export_file(store, user.id, args.file, args.form, plain=args.plain)
    sealed = ", encrypted with the memory's key" if place != args.file else ""
    say(f"Wrote {counted(count, 'record')} to {place}{sealed}.")


def _import(args: argparse.Namespace, context: Context) -> int:
    from ...memory.transfer.exchange import import_file, preview
    from ..chat.slash.files import plan_lines, whose

    if args.file == STREAM:
        raise WrongUsage(
            "An import is read twice, by the ending of its name: keep it in a file of .json or .csv first."
        )
    name = context.settings.user
    with _as_it_is(context, args.file) as store:
        known = next((user for user in store.users.all() if user.name == name), None)
        plan = preview(store, known.id if known else 0, args.file)
    for line in plan_lines(plan):
        say(line)
    if known is None:
        say(f"Nothing is remembered of {name!r} so far: this would be the first.")
    if not args.preview and any(plan.new.values()):
        confirm(f"Import this for {name}?", args.yes)
        with context.open_store(search=True) as store:
            if import_file(store, store.users.get(name).id, args.file).batch:
                say("Imported; `chatmem memory undo` takes it back.")
                if told := whose(store, store.users.get(name)):
                    say(told)
    if args.json:
        put_json(plan)
    return int(plan.bad_count > 0 and not any((*plan.new.values(), *plan.duplicates.values())))


@contextmanager
def _as_it_is(context: Context, file: Path) -> Iterator[Store]:
    """The database, or an empty one for as long as this lasts: a look at a file makes none, and no key."""
    from ...memory.store.store import Store
    from ...memory.transfer.sealed import ENDING

    if context.database_file.exists():
        with context.open_store(writes=False) as store:
            yield store
        return
    secret = context.secret() if file.suffix.lower() == ENDING else None
    with TemporaryDirectory() as folder, Store.open(Path(folder) / "none.db", secret=secret) as store:
        yield store
