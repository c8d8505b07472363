"""Which lines tell the user's name, which are asked back, and which say nothing about it."""

from __future__ import annotations

import re

import pytest

from chatmem.memory.language.language import english
from chatmem.memory.language.own_name import agrees, goes_on_then, told_name

PLAIN = """my name is Ana=Ana|My name's Joseph.=Joseph|my full name is Seán O'Neil=Seán O'Neil|call me Bo=Bo
you can call me Deniz=Deniz|Please call me Ana Maria=Ana Maria|I'm called Bo, by the way=Bo|I go by Sam=Sam
I go by the name of Kit=Kit|Everyone calls me Lu=Lu|My friends call me Bo.=Bo|people call me Nando=Nando
im denise but everyone calls me dee=Dee
Hi! My name is Irene, nice to meet you.=Irene|my name is now Ana Lopez=Ana Lopez|I am called Jean-Luc=Jean-Luc
My first name is Zoë and I sail=Zoë|I love tea. My name's Ana=Ana|my name is ian=Ian
My real name is Christian B=Christian B
most people call me Kofi=Kofi|hello, Joseph here=Joseph|Good morning, this is Priscilla speaking.=Priscilla
Hi, the name's Bond.=Bond|Hello there, my name is Olu=Olu|Just call me Max=Max|they call me Jo=Jo
I told you, my name is Ana=Ana|No, my name is Anna=Anna|hey my name's tom=Tom|Can you call me Leo?=Leo
Oh hello love, Yvonne here, I never know=Yvonne|Well, good morning my dear, Anna here=Anna|Hello you, Joan here=Joan
Permit me to introduce myself: Venkataraman, aged seventy-eight=Venkataraman
hiya, im kofi, 22, doing civil eng=Kofi|im kofi, 22=Kofi|im ana, 22=Ana|im kofi 22 from leeds=Kofi
heya i'm meera and im 21=Meera
names kofi=Kofi|my names kofi btw=Kofi|hi names jo, im new here=Jo|call me kof=Kof|u can call me kof=Kof
yeah its tom thats my name=Tom|its freya thats my name=Freya|It's Karen, that's my name=Karen
im tom thats my name btw=Tom|Yes, I'm Ruth Hope, that's my name=Ruth Hope"""

ASKED = """Hi, I'm Ana=Ana|I am Joseph=Joseph|Hi there, I'm Marta.=Marta|I'm Ian=Ian
I'm Eric and I sail=Eric|Joseph here=Joseph
I'm Groot=Groot
Hello, I am Marisol of Valparaíso, a nurse=Marisol|hey its dembe, 24, i ride boda=Dembe
Hello, it's Meral. I write from the kitchen=Meral|Hey, it's Tom from the garage=Tom|Hello machine, this is Joan.=Joan
hiya its mireille here=Mireille|hi, this is ana here and i sail=Ana|So I talk to computers now. Amir, by the way=Amir
im kofi=Kofi|hiya im kofi=Kofi|its kofi btw=Kofi|kofi here=Kofi|yo kofi here, u ok=Kofi|im kofi and i row=Kofi
yo mateus here 31=Mateus|moin, lena, 25, leipzig=Lena|callum. glasgow. 28. knackered=Callum
yuki, osaka, 30, i fix vending machines=Yuki|hey! aoife, 22, marine science in galway=Aoife
hi its tom=Tom|hiya um its tom=Tom|hello its freya again=Freya|hiya its tom im 40=Tom
yeah its dez thats my name=Dez|It's Hebrew, that's my name=Hebrew|its cringe thats my name=Cringe
hi its ruth. my cat is ill=Ruth|um so im dez=Dez|hi um im dez=Dez"""

SILENT = """eggs, milk, 12 rolls|tired, cold, 30 degrees below|room 4, floor 2, 30.|kids, cold, 20.
I'm Croatian|I'm Serbian|I'm Sikh|I'm Catalan|I'm Dyslexic|I am Bosnian|I'm Estonian|I'm Maltese
I'm Nepalese|I'm Basque|I'm Kurdish|I'm Danish|I'm Czech|I'm Afghan|I am Israeli|I'm Texan|I'm Jewish|I am Baptist
I'm Quaker|I'm Wiccan|I'm Calvinist|I'm Zoroastrian|I'm Autistic|I'm Diabetic|I'm Bipolar|I'm ADHD|I'm Deaf
I'm Introverted|I'm Furious|I'm Hopeful|I'm Exhausted|I'm Speechless|I'm STARVING|I am Drunk|I'm Homesick
I'm Stressed|I'm a Scorpio|I'm Nurse|I am Retired|I'm Teacher, by the way|I'm an Engineer|I'm Unemployed
I'm Freelancer|I'm Vegan|I'm Human|In the game my name is Zork|In our play my name is Hamlet
In my dream they call me King|if my name is Bob, so what|he said my name is Bob|She thinks my name is Bob
He wrote "my name is Bob"|The book opens: 'Call me Ishmael.'|imagine my name is Bob|why do they call me Bob
did you call me Bob|my dog's name is Rex|My character's name is Kor|don't call me Bob|never call me Bob
nobody calls me Al|call me a taxi|call me later|my name is pretty common|my name is hard to spell
My name is not important|my name is spelled with a k|I go by bike|I'm called to the bar|Londoner here
I'm from Spain|I'm in Berlin|Rain here again
its ana here|hi its cold here|hello its freezing here|hi it's raining here|hi its quiet here again|hi its me here
hi its my mum here|hello its lovely here|I like Berlin, by the way|Thanks, by the way.
Hi, it's Monday again|Hello, it's Christmas!|Hi, it's Dad|Hello, it's Sunny today.
hey its cold, 12 degrees|I'm Head of Sales|It's Meral who did it|Hello, it's Eid!
hello my love, all quiet here
Good idea. Thanks, by the way.
Berlin, by the way.
im tired|im 22|im from ghana|im vegan|im lost|im vegan, 22|hiya im knackered|hey im lost, 22 mins late
im done and i quit|nothing here|raining here|same here|its raining btw|its friday btw|names dont matter|call me asap
call me tmrw|im gonna go|im well, 30|im hungover|im at work|im dans mate|call me when u can|im tryna sleep
names are hard|im omw|im late|call me babe|im ghanaian|im a nurse|im revising|im chuffed and i know it
u can call me tonite
its raining|its monday|hi its monday|hiya um its late|hi its me|hiya um its mum|its over thats my fault|its dez
hi its raining im soaked|yeah its rex thats my name for the dog|yeah its over thats my name|yeah thats my name
yes its correct thats my name|its true thats my name|i'm certain that's my name|its lovely thats my name
i'm positive thats my name|its me thats my name|this is mine thats my name|She goes I'm Ruth, that's my name
my ex keeps shouting it's Karen that's my name|Not sure it's Anna that's my name.|its rose thats my name
hi its lupus|hey its leukaemia|hi its endometriosis and im scared|hi its priya, my daughter|hi its rex, my dog
hi its metformin|hi its diazepam|hi its crap|hi its bonkers|hi its urgent|hi its autism|hi its nhs|hi its paris
hiya um its dez|hi its freya, she's ill|hi its freya. she's ill|hi its freya shes ill|it's Ruth's that's my name
It's Wrong, that's my name|It's Rose, that's my name|it's Facebook, that's my name so it knows me
hi its zorp and im scared|hiya its dez im 40"""


def rows(text: str) -> list[str]:
    return text.replace("\n", "|").split("|")


@pytest.mark.parametrize("row", rows(PLAIN))
def test_plain_words_tell_a_name(row: str) -> None:
    line, name = row.split("=")
    told = told_name(line)
    assert told is not None and (told.name, told.plainly) == (name, True)


@pytest.mark.parametrize("row", rows(ASKED))
def test_what_may_be_a_name_is_asked_back(row: str) -> None:
    line, name = row.split("=")
    told = told_name(line)
    assert told is not None and (told.name, told.plainly) == (name, False)


@pytest.mark.parametrize("line", rows(SILENT))
def test_what_is_no_name_is_neither_taken_nor_asked_for(line: str) -> None:
    assert told_name(line) is None


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("yes", True), ("Yes please!", True), ("sure", True), ("ok, go ahead", True), ("yep, that's my name", True),
        ("Yes, please forget it.", True), ("ok do it", True), ("yes delete them all", True), ("forget it", None),
        ("no, keep it", False), ("yes, but keep the lines", None),
        ("no", False), ("No, thanks.", False), ("nope", False), ("rather not", False),
        ("no, leave it", False), ("cancel", False), ("not now, thanks", False), ("No way!", False), ("keep it", None),
        ("leave it to me", None), ("no way out of here", None),
        ("yes I have two cats", None), ("ok so I moved", None), ("no idea", None), ("", None), ("what?", None),
        ("yeah go on", True), ("yep go on then", True), ("yes go ahead", True), ("um yeah do it", True),
        ("please do", True), ("please go ahead", True), ("yeah that's fine", True), ("nah leave it", False),
        ("no dont", False), ("nope keep it", False), ("uh no", False), ("go on", None), ("yeah go on about it", None),
        ("yeah go on but keep the lines", None), ("do it tomorrow", None), ("stop by later", None), ("yeah no", None),
        ("yes, just forget it", True), ("yes just delete it", True), ("ok just delete them", True),
        ("yes, just erase everything", True), ("sure, just change it", True), ("yes go on now", True),
        ("yes go on please", True), ("yes, that's alright", True), ("ok, go on", None), ("please go on", None),
        ("do go on", None), ("go on then", None), ("don't stop", None),
        ("please don't stop", None), ("no, stop", False),
        ("please do do do do do do do do do do do do do do do do", None),
    ],
)  # fmt: skip
def test_only_a_bare_yes_or_no_answers_the_question_for_the_name(line: str, said: bool | None) -> None:
    assert agrees(line) is said


def test_an_age_behind_it_tells_no_name_in_words() -> None:
    told = told_name("hiya, im kofi, 22, doing civil eng at leeds uni")
    assert told is not None and (told.in_words, told.rest) == (False, "22, doing civil eng at leeds uni")


def test_there_are_enough_lines() -> None:
    assert len(rows(PLAIN)) >= 25 and len(rows(SILENT)) >= 60


def test_who_shrugs_at_the_question_for_an_erase_agrees_and_at_one_that_may_be_passed_over_not() -> None:
    assert goes_on_then("go on then") and goes_on_then("um, go on then, thanks")
    assert not any(map(goes_on_then, ("go on", "ok, go on", "please go on", "go on then about Ben")))


def test_no_list_of_answers_loses_a_space_beside_a_bar() -> None:
    """The lists are cut at each bar, within a group, too."""
    for name in ("agreeing", "agreed_to", "going_on", "going_on_then", "refusing"):
        told = str(english().files["names"][name])
        assert not re.search(r"\S +\||\| +\S", told), name


@pytest.mark.parametrize(
    ("line", "name", "plainly"),
    [
        ("Evening. Walter Armstrong's the name, and I was a signalman.", "Walter Armstrong", False),
        ("Hello, Ana Maria is my name.", "Ana Maria", True), ("Ana's my name", "Ana", True),
        ("Do call me Walter, everybody does.", "Walter", True),
        ("what is my name", None, False), ("Rex is the name of my dog", None, False), ("Mud is my name", None, False),
        ("Security is the name of the game", None, False), ("She is the name", None, False),
    ],
)  # fmt: skip
def test_a_name_may_stand_first(line: str, name: str | None, plainly: bool) -> None:
    told = told_name(line)
    assert (told and told.name) == name
    assert told is None or told.plainly == plainly


def test_what_is_left_of_a_line_with_a_name_is_no_half_sentence() -> None:
    told = told_name("Do call me Walter, everybody does.")
    assert told and told.rest == "everybody does."


@pytest.mark.parametrize(("line", "name", "rest"), [
    ("Hello, I am Agnieszka, you can say Aga, nobody here can say the long one.", "Aga",
     "nobody here can say the long one."),
    ("I'm Katarzyna, just Kasia is fine", "Kasia", ""),
    ("Hi, I'm Nicholas, Nick for short.", "Nick", ""),
    ("My name is Elizabeth, Liz to my friends", "Liz", ""),
    ("I'm Theodora. Theo is fine.", "Theo", ""),
    ("my name is Joseph, Joe for short, and I live in Leeds", "Joe", "I live in Leeds"),
])  # fmt: skip
def test_who_says_what_they_are_called_instead_is_called_that(line: str, name: str, rest: str) -> None:
    told = told_name(line)
    assert told is not None and (told.name, told.plainly, told.rest) == (name, True, rest)


@pytest.mark.parametrize(("line", "name"), [
    ("I'm Ana. Anton is fine.", "Ana"), ("My name is Ana and Berlin is fine", "Ana"),
    ("I'm Joe. You can say hello.", "Joe"), ("I'm Tom, people say Tom is loud", "Tom"),
    ("I'm Sam, short for Samantha", "Sam"), ("I'm Ana, just Friday is fine", "Ana"),
    ("My name is Nicholas, Nick for the kids' teacher", "Nicholas"),
])  # fmt: skip
def test_who_else_or_what_is_fine_is_nobodys_name(line: str, name: str) -> None:
    told = told_name(line)
    assert told is not None and told.name == name
