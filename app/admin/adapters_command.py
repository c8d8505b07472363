"""`chatmem adapters`: the trained adapters, those that ship and the person's own."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from ...eval.arguments import COUNT, NUMBER, PLACE
from ..config.options import add_action
from ..context import Context, put, put_json, put_table, say
from ..shown.hints import lines

if TYPE_CHECKING:
    from ...models.files.model_files import AdapterInfo

ROLES = ("answer", "storage", "retrieval", "editor")
SHAPE = "{name}, {whose}, for {forms}, in {folder}"


def register(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    add_action(actions, "list", "all adapters", _list, json=True)
    name = "the adapter, as `adapters list` names it"
    add_action(actions, "show", "an adapter's facts and model card", _show, json=True).add_argument("name", help=name)
    using = add_action(actions, "use", "put an adapter to work, from the next start on", _use)
    using.add_argument("name", nargs="?", help=f"{name}, or its folder")
    using.add_argument("--role", choices=ROLES, help="for which role (the one that it was trained for)")
    using.add_argument("--default", action="store_true", help="back to the adapter that ships, for --role or for all")
    merging = add_action(actions, "merge", "the exact average of adapters of one base, as a new one", _merge)
    merging.add_argument("names", nargs="+", metavar="NAME", help=f"{name}, or a checkpoint's folder; two or more")
    merging.add_argument("--name", required=True, metavar="NEW", help="what the new adapter is called")
    merging.add_argument("--weights", metavar="W,W", help="what each counts, such as 1,1,2 (all the same)")
    merging.add_argument("--rank", type=COUNT, metavar="N", help="of the new one (the sum of theirs, which is exact)")
    exporting = add_action(actions, "export", "an adapter's files for other programs: PEFT and llama.cpp", _export)
    exporting.add_argument("name", help=name)
    exporting.add_argument("folder", type=PLACE, help="where to; made when it isn't there")
    exporting.add_argument("--form", choices=("peft", "gguf", "both"), default="both", help="which files (both)")
    evaluating = add_action(
        actions, "eval", "an adapter beside the one that ships and the untrained base", _eval, json=True
    )
    evaluating.add_argument("name", help=name)
    evaluating.add_argument("--role", choices=ROLES, help="for which role (the one that it was trained for)")
    evaluating.add_argument(
        "--data",
        type=PLACE,
        metavar="FILE",
        help="data of `chatmem eval` for that role (editor: memories that ship; else corrections)",
    )
    evaluating.add_argument("--num", type=NUMBER, default=120, metavar="N", help="cases drawn from the file (120)")
    evaluating.add_argument("--seed", type=NUMBER, default=0, metavar="N", help="draws the cases (0)")
    evaluating.add_argument("--out", type=PLACE, metavar="FILE", help="write each prediction to FILE, as JSON lines")
    evaluating.add_argument("--threads", type=COUNT, metavar="N", help="of llama.cpp; 1 is fastest on a busy machine")


def _list(args: argparse.Namespace, context: Context) -> None:
    from ...models import registry

    found = registry.adapters()
    if args.json:
        put_json([_row(info) for info in found])
        return
    rows = [(info.name, _whose(info), _forms(info), ", ".join(_used(info, context)), info.folder) for info in found]
    put_table(("name", "whose", "for", "at work for", "folder"), rows)
    if not found:
        say(f"No adapters yet; `chatmem train storage` makes one, and those in {context.paths.adapters} are found.")


def _show(args: argparse.Namespace, context: Context) -> None:
    from ...models import registry
    from ...models.adapters import facts
    from . import adapters

    info = registry.find_adapter(args.name)
    found, text = facts.facts_of(info), facts.card(info)
    if args.json:
        put_json({**_row(info), "roles": _used(info, context), **asdict(found), "card": text})
        return
    put(SHAPE.format(name=info.name, whose=_whose(info), forms=_forms(info), folder=info.folder))
    sizes = ", ".join(f"{form} {size / 1e6:.1f} MB" for form, size in found.bytes.items())
    told = {
        "base": found.base, "rank": found.rank, "alpha": found.alpha, "layers": ", ".join(found.layers), "size": sizes,
        "trained": f"{found.steps:,} steps" if found.steps else None, "at work for": ", ".join(_used(info, context)),
        **{f"measured: {name}": value for name, value in found.measured.items()},
    }  # fmt: skip
    for name, value in told.items():
        put(f"{name}: {value if value not in (None, '') else 'not known'}" if name != "at work for" or value else "")
    put()
    put(text or "It has no model card.")
    if count := adapters.stale(context, info):
        was = "was" if count == 1 else "were"
        say(f"It has learned from {lines(count)} that {was} forgotten since; train it again, or remove {info.folder}.")


def _use(args: argparse.Namespace, context: Context) -> None:
    from . import adapters

    if args.default == bool(args.name):
        adapters.wrong_use()
    for line in adapters.use(context, args.name, args.role):
        say(line)


def _merge(args: argparse.Namespace, context: Context) -> None:
    from . import adapters

    weights = adapters.numbers(args.weights) if args.weights else []
    merged = adapters.merge(context, args.names, args.name, weights, args.rank)
    put(str(merged.folder.parent))
    say(f"Rank {merged.rank}, which holds {100 * merged.kept:.2f}% of the averaged update.")


def _export(args: argparse.Namespace, context: Context) -> None:
    from . import adapters

    for path in adapters.export(args.name, args.folder, args.form):
        put(str(path))


def _eval(args: argparse.Namespace, context: Context) -> int:
    from . import adapters

    return adapters.evaluate(args, context)


def _row(info: object) -> dict[str, object]:
    names = ("name", "path", "peft", "folder", "shipped")
    values = {name: getattr(info, name) for name in names}
    return {name: str(value) if isinstance(value, Path) else value for name, value in values.items()}


def _whose(info: object) -> str:
    return "ships with chatmem" if getattr(info, "shipped", False) else "your own"


def _forms(info: AdapterInfo) -> str:
    from ...models.adapters.facts import forms

    return ", ".join(forms(info))


def _used(info: object, context: Context) -> list[str]:
    """The roles that it works for, by the settings in force."""
    from ...models.files.spec import parse
    from ..chat.models import spec_of

    return [role for role in ROLES if parse(spec_of(context.settings, role)).adapter == getattr(info, "name", None)]
