"""`chatmem checkpoints`: those of a training run as folders that other programs read, and the average of several."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from ....eval.arguments import PLACE, whole
from ....memory.errors import InputError, WrongUsage
from ...config.options import add_action
from ...context import Context, put, say


def register(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    text = "a run's checkpoints as Hugging Face or PEFT folders; what FSDP split is put together"
    collecting = add_action(actions, "collect", text, _collect)
    collecting.add_argument("run", type=PLACE, metavar="RUN", help="the --out of a training run")
    collecting.add_argument("--steps", default="", metavar="N,N", help="only these, such as 20,30,40 (all)")
    collecting.add_argument("--out", type=PLACE, metavar="DIR", help="where they go (RUN/collected)")
    text = "the average of checkpoints in 32 bits: of whole models tensor by tensor, of adapters exactly"
    merging = add_action(actions, "merge", text, _merge)
    merging.add_argument(
        "folders", nargs="+", type=PLACE, metavar="FOLDER", help="as `collect` wrote them; two or more"
    )
    merging.add_argument("--out", type=PLACE, required=True, metavar="DIR", help="where the average goes")


def _collect(args: argparse.Namespace, context: Context) -> None:
    from ....training.policy.checkpoints import collect

    try:
        steps = [whole(part, 0) for part in args.steps.split(",") if part.strip()]
    except InputError as error:
        raise WrongUsage(f"--steps {args.steps!r}: {error}") from None
    for folder in collect(args.run, steps, args.out or args.run / "collected"):
        put(str(folder))


def _merge(args: argparse.Namespace, context: Context) -> None:
    from ....models.adapters import average, merge

    kinds = {(folder / "adapter_config.json").is_file() for folder in args.folders}
    if len(args.folders) < 2:
        raise WrongUsage("Give two checkpoints or more; the average of one is itself.")
    if len(kinds) > 1:
        raise InputError("Some of these folders are adapters and some are whole models; merge those of one run.")
    average.must_be_free(args.out)
    if kinds == {True}:
        done = merge.merge(args.folders, args.out)
        say(f"Rank {done.rank}, which holds {100 * done.kept:.2f}% of the averaged update.")
    else:
        average.average(args.folders, args.out, _telling())
    put(str(args.out))


def _telling() -> Callable[[int, int], None]:
    """Progress, begun when it is known how many tensors there are."""
    from ....eval.runs.progress import make_progress

    told: list[Callable[[int], None]] = []

    def tell(done: int, total: int) -> None:
        if not told:
            told.append(make_progress("tensors", total))
        told[0](done)

    return tell
