"""Laws of export and import: nothing is lost, nothing comes twice, all can be taken back, bad files change nothing."""

from __future__ import annotations

import io
import json
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chatmem.memory.errors import InputError, NotFound
from chatmem.memory.store.store import Store
from chatmem.memory.transfer.exchange import export_file, export_text, import_file, preview
from chatmem.memory.values import Author
from tests.effort import times

AGENT = Author("agent:storage", "embedded", "storage")
WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=30).filter(
    str.strip
)
STEP = st.tuples(
    st.sampled_from(
        ["remember", "remember", "say", "edit", "retire", "pin", "undo", "redo", "call", "session", "refuse"]
    ),
    WORDS,
    st.integers(0, 9),
    st.sampled_from([None, "2026", "2026-05", "2026-05-08"]),
)
FEW = settings(max_examples=times(15, 5), deadline=None, suppress_health_check=[HealthCheck.too_slow])


@contextmanager
def fresh() -> Iterator[Store]:
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "a.db") as store:
        yield store


def live(store: Store, user_id: int, steps: list[tuple[str, str, int, str | None]]) -> None:
    """A life of a memory: each step does something to what the steps before it left."""
    session = store.sessions.start(user_id, "first")
    turns = [store.turns.add(session.id, "Ana", "hello")]
    for action, words, number, day in steps:
        rows = store.facts.all(user_id)
        row = rows[number % len(rows)] if rows else None
        try:
            if action == "remember":
                evidence = [turns[number % len(turns)].id]
                store.facts.remember(user_id, "Ana", words[:9], words, happened_on=day, turn_ids=evidence, author=AGENT)
            elif action == "say":
                turns.append(store.turns.add(session.id, "Ana", words, status="stopped", storage="pending"))
            elif action == "edit" and row:
                store.facts.edit(row.id, fact=words)
            elif action == "retire" and row:
                store.facts.retire(row.id)
            elif action == "pin" and row:
                store.facts.pin(row.id, number % 2 == 0)
            elif action == "undo":
                store.journal.undo([one.id for one in store.journal.entries(user_id)][number])
            elif action == "redo":
                store.journal.redo([one.id for one in store.journal.entries(user_id) if one.undone][number])
            elif action == "call":
                store.users.call(user_id, words)
            elif action == "session":
                session = store.sessions.start(user_id, words)
            elif action == "refuse":
                store.facts.write(user_id, "DROP TABLE memory", author=AGENT)
        except (InputError, IndexError):
            pass  # nothing to act upon, or a conflict: such steps happen, and change nothing


def dump(store: Store, user_id: int) -> str:
    out = io.StringIO()
    export_text(store, user_id, out, "json")
    return out.getvalue()


def contents(store: Store) -> dict[str, list[Any]]:
    """Every row of every table that holds what people said, for comparisons."""
    with closing(sqlite3.connect(store.db.path)) as db:
        tables = ("users", "sessions", "turns", "memories", "memory_evidence")
        return {name: db.execute(f"SELECT * FROM {name} ORDER BY 1, 2").fetchall() for name in tables}


@FEW
@given(st.lists(STEP, max_size=25), st.lists(STEP, max_size=5))
def test_export_then_import_is_the_identity(steps: list[Any], other: list[Any]) -> None:
    with fresh() as first, fresh() as second:
        ana = first.users.get("ana").id
        live(first, ana, steps)
        live(second, second.users.get("bob").id, other)
        bob = dump(second, second.users.get("bob").id)
        path = first.db.path.with_name("ana.json")
        export_file(first, ana, path)
        restored = second.users.get("ana").id
        shown = preview(second, restored, path)
        done = import_file(second, restored, path)
        assert done.preview == shown
        assert (shown.restores, shown.bad_count, dict(shown.duplicates), dict(shown.left)) == (True, 0, {}, {})
        assert dump(second, restored) == path.read_text()
        assert dump(second, second.users.get("bob").id) == bob
        assert second.check() == []
        assert [m.fact for m in second.facts.all(restored)] == [m.fact for m in first.facts.all(ana)]


@FEW
@given(st.lists(STEP, max_size=15), st.lists(STEP, max_size=10))
def test_undoing_an_import_leaves_everything_as_it_was(steps: list[Any], own: list[Any]) -> None:
    with fresh() as first, fresh() as second:
        live(first, first.users.get("ana").id, steps)
        path = first.db.path.with_name("ana.json")
        export_file(first, first.users.get("ana").id, path)
        user = second.users.get("ana").id
        if own:
            live(second, user, own)
        before, text = contents(second), dump(second, user)
        done = import_file(second, user, path)
        assert done.preview.restores == (not own)
        if done.batch:
            second.journal.undo_batch(done.batch)
        assert contents(second) == before
        assert dump(second, user) == text if not own else True
        assert second.check() == []


@FEW
@given(st.lists(STEP, max_size=15))
def test_importing_twice_brings_nothing_new(steps: list[Any]) -> None:
    with fresh() as store:
        user = store.users.get("ana").id
        live(store, user, steps)
        path = store.db.path.with_name("ana.json")
        export_file(store, user, path)
        before = contents(store)
        again = import_file(store, user, path)
        assert again.batch is None
        assert sum(again.preview.new.values()) == 0
        assert contents(store) == before


@FEW
@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=10))
def test_csv_brings_every_fact_to_another_memory(facts: list[tuple[str, str]]) -> None:
    with fresh() as first, fresh() as second:
        ana, other = first.users.get("ana").id, second.users.get("ana").id
        for subject, fact in facts:
            first.facts.remember(ana, subject, "", fact, happened_on="2026-05")
        path = first.db.path.with_name("ana.csv")
        export_file(first, ana, path)
        done = import_file(second, other, path)
        told = [(m.subject, m.fact, m.happened_on, m.said_at) for m in first.facts.all(ana)]
        assert [(m.subject, m.fact, m.happened_on, m.said_at) for m in second.facts.all(other)] == told
        assert done.batch
        second.journal.undo_batch(done.batch)
        assert second.facts.all(other) == []
        second.journal.redo_batch(done.batch)
        assert len(second.facts.all(other)) == len(told)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "memory.db") as opened:
        yield opened


@pytest.fixture
def ana(store: Store) -> int:
    user = store.users.get("ana").id
    turn = store.turns.add(store.sessions.start(user, "tea").id, "Ana", "I have two cats, *Nori* and Wasabi")
    store.facts.remember(
        user, "Ana", "pets", "Ana has two cats, Nori and Wasabi.", turn_ids=[turn.id], happened_on="2026-05"
    )
    return user


def test_a_preview_counts_new_known_and_bad_rows_and_names_their_lines(store: Store, ana: int, tmp_path: Path) -> None:
    path = tmp_path / "facts.csv"
    rows = [
        "subject;topic;fact;happened_on;mood",
        "Ana;pets;ana has two cats, nori and wasabi;;",  # known, but for case and punctuation
        'Ana;job;"Ana is a nurse,',
        'in Boston";;',
        "Ana;job;;2026;",
        "Ana;travel;Ana saw Rome;the day when;",
        "Ana;travel;Ana saw Rome;2026-05-40;",
        "Ana;travel;Ana saw Oslo;2026-05;good",
        "",
        "Ana;travel;Ana saw Oslo.;;",
        ";;;;",
        "a;b;c;d;e;f;g",
    ]
    path.write_text("\n".join(rows), encoding="utf-8")
    before = contents(store)
    shown = preview(store, ana, path)
    assert contents(store) == before
    assert (dict(shown.new), dict(shown.duplicates), shown.bad_count) == ({"memories": 2}, {"memories": 2}, 4)
    assert [one.place for one in shown.bad] == ["line 5", "line 6", "line 7", "line 12"]
    assert shown.ignored == ("mood",)
    import_file(store, ana, path)
    assert [m.fact for m in store.facts.all(ana)][1:] == ["Ana is a nurse, in Boston", "Ana saw Oslo"]


def test_a_fact_from_a_table_is_found_by_search_and_tells_who_wrote_it(store: Store, ana: int, tmp_path: Path) -> None:
    (tmp_path / "facts.csv").write_text("Subject,Fact\nAna,Ana plays the bassoon.\n", encoding="utf-8-sig")
    import_file(store, ana, tmp_path / "facts.csv")
    found = store.facts.all(ana)[-1]
    assert (found.created_by, store.journal.history(found.id)[0].author.actor) == ("import", "import")
    assert store.search(ana, "bassoon").memories[0].id == found.id


def exported(store: Store, user_id: int, path: Path) -> list[str]:
    export_file(store, user_id, path)
    return path.read_text().splitlines()


def test_bad_records_of_an_export_are_left_out_and_named_by_line(store: Store, ana: int, tmp_path: Path) -> None:
    lines = exported(store, ana, tmp_path / "a.json")
    at = next(n for n, line in enumerate(lines) if '"fact": ' in line)
    good = json.loads(lines[at])
    bad = [
        json.dumps(good | {"id": 2, "fact": " "}) + ",",
        json.dumps(good | {"id": 3, "mood": "good"}) + ",",
        json.dumps(good | {"id": 4, "happened_on": "May"}) + ",",
        json.dumps(good | {"id": 5, "fact": "\ud800"}) + ",",
        json.dumps(good) + ",",
        '{"id": 6, "fact": ',
    ]
    (tmp_path / "b.json").write_text("\n".join([*lines[:at], lines[at] + ",", *bad, *lines[at + 1 :]]))
    done = import_file(store, store.users.get("bob").id, tmp_path / "b.json")
    assert [one.place for one in done.preview.bad] == [f"line {at + 2 + n}" for n in range(6)]
    assert dict(done.preview.new)["memories"] == 1


BROKEN: dict[str, Callable[[str], bytes]] = {
    "cut off": lambda text: text[: len(text) // 2].encode(),
    "no JSON": lambda text: b"hello",
    "another JSON": lambda text: b'{"a": 1}',
    "a list": lambda text: b"[1, 2]",
    "empty": lambda text: b"",
    "too new": lambda text: text.replace('"chatmem": 1', '"chatmem": 99').encode(),
    "not UTF-8": lambda text: text.encode("utf-16"),
    "sections that are none": lambda text: b'{"chatmem": 1, "memories": 3}',
    "deep": lambda text: b"[" * 100_000,
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_broken_file_changes_nothing_and_is_told_in_one_sentence(
    how: str, store: Store, ana: int, tmp_path: Path
) -> None:
    text = "\n".join(exported(store, ana, tmp_path / "a.json"))
    (tmp_path / "b.json").write_bytes(BROKEN[how](text))
    other = store.users.get("bob").id
    before = contents(store)
    with pytest.raises(InputError) as told:
        import_file(store, other, tmp_path / "b.json")
    assert "b.json" in str(told.value)
    assert "\n" not in str(told.value)
    assert contents(store) == before


def test_files_that_are_missing_or_made_for_reading_are_refused(store: Store, ana: int, tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        preview(store, ana, tmp_path / "none.json")
    export_file(store, ana, tmp_path / "a.md")
    with pytest.raises(InputError, match="made for reading"):
        preview(store, ana, tmp_path / "a.md")
    (tmp_path / "b.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="subject and fact"):
        preview(store, ana, tmp_path / "b.csv")


def test_json_that_was_laid_out_anew_is_read_as_well(store: Store, ana: int, tmp_path: Path) -> None:
    text = "\n".join(exported(store, ana, tmp_path / "a.json"))
    (tmp_path / "b.json").write_text(json.dumps(json.loads(text), indent=2))
    bob = store.users.get("bob").id
    import_file(store, bob, tmp_path / "b.json")
    assert json.loads(dump(store, bob)) | {"user": None} == json.loads(text) | {"user": None}


def test_an_import_that_was_changed_since_says_what_to_undo_first(store: Store, ana: int, tmp_path: Path) -> None:
    export_file(store, ana, tmp_path / "a.json")
    bob = store.users.get("bob").id
    batch = import_file(store, bob, tmp_path / "a.json").batch
    assert batch
    edit = store.facts.edit(store.facts.all(bob)[0].id, fact="Ana has three cats.")
    with pytest.raises(InputError, match=f"undo {edit.id} first"):
        store.journal.undo_batch(batch)
    store.journal.undo(edit.id)
    store.journal.undo_batch(batch)
    assert store.facts.all(bob) == []
    with pytest.raises(InputError, match="import the file again"):
        store.journal.redo_batch(batch)


def test_what_was_undone_before_an_export_can_be_done_again_after_the_import(
    store: Store, ana: int, tmp_path: Path
) -> None:
    store.journal.undo(store.facts.remember(ana, "Ana", "job", "Ana is a nurse.").id)
    export_file(store, ana, tmp_path / "a.json")
    bob = store.users.get("bob").id
    import_file(store, bob, tmp_path / "a.json")
    store.journal.redo(next(one.id for one in store.journal.entries(bob) if one.undone))
    assert [m.fact for m in store.facts.all(bob)][-1] == "Ana is a nurse."
    assert len(store.facts.all(ana)) == 1


def test_what_was_said_after_an_import_stays_when_that_is_undone(store: Store, tmp_path: Path) -> None:
    with fresh() as first:
        user = first.users.get("ana").id
        for title in ("gone on with", "left"):
            first.turns.add(first.sessions.start(user, title).id, "Ana", f"it is {title}")
        export_file(first, user, tmp_path / "ana.json")
    bob = store.users.get("bob").id
    done = import_file(store, bob, tmp_path / "ana.json")
    session = next(one for one in store.sessions.all(bob) if one.title == "gone on with")
    line = store.turns.add(session.id, "Bob", "my dog is called Bello")
    store.facts.remember(bob, "Bob", "dog", "Bob's dog is called Bello.", turn_ids=[line.id])
    store.journal.undo_batch(done.batch or "")
    assert [one.id for one in store.sessions.all(bob)] == [session.id]
    assert store.turns.of(session.id) == [line]
    assert [line] == [turn for row in store.facts.all(bob) for turn in store.facts.evidence([row.id])[row.id]]


def test_a_new_fact_takes_no_number_of_one_that_the_file_s_journal_alone_knows(store: Store, tmp_path: Path) -> None:
    with fresh() as first, fresh() as second:
        user, new = first.users.get("ana").id, second.users.get("ana").id
        first.journal.undo(first.facts.remember(user, "Ana", "pets", "Ana has a cat.").id)
        export_file(first, user, tmp_path / "ana.json")
        import_file(second, new, tmp_path / "ana.json")
        second.facts.remember(new, "Ana", "job", "Ana bakes.")
        second.journal.redo(next(one.id for one in second.journal.entries(new) if one.undone))
        assert {one.fact for one in second.facts.all(new)} == {"Ana has a cat.", "Ana bakes."}


def test_a_session_whose_long_title_was_cut_at_a_space_is_known_again(store: Store, tmp_path: Path) -> None:
    user = store.users.get("cut").id
    session = store.sessions.start(user, "x" * 199 + " and more")
    store.turns.add(session.id, "Ana", "hello")
    with store.db.write() as db:  # as an older chatmem kept it
        db.exec_driver_sql("UPDATE sessions SET title = title || ' ' WHERE id = ?", (session.id,))
    export_file(store, user, tmp_path / "cut.json")
    assert session.title == "x" * 199
    assert sum(preview(store, user, tmp_path / "cut.json").new.values()) == 0


def test_the_database_export_is_plain_sql_with_search(store: Store, ana: int, tmp_path: Path) -> None:
    assert export_file(store, ana, tmp_path / "a.db") == 1
    with closing(sqlite3.connect(tmp_path / "a.db")) as db:
        sql = (
            "SELECT fact, text FROM memories JOIN evidence ON memory_id = memories.id JOIN turns ON turns.id = turn_id"
        )
        found = db.execute(sql).fetchall()
        assert found == [("Ana has two cats, Nori and Wasabi.", "I have two cats, *Nori* and Wasabi")]
        assert db.execute("SELECT count(*) FROM memories_fts WHERE memories_fts MATCH 'cat'").fetchone() == (1,)
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []


def test_markdown_is_a_page_by_subject_with_what_was_said(store: Store, ana: int, tmp_path: Path) -> None:
    export_file(store, ana, tmp_path / "a.md")
    page = (tmp_path / "a.md").read_text()
    assert "## Ana" in page
    assert "- Ana has two cats, Nori and Wasabi. (pets, 2026-05)" in page
    assert r"\*Nori\*" in page


def test_an_export_is_private_whole_and_never_the_memory_itself(store: Store, ana: int, tmp_path: Path) -> None:
    export_file(store, ana, tmp_path / "a.json")
    assert (tmp_path / "a.json").stat().st_mode & 0o077 == 0
    with pytest.raises(InputError, match="the memory itself"):
        export_file(store, ana, store.db.path, "json")
    with pytest.raises(InputError, match="can't be written"):
        export_file(store, ana, tmp_path / "none" / "a.json")
    with pytest.raises(InputError, match="name the form"):
        export_file(store, ana, tmp_path / "a.xyz")
    assert {path.name for path in tmp_path.iterdir()} <= {"a.json", "memory.db", "memory.db-wal", "memory.db-shm"}
