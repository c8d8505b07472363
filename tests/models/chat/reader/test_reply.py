"""The reader: the told sentence that answers is told back, with its source; what isn't told is said so."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from chatmem.memory.errors import ModelBroken
from chatmem.memory.language.language import english
from chatmem.memory.store.store import Store
from chatmem.memory.values import Author, Recall, RecallItem, Turn, User
from chatmem.models.chat.direct import Direct
from chatmem.models.chat.reader.chooser import FILE, load
from chatmem.models.chat.reader.reply import read_out
from chatmem.models.chat.reader.sentences import sentences_of
from chatmem.models.embedder.minilm import LlamaEmbedder
from chatmem.models.prompts.messages import insert_sql

SAID = "2024-05-03T09:00:00Z"
TOLD = (
    ("My sister Nayeli is a notary in Veracruz.", "sister", "Owen's sister Nayeli is a notary in Veracruz."),
    ("Her husband Gil sells boat engines.", "brother", "Nayeli's husband Gil sells boat engines."),
    ("My brother Tom lives in Bergen", "brother", "Owen's brother Tom lives in Bergen."),
    ("I keep the books for a tile works.", "job", "Owen keeps the books for a tile works."),
    ("My dentist is on 14 December at nine.", "plan", "Owen has the dentist on 14 December at nine."),
)  # fmt: skip
ONLY_SAID = "the garage lent me a yellow van while ours is mended"


@pytest.fixture
def memory(tmp_path: Path, embedder: LlamaEmbedder) -> Iterator[Store]:
    with Store.open(tmp_path / "read.db", embedder=embedder) as store:
        yield store


@pytest.fixture
def owen(memory: Store) -> User:
    user = memory.users.call(memory.users.get("me").id, "Owen")
    session = memory.sessions.start(user.id, at=SAID)
    for line, topic, fact in TOLD:
        turn = memory.turns.add(session.id, "Owen", line, said_at=SAID)
        when = "2024-12-14" if "December" in fact else None
        memory.facts.remember(
            user.id, "Owen", topic, fact, happened_on=when, turn_ids=[turn.id], said_at=SAID
        )  # fmt: skip
    memory.turns.add(session.id, "Owen", ONLY_SAID, said_at=SAID)
    memory.turns.add(session.id, "assistant", "A yellow van, how lovely. My own van is green.", said_at=SAID)
    memory.vectors.embed_pending(user.id, limit=100)
    return user


def test_what_the_assistant_is_called_tells_nothing_of_the_user(memory: Store, owen: User) -> None:
    session = memory.sessions.start(owen.id, at=SAID)
    line = "You're a patient listener. You are kinder than my dentist. Patience is my weak side."
    memory.turns.add(session.id, "Owen", line, said_at=SAID)
    recall = memory.search(owen.id, "who is a patient listener?", speaker="Owen", word_budget=200, now=SAID)
    said = {one.text for one in sentences_of(recall)}
    assert said >= {"You are kinder than my dentist.", "Patience is my weak side."}
    assert "You're a patient listener." not in said


def test_a_sentence_that_goes_on_is_read_with_what_it_goes_on_from() -> None:
    told = Turn(3, 1, 1, "Owen", "The oldest is called Wim. He keeps bees on the roof of the school.", SAID)
    recall = Recall("who keeps bees?", items=(RecallItem(1.0, None, (told,), ("words",)),))
    before = (Turn(1, 1, 1, "Owen", "I have three sons.", SAID), Turn(2, 1, 1, "assistant", "Who is the oldest?", SAID))
    oldest, bees = sentences_of(recall, lambda turn: before)
    assert bees.before == "The oldest is called Wim."
    assert oldest.before == "Who is the oldest? ... He keeps bees on the roof of the school."  # of five words
    assert sentences_of(recall, lambda turn: before[:1])[0].before.startswith("I have three sons. ...")
    alone = replace(told, text="My brother Tom keeps bees on the roof.")
    assert (
        sentences_of(replace(recall, items=(RecallItem(1.0, None, (alone,), ()),)), lambda turn: before)[0].before == ""
    )


def test_a_sentence_that_a_later_line_changed_is_not_read(memory: Store, owen: User) -> None:
    """Its line tells another thing, too, so it is still recalled."""
    session = memory.sessions.start(owen.id)
    facts = [("exam", "Owen's exam is on the 14th of May."), ("study", "Owen learns Irish for a move to Galway.")]
    turn = memory.turns.add(session.id, "Owen", "I learn Irish for a move to Galway. My exam is on the 14th of May.")
    author = Author("agent:storage")
    for topic, fact in facts:
        memory.facts.write(owen.id, insert_sql([("Owen", topic, fact, None)]), author=author, turn_ids=[turn.id])
    (row,) = [one for one in memory.facts.all(owen.id) if "exam" in one.fact]
    later = memory.turns.add(session.id, "Owen", "Not the 14th, the 24th, sorry.")
    sql = f"UPDATE memory SET fact = 'Owen''s exam is on the 24th of May.' WHERE id = {row.id};"
    memory.facts.write(owen.id, sql, author=author, turn_ids=[later.id])
    recall = memory.search(owen.id, "I learn Irish, when is my exam?", speaker="Owen", word_budget=200, now=SAID)
    assert json.loads(json.dumps(recall.overtaken)) == [[turn.id, ["14th"], ["24th"]]]  # as `chat --json` writes it
    said = [one.text for one in sentences_of(recall)]
    assert "I learn Irish for a move to Galway." in said and not any("14th" in one for one in said if "exam" in one)
    assert any("24th of May" in one for one in said)


def read(memory: Store, user: User, text: str) -> Direct | None:
    recall = memory.search(user.id, text, speaker="Owen", word_budget=200, limit=12, now=SAID, floor=True)
    return read_out(memory, user, recall, english())


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("in which town is my sister Nayeli a notary?", "Your sister Nayeli is a notary in Veracruz."),
        ("who sells boat engines?", "Nayeli's husband Gil sells boat engines."),
        ("where does my brother Tom live?", "Your brother Tom lives in Bergen."),  # the fact, not the line of the same
        ("when is my dentist appointment?", "14 December 2024"),
        ("what did the garage lend me?", f"“{ONLY_SAID}"),
    ],
)
def test_the_sentence_that_answers_is_told_back(memory: Store, owen: User, asked: str, told: str) -> None:
    found = read(memory, owen, asked)
    assert found is not None
    assert told in found.text
    assert "green" not in found.text  # what the assistant said is no evidence
    assert "direct" in found.recall.items[0].why  # which `/why` tells in words


def test_what_nobody_told_is_not_read_out_as_if_it_answered(memory: Store, owen: User) -> None:
    found = read(memory, owen, "how old is Nayeli?")
    assert found is not None
    assert found.text.startswith("You haven't told me how old Nayeli is")


@pytest.mark.parametrize(
    "asked",
    [
        "why is the sky blue?",
        "what should I cook tonight?",
        "what did you say about the van?",
        "I keep the books for a tile works.",
        "and hers?",
        "write a poem about my sister",
    ],
)
def test_what_no_told_sentence_answers_is_left_to_the_model(memory: Store, owen: User, asked: str) -> None:
    assert read(memory, owen, asked) is None


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("Nayeli's job", "Your sister Nayeli is a notary in Veracruz."),
        ("date of my dentist", "14 December at nine"),
        ("and my brother Tom, where does he live?", "Your brother Tom lives in Bergen."),
    ],
)
def test_a_question_that_leans_or_lacks_its_verb_is_answered_where_a_sentence_surely_answers(
    memory: Store, owen: User, asked: str, told: str
) -> None:
    found = read(memory, owen, asked)
    assert found is not None
    assert told in found.text


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("what do I have to keep for a tile works?", "You keep the books for a tile works."),
        ("what van could the garage lend me?", "“the garage lent me a yellow van"),
        ("when can the dentist see me?", "14 December at nine"),
        ("who lent the yellow van?", "“the garage lent me a yellow van"),
    ],
)
def test_what_has_the_form_of_a_wish_for_advice_is_answered_where_a_sentence_very_surely_does(
    memory: Store, owen: User, asked: str, told: str
) -> None:
    found = read(memory, owen, asked)
    assert found is not None
    assert told in found.text


@pytest.mark.parametrize(
    "asked", ["how often should one see a dentist?", "what is the best engine oil?", "who drives the bus?"]
)
def test_else_it_asks_for_advice_or_of_the_world(memory: Store, owen: User, asked: str) -> None:
    assert read(memory, owen, asked) is None


@pytest.mark.parametrize(
    ("asked", "nearest"),
    [("any idea what Gil would like?", "sells boat engines"), ("any idea what would cheer one up?", None)],
)
def test_of_somebody_who_was_told_of_what_is_nearest_is_shown(
    memory: Store, owen: User, asked: str, nearest: str | None
) -> None:
    found = read(memory, owen, asked)
    if nearest is None:
        assert found is None, "a wish for advice"
    else:
        assert found is not None and "The nearest that I find" in found.text and nearest in found.text


@pytest.mark.parametrize("asked", ["age of my aunt", "and her shoes?", "the rest of my tea"])
def test_else_it_is_left_to_the_model(memory: Store, owen: User, asked: str) -> None:
    assert read(memory, owen, asked) is None


def test_what_was_typed_in_a_hurry_is_read_in_words_and_quoted_as_it_was_typed(memory: Store, owen: User) -> None:
    session = memory.sessions.start(owen.id, at=SAID)
    memory.turns.add(session.id, "Owen", "rly scared of dogs b4 breakfast, esp w my bf", said_at=SAID)
    recall = memory.search(owen.id, "what am I scared of?", speaker="Owen", word_budget=200, now=SAID)
    found = next(one for one in sentences_of(recall) if one.turn and "dogs" in one.text)
    assert found.read == "really scared of dogs before breakfast, esp with my boyfriend"
    said = read(memory, owen, "what am I scared of?")
    assert said is not None
    assert "“rly scared of dogs b4 breakfast" in said.text


def test_an_empty_recall_reads_nothing(memory: Store, owen: User) -> None:
    assert read_out(memory, owen, Recall("where do I work?"), english()) is None


def test_a_file_of_another_version_says_what_to_do(tmp_path: Path) -> None:
    other = tmp_path / "reader.json"
    other.write_text(FILE.read_text(encoding="utf-8").replace("below the best", "beside"), encoding="utf-8")
    with pytest.raises(ModelBroken, match="reinstall chatmem"):
        load(other)
    assert load(tmp_path / "none.json") is None


def test_the_day_that_is_told_back_is_that_of_the_talk(memory: Store, owen: User) -> None:
    session = memory.sessions.start(owen.id, at=SAID)
    for line in ("the structures exam is on 12 july at 9.30", "and the geotech exam is on the 15th at 2"):
        memory.turns.add(session.id, "Owen", line, said_at=SAID)
    memory.vectors.embed_pending(owen.id, limit=100)
    found = read(memory, owen, "when is my geotech exam?")
    assert found is not None and "(on the 15th = 15 July 2024)" in found.text


OF_OTHERS = (
    ("Edda was allergic to penicillin.", "allergies", "Edda was allergic to penicillin."),
    ("My late wife Edda was a piano teacher.", "wife", "Owen's late wife Edda was a piano teacher."),
    ("I take ramipril for my blood pressure.", "medicine", "Owen takes ramipril for Owen's blood pressure."),
    ("Nayeli had her hip replaced in May.", "surgery", "Nayeli had her hip replaced in May."),
)


@pytest.mark.parametrize(
    ("question", "others"),
    [
        ("Am I allergic to penicillin?", "Edda was allergic to penicillin."),
        ("Was Nayeli a piano teacher?", "Your late wife Edda was a piano teacher."),
        ("Did I have my hip replaced?", "Nayeli had her hip replaced in May."),
        ("What is Nayeli's blood pressure?", ""),
        ("What medicine did my wife take?", ""),
    ],
)
def test_anothers_is_never_the_answer_only_the_nearest(memory: Store, owen: User, question: str, others: str) -> None:
    _tell(memory, owen, OF_OTHERS)
    told = read(memory, owen, question)
    assert told is not None and told.text.startswith(("You haven't told me", "I'm not sure", "I don't know"))
    assert others in told.text


@pytest.mark.parametrize("question", ["Who is allergic to penicillin?", "Was Edda allergic to penicillin?"])
def test_whose_it_is_is_told(memory: Store, owen: User, question: str) -> None:
    _tell(memory, owen, OF_OTHERS)
    told = read(memory, owen, question)
    assert told is not None and told.text == "You told me: “Edda was allergic to penicillin.”"
    session = memory.sessions.start(owen.id, at=SAID)
    memory.turns.add(session.id, "Owen", "Tom is terribly afraid of spiders.", said_at=SAID)  # of which no fact is made
    found = read(memory, owen, "Who is afraid of spiders?")
    assert found is not None and found.text == "You told me: “Tom is terribly afraid of spiders.”"


OF_KIN = (
    ("My brother Tom plays the oboe.", "brother", "Owen's brother Tom plays the oboe."),
    ("His birthday is on the 9th of May.", "birthday", "Owen's brother Tom's birthday is on the 9th of May."),
    ("His wife Zuzana teaches swimming.", "brother", "Owen's brother Tom's wife Zuzana teaches swimming."),
    ("My partner Imogen will go to Ghent in April.", "plans", "Owen's partner Imogen will go to Ghent in April."),
)


@pytest.mark.parametrize(
    ("question", "untold"),
    [
        ("When is Zuzana's birthday?", "when Zuzana's birthday is"),
        ("when's Imogen's birthday", "when Imogen's birthday is"),
        ("When is Tom's birthday?", ""),
    ],
)
def test_a_birthday_is_told_of_whom_it_is_alone(memory: Store, owen: User, question: str, untold: str) -> None:
    _tell(memory, owen, OF_KIN)
    told = read(memory, owen, question)
    assert told is not None
    assert told.text.startswith(
        f"You haven't told me {untold}" if untold else "Your brother Tom's birthday is on the 9"
    )
    assert "Ghent" not in told.text


def test_of_two_each_is_answered_by_itself(memory: Store, owen: User) -> None:
    session = memory.sessions.start(owen.id, at=SAID)
    memory.turns.add(session.id, "Owen", "Helen lives in Perth.", said_at=SAID)
    both, one = read(memory, owen, "Where do Helen and Tom live?"), read(memory, owen, "Where do Helen and Gil live?")
    assert both is not None and both.sure
    assert both.text == "You told me: “Helen lives in Perth.”\nYour brother Tom lives in Bergen."
    assert one is not None and not one.sure
    assert one.text.startswith("You told me: “Helen lives in Perth.”\nYou haven't told me where Gil lives")


def test_who_died_since_is_not_told_of_as_if_alive(memory: Store, owen: User) -> None:
    rabbits = "We have two rabbits, Flocke and Bruno."
    _tell(memory, owen, ((rabbits, "pets", "Owen has two rabbits, Flocke and Bruno."),))
    session = memory.sessions.start(owen.id, at=SAID)
    memory.turns.add(session.id, "Owen", "Bruno slipped away in his sleep.", said_at=SAID)
    told = read(memory, owen, "Which of our rabbits is still with us?")
    assert told is not None and "Since then you told me: “Bruno slipped away in his sleep.”" in told.text
    _tell(memory, owen, (("We buried Flocke on Friday.", "pets", "Owen buried Owen's rabbit Flocke on Friday."),))
    again = read(memory, owen, "When did we bury Flocke, who is still in my dreams?")
    assert again is not None and "Friday" in again.text and "Since then" not in again.text


def _tell(store: Store, user: User, told: tuple[tuple[str, str, str], ...]) -> None:
    session = store.sessions.start(user.id, at=SAID)
    for line, topic, fact in told:
        turn = store.turns.add(session.id, "Owen", line, said_at=SAID)
        store.facts.remember(user.id, "Owen", topic, fact, turn_ids=[turn.id], said_at=SAID)
    store.vectors.embed_pending(user.id, limit=100)
