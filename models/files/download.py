"""Fetching model files from the Hugging Face hub, for machines with a network."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...memory.errors import ModelBroken, ModelError, ModelNotFound

_REACH_SECONDS = 10.0
Progress = Callable[[int, int], None]


def fetch(repo: str, file: str, folder: Path, progress: Progress | None = None, endpoint: str | None = None) -> Path:
    """Download `file` of `repo` into `folder`/repo; a partial download goes on where it stopped.

    Raises ModelNotFound (no such repository, file or right to it), ModelBroken (a .gguf that is none), ModelError
    (no network, disk).
    """
    from huggingface_hub import constants, hf_hub_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError

    address = endpoint or constants.ENDPOINT
    _reach(address)
    broken_off: Any = (HFValidationError, HfHubHTTPError, *_broken_off(), OSError)
    try:
        path = Path(hf_hub_download(repo, file, local_dir=folder / repo, endpoint=address, tqdm_class=_bar(progress)))
    except broken_off as error:
        raise _told(error, repo, file, folder) from error
    return _checked(path)


def _broken_off() -> tuple[type[Exception], ...]:
    """What the HTTP library under the hub's raises: httpx2 from its version 2 on, httpx before."""
    import httpx2
    import huggingface_hub

    if int(huggingface_hub.__version__.partition(".")[0]) >= 2:
        return (httpx2.HTTPError,)
    return httpx2.HTTPError, importlib.import_module("httpx").HTTPError


def _told(error: Exception, repo: str, file: str, folder: Path) -> ModelError:
    from huggingface_hub import errors

    if isinstance(error, errors.HFValidationError):
        return ModelNotFound(f"{repo!r} is no repository name; write it as OWNER/NAME.")
    if isinstance(error, errors.GatedRepoError):
        return ModelNotFound(f"{repo} asks for its licence to be accepted; do so on its page and set HF_TOKEN.")
    if isinstance(error, errors.RepositoryNotFoundError):
        return ModelNotFound(f"The hub knows no repository {repo}; check the name, or set HF_TOKEN if it is private.")
    if isinstance(error, errors.LocalEntryNotFoundError):
        return ModelError(f"{repo} can't be reached; check the network and try again.")
    if isinstance(error, errors.EntryNotFoundError):
        return ModelNotFound(f"{repo} holds no file {file}; look at the list of files on its page.")
    if isinstance(error, OSError) and error.strerror:
        return ModelError(f"{file} can't be saved in {folder} ({error.strerror}); make room there.")
    return ModelError(f"{file} of {repo} can't be fetched ({type(error).__name__}); try again later.")


def _reach(address: str) -> None:
    """Find out at once that there is no network: the hub's library tries for half a minute, aloud."""
    import httpx2
    from huggingface_hub.utils import logging

    logging.set_verbosity_error()
    try:
        httpx2.head(address, timeout=_REACH_SECONDS)
    except httpx2.HTTPError as error:
        raise ModelError(f"{address} can't be reached; check the network and try again.") from error


def _checked(path: Path) -> Path:
    if path.suffix == ".gguf":
        with path.open("rb") as file:
            if file.read(4) != b"GGUF":
                raise ModelBroken(f"{path} is not a GGUF model file; delete it and choose another.")
    return path


def _bar(progress: Progress | None) -> Any:
    """A tqdm class that shows nothing and calls `progress(done, total)`."""
    from huggingface_hub.utils.tqdm import tqdm

    class Bar(tqdm):  # type: ignore[misc, unused-ignore]
        def __init__(self, *args: Any, **kw: Any) -> None:
            super().__init__(*args, **{**kw, "disable": True})
            self.done, self.whole = int(kw.get("initial") or 0), int(kw.get("total") or 0)

        def update(self, n: float | None = 1) -> Any:
            self.done += int(n or 0)
            if progress is not None:
                progress(self.done, max(self.whole, self.done))
            return super().update(n)

    return Bar
