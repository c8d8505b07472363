"""Two embedders that share their word vectors: what is written once, and what is said when a part is missing."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from chatmem.memory.errors import InputError, ModelBroken, ModelNotFound
from chatmem.models.embedder.minilm import DEFAULT_FILE, QUESTIONS_FILE, WORDS, files_of, load_embedder
from chatmem.models.files.gguf_header import parts_of, read_header


def whole(path: Path, layer: float, words: float = 1.0) -> Path:
    import gguf

    path.parent.mkdir(exist_ok=True)
    writer = gguf.GGUFWriter(path, "bert")
    writer.add_name("tiny")
    writer.add_token_list(["a", "b"])
    writer.add_tensor("token_embd.weight", np.full((4, 32), words, np.float16))
    writer.add_tensor("blk.0.ffn_up.weight", np.full((8, 32), layer, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def test_what_two_models_have_in_common_is_written_once(tmp_path: Path) -> None:
    gguf = pytest.importorskip("gguf", reason="writing models is an extra")
    from chatmem.models.embedder.share import main, share

    files = [whole(tmp_path / "whole" / "one.gguf", 1), whole(tmp_path / "whole" / "two.gguf", 2)]
    assert main([str(tmp_path / "out"), *map(str, files)]) == 0
    for file in files:
        part = tmp_path / "out" / file.name
        assert (parts_of(file), parts_of(part)) == (1, 2)
        assert files_of(part) == [part, tmp_path / "out" / WORDS]
        before, after = read_header(file), read_header(part)
        assert before.values.items() <= after.values.items()
        assert list(after.shapes) == ["blk.0.ffn_up.weight"]
        kept = {t.name: t.data for path in files_of(part) for t in gguf.GGUFReader(path).tensors}
        for tensor in gguf.GGUFReader(file).tensors:
            assert np.array_equal(kept[tensor.name], tensor.data)
    with pytest.raises(InputError, match="part already"):
        share([tmp_path / "out" / file.name for file in files], tmp_path / "again")
    with pytest.raises(InputError, match="no weights in common"):
        share([files[0], whole(tmp_path / "whole" / "three.gguf", 3, words=2.0)], tmp_path / "again")


def test_both_shipped_models_are_read_with_the_same_words() -> None:
    assert files_of(DEFAULT_FILE)[1:] == files_of(QUESTIONS_FILE)[1:] == [DEFAULT_FILE.with_name(WORDS)]


def test_missing_or_foreign_words_are_one_clear_error(tmp_path: Path) -> None:
    copy = tmp_path / DEFAULT_FILE.name
    shutil.copy(DEFAULT_FILE, copy)
    with pytest.raises(ModelNotFound, match=r"words\.gguf is missing: reinstall chatmem"):
        load_embedder(copy)
    (tmp_path / WORDS).write_bytes(b"GGUF")
    with pytest.raises(ModelBroken, match="reinstall chatmem"):
        load_embedder(copy)
