"""A fused forward pass for Llama-shaped models with PEFT LoRA weights: the same numbers, fewer trips to memory.

On a CPU the elementwise work of `transformers`' modules (casts, norms, rotary, silu) costs more than the matrix
products of a 135M model. Here one decoder layer is a pure function of its weights, compiled once and used by every
layer, in bfloat16 (or float32 where that is quicker) with float32 master weights for LoRA. The parameters stay PEFT's
own: this is a view over them.
Formulas: Llama (Touvron et al. 2023), LoRA (Hu et al. 2021), rotary embedding in the half-split layout of transformers.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

ROWS = 512
"""Tokens of the product by which that is told: with few, waking the threads is what takes the time on a busy machine,
and float32, eight times as quick there, seemed no quicker."""
SHORT = 384
"""Tokens up to which attention is written out: backwards PyTorch's own takes a third of a whole step on a CPU."""
CLEARLY = 0.75
"""Of the time that bfloat16 takes: what float32 must stay below to be worth twice the memory."""


class Shape(NamedTuple):
    """What a layer needs to know beside its weights."""

    heads: int
    kv_heads: int
    head_dim: int
    eps: float
    scale: float


def rms_norm(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    h = x.float()
    return (h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + eps)).to(x.dtype) * weight


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    a, b = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-b, a), dim=-1) * sin


def _lora(x: Tensor, w: Tensor, a: Tensor, bs: tuple[Tensor, ...], scale: float) -> Tensor:
    """`x W^T + scale * (x A^T) B^T` for several projections of one input, W and A stacked by rows."""
    low = F.linear(x, a).chunk(len(bs), dim=-1)
    return F.linear(x, w) + scale * torch.cat([F.linear(part, b) for part, b in zip(low, bs, strict=True)], dim=-1)


def _attend(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Causal attention, written out."""
    ahead = torch.ones(q.shape[2], q.shape[2], dtype=torch.bool, device=q.device).triu(1)
    scores = (q @ k.transpose(2, 3) * q.shape[3] ** -0.5).masked_fill(ahead, float("-inf"))
    return scores.softmax(dim=-1) @ v


def layer(x: Tensor, cos: Tensor, sin: Tensor, w: tuple[Tensor, ...], lora: tuple[Tensor, ...], s: Shape) -> Tensor:
    """One decoder layer. x: (batch, length, hidden); w: norms and stacked matrices; lora: stacked A's, then the B's."""
    norm1, qkv, out, norm2, gate_up, down = w
    a_qkv, bq, bk, bv, a_o, bo, a_gu, bg, bu, a_d, bd = (t.to(x.dtype) for t in lora)
    n, length, _ = x.shape
    h = _lora(rms_norm(x, norm1, s.eps), qkv, a_qkv, (bq, bk, bv), s.scale)
    q, k, v = h.view(n, length, -1, s.head_dim).split([s.heads, s.kv_heads, s.kv_heads], dim=2)
    q, k = rotate(q, cos, sin).transpose(1, 2), rotate(k, cos, sin).transpose(1, 2)
    group = s.heads // s.kv_heads
    k, v = k.repeat_interleave(group, dim=1), v.transpose(1, 2).repeat_interleave(group, dim=1)
    by_hand = length <= SHORT and x.device.type == "cpu"
    attended = _attend(q, k, v) if by_hand else F.scaled_dot_product_attention(q, k, v, is_causal=True)
    x = x + _lora(attended.transpose(1, 2).reshape(n, length, -1), out, a_o, (bo,), s.scale)
    gate, up = _lora(rms_norm(x, norm2, s.eps), gate_up, a_gu, (bg, bu), s.scale).chunk(2, dim=-1)
    return x + _lora(F.silu(gate) * up, down, a_d, (bd,), s.scale)


def _pair(module: Any) -> tuple[Tensor, Tensor]:
    return module.lora_A["default"].weight, module.lora_B["default"].weight


@lru_cache(maxsize=8)
def quickest(width: int, inner: int) -> torch.dtype:
    """The type in which this machine multiplies quicker: many processors only emulate bfloat16, at half the speed of
    float32 or far less. bfloat16 where they are near each other, for it takes half the memory."""

    def seconds(dtype: torch.dtype) -> float:
        states, weights = torch.ones(ROWS, width, dtype=dtype), torch.ones(inner, width, dtype=dtype)
        taken = []
        for _ in range(4):
            begin = time.perf_counter()
            F.linear(states, weights)
            taken.append(time.perf_counter() - begin)
        return min(taken)

    return torch.float32 if seconds(torch.float32) < CLEARLY * seconds(torch.bfloat16) else torch.bfloat16


class FusedLlama(nn.Module):
    """Hidden states of a PEFT Llama. Right-padded batches need no mask: causal rows never see the padding."""

    def __init__(
        self, model: Any, *, dtype: torch.dtype | None = None, compiled: bool = True, recompute: bool = False
    ):  # fmt: skip
        super().__init__()
        inner = model.base_model.model.model
        config = model.config
        dtype = dtype or quickest(config.hidden_size, config.intermediate_size)
        self.inner, self.dtype, self.recompute = inner, dtype, recompute
        scaling = inner.layers[0].self_attn.q_proj.scaling["default"]
        dim = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
        self.shape = Shape(config.num_attention_heads, config.num_key_value_heads, dim, config.rms_norm_eps, scaling)
        self.frozen = [self._weights(block) for block in inner.layers]
        self.embedding = inner.embed_tokens.weight.detach().to(dtype)
        self.final = inner.norm.weight.detach().to(dtype)
        self.layer: Callable[..., Tensor] = torch.compile(layer, dynamic=False) if compiled else layer

    def _weights(self, block: Any) -> tuple[Tensor, ...]:
        a, m = block.self_attn, block.mlp
        base = lambda *parts: torch.cat([p.base_layer.weight.detach() for p in parts]).to(self.dtype)  # noqa: E731
        norm = lambda part: part.weight.detach().to(self.dtype)  # noqa: E731
        return (
            norm(block.input_layernorm), base(a.q_proj, a.k_proj, a.v_proj), base(a.o_proj),
            norm(block.post_attention_layernorm), base(m.gate_proj, m.up_proj), base(m.down_proj),
        )  # fmt: skip

    @staticmethod
    def _adapter(block: Any) -> tuple[Tensor, ...]:
        a, m = block.self_attn, block.mlp
        (aq, bq), (ak, bk), (av, bv) = _pair(a.q_proj), _pair(a.k_proj), _pair(a.v_proj)
        (ag, bg), (au, bu) = _pair(m.gate_proj), _pair(m.up_proj)
        return (torch.cat((aq, ak, av)), bq, bk, bv, *_pair(a.o_proj), torch.cat((ag, au)), bg, bu, *_pair(m.down_proj))

    def forward(self, ids: Tensor) -> Tensor:
        """Token ids (batch, length) -> hidden states (batch, length, hidden) after the final norm."""
        x = F.embedding(ids, self.embedding)
        cos, sin = self.inner.rotary_emb(x.float(), torch.arange(ids.shape[1], device=ids.device)[None])
        cos, sin = (t.to(self.dtype)[:, :, None] for t in (cos, sin))
        for block, frozen in zip(self.inner.layers, self.frozen, strict=True):
            args = (x, cos, sin, frozen, self._adapter(block), self.shape)
            x = checkpoint(self.layer, *args, use_reentrant=False) if self.recompute else self.layer(*args)
        return rms_norm(x, self.final, self.shape.eps)

    def logits(self, hidden: Tensor) -> Tensor:
        """Hidden states of chosen positions (n, hidden) -> float32 logits (n, vocabulary)."""
        return F.linear(hidden, self.embedding).float()
