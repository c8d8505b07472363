"""Fetching model files from the Hugging Face hub, for machines with a network."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..memory.errors import ModelBroken, ModelError, ModelNotFound

Progress = Callable[[int, int], None]


def fetch(repo: str, file: str, folder: Path, progress: Progress | None = None, endpoint: str | None = None) -> Path:
    """Download `file` of `repo` into `folder`/repo; a partial download goes on where it stopped.

    Raises ModelNotFound (no such repository, file or right to it), ModelBroken (a .gguf that is none), ModelError
    (no network, disk).
    """
    import httpx2
    import huggingface_hub as hub
    from huggingface_hub.errors import (
        EntryNotFoundError,
        GatedRepoError,
        HfHubHTTPError,
        HFValidationError,
        LocalEntryNotFoundError,
        RepositoryNotFoundError,
    )

    try:
        path = Path(
            hub.hf_hub_download(repo, file, local_dir=folder / repo, endpoint=endpoint, tqdm_class=_bar(progress))
        )
    except HFValidationError as error:
        raise ModelNotFound(f"{repo!r} is no repository name; write it as OWNER/NAME.") from error
    except GatedRepoError as error:
        raise ModelNotFound(
            f"{repo} asks for its licence to be accepted; do so on its page and set HF_TOKEN."
        ) from error
    except RepositoryNotFoundError as error:
        raise ModelNotFound(
            f"The hub knows no repository {repo}; check the name, or set HF_TOKEN if it is private."
        ) from error
    except LocalEntryNotFoundError as error:
        raise ModelError(f"{repo} can't be reached; check the network and try again.") from error
    except EntryNotFoundError as error:
        raise ModelNotFound(f"{repo} holds no file {file}; look at the list of files on its page.") from error
    except (HfHubHTTPError, httpx2.HTTPError) as error:
        raise ModelError(f"{repo} can't be fetched ({type(error).__name__}); try again later.") from error
    except OSError as error:
        raise ModelError(f"{file} can't be saved in {folder} ({error.strerror or error}); make room there.") from error
    return _checked(path)


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
