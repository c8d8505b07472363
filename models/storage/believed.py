"""Whether a line tells what a model wrote of it: a small model reads the two together
(`models/embedder/cross_encoder.py`).

No rule sees all that a small model makes up: of "doctor says not milk, it's egg" it wrote a diagnosis. The
cross-encoder learned from such facts, judged one by one, and from true ones that were spoiled (`chatmem train recall
--told`). What it doesn't believe is told as it was said where that can be, else it goes, with its row in the journal.
"""

from __future__ import annotations

from ..embedder.cross_encoder import load
from ..prompts.draft import Draft
from .doing import as_said
from .told.scene import Scene

NAME, BOUND = "told", "false"
"""The adapter's name, and that of the logit below which a fact isn't believed."""
AROUND = 120
"""Characters of what was said before, the last of it, that are read with a line."""


def read_as(speaker: str, line: str, before: tuple[str, str] | None) -> str:
    """A line as the model reads it: with who said it, and what was said last before it."""
    return f"{speaker}: {line}" + (f" ({before[0]}: {before[1][-AROUND:]})" if before else "")


def believed(draft: Draft, scene: Scene) -> Draft:
    """The draft without what the line doesn't tell. Raises ModelNotFound, ModelBroken."""
    encoder, facts = load(NAME), list(dict.fromkeys(draft.facts))
    if encoder is None or not facts:
        return draft
    text = read_as(*scene.line, scene.before[-1] if scene.before else None)
    least = encoder.head.bounds[BOUND]
    sure = dict(zip(facts, encoder.logits(text, facts).tolist(), strict=True))

    def mended(fact: str) -> str | None:
        if sure[fact] >= least:
            return fact
        said = as_said(fact, scene)
        return said if said and said != fact and encoder.logits(text, [said])[0] >= least else None

    return draft.told(mended)
