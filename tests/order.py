"""Which tests share a process, and which come first: the long ones, so that no process ends with one of them alone.

The seconds are rough, and matter only by their order; a file that isn't here is a short one. The short ones, the files
that share a process, and the tests of a file come in an order that each run draws anew: none may lean on what is before
it. What was drawn is at the head of the report, and after failures at its end; `--order-seed` brings it back.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest

HERE = Path(__file__).resolve().parent
TRAINING = ("training/",)
"""What trains: it loads torch and TRL, which takes each process ten seconds."""
TORCH = (
    "models/backends/hf/", "models/adapters/test_lora_merge.py", "models/adapters/test_adapter_forms.py",
    "models/embedder/test_embedder.py", "app/admin/test_adapters.py", "eval/answers/test_generation.py",
    "eval/ranking/test_run.py", "eval/agents/test_retrieval.py",
)  # fmt: skip
"""What else loads torch, or takes adapters of the tiny model, which it first makes. With what trains it would be one
process's work from the first minute to the last."""
PAGE = ("app/web/",)
"""What loads Gradio, and drives the two pages that all these tests share."""
SECONDS = {
    "training": 300, "page": 250, "torch": 200, "eval/runs/test_spread.py": 30, "app/line/test_terminal.py": 30,
    "models/backends/endpoint/test_faults.py": 30, "app/commands/test_reembed.py": 20,
    "models/backends/llama/test_llamacpp.py": 25, "app/tui/test_states.py": 20, "app/tui/panels/test_panels.py": 20,
    "app/tui/test_chat.py": 20, "app/test_cli.py": 20, "test_structure.py": 15,
    "memory/search/test_floor_of_recall.py": 15, "app/commands/test_at_rest.py": 15,
    "app/commands/test_damage.py": 40, "models/backends/llama/test_drafts.py": 10,
    "memory/repair/test_encrypting.py": 10, "test_packaging.py": 10, "memory/search/test_search.py": 10,
    "memory/transfer/test_exchange.py": 8, "memory/store/test_processes.py": 8, "app/assistants/test_mcp.py": 8,
    "app/tui/test_elsewhere.py": 8, "app/tui/test_overlays.py": 8, "app/tui/test_terminal.py": 7,
    "app/test_usage.py": 7, "app/commands/test_full_disk.py": 7, "app/chat/test_tidy.py": 7,
    "models/storage/test_own_evidence.py": 7, "memory/language/quoted/test_quoted.py": 7,
    "models/editor/test_editor.py": 6, "models/backends/llama/test_precedence.py": 6,
    "models/chat/hops/test_loop.py": 6, "models/decoding/test_safe_jinja.py": 5, "test_examples.py": 5,
    "test_order.py": 8,
    "eval/agents/test_trust_scripts.py": 5, "app/test_controller.py": 5, "app/test_laws.py": 5,
    "eval/agents/test_chat_scripts.py": 5,
}  # fmt: skip


def scope(nodeid: str) -> str:
    """What is run in one process: a file, or all that loads the same heavy library."""
    file = nodeid.partition("::")[0].removeprefix("tests/")
    heavy = {"training": TRAINING, "torch": TORCH, "page": PAGE}
    return next((name for name, files in heavy.items() if file.startswith(files)), file)


def drives(item: pytest.Item) -> bool:
    """Whether a test drives a browser: those that do follow each other, for it takes long to start."""
    return bool({"browser", "profile"} & set(getattr(item, "fixturenames", ())))


def drawn(config: pytest.Config) -> int:
    """The seed of this run: as asked for, as the controller drew it for all its workers, else a new one."""
    if config.option.order_seed is None:
        handed = getattr(config, "workerinput", {}).get("order_seed")
        config.option.order_seed = random.SystemRandom().randrange(1 << 32) if handed is None else handed
    return int(config.option.order_seed)


def begin_apart(config: pytest.Config) -> None:
    """Each process of xdist begins to collect at another folder: in a new checkout, what one compiles the rest read."""
    worker = getattr(config, "workerinput", None)
    if worker is None or [Path(name).resolve() for name in config.args] != [HERE]:
        return
    found = sorted(path for path in HERE.iterdir() if path.match("test_*.py") or any(path.rglob("test_*.py")))
    first = int(worker["workerid"].removeprefix("gw")) * len(found) // worker["workercount"]
    config.args[:] = [str(path) for path in found[first:] + found[:first]]


def told(config: pytest.Config) -> str:
    return f"order of the tests: --order-seed {drawn(config)}"


def longest_first(items: list[pytest.Item], seed: int) -> None:
    """Orders tests by what their scope takes; what takes the same, and all within a scope, as drawn."""

    def draw(name: str) -> float:
        return random.Random(f"{seed} {name}").random()

    def place(item: pytest.Item) -> tuple[int, float, bool, float, float]:
        name, file = scope(item.nodeid), item.nodeid.partition("::")[0]
        return -SECONDS.get(name, 0), draw(name), drives(item), draw(file), draw(item.nodeid)

    items.sort(key=place)


def scheduler(config: pytest.Config, log: Any) -> Any:
    """Hands scopes to processes, in the order of the tests."""
    from xdist.scheduler import LoadScopeScheduling

    class ByScope(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return scope(nodeid)

    config.option.loadscopereorder = False
    return ByScope(config, log)


def known() -> list[Path]:
    """The files and folders that are named here."""
    names = {*TRAINING, *TORCH, *PAGE, *SECONDS} - {"training", "torch", "page"}
    return [HERE / name for name in sorted(names)]
