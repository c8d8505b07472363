"""Speed of the embedded model through chatmem beside a bare llama_decode loop.

    python tests/benchmarks/models/bench_lm.py

Each round measures both in turn, so that a busy machine slows both alike; the ratio is the median of the rounds'.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from statistics import median
from time import perf_counter

import llama_cpp.llama_cpp as ll
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from chatmem.models.backends.llama.lm import LlamaLM
from chatmem.models.decoding.batched_work import Request, asking
from chatmem.models.files.model_files import embedded_path
from chatmem.models.lm import Message, Options

ASK = [Message("user", "Tell me a long story about a lighthouse, a nurse and two cats.")]
ENDLESS = "root ::= [^\\x00]*"


def bare(lm: LlamaLM, tokens: list[int], count: int) -> float:
    """Tokens a second of llama.cpp alone: greedy sampler and llama_decode, nothing else."""
    engine = lm.engine
    chain = ll.llama_sampler_init_greedy()
    batch = ll.llama_batch_init(512, 0, 1)
    lm.clear_cache()
    engine.decode(tokens, [(0, at) for at in range(len(tokens))], [len(tokens) - 1])
    batch.n_tokens, batch.n_seq_id[0], batch.seq_id[0][0], batch.logits[0] = 1, 1, 0, 1
    began = perf_counter()
    for at in range(count):
        batch.token[0] = ll.llama_sampler_sample(chain, engine.context, -1)
        batch.pos[0] = len(tokens) + at
        ll.llama_decode(engine.context, batch)
    rate = count / (perf_counter() - began)
    ll.llama_batch_free(batch)
    ll.llama_sampler_free(chain)
    engine.forget(0)
    return rate


def seam(lm: LlamaLM, count: int, grammar: str | None = None) -> float:
    """Tokens a second after the first, through `generate`."""
    lm.clear_cache()
    options = Options(max_tokens=count + 1, grammar=grammar)
    stream = lm.generate(ASK, options)
    next(stream)
    began = perf_counter()
    last = list(stream)[-1]
    return (last.completion_tokens - 1) / (perf_counter() - began)


def first_token(lm: LlamaLM, prompt: list[Message]) -> tuple[float, int]:
    """Seconds until the first text, and how many tokens the cache held."""
    began = perf_counter()
    chunks = lm.generate(prompt, Options(max_tokens=1))
    last = list(chunks)[-1]
    return perf_counter() - began, last.cached_tokens


def swap(lm: LlamaLM, adapter: Path) -> float:
    """Seconds to switch to an adapter that is loaded, and to compute one token with it."""
    engine = lm.engine
    engine.load_adapter(adapter)
    with engine.lock:
        engine.use_adapter(None)
        began = perf_counter()
        engine.use_adapter(adapter)
        took = perf_counter() - began
        engine.use_adapter(None)
    return took


def resident() -> float:
    """Resident memory of this process in MB (0 where /proc is not there)."""
    statm = Path("/proc/self/statm")
    return int(statm.read_text().split()[1]) * 4096 / 1e6 if statm.is_file() else 0.0


def measure(rounds: int, count: int, threads: int | None, adapter: Path | None) -> dict[str, float]:
    began = perf_counter()
    lm = LlamaLM(embedded_path(), threads=threads)
    report = {"load_seconds": perf_counter() - began}
    tokens = lm.engine.tokenize(lm.prompt_text(ASK))
    pairs = [(bare(lm, tokens, count), seam(lm, count)) for _ in range(rounds)]
    report["bare_tokens_per_second"] = median(pair[0] for pair in pairs)
    report["seam_tokens_per_second"] = median(pair[1] for pair in pairs)
    report["ratio"] = median(ours / theirs for theirs, ours in pairs)
    bound = [(bare(lm, tokens, count), seam(lm, count, ENDLESS)) for _ in range(max(rounds // 2, 1))]
    report["grammar_ratio"] = median(ours / theirs for theirs, ours in bound)
    words = " ".join(np.random.default_rng(0).choice(["cat", "nurse", "Boston", "lamp", "seven", "river"], 500))
    long = [Message("system", words), Message("user", "And who is it?")]
    lm.clear_cache()
    fresh, _ = first_token(lm, long)
    report["first_token_seconds_fresh"] = fresh
    report["prompt_tokens_per_second"] = len(lm.engine.tokenize(lm.prompt_text(long))) / fresh
    again, cached = first_token(lm, [long[0], Message("user", "And what do they want?")])
    report["first_token_seconds_cached"], report["cached_tokens"] = again, cached
    prompts = [[Message("user", f"Tell me about the number {at}.")] for at in range(16)]
    began = perf_counter()
    lm.side_by_side([asking(Request(prompt, Options(max_tokens=24))) for prompt in prompts])
    report["batch_seconds"] = perf_counter() - began
    lm.clear_cache()
    began = perf_counter()
    for prompt in prompts:
        list(lm.generate(prompt, Options(max_tokens=24)))
    report["batch_speedup"] = (perf_counter() - began) / report["batch_seconds"]
    if adapter:
        swaps = [swap(lm, adapter) for _ in range(20)]
        report["adapter_swap_ms"] = 1000 * max(swaps)
    report["resident_mb"] = resident()
    lm.close()
    return report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--tokens", type=int, default=60)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--adapter", type=Path, help="a LoRA file, for the time of a swap")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    report = measure(given.rounds, given.tokens, given.threads, given.adapter)
    if given.json:
        print(json.dumps(report))
        return
    for name, value in report.items():
        print(f"{name:28} {value:10.3f}")


if __name__ == "__main__":
    main()
