"""An endpoint's /embeddings as an encoder: the client, retries and deadlines of the chat's endpoints."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...memory.errors import EndpointError
from ..backends.endpoint.errors import Failure, scrub
from ..backends.endpoint.lm import DEADLINE, OpenAILM
from ..backends.endpoint.reply import TRIPS

QUESTION_SECONDS = 10.0
"""A question waits so long for its vector; then search goes by words."""
FIRST, MOST = 8, 64
"""Texts of a request, before the size of the vectors is known, and at most."""
ANSWER_BYTES = 600_000
"""What an answer may be, at `NUMBER_BYTES` a number; longer ones are refused unread."""
NUMBER_BYTES = 24
_REFUSALS = (400, 413, 422)


class TextRefused(EndpointError):
    """The endpoint won't have this request; another text may pass."""


class EmbeddingEndpoint(OpenAILM):
    """`vectors(texts)`: one request. `ask` of OpenAILM keeps deadline and retries."""

    def vectors(self, texts: Sequence[str]) -> np.ndarray:
        """Shape (n, dimensions), in the order of the texts. Raises EndpointError; TextRefused."""
        answer = self.ask({"model": self.name, "input": list(texts)})
        try:
            return _read(answer, len(texts))
        except TRIPS as error:
            raise EndpointError(
                f"{self._where} gave no vectors for {self.name!r} ({scrub(str(error), self._key)[:100]}); "
                "is it a model for embeddings?"
            ) from None

    def send(self, sent: Mapping[str, Any]) -> Any:
        return self.client.embeddings.create(**sent)

    def given_up(self, failure: Failure) -> EndpointError:
        kind = TextRefused if failure.status in _REFUSALS else EndpointError
        return kind(failure.sentence)


def _read(answer: Any, count: int) -> np.ndarray:
    """The vectors of an answer, checked: nothing that a server sends is believed. Raises ValueError and its like."""
    rows = list(answer.data)
    if len(rows) != count:
        raise ValueError(f"{len(rows)} for {count} texts")
    places = [row.index for row in rows]
    if sorted(places) != list(range(count)):  # some servers number none, or each request anew
        raise ValueError("their order is not told")
    found = [np.array(row.embedding, np.float64) for row in sorted(rows, key=lambda row: int(row.index))]
    if any(one.ndim != 1 or one.shape != found[0].shape or not len(one) for one in found):
        raise ValueError("of different sizes")
    matrix: np.ndarray = np.stack(found)
    if not np.isfinite(matrix).all():
        raise ValueError("with numbers that are none")
    return matrix.astype(np.float32)


class EndpointSource:
    """A `Source` over an endpoint. `seconds`: for one request of passages, with all attempts."""

    def __init__(self, name: str, *, seconds: float = DEADLINE, **kw: Any) -> None:
        self._endpoint = EmbeddingEndpoint(name, deadline=seconds, **kw)
        self._asked = EmbeddingEndpoint(name, **{**kw, "deadline": min(seconds, QUESTION_SECONDS), "retries": 1})
        self._texts = FIRST
        self.stamp = self._endpoint.host
        self.label = f"openai:{name}@{self.stamp}"

    def raw(self, texts: Sequence[str], *, asked: bool = False) -> np.ndarray:
        """As the endpoint gives them; zeros for a text that it refuses while it takes others."""
        if asked:
            return self._asked.vectors(texts)
        parts: list[np.ndarray] = []
        at = 0
        while at < len(texts):
            some = texts[at : at + self._texts]
            parts.append(self._taken(some))
            self._texts = max(1, min(MOST, ANSWER_BYTES // (NUMBER_BYTES * parts[0].shape[1] or 1)))
            at += len(some)
        if len({part.shape[1] for part in parts}) > 1:
            raise EndpointError(f"{self.label} gave vectors of different sizes; is it a model for embeddings?")
        return np.concatenate(parts)

    def _taken(self, texts: Sequence[str]) -> np.ndarray:
        """Halves what is refused, down to the text that is meant; one alone gets no direction."""
        try:
            return self._endpoint.vectors(texts)
        except TextRefused:
            if len(texts) == 1:
                others = self._endpoint.vectors(["-"])  # raises where it isn't the text
                return np.zeros((1, others.shape[1]), np.float32)
            half = math.ceil(len(texts) / 2)
            return np.concatenate([self._taken(texts[:half]), self._taken(texts[half:])])

    def close(self) -> None:
        self._endpoint.close()
        self._asked.close()
