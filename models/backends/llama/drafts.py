"""Fixed texts that a reply probably holds (the frame of an SQL statement), read in one step instead of token by token.

Speculative decoding (Leviathan et al. 2023) with the texts as the draft: the model reads them at once and picks after
each token as ever; what it would not have picked is thrown away. So the reply is the same (but for rounding, since
several rows at once are added up in another order), and a frame costs one decode.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence


class Drafts:
    """The first text begins a reply; each of the others goes on where its first token has just been picked."""

    def __init__(self, texts: Sequence[str], tokenize: Callable[[str], list[int]], longest: int) -> None:
        pieces = [tokenize(text) for text in texts]
        self._longest = longest
        self._next = {piece[0]: piece[1:] for piece in pieces[1:] if piece}
        self._first = pieces[0] if pieces else []

    def begin(self) -> list[int]:
        """What probably comes first."""
        return self._first[: self._longest]

    def after(self, token: int) -> list[int]:
        """What probably comes after this token of the reply; nothing for most."""
        return self._next.get(token, [])[: self._longest]
