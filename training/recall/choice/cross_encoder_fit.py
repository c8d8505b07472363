"""MiniLM learns to read two texts together: a LoRA on all linear layers and one logit of the mean vector
(`models/embedder/cross_encoder.py`).

`chatmem train recall --cross-encoder`: a question with some of the sentences that its search finds: what answers it,
the first others and a random one. The loss is the cross entropy over them and "none", whose logit is zero; never-told
questions, and a part of the told ones without what answers them, want none. `ended_fit.py` trains another one by it.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from ....models.chat.reader.cross_encoder import asked_as
from ....models.embedder.cross_encoder import files
from .of_another import of_another
from .reader_fit import Case

ROOT = 384**0.5
"""Unit vectors are brought to numbers near 1 for the one layer above them."""
MOST_TOKENS = 160
"""Of a pair: the longer of the two is cut, as the chat cuts a long line."""
BATCH_TOKENS = 3200
"""Read at once; a matter of memory alone."""
BITS = 7
"""Of a mantissa, in what is written: the logits differ in the second place behind the point, and a wheel is a fifth
lighter by it."""
WITHOUT = 0.35
"""Share of the told questions that are also asked without what answers them."""
TARGETS = {
    "query": "attn_q", "key": "attn_k", "value": "attn_v", "attention.output.dense": "attn_output",
    "intermediate.dense": "ffn_up", "output.dense": "ffn_down",
}  # fmt: skip
"""The linear layers in transformers, the longer names first where one ends another, and in llama.cpp."""


@dataclass(frozen=True, slots=True)
class CrossConfig:
    """`shown`: sentences of a row; `random`: those among them that are drawn, not the first; `another`: the share of
    the questions about the asker's own that are also shown what answers as if told of somebody else; `shipped`: the
    rank that is written, the best of that rank for each layer (Eckart and Young 1936)."""

    steps: int = 800
    batch: int = 16
    rank: int = 16
    shipped: int = 16
    rate: float = 1.5e-3
    head_rate: float = 3e-3
    warmup: int = 40
    shown: int = 7
    random: int = 1
    another: float = 0.5
    seed: int = 1
    save_every: int = 50


class Shown(Protocol):
    """A text beside others, and what their logits should have been."""

    @property
    def text(self) -> str:
        """What is read with each of the others."""

    @property
    def shown(self) -> tuple[str, ...]:
        """The others."""

    def loss(self, logits: Any) -> Any:
        """Of a tensor of shape (len(shown),)."""


class Row(NamedTuple):
    """A question (`text`) and what it is shown, what answers first: `right` of them do."""

    text: str
    shown: tuple[str, ...]
    right: int

    def loss(self, logits: Any) -> Any:
        """The cross entropy of what answers, or of none."""
        import torch

        right = torch.logsumexp(logits[: self.right], 0) if self.right else logits.new_zeros(())
        return torch.logsumexp(torch.cat([logits, logits.new_zeros(1)]), 0) - right


def asked(cases: Sequence[Case], rng: random.Random) -> list[tuple[Case, bool]]:
    """What is learned: each case, and whether it is asked without what answers it."""
    told = [one for one in cases if one.told and one.right.any()]
    found = [(one, False) for one in cases if not one.told or one.right.any()]
    return found + [(one, True) for one in told if rng.random() < WITHOUT]


def row(case: Case, without: bool, config: CrossConfig, rng: random.Random) -> Row:
    """The case with a choice of its sentences."""
    there = [place for place in range(len(case.shown)) if not (without and case.near[place])]
    right, wrong = ([place for place in there if bool(case.right[place]) is wanted] for wanted in (True, False))
    rng.shuffle(right)
    right = right[:2]
    first, rest = wrong[: config.shown - 2 - config.random], wrong[config.shown - 2 - config.random :]
    rng.shuffle(rest)
    chosen = [*right, *first, *rest[: 2 + config.random - len(right)]]
    shown = [case.shown[place] for place in chosen]
    told = np.flatnonzero(case.right)
    if len(told) and rng.random() < config.another:
        shown += filter(None, [of_another(case, int(rng.choice(list(told))), rng)])
    return Row(asked_as(case.asker, case.text), tuple(shown), len(right))


class Trainee:
    """MiniLM with its LoRA and the layer above, on a card where there is one. `folder`: in sentence-transformers' form.
    `brief`: products are taken in bfloat16, where the machine is quicker by it."""

    def __init__(self, folder: Path, config: CrossConfig) -> None:
        import torch
        from peft import LoraConfig, get_peft_model
        from transformers import AutoModel, AutoTokenizer

        from ...policy.fused_llama import quickest

        torch.manual_seed(config.seed)
        self.config = config
        self.tokenizer: Any = AutoTokenizer.from_pretrained(str(folder))
        lora = LoraConfig(
            r=config.rank, lora_alpha=2 * config.rank, target_modules=["query", "key", "value", "dense"],
            exclude_modules=".*pooler.*",
        )  # fmt: skip
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model: Any = get_peft_model(AutoModel.from_pretrained(str(folder)), lora).to(self.device)
        size = self.model.config
        self.brief = quickest(size.hidden_size, size.intermediate_size) is torch.bfloat16
        self.head = torch.nn.Linear(size.hidden_size, 1, device=self.device)
        torch.nn.init.normal_(self.head.weight, std=0.03)
        torch.nn.init.constant_(self.head.bias, -1.0)

    def go_on(self, folder: Path, name: str) -> None:
        """Begins with a cross-encoder that `save` wrote. Raises ModelBroken for files that hold another."""
        import torch

        adapter, head = (folder / one for one in files(name))
        self.read_lora(adapter)
        data = json.loads(head.read_text(encoding="utf-8"))
        with torch.no_grad():
            self.head.weight.copy_(torch.tensor([data["weights"]]) / ROOT)
            self.head.bias.fill_(data["bias"])

    def read_lora(self, adapter: Path) -> None:
        """Takes over the LoRA of a file. Raises ModelBroken."""
        import torch

        from ....models.adapters.to_peft import read_matrices

        known = read_matrices(adapter, "bert")[1]
        state: dict[str, Any] = self.model.state_dict()
        for place, one in _placed(state):
            matrix = torch.from_numpy(known[one] / 2**0.5)  # half of the LoRA's scale on either side
            rank = min(self.config.rank, matrix.shape[0 if one.endswith("a") else 1])
            old = state[place]
            if one.endswith("a"):
                old[:rank] = matrix[:rank]
            else:
                old[:, :rank] = matrix[:, :rank]
        self.model.load_state_dict(state)

    @property
    def learned(self) -> list[Any]:
        """What is trained of the model, without the layer above."""
        return [weight for weight in self.model.parameters() if weight.requires_grad]

    def logits(self, pairs: Sequence[tuple[str, str]]) -> Any:
        """One of each pair, a tensor of shape (len(pairs),); pairs of like length are read together."""
        import torch

        ids = [
            self.tokenizer(one, two, truncation="longest_first", max_length=MOST_TOKENS)["input_ids"]
            for one, two in pairs
        ]
        order = sorted(range(len(ids)), key=lambda place: len(ids[place]))
        parts = [self._read([ids[place] for place in batch]) for batch in _batches(order, [len(one) for one in ids])]
        back = torch.empty(len(order), dtype=torch.long)
        back[torch.tensor(order)] = torch.arange(len(order))
        return torch.cat(parts)[back.to(self.device)]

    def _read(self, ids: Sequence[Sequence[int]]) -> Any:
        import torch

        size = max(map(len, ids))
        tokens, mask = (torch.zeros(len(ids), size, dtype=torch.long) for _ in range(2))
        for place, one in enumerate(ids):
            tokens[place, : len(one)], mask[place, : len(one)] = torch.tensor(one), 1
        tokens, mask = tokens.to(self.device), mask.to(self.device)
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.brief):
            hidden = self.model(input_ids=tokens, attention_mask=mask).last_hidden_state.float()
        mean = (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        return self.head(torch.nn.functional.normalize(mean, dim=-1) * ROOT)[:, 0]

    def loss(self, rows: Sequence[Shown]) -> Any:
        """The mean over the rows."""
        import torch

        found = self.logits([(one.text, text) for one in rows for text in one.shown])
        sizes = [len(one.shown) for one in rows]
        return torch.stack([one.loss(mine) for one, mine in zip(rows, found.split(sizes), strict=True)]).mean()

    def save(self, out: Path, name: str) -> None:
        """Writes the LoRA and the layer above as the chat reads them."""
        self.save_lora(out, name)
        weights = (self.head.weight.detach().cpu().numpy()[0].astype(np.float64) * ROOT).round(4).tolist()
        data = {"weights": weights, "bias": round(float(self.head.bias.detach()), 4)}
        (out / files(name)[1]).write_text(json.dumps(data) + "\n", encoding="utf-8")

    def save_lora(self, out: Path, name: str) -> None:
        """Writes the LoRA alone."""
        from ....models.adapters.to_gguf import write_file

        out.mkdir(parents=True, exist_ok=True)
        rank = min(self.config.shipped, self.config.rank)
        write_file(
            out / files(name)[0], "bert", float(rank), cut(dict(_named(self.model.state_dict())), 2.0, rank), True
        )


def cut(lora: Mapping[str, np.ndarray], scale: float, rank: int) -> dict[str, np.ndarray]:
    """The best LoRA of this rank for `scale` times each product: its largest singular values, half of each on
    either side."""
    found = {}
    for name in (one.removesuffix("a") for one in lora if one.endswith("lora_a")):
        b, a = (lora[name + side].astype(np.float32) for side in "ba")
        left, values, right = np.linalg.svd(scale * b @ a, full_matrices=False)
        root = np.sqrt(values[:rank])
        found[f"{name}a"] = rounded(root[:, None] * right[:rank])
        found[f"{name}b"] = rounded(left[:, :rank] * root)
    return found


def rounded(matrix: np.ndarray) -> np.ndarray:
    """As float16 with `BITS` of its ten bits of mantissa, to the nearest: zeros pack well."""
    bits, drop = matrix.astype(np.float16).view(np.uint16).astype(np.uint32), 10 - BITS
    kept = ((bits + (1 << (drop - 1))) >> drop) << drop
    return kept.astype(np.uint16).view(np.float16)


def _batches(order: Sequence[int], sizes: Sequence[int]) -> list[list[int]]:
    """Of places in the order of their sizes."""
    found: list[list[int]] = [[]]
    for place in order:
        if found[-1] and (len(found[-1]) + 1) * sizes[place] > BATCH_TOKENS:
            found.append([])
        found[-1].append(place)
    return found


def _placed(state: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The LoRA's matrices: their names in transformers and in llama.cpp."""
    for name in state:
        before, lora, side = name.partition(".lora_")
        if lora:
            module = next(one for one in TARGETS if before.endswith(f".{one}"))
            layer = before.partition(".layer.")[2].partition(".")[0]
            yield name, f"blk.{layer}.{TARGETS[module]}.weight.lora_{side[0].lower()}"


def _named(state: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """The LoRA's matrices by llama.cpp's names."""
    return {theirs: state[name].cpu().numpy().astype(np.float16) for name, theirs in _placed(state)}


def batches(cases: Sequence[Case], config: CrossConfig) -> Callable[[int], list[Row]]:
    """The rows of each step, by its number: all that is learned once, in another order each time."""
    rng = random.Random(config.seed)
    material = asked(cases, rng)
    order = in_turn(len(material), config, rng)

    def rows(step: int) -> list[Row]:
        drawn, at = random.Random(f"{config.seed} {step}"), step * config.batch
        return [row(*material[place], config, drawn) for place in order[at : at + config.batch]]

    return rows


def in_turn(size: int, config: CrossConfig, rng: random.Random) -> list[int]:
    """Places of so many, each as often as the others, for all steps."""
    times = 1 + config.steps * config.batch // size
    return [place for _ in range(times) for place in rng.sample(range(size), size)]


def train(
    trainee: Trainee, rows: Callable[[int], Sequence[Any]], out: Path, name: str,
    tell: Callable[[int, int, float], None] = lambda done, total, loss: None,
) -> None:  # fmt: skip
    """Fits it and saves it by its name; `rows`: of a step, what its loss takes; `out` keeps what an interruption left,
    and the same call goes on. `tell` gets steps done, steps in all and the loss."""
    import torch

    config = trainee.config
    groups, state = [trainee.learned, [*trainee.head.parameters()]], out / f"{name}.pt"
    optimizer = torch.optim.AdamW([{"params": group} for group in groups], weight_decay=0.01)
    for step in range(_resumed(trainee, optimizer, state), config.steps):
        share = min(1.0, (step + 1) / config.warmup) * max(0.03, 1 - step / config.steps)
        for group, rate in zip(optimizer.param_groups, (config.rate, config.head_rate), strict=True):
            group["lr"] = rate * share
        loss = trainee.loss(rows(step))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_([*groups[0], *groups[1]], 1.0)
        optimizer.step()
        tell(step + 1, config.steps, float(loss.detach()))
        if (step + 1) % config.save_every == 0:
            _keep(trainee, optimizer, state, step + 1)
    trainee.save(out, name)


def _keep(trainee: Trainee, optimizer: Any, path: Path, step: int) -> None:
    import torch

    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".part")
    kept = {name: one for name, one in trainee.model.state_dict().items() if ".lora_" in name}
    torch.save(
        {"step": step, "lora": kept, "head": trainee.head.state_dict(), "optimizer": optimizer.state_dict()}, partial
    )
    partial.replace(path)


def _resumed(trainee: Trainee, optimizer: Any, path: Path) -> int:
    import torch

    if not path.is_file():
        return 0
    kept = torch.load(path, weights_only=True, map_location=trainee.device)
    trainee.model.load_state_dict(kept["lora"], strict=False)
    trainee.head.load_state_dict(kept["head"])
    optimizer.load_state_dict(kept["optimizer"])
    return int(kept["step"])
