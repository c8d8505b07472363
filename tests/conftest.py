"""The same surroundings for every run: no variable, folder or setting of the machine or the person decides a test.

Each run has a home that is new and empty. What takes long to make and is the same each time (the embedded model as a
transformers folder, the fonts of matplotlib) is kept in the checkout's `.pytest_cache`, never in the person's cache.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import locale
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest

from tests import order
from tests.effort import FULL, times

if TYPE_CHECKING:
    from chatmem.models.embedder.minilm import LlamaEmbedder

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / ".pytest_cache" / "kept"
FOREIGN = ("CHATMEM", "OPENAI", "XDG_", "LC_", "HF_", "TRANSFORMERS_", "SCRIPT_", "GRADIO_", "WANDB", "MLFLOW", "TORCH")
"""A variable whose name begins so is taken out of the environment."""
OTHERS = (
    "COLORTERM", "COLUMNS", "EDITOR", "FORCE_COLOR", "LINES", "LOCAL_RANK", "NO_COLOR", "PAGER",
    "PYTHONDONTWRITEBYTECODE", "PYTHONIOENCODING", "PYTHONPATH", "PYTHONUTF8", "PYTHONWARNINGS", "RANK", "VISUAL",
    "WORLD_SIZE",
)  # fmt: skip
FIXED = {
    "LANG": "C.UTF-8", "LANGUAGE": "C", "TERM": "xterm-256color", "TZ": "UTC", "XDG_CACHE_HOME": str(KEPT),
    "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false",
}  # fmt: skip
"""One thread a process: the processes share the machine, and sums come out the same whatever its cores. LANGUAGE:
for each of its words argparse looks for a translation, in a dozen files that aren't there."""


DATA = pytest.StashKey[Path | None]()
MUCH = 1 << 30
"""Bytes that a process may grow by before what is dead in it is looked for: a trained model is a circle of objects."""
_small = [0]


def _resident() -> int:
    """Bytes of memory that this process holds; 0 where the system doesn't say."""
    try:
        return int(Path("/proc/self/statm").read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0


def pytest_runtest_logfinish() -> None:
    """After a test that left much behind: collects it, and undoes what a trainer told malloc to keep."""
    if _resident() > _small[0] + MUCH:
        gc.collect()
        libc = ctypes.CDLL(None)
        if hasattr(libc, "malloc_trim") and hasattr(libc, "mallopt"):
            for name, usual in ((-4, 65_536), (-1, 131_072)):  # M_MMAP_MAX, M_TRIM_THRESHOLD
                libc.mallopt(name, usual)
            libc.malloc_trim(0)
        _small[0] = _resident()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--order-seed", type=int, metavar="N", help="draws the order of files and tests (a new one each run)"
    )


def pytest_report_header(config: pytest.Config) -> str:
    return order.told(config)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, exitstatus: int, config: pytest.Config) -> None:
    """After a failure once more: with `-q` there is no head, and in a long report it is far away."""
    if exitstatus:
        terminalreporter.write_line(order.told(config))


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Each process of xdist collects for itself, and must come to the same order; its environment has been emptied."""
    node.workerinput["order_seed"] = order.drawn(node.config)
    node.workerinput["data"] = str(node.config.stash[DATA] or "")


def _data(named: str) -> Path | None:
    """The folder that CHATMEM_DATA names, as it is called from anywhere: tests change the working folder."""
    folder = Path(named).resolve() if named else None
    if folder and not folder.is_dir():
        raise pytest.UsageError(f"CHATMEM_DATA names {named}, which is no folder")
    return folder


def pytest_configure(config: pytest.Config) -> None:
    """Before any test is imported; what the tests start inherits it."""
    pip_cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    os.environ.setdefault("PIP_CACHE_DIR", f"{pip_cache}/pip")
    config.stash[DATA] = _data(getattr(config, "workerinput", {}).get("data", os.environ.get("CHATMEM_DATA", "")))
    for name in [name for name in os.environ if name.startswith(FOREIGN) or name in OTHERS]:
        del os.environ[name]
    home = tempfile.mkdtemp(prefix="chatmem-home-")
    config.add_cleanup(lambda: shutil.rmtree(home, ignore_errors=True))
    os.environ.update(FIXED, HOME=home)
    sys.dont_write_bytecode = False  # each process that a test starts would compile the whole package again
    time.tzset()
    with contextlib.suppress(locale.Error):  # a system without it reads files as UTF-8 anyway
        locale.setlocale(locale.LC_ALL, FIXED["LANG"])
    KEPT.mkdir(parents=True, exist_ok=True)
    hypothesis.settings.register_profile(
        "chatmem", deadline=None, max_examples=times(100, 25), suppress_health_check=[hypothesis.HealthCheck.too_slow],
        derandomize=FULL, print_blob=True,
    )  # fmt: skip
    hypothesis.settings.load_profile("chatmem")


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    order.begin_apart(session.config)


def pytest_collection_finish() -> None:
    """What was imported and collected stays; going through it takes half a second each time that garbage is sought."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Last: no plugin's order counts."""
    order.longest_first(items, order.drawn(config))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    return order.scheduler(config, log)


@pytest.fixture(scope="session")
def data_folder(pytestconfig: pytest.Config) -> Path | None:
    """The folder with data sets that don't ship, where CHATMEM_DATA names one."""
    return pytestconfig.stash[DATA]


@pytest.fixture(scope="session")
def embedder() -> Iterator[LlamaEmbedder]:
    """The real embedder, loaded once."""
    from chatmem.models.embedder.minilm import load_embedder

    loaded = load_embedder()
    yield loaded
    loaded.close()


@pytest.fixture(scope="session")
def kept_cache() -> Callable[[Path], None]:
    """Lets a home of a test's own use the transformers folder that was made before."""

    def link(home: Path) -> None:
        made = Path(os.environ["XDG_CACHE_HOME"]) / "chatmem"
        made.mkdir(parents=True, exist_ok=True)
        home.mkdir(parents=True, exist_ok=True)
        (home / "cache").symlink_to(made)

    return link


@contextlib.contextmanager
def tiny_in_place() -> Iterator[Path]:
    pytest.importorskip("gguf", reason="writing model files is an extra")
    from chatmem.models.files.model_files import embedded_path
    from tests.tiny import make_tiny

    place = make_tiny(KEPT)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(place))
        patch.setenv("PYTHONPATH", str(place))
        patch.setenv("XDG_CACHE_HOME", f"{place}-cache")  # another version of it is another file
        yield embedded_path()


@pytest.fixture(scope="module")
def tiny_model() -> Iterator[Path]:
    """For all tests of a file: a model of two random layers in the place of the embedded one; its GGUF file."""
    with tiny_in_place() as path:
        yield path


@pytest.fixture(scope="session")
def tiny_adapters() -> Path:
    from tests.tiny import make_adapters

    with tiny_in_place() as path:
        return make_adapters(path.parents[1])


@pytest.fixture
def tiny_home(
    tiny_adapters: Path, kept_cache: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """The model of two layers for one test, in a home with adapters for it that are named as those that ship."""
    home = tmp_path / "home"
    shutil.copytree(tiny_adapters, home / "data" / "adapters")
    monkeypatch.setenv("CHATMEM_HOME", str(home))
    with tiny_in_place():
        kept_cache(home)
        yield home
