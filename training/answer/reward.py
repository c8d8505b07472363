"""When an answer is right: it holds the words and stands in the recall, or honestly says that it doesn't know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...eval.measures.locomo_score import says_unknown
from ...eval.measures.text import all_words, half_words, token_f1
from ...models.chat.answer import MAX_TOKENS
from ...models.lm import Options
from ..policy.sampling import means
from .rows import key_words


def memory_of(row: dict[str, Any]) -> tuple[list[str], str]:
    """(recalled lines, the person's line) of an answer row's prompt (the inverse of `messages.answer_messages`)."""
    block, _, asked = row["messages"][-1][1].removeprefix("Memory:\n").partition("\n\n")
    return [line.removeprefix("- ") for line in block.split("\n")], asked


def grounded(text: str, row: dict[str, Any]) -> bool:
    """Whether every telling word of a text stands in the prompt."""
    return key_words(text) <= key_words(" ".join(said for _, said in row["messages"]))


class AnswerTask:
    """Scores for rows {"messages", "completion"}, whose completion is the right answer."""

    measure = "right"

    def accepts(self, row: dict[str, Any]) -> bool:
        """Whether the row asks for something that can be judged: small talk and next turns can't."""
        lines, asked = memory_of(row)
        answer = row["completion"]
        known = says_unknown(answer) or key_words(answer) <= key_words(" ".join(lines))
        return "?" in asked and known and bool(key_words(answer))

    def options(self, row: dict[str, Any]) -> Options:
        """As the agent itself asks."""
        return Options(max_tokens=MAX_TOKENS, repeat_penalty=1.05)

    def score(self, row: dict[str, Any], text: str) -> dict[str, float]:
        """Terms of 0 or 1 (F1 between); the reward is never above 0 for an answer that the recall doesn't hold."""
        gold, unknown = row["completion"], says_unknown(text)
        if says_unknown(gold):
            return {"reward": float(unknown), "right": float(unknown), "honest": float(unknown)}
        right = not unknown and all_words(gold, text)
        terms = {
            "right": float(right), "half": float(not unknown and half_words(gold, text)), "f1": token_f1(text, gold),
            "answers": float(not unknown), "grounded": float(unknown or grounded(text, row)),
        }  # fmt: skip
        return {"reward": (terms["right"] * 0.7 + terms["f1"] * 0.3) * terms["grounded"], **terms}

    def summary(self, scores: Sequence[dict[str, float]]) -> dict[str, float]:
        """Means over the rows that have the term."""
        return means(scores, self.measure)

    def close(self) -> None:
        """Holds nothing."""
