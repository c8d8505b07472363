"""Training rows of the answer agent: questions over what the store's own search recalls, and the chats' next turns."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...memory.language.third_person import split_facts
from ...memory.store.store import Store
from ...memory.values import Recall, Turn, User
from ...models.chat.answer import ME, Talkers, memory_lines
from ...models.prompts.messages import answer_messages
from ..material.chat_questions import SPEAKERS, ChatQuestion
from ..material.speaker_names import two_names
from ..policy.rows import training_row

BUDGETS = (60, 100, 140, 180, 200)
"""Words of recalled context: training sees short and full ones."""
UNKNOWN = (
    "I don't know that; it isn't in my memory.",
    "I don't know. You haven't told me that.",
    "I don't remember anything about that.",
    "That wasn't mentioned.",
)
NOW = "2024-06-12T12:00:00Z"
_WORD = re.compile(r"[a-z0-9]+")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_I = re.compile(r"\bi\b")
_DENIES = re.compile(r"no\b", re.IGNORECASE)
_COMMON_TEXT = """
the a an and or of to in on at for with is are was were be been i you my your me he she it they we his her their
our that this so but not no do does did have has had would could will can just about very really like think know
yes
"""
_COMMON = frozenset(_COMMON_TEXT.split())


def key_words(text: str) -> set[str]:
    """A text's telling words, roughly stemmed: enough to see whether a context holds an answer."""
    return {word[:5] for word in _WORD.findall(text.lower()) if word not in _COMMON}


@dataclass(frozen=True, slots=True)
class Heard:
    """A conversation in the store: its user, and who answers and who asks."""

    user: User
    me: str
    you: str
    turns: tuple[Turn, ...]


def hear(store: Store, key: str, sessions: Sequence[tuple[str, Sequence[tuple[str, str]]]], me: str, you: str) -> Heard:
    """Puts sessions of (date, [(speaker, text)]) into the store under a user of their own."""
    user = store.users.get(key)
    turns = []
    for said_at, lines in sessions:
        session = store.sessions.start(user.id, at=said_at)
        turns += [
            store.turns.add(session.id, who, " ".join(text.split()), said_at=said_at)
            for who, text in lines
            if text.strip()
        ]
    store.vectors.embed_pending(user.id, limit=1_000_000)
    return Heard(replace(user, called=you), me, you, tuple(turns))


def question_row(
    store: Store, heard: Heard, question: str, answer: str, rng: random.Random, words: int | None = None,
    *, must_hold: bool = True,
) -> dict[str, Any] | None:  # fmt: skip
    """The prompt that the chat would build, with the answer; None when the recall doesn't hold the answer."""
    words = words or rng.choice(BUDGETS)
    recall = store.search(heard.user.id, question, limit=40, speaker=heard.you, word_budget=words, now=NOW)
    scene = Talkers(heard.me, heard.you)
    lines = memory_lines(recall, scene, words)
    if must_hold and not key_words(answer) <= key_words(" ".join(lines)):
        return None
    answer = own_words(answer, lines)
    if rng.random() < 0.15:
        rng.shuffle(lines)
    return training_row(answer_messages(scene.system(NOW), [], lines, question), answer)


MOST_OWN = 22
"""Words of the longest sentence that is told after an answer."""
SHORT = 6
"""Words of an answer that is not a sentence by itself."""


def own_words(answer: str, lines: Sequence[str]) -> str:
    """A short answer, and after it the shortest sentence of one's own that holds it, where one was said.

    A small model copies a sentence more surely than it cuts the whole phrase out of it (with short answers alone, 18 of
    61 wrong ones to 100 held-back questions of DMR held half of the right words); the phrase before it keeps to what
    was asked (with sentences alone it copied others).
    """
    wanted = key_words(answer)
    said = [s for line in lines if line.startswith(f"{ME}: ") for s in _SENTENCE.split(line.removeprefix(f"{ME}: "))]
    best = min((s for s in said if wanted and wanted <= key_words(s) and _tells(s)), key=len, default="")
    if len(answer.split()) > SHORT or len(best.split()) <= len(answer.split()):
        return answer
    return f"{_sentence(answer)} {_sentence(re.sub(_I, 'I', best))}"


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:] + ("" if text[-1] in ".!" else ".")


def _tells(sentence: str) -> bool:
    return 2 <= len(sentence.split()) <= MOST_OWN and not sentence.endswith("?") and not _DENIES.match(sentence)


def dmr_rows(store: Store, rows: Sequence[dict[str, Any]], seed: int) -> Iterator[dict[str, Any]]:
    """Each question of MSC-Self-Instruct, asked under three word budgets."""
    rng = random.Random(seed)
    for number, chat in enumerate(rows):
        one, two = two_names(rng, plain=0.5)
        names = {"Speaker 1": one, "Speaker 2": two}
        sessions = [(NOW, [(names[t["id"]], t["text"]) for t in s["dialog"]]) for s in chat["previous_dialogs"]]
        heard = hear(store, f"dmr{seed}-{number}", sessions, one, two)
        asked = chat["self_instruct"]
        for words in rng.sample(BUDGETS, 3):
            if made := question_row(store, heard, asked["B"], asked["A"], rng, words):
                yield made


def msc_rows(store: Store, chats: Sequence[dict[str, Any]], seed: int, each: int = 6) -> Iterator[dict[str, Any]]:
    """Questions made from human facts by rule (the answer is the fact), and some next turns of the chats."""
    rng = random.Random(seed)
    for number, chat in enumerate(chats):
        me, you = two_names(rng)
        names = {"Speaker 1": me, "Speaker 2": you}
        sessions = [(NOW, [(names[t["speaker"]], t["text"]) for t in s["turns"]]) for s in chat["sessions"]]
        heard = hear(store, f"msc{seed}-{number}", sessions, me, you)
        turns = [t for s in chat["sessions"] for t in s["turns"]]
        facts = [f for t in turns if names[t["speaker"]] == me and t["facts"].strip() for f in split_facts(t["facts"])]
        for fact in rng.sample(facts, min(each, len(facts))):
            if (asked := ask(fact, rng)) and (made := question_row(store, heard, asked, fact, rng, must_hold=False)):
                yield made
        yield from next_turns(store, heard, sessions[-1][1], rng)


def asked_rows(
    store: Store, chats: Sequence[Mapping[str, Any]], asked: Mapping[str, Sequence[ChatQuestion]], seed: int
) -> Iterator[dict[str, Any]]:
    """An answer row for each question whose answer search recalls, under one word budget each."""
    rng = random.Random(seed)
    for chat in chats:
        if questions := asked.get(chat["id"]):
            heard = hear_chat(store, chat, f"asked{seed}-{chat['id']}", rng)
            other = Heard(replace(heard.user, called=heard.me), heard.you, heard.me, heard.turns)
            for one in questions:
                side = heard if one.asker == SPEAKERS[1] else other
                if made := question_row(store, side, one.question, one.answer, rng):
                    yield made


def hear_chat(store: Store, chat: Mapping[str, Any], key: str, rng: random.Random) -> Heard:
    """A chat of MSC in the store, mostly under names; Speaker 2 is the one who asks."""
    me, you = two_names(rng, plain=0.5)
    names = dict(zip(SPEAKERS, (me, you), strict=True))
    sessions = [(NOW, [(names[t["speaker"]], t["text"]) for t in s["turns"]]) for s in chat["sessions"]]
    return hear(store, key, sessions, me, you)


def next_turns(
    store: Store, heard: Heard, lines: Sequence[tuple[str, str]], rng: random.Random
) -> Iterator[dict[str, Any]]:
    """Two replies of `me` in the last session, with the recall that the chat would have had."""
    places = [
        i for i, (who, text) in enumerate(lines) if i and who == heard.me and lines[i - 1][0] == heard.you and text
    ]
    for place in rng.sample(places, min(2, len(places))):
        text, reply = lines[place - 1][1], lines[place][1]
        if len(reply.split()) > 40:
            continue
        recent = [
            ("assistant" if who == heard.me else "user", said) for who, said in lines[max(0, place - 4) : place - 1]
        ]
        recall = store.search(heard.user.id, text, limit=12, speaker=heard.you, word_budget=60, now=NOW)
        running = " ".join(" ".join(said.split()) for _, said in lines)
        kept = tuple(replace(i, turns=tuple(t for t in i.turns if t.text not in running)) for i in recall.items)
        scene = Talkers(heard.me, heard.you)
        shown = memory_lines(Recall(text, tuple(i for i in kept if i.turns or i.memory)), scene, 60)
        yield training_row(answer_messages(scene.system(NOW), recent, shown, text), reply.strip())


_PATTERNS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"I (?:work|worked) (?:as|at|for|in) ", ("What did you say you do for work?", "Where did you say you work?")),
    (r"I live (?:in|on|near|with) ", ("Where did you say you live?", "Who or where do you live?")),
    (r"My favou?rite ([a-z ]+?) (?:is|are) ", ("What did you say is your favorite {0}?", "What's your favorite {0}?")),
    (r"My ([a-z]+) (?:is|are|was|has|likes|loves|works|lives) ", ("What did you tell me about your {0}?",)),
    (r"I (?:have|own) (?:an?|two|three|four|five|six|no|many|several|some|my|\d+) ", ("What did you say you have?",)),
    (r"I (?:want|would like|hope|plan) to ", ("What did you say you want to do?", "What are you hoping to do?")),
    (r"I (?:like|love|enjoy) ", ("What did you mention you like?", "What was it you said you enjoy?")),
    (r"I am (?:a|an) ", ("What did you say you are?",)),
    (r"I (?:hate|dislike|do not like|don't like) ", ("What did you say you don't like?",)),
    (r"I (?:play|collect|drive|study|teach|speak) ", ("What was it you told me you do?",)),
)  # fmt: skip
_PREFIX = (
    "Hey, remember that time we talked about {0}? ",
    "Remember when we talked about {0}? ",
    "We once talked about {0}. ",
    "",
)


def ask(fact: str, rng: random.Random) -> str | None:
    """A question whose answer is the fact, naming one of its words as the topic; None where no rule fits."""
    nouns = [w for w in re.findall(r"[a-zA-Z]{4,}", fact) if w.lower() not in _COMMON and w.lower() not in _PLAIN]
    for pattern, questions in _PATTERNS:
        if match := re.match(pattern, fact):
            slot = match.group(1) if match.groups() else ""
            prefix = rng.choice(_PREFIX[:3]).format(rng.choice(nouns).lower()) if nouns else ""
            return prefix + rng.choice(questions).format(slot)
    if nouns:
        word = rng.choice(nouns).lower()
        return rng.choice(
            (
                f"What did you tell me about {word}?",
                f"What was that about {word}?",
                f"What do you remember about {word}?",
            )
        )
    return None


_PLAIN_TEXT = """
have like love want work live enjoy favorite favourite think going would also with from that they been really
"""
_PLAIN = frozenset(_PLAIN_TEXT.split())
