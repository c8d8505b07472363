"""What a small model reads best says the same as what was typed."""

from __future__ import annotations

import pytest

from chatmem.memory.language.about_others import people, with_capitals
from chatmem.memory.language.told.plainer import affirmed, plainer


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("Ines rang to say she's engaged", "Ines rang, she's engaged"),
        ("my aunt phoned to tell me that she sold the farm", "my aunt phoned, my aunt sold the farm"),
        ("Nomsa just texted: she has moved", "Nomsa just texted, she has moved"),
        ("Tom wrote to say hello", "Tom wrote to say hello"),
        ("he called to say that the car is ready", "he called to say that the car is ready"),
        ("So, two bits of news: I've left the laundry", "I've left the laundry"),
        ("Right, a couple of things - I sold the car", "I sold the car"),
        ("First the good news: I got the job. Bad news: we lost the flat.", "I got the job. We lost the flat."),
        ("So here's the thing: we moved", "We moved"),
        ("The thing is - I hate fish", "I hate fish"),
        ("My list has three things: milk and eggs", "My list has three things: milk and eggs"),
        ("would you believe it, my rent's 690 now", "My rent is 690 now"),
        ("And would you believe the boiler's gone again", "The boiler has gone again"),
        ("Guess what? I'm a grandmother.", "I'm a grandmother."),
        ("you know what, I've quit", "I've quit"),
        ("do you know, I've lived here forty years", "I've lived here forty years"),
        ("would you believe it if I told you", "would you believe it if I told you"),
        ("guess what I did today", "guess what I did today"),
        ("you know what my sister is like", "you know what my sister is like"),
        ("no news from Tom: he never writes", "no news from Tom: he never writes"),
        ("im tired and i dont sleep", "I'm tired and i don't sleep"),
        ("my boss is karl hes a pilot", "my boss is karl. My boss is a pilot"),
        ("I am Nuno, bookbinder, and I live in Braga.", "I am Nuno. I'm a bookbinder, and I live in Braga."),
        ("I'm Beatriz, from Evora.", "I'm Beatriz. I'm from Evora."),
        ("I'm Ana, 34, nurse in Lund, mother of two.",
         "I'm Ana. I'm 34 years old. I'm a nurse in Lund. I'm a mother of two."),
        ("Hi, Noa here, 33, freelance illustrator, birthday 14 March.",
         "Hi, Noa here. I'm 33 years old. I'm a freelance illustrator. My birthday is 14 March."),
        ("hi, Lena, 41, nurse in Kiel, two kids", "hi, Lena. I'm 41 years old. I'm a nurse in Kiel. I have two kids"),
        ("my name's Ben, 52, live in Hull, married to Jo.",
         "my name's Ben. I'm 52 years old. I live in Hull. I'm married to Jo."),
        ("Lena, 41, nurse in Kiel, is my sister", "Lena, 41, nurse in Kiel, is my sister"),
        ("This is Lakshmi speaking, retired stationmaster.", "This is Lakshmi speaking. I'm a retired stationmaster."),
        ("my gf's name is Jess btw, she's a vet nurse", "my girlfriend is called Jess, she's a vet nurse"),
        ("my first name's Jess", "my first name's Jess"),
        ("Mother had her 85th birthday on Sunday", "Mother turned 85 on Sunday"),
        ("The trip is off, I am afraid, because the ship broke down", "The trip is off, because the ship broke down"),
        ("I'm afraid of dogs", "I'm afraid of dogs"),
        ("I, on the other hand, would put it on toast", "I would put it on toast"),
        ("im tomasz i study geology", "I'm tomasz. i study geology"),
        ("We all live in Bonn and I have a cat.", "We live in Bonn and I have a cat."),
        ("im tired i think", "I'm tired i think"),
        ("It's Ida who went to Leeds, not Otto", "It's Ida who went to Leeds, not Otto"),
        ("my mum works there but she isnt a cook, shes the caretaker",
         "my mum works there but my mum isn't a cook, my mum is the caretaker"),
        ("Good news: the roof is done", "The roof is done"),
        ("I must correct something: Leo will be 46", "Leo will be 46"),
        ("Amir isn't coming, it's Priya who is flying with me", "Amir isn't coming, Priya is flying with me"),
        ("It's my sister who's the midwife", "my sister is the midwife"),
        ("Is it Priya who is flying?", "Is it Priya who is flying?"),
        ("it's my cat that i miss", "it's my cat that i miss"),
        ("I ought to mention that we've moved to Lae", "We've moved to Lae"),
        ("gf is called meera, shes doin dentistry", "my girlfriend is called meera. My girlfriend is doing dentistry"),
        ("my bf's called Jo", "my boyfriend is called Jo"),
        ("my bfs called Jo", "my boyfriend is called Jo"),
        ("flatmates r yusuf and dan", "my flatmates are yusuf and dan"),
        ("mums 50 in march", "my mum's 50 in march"),
        ("bikes an old raleigh", "my bike is an old raleigh"),
        ("dads moved out n mums selling the house", "my dad has moved out and mums selling the house"),
        ("im goin whitby w meera in 2 wks", "I'm going whitby with meera in 2 weeks"),
        ("ive finaly passed my theory", "I've finally passed my theory"),
        ("havin tea w/ my nan tmrw", "having tea with my nan tomorrow"),
        ("im workin at greggs rn", "I'm working at greggs right now"),
        ("its my bday fri", "it's my birthday Friday"),
        ("were movin to york in jan, ill be late", "we're moving to york in jan, I'll be late"),
        ("i wont be in on sat", "i won't be in on Saturday"),
        ("i hate my manager lol hes called craig", "i hate my manager. My manager is called craig"),
        ("ur a bot, ur boss is not", "you're a bot, your boss is not"),
        ("yo im meera", "I'm meera"),
        ("hi! im ifeoma, 27, writing a thesis on bogs in groningen",
         "I'm ifeoma. I'm 27 years old. I'm writing a thesis on bogs in groningen"),
        ("hello, ana here, 40, raising two kids in porto",
         "hello, ana here. I'm 40 years old. I'm raising two kids in porto"),
        ("I'm Tom, 31, calling about the flat", "I'm Tom, 31, calling about the flat"),
        ("I'm stuck, writing a letter", "I'm stuck, writing a letter"),
        ("we're over, i'm single now i guess", "we broke up, i'm single now"),
        ("she is 40, I think. Her dog is old i suppose, and deaf", "she is 40, I think. Her dog is old, and deaf"),
        ("that's what i think", "that's what i think"),
        ("he's older than i think", "he's older than i think"),
        ("im kofi, 22, doing civil eng, 3rd year",
         "I'm kofi. I'm 22 years old. I'm doing civil eng. I'm in my 3rd year"),
        ("After that its a kitchen. Its not 650, its 480.", "After that it's a kitchen. It's not 650, it's 480."),
        ("Kim's just rung, and Leo's just tired", "Kim has just rung, and Leo is just tired"),
        ("I live in Ostend, where I repair nets.", "I live in Ostend. I repair nets there."),
        ("hey, lena here, second year of nursing school", "hey, lena here. I'm in my second year of nursing school"),
    ],
)  # fmt: skip
def test_a_line_is_made_plainer(typed: str, read: str) -> None:
    assert plainer(typed) == read


@pytest.mark.parametrize(
    "line",
    [
        "I'm Callum, nice to meet you",
        "were you there when the roof fell",
        "were tired of it",
        "its wheel broke",
        "The club and its 40 members",
        "ill health runs in the family",
        "well be honest",
        "mums cooking is great",
        "mums are nice",
        "bikes are fun",
        "mum and dad are here",
        "my brothers moved out",
        "i am an rn in leeds",
        "he queued at the atm",
        "the cat sat on the sun bed",
        "gf bread is dear",
        "his basin is a cousin of mine",
        "I'm tired, so tired.",
        "You got that wrong, I'm a midwife, not a nurse.",
        "I'm Dora, not Laura.",
        "I'm Defne, I design playgrounds.",
        "I think he's a pilot",
        "My wife told Anna that she moved, and she was glad.",
        "My wife said he is fine, and he knows.",
        "well, its lid is off and we were ill",
        "I'm Rosa, queen of the kitchen",
        "I have to report to my boss on Monday",
        "Update",
        "Update my address to Heron Lane 3",
        "Good news travels fast in our street",
        "I have to say sorry to my sister",
        "Ostend, where I was born",
    ],
)
def test_a_line_that_may_mean_something_else_stays(line: str) -> None:
    assert plainer(line) == line


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("I play not the violin but the viola.", "I play the viola."),
        ("It's not in Graz, but rather in Linz.", "It's in Linz."),
        ("I'm not only a cook but a baker", "I'm not only a cook but a baker"),
        ("I'm not sure but I think so", "I'm not sure but I think so"),
        ("She's ten, not nine!", "She's ten, not nine!"),
        ("He's not a cook but a baker.", "He's a baker."),
        ("Mia's birthday is not on 9 May but on 19 May.", "Mia's birthday is on 19 May."),
        ("He is not called Dave but Dan.", "He is called Dan."),
        ("The appointment isn't at 3 but at 4.", "The appointment is at 4."),
        ("It is on 19 May and not on 9 May.", "It is on 19 May."),
        ("I'm not at home and not at work.", "I'm not at home and not at work."),
        ("I'm not allergic but my son is.", "I'm not allergic but my son is."),
        ("I do not eat meat but fish is fine.", "I do not eat meat but fish is fine."),
        ("I'm not vegan but I eat little meat.", "I'm not vegan but I eat little meat."),
        ("I'm not a fan but a friend of mine is.", "I'm not a fan but a friend of mine is."),
    ],
)
def test_not_this_but_that_is_that(said: str, told: str) -> None:
    assert affirmed(said) == told


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Leo's 7th birthday was on Saturday", "Leo turned 7 on Saturday"),
        ("It was my 40th birthday on Saturday", "I turned 40 on Saturday"),
        ("We went out, it's my daughter's 5th birthday today", "We went out, my daughter turns 5 today"),
        ("My 30th birthday will be in May", "I turn 30 in May"),
        ("I was born on the third of MARCH", "my birthday is on the third of MARCH"),
        ("So I was born on May 6th", "So my birthday is on May 6th"),
        ("I was born on 9 May 1990 in Lund", "I was born on 9 May 1990 in Lund"),
        ("I was born on a farm", "I was born on a farm"),
        ("my son was born on the fourth of June", "my son was born on the fourth of June"),
        ("Leo's 7th birthday was fun", "Leo's 7th birthday was fun"),
        ("I missed Leo's 7th birthday last week", "I missed Leo's 7th birthday last week"),
        ("Her 7th birthday was on Saturday", "Her 7th birthday was on Saturday"),
    ],
)
def test_a_birthday_that_is_counted_tells_an_age(said: str, told: str) -> None:
    assert plainer(said) == told


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("dans moved out", "Dan's moved out"), ("dans 50 in march", "Dan's 50 in march"),
        ("dans room is cold", "Dan's room is cold"), ("tins moved out", "tins moved out"),
        ("the dans of this world", "the dans of this world"), ("two dans came", "two dans came"),
        ("flatmates r yusuf and dan", "flatmates r Yusuf and Dan"),
        ("live w 3 girls, priya, beth n lou", "live w 3 girls, Priya, Beth n Lou"),
        ("the girls, cats and dogs", "the girls, cats and dogs"),
        ("flatmates are nice and quiet", "flatmates are nice and quiet"),
    ],
)  # fmt: skip
def test_a_known_name_keeps_its_verb(typed: str, read: str) -> None:
    assert with_capitals(typed, {"Dan"}) == read


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("kayleighs car failed its mot", "Kayleigh's car failed its mot"),
        ("took jordans new bike", "took Jordan's new bike"),
        ("mark marks essays all night", "Mark marks essays all night"), ("he robs banks", "he robs banks"),
        ("my son lucas plays chess", "my son Lucas plays chess"),
        ("i live in st kayleighs road", "i live in st kayleighs road"),
    ],
)  # fmt: skip
def test_what_is_a_known_ones_is_theirs_but_where_the_word_is_another(typed: str, read: str) -> None:
    assert with_capitals(typed, {"Kayleigh", "Jordan", "Mark", "Rob", "Luca"}) == read


def test_several_who_are_told_of_at_once_are_people() -> None:
    told = people([("Jas", "Jas lives with three girls, Priya, Beth and Lou.")])
    assert told == {"Jas", "Priya", "Beth", "Lou"}
    assert with_capitals("lous moved out", told) == "Lou's moved out"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("They have given me hearing aids for both ears", "I have been given hearing aids for both ears"),
        ("they've moved me to fridays", "I have been moved to fridays"),
        ("They gave me a lift home", "They gave me a lift home"),
        ("They told me that he is ill", "They told me that he is ill"),
    ],
)
def test_what_they_did_with_the_speaker_is_told_of_the_speaker(line: str, told: str) -> None:
    assert plainer(line) == told
