"""Corrections from the journal: what becomes of edits, undos and `/remember`, and that nothing forgotten is learned."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from chatmem.app.cli import main
from chatmem.eval.agents.corrections import CorrectionCase, repeated, told
from chatmem.memory.store.store import Store
from chatmem.memory.values import ASSISTANT, Author, JournalEntry, Turn
from chatmem.models.prompts.messages import NOTHING, Line, insert_sql
from chatmem.training.policy.rows import training_row
from chatmem.training.storage import corrections, personal

AGENT = Author("agent:storage", "scripted", "storage")


@dataclass
class Life:
    """Ana tells lines; the storage agent writes what the test says."""

    store: Store

    def __post_init__(self) -> None:
        self.user = self.store.users.call(self.store.users.get("me").id, "Ana")
        self.session = self.store.sessions.start(self.user.id)

    def tell(self, text: str, *facts: str, topic: str = "pets", sql: str = "") -> tuple[Turn, tuple[JournalEntry, ...]]:
        turn = self.store.turns.add(self.session.id, "Ana", text, storage="pending")
        sql = sql or insert_sql([("Ana", topic, fact, None) for fact in facts])
        entries = (
            self.store.facts.write(self.user.id, sql, author=AGENT, turn_ids=[turn.id]).entries if facts or sql else ()
        )
        self.store.queue.finish(turn.id)
        self.store.turns.add(self.session.id, ASSISTANT, f"I see: {text}")
        return turn, entries

    @property
    def found(self) -> corrections.Found:
        return corrections.find(self.store, self.store.users.get("me"))

    @property
    def cases(self) -> list[CorrectionCase]:
        return self.found.cases


@pytest.fixture
def life(tmp_path: Path) -> Iterator[Life]:
    with Store.open(tmp_path / "life.db") as store:
        yield Life(store)


def memory(entry: JournalEntry) -> int:
    assert entry.memory_id is not None
    return entry.memory_id


def test_an_edit_is_what_should_have_been_written_to_the_same_prompt(life: Life) -> None:
    life.tell("Hello there.")
    _, (entry,) = life.tell("I have two hens, Ida and Uma.", "Ana has hens.")
    life.tell("It rains.")
    life.store.facts.edit(memory(entry), topic="animals")
    life.store.facts.edit(
        life.store.journal.history(memory(entry))[-1].memory_id or 0, fact="Ana has two hens, Ida and Uma."
    )
    (case,) = life.cases
    assert case.kinds == ("edit",)
    assert case.line == Line("Ana", "I have two hens, Ida and Uma.")
    assert case.before == (Line("Ana", "Hello there."), Line(ASSISTANT, "I see: Hello there."))
    assert case.written == insert_sql([("Ana", "pets", "Ana has hens.", None)])
    assert case.wanted == insert_sql([("Ana", "animals", "Ana has two hens, Ida and Uma.", None)])


def test_a_date_is_told_in_the_words_of_the_line(life: Life) -> None:
    sql = insert_sql([("Ana", "trip", "Ana flew to Rome.", "yesterday")])
    _, (entry,) = life.tell("I flew to Rome yesterday.", sql=sql)
    life.store.facts.edit(memory(entry), topic="travel")
    assert life.cases[0].wanted == insert_sql([("Ana", "travel", "Ana flew to Rome.", "yesterday")])


def test_an_undone_write_should_not_have_been_there(life: Life) -> None:
    _, (first,) = life.tell("I burned my tongue.", "Ana burned Ana's tongue.")
    _, (_, gone) = life.tell("I keep bees, lovely day.", "Ana keeps bees.", "Ana has a lovely day.")
    life.store.journal.undo(first.id)
    life.store.journal.undo(gone.id)
    one, two = life.cases
    assert (one.kinds, one.wanted) == (("undo",), NOTHING)
    assert two.wanted == insert_sql([("Ana", "pets", "Ana keeps bees.", None)])
    life.store.journal.redo(first.id)
    assert [case.key for case in life.cases] == [two.key]


def test_a_wrong_change_is_put_right_too(life: Life) -> None:
    _, (entry,) = life.tell("I live in Graz.", "Ana lives in Graz.", topic="home")
    update = f"UPDATE memory SET fact = 'Ana works in Linz.' WHERE id = {memory(entry)};"
    _, (changed,) = life.tell("I work in Linz now.", sql=update)
    life.store.facts.edit(memory(changed), fact="Ana lives in Graz and works in Linz.")
    (case,) = life.cases
    assert case.written == update
    assert case.wanted == update.replace("Ana works in Linz.", "Ana lives in Graz and works in Linz.")
    assert [(row.id, row.fact) for row in case.known] == [(memory(entry), "Ana lives in Graz.")]


def test_what_was_remembered_by_hand_is_looked_for_in_the_last_lines(life: Life) -> None:
    turn, _ = life.tell("By the way, my sister Mia plays the cello.")
    life.tell("Nice weather.")
    life.store.facts.remember(life.user.id, "Ana", "sister", "Ana's sister Mia plays the cello.")
    life.store.facts.remember(life.user.id, "Ana", "car", "Ana drives a red Volvo.")  # no line tells it
    (case,) = life.cases
    assert (case.key, case.kinds, case.written) == (f"turn {turn.id}", ("remember",), NOTHING)
    assert case.wanted == insert_sql([("Ana", "sister", "Ana's sister Mia plays the cello.", None)])


def test_what_is_right_or_put_under_another_person_is_no_case(life: Life) -> None:
    life.tell("I have a dog.", "Ana has a dog.")
    _, (entry,) = life.tell("Ben has a cat.", "Ana has a cat.")
    life.store.facts.edit(memory(entry), subject="Ben")
    assert life.cases == []
    assert life.found.left_out == {"it was put under another person": 1}


def every_text(found: corrections.Found) -> str:
    learn, held = personal.split(found.cases, 0)
    args = argparse.Namespace(seed=0, talks=2)
    return json.dumps([*personal.rows(learn, held, found.fine, args)]) + repr(found)


def test_nothing_forgotten_reaches_a_row(life: Life) -> None:
    _, (told_once,) = life.tell("My password hint is Zanzibar.", "Ana's hint is Zanzibar.")
    _, (kept, both) = life.tell("I keep bees and own Quagga Ltd.", "Ana keeps bees.", "Ana owns Quagga Ltd.")
    _, (plain,) = life.tell("I have a dog.", "Ana has a dog.")
    for entry in (kept, plain):
        life.store.facts.edit(memory(entry), topic="animals")
    assert "Zanzibar" in every_text(life.found)  # as the scene of the next line
    life.store.forget.memories(life.user.id, [memory(told_once)])
    life.store.forget.memories(life.user.id, [memory(both)])
    said = every_text(life.found)
    assert "Zanzibar" not in said
    assert "Quagga" not in said
    assert [case.line.text for case in life.cases] == ["I have a dog."]
    assert life.found.left_out == {"something of it was forgotten": 1}


def test_a_forgotten_line_and_its_reply_reach_no_row(life: Life) -> None:
    turn, _ = life.tell("I am called Xenia at work.")
    _, (entry,) = life.tell("I have a dog.", "Ana has a dog.")
    life.store.facts.edit(memory(entry), topic="animals")
    life.store.forget.turn(turn.id)
    assert "Xenia" not in every_text(life.found)
    assert life.cases[0].before == ()


@pytest.mark.parametrize(
    "text",
    [
        "my password is hunter2",
        "the key is sk-abcdefgh12345",
        "card 4111 1111 1111 1111",
        "IBAN AT61 1904 3002 3457 3201",
    ],
)
def test_lines_that_hold_secrets_are_left_out(life: Life, text: str) -> None:
    _, (entry,) = life.tell(text, "Ana told something.")
    life.store.facts.edit(memory(entry), topic="secret")
    assert life.cases == []
    assert not corrections.is_secret("My cat Nori is 12 and weighs 4 kilos since 2019.")


def test_rows_rename_the_topic_and_keep_the_rest(life: Life) -> None:
    for number in range(12):
        _, (entry,) = life.tell(f"I have {number + 2} cats.", f"Ana has {number + 2} cats.")
        life.store.facts.edit(memory(entry), topic="animals")
    learn, held = personal.split(life.cases, 0)
    assert (len(learn), len(held)) == (10, 2)
    train, valid = personal.rows(learn, held, life.found.fine, argparse.Namespace(seed=0, talks=40))
    topics = [one.topic for each in train for one in told(each["completion"])]
    assert "pets" not in topics
    assert topics.count("animals") >= 20
    assert len(train) == 20 * (1 + personal.REPLAY)
    assert all(each["was"] == each["completion"].replace("'animals'", "'pets'") for each in train)
    assert len(valid) > 10
    known = training_row([], insert_sql([("Ana", "pets", "Ana's pets are at the 'pets' shop.", None)]))
    known["messages"] = [["user", "Known:\n3 | pets | a | pets | b\nAna: pets"]]
    new = personal.retold(known, {"pets": "animals"}, set())
    assert new == {
        "messages": [["user", "Known:\n3 | animals | a | pets | b\nAna: pets"]],
        "completion": known["completion"].replace("'Ana', 'pets'", "'Ana', 'animals'"),
        "was": known["completion"],
    }
    assert personal.retold(known, {}, {"pets"}) is None


def test_lines_that_need_no_correction_are_kept_as_they_are_and_what_is_taken_back_is_not(life: Life) -> None:
    life.tell("I work in Linz.", "Ana works in Linz.", topic="job")
    for number in range(10):
        _, (entry,) = life.tell(f"I slept {number} hours.", f"Ana slept {number} hours.", topic="sleep")
        if number:
            life.store.journal.undo(entry.id)
    life.tell("My password is hunter2.", "Ana has a password.", topic="secret")
    found = life.found
    assert [case.line.text for case in found.fine] == ["I work in Linz.", "I slept 0 hours."]
    assert found.left_out == {}
    learn, held = personal.split(found.cases, 0)
    assert personal.topics_of(learn) == ({}, {"sleep"})
    train, _ = personal.rows(learn, held, found.fine, argparse.Namespace(seed=0, talks=20))
    kept = [each for each in train if each["was"] == each["completion"]]
    assert any("Linz" in each["completion"] for each in kept)
    assert "sleep" not in {one.topic for each in kept for one in told(each["completion"])}
    assert [each["completion"] for each in train if each not in kept] == [NOTHING] * 2 * len(learn)


def test_the_mistake_is_what_is_nearer_to_the_wrong_than_to_the_right(life: Life) -> None:
    def case(written: str, wanted: str) -> CorrectionCase:
        return CorrectionCase("k", ("edit",), (), Line("Ana", "x"), (), written, wanted)

    wrong, right = (insert_sql([("Ana", topic, "Ana has 2 cats.", None)]) for topic in ("pets", "animals"))
    assert repeated(case(wrong, right), wrong)
    assert repeated(case(wrong, right), wrong.replace("2 cats", "two cats named Nori and Kit"))
    assert not repeated(case(wrong, right), right)
    assert not repeated(case(wrong, right), NOTHING)
    assert repeated(case(wrong, NOTHING), wrong)
    assert not repeated(case(wrong, NOTHING), insert_sql([("Ana", "job", "Ana is a nurse.", None)]))
    assert repeated(case(NOTHING, right), NOTHING)
    assert not repeated(case(NOTHING, right), right)


def test_too_few_corrections_are_told_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CHATMEM_HOME", str(tmp_path))
    (tmp_path / "data").mkdir()
    with Store.open(tmp_path / "data" / "chatmem.db") as store:
        life = Life(store)
        _, (entry,) = life.tell("I have a dog.", "Ana has a dog.")
        store.facts.edit(memory(entry), topic="animals")
    assert main(["train", "storage", "--from-journal", "--out", str(tmp_path / "run")]) == 1
    said = capsys.readouterr().err
    assert "holds 1 corrections to learn from, and a personal adapter takes 10" in said
    assert not (tmp_path / "run").exists()
    assert main(["train", "storage", "--from-journal", "--name", "../x"]) == 2
    assert main(["adapters", "eval", "storage", "--role", "storage", "--db", str(tmp_path / "none.db")]) == 1


def test_a_personal_adapter_from_the_journal_to_its_evaluation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A real step on the real model: no word of the user's stays on the disk, and a later forget is told."""
    pytest.importorskip("torch", reason="training is an extra")
    from chatmem.models.files.model_files import cache_folder
    from chatmem.models.storage.agent import StorageAgent

    assert StorageAgent.__init__.__kwdefaults__
    monkeypatch.setitem(StorageAgent.__init__.__kwdefaults__, "max_tokens", 48)  # the bare base writes on to any limit
    made_before = cache_folder()  # the embedded model for training, which other tests made
    made_before.mkdir(parents=True, exist_ok=True)
    monkeypatch.setenv("CHATMEM_HOME", str(tmp_path))
    (tmp_path / "cache").symlink_to(made_before)
    (tmp_path / "data").mkdir()
    facts = []
    with Store.open(tmp_path / "data" / "chatmem.db") as store:
        life = Life(store)
        for name in ("Quax", "Brumm", "Zimt", "Fips", "Mops", "Wuff", "Kiki", "Lulu", "Pim", "Rex"):
            _, (entry,) = life.tell(f"My cat is called {name}.", f"Ana has a cat called {name}.", topic="cat")
            facts.append(store.facts.edit(memory(entry), topic="animals").memory_id or 0)
    run = tmp_path / "run"
    words = ["--steps", "1", "--batch-tokens", "256", "--talks", "2", "--out", str(run)]
    assert main(["train", "storage", "--from-journal", *words]) == 0
    own = tmp_path / "data" / "adapters" / "my-storage"
    texts = [path.read_bytes() for root in (run, own) for path in root.rglob("*") if path.is_file()]
    assert not any(b"My cat is" in text or b"a cat called" in text for text in texts)
    capsys.readouterr()
    assert main(["adapters", "eval", "my-storage", "--threads", "1", "--json"]) == 0
    models = json.loads(capsys.readouterr().out)["models"]
    assert list(models) == [
        "embedded+storage", "embedded+my-storage", "embedded",
        "embedded+my-storage minus embedded+storage", "embedded minus embedded+storage",
    ]  # fmt: skip
    assert models["embedded+storage"]["makes the mistake again"]["n"] == 2
    assert models["embedded+storage"]["makes the mistake again, edit"]["value"] == 1.0
    with Store.open(tmp_path / "data" / "chatmem.db") as store:
        store.forget.memories(store.users.get("me").id, facts)
    assert main(["adapters", "show", "my-storage"]) == 0
    assert "learned from 8 lines that were forgotten since" in capsys.readouterr().err


def test_of_a_line_with_somebody_elses_words_only_the_users_own_are_learned_from(life: Life) -> None:
    _, (hens,) = life.tell("> I sold the boat and moved to Oslo.\n\nI have two hens.", "Ana has two hens.")
    _, (parrot,) = life.tell("> I have a parrot named Kiwi.", "Ana has a parrot named Kiwi.")
    for entry in (hens, parrot):
        life.store.facts.edit(memory(entry), topic="animals")
    (case,) = life.cases
    assert case.line.text.startswith("I have two hens.") and "Oslo" not in case.line.text
    assert life.found.left_out == {"nothing in it is told by the user in words of their own": 1}
