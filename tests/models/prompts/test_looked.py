"""What the retrieval agent sees, and that every SELECT it may write from that passes the guard."""

from __future__ import annotations

import pytest

from chatmem.memory.guard import guard
from chatmem.memory.store.store import Store
from chatmem.memory.values import Recall
from chatmem.models.chat.retrieval import RetrievalAgent
from chatmem.models.prompts.grammars import rows_grammar
from chatmem.models.prompts.looked import look

NOW = "2024-06-01T09:00:00Z"


def test_the_prompt_shows_rows_topics_periods_and_the_day(store: Store) -> None:
    user = store.users.call(store.users.get("me").id, "Owen")
    for topic, fact in (("films", "Owen saw Dune at the cinema."), ("job", "Owen is a nurse.")):
        store.facts.remember(user.id, "Owen", topic, fact)
    agent = RetrievalAgent(None, store)
    found = agent.found(user, "Which films did I see in March?", now=NOW, asker="Owen")
    messages, options = agent.request(user, found, now=NOW, asker="Owen")
    told = messages[-1].content.split("\n")
    assert told[0] == "Subjects: Owen" and told[1].startswith("Topics: films") and "- films: Owen saw Dune" in told[3]
    assert told[-3:] == [
        "Dates: March = 2024-03 to 2024-04", "Today: 2024-06-01", "Owen: Which films did I see in March?",
    ]  # fmt: skip
    assert "'2024-04'" in str(options.grammar) and "'films'" in str(options.grammar)


def test_nothing_found_is_not_shown() -> None:
    seen = look("How many?", Recall("How many?"), [], [], NOW)
    assert (
        not any(seen.rows + seen.topics + seen.bounds.since)
        and "Found" not in seen.messages("Ana", "How many?", "2024-06-01")[-1].content
    )
    assert "bound" not in str(seen.options().grammar)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM memory WHERE subject = 'Ben O''Neil' AND topic IN ('a', 'b') AND happened_on < '2024' LIMIT 20;",
        "SELECT * FROM memory WHERE coalesce(happened_on, said_at) >= '2024-03' ORDER BY happened_on DESC LIMIT 20;",
        "SELECT * FROM memory WHERE fact NOT LIKE '%the cat''s%' ORDER BY about('films') DESC LIMIT 12;",
        "SELECT * FROM lines WHERE speaker = 'assistant' AND text NOT LIKE '%x%' ORDER BY said_at LIMIT 9;",
    ],
)
def test_the_forms_of_the_grammar_pass_the_guard(sql: str) -> None:
    verdict = guard.check_read(sql)
    assert verdict.allowed, verdict.reason


def test_the_grammar_is_one_that_llama_reads() -> None:
    from llama_cpp import LlamaGrammar

    grammar = rows_grammar(["Ben O'Neil"], ["Ben O'Neil", "assistant"], ['"odd" topic'], ["2024-03"], ["2024-04"])
    assert LlamaGrammar.from_string(grammar, verbose=False)
    assert LlamaGrammar.from_string(rows_grammar([], [], [], [], []), verbose=False)


@pytest.mark.parametrize(
    ("question", "few"),
    [("How many hikes have I been on?", False), ("How often did I swim in the last two weeks?", False),
     ("What was the last film I saw?", True), ("Which were my first three jobs?", True)],
)  # fmt: skip
def test_what_is_counted_wants_all_rows(question: str, few: bool) -> None:
    grammar = str(look(question, Recall(question), ["Ana"], ["sport"], NOW).options().grammar)
    assert ("limit ::= [1-9]" in grammar) == few


@pytest.mark.parametrize(
    ("question", "way"),
    [("What was the last film I saw?", '" DESC"'), ("Which was my first job?", '""'), ("List my films.", '(" DESC")?'),
     ("In which order did I see them, from first to last?", '(" DESC")?'), ("What did I do last week?", '(" DESC")?')],
)  # fmt: skip
def test_the_newest_come_first_where_the_last_is_asked_for(question: str, way: str) -> None:
    grammar = str(look(question, Recall(question), ["Ana"], ["sport"], NOW).options().grammar)
    assert f"way ::= {way}\n" in grammar
