"""Every check, whole: what a model wrote, the line it wrote it for, what is known then, and what the journal says.

Each has a line where it helps and one like it where it must be silent. `test_checks.py` has many more lines for those
that are functions of a draft and its line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import pytest

from chatmem.memory.store.store import Store
from chatmem.memory.values import ASSISTANT, JournalEntry, WriteResult
from chatmem.models.decoding.scripted import ScriptedLM
from chatmem.models.prompts.draft import Draft
from chatmem.models.prompts.messages import NOTHING
from chatmem.models.storage.agent import StorageAgent
from chatmem.models.storage.checks import SENTENCES, Finding
from tests.models.storage.test_faithful import says
from tests.models.storage.test_notes import CAPABLE


class Row(NamedTuple):
    """A line, what the model replies to it in turn, and the facts that are known after it.

    `writer`: "trained" writes SQL and has an adapter of ours; "capable" and "small" (of less than three billion
    parameters) write notes. `known`: a fact told before, row 1; `reply`: what the assistant said just before.
    """

    check: str
    fires: bool
    writer: str
    line: str
    wrote: tuple[str, ...]
    facts: tuple[str, ...]
    known: str = ""
    reply: str = ""


def fires(
    check: str, line: str, *wrote: str, facts: Sequence[str] = (), by: str = "trained", known: str = "", reply: str = ""
) -> Row:  # fmt: skip
    """The check changes or refuses what the model wrote: `facts` are left."""
    return Row(check, True, by, line, wrote, tuple(facts), known, reply)


def silent(
    check: str, line: str, *wrote: str, facts: Sequence[str] | None = None, by: str = "trained", known: str = "",
    reply: str = "",
) -> Row:  # fmt: skip
    """It does nothing: what the model wrote stands beside what was known, if `facts` doesn't tell otherwise."""
    stands = [*([known] if known else []), *(one.partition(": ")[2] or one for one in wrote)]
    return Row(check, False, by, line, wrote, tuple(stands if facts is None else facts), known, reply)


SORRY = "Sure! I will remember that."
TREES = "Ana's garden has eleven fruit trees."
CAT = "Ana has a cat named Bo."
NURSE = "UPDATE memory SET fact = 'Ana works as a nurse.' WHERE id = 1;"
THREE = "UPDATE memory SET fact = 'Ana has three cats.' WHERE id = 1;"
BAND = "I have a dog and I play the piano in a small band"
ROWS = [
    fires("readable", "I have a dog", SORRY),
    silent("readable", "I have a dog", "Ana has a dog."),
    fires("faithful", "my garden has eleven fruit trees", "Ana has an apple tree.", TREES, facts=[TREES]),
    silent("faithful", "my garden has eleven fruit trees", TREES),
    fires("kinship", "Themba works nights.", "Ana's aunt Themba works nights.", facts=["Themba works nights."]),
    silent("kinship", "My aunt Themba works nights.", "Ana's aunt Themba works nights."),
    fires("somebody_else", "Actually, Mia moved to Porto", "Ana moved to Porto.", NOTHING,
          facts=["Mia moved to Porto."]),
    silent("somebody_else", "Actually, I moved to Porto with Mia", "Ana moved to Porto with Mia."),
    fires("turned_round", "I can't stand coriander", "Ana likes coriander."),
    silent("turned_round", "I love coriander", "Ana likes coriander."),
    fires("misnamed", "I work at the theatre in Deventer", "Ana has a theatre named Deventer."),
    silent("misnamed", "I work at the theatre, it's called Deventer", "Ana works at a theatre named Deventer."),
    fires("left_out", BAND, "Ana has a dog.", "Ana plays the drums with Zork in Paris.",
          facts=["Ana has a dog.", "Ana plays the piano in a small band."]),
    silent("left_out", BAND, says("Ana has a dog.", "Ana plays the piano in a small band."),
           facts=["Ana has a dog.", "Ana plays the piano in a small band."]),
    fires("plain", "I do not like aubergines.", "-", by="small", facts=["Ana does not like aubergines."]),
    silent("plain", "I do not like aubergines.", "-", by="capable", facts=[]),
    fires("invented_names", "I run a shop with my cousin", "Ana's cousin is Jack.",
          facts=["Ana runs a shop with Ana's cousin."]),
    silent("invented_names", "I run a shop with my cousin Jack", "Ana runs a shop with Ana's cousin Jack."),
    fires("nothing_said", "it's over, that's it", "Ana is not married."),
    silent("nothing_said", "mine are 3 and 6", "Ana has children of 3 and 6."),
    fires("own_words", "I'm 72 with eight sons", "Ana has sons.", facts=["Ana is 72 with eight sons."]),
    silent("own_words", "I'm 72 with eight sons", "Ana is 72 with eight sons."),
    fires("doer", "My mother has sons who eat all my honey", "Ana eats honey.",
          facts=["Ana's mother has sons who eat all Ana's honey."]),
    silent("doer", "My sister lives in Oslo", "Ana's sister lives in Oslo."),
    fires("whose", "my brother's wife Ilse is a nurse", "Ana's brother Ilse is a nurse.",
          facts=["Ana's brother's wife Ilse is a nurse."]),
    silent("whose", "my brother's wife Ilse is a nurse", "Ana's brother's wife Ilse is a nurse."),
    fires("mine", "I go fishing with my uncle", "Ana goes fishing with his uncle.",
          facts=["Ana goes fishing with their uncle."]),
    silent("mine", "I go fishing with his uncle", "Ana goes fishing with his uncle."),
    fires("company", "we sell the soap at fairs", "Ana and Ana's mum sell the soap at fairs.",
          facts=["Ana's mum makes soap.", "Ana sells the soap at fairs."], known="Ana's mum makes soap."),
    silent("company", "mum and I are having a party on Friday", "Ana and Ana's mum are having a party on Friday."),
    fires("own_day", "Femke quit, she's going back to college in January", "Femke quit in January.",
          facts=["Femke quit."]),
    silent("own_day", "Femke quit in January, she's going back to college", "Femke quit in January."),
    fires("pointing", "I always mix that up", "Ana always mixes that up."),
    silent("pointing", "I always mix plaster", "Ana always mixes plaster."),
    fires("verb", "I fix tractors", "Ana has a tractor.", facts=["Ana fixes tractors."]),
    silent("verb", "I've got a tractor", "Ana has a tractor."),
    fires("other_words", "I rebuilt the hull of a trawler", "Ana repaired the hull of a trawler.",
          facts=["Ana rebuilt the hull of a trawler."]),
    silent("other_words", "I do not like olives", "Ana dislikes olives."),
    fires("singly", "my cat Biscuit is nine and hates the drilling",
          "Ana's cat Biscuit is nine and hates the drilling.",
          facts=["Ana's cat Biscuit is nine.", "Ana's cat Biscuit hates the drilling."]),
    silent("singly", "my cat Biscuit and Rex hate the drilling", "Ana's cat Biscuit and Rex hate the drilling."),
    fires("scattered", "Otto sells the blue boat, my sister Ida fixes bikes", "Ana's sister Ida sells the boat.",
          facts=["Otto sells the blue boat."]),
    silent("scattered", "Otto is a nurse, my sister Ida fixes bikes", "Ana's sister Ida fixes bikes."),
    fires("pieced", "trainers for Tom. And a voucher, for ten lessons with Ida",
          "Tom's trainers are with Ida, for ten.",
          facts=['Ana said: "trainers for Tom. And a voucher, for ten lessons with Ida"']),
    silent("pieced", "My licence wants 30 hours", "Ana's licence wants 30 hours."),
    fires("only_named", "My mate Fergus is allergic to penicillin", "Ana has a mate named Fergus.",
          facts=["Ana's mate Fergus is allergic to penicillin."]),
    silent("only_named", "I have a mate named Fergus", "Ana has a mate named Fergus."),
    fires("cut_down", "I play the accordion at weddings and on ferries", "Ana plays the accordion.",
          facts=["Ana plays the accordion at weddings and on ferries."]),
    silent("cut_down", "I play the accordion", "Ana plays the accordion."),
    fires("hour", "I see the dentist at 3pm", "Ana sees the dentist.", facts=["Ana sees the dentist at 3pm."]),
    silent("hour", "I see the dentist at 3pm", "Ana sees the dentist at 3pm."),
    fires("same_matter", "I work as a nurse", NURSE, "Ana works as a nurse.", known=CAT,
          facts=[CAT, "Ana works as a nurse."]),
    silent("same_matter", "I have three cats now", THREE, known="Ana has two cats.", facts=["Ana has three cats."]),
    fires("not_said", "I called my brother today", "+ family: Ana has a brother called Leo.", by="capable",
          reply="Is it Leo, who is 42?"),
    silent("not_said", "Yes, that's him", "+ family: Ana has a brother called Leo.", by="capable",
           reply="Is it your brother Leo?"),
    fires("quoted", "> I have a dog called Bolt.\nI have a cat.", "+ pets: Ana has a dog called Bolt.", by="capable"),
    silent("quoted", "I have a dog called Bolt.\nI have a cat.", "+ pets: Ana has a dog called Bolt.", by="capable"),
    fires("secret", "My password is hunter2 and I live in Porto.", "+ home: Ana uses hunter2 and lives in Porto.",
          by="capable"),
    silent("secret", "my locker number is 4471", "+ things: Ana has the locker number 4471.", by="capable"),
    fires("asked_first", "> I sail.\nI'm allergic to nuts.", "+ health: Ana is allergic to nuts.", by="capable"),
    silent("asked_first", "I'm allergic to nuts.", "+ health: Ana is allergic to nuts.", by="capable"),
    fires("overtaken", "I moved to Oslo, I don't live in Graz any more", "+ home: Ana lives in Oslo.", by="capable",
          known="Ana lives in Graz.", facts=["Ana lives in Oslo."]),
    silent("overtaken", "I work in Oslo", "+ work: Ana works in Oslo.", by="capable", known="Ana lives in Graz."),
    fires("unsaid", "I have a cat now", "+ pets: Ana has a cat called Miso.", by="capable"),
    silent("unsaid", "I have a cat now, Miso", "+ pets: Ana has a cat called Miso.", by="capable"),
    fires("other_row", "Bo the cat is asleep on my piano again", f"+ pets: {CAT}", by="capable", known=CAT,
          facts=[CAT]),
    silent("other_row", "Bo the cat is asleep on my piano again", "+ pets: Bo the cat sleeps on Ana's piano.",
           by="capable", known=CAT),
    fires("no_note", "I just burnt my tongue.", "-", by="capable"),
    silent("no_note", "I have a cat now", "+ pets: Ana has a cat.", by="capable"),
]  # fmt: skip


class Watched(StorageAgent):
    """A storage agent that keeps what its checks found, on the way to the journal."""

    def __init__(self, lm: ScriptedLM, store: Store) -> None:
        super().__init__(lm, store)
        self.found: list[Finding] = []

    def _written(self, draft: Draft, findings: Sequence[Finding], *rest: Any) -> WriteResult:
        self.found += findings
        return super()._written(draft, findings, *rest)


def model(row: Row) -> ScriptedLM:
    if row.writer == "trained":
        sql = ("INSERT", "UPDATE", NOTHING, SORRY)
        return ScriptedLM([one if one.startswith(sql) else says(one) for one in row.wrote], adapter="storage")
    profile = replace(CAPABLE, parameters=1.5) if row.writer == "small" else CAPABLE
    return ScriptedLM(list(row.wrote), profile=profile)


def played(store: Store, row: Row) -> tuple[list[str], list[Finding], list[JournalEntry]]:
    """The facts but for the name, what the checks found, and the refused entries of the line."""
    user = store.users.call(store.users.get("ana").id, "Ana")
    if row.known:
        assert store.facts.remember(user.id, "Ana", "things", row.known).memory_id == 1
    session = store.sessions.start(user.id).id
    if row.reply:
        store.turns.add(session, ASSISTANT, row.reply)
    turn = store.turns.add(session, "Ana", row.line, storage="pending")
    agent = Watched(model(row), store)
    agent.run([turn], user)
    refused = [one for one in store.journal.entries(user.id, turn_id=turn.id) if one.kind == "refused"]
    return [one.fact for one in store.facts.all(user.id) if one.topic != "name"], agent.found, refused


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.check}-{'fires' if row.fires else 'silent'}")
def test_a_check_fires_in_its_line_and_is_silent_in_the_one_like_it(store: Store, row: Row) -> None:
    """What it took out, and a reply that it couldn't read, is a refused entry under its name, with its sentence."""
    facts, found, refused = played(store, row)
    assert sorted(facts) == sorted(row.facts)
    own = [one for one in found if one.check == row.check]
    named = [one for one in refused if one.author.actor == f"check:{row.check}"]
    assert bool(own) is row.fires
    assert [one.sql for one in named] == [one.sql() for one in own if one.lost or one.text]
    assert all((one.reason or "").startswith(SENTENCES[row.check]) for one in named)
    assert bool(named) is (row.fires and row.check not in ONLY_TOLD)


ONLY_TOLD = {"plain"}
"""What puts in and takes nothing out: its record is its name among what was found."""


@pytest.mark.parametrize("name", SENTENCES)
def test_every_name_has_a_line_where_it_fires_and_one_where_it_is_silent(name: str) -> None:
    assert sorted(row.fires for row in ROWS if row.check == name) == [False, True]
