"""What a record says of its origin: the version and, in a checkout, the commit of the code; data by its print."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

from ... import __version__

ROOT = Path(__file__).resolve().parents[2]


def code() -> dict[str, str | None]:
    """`version` and `commit` ("a1b2c3d", "+" when files were changed since; None outside of a checkout)."""
    return {"version": __version__, "commit": _commit()}


def _commit() -> str | None:
    if not (ROOT / ".git").exists():
        return None
    head, changed = _git("rev-parse", "--short=10", "HEAD"), _git("status", "--porcelain", "--untracked-files=no")
    return f"{head}+" if head and changed else head


def _git(*words: str) -> str | None:
    try:
        done = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() or None if done.returncode == 0 else None


def fingerprint(path: Path) -> str:
    """The first 12 hex digits of the file's SHA-256; of a folder's, that of all JSON files in it."""
    if path.is_dir():
        whole = hashlib.sha256()
        for one in sorted(path.rglob("*.json")):
            whole.update(one.read_bytes())
        return whole.hexdigest()[:12]
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:12]
