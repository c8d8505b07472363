"""How a text is cut into passages, and that a talk with long replies is searched by them."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatmem.memory.database.engine import Database, raw
from chatmem.memory.language.words import word_count
from chatmem.memory.search import fulltext
from chatmem.memory.search.passages import LETTERS, WHOLE, WORDS, passages
from chatmem.memory.search.vectors import put
from chatmem.memory.store.migrations import MIGRATIONS, migrate
from chatmem.memory.store.store import Store
from chatmem.memory.values import ASSISTANT

NOW = "2026-05-08T12:00:00Z"
REPLY = """Certainly! Here is a plan for the week, so that you can take one step after the other without any hurry.

### Step 1: The bicycle
First, take it to the shop in the harbour street and ask for new brakes. They are open until six on all weekdays, and \
the repair takes about two days. Ask for the older mechanic, who knows this brand well and works on Tuesdays.

- **Monday:** call the shop and ask for the price
- **Tuesday:** bring the bicycle, the old key and the receipt
- **Thursday:** fetch it before six in the evening

```python
def brakes(old):
    return [one for one in old if one.worn]
```

Would you like me to write the message to the shop for you?"""


def cut(text: str) -> list[str]:
    return [text[begin:end] for begin, end in passages(text)]


def test_a_long_text_is_cut_at_its_seams() -> None:
    """The index is dropped by cutting anew, so another cut is another form of the database: it needs a migration."""
    found = cut(REPLY)
    assert [one.split("\n")[0][:24] for one in found] == [
        "Certainly! Here is a pla", "Ask for the older mechan", "- **Thursday:** fetch it",
    ]  # fmt: skip
    assert "### Step 1: The bicycle\nFirst" in found[0] and "```python\ndef brakes" in found[2]


def test_a_short_text_is_one_passage_and_blank_text_none() -> None:
    assert cut("  I have a cat. She is old.\n") == ["I have a cat. She is old."]
    assert cut(" \n ") == [] == cut("")


TEXTS = st.lists(
    st.sampled_from(["word ", "two words. ", "\n", "\n\n", "# Head\n", "- item ", "| a | b |\n", "```\n", "x" * 700,
                     "Why? ", "我养了两只猫。", "12. ", "**bold**\n", "é", "\r\n"]) | st.text(max_size=8),
    max_size=60,
).map("".join)  # fmt: skip


@given(TEXTS)
def test_no_letter_is_lost_and_no_passage_is_too_long(text: str) -> None:
    found = passages(text)
    assert "".join("".join(text[a:b] for a, b in found).split()) == "".join(text.split())
    assert all(a < b <= c < d for (a, b), (c, d) in pairwise(found))
    assert all(0 < b - a <= LETTERS for a, b in found)
    assert all(word_count(text[a:b]) <= max(WHOLE, WORDS + LETTERS // 2) for a, b in found)


def test_five_megabytes_and_text_without_a_letter_are_cut_in_reasonable_time() -> None:
    assert len(passages("a" * 5_000_000)) == -(-5_000_000 // LETTERS)
    assert passages("?!. " * 1000)[0][0] == 0


def test_a_line_is_found_by_its_best_passage(store: Store) -> None:
    user = store.users.get("ana").id
    session = store.sessions.start(user).id
    store.turns.add(session, "Ana", "my bicycle has bad brakes, what now?")
    reply = store.turns.add(session, ASSISTANT, REPLY)
    found = store.search(user, "What did you suggest to bring to the shop on Tuesday?", speaker="Ana")
    item = next(one for one in found.items if one.turns[0].id == reply.id)
    assert "the old key and the receipt" in item.passage and len(item.passage) < len(REPLY) / 2
    packed = store.search(user, "What did you suggest to bring to the shop on Tuesday?", speaker="Ana", word_budget=60)
    assert any("old key" in turn.text for one in packed.items for turn in one.turns)


def old_database(path: Path, lines: int = 70) -> None:
    """As an older chatmem left it: turns indexed and embedded whole."""
    database = Database(path)
    migrate(database, NOW, MIGRATIONS[:7])
    with database.write() as connection:
        driver = raw(connection)
        driver.execute("INSERT INTO users (id, name, created_at) VALUES (1, 'ana', ?)", (NOW,))
        driver.execute("INSERT INTO sessions (id, user_id, started_at) VALUES (1, 1, ?)", (NOW,))
        for number in range(1, lines + 1):
            text = REPLY if number % 5 == 0 else f"line {number} tells of the harbour"
            driver.execute(
                "INSERT INTO turns (id, session_id, user_id, speaker, text, said_at) VALUES (?, 1, 1, 'Ana', ?, ?)",
                (number, text, NOW),
            )
            driver.execute("INSERT INTO turns_fts (rowid, speaker, text) VALUES (?, 'Ana', ?)", (number, text))
    database.close()


def rows(store: Store, query: str) -> list[tuple[object, ...]]:
    with store.db.read() as db:
        return raw(db).execute(query).fetchall()


def test_an_older_database_gets_its_passages_step_by_step(tmp_path: Path, store: Store) -> None:
    old_database(tmp_path / "old.db")
    with Store.open(tmp_path / "old.db", embedder=store.embedder) as old:
        vectors = store.embedder.embed([text for (text,) in rows(old, "SELECT text FROM turns ORDER BY id")])  # type: ignore[union-attr,misc]
        with old.db.write() as db:
            put(db, 1, "turn", range(1, 71), vectors, store.embedder.name)  # type: ignore[union-attr]
        before = [item.turns[0].id for item in old.search(1, "the older mechanic of this brand", limit=5).items]
        assert before and {turn % 5 for turn in before[:3]} == {0}  # found while it is whole
        told: list[tuple[int, int]] = []
        left = old.recutting.run(lambda done, total: told.append((done, total)), stop=lambda: len(told) > 0)
        assert left == 70 - 32 and told == [(32, 70)]
        during = old.search(1, "line 3 harbour", limit=70).items + old.search(1, "line 69 harbour", limit=70).items
        assert {3, 69} <= {turn.id for item in during for turn in item.turns}  # both ways at once
        old.forget.turn(2)  # one that is still whole,
        old.forget.turn(70)  # and one that is cut
        assert old.recutting.run() == 0 == old.recutting.waiting()
        assert rows(old, "SELECT count(*) FROM turns_fts_docsize") == [(0,)]
        cuts = len(passages(REPLY))
        wanted = {
            fulltext.first_of(n) + place for n in range(1, 70) if n != 2 for place in range(cuts if n % 5 == 0 else 1)
        }
        assert {one for (one,) in rows(old, "SELECT id FROM passages_fts_docsize")} == wanted
        assert {one for (one,) in rows(old, "SELECT ref_id FROM vectors WHERE kind = 'passage'")} == wanted
        assert rows(old, "SELECT count(*) FROM vectors WHERE kind = 'turn'") == [(0,)]
        assert old.vectors.embed_pending() == 0 and old.check() == []


@pytest.mark.parametrize("how", ["turn", "user"])
def test_what_is_forgotten_is_gone_from_all_its_passages(store: Store, how: str) -> None:
    user = store.users.get("ana").id
    session = store.sessions.start(user).id
    turn = store.turns.add(session, ASSISTANT, REPLY)
    while store.vectors.embed_pending(limit=2):
        pass
    report = store.forget.turn(turn.id) if how == "turn" else store.forget.user(user)
    assert report.bytes_checked
    assert rows(store, "SELECT count(*) FROM passages_fts_docsize") == [(0,)]
    assert rows(store, "SELECT count(*) FROM passages_terms") == [(0,)]
    assert rows(store, "SELECT count(*) FROM vectors") == [(0,)]
