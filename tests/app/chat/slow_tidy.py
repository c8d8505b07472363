"""A process that tidies slowly, to be killed: every pair of rows says the same. Prints a line for each step."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence

from chatmem.memory.store.store import Store
from chatmem.memory.tidy.proposals import Proposal
from chatmem.memory.tidy.run import RunLimits
from chatmem.memory.tidy.toolbox import MemoryTools
from chatmem.models.editor.agent import Budget, EditorAgent
from chatmem.models.editor.prompts import Decision
from tests.memory.tidy.test_tools import WordsEmbedder


class Merges:
    """A scripted decider."""

    name, adapter = "scripted", None

    def decide(self, proposal: Proposal, lines: Mapping[int, Sequence[str]]) -> Decision:
        return Decision(proposal.offers[0] if len(proposal.rows) == 2 else "keep")


def main(path: str, name: str) -> None:
    with Store.open(path, embedder=WordsEmbedder()) as store:
        tools = MemoryTools(store, store.users.get(name), limits=RunLimits(share=1.0))
        for step in EditorAgent(Merges(), tools).tidy(Budget(ops=None)):
            print(step.done, flush=True)
            time.sleep(0.01)


if __name__ == "__main__":
    main(*sys.argv[1:])
