"""The memory list: order, filters, pages, what is chosen; forms keep what was typed, questions stand by a button."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from chatmem.app.web.handlers.clicks import Changed, Done, act
from chatmem.app.web.windows.listing import PAGE, View, listed
from chatmem.app.web.windows.window import Desk
from chatmem.memory.errors import ChatmemError, InputError, NotFound
from tests.app.web.conftest import LINE, Served, gone, say, see
from tests.app.web.places import Place
from tests.extras import Later

paint = Later("chatmem.app.web.html.paint")


def fill(store: Any, user: int, count: int = 60) -> list[int]:
    """Facts on three people and two topics; the odd ones have a date."""
    return [
        store.facts.remember(
            user, ("Ana", "ben", "Cem")[n % 3], ("pets", "work")[n % 2], f"Fact {n}.",
            happened_on=f"20{10 + n % 7}" if n % 2 else None,
        ).memory_id
        for n in range(count)
    ]  # fmt: skip


@pytest.fixture
def desk(place: Place) -> Desk:
    desk = place.house.desk(None, "w")
    fill(place.store, desk.user.id)
    return desk


def rows(desk: Desk, view: View) -> list[Any]:
    return list(listed(desk.chat.store, desk.user, view).rows)


def test_pages_hold_all_rows_once_in_each_order(desk: Desk) -> None:
    for order in ("newest", "oldest", "happened", "subject", "topic"):
        pages = [rows(desk, View(order=order, page=page)) for page in range(3)]
        assert [len(page) for page in pages] == [PAGE, PAGE, 60 - 2 * PAGE]
        every = [one for page in pages for one in page]
        assert len({one.id for one in every}) == 60
        if order in ("subject", "topic"):
            told = [getattr(one, order).lower() for one in every]
            assert told == sorted(told)
    dates = [one.happened_on for one in rows(desk, View(order="happened"))]
    assert dates == sorted(dates, reverse=True) and None not in dates
    assert listed(desk.chat.store, desk.user, View(page=99)).view.page == 2  # the last there is


def test_what_is_pinned_comes_first_on_the_first_page_alone(desk: Desk, place: Place) -> None:
    oldest = rows(desk, View(order="oldest"))[0]
    act(desk, {"act": "pin", "id": oldest.id})
    assert rows(desk, View())[0].id == oldest.id
    assert oldest.id not in {one.id for page in (1, 2) for one in rows(desk, View(page=page))}


def test_filters_by_person_and_topic_hold_for_search_too(desk: Desk) -> None:
    ana = View().turned("subject", "Ana")
    assert {one.subject for one in rows(desk, ana)} == {"Ana"}
    pets = ana.turned("topic", "pets")
    assert {(one.subject, one.topic) for one in rows(desk, pets)} == {("Ana", "pets")}
    assert listed(desk.chat.store, desk.user, pets).total == 10
    found = rows(desk, pets.searched("fact"))
    assert found and {(one.subject, one.topic) for one in found} == {("Ana", "pets")}
    assert pets.turned("subject", "").topic is None  # another person has other topics


def test_who_is_told_of_by_name_can_be_filtered_by(place: Place) -> None:
    facts, desk = place.store.facts, place.house.desk(None, "w")
    me = desk.user.subject
    facts.remember(desk.user.id, me, "daughter", f"{me}'s daughter Ivy plays the cello.")
    facts.remember(desk.user.id, me, "concert", f"{me} saw a play with Ivy.")
    facts.remember(desk.user.id, me, "husband", f"{me}'s husband Derek drives.")
    facts.remember(desk.user.id, me, "garden", f"{me} has an ivy hedge.")
    told = paint.tools(desk)
    assert all(f'value="{name}"' in told for name in (me, "Ivy", "Derek"))
    assert [one.topic for one in rows(desk, View(subject="Ivy", order="oldest"))] == ["daughter", "concert"]
    assert [one.topic for one in rows(desk, View(subject="Ivy", topic="concert"))] == ["concert"]
    assert [one.topic for one in rows(desk, View(subject="Ivy", words="cello"))] == ["daughter"]
    assert [one.topic for one in rows(desk, View(topic="people", words="cello"))] == ["daughter"]  # an area, too
    assert len(rows(desk, View(subject=me))) == 4
    desk.view = View(subject="Ivy")
    assert "husband" not in paint.tools(desk) and "concert" in paint.tools(desk) and desk.view.subject == "Ivy"


def test_a_filter_of_which_nothing_is_left_goes_away(desk: Desk, place: Place) -> None:
    act(desk, {"act": "view", "what": "subject", "value": "Ana"})
    place.store.forget.memories(desk.user.id, [one.id for one in rows(desk, View(subject="Ana"))])
    paint.tools(desk)
    assert desk.view.subject is None
    for what, value in (("order", "random()"), ("page", "-1"), ("page", "x"), ("limit", "1")):
        with pytest.raises(InputError):
            act(desk, {"act": "view", "what": what, "value": value})


def test_only_what_came_or_changed_flashes_when_pages_are_turned(desk: Desk, place: Place) -> None:
    paint.memory(desk)
    act(desk, {"act": "view", "what": "page", "value": "1"})
    paint.memory(desk)
    assert not desk.seen.fresh
    place.store.facts.remember(desk.user.id, "Ana", "", "Ana rows.")  # on the first page; the others move by one
    paint.memory(desk)
    assert not {mark for mark, _ in desk.seen.fresh.values()} & {"~"}
    act(desk, {"act": "view", "what": "page", "value": "0"})
    paint.memory(desk)
    desk.seen.fresh.clear()
    place.store.facts.remember(desk.user.id, "Ana", "", "Ana swims.")
    assert "Ana swims." in paint.memory(desk)
    assert [mark for mark, _ in desk.seen.fresh.values()] == ["+"]


def test_the_chosen_are_forgotten_or_taken_along_and_no_others(desk: Desk, place: Place) -> None:
    every = rows(desk, View(order="oldest"))
    ids = " ".join(str(one.id) for one in every[:3])
    for name, ending in (("export-csv", ".csv"), ("export-md", ".md")):
        file = act(desk, {"act": name, "ids": ids}).file
        assert file is not None and file["name"].endswith(ending)
        told = base64.b64decode(file["data"]).decode()
        assert all(one.fact in told for one in every[:3]) and every[3].fact not in told
    act(desk, {"act": "forget-chosen", "ids": ids})
    assert desk.asked is not None
    desk.answer(True)
    desk.finish(20)
    left = {one.id for one in place.store.facts.all(desk.user.id)}
    assert not left & {one.id for one in every[:3]} and len(left) == 57


def test_a_chosen_memory_that_was_changed_meanwhile_is_followed(desk: Desk, place: Place) -> None:
    [first, second, *_] = rows(desk, View(order="oldest"))
    place.store.facts.edit(first.id, fact="Fact 0, put right.")
    file = act(desk, {"act": "export-csv", "ids": f"{first.id} {second.id} 99999"}).file
    assert file is not None
    told = base64.b64decode(file["data"]).decode()
    assert "Fact 0, put right." in told and "Fact 1." in told
    for ids in ("", "x", "1; DROP", "99999"):
        with pytest.raises(ChatmemError):
            act(desk, {"act": "forget-chosen", "ids": ids})
    assert desk.asked is None


def test_nobody_chooses_anothers_memories(desk: Desk, place: Place) -> None:
    ben = place.store.users.get("ben")
    other = place.store.facts.remember(ben.id, "Ben", "", "Ben's code is 1234.").memory_id
    with pytest.raises(InputError, match="Nothing that you chose"):
        act(desk, {"act": "export-csv", "ids": str(other)})


def test_an_edit_of_a_memory_that_was_replaced_says_what_it_is_now(desk: Desk, place: Place) -> None:
    [first, *_] = rows(desk, View(order="oldest"))
    now = place.store.facts.edit(first.id, fact="Fact 0, put right.").memory_id
    with pytest.raises(Changed, match=f"it is #{now} now and says “Fact 0, put right.”") as raised:
        act(desk, {"act": "edit", "id": first.id, "fact": "Mine."})
    assert raised.value.row.id == now
    assert f"It is #{now} now." in act(desk, {"act": "history", "id": first.id}).detail
    act(desk, {"act": "pin", "id": first.id})
    assert [one.id for one in place.store.facts.all(desk.user.id) if one.pinned] == [now]
    assert act(desk, {"act": "close"}) == Done(" ")


@pytest.mark.parametrize("name", ["edit", "pin", "history", "undo-row"])
def test_what_was_forgotten_meanwhile_is_told_without_a_command_to_type(desk: Desk, place: Place, name: str) -> None:
    key = place.store.facts.all(desk.user.id)[-1].id
    place.store.forget.carry_out(place.store.forget.plan(desk.user.id, [key]))
    with pytest.raises(NotFound) as raised:
        act(desk, {"act": name, "id": key, "fact": "Something else."})
    assert f"no memory {key}" in str(raised.value) and "chatmem" not in str(raised.value)


def test_the_list_is_sorted_filtered_turned_and_forgotten_from(page: Any, local: Served) -> None:
    user = local.store.users.get("me").id
    fill(local.store, user)
    see(page, ".cm-pages", "1 to 25 of 60")
    page.click(".cm-pages >> text=On")
    see(page, ".cm-pages", "26 to 50 of 60")
    page.wait_for_function("document.querySelector('#pane').scrollTop === 0")  # it is read from its first row
    page.check("#memory [data-pick] >> nth=1")
    page.select_option("[data-view=subject]", "Ana")
    see(page, "#memory", "Fact 57.")
    gone(page, "#memory", "Fact 58.")
    page.select_option("[data-view=order]", "oldest")
    see(page, "#memory", "Fact 0.")
    page.check("[data-pick=all]")
    see(page, ".cm-chosen", "chosen")
    count = int(page.inner_text(".cm-chosen b").split()[0])
    assert count in (20, 21)  # what was chosen on another page stays so
    with page.expect_download() as download:
        page.click(".cm-chosen >> text=CSV")
    assert len(download.value.path().read_text().splitlines()) == count + 1
    page.click(".cm-chosen >> text=Forget")
    page.wait_for_selector("#yes:visible")
    page.click("#yes")
    see(page, "#memory", "Fact 1.")
    page.wait_for_selector(".cm-chosen", state="hidden")
    assert len(local.store.facts.all(user)) == 60 - count


def test_a_bad_date_keeps_what_was_typed_and_says_what_is_wrong(page: Any, local: Served) -> None:
    say(page, "fact: I have two cats.")
    see(page, "#memory", "I have two cats.")
    page.click("#memory [data-act=edit]")
    page.fill(".cm-form textarea", "I have six cats.")
    page.fill(".cm-form [name=happened_on]", "the other dayish")
    page.press(".cm-form [name=happened_on]", "Enter")
    see(page, ".cm-form [role=alert]", "'the other dayish' is not a date: write it like 2026-05-08")
    assert page.input_value(".cm-form textarea") == "I have six cats."
    assert page.input_value(".cm-form [name=happened_on]") == "the other dayish"
    [row] = local.store.facts.all(local.store.users.get("me").id)
    local.store.facts.edit(row.id, fact="I have five cats.")  # another program is quicker
    page.fill(".cm-form [name=happened_on]", "2026-05-08")
    page.click(".cm-form .cm-save")
    see(page, ".cm-form [role=alert]", "now and says “I have five cats.”")
    page.click(".cm-form .cm-save")
    page.wait_for_selector(".cm-form", state="detached")
    see(page, "#memory", "2026-05-08")
    assert [one.fact for one in local.store.facts.all(row.user_id)] == ["I have six cats."]


@pytest.mark.parametrize("size", [(390, 844), (1280, 800)])
def test_a_question_stands_beside_its_button_and_on_the_screen(page: Any, local: Served, size: tuple[int, int]) -> None:
    width, height = size
    fill(local.store, local.store.users.get("me").id, 30)
    page.set_viewport_size({"width": width, "height": height})
    page.reload()
    page.wait_for_selector(f"{LINE}:visible")
    see(page, "#memory", "Fact 29.")
    page.wait_for_selector(".sidebar.open", state="detached") if width < 768 else None
    for place in (0, 12, 24):
        button = page.locator("#memory [data-act=forget]").nth(place)
        button.scroll_into_view_if_needed()
        button.click()
        page.wait_for_selector("#no:focus")
        asked, beside = page.locator("#ask").bounding_box(), button.bounding_box()
        assert asked["x"] >= 0 and asked["x"] + asked["width"] <= width
        assert asked["y"] >= 0 and asked["y"] + asked["height"] <= height
        gap = max(asked["y"] - beside["y"] - beside["height"], beside["y"] - asked["y"] - asked["height"])
        assert 0 <= gap <= 40
        page.keyboard.press("Escape")
        page.wait_for_selector("#ask", state="hidden")
    assert len(local.store.facts.all(local.store.users.get("me").id)) == 30


def test_why_leads_to_what_a_memory_is_now_and_its_history_is_brought_into_sight(page: Any, local: Served) -> None:
    say(page, "fact: I have two cats.")
    see(page, "#chat .cm-chip", "I have two cats.")
    say(page, "what do I have?")
    see(page, "#chat [data-testid=user]", "what do I have?")
    page.wait_for_selector("#send:visible")
    [row] = local.store.facts.all(local.store.users.get("me").id)
    now = local.store.facts.edit(row.id, fact="I have three cats.").memory_id
    see(page, "#chat .cm-chip", f"now: I have three cats. #{now}")
    page.get_by_role("tab", name="Why").click()
    see(page, "#tab-why .cm-since", f"now #{now}: I have three cats.")
    page.click("#tab-why [data-act=history]")
    page.wait_for_selector("#detail section:visible")
    see(page, "#detail", f"It is #{now} now.")
