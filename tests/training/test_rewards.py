"""Laws of the rewards: the human target earns most, a refused statement least, and what is wrong never pays."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatmem.models.prompts.messages import NOTHING, Known, Line, delete_sql, insert_sql, storage_messages, update_sql
from chatmem.training.answer.preferences import balanced, pair, without_answer
from chatmem.training.answer.reward import AnswerTask
from chatmem.training.methods.rwr import RwrConfig, softmax, statistics, weighted
from chatmem.training.policy.sampling import Sample
from chatmem.training.storage import preferences as stored
from chatmem.training.storage.reward import REFUSED, RIGHT_NOTHING, Outcome, StorageTask, score, window_of

TEXT = "Ana has two cats Nori Kit works nurse Boston likes 12 old bikes since May"
WORDS = st.sampled_from(TEXT.split())
FACTS = st.lists(WORDS, min_size=1, max_size=8).map(" ".join)
ROWS = st.lists(st.tuples(st.sampled_from(("Ana", "Ben")), FACTS, st.sampled_from((None, "2024-05-07"))), max_size=3)
OUTCOMES = st.builds(
    Outcome,
    wrote=st.just(True),
    rows=ROWS.map(tuple),
    touched=st.frozensets(st.integers(1, 3), max_size=2),
    refused=st.booleans(),
) | st.just(Outcome(False))


@given(OUTCOMES, OUTCOMES)
def test_the_reward_is_bounded_and_a_refused_statement_earns_least(got: Outcome, gold: Outcome) -> None:
    reward = score(got, gold, "Ana")["reward"]
    assert REFUSED <= reward <= 1
    assert (reward < 0) == got.refused


@given(ROWS.filter(bool))
def test_the_target_itself_earns_the_most(rows: list[tuple[str, str, str | None]]) -> None:
    own = tuple(("Ana", fact, day) for _, fact, day in rows)
    gold = Outcome(True, own)
    assert score(gold, gold, "Ana")["reward"] == pytest.approx(1)
    assert score(Outcome(False), gold, "Ana")["reward"] == 0


@given(ROWS.filter(bool))
def test_junk_where_nothing_was_noted_earns_nothing(rows: list[tuple[str, str, str | None]]) -> None:
    assert score(Outcome(True, tuple(rows)), Outcome(False), "Ana")["reward"] == 0
    assert score(Outcome(False), Outcome(False), "Ana")["reward"] == RIGHT_NOTHING


@given(ROWS.filter(bool), OUTCOMES.filter(lambda o: o.wrote and not o.refused))
def test_the_wrong_subject_never_pays(rows: list[tuple[str, str, str | None]], gold: Outcome) -> None:
    right = Outcome(True, tuple(("Ana", fact, day) for _, fact, day in rows))
    wrong = Outcome(True, tuple(("Ben", fact, day) for _, fact, day in rows))
    assert score(wrong, gold, "Ana")["reward"] == 0
    assert score(right, gold, "Ana")["reward"] >= 0


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=8), st.floats(0.05, 2))
def test_weights_sum_to_one_and_follow_the_reward(rewards: list[float], tau: float) -> None:
    found = softmax(rewards, tau)
    assert sum(found) == pytest.approx(1)
    ordered = sorted(zip(rewards, found, strict=True))
    assert [weight for _, weight in ordered] == sorted(found)


@pytest.fixture(scope="module")
def task() -> Iterator[StorageTask]:
    made = StorageTask()
    yield made
    made.close()


def row(gold: str, known: tuple[Known, ...] = ()) -> dict[str, object]:
    before = [Line("Ana", "How is your flat?"), Line("Ben", "Still in Berlin, I like it.")]
    messages = storage_messages(before, Line("Ana", "I moved to Porto, and Kit the cat came along."), known)
    return {"messages": [(m.role, m.content) for m in messages], "completion": gold}


PORTO = insert_sql([("Ana", "home", "Ana moved to Porto with her cat Kit.", None)])


def test_what_runs_is_what_is_scored(task: StorageTask) -> None:
    def earned(sql: str) -> float:
        return task.score(row(PORTO), sql)["reward"]

    best, short = earned(PORTO), earned(insert_sql([("Ana", "home", "Ana moved to Porto.", None)]))
    other = earned(insert_sql([("Ben", "home", "Ben moved to Porto with her cat Kit.", None)]))
    assert best == pytest.approx(1)
    assert best > short > earned(NOTHING) == other == 0
    assert earned("DROP TABLE memory;") == REFUSED
    assert task.score(row(NOTHING), PORTO)["reward"] == 0
    assert task.score(row(NOTHING), NOTHING)["reward"] == RIGHT_NOTHING


def test_downstream_recall_pays_for_facts_that_a_question_finds_again(task: StorageTask) -> None:
    def recalled(fact: str) -> float:
        gold = Outcome(True, (("Ana", "Ana moved to Porto with her cat Kit.", None),))
        return task.sandbox.recalled("Ana", Outcome(True, (("Ana", fact, None),)), gold)

    assert recalled("Ana moved to Porto with her cat Kit.") == 1
    assert recalled("Ana moved to Porto.") > recalled("Ana sleeps well.")


def test_words_that_nobody_said_cost_a_share_where_that_is_asked_for(task: StorageTask) -> None:
    faithful = StorageTask(faithful=0.4)
    made_up = insert_sql([("Ana", "home", "Ana moved to Porto with her cat Kit and seven goldfish from Lisbon.", None)])
    try:
        assert faithful.score(row(PORTO), PORTO)["reward"] == task.score(row(PORTO), PORTO)["reward"]
        usual, less = task.score(row(PORTO), made_up), faithful.score(row(PORTO), made_up)
        assert less["faithful"] == 0.0 and "faithful" not in usual
        assert less["reward"] == pytest.approx(0.6 * usual["reward"])
        assert faithful.score(row(NOTHING), NOTHING)["reward"] == RIGHT_NOTHING
    finally:
        faithful.close()


def test_a_change_beats_a_second_row(task: StorageTask) -> None:
    known = (Known(17, "home", "Ana lives in Berlin."), Known(40, "job", "Ana is a nurse."))
    gold = row(update_sql(17, "Ana lives in Porto."), known)
    right = task.score(gold, update_sql(17, "Ana lives in Porto."))
    twice = task.score(gold, insert_sql([("Ana", "home", "Ana lives in Porto.", None)]))
    wrong = task.score(gold, update_sql(40, "Ana lives in Porto."))
    assert right["reward"] == pytest.approx(1)
    assert twice["reward"] < 0.5 > wrong["reward"]
    assert task.score(row(delete_sql(40), known), delete_sql(40))["reward"] == pytest.approx(1)
    assert task.score(row(delete_sql(40), known), delete_sql(17))["reward"] < 0.5


def test_the_window_is_read_back_from_the_prompt() -> None:
    window = window_of(row(NOTHING, (Known(3, "pets", "Ana: has | a cat"),))["messages"])  # type: ignore[arg-type]
    assert window.known == (Known(3, "pets", "Ana: has | a cat"),)
    assert window.line == Line("Ana", "I moved to Porto, and Kit the cat came along.")
    assert window.subjects == ["Ana", "Ben"]


def group(*rewards: float) -> dict[str, object]:
    samples = [{"text": f"t{n}", "clipped": False, "tokens": 3, "reward": r} for n, r in enumerate(rewards)]
    return {"row": row(PORTO), "samples": samples}


def test_prompts_whose_samples_all_earn_the_same_teach_nothing() -> None:
    import random

    flat, sharp = group(0.4, 0.4), group(0.1, 0.9)
    rows = weighted([flat, sharp], RwrConfig(anchor=0), random.Random(0))
    assert [r["completion"] for r in rows] == ["t1"]
    assert statistics([flat, sharp])["zero variance"] == 0.5


ASKED = (
    ("system", "You are me."),
    ("user", "Memory:\n- Ana's sister is called Vera.\n- you: My brother Tom rows.\n\nWhat's my sister's name?"),
)


def asked(answer: str) -> dict[str, object]:
    return {"messages": ASKED, "completion": answer}


@settings(deadline=None)
@given(st.text(max_size=60))
def test_an_answer_that_the_recall_does_not_hold_never_earns_more_than_a_grounded_one(text: str) -> None:
    task = AnswerTask()
    best = task.score(asked("Vera"), "Vera")["reward"]
    assert task.score(asked("Vera"), text)["reward"] <= best == 1
    if "vera" not in text.lower():
        assert task.score(asked("Vera"), text)["right"] == 0


def test_honesty_is_right_only_where_the_recall_lacks_the_answer() -> None:
    task = AnswerTask()
    assert task.score(asked("I don't know that; it isn't in my memory."), "I don't know.")["reward"] == 1
    assert task.score(asked("I don't know that; it isn't in my memory."), "Vera")["reward"] == 0
    assert task.score(asked("Vera"), "I don't know.")["reward"] == 0
    assert task.score(asked("Vera"), "Vera from Lisbon")["reward"] == 0  # right, but Lisbon was made up


@given(st.integers(0, 30), st.integers(0, 30))
def test_honest_refusals_never_outweigh_the_answers(answers: int, refusals: int) -> None:
    found = [{"chosen": f"Vera {n}"} for n in range(answers)] + [{"chosen": "I don't know."}] * refusals
    kept = balanced(found, 0)
    honest = sum(one["chosen"] == "I don't know." for one in kept)
    assert len(kept) - honest == answers
    assert not answers or honest <= 0.3 * len(kept) + 1


def test_pairs_prefer_what_is_right_and_never_what_the_recall_lacks() -> None:
    import random

    task = AnswerTask()
    samples = [Sample("Tom", False, 1), Sample("Your sister is Vera.", False, 5), Sample("Vera", False, 1)]
    made = pair(asked("Vera"), samples, task)
    assert made is not None
    assert (made["chosen"], made["rejected"], made["why"]) == ("Vera", "Tom", "another recalled line")
    lacking = without_answer(asked("Vera"), random.Random(1))
    assert lacking is not None
    assert "Vera" not in lacking["messages"][-1][1]
    made = pair(lacking, samples, task)
    assert made is not None
    assert made["chosen"] == lacking["completion"]
    assert pair(asked("Vera"), samples[1:], task) is None


def test_a_storage_pair_prefers_the_person_s_facts_to_another_draft(task: StorageTask) -> None:
    home = insert_sql([("Ana", "home", "Ana moved to Porto with her cat Kit.", None)])
    near = insert_sql([("Ana", "home", "Ana moved to Porto, and her cat Kit came along.", None)])
    far = insert_sql([("Ana", "pets", "Ana has a flat in Berlin.", None)])

    def drawn(*texts: str, clipped: bool = False) -> list[Sample]:
        return [Sample(text, clipped, 9) for text in texts]

    made = stored.pair(row(home), drawn(home, near, far), task)
    assert made is not None and (made["chosen"], made["rejected"]) == (home, far)
    assert stored.pair(row(home), drawn(home, near), task) is None
    assert stored.pair(row(home), drawn(far, clipped=True), task) is None
    silent = stored.pair(row(NOTHING), drawn(NOTHING, far), task)
    assert silent is not None and (silent["chosen"], silent["rejected"]) == (NOTHING, far)
    lost = stored.pair(row(home), drawn(NOTHING), task)
    assert lost is not None and lost["rejected"] == NOTHING


def test_few_storage_pairs_prefer_silence() -> None:
    found = [{"chosen": "INSERT"}] * 14 + [{"chosen": NOTHING}] * 40
    kept = stored.balanced(found, 1)
    assert [one["chosen"] for one in kept].count(NOTHING) == 6 and len(kept) == 20
