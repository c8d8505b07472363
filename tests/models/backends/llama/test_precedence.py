"""Replies that nobody waits for give way to those that somebody waits for, and come out the same."""

from __future__ import annotations

import threading

from chatmem.models.backends.llama.lm import LlamaLM
from chatmem.models.backends.llama.precedence import PRECEDENCE, Precedence
from chatmem.models.lm import Message, Options, complete

ASK = [Message("user", "Name three fruits. " * 30)]
LATER = Options(max_tokens=12, background=True)


class Patient:
    """A reply in the background that counts how often it was told to make room."""

    def __init__(self) -> None:
        self.interrupted = 0

    def interrupt(self) -> None:
        self.interrupted += 1


def test_who_is_waited_for_interrupts_and_the_others_wait_until_it_is_done() -> None:
    precedence, patient, went_on = Precedence(), Patient(), threading.Event()
    with precedence.last(patient):
        with precedence.first(), precedence.first():
            waiter = threading.Thread(target=lambda: (precedence.give_way(lambda: False), went_on.set()))
            waiter.start()
            assert precedence.waited
            assert not went_on.is_set()
        waiter.join()
    assert went_on.is_set()
    assert patient.interrupted == 2
    assert not precedence.waited


def test_one_that_is_gone_waits_for_nobody() -> None:
    precedence = Precedence()
    with precedence.first():
        precedence.give_way(lambda: True)


def test_a_reply_in_the_background_stands_still_while_another_is_made_and_then_goes_on(lm: LlamaLM) -> None:
    lm.clear_cache()
    alone = complete(lm, ASK, LATER)
    lm.clear_cache()
    got: list[str] = []
    with PRECEDENCE.first():  # somebody waits for a reply
        worker = threading.Thread(target=lambda: got.append(complete(lm, ASK, LATER)))
        worker.start()
        worker.join(0.3)
        assert worker.is_alive()
        assert complete(lm, [Message("user", "Say yes.")], Options(max_tokens=3))
        assert got == []
    worker.join()
    assert got == [alone]


def test_what_is_broken_off_in_the_middle_is_read_again(lm: LlamaLM) -> None:
    lm.clear_cache()
    alone = complete(lm, ASK, LATER)
    lm.clear_cache()
    got: list[str] = []
    worker = threading.Thread(target=lambda: got.append(complete(lm, ASK, LATER)))
    worker.start()
    for _ in range(20):
        with PRECEDENCE.first():
            pass
        worker.join(0.01)
    worker.join()
    assert got == [alone]


def test_a_reply_in_the_background_can_be_cancelled_while_it_waits(lm: LlamaLM) -> None:
    ended: list[str | None] = []
    with PRECEDENCE.first():
        worker = threading.Thread(target=lambda: ended.extend(chunk.finish for chunk in lm.generate(ASK, LATER)))
        worker.start()
        while worker.is_alive():
            lm.cancel()
            worker.join(0.05)
    assert ended[-1] == "cancelled"
