"""Training rows of the retrieval agent: SELECTs found by running candidates and keeping what brings the evidence."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from typing import Any

from ..memory.store import Store
from ..memory.values import HUMAN
from ..models.prompts import retrieval_messages, select_sql
from ..models.retrieval import RetrievalAgent, near
from .storage_data import row
from .templates.generate import generate
from .templates.talk import Split, Talk

_STOP_TEXT = """
a an the is are was were be been do does did has have had will would can could should i my me mine you your we
our us he she it they his her its their what which who whom whose where when why how that this there of to in on
at for from with about as by and or if so any some hey remember recall tell told say said mention mentioned know
talked time once again please much many kind
"""
_STOP = frozenset(_STOP_TEXT.split())


def telling(text: str) -> list[str]:
    """The words of a question that a search can use, in order."""
    return [word for word in re.findall(r"[\w'-]+", text.lower()) if word.removesuffix("'s") not in _STOP]


def candidates(question: str, subjects: Sequence[str], topics: Sequence[str], hints: Sequence[str] = ()) -> list[str]:
    """SELECTs worth trying: the telling words, alone or with a topic (`hints`: those of the rows looked for), of one
    subject or of all."""
    words = telling(question) or [question.strip(" ?").lower()]
    forms = [" ".join(words), " ".join(words[-3:])]
    forms += [f"{topic} {' '.join(words[:4])}" for topic in dict.fromkeys([*hints, *near(question, topics)[:2]])]
    named = [s for s in subjects if s.lower() in question.lower()] or list(subjects[:1])
    forms = list(dict.fromkeys(form.replace("'s", "").strip() for form in forms))
    return [select_sql(form, subject) for form in forms for subject in (*named, None)]


def best_select(agent: RetrievalAgent, user: Any, asker: str, tried: Sequence[str], gold: set[int]) -> str | None:
    """The candidate that brings all gold rows highest; None when none brings any.

    Among equals one that names a subject wins, then the shorter one.
    """
    best, chosen = 0.0, None
    for sql in tried:
        ids = agent.run(user, sql, asker)
        score = sum(1 / (1 + ids.index(memory_id)) for memory_id in gold if memory_id in ids) / len(gold)
        score -= 1e-4 * len(sql) - 5e-3 * ("WHERE" in sql)
        if score > best + 1e-9:
            best, chosen = score, sql
    return chosen


def template_rows(store: Store, seed: int, talks: int, split: Split = "train") -> Iterator[dict[str, Any]]:
    """Questions of the templates over their own live facts."""
    agent, rng = RetrievalAgent(None, store), random.Random(seed)
    for number, talk in enumerate(generate(seed=seed, n=talks, split=split)):
        user, ids = _remember(store, f"talk{seed}-{split}-{number}", talk)
        subjects, topics = store.subjects(user.id), store.topics(user.id)
        asked = [q for q in talk.questions if q.needs is not None]
        for question in rng.sample(asked, min(5, len(asked))):
            if question.needs not in ids:
                continue
            tried = candidates(question.text, subjects, topics, [talk.golds[question.needs or 0].topic])
            if sql := best_select(agent, user, talk.user, tried, {ids[question.needs or 0]}):
                case = {"user": user.name, "asker": talk.user, "gold": [ids[question.needs or 0]]}
                yield _row(case, question.text, subjects, topics, talk.lines[-1].said_at, sql)


def _remember(store: Store, key: str, talk: Talk) -> tuple[Any, dict[int, int]]:
    user, ids = store.user(key), {}
    for place, gold in talk.live.items():
        entry = store.remember(user.id, gold.subject, gold.topic, gold.fact, happened_on=gold.happened_on, author=HUMAN)
        ids[place] = entry.memory_id or 0
    store.embed_pending(user.id, limit=1_000_000)
    return user, ids


def locomo_rows(store: Store, conversations: Sequence[dict[str, Any]], topics_of: Any) -> Iterator[dict[str, Any]]:
    """LoCoMo's questions over its observations: gold are the observations that cite the question's evidence."""
    agent = RetrievalAgent(None, store)
    for conversation in conversations:
        user = store.user(f"select-{conversation['sample_id']}")
        cited: dict[str, set[int]] = {}
        topic_of: dict[int, str] = {}
        for by_speaker in conversation["observation"].values():
            for speaker, found in by_speaker.items():
                labels, _ = topics_of.of([fact for fact, _ in found]) if found else ([], None)
                for (fact, evidence), topic in zip(found, labels, strict=True):
                    entry = store.remember(user.id, speaker, topic, fact, author=HUMAN)
                    topic_of[entry.memory_id or 0] = topic
                    for dia in evidence if isinstance(evidence, list) else [evidence]:
                        cited.setdefault(str(dia), set()).add(entry.memory_id or 0)
        store.embed_pending(user.id, limit=1_000_000)
        subjects, topics = store.subjects(user.id), store.topics(user.id)
        for asked in conversation["qa"]:
            gold = {m for e in asked["evidence"] for dia in re.split(r"[;, ]+", e) for m in cited.get(dia, ())}
            hints = list(dict.fromkeys(topic_of[memory_id] for memory_id in gold))[:2]
            tried = candidates(asked["question"], subjects, topics, hints) if gold else []
            if sql := best_select(agent, user, "User", tried, gold):
                case = {"user": user.name, "asker": "User", "gold": sorted(gold)}
                yield _row(case, asked["question"], subjects, topics, "2024-06-12", sql)


def _row(
    case: dict[str, Any], question: str, subjects: Sequence[str], topics: Sequence[str], now: str, sql: str
) -> dict[str, Any]:
    """`case` says over whose memory it is asked, by whom, and which rows are the evidence: what a reward needs."""
    messages = retrieval_messages(case["asker"], question, subjects, near(question, topics), now[:10])
    return {**row(messages, sql), "case": case}
