"""A window without its page: what it shows is what is committed, and nobody reaches another's."""

from __future__ import annotations

import hashlib
import threading
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chatmem.app.admin.accounts import Accounts, add
from chatmem.app.shown import events as e
from chatmem.app.web.handlers.clicks import act
from chatmem.app.web.html import fragments, reports
from chatmem.app.web.windows.window import Desk
from chatmem.eval.measures.intervals import Estimate
from chatmem.eval.report.tables import as_json
from chatmem.memory.errors import ChatmemError, InputError, NotFound
from chatmem.memory.values import Memory
from tests.app.web.places import Place, make_place
from tests.effort import times
from tests.extras import Later

paint = Later("chatmem.app.web.html.paint")

FEW = settings(max_examples=times(6, 3), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
WORDS = ("hello", "fact: I like tea.", "my name is Ana", "/remember I sail.", "/undo", "/forget 1 --yes", "/new",
         "/reset --yes", "/regenerate", "/edit fact: no", "/why", "/user ben", "/export x.json", "bye")  # fmt: skip


def say(desk: Desk, *lines: str) -> None:
    for line in lines:
        desk.submit(line)
        desk.finish(60)
        assert not desk.busy and desk.chat.wait(60)


def texts(desk: Desk) -> list[tuple[str, str]]:
    return [(one.role, one.text) for one in desk.said if one.role in ("user", "assistant")]


def test_a_turn_is_shown_with_its_chip(place: Place) -> None:
    desk = place.house.desk(None, "w")
    say(desk, "fact: I have two cats.")
    assert texts(desk) == [("user", "fact: I have two cats."), ("assistant", "Nice to meet you.")]
    [[chip]] = [turn.chips for turn in desk.chips.values()]
    assert place.store.journal.get(chip.entry_id).after is not None
    assert chip.text.startswith("+ I have two cats.")


@FEW
@given(lines=st.lists(st.sampled_from(WORDS), min_size=1, max_size=6))
def test_chips_are_committed_rows_and_the_transcript_is_the_session(tmp_path_factory: object, lines: list[str]) -> None:
    place = make_place(tmp_path_factory.mktemp("desk"))  # type: ignore[attr-defined]
    try:
        desk = place.house.desk(None, "w")
        say(desk, *lines)
        assert {user.name for user in place.store.users.all()} <= {"me"}
        user = desk.user.id
        for turn_id, turn in desk.chips.items():
            committed = {entry.id for entry in place.store.journal.entries(user, turn_id=turn_id)}
            assert {chip.entry_id for chip in turn.chips} <= committed
        session = desk.chat.session
        if session is not None:
            kept = [turn.text for turn in place.store.turns.of(session.id)]
            assert [text for _, text in texts(desk)][-len(kept) :] == kept
    finally:
        place.house.close()


def test_who_clicks_on_what_a_job_showed_is_not_told_to_wait_for_its_end(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, asked = place.house.desk(None, "w"), threading.Event()
    monkeypatch.setattr(desk, "_settle", lambda: asked.wait(20))
    desk.submit("hello")
    while ("assistant", "Nice to meet you.") not in texts(desk):
        time.sleep(0.01)
    assert desk.busy
    finish = desk.finish
    monkeypatch.setattr(desk, "finish", lambda timeout=None: (asked.set(), finish(20)))
    desk.submit("/help")
    finish(20)
    assert any("/remember" in one.text for one in desk.said)


def test_retry_and_edit_take_back_what_was_written(place: Place) -> None:
    desk = place.house.desk(None, "w")
    say(desk, "fact: I have two cats.")
    desk.retry()
    desk.finish(10)
    assert desk.chat.wait(10)
    assert texts(desk) == [("user", "fact: I have two cats."), ("assistant", "(1) Nice to meet you.")]
    desk.retry("fact: I have three cats.")
    desk.finish(10)
    assert desk.chat.wait(10)
    assert next(text for _, text in texts(desk)) == "fact: I have three cats."
    assert [memory.fact for memory in place.store.facts.all(desk.user.id)] == ["I have three cats."]


@pytest.mark.parametrize("words", range(4))
def test_stopped_at_any_word_what_was_shown_is_kept(place: Place, words: int) -> None:
    place.knobs.gated = True
    desk = place.house.desk(None, "w")
    desk.submit("hello")
    for _ in range(words):
        place.knobs.words.release()
    while place.knobs.open == 0 or place.knobs.words._value:
        time.sleep(0.01)
    assert desk.stop()
    desk.finish(10)
    place.knobs.gated = False
    place.knobs.words.release()
    session = desk.chat.session
    assert session is not None
    kept = [turn.text for turn in place.store.turns.of(session.id)]
    assert [text for _, text in texts(desk)] == kept
    assert kept[0] == "hello" and all("Nice to meet you.".startswith(text) for text in kept[1:])


def test_one_line_at_a_time(place: Place) -> None:
    place.knobs.gated = True
    desk = place.house.desk(None, "w")
    desk.submit("hello")
    with pytest.raises(InputError, match="stop it first"):
        desk.submit("again")
    place.knobs.gated = False
    place.knobs.words.release(5)
    desk.finish(10)


def test_incognito_changes_no_byte(place: Place) -> None:
    def bytes_of() -> dict[str, str]:
        files = [file for file in place.store.db.path.parent.iterdir() if not file.name.endswith("-shm")]
        return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files if file.is_file()}

    desk = place.house.desk(None, "w")
    say(desk, "fact: I have two cats.", "/incognito on")
    before = bytes_of()
    say(desk, "fact: I have a secret.", "/regenerate", "/edit fact: another")
    for name in ("undo", "edit", "pin", "forget", "resume"):
        with pytest.raises(InputError, match="Incognito"):
            act(desk, {"act": name, "id": "1", "fact": "x"})
    assert bytes_of() == before


def test_nobody_reaches_anothers_desk_or_rows(tmp_path: Path) -> None:
    for name in ("ana", "ben"):
        add(tmp_path / "users.json", name, "a long password")
    place = make_place(tmp_path, accounts=Accounts(tmp_path / "users.json"))
    try:
        ana, ben = place.house.desk("ana", "same"), place.house.desk("ben", "same")
        assert ana is not ben
        say(ana, "fact: Ana's code is 1234.")
        say(ben, "hello", "/user ana", "/memory", "/sql SELECT * FROM memory", "/export x.json", "/model embedded")
        assert "1234" not in repr(ben.said)
        assert "ana" not in {user.name for user in place.store.users.all() if user.id == ben.user.id}
        [memory] = place.store.facts.all(ana.user.id)
        [entry] = place.store.journal.entries(ana.user.id)
        session = ana.chat.session
        assert session is not None
        before = place.store.journal.entries(ana.user.id)
        for name, key in (("undo", entry.id), ("edit", memory.id), ("pin", memory.id), ("history", memory.id),
                          ("resume", session.id), ("rename", session.id), ("delete", session.id)):  # fmt: skip
            with pytest.raises(NotFound):
                act(ben, {"act": name, "id": str(key), "fact": "x", "title": "x"})
        act(ben, {"act": "forget", "id": str(memory.id)})
        assert ben.asked is None
        assert place.store.journal.entries(ana.user.id) == before
        with pytest.raises(InputError, match="signed out"):
            place.house.desk("eve", "same")
        with pytest.raises(InputError, match="signed out"):
            place.house.desk(None, "same")
    finally:
        place.house.close()


def test_forget_asks_first_and_leaves_nothing_to_see(place: Place) -> None:
    desk = place.house.desk(None, "w")
    say(desk, "fact: My boat is called Nele.")
    [memory] = place.store.facts.all(desk.user.id)
    act(desk, {"act": "forget", "id": str(memory.id)})
    assert desk.asked is not None and "Nele" in desk.asked.question
    desk.answer(False)
    assert place.store.facts.all(desk.user.id)
    act(desk, {"act": "forget", "id": str(memory.id)})
    desk.answer(True)
    desk.finish(10)
    assert not place.store.facts.all(desk.user.id)
    assert not desk.chips


def test_a_row_that_came_flashes_plus_and_one_that_changed_or_came_back_tilde(place: Place) -> None:
    desk = place.house.desk(None, "w")
    say(desk, "fact: I have two cats.")
    paint.memory(desk)
    say(desk, "fact: I sail.")
    paint.memory(desk)
    assert {row: mark for row, (mark, _) in desk.seen.fresh.items()} == {2: "+"}
    act(desk, {"act": "edit", "id": 1, "fact": "I have six cats."})
    paint.memory(desk)
    assert desk.seen.fresh[3][0] == "~"
    act(desk, {"act": "undo-row", "id": 3})
    paint.memory(desk)
    assert desk.seen.fresh[1][0] == "~"


def test_undo_on_a_row_takes_back_its_last_change(place: Place) -> None:
    desk = place.house.desk(None, "w")
    say(desk, "fact: I have two cats.")
    [row] = place.store.facts.all(desk.user.id)
    act(desk, {"act": "edit", "id": row.id, "fact": "I have six cats."})
    [edited] = place.store.facts.all(desk.user.id)
    act(desk, {"act": "undo-row", "id": edited.id})
    assert place.store.facts.all(desk.user.id) == [row]
    act(desk, {"act": "undo-row", "id": row.id})
    assert place.store.facts.all(desk.user.id) == []
    with pytest.raises(InputError, match="Nothing that happened"):
        act(desk, {"act": "undo-row", "id": row.id})


def test_sessions_are_renamed_deleted_and_taken_up_again(place: Place) -> None:
    desk = place.house.desk(None, "w")
    say(desk, "fact: I have two cats.")
    first = desk.chat.session
    assert first is not None
    desk.new_session()
    assert desk.said == []
    say(desk, "hello")
    act(desk, {"act": "rename", "id": first.id, "title": "Cats"})
    act(desk, {"act": "resume", "id": first.id})
    assert texts(desk) == [("user", "fact: I have two cats."), ("assistant", "Nice to meet you.")]
    assert [chip.text for turn in desk.chips.values() for chip in turn.chips]
    act(desk, {"act": "delete", "id": first.id})
    assert desk.asked is not None and "Cats" in desk.asked.question
    desk.answer(True)
    assert desk.said == []
    assert [session.title for session in place.store.sessions.all(desk.user.id)] == ["hello"]


def test_a_session_deleted_elsewhere_is_left(place: Place) -> None:
    one, other = place.house.desk(None, "1"), place.house.desk(None, "2")
    say(one, "hello")
    assert one.chat.session is not None
    place.store.forget.session(one.chat.session.id)
    say(one, "still there?")
    assert texts(one) == [("user", "still there?"), ("assistant", "Nice to meet you.")]
    assert not any(isinstance(event, e.Failed) for event in other.said)


def test_a_closed_window_remembers_what_was_said(place: Place) -> None:
    desk = place.house.desk(None, "w")
    desk.submit("fact: I have two cats.")
    place.house.leave(None, "w")
    while place.house.desks:
        time.sleep(0.01)
    user = place.store.users.get("me")
    assert [memory.fact for memory in place.store.facts.all(user.id)] == ["I have two cats."]
    assert not place.store.queue.pending(user.id)
    assert place.store.sessions.all(user.id)[0].ended_at


HOSTILE = st.text(st.sampled_from("<>\"'&ab/= \n\u202e"), min_size=1, max_size=30)


@given(HOSTILE)
def test_what_people_say_is_never_markup(words: str) -> None:
    memory = Memory(1, 1, words, words, words, None, "2026-05-08T13:56:00Z", "2026-05-08T13:56:00Z")
    shown = fragments.memory_table([memory], 1, {1: "+"})
    plain = fragments.memory_table([Memory(1, 1, "x", "x", "x", None, memory.said_at, memory.valid_from)], 1, {1: "+"})
    assert shown.count("<") == plain.count("<")
    assert shown.count('"') == plain.count('"')
    assert "\u202e" not in shown


def test_acts_that_do_not_exist_are_refused(place: Place) -> None:
    desk = place.house.desk(None, "w")
    for data in ({}, {"act": "nope", "id": 1}, {"act": "undo"}, {"act": "undo", "id": "1; DROP"}, {"act": ["x"]}):
        with pytest.raises(ChatmemError):
            act(desk, data)
    pytest.importorskip("gradio")
    assert paint.chat(desk) == []


def test_reports_are_charts_and_nothing_outside_their_folder_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "reports"
    assert reports.names(folder) == []
    folder.mkdir()
    table = {"a": {"recall": Estimate(0.5, 0.4, 0.6, 10)}, "<b>": {"recall": Estimate(0.7, 0.6, 0.8, 10)}}
    (folder / "storage.json").write_text(as_json("storage", table, seed=3))
    (folder / "notes.md").write_text("# Notes")
    (folder / "odd.json").write_text("[1, 2")
    (tmp_path / "secret.md").write_text("secret")
    assert set(reports.names(folder)) == {"storage.json", "notes.md", "odd.json"}
    kind, chart = reports.read(folder, "storage.json")
    assert kind == "html" and "0.700 [0.600, 0.800] n=10" in chart and "&lt;b&gt;" in chart
    assert reports.read(folder, "notes.md") == ("markdown", "# Notes")
    assert "[1, 2" in reports.read(folder, "odd.json")[1]
    (folder / "notes.md").write_text("![recall](a-recall.png) ![x](../secret.png) ![y](gone.png)")
    (folder / "a-recall.png").write_bytes(b"PNG")
    told = reports.read(folder, "notes.md")[1]
    assert told == "![recall](data:image/png;base64,UE5H) ![x](../secret.png) (y: gone.png is not there, or too large)"
    for name in ("../secret.md", str(tmp_path / "secret.md"), "none.md", ""):
        with pytest.raises(InputError):
            reports.read(folder, name)


def test_what_comes_while_the_page_is_painted_is_painted_next(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("gradio")
    desk = place.house.desk(None, "w")
    touched = "chatmem.app.web.html.paint.session_list"  # as the storage worker may touch it at any time
    monkeypatch.setattr(touched, lambda desk, find: desk.touch())
    painted = paint.whole(desk)[-1]
    assert painted != paint.stamp(desk, "", "")


def test_quoted_words_stand_under_their_line_and_one_click_takes_them_for_ones_own(place: Place) -> None:
    desk = place.house.desk(None, "w")
    say(desk, "Mia: I live in <b>Rome</b> now")
    [found] = desk.chips.values()
    code = fragments.chips(found)
    assert 'data-act="mine"' in code and "They are my words" in code and "<b>Rome" not in code
    again = place.house.desk(None, "other")
    again.resume(1)
    assert again.chips[found.turn_id].quoted == found.quoted  # after a reload, too
    act(desk, {"act": "mine", "id": str(found.turn_id)})
    assert desk.chat.wait(10)
    desk.refresh()
    assert found.turn_id not in desk.chips and place.store.turns.get(found.turn_id).storage == "kept"
