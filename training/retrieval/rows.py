"""Training rows of the retrieval agent: SELECTs found by running candidates and keeping what brings the evidence."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from ...eval.datasets.locomo import LocomoTalk
from ...eval.ingestion import notes
from ...memory.language.words import stem, tokens
from ...memory.store.store import Store
from ...memory.values import HUMAN
from ...models.chat.retrieval import RetrievalAgent, near
from ...models.prompts.messages import lines_sql, retrieval_messages, select_sql
from ..material.templates.generate import generate
from ..material.templates.talk import GoldTalk, Split
from ..policy.rows import training_row

ADVERSARIAL = 5
HINTS = 6
MARGIN = 0.05
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


def line_candidates(question: str, speakers: Sequence[str], hints: Sequence[str]) -> list[str]:
    """SELECTs over what was said, the plainest first: the question, its telling words, the question with words that
    lines hold which answer such questions (`hints`), one speaker's lines."""
    whole = question.strip(" ?")
    forms = [
        whole,
        " ".join(telling(question)).replace("'s", "") or whole,
        *(f"{whole} {one}" for one in hints[:HINTS]),
    ]
    forms += [f"{whole} {' '.join(hints[:count])}" for count in (2, 3) if len(hints) >= count]
    named = [speaker for speaker in speakers if speaker.lower() in question.lower()]
    return list(dict.fromkeys([*map(lines_sql, forms), *(lines_sql(whole, one) for one in named)]))


def best_lines(agent: RetrievalAgent, user: Any, asker: str, tried: Sequence[str], gold: Collection[int]) -> str | None:
    """The candidate that brings most of the lines looked for; None when none brings any.

    One that is tried later must be better by `MARGIN`: what helps by chance teaches nothing.
    """
    best, chosen = 0.0, None
    for sql in tried:
        ids = agent.run(user, sql, asker).ids
        score = sum(0.9 + 0.1 / (1 + ids.index(one)) for one in gold if one in ids) / len(gold)
        if score > best + (MARGIN if chosen else 0.0):
            best, chosen = score, sql
        if best >= 1 - MARGIN:
            break
    return chosen


def best_select(agent: RetrievalAgent, user: Any, asker: str, tried: Sequence[str], gold: set[int]) -> str | None:
    """The candidate that brings all gold rows highest; None when none brings any.

    Among equals one that names a subject wins, then the shorter one.
    """
    best, chosen = 0.0, None
    for sql in tried:
        ids = agent.run(user, sql, asker).ids
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
        subjects, topics = store.facts.subjects(user.id), store.facts.topics(user.id)
        asked = [q for q in talk.questions if q.needs is not None]
        for question in rng.sample(asked, min(5, len(asked))):
            if question.needs not in ids:
                continue
            tried = candidates(question.text, subjects, topics, [talk.golds[question.needs or 0].topic])
            if sql := best_select(agent, user, talk.user, tried, {ids[question.needs or 0]}):
                case = {"user": user.name, "asker": talk.user, "gold": [ids[question.needs or 0]]}
                yield _row(case, question.text, subjects, topics, talk.lines[-1].said_at, sql)


def _remember(store: Store, key: str, talk: GoldTalk) -> tuple[Any, dict[int, int]]:
    user, ids = store.users.get(key), {}
    for place, gold in talk.live.items():
        entry = store.facts.remember(
            user.id, gold.subject, gold.topic, gold.fact, happened_on=gold.happened_on, author=HUMAN
        )
        ids[place] = entry.memory_id or 0
    store.vectors.embed_pending(user.id, limit=1_000_000)
    return user, ids


def locomo_rows(store: Store, talks: Sequence[LocomoTalk]) -> Iterator[dict[str, Any]]:
    """LoCoMo's questions of categories 1 to 4 over what was said, its observations as memories."""
    agent, said = RetrievalAgent(None, store), {talk.id: _words_said(talk) for talk in talks}
    for talk in talks:
        user = store.users.get(f"select-{talk.id}")
        turns = notes.tell(store, user, talk)
        notes.remember(store, user, talk.observed, turns)
        subjects, topics = store.facts.subjects(user.id), store.facts.topics(user.id)
        others = [words for one, words in said.items() if one != talk.id]
        for asked in talk.questions:
            gold = {turns[name]: text for name, text in _texts(talk, asked.evidence) if name in turns}
            if asked.category == ADVERSARIAL or not gold:
                continue
            hints = _hints(asked.question, gold.values(), said[talk.id], others)
            tried = line_candidates(asked.question, talk.speakers, hints)
            if sql := best_lines(agent, user, "User", tried, gold):
                case = {"user": user.name, "asker": "User", "gold": [], "lines": sorted(gold)}
                yield _row(case, asked.question, subjects, topics, "2024-06-12", sql)


def _texts(talk: LocomoTalk, names: Collection[str]) -> list[tuple[str, str]]:
    return [(turn.id, turn.text) for session in talk.sessions for turn in session.turns if turn.id in names]


def _words_said(talk: LocomoTalk) -> Counter[str]:
    """In how many lines each word was said."""
    return Counter(word for session in talk.sessions for turn in session.turns for word in {*tokens(turn.text)})


def _hints(question: str, lines: Iterable[str], here: Counter[str], others: Sequence[Counter[str]]) -> list[str]:
    """Words of the evidence that the question lacks and that most other conversations hold (so that they may be guessed
    from a question), the rarest first."""
    asked = {stem(word) for word in tokens(question)}
    held = {word for line in lines for word in tokens(line) if len(word) > 2 and stem(word) not in asked}
    known = [word for word in held if sum(word in other for other in others) > len(others) / 2]
    return sorted(known, key=lambda word: (here[word], word))


def _row(
    case: dict[str, Any], question: str, subjects: Sequence[str], topics: Sequence[str], now: str, sql: str
) -> dict[str, Any]:
    """`case` says over whose memory it is asked, by whom, and which rows are the evidence: what a reward needs."""
    messages = retrieval_messages(case["asker"], question, subjects, near(question, topics), now[:10])
    return {**training_row(messages, sql), "case": case}
