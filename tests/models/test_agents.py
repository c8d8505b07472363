"""The agents' own logic: grammars, cut SQL, prompts within their budget, fusion that loses nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from chatmem.memory.guard import guard
from chatmem.memory.store.store import Store
from chatmem.memory.values import Memory, Recall, RecallItem, Turn, User
from chatmem.models.chat.answer import AnswerAgent, Talkers, memory_lines, spoken_date
from chatmem.models.chat.retrieval import KEPT, RetrievalAgent, Selected
from chatmem.models.decoding.scripted import ScriptedLM
from chatmem.models.lm import Chunk, Message, Options
from chatmem.models.prompts.draft import unwrap, whole_rows
from chatmem.models.prompts.messages import NOTHING, Known, Line, insert_sql
from chatmem.models.storage.agent import StorageAgent
from chatmem.models.storage.told.scene import Scene

NOW = "2024-06-12T12:00:00Z"


class Says:
    """A scripted LM: always the same text; keeps what it was asked."""

    name, context_tokens = "scripted", 2048

    def __init__(self, text: str, finish: str = "stop", adapter: str | None = "any") -> None:
        self.text, self.finish, self.adapter = text, finish, adapter
        self.asked: list[tuple[list[Message], Options]] = []

    def generate(self, messages: Sequence[Message], options: Options) -> Iterator[Chunk]:
        self.asked.append((list(messages), options))
        yield Chunk(self.text)
        yield Chunk("", self.finish)  # type: ignore[arg-type]

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def close(self) -> None:
        pass


@pytest.mark.parametrize(
    ("cut", "whole"),
    [
        ("INSERT INTO memory (subject) VALUES ('A'), ('B', 'x", "INSERT INTO memory (subject) VALUES ('A');"),
        ("INSERT INTO memory (subject) VALUES ('A', 'x", NOTHING),
        ("INSERT INTO memory (subject) VALUES ('A', 'A''s new ''. NULL); and on", NOTHING),
        (
            "INSERT INTO memory (subject) VALUES ('A); it''s'), ('B', 'x);",
            "INSERT INTO memory (subject) VALUES ('A); it''s');",
        ),
        ("UPDATE memory SET fact = 'x' WHERE id = 3; INSERT INTO mem", "UPDATE memory SET fact = 'x' WHERE id = 3;"),
    ],
)
def test_cut_sql_keeps_its_whole_rows(cut: str, whole: str) -> None:
    assert whole_rows(cut) == whole


def test_the_day_that_is_written_is_of_the_month_of_which_the_line_before_told(store: Store) -> None:
    user = store.users.call(store.users.get("ana").id, "Ana")
    session = store.sessions.start(user.id)
    before = store.turns.add(session.id, "Ana", "my structures exam is on 12 july at 9.30", said_at=NOW)
    StorageAgent(Says(NOTHING), store).run([before], user)
    line = store.turns.add(session.id, "Ana", "and my geotech exam is on the 15th at 2", said_at=NOW)
    sql = insert_sql([("Ana", "exams", "Ana's geotech exam is on the 15th at 2.", "on the 15th")])
    StorageAgent(Says(sql), store).run([line], user)
    assert [row.happened_on for row in store.facts.all(user.id)] == ["2024-07-15"]


def test_json_of_endpoints_is_unwrapped_and_nonsense_is_nothing() -> None:
    assert unwrap('{"sql": "DELETE FROM memory WHERE id = 1;"}') == "DELETE FROM memory WHERE id = 1;"
    assert unwrap('{"sq": 1}') == NOTHING
    assert unwrap("") == NOTHING


def test_the_storage_agent_writes_with_evidence_and_skips_the_assistant(store: Store) -> None:
    user = store.users.call(store.users.get("ana").id, "Ana")
    session = store.sessions.start(user.id)
    turn = store.turns.add(session.id, "Ana", "I had surgery yesterday.", said_at=NOW)
    reply = store.turns.add(session.id, "assistant", "Get well soon!", said_at=NOW)
    sql = insert_sql([("Ana", "health", "Ana had surgery.", "yesterday")])
    lm = Says(sql)
    result = StorageAgent(lm, store).run([turn, reply], user)
    assert len(lm.asked) == 1
    assert result.refused is None
    [memory] = store.facts.all(user.id)
    assert (memory.fact, memory.happened_on) == ("Ana had surgery.", "2024-06-11")
    assert [t.id for t in store.facts.evidence([memory.id])[memory.id]] == [turn.id]
    assert "'yesterday'" in (lm.asked[0][1].grammar or "")


def test_a_model_without_an_adapter_gets_the_guide(store: Store) -> None:
    lm = Says(NOTHING, adapter=None)
    assert StorageAgent(lm, store).propose([], Line("Ana", "hi"), [Known(3, "pets", "Ana has a cat.")]).sql() == NOTHING
    messages, options = lm.asked[0]
    assert "INSERT INTO memory" in messages[0].content
    assert options.grammar
    assert options.json_schema
    assert "3 | pets | Ana has a cat." in messages[1].content


def test_a_poor_select_loses_nothing_that_search_finds(store: Store) -> None:
    user = store.users.call(store.users.get("ana").id, "Ana")
    for topic, fact in (
        ("pets", "Ana has a cat named Tosca."),
        ("job", "Ana is a nurse."),
        ("city", "Ana lives in Porto."),
    ):
        store.facts.remember(user.id, "Ana", topic, fact)
    plain = store.search(user.id, "How many cats do I have?", word_budget=200)
    for sql in (
        "SELECT * FROM memory WHERE subject = 'Ana' ORDER BY about('job') DESC LIMIT 1;",
        "DROP TABLE memories;",
    ):
        found = RetrievalAgent(Says(sql), store).recall(user, "How many cats do I have?", now=NOW, asker="Ana")
        assert {m.fact for m in plain.memories} <= {m.fact for m in found.memories}
        assert found.sql == sql
        assert bool(found.refused) == sql.startswith("DROP")
    right = "SELECT * FROM memory WHERE subject = 'Ana' ORDER BY about('nurse') DESC LIMIT 1;"
    found = RetrievalAgent(Says(right), store).recall(user, "List all my jobs.", now=NOW, asker="Ana")
    assert "Ana is a nurse." in {m.fact for m in found.memories}


def test_what_search_found_first_stays_first_and_rows_come_nearest_first(store: Store) -> None:
    user = store.users.call(store.users.get("me").id, "Ana")
    for place in range(12):
        store.facts.remember(user.id, "Ana", "walks", f"Ana walked by the river, walk {place}.")
    for name in ("Ana bakes bread.", "Ana saw herons at the lake.", "Ana counts herons."):
        store.facts.remember(user.id, "Ana", "things", name)
    agent = RetrievalAgent(None, store, words=None)
    query = "How many walks by the river did I do?"
    found = agent.found(user, query, now=NOW, asker="Ana")
    things = {row.fact: row.id for row in store.facts.all(user.id, topic="things")}
    selected = Selected("memory", tuple(things.values()))
    fused = agent.fused(user, found, selected, NOW)
    assert [one.memory for one in fused.items[:KEPT]] == [one.memory for one in found.items[:KEPT]]
    assert {one.memory.fact for one in fused.items[KEPT:] if one.memory} >= {*things}
    counted = replace(found, query="How many herons did I see?", items=())
    nearest = [one.memory.fact for one in agent.fused(user, counted, selected, NOW).items if one.memory]
    assert nearest[-1] == "Ana bakes bread."
    last = replace(found, query="What was the last thing with herons?", items=())
    assert [one.memory.fact for one in agent.fused(user, last, selected, NOW).items if one.memory] == [*things]


def test_a_select_over_lines_brings_what_was_said_but_not_the_question(store: Store) -> None:
    user = store.users.call(store.users.get("ana").id, "Ana")
    store.facts.remember(user.id, "Ana", "job", "Ana is a nurse.")
    session = store.sessions.start(user.id)
    texts = ("My car is a red Fiat.", "I grow orchids on the balcony.", "How many flowers did I grow?")
    _, orchids, question = (store.turns.add(session.id, "Ana", text) for text in texts)
    echo = store.turns.add(session.id, "assistant", "You grow orchids, I think, or other flowers.")
    agent = RetrievalAgent(Says("SELECT * FROM lines ORDER BY about('orchids flowers grow') DESC LIMIT 9;"), store)
    ids = agent.run(user, agent.propose(user, Recall("x"), now=NOW, asker="Ana"), "Ana").ids
    assert {*ids} >= {orchids.id, question.id, echo.id}
    found = agent.recall(user, texts[2], now=NOW, asker="Ana")
    brought = [item for item in found.items if "sql" in item.why]
    assert orchids.id in {turn.id for item in brought for turn in item.turns}
    assert not {question.id, echo.id} & {turn.id for item in brought for turn in item.turns if item.why == ("sql",)}


def test_ids_that_a_select_makes_up_bring_nothing_of_anothers(store: Store) -> None:
    ana, bob = store.users.get("ana"), store.users.get("bob")
    store.facts.remember(ana.id, "Ana", "job", "Ana is a nurse.")
    told = store.turns.add(store.sessions.start(bob.id).id, "Bob", "My secret is a boat.")
    secret = store.facts.remember(bob.id, "Bob", "boat", "Bob has a secret boat.").memory_id
    for sql in (
        f"SELECT {secret} AS id FROM memory",
        f"SELECT {told.id} AS id FROM lines",
        "SELECT 'x' AS id FROM memory",
    ):
        found = RetrievalAgent(Says(sql), store).recall(ana, "List all the boats.", now=NOW, asker="Ana")
        assert found.refused is None and "secret" not in repr(found.items)


def test_the_prompt_stays_within_the_budget_and_keeps_the_question() -> None:
    lm = Says("ok")
    turns = [Turn(n, 1, 1, "Ana" if n % 2 else "assistant", "word " * 60, NOW) for n in range(8)]
    items = tuple(RecallItem(1.0, None, (turn,)) for turn in turns)
    user = User(1, "ana", "Ana")
    for budget in (2000, 300, 90, 40):
        agent = AnswerAgent(lm, budget=budget)
        prompt = agent.prompt(user, Recall("Where do I live?", items), turns, "Where do I live?", NOW)
        assert prompt[-1].content.endswith("Where do I live?")
        spent = sum(lm.count_tokens(m.content) + 6 for m in prompt)
        assert spent <= budget or "word" not in " ".join(m.content for m in prompt)


def test_recall_is_shown_once_with_dates_where_the_question_asks_for_one() -> None:
    turn = Turn(1, 1, 1, "Ana", "I went to Porto yesterday.", NOW)
    memory = Memory(1, 1, "Ana", "trip", "Ana went to Porto.", "2024-06-11", NOW, NOW)
    recall = Recall("When was I in Porto?", (RecallItem(1.0, memory, (turn,)), RecallItem(0.5, None, (turn,))))
    lines = memory_lines(recall, Talkers(other="Ana"))
    assert lines == [
        "Ana went to Porto. (11 June 2024)",
        "(12 June 2024) you: I went to Porto yesterday. (yesterday = 11 June 2024)",
    ]
    plain = memory_lines(Recall("Where was I?", recall.items), Talkers(other="Ana"))
    assert plain[1] == "you: I went to Porto yesterday."
    assert [spoken_date(d) for d in ("2024", "2024-06", "2024-06-11")] == ["2024", "June 2024", "11 June 2024"]


def test_the_grammar_of_any_names_holds_only_what_the_guard_takes(store: Store) -> None:
    agent = StorageAgent(Says(NOTHING), store)
    grammar = agent.reader.request(Scene([], Line('O\'Neil "Ö"', "hi"))).options.grammar or ""
    assert "\"'O''Neil \\\"Ö\\\"'\"" in grammar
    assert guard.check_write(NOTHING, subjects=["O'Neil"]).allowed


class SaysInTurn(Says):
    """A scripted LM with a reply for each call."""

    def __init__(self, *texts: str) -> None:
        super().__init__("")
        self.texts = list(texts)

    def generate(self, messages: Sequence[Message], options: Options) -> Iterator[Chunk]:
        self.text = self.texts.pop(0)
        yield from super().generate(messages, options)


@pytest.mark.parametrize(
    ("line", "wrong", "facts"),
    [
        ("My sister has a boat.", "UPDATE memory SET fact = 'Ana''s sister has a boat.' WHERE id = {};", True),
        ("My sister's new boat was fun!", "DELETE FROM memory WHERE id = {};", True),
        ("We moved to Porto.", "UPDATE memory SET fact = 'Ana lives in Porto now.' WHERE id = {};", False),
        ("I don't live in Berlin any more.", "DELETE FROM memory WHERE id = {};", False),
    ],
)
def test_a_change_of_another_matter_overwrites_nothing(store: Store, line: str, wrong: str, facts: bool) -> None:
    user = store.users.call(store.users.get("ana").id, "Ana")
    old = store.facts.remember(user.id, "Ana", "home", "Ana lives in Berlin.").memory_id
    turn = store.turns.add(store.sessions.start(user.id).id, "Ana", line)
    right = insert_sql([("Ana", "boat", "Ana's sister has a boat.", None)])
    lm = SaysInTurn(wrong.format(old), right)
    agent = StorageAgent(lm, store)
    agent._related = lambda user, turn: store.facts.all(user.id)  # type: ignore[method-assign]
    agent.run([turn], user)
    kept = [memory.fact for memory in store.facts.all(user.id)]
    assert ("Ana lives in Berlin." in kept) is facts
    assert ("Ana's sister has a boat." in kept) is facts
    assert len(lm.asked) == (2 if facts else 1)


@pytest.mark.parametrize(
    ("text", "reply", "asked"),
    [("Who sings in Evita?", "Ottawa.", 2), ("Where does Leo live?", "You haven't told me.", 1),
     ("what's my job?", "You haven't told me.", 1)],
)  # fmt: skip
def test_what_nobody_need_have_told_is_asked_again_without_memory(text: str, reply: str, asked: int) -> None:
    user, lm = User(1, "me", called="Ana"), ScriptedLM(["You haven't told me.", "Ottawa."])
    seen: list[Sequence[Message]] = []
    generate = lm.generate
    lm.generate = lambda messages, options: (seen.append(messages), generate(messages, options))[1]  # type: ignore[method-assign]
    row = Memory(1, 1, "Ana", "people", "Ana's brother Leo sings.", None, NOW, NOW, None, False)
    chunks = AnswerAgent(lm).reply(user, Recall(text, (RecallItem(1.0, row),)), [], text, NOW)
    assert ("".join(chunk.text for chunk in chunks), len(seen)) == (reply, asked)
    assert (seen[-1][-1].content == text) == (asked == 2)


def test_a_question_of_the_world_of_which_memory_says_no_word_is_asked_without_it() -> None:
    user, lm, text = User(1, "me", called="Ana"), ScriptedLM(["Ottawa."]), "What's the capital of Canada?"
    row = Memory(1, 1, "Ana", "people", "Ana's brother Leo lives in Montreal.", None, NOW, NOW)
    prompts: list[Sequence[Message]] = []
    generate = lm.generate
    lm.generate = lambda messages, options: (prompts.append(messages), generate(messages, options))[1]  # type: ignore[method-assign]
    chunks = AnswerAgent(lm).reply(user, Recall(text, (RecallItem(1.0, row),)), [], text, NOW)
    assert "".join(chunk.text for chunk in chunks) == "Ottawa."
    assert [prompt[-1].content for prompt in prompts] == [text]


@pytest.mark.parametrize("text", ["Wo wohne ich eigentlich?", "Où est-ce que j'habite ?", "¿Dónde vivo ahora?"])
def test_a_question_in_another_language_is_no_question_of_the_world_by_english_words(text: str) -> None:
    user, lm = User(1, "me", called="Ana"), ScriptedLM(["Vienna."])
    prompts: list[Sequence[Message]] = []
    generate = lm.generate
    lm.generate = lambda messages, options: (prompts.append(messages), generate(messages, options))[1]  # type: ignore[method-assign]
    row = Memory(1, 1, "Ana", "home", "Ana lives in Vienna.", None, NOW, NOW)
    list(AnswerAgent(lm).reply(user, Recall(text, (RecallItem(1.0, row),)), [], text, NOW))
    assert ["Ana lives in Vienna." in prompt[-1].content for prompt in prompts] == [True]


def test_a_general_question_is_asked_without_speaking_of_memory() -> None:
    user, text = User(1, "me", called="Ana"), "What's the capital of France?"
    agent = AnswerAgent(ScriptedLM(["Paris."]))
    plain = agent.prompt(user, Recall(text, general=True), [], text, NOW)
    assert plain[-1].content == text
    assert "memory" not in plain[0].content
    assert "Memory:" in agent.prompt(user, Recall(text), [], text, NOW)[-1].content
