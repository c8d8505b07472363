"""The reply that the memory itself gives, without a model: the order in which a chat tries what can give one."""

from __future__ import annotations

from datetime import tzinfo
from typing import TYPE_CHECKING

from ....memory.language.language import Language
from ....memory.values import Recall, User
from ...files.profiles.profile import Chooses
from ..direct import Direct, direct, listed, picks_one, somebody
from . import reply
from .led import led

if TYPE_CHECKING:
    from ....memory.store.store import Store


def instead(
    store: Store, user: User, recall: Recall, language: Language, *,
    before: Recall | None = None, zone: tzinfo | None = None, capable: bool = False, reads: Chooses = "told back",
) -> Direct | None:  # fmt: skip
    """What is said in the place of a model, or what it is to reply from; None: it replies. Rows that a SELECT filtered
    out are listed in place of a small one, which can't count. `before`: as of `direct`; `capable`: the model reads
    instructions; `reads`: who says which told sentence answers. Raises ModelBroken, ModelError."""
    found = direct(store, user, recall, language, before=before, zone=zone)
    if found is not None or (capable and reads == "itself"):
        return found
    if reads == "led":
        return led(store, user, recall, language, zone=zone)
    found = listed(store, user, recall, zone) or somebody(store, user, recall, zone)
    one = found is not None and picks_one(recall)  # "my first job" may be one that was told so
    if (found is not None and not one) or reads == "itself":
        return found
    return reply.read_out(store, user, recall, language, zone=zone, surely=one) or found
