"""`chatmem models`: what can be named as a model here, whether one works, and fetching more."""

from __future__ import annotations

import argparse
import sys

from ...eval.arguments import COUNT
from ...memory.errors import WrongUsage
from ..config.options import add_action
from ..context import Context, put, put_json, put_table, say


def register(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    add_action(actions, "list", "models and adapters on this machine", _list, json=True)
    text = "load a model, let it say a few words, and measure it"
    checking = add_action(actions, "check", text, _check, json=True)
    checking.add_argument(
        "spec", nargs="?", help="such as embedded, gguf:PATH, hf:NAME, openai:NAME[@URL] (the chat's own)"
    )
    checking.add_argument("--threads", type=COUNT, metavar="N", help="cores that it uses (the setting threads)")
    pulling = add_action(actions, "pull", "fetch a file of a Hugging Face repository, such as a GGUF model", _pull)
    pulling.add_argument("repo", nargs="?", help="the repository, OWNER/NAME; none: three good models to begin with")
    pulling.add_argument("file", nargs="?", help="the file in it, such as model-Q4_K_M.gguf")


def _list(args: argparse.Namespace, context: Context) -> None:
    from ...models import registry

    models = registry.list_models()
    if args.json:
        put_json(models)
    else:
        rows = [(m.spec, f"{m.size / 1e6:.0f} MB" if m.size else "", m.what) for m in models]
        put_table(("spec", "size", "what"), rows)
        say("Others: gguf:PATH, hf:NAME, openai:NAME (OPENAI_API_KEY, OPENAI_BASE_URL), openai:NAME@URL.")


def _check(args: argparse.Namespace, context: Context) -> None:
    from ...models import registry
    from ...models.files.profiles.profile import rows
    from ..chat.models import options_of, spec_of

    spec = args.spec or spec_of(context.settings, "answer")
    threads = {"threads": args.threads} if args.threads else {}
    report = registry.check(spec, **{**options_of(spec, context.settings, "answer"), **threads})
    if args.json:
        put_json(report)
        return
    put(f"{report.spec} works: {report.name}{f' with the adapter {report.adapter}' if report.adapter else ''}")
    put(f"loaded in {report.load_seconds:.1f} s, first token after {report.first_token_seconds:.2f} s, "
        f"then {report.tokens_per_second:.0f} tokens a second; window {report.context_tokens} tokens")  # fmt: skip
    put(f"it said: {report.text}")
    for sentence in report.expect:
        put(sentence)
    put_table(("its profile", ""), [(name, _told(value)) for name, value in rows(report.profile).items()])
    say("The settings window, reply_tokens, recall_words, temperature, top_p and profile change it.")


def _told(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _pull(args: argparse.Namespace, context: Context) -> None:
    from ...models import registry

    if args.repo is None:
        _recommend()
        return
    if args.file is None:
        raise WrongUsage("Name the file too, as the repository lists it; `chatmem models pull` shows three good ones.")
    path = registry.pull(args.repo, args.file, _progress if _watched() else None)
    if _watched():
        say("")
    put(str(path))
    if path.suffix == ".gguf":
        say(f"Use it with --model gguf:{path.relative_to(registry.models_folder()).as_posix()}")


def _recommend() -> None:
    """Three models to begin with, and which of them fits this machine."""
    from ...models.files.profiles.good_models import GOOD, recommended
    from ...models.files.profiles.told import memory_bytes

    best = recommended()
    table = [
        ("*" if one is best else "", one.name, f"{one.size / 1e9:.1f} GB", f"{one.needs / 1e9:.0f} GB", one.words)
        for one in GOOD
    ]
    put_table(("", "model", "size", "memory", "what it is like"), table)
    there = f" This machine has {memory_bytes() / 1e9:.0f} GB of memory." if memory_bytes() else ""
    say(f"* fits this machine.{there} Fetch it with: chatmem models pull {best.repo} {best.file}")


def _watched() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


def _progress(done: int, total: int) -> None:
    share = f"{100 * done // total:3d}%" if total else "    "
    print(f"\r{share}  {done / 1e6:,.0f} of {total / 1e6:,.0f} MB", end="", file=sys.stderr, flush=True)
