"""Which sequence of the cache serves which prompt."""

from __future__ import annotations

from pathlib import Path

from chatmem.models.backends.llama.cache_slots import Slot, Slots

STORE = [1, 2, *range(100, 140)]
TALK = [1, 2, *range(200, 240)]
ADAPTER = Path("adapter.gguf")


def slots_of(copies: list[tuple[int, int, int]] | None = None) -> Slots:
    copies = [] if copies is None else copies
    return Slots(4, 1000, lambda sequence, start: None, lambda *one: copies.append(one))


def read(slots: Slots, prompt: list[int], adapter: Path | None = None) -> tuple[Slot, int]:
    """The slot that a prompt was read into, and how many of its tokens were there already."""
    slot = slots.take(adapter, prompt, len(prompt) + 10, thread=1)
    assert slot is not None
    known = len(slot.tokens)
    slot.tokens[:] = prompt
    slots.release(slot)
    return slot, known


def test_two_roles_of_one_model_keep_what_each_has_read() -> None:
    copies: list[tuple[int, int, int]] = []
    slots = slots_of(copies)
    first, _ = read(slots, [*STORE, 7])
    second, shared = read(slots, [*TALK, 8])
    assert first is not second
    assert (shared, copies) == (2, [(first.sequence, second.sequence, 2)])
    for turn in range(5):
        assert read(slots, [*STORE, 50 + turn])[1] == len(STORE)
        assert read(slots, [*TALK, *range(60, 61 + turn)])[1] >= len(TALK)


def test_what_goes_on_from_a_prompt_stays_where_it_is() -> None:
    copies: list[tuple[int, int, int]] = []
    slots = slots_of(copies)
    first, _ = read(slots, TALK)
    again, known = read(slots, [*TALK, 3, 4])
    assert (again, known, copies) == (first, len(TALK), [])


def test_a_line_that_is_drawn_anew_after_a_part_of_it_was_read_is_still_there() -> None:
    slots = slots_of()
    for line in range(5):
        whole = [1, 2, 3, *range(1000 * line + 300, 1000 * line + 340)]
        part = [1, 2, 3, *range(1000 * line + 600, 1000 * line + 620)]
        first, known = read(slots, whole, ADAPTER)
        assert known == 3 * (line > 0)
        second, shared = read(slots, part, ADAPTER)
        assert (second is not first, shared) == (True, 3)
        assert read(slots, [*whole, 9], ADAPTER) == (first, len(whole))


def test_of_one_adapter_two_prompts_are_kept_and_others_lose_nothing_by_it() -> None:
    slots = slots_of()
    talk, _ = read(slots, TALK)
    for line in range(9):
        read(slots, [1, 2, *range(1000 * line + 300, 1000 * line + 340)], ADAPTER)
        assert len([slot for slot in slots.all if slot.adapter == ADAPTER and slot.tokens]) <= 2
    assert read(slots, [*TALK, 3]) == (talk, len(TALK))


def test_the_cells_of_all_slots_never_exceed_the_context() -> None:
    slots = slots_of()
    for start in range(0, 400, 3):
        read(slots, [1, 2, 3, *range(1000 + start, 1300 + start)])
        assert sum(slot.cells for slot in slots.all) <= 1000
