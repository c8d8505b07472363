"""A copy of a model for reading many short prompts, where the processor multiplies in BF16 itself.

llama.cpp has no kernel for several columns of Q4_1: there a token of the prompt costs half as much as one of the reply.
In BF16 prompts are read three times as fast, single replies are written a third slower, sixteen side by side more than
twice as fast, and the file is three times as large. So this is for the editor, whose questions are 85 tokens and whose
answers are one, and for the evaluators, which read whole conversations; not for the chat.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ...files.model_files import cache_folder

CONTEXT = 2048
"""Cells of the cache for the editor; a question has some 85 tokens."""
_BF16 = 32  # LLAMA_FTYPE_MOSTLY_BF16


def reading_copy(path: Path, parts: Sequence[Path] = ()) -> Path:
    """The copy, made at first use (two seconds); the file itself where it would bring nothing or can't be written.
    `parts`: all files of a model that is read from several."""
    if not computes_bf16():
        return path
    state = path.stat()
    copy = cache_folder() / "models" / f"{path.stem}-{state.st_size}-{int(state.st_mtime)}.bf16.gguf"
    if copy.is_file():
        return copy
    try:
        copy.parent.mkdir(parents=True, exist_ok=True)
        return _made(path, copy, parts)
    except OSError:  # a full disk, a folder that can't be written: slower, not worse
        return path


def _made(path: Path, copy: Path, parts: Sequence[Path]) -> Path:
    draft = copy.with_suffix(f".{os.getpid()}.tmp")
    try:
        if not (_joined(parts, draft) if len(parts) > 1 else _convert(path, draft)):
            return path
        os.replace(draft, copy)
        return copy
    finally:
        draft.unlink(missing_ok=True)


def computes_bf16() -> bool:
    """Whether llama.cpp runs here with the processor's own products of BF16 (AVX-512 BF16)."""
    import llama_cpp.llama_cpp as ll

    return b"AVX512_BF16 = 1" in ll.llama_print_system_info()


def _joined(parts: Sequence[Path], out: Path) -> bool:
    """Of several files, which llama.cpp finds by these names alone."""
    with tempfile.TemporaryDirectory(dir=out.parent) as folder:
        named = [Path(folder) / f"part-{n:05}-of-{len(parts):05}.gguf" for n in range(1, len(parts) + 1)]
        for part, name in zip(parts, named, strict=True):
            shutil.copyfile(part, name)
        return _convert(named[0], out)


def _convert(path: Path, out: Path) -> bool:
    import llama_cpp.llama_cpp as ll

    from .engine import quiet
    from .interrupts import held

    quiet()
    how = ll.llama_model_quantize_default_params()
    how.ftype, how.allow_requantize = _BF16, True
    with held():  # it logs each tensor
        return bool(ll.llama_model_quantize(os.fsencode(path), os.fsencode(out), ctypes.byref(how)) == 0)
