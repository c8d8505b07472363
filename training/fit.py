"""From rows to an adapter: the objective that `--method` names, its run, and what comes of it in both forms."""

from __future__ import annotations

import argparse
import errno
import json
import random
import re
import shutil
import sys
from collections.abc import Callable, Generator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..memory.errors import InputError, ModelBroken, SettingsError
from . import tracking
from .loop import Measure, Run, RunConfig
from .ranks import ranks
from .rows import MEMORIES
from .sampling import Task
from .storage_data import write_rows
from .tracking import tracker
from .watch import unwritten

METHODS = {
    "storage": ("sft", "rwr", "grpo", "dapo"),
    "retrieval": ("sft", "rwr", "grpo", "dapo"),
    "answer": ("sft", "dpo"),
    "editor": ("sft", "rwr", "grpo", "dapo", "epg"),
}
"""What can be learned how."""
KL = {"grpo": 0.04, "epg": 0.002}
"""Weights of the KL term: epg's rewards differ by .02 for a row saved."""
DISK = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES)
WEIGHTS = "adapter_model.safetensors"
_UNPACKED = re.compile(r"(.+)\.Q\d_\d-\d+")


def check(args: argparse.Namespace) -> None:
    """Raises SettingsError where agent, method and target don't fit together."""
    tracking.check(args.report_to)
    if args.target == "speaker" and args.agent != "storage":
        raise SettingsError("--target speaker is for the storage agent, whose lines have speakers.")
    if args.method not in METHODS[args.agent]:
        raise SettingsError(
            f"The {args.agent} agent can't be trained by {args.method}; choose {' or '.join(METHODS[args.agent])}."
        )
    if (args.evaluator == "judge") != bool(args.judge):
        raise SettingsError("--evaluator judge and --judge SPEC go together: name the model that judges.")
    if args.rows_by is not None and args.agent != "editor":
        raise SettingsError("--rows-by is for the editor, whose decisions are few enough to be tried.")
    if args.method == "epg" and args.rows_by == "construction":
        raise SettingsError("--method epg needs the rewards of all decisions: --rows-by search.")
    if args.rows_by is None:
        args.rows_by = "search" if args.method == "epg" else "construction"
    if args.episodes and (args.agent != "editor" or args.method not in ("grpo", "dapo")):
        raise SettingsError("--episodes is for the editor with --method grpo or dapo.")


def fit(args: argparse.Namespace, folder: Path, train: Path, valid: Path) -> int:
    """Runs the training with a live table, then writes the adapter for llama.cpp and its card."""
    from .live import follow

    print("loading the base model ...", file=sys.stderr)
    task = make_task(args.agent, folder, args.downstream, args.evaluator, args.judge)
    try:
        run = _run(args, folder, train, valid, task)
        own = ranks().main and args.method not in ("grpo", "dapo")  # TRL reports by itself
        follow(run, tracker(args.report_to if own else "none", folder))
        if ranks().main:
            finish(run, folder, args.agent, _examples(args, run, folder, valid, task))
    except OSError as error:
        if error.errno not in DISK:
            raise
        raise unwritten(error) from error
    finally:
        if task is not None:
            task.close()
    return 0


def _examples(args: argparse.Namespace, run: Run, folder: Path, valid: Path, task: Task | None) -> str:
    """The same lines by the base, the start and the result; left out with `--eval-every 0`."""
    from .examples import as_markdown, examples
    from .rows import read_rows

    if task is None or not args.eval_every or args.episodes:
        return ""
    print("writing examples for the model card ...", file=sys.stderr)
    columns = {"base": None, "before": run.config.start, f"after {args.method}": result(run, folder)}
    columns = {name: place for name, place in columns.items() if place is not None or name == "base"}
    rows = read_rows(valid) if valid.is_file() and valid.stat().st_size else []
    if args.agent == "editor":
        return _gains(args, task, columns, rows)
    return as_markdown(examples(args.agent, args.base, task, columns, rows, threads=args.threads))


def _gains(args: argparse.Namespace, task: Task, columns: Mapping[str, Path | None], rows: list[dict[str, Any]]) -> str:
    from . import gains

    chose = [row["messages"] for row in held_rows(rows, task, args)]
    others = [row for row in rows if task.accepts(row) and row["messages"] not in chose]
    return gains.as_markdown(others, gains.earned(args.base, task, columns, others, args.threads) if others else {})


def make_task(
    agent: str, folder: Path, downstream: float = 0.0, evaluator: str = "words", judge: str | None = None
) -> Task | None:  # fmt: skip
    """What the agent's completions are scored by; None where that needs more than the rows hold."""
    if agent == "storage":
        from .storage_reward import StorageTask

        return StorageTask(downstream)
    if agent == "answer":
        from .answer_reward import AnswerTask

        return AnswerTask()
    if agent == "editor" and (folder / MEMORIES).is_file():
        from .editor_reward import EditorTask

        if evaluator != "judge":
            return EditorTask(folder, evaluator)
        from ..models import registry

        return EditorTask(folder, evaluator, registry.load(str(judge)))
    if agent == "retrieval" and (folder / "rows.db").is_file():
        from .retrieval_reward import RetrievalTask

        return RetrievalTask(folder)
    return None


def _run(args: argparse.Namespace, folder: Path, train: Path, valid: Path, task: Task | None) -> Run:
    if task is None and args.method in ("rwr", "grpo", "dapo", "epg"):
        raise InputError(f"--method {args.method} needs the memory that the rows ask about; build them without --rows.")
    config = _config(args, folder, train, valid if valid.is_file() and valid.stat().st_size else None, task)
    measure = _measure(args, valid, task)
    if task is not None and args.method == "rwr":
        from .rwr import Rwr, RwrConfig

        how = RwrConfig(args.rounds, args.prompts, args.samples, args.temperature, args.tau, args.anchor, args.threads)
        return Rwr(config, task, how, measure)
    if args.method == "dpo":
        from .dpo import Dpo, DpoConfig

        return Dpo(config, DpoConfig(args.beta), measure)
    if args.method == "epg":
        from .epg import Epg, EpgConfig

        return Epg(config, EpgConfig(KL["epg"] if args.kl is None else args.kl, args.temperature), measure)
    if task is not None and args.method in ("grpo", "dapo"):
        from .grpo import Grpo, GrpoConfig

        wanted = GrpoConfig(
            args.method, args.groups, args.samples, args.temperature,
            KL["grpo"] if args.kl is None else args.kl, vllm=args.vllm or "",
            report_to=args.report_to, threads=args.threads,
        )  # fmt: skip
        if args.episodes:
            from .editor_episodes import EpisodeGrpo

            return EpisodeGrpo(config, task, replace(wanted, max_tokens=args.max_length))
        return Grpo(config, task, wanted, measure)
    if getattr(args, "from_journal", False):
        from .corrected import Correct

        return Correct(config)
    from .sft import Sft

    return Sft(config, measure)


def _config(args: argparse.Namespace, folder: Path, train: Path, valid: Path | None, task: Task | None) -> RunConfig:
    from .storage_reward import StorageTask

    start = starting(args)
    tracking.check(args.report_to)
    if args.target == "speaker" and isinstance(task, StorageTask):
        from . import targets

        train = _first(lambda: targets.write(args, folder, train, start, task), folder / "speaker.jsonl")
    if args.method == "dpo":
        train, valid = _first(lambda: _pairs(args, folder, train, start), folder / "pairs.jsonl"), None
    return RunConfig(
        base=args.base, out=folder, data=train, valid=valid, steps=args.steps, minutes=args.minutes,
        batch_tokens=args.batch_tokens, max_length=args.max_length, rank=args.rank, alpha=args.alpha,
        lr=args.lr or rate(args.method, start),
        seed=args.seed, save_every=args.save_every, eval_every=args.eval_every, resume=args.resume, start=start,
    )  # fmt: skip


def _first(make: Callable[[], Path], path: Path) -> Path:
    """The file that the first process makes while the others wait."""
    with ranks().first() as mine:
        return make() if mine else path


def rate(method: str, start: Path | None) -> float:
    """The peak learning rate that did well on the embedded base."""
    if method == "sft":
        return 1e-3 if start is None else 3e-4
    return {"rwr": 2e-4, "dpo": 5e-5, "grpo": 2e-5, "dapo": 2e-5, "epg": 1e-4}[method]


def starting(args: argparse.Namespace) -> Path | None:
    """The PEFT folder to go on from: `--start`, or for all methods but sft the bundled adapter of the agent."""
    needed = (args.method != "sft" and not args.episodes) or args.target == "speaker"
    name = args.start or (args.agent if needed and args.base == "embedded" else None)
    if name is None and needed:
        raise SettingsError(f"--method {args.method} goes on from an adapter of this base; name it with --start.")
    return starting_of(name) if name and name != "none" else None


def starting_of(name: str) -> Path:
    """The PEFT folder of an adapter, by name or folder. Raises SettingsError."""
    from ..models.places import find_adapter
    from ..models.transformers_lm import peft_folder

    return peft_folder(find_adapter(name))


def _measure(args: argparse.Namespace, valid: Path, task: Task | None) -> Measure | None:
    from .measure import Held
    from .rows import read_rows

    if task is None or not args.eval_every or args.episodes or not (valid.is_file() and valid.stat().st_size):
        return None
    rows = held_rows(read_rows(valid), task, args)
    return Held(args.base, task, rows, args.threads) if rows else None


def held_rows(rows: list[dict[str, Any]], task: Task, args: argparse.Namespace) -> list[dict[str, Any]]:
    """The held-back rows that the agent is measured on, drawn by the seed."""
    found = [row for row in rows if task.accepts(row)]
    return random.Random(args.seed).sample(found, min(args.eval_rows, len(found)))


def _pairs(args: argparse.Namespace, folder: Path, train: Path, start: Path | None) -> Path:
    """Preference pairs out of the policy's own mistakes; kept as they come, so that an interrupted run goes on."""
    from . import answer_pairs as making
    from .rows import kept_as_made, read_rows
    from .sampling import policy

    done, path = folder / "tried.jsonl", folder / "pairs.jsonl"
    rows = making.askable(read_rows(train))
    rows = random.Random(args.seed).sample(rows, min(args.prompts, len(rows)))

    def pairs(begin: int) -> Generator[Any, None, None]:
        with policy(args.base, start, args.threads) as lm:
            yield from making.pairs(lm, rows, args.seed, begin)

    def tell(tried: list[Any]) -> None:
        if len(tried) % 25 == 0:
            print(f"asked {len(tried)} of {len(rows)} questions for mistakes", file=sys.stderr, flush=True)

    found = [one for one in kept_as_made(done, len(rows), pairs, tell) if one is not None]
    if not found:
        raise InputError("The policy makes no mistake on these rows, so there are no pairs; give others or more.")
    kept = making.balanced(found, args.seed)
    write_rows(path, kept)
    print(f"{len(kept)} of {len(found)} pairs, out of {len(rows)} questions", file=sys.stderr)
    return path


def result(run: Run, folder: Path) -> Path:
    """The run's best checkpoint; the last one where nothing was measured, or no longer since it was resumed."""
    return folder / "best" if _measured(run) and (folder / "best").is_dir() else folder / "final"


def _measured(run: Run) -> bool:
    return bool(run.config.eval_every and run.history)


def finish(run: Run, folder: Path, agent: str, examples: str = "") -> int:
    """The best (else the last) adapter as `adapter.gguf` and PEFT files in `folder`/adapter, ready for the chat."""
    from ..models import lora_gguf
    from .card import write_card

    source = result(run, folder)
    target = folder / "adapter"
    shutil.rmtree(target, ignore_errors=True)
    (target / "peft").mkdir(parents=True)
    _copy_config(source / "adapter_config.json", target / "peft")
    _save_half(source / WEIGHTS, target / "peft" / WEIGHTS)
    try:
        lora_gguf.write(source, target / "adapter.gguf", run.model.config.to_dict())
    except ModelBroken as error:
        print(f"{error} The PEFT form is there.", file=sys.stderr)
    write_card(target / "README.md", agent, run, examples)
    print(f"adapter: {target} (the {source.name} checkpoint)", file=sys.stderr)
    if _measured(run) and max(run.history, key=lambda at: at["measure"])["step"] == 0:
        print("No checkpoint did better on the held-back rows than the start, so it is the start.", file=sys.stderr)
    return 0


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
