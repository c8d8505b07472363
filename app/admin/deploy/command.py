"""`chatmem deploy runpod up | list | logs | terminate`."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ....eval.arguments import COUNT, NUMBER, PLACE, TEXT
from ....memory.errors import ChatmemError, InputError, SettingsError, WrongUsage
from ...config.options import add_action
from ...context import Context, confirm, put, put_json, put_table, say
from .plan import GPUS

if TYPE_CHECKING:
    from .api import Pod, RunPod
    from .plan import Plan
    from .up import Patience


def register(parser: argparse.ArgumentParser) -> None:
    clouds = parser.add_subparsers(dest="cloud", metavar="CLOUD", required=True)
    text = "RunPod's GPUs by the hour; the key is read from RUNPOD_API_KEY alone"
    runpod = clouds.add_parser("runpod", help=text, description=f"{text}.", allow_abbrev=False)
    actions = runpod.add_subparsers(dest="action", metavar="ACTION", required=True)
    up = add_action(actions, "up", "rent a GPU that serves a model or trains one", _up)
    up.add_argument(
        "--gpu", type=TEXT, default="rtx3090", metavar="NAME", help=f"{', '.join(GPUS)}, or an id of RunPod's catalog"
    )
    up.add_argument("--disk", type=COUNT, default=50, metavar="GB", help="the container's disk (%(default)s)")
    up.add_argument(
        "--volume", type=NUMBER, default=100, metavar="GB", help="the disk that stays (%(default)s); 0: none"
    )
    up.add_argument("--serve", metavar="SPEC", help="serve hf:REPO or hf:REPO+ADAPTER by vLLM, with a token")
    up.add_argument("--train", metavar="ARGS", help='run `chatmem train ARGS` there, as in "storage --steps 600"')
    up.add_argument(
        "--push", type=PLACE, nargs="*", default=[], metavar="FILE", help="files for --train, into /workspace"
    )
    up.add_argument("--wheel", type=PLACE, metavar="FILE", help="with --train: our wheel (made from this checkout)")
    up.add_argument("--dry-run", action="store_true", help="show what would be asked and done, rent nothing")
    add_action(actions, "list", "your pods, with age and cost so far", _list, json=True)
    logs = add_action(actions, "logs", "what a pod's container wrote", _logs)
    logs.add_argument("id", metavar="ID", help="as `list` shows it")
    logs.add_argument("--tail", type=NUMBER, default=100, metavar="N", help="lines from its end (%(default)s)")
    logs.add_argument("--follow", action="store_true", help="go on until Ctrl+C")
    end = add_action(actions, "terminate", "end a pod, its disks and its bill", _terminate)
    end.add_argument("id", metavar="ID", help="as `list` shows it")
    end.add_argument("--yes", action="store_true", help="don't ask")


def _up(args: argparse.Namespace, context: Context) -> int:
    from .api import RunPod

    if bool(args.serve) == bool(args.train):
        raise SettingsError('Say what for: --serve hf:REPO[+ADAPTER], or --train "storage --steps 600".')
    if args.serve and (args.push or args.wheel):
        raise WrongUsage("--push and --wheel go with --train; leave them out.")
    with _plan(args) as plan:
        if args.dry_run:
            put_json(plan.shown())
            return 0
        return rent(RunPod.from_environment(), plan)


@contextmanager
def _plan(args: argparse.Namespace) -> Iterator[Plan]:
    from . import plan

    if args.serve:
        yield plan.serving(args.serve, args.gpu, args.disk, args.volume)
        return
    if args.wheel and not args.wheel.is_file():
        raise InputError(f"There is no wheel {args.wheel}; leave --wheel out to have one made.")
    _must_be_understood(args.train)
    with tempfile.TemporaryDirectory(prefix="chatmem-wheel-") as folder:
        wheel = args.wheel or (Path("chatmem.whl") if args.dry_run else _built(Path(folder)))
        yield plan.training(args.train, wheel, tuple(args.push), args.gpu, args.disk, args.volume)


def _must_be_understood(command: str) -> None:
    """Ends with 2, as the pod would when it is paid for, where `chatmem train` knows no such words."""
    from ...cli import build_parser
    from .plan import words_of

    build_parser(["train"]).parse_args(["train", *words_of(command)])


def _built(folder: Path) -> Path:
    """Our wheel, made from the checkout that runs. Raises InputError where there is none."""
    root = Path(__file__).resolve().parents[3]
    if not (root / "pyproject.toml").is_file():
        raise InputError("There is no checkout to make a wheel of; give one with --wheel FILE.")
    say("making our wheel ...")
    made = [sys.executable, "-m", "pip", "wheel", "--no-deps", "-q", "-w", str(folder), str(root)]
    done = subprocess.run(made, capture_output=True, text=True, check=False)
    found = list(folder.glob("*.whl"))
    if done.returncode or not found:
        last = (done.stderr.strip().splitlines() or ["pip said nothing"])[-1][:200]
        raise InputError(f"The wheel could not be made ({last}); make it by `pip wheel` and give it with --wheel.")
    return found[0]


def rent(api: RunPod, plan: Plan, patience: Patience | None = None) -> int:
    """Rents, waits, pushes, tells how to use and to end it. What goes wrong after renting, Ctrl+C too, is told with an
    offer to end the pod, since it bills."""
    from .up import Patience, push, wait

    pod = api.rent(plan.body)
    say(f"Rented {pod.id} ({pod.gpu or plan.body['gpu']['id']}) at ${pod.cost:.2f} an hour, from now on.")
    try:
        pod = wait(api, pod, plan.needs, patience or Patience())
        if plan.push:
            push(pod, plan)
    except (ChatmemError, KeyboardInterrupt) as error:
        say(str(error) or "Interrupted.")
        _offer_to_end(api, pod)
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    for line in _told(pod, plan):
        put(line)
    return 0


def _offer_to_end(api: RunPod, pod: Pod) -> None:
    """Asks on a terminal; elsewhere it says how, for it can't be known whether the pod is wanted."""
    try:
        confirm(f"The pod {pod.id} bills ${pod.cost:.2f} an hour. End it?", False)
    except (InputError, KeyboardInterrupt):
        say(f"It goes on billing; end it with `chatmem deploy runpod terminate {pod.id}`.")
        return
    api.end(pod.id)
    say(f"{pod.id} is ended.")


def _told(pod: Pod, plan: Plan) -> Iterator[str]:
    from .plan import PORT
    from .up import LOG

    yield f"pod: {pod.id}, ${pod.cost:.2f} an hour"
    if pod.ssh:
        yield f"ssh: {pod.ssh}"
    if plan.model:
        url = f"{pod.web(PORT)}/v1"
        yield f"url: {url}"
        yield f"use: OPENAI_BASE_URL={url} OPENAI_API_KEY={plan.token} chatmem chat --model openai:{plan.model}"
        yield "It answers when the model is loaded, which takes some minutes the first time."
    else:
        yield f"log: {LOG} on the pod"
    yield f"end: chatmem deploy runpod terminate {pod.id}"


def _list(args: argparse.Namespace, context: Context) -> int:
    from .api import RunPod

    rows = [_row(pod, datetime.now(UTC)) for pod in RunPod.from_environment().pods()]
    if args.json:
        put_json(rows)
    elif rows:
        put_table(list(rows[0]), [list(row.values()) for row in rows])
    else:
        say("No pods; nothing bills.")
    return 0


def _row(pod: Pod, now: datetime) -> dict[str, Any]:
    begun, spent = pod.started or pod.created, pod.spent(now)
    return {
        "id": pod.id, "name": pod.name, "status": pod.status, "gpu": pod.gpu, "dollars_an_hour": pod.cost,
        "hours": round((now - begun).total_seconds() / 3600, 2) if begun else None,
        "dollars_so_far": round(spent, 2) if spent is not None else None,
    }  # fmt: skip


def _logs(args: argparse.Namespace, context: Context) -> int:
    from .api import RunPod

    for line in RunPod.from_environment().log(args.id, args.tail, args.follow):
        put(line)
    return 0


def _terminate(args: argparse.Namespace, context: Context) -> int:
    from .api import RunPod

    api = RunPod.from_environment()
    pod = api.pod(args.id)
    confirm(f"End {pod.id} ({pod.name}, {pod.status})? Its disks are erased.", args.yes)
    api.end(pod.id)
    say(f"{pod.id} is ended, and bills no more.")
    return 0
