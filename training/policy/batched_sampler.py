"""Many completions at once from the policy as it is now: its LoRA merged into a copy of the base, a key-value cache of
fixed shape and, on a card, one CUDA graph for a token of all sequences.

Sampling is what an online run spends its time on, and kernels launched one by one from Python wait for Python; a
replayed graph takes 11 ms a token for 512 sequences (an H200, 410 columns). Prompts are padded at the left, so that
every sequence writes its next token into the same column; a prompt is read once for all of its samples.
Sampling is Gumbel-max: argmax(logits / T - log E), E ~ Exp(1), which draws from softmax(logits / T).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from ...memory.errors import SettingsError
from .fused_llama import rms_norm, rotate

LOOK = 8
"""Tokens after which it is looked whether all sequences have ended: each look waits for the card."""
WARM = 2
"""Runs before a graph is captured, so that libraries have made their buffers."""

Weights = tuple[Tensor, ...]


class BatchedSampler:
    """Completions of a PEFT Llama, `width` sequences side by side.

    `prompt`, `reply`: most tokens of each; `ending`: the token that ends a reply. Raises SettingsError for models of
    another shape.
    """

    def __init__(self, model: Any, ending: int, *, width: int, prompt: int, reply: int) -> None:
        config = model.config
        if config.model_type != "llama" or getattr(model, "is_loaded_in_4bit", False):
            raise SettingsError(f"--method rloo samples Llama-shaped models, not {config.model_type}; choose grpo.")
        self.inner, self.config, self.ending = model.base_model.model.model, config, ending
        self.width, self.prompt, self.reply = width, prompt, reply
        self.device = next(model.parameters()).device
        self.heads, self.kv_heads = config.num_attention_heads, config.num_key_value_heads
        self.dim = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
        self.embedding = self.inner.embed_tokens.weight.detach().float()
        self.final = self.inner.norm.weight.detach().float()
        self.layers = [_merged(block) for block in self.inner.layers]
        self.cos, self.sin = self._angles(prompt + reply)
        self.dtype = torch.bfloat16 if self.device.type == "cuda" else torch.float32
        shape = (2, len(self.layers), width, self.kv_heads, prompt + reply, self.dim)
        self.cache = torch.zeros(shape, dtype=self.dtype, device=self.device)
        whole = lambda *size: torch.zeros(size, dtype=torch.long, device=self.device)  # noqa: E731
        self.token, self.pads, self.at = whole(width), whole(width), whole(1)
        self.columns = torch.arange(prompt + reply, device=self.device)
        self.heat = torch.ones((), device=self.device)
        self.graph: Any = None

    def refresh(self) -> None:
        """Takes over the adapter as it is now."""
        for held, block in zip(self.layers, self.inner.layers, strict=True):
            for old, new in zip(held, _merged(block), strict=True):
                old.copy_(new)

    def draw(self, prompts: Sequence[Sequence[int]], temperature: float = 1.0) -> list[list[int]]:
        """A completion of each prompt, without its ending; one as long as `reply` was cut off. At temperature 0 greedy.

        Equal prompts that follow each other are read once. Prompts longer than `prompt` tokens raise ValueError.
        """
        out: list[list[int]] = []
        with torch.no_grad():
            for begin in range(0, len(prompts), self.width):
                out += self._block([list(ids) for ids in prompts[begin : begin + self.width]], temperature)
        return out

    def _block(self, prompts: list[list[int]], temperature: float) -> list[list[int]]:
        self._read(prompts)
        self.heat.fill_(temperature)
        if self.graph is None and self.device.type == "cuda":
            self._capture()
        written = torch.full((self.reply, self.width), self.ending, dtype=torch.long, device=self.device)
        ended = torch.zeros(self.width, dtype=torch.bool, device=self.device)
        for step in range(self.reply):
            self._next()
            written[step] = self.token
            ended |= self.token == self.ending
            if step % LOOK == LOOK - 1 and bool(ended[: len(prompts)].all()):
                break
        rows = written.t()[: len(prompts)].tolist()
        return [row[: row.index(self.ending)] if self.ending in row else row for row in rows]

    def _next(self) -> None:
        if self.graph is not None:
            self.graph.replay()
        else:
            self._step()

    def _capture(self) -> None:
        kept = self.token.clone(), self.at.clone()
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(WARM):
                self._step()
        torch.cuda.current_stream().wait_stream(side)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self._step()
        self.token.copy_(kept[0])
        self.at.copy_(kept[1])

    def _read(self, prompts: list[list[int]]) -> None:
        """Fills the cache with the prompts; their last token is read once more, as the first step's input."""
        unique, which = _unique(prompts)
        longest = max(len(ids) for ids in unique)
        if longest > self.prompt:
            raise ValueError(f"a prompt of {longest} tokens, but the sampler was made for {self.prompt}")
        pads = torch.tensor([longest - len(ids) for ids in unique], device=self.device)
        ids = torch.tensor([[0] * (longest - len(one)) + one for one in unique], device=self.device)
        x, seen = F.embedding(ids, self.embedding), self.columns[:longest]
        place = (seen[None] - pads[:, None]).clamp(min=0)
        cos, sin = self.cos[place][:, :, None], self.sin[place][:, :, None]
        allowed = (seen[None, None, :] >= pads[:, None, None]) & (seen[None, :, None] >= seen[None, None, :])
        allowed = (allowed | torch.eye(longest, dtype=torch.bool, device=self.device))[:, None]
        take = torch.tensor(which + [0] * (self.width - len(which)), device=self.device)
        for number, weights in enumerate(self.layers):
            q, k, v = self._heads(x, weights, cos, sin)
            self.cache[0, number, :, :, :longest] = k[take].to(self.dtype)
            self.cache[1, number, :, :, :longest] = v[take].to(self.dtype)
            group = self.heads // self.kv_heads
            k, v = k.repeat_interleave(group, dim=1), v.repeat_interleave(group, dim=1)
            attended = F.scaled_dot_product_attention(q, k, v, attn_mask=allowed)
            x = _rest(x, attended.transpose(1, 2).flatten(2), weights, self.config.rms_norm_eps)
        self.pads.copy_(pads[take])
        self.token.copy_(ids[:, -1][take])
        self.at.fill_(longest - 1)

    def _step(self) -> None:
        """One token of every sequence: reads `token` at column `at`, leaves the next one there and goes on."""
        x = F.embedding(self.token, self.embedding)[:, None]
        place = (self.at - self.pads).clamp(min=0)
        cos, sin = self.cos[place][:, None, None], self.sin[place][:, None, None]
        seen = (self.columns[None] >= self.pads[:, None]) & (self.columns[None] <= self.at)
        group = self.heads // self.kv_heads
        for number, weights in enumerate(self.layers):
            q, k, v = self._heads(x, weights, cos, sin)
            keys, values = self.cache[0, number], self.cache[1, number]
            keys.index_copy_(2, self.at, k.to(self.dtype))
            values.index_copy_(2, self.at, v.to(self.dtype))
            asked = q.view(self.width, self.kv_heads, group, self.dim).to(self.dtype)
            scores = (asked @ keys.transpose(2, 3)).float() * self.dim**-0.5
            shares = scores.masked_fill(~seen[:, None, None], float("-inf")).softmax(dim=-1)
            attended = (shares.to(self.dtype) @ values).float().reshape(self.width, 1, -1)
            x = _rest(x, attended, weights, self.config.rms_norm_eps)
        logits = F.linear(rms_norm(x[:, 0], self.final, self.config.rms_norm_eps), self.embedding)
        noise = torch.empty_like(logits).exponential_().clamp_(min=1e-20).log_()
        self.token.copy_((logits - self.heat * noise).argmax(dim=-1))
        self.at.add_(1)

    def _heads(self, x: Tensor, weights: Weights, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values, each (rows, heads, length, dim), the first two turned by their places."""
        h = F.linear(rms_norm(x, weights[0], self.config.rms_norm_eps), weights[1])
        q, k, v = h.view(*x.shape[:2], -1, self.dim).split([self.heads, self.kv_heads, self.kv_heads], dim=2)
        return rotate(q, cos, sin).transpose(1, 2), rotate(k, cos, sin).transpose(1, 2), v.transpose(1, 2)

    def _angles(self, length: int) -> tuple[Tensor, Tensor]:
        some = torch.zeros(1, length, 1, device=self.device)
        cos, sin = self.inner.rotary_emb(some, torch.arange(length, device=self.device)[None])
        return cos[0].float(), sin[0].float()


def _merged(block: Any) -> Weights:
    """A layer's norms and stacked matrices, with the adapter in them, in float32."""
    a, m = block.self_attn, block.mlp
    norm = lambda part: part.weight.detach().float().clone()  # noqa: E731
    return (
        norm(block.input_layernorm), _stacked(a.q_proj, a.k_proj, a.v_proj), _stacked(a.o_proj),
        norm(block.post_attention_layernorm), _stacked(m.gate_proj, m.up_proj), _stacked(m.down_proj),
    )  # fmt: skip


def _stacked(*parts: Any) -> Tensor:
    """`W + scale * B A` of several projections of one input."""
    made = []
    for part in parts:
        low, high = (pairs["default"].weight.detach().float() for pairs in (part.lora_A, part.lora_B))
        made.append(part.base_layer.weight.detach().float() + part.scaling["default"] * (high @ low))
    return torch.cat(made)


def _rest(x: Tensor, attended: Tensor, weights: Weights, eps: float) -> Tensor:
    """What a layer does after attention."""
    x = x + F.linear(attended, weights[2])
    gate, up = F.linear(rms_norm(x, weights[3], eps), weights[4]).chunk(2, dim=-1)
    return x + F.linear(F.silu(gate) * up, weights[5])


def _unique(prompts: list[list[int]]) -> tuple[list[list[int]], list[int]]:
    """Prompts without repetitions of the one before, and which of them each is."""
    unique: list[list[int]] = []
    which = []
    for ids in prompts:
        if not unique or unique[-1] != ids:
            unique.append(ids)
        which.append(len(unique) - 1)
    return unique, which
