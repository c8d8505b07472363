"""What a model of one to three billion parameters replies from: the sentence that answers, and no dozen of others.

Such a model puts a told sentence into words of its own well, but of all that a recall holds it takes the wrong one at
times, says what nobody told, and on two cores reads for many seconds before its first word. So the reader says which
sentence answers and whether any does, and the model says it.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import tzinfo
from typing import TYPE_CHECKING

from ....memory.language.language import Language
from ....memory.values import Recall, User
from ..direct import Direct
from .reply import SINCE, read_out

if TYPE_CHECKING:
    from ....memory.store.store import Store


def led(store: Store, user: User, recall: Recall, language: Language, *, zone: tzinfo | None = None) -> Direct | None:
    """A recall cut down to what answers, and no text: a model replies from that; a text where nothing answers surely.
    None: it isn't a question that a told sentence answers. Raises ModelBroken, ModelError."""
    if recall.sql is not None:
        return None  # what is counted, listed or put in order isn't told by one sentence
    read = read_out(store, user, recall, language, zone=zone)
    if read is None or not read.sure or read.recall.untold or read.recall is recall or SINCE in read.text:
        # Also where another sentence holds now, or what was read is another's; and of what was told and what was told
        # since such a model says the first alone.
        return read
    return replace(read, text="", recall=replace(read.recall, chosen=read.text))
