"""Trains the question encoder: MiniLM for questions alone, against the vectors of lines that the shipped model makes.

A question looks unlike the line that answers it, and MiniLM was trained on texts that look alike. Only the encoder of
questions is trained here, so stored vectors stay what they are, and a step costs one short batch: the loss is the cross
entropy of the lines that hold the answer among *all* lines of their conversation (DensePhrases' query-side fine-tuning,
Lee et al. 2021, with exact negatives).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .rows import EvidenceQuestion, personal

LONGEST = 128
"""WordPiece tokens of a question that are read."""


@dataclass(frozen=True, slots=True)
class QuestionConfig:
    """`personal`: share of the questions that are put as one of the speakers would ask them."""

    epochs: int = 2
    batch: int = 32
    rate: float = 5e-5
    temperature: float = 0.05
    personal: float = 0.25
    warmup: int = 15
    seed: int = 0


Lines = Mapping[str, tuple[Sequence[int], np.ndarray]]
"""For each conversation: ids and vectors of its lines."""


class QuestionEncoder:
    """A BERT with mean pooling, as `models/embedder/minilm.py` runs it. `folder` is in sentence-transformers' form."""

    def __init__(self, folder: Path) -> None:
        from transformers import AutoModel, AutoTokenizer

        self.folder = folder
        self.tokenizer: Any = AutoTokenizer.from_pretrained(str(folder))
        self.model: Any = AutoModel.from_pretrained(str(folder))
        for weight in self.model.embeddings.parameters():  # words stay where the lines' encoder has them
            weight.requires_grad = False

    def encode(self, texts: Sequence[str]) -> Any:
        """Unit vectors, a tensor of shape (n, dimensions)."""
        import torch

        batch = self.tokenizer(list(texts), return_tensors="pt", padding=True, truncation=True, max_length=LONGEST)
        with torch.autocast("cpu", torch.bfloat16):
            hidden = self.model(**batch).last_hidden_state
        mask = batch["attention_mask"][..., None].float()
        return torch.nn.functional.normalize((hidden.float() * mask).sum(1) / mask.sum(1), dim=-1)

    def vectors(self, texts: Sequence[str], batch: int = 64) -> np.ndarray:
        """The same without gradients, float32."""
        import torch

        self.model.eval()
        with torch.no_grad():
            parts = [self.encode(texts[at : at + batch]).numpy() for at in range(0, len(texts), batch)]
        return np.concatenate(parts) if parts else np.empty((0, self.model.config.hidden_size), np.float32)

    def save(self, folder: Path) -> None:
        """Writes the form that `models/embedder/convert.py` reads."""
        import shutil

        folder.mkdir(parents=True, exist_ok=True)
        self.model.save_pretrained(str(folder), safe_serialization=True)
        for name in ("vocab.txt", "config.json"):
            shutil.copyfile(self.folder / name, folder / name)


def train(
    encoder: QuestionEncoder, rows: Sequence[EvidenceQuestion], lines: Lines, speakers: Mapping[str, Sequence[str]],
    config: QuestionConfig, tell: Callable[[int, int, float], None] = lambda done, total, loss: None,
) -> None:  # fmt: skip
    """Fits the encoder in place. `tell` gets steps done, steps in all and the loss."""
    import torch

    torch.manual_seed(config.seed)
    rng = random.Random(config.seed)
    known = {talk: torch.from_numpy(matrix) for talk, (_, matrix) in lines.items()}
    places = {talk: {i: place for place, i in enumerate(ids)} for talk, (ids, _) in lines.items()}
    weights = [weight for weight in encoder.model.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(weights, lr=config.rate, weight_decay=0.01)
    total, step = config.epochs * -(-len(rows) // config.batch), 0
    for _ in range(config.epochs):
        for batch in _batches(rows, config.batch, rng):
            encoder.model.train()
            texts = [
                personal(one.text, speakers.get(one.talk, ()), rng) if rng.random() < config.personal else one.text
                for one in batch
            ]
            found = encoder.encode(texts)
            losses = [
                -torch.log_softmax(known[one.talk] @ vector / config.temperature, 0)[
                    [places[one.talk][i] for i in one.lines]
                ].mean()
                for one, vector in zip(batch, found, strict=True)
            ]
            loss = torch.stack(losses).mean()
            step += 1
            for group in optimizer.param_groups:
                group["lr"] = config.rate * min(1.0, step / config.warmup) * max(0.05, 1 - step / total)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(weights, 1.0)
            optimizer.step()
            tell(step, total, float(loss.detach()))


def _batches(rows: Sequence[EvidenceQuestion], size: int, rng: random.Random) -> list[list[EvidenceQuestion]]:
    """Drawn anew each time, questions of like length together, so that little is padded."""
    order = list(rows)
    rng.shuffle(order)
    large = [sorted(order[at : at + 8 * size], key=lambda one: len(one.text)) for at in range(0, len(order), 8 * size)]
    batches = [part[at : at + size] for part in large for at in range(0, len(part), size)]
    rng.shuffle(batches)
    return batches
