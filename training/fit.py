"""From rows to an adapter: the objective that `--method` names, its run, and what comes of it in both forms."""

from __future__ import annotations

import argparse
import errno
import json
import random
import re
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ..memory.errors import InputError, ModelBroken, SettingsError
from .loop import tracking
from .loop.loop import Measure, RunConfig, TrainingRun
from .loop.processes import ranks
from .loop.stopping import unwritten
from .policy.base import trainable
from .policy.rows import Rows, read_rows
from .policy.sampling import Task

if TYPE_CHECKING:
    from .methods.grpo import GrpoConfig

KL = {"grpo": 0.04, "epg": 0.002}
"""Weights of the KL term: epg's rewards differ by .02 for a row saved."""
OVERLONG = 5
"""dapo charges for the last fifth of a reply (the paper: 4,096 of 20,480 tokens)."""
DISK = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES)
WEIGHTS = "adapter_model.safetensors"
_UNPACKED = re.compile(r"(.+)\.Q\d_\d-\d+")

Scored = TypeVar("Scored", bound=Task)
Columns = Mapping[str, Path | None]
"""What is compared in a model card: names with PEFT folders (None: the bare base)."""
RowMaker = Callable[[argparse.Namespace, Path, Path, Path | None, Scored], None]
"""Writes rows to learn from: the run's arguments, the file to write, the rows as they are, the adapter that the run
starts from, and the agent's task. What an interruption left of it is gone on with."""


@dataclass(frozen=True, slots=True)
class AgentParts(Generic[Scored]):
    """What a run asks of the agent that it trains; each agent's room makes its own, and no other file asks which it is.

    `methods`: what it can be trained by; `sources`: where its rows come from, for the model card. `task` makes what its
    completions are scored by, from arguments and the run's folder; None where that takes more than the rows hold.
    `examples`: of the held-back rows those that the card shows before and after, or others in their place; `gains`:
    what the card says instead, of held-back rows that chose no checkpoint. `own_lines` (for `--target speaker`) and
    `pairs` (for dpo) make the rows that such a run learns from, `episodes` the run of `--episodes`. `beside`: files
    that lie beside the rows, and come along with `--rows`.
    """

    methods: tuple[str, ...]
    sources: str
    task: Callable[[argparse.Namespace, Path], Scored | None]
    examples: Callable[[Rows], Rows] = list
    gains: Callable[[argparse.Namespace, Scored, Columns, Rows], str] | None = None
    own_lines: RowMaker[Scored] | None = None
    pairs: RowMaker[Scored] | None = None
    episodes: Callable[[RunConfig, Scored, GrpoConfig], TrainingRun] | None = None
    beside: tuple[str, ...] = ()


def check(args: argparse.Namespace, parts: AgentParts[Scored]) -> None:
    """Raises SettingsError where agent, method and target don't fit together."""
    tracking.check(args.report_to)
    trainable(args.base)
    if args.valid_rows and not args.rows:
        raise SettingsError("--valid-rows goes with --rows: give both, or leave it out.")
    if args.target == "speaker" and parts.own_lines is None:
        raise SettingsError("--target speaker is for the storage agent, whose lines have speakers.")
    if args.method not in parts.methods:
        raise SettingsError(
            f"The {args.agent} agent can't be trained by {args.method}; choose {' or '.join(parts.methods)}."
        )
    _check_evaluator(args)
    if args.rows_by is not None and "epg" not in parts.methods:
        raise SettingsError("--rows-by is for the editor, whose decisions are few enough to be tried.")
    if args.method == "epg" and args.rows_by == "construction":
        raise SettingsError("--method epg needs the rewards of all decisions: --rows-by search.")
    if args.rows_by is None:
        args.rows_by = "search" if args.method == "epg" else "construction"
    if args.episodes and (parts.episodes is None or args.method not in ("grpo", "dapo")):
        raise SettingsError("--episodes is for the editor with --method grpo or dapo.")
    starting(args)  # before rows are built, which takes minutes


def _check_evaluator(args: argparse.Namespace) -> None:
    """Fills in the evaluator that the arguments mean. Raises SettingsError."""
    if args.evaluator is None:
        args.evaluator = "rag" if args.locomo_episodes else "words"
    if args.evaluator != "rag" and (args.evaluator == "judge") != bool(args.judge):
        raise SettingsError("--evaluator judge and --judge SPEC go together: name the model that judges.")
    if (args.evaluator == "rag") != bool(args.locomo_episodes):
        raise SettingsError("--evaluator rag and --locomo-episodes DIR go together: its questions have answers.")
    if args.locomo_episodes and not args.episodes:
        raise SettingsError("--locomo-episodes DIR goes with --episodes.")
    if args.acts is None:
        words = args.locomo_episodes and args.base == "embedded"
        args.acts = "decisions" if words else "tools"
    if args.acts == "decisions" and not args.locomo_episodes:
        raise SettingsError("--acts decisions goes with --locomo-episodes; without it such a run needs no --episodes.")


def fit(args: argparse.Namespace, folder: Path, train: Path, valid: Path, parts: AgentParts[Scored]) -> int:
    """Runs the training with a live table, then writes the adapter for llama.cpp and its card."""
    from .loop.live import follow

    print("loading the base model ...", file=sys.stderr)
    task = parts.task(args, folder)
    try:
        run = _run(args, folder, train, valid, parts, task)
        where = args.report_to if ranks().main else "none"
        with tracking.tracked(where, f"{args.agent} {folder.name}", folder, vars(args), resume=args.resume) as report:
            follow(run, report)
            if ranks().main:
                told = "" if task is None else _compared(args, run, folder, valid, parts, task)
                finish(run, folder, args.agent, parts.sources, told)
    except OSError as error:
        if error.errno not in DISK:
            raise
        raise unwritten(error) from error
    finally:
        if task is not None:
            task.close()
    return 0


def _compared(
    args: argparse.Namespace, run: TrainingRun, folder: Path, valid: Path, parts: AgentParts[Scored], task: Scored
) -> str:  # fmt: skip
    """The base, the start and the result beside each other, for the card; left out with `--eval-every 0`."""
    from .loop.examples import as_markdown, examples

    if not args.eval_every or args.episodes or find_spec("llama_cpp") is None:
        return ""
    print("writing examples for the model card ...", file=sys.stderr)
    columns = {"base": None, "before": run.config.start, f"after {args.method}": result(run, folder)}
    columns = {name: place for name, place in columns.items() if place is not None or name == "base"}
    rows = read_rows(valid) if _holds_rows(valid) else []
    if parts.gains is None:
        return as_markdown(examples(parts.examples(rows), args.base, task, columns, threads=args.threads))
    chose = [row["messages"] for row in held_rows(rows, task, args)]
    others = [row for row in rows if task.accepts(row) and row["messages"] not in chose]
    return parts.gains(args, task, columns, others)


def _holds_rows(path: Path) -> bool:
    return path.is_file() and path.stat().st_size > 0


def _run(
    args: argparse.Namespace, folder: Path, train: Path, valid: Path, parts: AgentParts[Scored], task: Scored | None
) -> TrainingRun:  # fmt: skip
    if task is None and args.method in ("rwr", "rloo", "grpo", "dapo", "epg"):
        raise InputError(f"--method {args.method} needs the memory that the rows ask about; build them without --rows.")
    config = _config(args, folder, train, valid if _holds_rows(valid) else None, parts, task)
    measure = _measure(args, valid, task)
    if task is not None and args.method == "rwr":
        from .methods.rwr import Rwr, RwrConfig

        rounds = RwrConfig(
            args.rounds, args.sampled, args.samples, args.temperature, args.tau, args.anchor, args.threads
        )
        return Rwr(config, task, rounds, measure)
    if args.method == "dpo":
        from .methods.dpo import Dpo, DpoConfig

        return Dpo(config, DpoConfig(args.beta), measure)
    if args.method == "epg":
        from .methods.epg import Epg, EpgConfig

        return Epg(config, EpgConfig(KL["epg"] if args.kl is None else args.kl, args.temperature), measure)
    if args.method == "rloo":
        return _rloo(args, folder, config, valid, parts, task)
    if task is not None and args.method in ("grpo", "dapo"):
        from .methods.grpo import Grpo

        if args.episodes and parts.episodes is not None:
            return parts.episodes(config, task, _grpo(args))
        return Grpo(config, task, _grpo(args), measure)
    if getattr(args, "from_journal", False):
        from .methods.corrected import Correct

        return Correct(config)
    from .methods.sft import Sft

    return Sft(config, measure)


def _rloo(
    args: argparse.Namespace, folder: Path, config: RunConfig, valid: Path, parts: AgentParts[Scored], task: Any
) -> TrainingRun:  # fmt: skip
    from .methods.rloo import Rloo, RlooConfig

    def make() -> Task:
        found = parts.task(args, folder)
        assert found is not None  # as it was for `task`
        return found

    how = RlooConfig(args.groups, args.samples, args.temperature, args.anchor, args.reply_tokens, args.workers)
    measured = bool(args.eval_every) and _holds_rows(valid)
    return Rloo(config, make, how, held_rows(read_rows(valid), task, args) if measured else [])


def _grpo(args: argparse.Namespace) -> GrpoConfig:
    from .methods.grpo import GrpoConfig
    from .methods.trl_options import chosen

    dapo, most = args.method == "dapo", args.reply_tokens
    overlong = most // OVERLONG if args.overlong is None else args.overlong
    return GrpoConfig(
        args.method, args.groups, args.samples, args.temperature,
        KL["grpo"] if args.kl is None else args.kl, most, vllm=args.vllm or "",
        threads=args.threads, keep=args.keep,
        resample=args.resample if dapo else 0, overlong=min(overlong, most) if dapo else 0,
        dropout=args.dropout, prompt_tokens=args.prompt_tokens, trl=chosen(args),
    )  # fmt: skip


def _config(
    args: argparse.Namespace, folder: Path, train: Path, valid: Path | None, parts: AgentParts[Scored],
    task: Scored | None,
) -> RunConfig:  # fmt: skip
    start = starting(args)
    if args.target == "speaker":
        train = _remade(parts.own_lines, args, folder / "speaker.jsonl", train, start, task)
    if args.method == "dpo":
        train, valid = _remade(parts.pairs, args, folder / "pairs.jsonl", train, start, task), None
    return RunConfig(
        base=args.base, out=folder, data=train, valid=valid, steps=args.steps, minutes=args.minutes,
        batch_tokens=args.batch_tokens, max_length=args.max_length, rank=args.rank, alpha=args.alpha,
        lr=args.lr or rate(args.method, start),
        seed=args.seed, save_every=args.save_every, eval_every=args.eval_every, resume=args.resume, start=start,
        keep=args.keep,
    )  # fmt: skip


def _remade(
    make: RowMaker[Scored] | None, args: argparse.Namespace, path: Path, train: Path, start: Path | None,
    task: Scored | None,
) -> Path:  # fmt: skip
    """The file of rows that the first process makes out of `train` while the others wait."""
    with ranks().first() as mine:
        if mine and make is not None and task is not None:
            make(args, path, train, start, task)
    return path


def rate(method: str, start: Path | None) -> float:
    """The peak learning rate that did well on the embedded base."""
    if method == "sft":
        return 1e-3 if start is None else 3e-4
    return {"rwr": 2e-4, "rloo": 1e-4, "dpo": 5e-5, "grpo": 2e-5, "dapo": 2e-5, "epg": 1e-4}[method]


def starting(args: argparse.Namespace) -> Path | None:
    """The PEFT folder to go on from: `--start`, or for all methods but sft the bundled adapter of the agent."""
    by_itself = args.episodes and getattr(args, "acts", None) != "decisions"  # with tools any base can begin
    needed = (args.method != "sft" and not by_itself) or args.target == "speaker"
    name = args.start or (bundled(args.agent) if needed and args.base == "embedded" else None)
    if name is None and needed:
        raise SettingsError(f"--method {args.method} goes on from an adapter of this base; name it with --start.")
    return starting_of(name) if name and name != "none" else None


def bundled(agent: str) -> str | None:
    """The adapter that goes by the agent's name, where there is one."""
    from ..models.files.model_files import adapters

    return agent if any(each.name == agent for each in adapters()) else None


def starting_of(name: str) -> Path:
    """The PEFT folder of an adapter, by name or folder. Raises SettingsError."""
    from ..models.adapters.to_peft import peft_folder
    from ..models.files.model_files import find_adapter

    return peft_folder(find_adapter(name))


def _measure(args: argparse.Namespace, valid: Path, task: Task | None) -> Measure | None:
    from .loop.held_out import Held

    if task is None or not args.eval_every or args.episodes or not _holds_rows(valid):
        return None
    rows = held_rows(read_rows(valid), task, args)
    return Held(args.base, task, rows, args.threads) if rows else None


def held_rows(rows: Rows, task: Task, args: argparse.Namespace) -> Rows:
    """The held-back rows that the agent is measured on, drawn by the seed."""
    found = [row for row in rows if task.accepts(row)]
    return random.Random(args.seed).sample(found, min(args.eval_rows, len(found)))


def result(run: TrainingRun, folder: Path) -> Path:
    """The run's best checkpoint; the last one where nothing was measured, or no longer since it was resumed."""
    return folder / "best" if _measured(run) and (folder / "best").is_dir() else folder / "final"


def _measured(run: TrainingRun) -> bool:
    return bool(run.config.eval_every and run.history)


def finish(run: TrainingRun, folder: Path, agent: str, sources: str, compared: str) -> None:
    """The best (else the last) adapter as `adapter.gguf` and PEFT files in `folder`/adapter, ready for the chat."""
    from ..models.adapters import to_gguf
    from ..models.adapters.facts import NOTE
    from .loop.card import write_card

    source = result(run, folder)
    target = folder / "adapter"
    shutil.rmtree(target, ignore_errors=True)
    (target / "peft").mkdir(parents=True)
    _copy_config(source / "adapter_config.json", target / "peft")
    _save_half(source / WEIGHTS, target / "peft" / WEIGHTS)
    try:
        to_gguf.write(source, target / "adapter.gguf", run.model.config.to_dict())
    except ModelBroken as error:
        print(f"{error} The PEFT form is there.", file=sys.stderr)
    (target / NOTE).write_text(json.dumps({"agent": agent}), encoding="utf-8")  # `adapters use` asks for whom it is
    write_card(target / "README.md", agent, run, sources, compared)
    print(f"adapter: {target} (the {source.name} checkpoint)", file=sys.stderr)
    if _measured(run) and max(run.history, key=lambda at: at["measure"])["step"] == 0:
        print("No checkpoint did better on the held-back rows than the start, so it is the start.", file=sys.stderr)


def _copy_config(source: Path, target: Path) -> None:
    """PEFT's settings; the base that was unpacked from a GGUF goes by its name there, not by its place on this disk."""
    found = json.loads(source.read_text(encoding="utf-8"))
    name = Path(str(found["base_model_name_or_path"])).name
    if unpacked := _UNPACKED.fullmatch(name):
        found["base_model_name_or_path"] = unpacked[1]
    (target / source.name).write_text(json.dumps(found, indent=1), encoding="utf-8")


def _save_half(source: Path, target: Path) -> None:
    """Weights in float16: half the size, and what llama.cpp's file holds too."""
    from safetensors.torch import load_file, save_file

    save_file({name: tensor.half() for name, tensor in load_file(source).items()}, target, metadata={"format": "pt"})
