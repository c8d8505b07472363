"""`chatmem doctor`: what works here, what is missing, and what to do about it."""

from __future__ import annotations

import argparse

from ...memory.errors import WrongUsage
from ..context import Context, put_json, put_table, say


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.add_argument("--settings", action="store_true", help="list every setting with its value and where to set it")
    parser.add_argument(
        "--repair", action="store_true", help="make a damaged database anew from what can be read of it"
    )
    parser.add_argument("--yes", action="store_true", help="don't ask")
    parser.set_defaults(act=_doctor, lenient=True)


def _doctor(args: argparse.Namespace, context: Context) -> int:
    if args.settings and args.repair:
        raise WrongUsage("--settings only tells: leave it out, or --repair.")
    if args.settings:
        return _settings(args, context)
    if args.repair:
        from .repairing import repair

        return repair(args, context)
    from .doctor import checkup

    findings = checkup(context)
    if args.json:
        put_json(findings)
    else:
        put_table(("", "what", "found", "what to do"), [(f.state, f.what, f.found, f.advice) for f in findings])
    bad = sum(finding.state == "bad" for finding in findings)
    say(f"{bad} of {len(findings)} things need you." if bad else "All that the chat needs is here.")
    return int(bad > 0)


def _settings(args: argparse.Namespace, context: Context) -> int:
    from ..config.settings import describe

    rows = [(s.name, getattr(context.settings, s.name), s.env, s.help) for s in describe()]
    if args.json:
        put_json([dict(zip(("name", "value", "environment", "help"), row, strict=True)) for row in rows])
    else:
        put_table(("key", "value", "environment", "what it is"), rows)
        say(f"Set them in {context.config_file} (TOML) or in the environment.")
    for fault in context.faults:
        say(f"Not taken: {fault}")
    return int(bool(context.faults))
