"""Texts that a reply probably holds are read at once; right or wrong, the reply stays what the model writes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest

from chatmem.memory.store.store import Store
from chatmem.models.backends.llama.drafts import Drafts
from chatmem.models.backends.llama.lm import LlamaLM
from chatmem.models.chat.retrieval import RetrievalAgent
from chatmem.models.files.model_files import ASSETS
from chatmem.models.lm import Message, Options, complete

ASK = [Message("user", "Which table holds the cats?")]
FRAMED = Options(
    max_tokens=24, grammar='root ::= "SELECT * FROM memory WHERE subject = \'" [A-Za-z]{1,9} "\' LIMIT 8;"'
)
LIKELY = ("SELECT * FROM memory WHERE subject = '", "' LIMIT 8;")


@contextmanager
def steps(lm: LlamaLM) -> Iterator[list[int]]:
    """The numbers of tokens of each decode."""
    sizes: list[int] = []
    decode = lm.engine.decode

    def counted(tokens: Sequence[int], places: Sequence[tuple[int, int]], wanted: Sequence[int]) -> None:
        sizes.append(len(tokens))
        decode(tokens, places, wanted)

    with patch.object(lm.engine, "decode", counted):
        yield sizes


def test_the_first_text_begins_and_the_others_go_on_after_their_first_token() -> None:
    drafts = Drafts(("abc", "xyz"), lambda text: [ord(letter) for letter in text], longest=2)
    assert drafts.begin() == [ord("a"), ord("b")] and drafts.after(ord("x")) == [ord("y"), ord("z")]
    assert drafts.after(ord("a")) == [] and Drafts((), lambda text: [], 9).begin() == []


def test_the_frame_of_a_select_takes_fewer_steps_and_the_select_is_the_same(model_path: Path, tmp_path: Path) -> None:
    writer = LlamaLM(model_path, ASSETS / "adapters" / "retrieval" / "adapter.gguf", threads=1)
    with Store.open(tmp_path / "memory.db") as store:
        agent, ana = RetrievalAgent(writer, store), store.users.call(store.users.get("ana").id, "Ana")
        store.facts.remember(ana.id, "Ana", "films", "Ana saw Dune.")
        now = "2026-05-08T12:00:00Z"
        found = agent.found(ana, "Which films did I see in March?", now=now, asker="Ana")
        messages, options = agent.request(ana, found, now=now, asker="Ana")
    with steps(writer) as plain:
        wanted = complete(writer, messages, replace(options, likely=()))
    writer.clear_cache()
    with steps(writer) as drafted:
        assert complete(writer, messages, options) == wanted
    writer.close()
    assert wanted.startswith("SELECT * FROM ") and len(drafted) <= len(plain) - 12


@pytest.mark.parametrize("likely", [("DELETE FROM memory;", "' AND NOT"), ("SELECT * FROM other", "'"), ("",)])
def test_wrong_guesses_change_neither_the_reply_nor_what_is_cached(lm: LlamaLM, likely: tuple[str, ...]) -> None:
    lm.clear_cache()
    wanted = complete(lm, ASK, FRAMED)
    lm.clear_cache()
    assert complete(lm, ASK, replace(FRAMED, likely=likely)) == wanted
    *_, last = list(lm.generate(ASK, FRAMED))  # goes on from the cells that the guesses stood in
    assert last.cached_tokens == last.prompt_tokens - 1 and complete(lm, ASK, FRAMED) == wanted


@pytest.mark.parametrize("most", [1, 3, 7])
def test_a_limit_holds_inside_a_draft(lm: LlamaLM, most: int) -> None:
    *_, last = list(lm.generate(ASK, replace(FRAMED, likely=LIKELY, max_tokens=most)))
    assert last.finish == "length" and last.completion_tokens == most
