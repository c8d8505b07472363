"""Log-likelihoods of completions: a fused pass for Llama-shaped models, transformers' own for others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor

    from .rows import TokenRow

Likelihood = Callable[["Sequence[TokenRow]"], "Tensor"]


def make_likelihood(logits: Likelihood) -> Likelihood:
    """A function from rows to log p of each completion token, flat: the first row's tokens, then the second's, ..."""
    import torch
    from torch.nn import functional as F

    def likelihood(batch: Sequence[TokenRow]) -> Tensor:
        found = logits(batch)
        return -F.cross_entropy(found, torch.tensor(targets(batch), device=found.device), reduction="none")

    return likelihood


def make_logits(model: Any) -> Likelihood:
    """A function from rows to the logits that foretell each completion token, shape (tokens, vocabulary).

    Logits exist for these tokens alone, which spares most of the memory that a whole prompt's logits would take.
    """
    import torch

    device = next(model.parameters()).device
    hidden, head = _parts(model, device)

    def logits(batch: Sequence[TokenRow]) -> Tensor:
        length = max(len(row.ids) for row in batch)
        ids = torch.zeros((len(batch), length), dtype=torch.long)
        chosen: list[int] = []
        for place, row in enumerate(batch):
            ids[place, : len(row.ids)] = torch.tensor(row.ids)
            chosen += [place * length + at - 1 for at in range(row.start, len(row.ids))]
        return head(hidden(ids.to(device)).reshape(len(batch) * length, -1)[torch.tensor(chosen, device=device)])

    return logits


def targets(batch: Sequence[TokenRow]) -> list[int]:
    """The rows' completion tokens, flat."""
    return [token for row in batch for token in row.ids[row.start :]]


def make_choices(model: Any) -> Callable[[Sequence[Sequence[int]], Sequence[Sequence[int]]], list[Tensor]]:
    """A function from token sequences, and tokens that may follow each, to the logits of these."""
    import torch

    device = next(model.parameters()).device
    hidden, head = _parts(model, device)

    def choices(before: Sequence[Sequence[int]], follow: Sequence[Sequence[int]]) -> list[Tensor]:
        length = max(len(ids) for ids in before)
        ids = torch.tensor([[*row, *[0] * (length - len(row))] for row in before], device=device)
        ends = torch.tensor([place * length + len(row) - 1 for place, row in enumerate(before)], device=device)
        logits = head(hidden(ids).reshape(len(before) * length, -1)[ends])
        return [row[torch.tensor(list(some), device=device)] for row, some in zip(logits, follow, strict=True)]

    return choices


def weights(batch: Sequence[TokenRow], device: Any) -> Tensor:
    """Each row's weight, once for each token of its completion."""
    import torch

    return torch.tensor([row.weight for row in batch for _ in row.ids[row.start :]], device=device)


def sums(tokens: Tensor, batch: Sequence[TokenRow]) -> Tensor:
    """log p of each row's whole completion, shape (rows,)."""
    import torch

    return torch.stack([part.sum() for part in tokens.split([len(row.ids) - row.start for row in batch])])


def _parts(model: Any, device: Any) -> tuple[Callable[[Tensor], Tensor], Callable[[Tensor], Tensor]]:
    """Hidden states of token ids, and logits of hidden states."""
    import torch

    if model.config.model_type == "llama" and not getattr(model, "is_loaded_in_4bit", False):
        from .fused_llama import FusedLlama

        own = None if device.type == "cpu" else model.get_base_model().dtype  # on a processor by what is quicker
        fused = FusedLlama(model, dtype=own, compiled=False)
        return fused, fused.logits
    inner = model.get_base_model()

    def hidden(ids: Tensor) -> Tensor:
        with torch.autocast(device.type, torch.bfloat16):
            return inner.model(input_ids=ids, use_cache=False).last_hidden_state

    return hidden, lambda states: inner.get_output_embeddings()(states.to(inner.dtype)).float()
