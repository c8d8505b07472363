"""`chatmem optimize AGENT`: tunes a prompt to a model; `show`, `diff` and `use` for the prompts that were tuned."""

from __future__ import annotations

import argparse
import difflib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...eval.arguments import PLACE_NAME
from ...memory.errors import SettingsError
from ..config.edit import put_setting
from ..context import Context, put, put_json, say

if TYPE_CHECKING:
    from ...models.prompts.tuned import Prompts, Tuned
    from ...training.methods.optimize.run import Result

FILE = "prompts.json"
"""Where tuned prompts lie unless told, in the data folder."""


def register(parser: argparse.ArgumentParser) -> None:
    from ...training.methods.optimize import cli

    acts = parser.add_subparsers(dest="agent", metavar="WHAT", required=True)
    cli.register(acts)
    for agent in cli.AGENTS:
        acts.choices[agent].set_defaults(act=_tune)
    own = acts.choices["storage"].add_argument_group("your own memory")
    own.add_argument(
        "--from-journal", action="store_true", help="tune to the edits, undos and /remember of your journal"
    )
    own.add_argument("--db", type=PLACE_NAME, default=argparse.SUPPRESS, metavar="FILE", help="the database")
    own.add_argument("--user", default=argparse.SUPPRESS, metavar="NAME", help="whose corrections")
    for name, text, act in (
        ("show", "what was tuned, to which model, and what it was worth", _show),
        ("diff", "the tuned prompts against the hand-written ones, or two files", _diff),
        ("use", "put a file of prompts to work, or go back with --default", _use),
    ):
        one = acts.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.", allow_abbrev=False)
        one.add_argument(
            "files", nargs="*" if name == "diff" else "?", type=PLACE_NAME, metavar="FILE", help=f"({FILE})"
        )
        one.set_defaults(act=act)
        if name == "show":
            one.add_argument("--json", action="store_true", help="as JSON")
        if name == "use":
            one.add_argument("--default", action="store_true", help="back to the hand-written prompts")


def _tune(args: argparse.Namespace, context: Context) -> int:
    from ...training.methods.optimize.run import tune

    args.model = _model(args, context)
    args.out = args.out or context.paths.data / FILE
    args.run = args.run or Path("runs") / f"prompts-{args.agent}"
    own = getattr(args, "from_journal", False)
    if own:
        _of_own(args, context)
    result = tune(args)
    if args.json:
        put_json(_row(args.agent, result.tuned) | {"kept_the_start": result.kept, "file": str(args.out)})
    else:
        for line in _told(args, result):
            put(line)
    if own:
        (args.run / "calls.jsonl").unlink(missing_ok=True)  # it holds the person's own lines
    return 0


def _model(args: argparse.Namespace, context: Context) -> str:
    """The model to tune to. Raises SettingsError where the agent works with an adapter."""
    from ..chat.models import spec_of

    spec = str(getattr(args, "model", "") or "") or spec_of(context.settings, args.agent)
    if "+" in spec.split(":", 1)[0] or (spec.startswith("gguf:") and "+" in spec):
        raise SettingsError(
            f"The {args.agent} agent works with {spec}, and an adapter keeps the prompt it was trained on: name a "
            "model without one, as in --model gguf:FILE, --model openai:NAME or --model embedded."
        )
    return spec


def _of_own(args: argparse.Namespace, context: Context) -> None:
    from ...models.embedder.lazy import LazyEmbedder

    if args.rows or args.msc or args.locomo:
        raise SettingsError("--from-journal and data files are two sources of rows; give one of them.")
    from ...training.methods.optimize.rows import RECORD

    with context.open_store(writes=False, there=True) as store:
        user = context.require_user(store)
        args.person = user.name
        for path in (args.out, args.run / RECORD):  # what forgets looks into them, as into exports
            store.forget.wrote(user.id, path)
    args.database, args.embedder, args.secret = context.database, LazyEmbedder(), context.secret()
    say("The prompts may come to hold lines of yours as examples: share the file only if those may be known.")
    if args.secret is not None:
        say("Warning: your memory is encrypted, and the file of prompts is not.")


def _told(args: argparse.Namespace, result: Result) -> Iterator[str]:
    yield _metric(result.tuned)
    yield from (f"{name}: {one}" for name, one in result.table.items())
    if result.kept:
        yield "No prompt did better than the hand-written one on the rows to choose by; nothing was written."
        return
    sure = result.table["difference"].low > 0
    yield "Better on rows that nothing was chosen by." if sure else "Not surely better: the interval holds 0."
    yield f"{args.out}; put it to work with `chatmem optimize use {args.out}`, go back with --default"


def _metric(one: Tuned) -> str:
    """What it was tuned by; of a judge, who it was and how well it tells right answers from others."""
    told = f"metric: {one.made.get('metric', 'reward')}"
    who = one.made.get("judge")
    if not who:
        return told
    without = f"; {who['no_verdict']} replies without its verdict, counted as wrong" if who["no_verdict"] else ""
    return f"{told} ({who['spec']}, {who['prompt']}; separation of its probe {who['probe']['separation']:.2f}{without})"


def _place(name: str | None, context: Context) -> Path:
    return Path(name).expanduser() if name else Path(context.settings.prompts or context.paths.data / FILE).expanduser()


def _row(agent: str, one: Tuned) -> dict[str, Any]:
    demos = [{"shown": demo.shown, "reply": demo.reply} for demo in one.prompt.demos]
    return {
        "agent": agent, "model": one.model, "instruction": one.prompt.instruction, "demonstrations": demos,
        "made": dict(one.made),
    }  # fmt: skip


def _show(args: argparse.Namespace, context: Context) -> int:
    from ...models.prompts.tuned import read_prompts

    place = _place(args.files, context)
    told = read_prompts(place)
    if args.json:
        put_json([_row(agent, one) for agent, one in told.by_agent.items()])
        return 0
    in_use = bool(context.settings.prompts) and _place(None, context) == place
    put(f"{place}{' (in use)' if in_use else ''}")
    for agent, one in told.by_agent.items():
        put()
        put(f"{agent}, tuned to {one.model} by {one.made.get('method', 'hand')}")
        put(f"  {_metric(one)}")
        for name, found in dict(one.made.get("reported", {})).items():
            put(f"  {name}: {found['value']:.3f} [{found['low']:.3f}, {found['high']:.3f}] n={found['n']}")
        for line in _lines(one):
            put(f"  {line}")
    return 0


def _lines(one: Tuned) -> list[str]:
    text = one.prompt.instruction
    for number, demo in enumerate(one.prompt.demos, 1):
        text += f"\n\n[example {number}]\n{demo.shown}\n=> {demo.reply}"
    return text.splitlines()


def _diff(args: argparse.Namespace, context: Context) -> int:
    from ...models.prompts.tuned import read_prompts

    if len(args.files) > 2:
        raise SettingsError("Give one file, which is compared with the hand-written prompts, or two.")
    new = read_prompts(_place(args.files[-1] if args.files else None, context))
    old = read_prompts(_place(args.files[0], context)) if len(args.files) == 2 else _by_hand(new)
    for agent in dict.fromkeys([*old.by_agent, *new.by_agent]):
        before = _lines(old.by_agent[agent]) if agent in old.by_agent else []
        after = _lines(new.by_agent[agent]) if agent in new.by_agent else []
        for line in difflib.unified_diff(before, after, f"{agent} before", f"{agent} after", lineterm="", n=2):
            put(line)
    return 0


def _by_hand(new: Prompts) -> Prompts:
    from ...models.prompts.tuned import Prompt, Prompts, Tuned
    from ...training.methods.optimize.forms import FORMS

    return Prompts({agent: Tuned(Prompt(FORMS[agent].start), "by hand") for agent in new.by_agent})


def _use(args: argparse.Namespace, context: Context) -> int:
    from ...models.prompts.tuned import read_prompts

    if args.default == bool(args.files) and args.default:
        raise SettingsError("Name a file of prompts, or write --default to go back to the hand-written ones.")
    if args.default:
        put_setting(context.config_file, "prompts", None)
        say("The agents are told what is written by hand again, from the next start on.")
    else:
        place = _place(args.files, context).resolve()
        found = read_prompts(place)
        put_setting(context.config_file, "prompts", str(place))
        agents = " and ".join(found.by_agent) or "no"
        say(f"Tuned prompts for the {agents} agent from the next start on; back: chatmem optimize use --default")
        for warning in _misfits(found, context):
            say(warning)
    if "CHATMEM_PROMPTS" in os.environ:
        say("But CHATMEM_PROMPTS is set, and it counts more.")
    return 0


def _misfits(found: Prompts, context: Context) -> Iterator[str]:
    """What can be said without loading a model: the spec that a prompt was tuned for, and the one at work."""
    from ..chat.models import spec_of

    for agent, one in found.by_agent.items():
        at_work, tuned_for = spec_of(context.settings, agent), one.made.get("spec")
        if tuned_for and at_work != tuned_for:
            yield (
                f"The {agent} agent works with {at_work}; its prompt was tuned to {tuned_for}, and is left out where "
                "an adapter is at work."
            )
