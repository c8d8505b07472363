"""The loop over the five tools: what it finds, what it keeps, when it ends; by a model's calls and by rule."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from chatmem.memory.store.store import Store
from chatmem.memory.values import Hop, User
from chatmem.models.backends.llama.lm import LlamaLM
from chatmem.models.chat.hops.loop import FEW, STEPS, Happened, Hopper, Looked, Stepped
from chatmem.models.chat.hops.tools import TOOLS, grammar
from chatmem.models.decoding.scripted import ScriptedLM
from chatmem.models.files.profiles.profile import SHIPPED
from chatmem.models.lm import Message, Options, complete

CAPABLE = replace(SHIPPED, capable=True, prompts="plain")
SAID = (
    "my sister is called Ana", "Ana moved to Graz in 2019", "I paid for Ana's wedding in Linz", "the weather was fine",
    "Ana keeps bees in Graz", "my brother Bo hates bees", "we ate cake",
)  # fmt: skip


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "memory.db") as opened:
        session = opened.sessions.start(opened.users.get("me").id)
        for text in SAID:
            opened.turns.add(session.id, "User", text)
        yield opened


@pytest.fixture
def user(store: Store) -> User:
    return store.users.get("me")


def call(tool: str, **arguments: object) -> str:
    return json.dumps({"tool": tool, **arguments})


def run(hopper: Hopper, user: User, question: str = "Where does my sister live?") -> tuple[list[Hop], Looked]:
    happened: list[Happened] = list(hopper.run(user, question, now="2026-05-08T12:00:00Z"))
    end = happened[-1]
    assert isinstance(end, Looked)
    return [one.hop for one in happened if isinstance(one, Stepped)], end


def test_a_model_searches_selects_reads_concludes_and_finishes(store: Store, user: User) -> None:
    lm = ScriptedLM(
        [
            call("search", query="Ana Graz"),
            call("sql", select="SELECT id, text FROM lines WHERE text LIKE '%bees%'"),
            call("sessions", id=0),
            call("sessions", id=1),
            call("add_insight", text="Ana lives in Graz.", evidence=["l2", "l5"], certainty=0.8),
            call("finish", answer="In Graz, I think."),
        ],
        profile=CAPABLE,
    )
    hops, end = run(Hopper(lm, store), user)
    assert [hop.tool for hop in hops] == ["search", "search", "sql", "sessions", "sessions", "add_insight", "finish"]
    assert [hop.number for hop in hops] == [*range(1, 8)]
    assert not any(hop.failed for hop in hops)
    assert hops[2].told == "2 rows"
    assert end.answer == "In Graz, I think."
    assert end.recall.hops == tuple(hops)
    assert "Ana keeps bees in Graz" in {turn.text for item in end.recall.items for turn in item.turns}
    (made,) = store.facts.all(user.id, derived=True)
    assert (made.fact, made.certainty, made.created_by) == ("Ana lives in Graz.", 0.8, "agent:hops")
    assert [turn.id for turn in store.facts.evidence([made.id])[made.id]] == [2, 5]
    assert [store.journal.get(one).memory_id for one in end.insights] == [made.id]
    shown = lm.calls[-1][0][-1].content
    assert "l2 " in shown and "Step 3, sql" in shown  # notes of each step, with names for evidence


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (call("add_insight", text="Ana is tall.", evidence=[], certainty=0.5), "refused: an insight needs evidence"),
        (call("add_insight", text="Ana is tall.", evidence=["x9"], certainty=0.5), "names no evidence"),
        (call("add_insight", text="Ana is tall.", evidence=["l999"], certainty=0.5), "line 999"),
        (call("sql", select="DELETE FROM memory WHERE id = 1"), "SELECT"),
        (call("sql"), "needs 'select'"),
        (call("sessions", id=99), "session"),
    ],
)
def test_a_call_that_fails_says_why_and_the_model_goes_on(store: Store, user: User, wrong: str, why: str) -> None:
    lm = ScriptedLM([wrong, call("finish", answer="I don't know.")], profile=CAPABLE)
    hops, end = run(Hopper(lm, store), user)
    assert hops[1].failed and why in hops[1].told
    assert why.removeprefix("refused: ") in lm.calls[1][0][-1].content
    assert end.answer == "I don't know." and not store.facts.all(user.id)


def test_it_ends_after_twelve_steps_however_the_model_goes_on(store: Store, user: User) -> None:
    lm = ScriptedLM([call("search", query="bees")], profile=CAPABLE)
    hops, end = run(Hopper(lm, store), user)
    assert len(hops) == STEPS and hops[-1].tool == "finish" and end.answer == ""
    assert "tool" in (lm.calls[-1][1].json_schema or "") and "search" not in (lm.calls[-1][1].grammar or "")


@pytest.mark.parametrize("reply", ["no JSON", '{"tool": "rm"}', "[1]", ""])
def test_what_is_no_call_leaves_the_reply_to_the_answer_agent(store: Store, user: User, reply: str) -> None:
    hops, end = run(Hopper(ScriptedLM([reply], profile=CAPABLE), store), user)
    assert [hop.tool for hop in hops] == ["search", "finish"] and not end.answer and end.recall.items


def test_the_small_model_takes_three_steps_at_most_by_names_of_what_it_found(store: Store, user: User) -> None:
    for lm in (None, ScriptedLM(["never asked"])):
        hops, end = run(Hopper(lm, store), user, "What is my sister called?")
        assert [hop.tool for hop in hops] == ["search", "search"] and len(hops) <= FEW
        assert "Ana" in hops[1].asked
        found = [turn.text for item in end.recall.items for turn in item.turns]
        assert found[0] == "my sister is called Ana" and "Ana keeps bees in Graz" in found
        assert lm is None or not lm.calls


def test_nothing_is_kept_where_nothing_may_be(store: Store, user: User) -> None:
    lm = ScriptedLM(
        [call("add_insight", text="x", evidence=["l2"], certainty=1), call("finish", answer="x")], profile=CAPABLE
    )
    hops, _ = run(Hopper(lm, store, writes=False), user)
    assert hops[1].failed and not store.journal.entries(user.id)


def test_stopped_between_two_steps_nothing_more_is_asked(store: Store, user: User) -> None:
    lm = ScriptedLM([call("search", query="bees")], profile=CAPABLE)
    steps = Hopper(lm, store).run(user, "Where does Ana live?", now="2026-05-08T12:00:00Z")
    next(steps), next(steps)
    steps.close()  # type: ignore[attr-defined]
    assert len(lm.calls) == 1


def test_a_call_written_by_a_real_model_is_held_to_its_form(tiny_model: Path) -> None:
    lm = LlamaLM(tiny_model, threads=1)
    try:
        for names in (("add_insight",), tuple(TOOLS)):
            options = Options(max_tokens=16, temperature=1.0, seed=3, grammar=grammar(names))
            text = complete(lm, [Message("user", "Which tool?")], options)
            begin = tuple(f'{{"tool": "{name}"' for name in names)
            assert text.startswith(begin), text
    finally:
        lm.close()
