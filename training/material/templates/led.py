"""Facts of others led to the one who tells them: "Leo is a cook." as "Ana's brother Leo is a cook."

Plain first weeks tell of others by their names alone; the storage agent is to say whose they are, as the chat's memory
is read by somebody who doesn't know them.
"""

from __future__ import annotations

import re
from dataclasses import replace

from .talk import Gold, GoldTalk

_NAME = re.compile(r"\b[A-Z][\w-]+")


def led(talk: GoldTalk) -> GoldTalk:
    """The talk whose facts of others begin with whose they are, where an earlier or the same fact said so."""
    known: dict[str, str] = {}
    introduced = re.compile(rf"\b({re.escape(talk.user)}'s (?:[a-z][a-z'-]* ){{1,3}})([A-Z][\w-]+)")
    lines = []
    for line in talk.lines:
        golds = []
        for gold in line.facts:
            for found in introduced.finditer(gold.fact):
                known.setdefault(found[2], found[1] + found[2])
            golds.append(replace(gold, fact=_by_way(gold, talk.user, known)))
        lines.append(replace(line, facts=tuple(golds)))
    return replace(talk, lines=tuple(lines))


def _by_way(gold: Gold, user: str, known: dict[str, str]) -> str:
    name = next((found for found in _NAME.finditer(gold.fact) if found[0] in known), None)
    if name is None or re.search(rf"\b{re.escape(user)}\b", gold.fact):  # "Al" isn't in "Alison"
        return gold.fact
    return gold.fact[: name.start()] + known[name[0]] + gold.fact[name.end() :]
