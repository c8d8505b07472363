"""`chatmem adapters`: the trained adapters, those that ship and the person's own."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..context import Context, put, put_json, put_table, say
from ..options import add_action


def register(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    add_action(actions, "list", "all adapters", _list, json=True)
    add_action(actions, "show", "an adapter's model card", _show, json=True).add_argument(
        "name", help="the adapter, as `adapters list` names it"
    )


def _list(args: argparse.Namespace, context: Context) -> None:
    from ...models import registry

    found = registry.adapters()
    if args.json:
        put_json([_row(info) for info in found])
        return
    rows = [
        (info.name, "ships with chatmem" if info.shipped else "your own", _forms(info), info.folder) for info in found
    ]
    put_table(("name", "whose", "for", "folder"), rows)
    if not found:
        say(f"No adapters yet; `chatmem train storage` makes one, and those in {context.paths.adapters} are found.")


def _show(args: argparse.Namespace, context: Context) -> None:
    from ...models import registry

    info = registry.find_adapter(args.name)
    card = next((path for path in (info.folder / "README.md", info.folder / "card.md") if path.is_file()), None)
    text = card.read_text(encoding="utf-8") if card else ""
    if args.json:
        put_json({**_row(info), "card": text})
        return
    put(f"{info.name}, {'ships with chatmem' if info.shipped else 'your own'}, for {_forms(info)}, in {info.folder}")
    put(text or "It has no model card.")


def _row(info: object) -> dict[str, object]:
    names = ("name", "path", "peft", "folder", "shipped")
    values = {name: getattr(info, name) for name in names}
    return {name: str(value) if isinstance(value, Path) else value for name, value in values.items()}


def _forms(info: object) -> str:
    forms = {"llama.cpp": getattr(info, "path", None), "transformers": getattr(info, "peft", None)}
    return ", ".join(name for name, path in forms.items() if path)
