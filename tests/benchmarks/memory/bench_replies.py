"""Whether what a person told is found between an assistant's long replies.

    python tests/benchmarks/memory/bench_replies.py

The scripts of `chatmem eval chat`, told into a store line by line with a reply of some 300 words after each (it
begins with what was said and goes on with paragraphs at hand); then the search that the script has for each of its
facts, as `chatmem memory search --limit 5` does it. No language model takes part, so nothing is known but the lines.
Beside search, in the same run, BM25, MiniLM and their rank fusion over the same lines. Exits with 1 below `--least`.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections import Counter
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from chatmem.eval.agents.talks.moments import filled, moments
from chatmem.eval.agents.talks.script import Script, load_script, matches, shipped
from chatmem.eval.answers.baselines import make_rankers
from chatmem.eval.measures.intervals import wilson
from chatmem.memory.language.words import word_count
from chatmem.memory.store.store import Store
from chatmem.memory.values import ASSISTANT
from chatmem.models.embedder.minilm import load_embedder
from chatmem.training.recall.replied import paragraphs, reply

WORDS = 300
LIMIT = 5
PLAIN = ("bm25", "vectors", "rrf")
SEARCH = "search"


def long_reply(said: str, rng: random.Random, words: int = WORDS) -> str:
    """A reply to a line, of so many words at least and a paragraph more at most."""
    text, some = reply(said, rng, paragraphs())
    others = [one.text for one in paragraphs() if one not in some]
    rng.shuffle(others)
    parts = text.split("\n\n")
    while word_count("\n\n".join(parts)) < words and others:
        parts.append(others.pop())
    kept: list[str] = []
    for part in parts:
        if word_count("\n\n".join(kept)) >= words:
            break
        kept.append(part)
    return "\n\n".join(kept)


def told(store: Store, script: Script, words: int) -> int:
    """Tells the script as a user of its own."""
    user = store.users.get(script.name).id
    session, rng = store.sessions.start(user).id, random.Random(script.name)
    for line in script.lines:
        store.turns.add(session, script.name, line)
        if words:
            store.turns.add(session, ASSISTANT, long_reply(line, rng, words))
    while store.vectors.embed_pending(user, limit=500):
        pass
    return user


def found(store: Store, script: Script, user: int) -> dict[str, list[bool]]:
    """For each fact and system, whether one of the best five lines of the person's own holds it."""
    lines = [turn for one in store.sessions.all(user) for turn in store.turns.of(one.id)]
    own = {str(turn.id): turn.text for turn in lines if turn.speaker != ASSISTANT}
    assert store.embedder is not None
    rankers = make_rankers(PLAIN, {str(turn.id): turn.text for turn in lines}, store.embedder)
    table: dict[str, list[bool]] = {name: [] for name in (*PLAIN, SEARCH)}
    for ask in (one for one in script.asks if one.find):
        for name, rank in rankers.items():
            best = rank(ask.find)[:LIMIT]
            table[name].append(any(matches(ask.keys, own[one]) for one in best if one in own))
        items = store.search(user, ask.find, limit=LIMIT).items
        texts = [turn.text for item in items for turn in item.turns if turn.speaker != ASSISTANT]
        table[SEARCH].append(any(matches(ask.keys, text) for text in texts))
        if not table[SEARCH][-1]:
            print(f"not found, {script.name}: {ask.find} ({', '.join(ask.keys)})")
    return table


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=int, default=WORDS, help="of each reply (default 300; 0: no replies)")
    parser.add_argument("--scripts", choices=("first", "open"), default="first", help="which of those that ship")
    parser.add_argument("--least", type=int, default=58, help="facts that must be found (default 58)")
    args = parser.parse_args(arguments)
    total: Counter[str] = Counter()
    days, asked = moments(date.today()), 0
    with (
        tempfile.TemporaryDirectory() as folder,
        Store.open(Path(folder) / "replies.db", embedder=load_embedder()) as store,
    ):
        for path in shipped(args.scripts):
            script = load_script(path).changed(lambda text: filled(text, days))
            table = found(store, script, told(store, script, args.words))
            asked += len(table[SEARCH])
            total.update({name: sum(hits) for name, hits in table.items()})
    for name in (*PLAIN, SEARCH):
        print(f"{name:8} found {total[name]} of {asked}: {wilson(total[name], asked)}")
    return int(total[SEARCH] < args.least)


if __name__ == "__main__":
    raise SystemExit(main())
