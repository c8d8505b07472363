"""What was changed since is not put into a prompt as if it still held."""

from __future__ import annotations

from chatmem.memory.store.store import Store
from chatmem.memory.values import Author

AGENT = Author("agent:storage", "scripted")


def packed(store: Store, user: int, question: str) -> str:
    """All that a prompt would hold."""
    found = store.search(user, question, word_budget=200)
    lines = [turn.text for item in found.items for turn in item.turns]
    return "\n".join([*(memory.fact for memory in found.memories), *lines])


def test_a_line_that_was_overtaken_is_no_longer_packed_but_is_still_found(store: Store) -> None:
    user = store.users.call(store.users.get("ana").id, "Ana")
    session = store.sessions.start(user.id)
    said = {}
    for text in ("My sister Mia lives in Berlin.", "I live in Graz with two cats.", "Actually, Mia moved to Porto."):
        said[text] = store.turns.add(session.id, "Ana", text).id
    first, second, third = said.values()

    def write(sql: str, turn: int) -> int:
        [entry] = store.facts.write(user.id, sql, author=AGENT, turn_ids=[turn]).entries
        return entry.memory_id or 0

    insert = "INSERT INTO memory (subject, topic, fact) VALUES ('Ana', '{}', '{}');"
    mia = write(insert.format("sister", "Ana''s sister Mia lives in Berlin."), first)
    home = write(insert.format("home", "Ana lives in Graz."), second)
    write(insert.format("pets", "Ana has two cats."), second)
    assert "Berlin" in packed(store, user.id, "Where does my sister Mia live?")
    mia = write(f"UPDATE memory SET fact = 'Ana''s sister Mia lives in Porto.' WHERE id = {mia};", third)
    now = packed(store, user.id, "Where does my sister Mia live?")
    assert "Porto" in now and "Berlin" not in now
    assert [turn.id for turn in store.facts.evidence([mia])[mia]] == [
        first,
        third,
    ]  # /why still tells where it came from
    found = store.search(user.id, "sister Mia Berlin", limit=10)
    assert any("Berlin" in turn.text for item in found.items for turn in item.turns)

    home = store.facts.edit(home, fact="Ana lives in Linz.").memory_id or 0  # by hand, without a line of its own
    store.facts.edit(home, fact="Ana lives in Wien.")
    assert "Graz" not in packed(store, user.id, "Where do I live?")
    assert "I live in Graz with two cats." in packed(store, user.id, "Which cats do I have, where I live?")

    renamed = store.users.call(user.id, "Anna")
    now = packed(store, renamed.id, "Where does my sister Mia live?")
    assert "Actually, Mia moved to Porto." in now and "Berlin" not in now
