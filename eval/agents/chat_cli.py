"""The arguments of `chatmem eval chat`, and its run."""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ...memory.errors import ChatmemError
from ..runs.progress import make_progress
from ..runs.provenance import code

if TYPE_CHECKING:
    from ..runs.records import Records
    from .chat import ChatRun
    from .talks.script import Script


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `eval chat`."""
    parser.add_argument(
        "--scripts", nargs="+", action="extend", metavar="WHICH",
        help="sets that ship: first (its parts dev, held), open, sealed, all of these; trust, trust-sealed; twelve, "
        "twelve-sealed; kinds, kinds-sealed; daily, daily-sealed; languages; in a checkout aslant, aslant-sealed, "
        "fresh, fresh-sealed, sharp, sharp-sealed, plain, plain-sealed, unsaid-sealed, dictated-sealed; files and "
        "folders of your own (first)",
    )  # fmt: skip
    parser.add_argument("--model", metavar="SPEC", help="the model of all roles (the chat's own default)")


def run(args: argparse.Namespace) -> int:
    """Measures; with --out each finished script is kept, and the same command goes on after an interruption.

    What a sealed script says and what was replied is told by --out alone, for programs.
    """
    from ..report import tables
    from . import chat
    from .talks.script import chosen_scripts, is_sealed, load_script

    chosen = [(path, load_script(path)) for path in chosen_scripts(args.scripts or ["first"])]
    runs = _runs(args, [script for _, script in chosen])
    sealed = [is_sealed(path) for path, _ in chosen]
    columns = {"value": chat.measures(runs)}
    if args.json:
        scripts = [_plain(one, hidden) for one, hidden in zip(runs, sealed, strict=True)]
        print(tables.as_json("chat", columns, scripts=scripts))
        return 0
    tables.show(_title(runs), columns)
    for one, hidden in zip(runs, sealed, strict=True):
        print("".join(_told(one, hidden)), end="")
    return 0


def _title(runs: Sequence[ChatRun]) -> str:
    trusted = [run for run in runs if run.trust]
    right = f"{sum(run.right for run in trusted)} of {len(trusted)} trust scripts are right"
    return right if len(trusted) == len(runs) else "Twelve facts in twenty lines" + (f"; {right}" if trusted else "")


def _told(one: ChatRun, hidden: bool) -> Iterator[str]:
    """A script's outcome in lines; of a sealed one only which checks failed, and that of trust scripts alone."""
    if one.trust:
        yield f"{'ok ' if one.right else '-- '}{one.script}{f' ({one.about})' if one.about else ''}\n"
        yield from (f"     {_without_words(fault) if hidden else fault}\n" for fault in one.all_faults())
    if hidden or (one.trust and one.right):
        return
    for asked in one.asked:
        mark = "ok " if asked.answered else "-- "
        place = "(not findable) " if asked.found is False else ""
        yield f"{'     ' if one.trust else ''}{mark}{place}{asked.ask.question} -> {asked.reply}\n"


def _without_words(fault: str) -> str:
    return fault.partition(":")[0]


def _plain(one: ChatRun, hidden: bool) -> dict[str, Any]:
    """A script's outcome question by question; without any words where they are sealed."""
    questions = [
        {"number": number, "answered": asked.answered, "findable": asked.found}
        | ({} if hidden else {"question": asked.ask.question, "keys": asked.ask.keys, "reply": asked.reply})
        for number, asked in enumerate(one.asked, 1)
    ]
    answered, findable = sum(a.answered for a in one.asked), sum(bool(a.found) for a in one.asked)
    told = {"script": one.script, "answered": answered, "findable": findable, "of": len(one.asked)}
    if one.trust:
        faults = [_without_words(fault) if hidden else fault for fault in one.all_faults()]
        told |= {"about": one.about, "right": one.right, "faults": faults}
    return told | {"questions": questions} | ({} if hidden else {"memories": one.memories})


def _runs(args: argparse.Namespace, scripts: Sequence[Script]) -> list[ChatRun]:
    from ..runs.records import Records

    with ExitStack() as stack:
        records = stack.enter_context(Records(args.out, settings_of(args.model))) if args.out else None
        try:
            return run_all(scripts, args.model, records)
        except ChatmemError as error:
            raise type(error)(f"{error}{_kept(records, scripts)}") from error
        except KeyboardInterrupt:
            print(f"\n{_kept(records, scripts).strip()}", file=sys.stderr)
            raise


def settings_of(model: str | None) -> dict[str, Any]:
    """What a record of scripts says of its run."""
    return {"eval": "chat", "model": model, **code()}


def run_all(scripts: Sequence[Script], model: str | None, records: Records | None) -> list[ChatRun]:
    """The runs of all scripts; those that the record holds are not run again."""
    from . import chat

    options = ["--model", model] if model else []
    done = {str(row["key"]): row for row in records.rows} if records else {}
    tell = make_progress("lines told, facts searched for, questions asked", sum(map(chat.steps, scripts)))
    runs, before = [], 0
    for script in scripts:
        key = _key(script)
        found = _read(done[key]) if key in done else chat.run_script(script, None, options, _after(before, tell))
        if records and key not in done:
            records.add({"key": key, **asdict(found)})
        runs.append(found)
        before += chat.steps(script)
    return runs


def _after(before: int, tell: Callable[[int], None]) -> Callable[[int], None]:
    return lambda done: tell(before + done)


def _kept(records: Records | None, scripts: Sequence[Script]) -> str:
    if records is None:
        return ""
    from ..runs.records import kept

    return kept(sum(_key(script) in records.done for script in scripts), len(scripts), "scripts", records.path)


def _key(script: Script) -> str:
    """The name of a script and a print of what it says: one that was changed is another."""
    says = f"{script!r}{asdict(script) if script.trust else ''}"
    return f"{script.name} {hashlib.sha256(says.encode()).hexdigest()[:8]}"


def _read(row: dict[str, Any]) -> ChatRun:
    from .chat import ChatRun, ScriptReply
    from .talks.script import ScriptQuestion

    asked = []
    for one in row["asked"]:
        ask, faults = one["ask"], tuple(one.get("faults", ()))
        never, honest = tuple(ask.get("never", ())), bool(ask.get("honest"))
        question = ScriptQuestion(ask["question"], tuple(ask["keys"]), ask["find"], never, honest)
        asked.append(ScriptReply(question, one["reply"], one["answered"], one["found"], faults))
    return ChatRun(
        row["script"], tuple(asked), tuple(row["memories"]), tuple(row.get("faults", ())),
        row.get("about", ""), bool(row.get("trust")),
    )  # fmt: skip
