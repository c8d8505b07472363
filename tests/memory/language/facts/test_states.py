"""Whether a new fact ends a known one: by whose matter it tells of and what the line says."""

from __future__ import annotations

import pytest

from chatmem.memory.language.facts.corrections import clause_facts, signals, swaps
from chatmem.memory.language.facts.former import former, had
from chatmem.memory.language.facts.matters import parts
from chatmem.memory.language.facts.over import over
from chatmem.memory.language.facts.states import Acquaintance, contradicts, introduced, judged

JUDGED = [
    ("Ana's husband Leo is allergic to nuts.", "Leo is now a teacher.", "Leo changed jobs", "beside"),
    ("Ana's husband Leo is a plumber.", "Leo is now a teacher.", "Leo changed jobs, he's a teacher", "ends"),
    ("Ana is a vet in Graz.", "Ana moved to Linz.", "we moved to Linz", "beside"),
    ("Ana lives in Graz.", "Ana might move to Rome.", "I might move to Rome", "beside"),
    ("Ana lives in Graz.", "Ana is in Linz this week.", "I'm in Linz this week", "beside"),
    ("Ana lives in Graz.", "Ana's sister Mia moved to Linz.", "my sister Mia moved to Linz", "beside"),
    ("Ana lives in Graz.", "Ana used to live in Lyon.", "I used to live in Lyon", "beside"),
    ("Ana lives in Graz.", "Ana's lodger moved to Linz.", "our lodger moved to Linz", "beside"),
    ("Ana lives in Graz.", "Ana's plumber Tom lives in Linz.", "my plumber Tom lives in Linz", "beside"),
    ("Ana's mate Kev lives in Graz.", "Ana's ex Gary lives in Linz.", "ex Gary lives in Linz", "beside"),
    ("Ana's mate Kev lives in Graz.", "Kev moved to Linz.", "Kev's moved to Linz", "ends"),
    ("Ana lives in Graz.", "Ana's check-up moved to Friday.", "my check-up moved to Friday", "beside"),
    ("Ana's doctor Dr Lund works in Graz.", "Ana's doctor Dr Roth works in Linz.", "Dr Roth works in Linz", "beside"),
    ("Ana lives in Graz.", "Ana lives in Linz.", "I live in Linz", "ask"),
    ("Ana is vegan.", "Ana is a vegetarian.", "vegetarian is as far as I go", "ask"),
    ("Ana is a vegetarian.", "Ana is gluten-free.", "I'm gluten-free", "beside"),
    ("Ana is vegan.", "Ana's sister is a vegetarian.", "my sister is a vegetarian", "beside"),
    ("Ana lives in Graz.", "Ana left Graz.", "we've left Graz for good", "ends"),
    ("Ana is engaged to Tom.", "Ana and Tom broke up.", "Tom and I broke up", "ends"),
    ("Ana's boyfriend is Tom.", "Ana and Tom broke up.", "Tom and I broke up", "ends"),
    ("Ana likes coffee.", "Ana does not like coffee any more.", "I don't like coffee any more", "ends"),
    ("Ana likes coffee.", "Ana likes tea.", "I like tea now", "beside"),
    ("Ana plays the piano.", "Ana plays tennis.", "I play tennis now", "beside"),
    ("Ana has a dog named Rex.", "Ana has a second dog, Bo.", "we got a second dog, Bo", "beside"),
    ("Ana has a dentist appointment on Friday.", "Ana's dentist appointment moved to Monday.", "it was moved", "ends"),
    ("Ana's exam is on 2 May.", "Ana's exam has been put back to 9 May.", "It has been put back to the 9th.", "ends"),
    (
        "Ana's exam is on 2 May.",
        "Ana's exam was brought forward to 29 April.",
        "It was brought forward to the 29th.",
        "ends",
    ),
    ("Ana's exam is on 2 May.", "Ana put off telling Tom.", "I put off telling Tom to learn", "beside"),
    ("Ana's locker number is 47.", "Ana's locker number is 74.", "my new locker number is 74", "ends"),
    ("Ana's phone number is 47.", "Ana's work number is 74.", "my new work number is 74", "beside"),
    ("Ana's brother is Tom.", "Ana's brother is Sam.", "my brother Sam is here now", "beside"),
    ("Ana's boss is Ms. Farrow.", "Ana's boss is Theo.", "my boss is Theo now", "ends"),
    ("Ana's boss is Ms. Farrow.", "Ana's boss is strict.", "my boss is strict", "beside"),
    ("Ana hates olives.", "Ana likes olives.", "Pieter likes olives.", "beside"),
    ("Ana teaches geography.", "Ana's car died, so Ana goes by scooter.", "My car died, so I go by scooter.", "beside"),
    ("Ana teaches geography.", "Ana's phone is dead.", "my phone is dead", "beside"),
    ("Ana teaches geography.", "Ana died laughing.", "I died laughing", "beside"),
    ("Koos is thirty-one.", "Koos died this morning.", "Koos died this morning.", "ends"),
    ("Ana has a broken leg.", "Ana's leg is fine again.", "my leg is fine again", "ends"),
    ("Ana lives in Graz.", "Ana rents a flat in Linz.", "I rent a flat in Linz now", "ends"),
    ("Ana lives in Graz.", "Ana pays 640 pounds rent.", "I pay 640 pounds rent", "beside"),
    ("Ana moved to Graz with Ana's husband Ken.", "Ana has separated from Ken.", "I have separated from Ken", "beside"),
    ("Ana moved to Graz with Ken.", "Ana broke up with Ken.", "I broke up with Ken", "beside"),
    ("Ana lives with Ken.", "Ana broke up with Ken.", "I broke up with Ken", "ends"),
    ("Ana has a broken leg.", "Ana's arm is fine again.", "my arm is fine again", "beside"),
    ("Ana has a broken leg.", "Ana's leg hurts.", "my leg hurts", "beside"),
    ("Ana smokes a pipe.", "Ana hasn't smoked since January.", "I haven't smoked since January", "ask"),
    ("Ana smokes a pipe.", "Ana hasn't smoked since lunch.", "I haven't smoked since lunch", "beside"),
    ("Ana has a loom.", "Ana hasn't had the loom out since May.", "I haven't had the loom out since May", "ask"),
    ("Ana smokes a pipe.", "Ana hasn't sung for years.", "I haven't sung for years", "beside"),
    ("Ana's sister Mia is pregnant.", "Mia had her baby on Sunday.", "Mia had her baby on Sunday", "ends"),
    ("Ana's sister Mia is pregnant.", "Mia had a baby shower.", "Mia had a baby shower", "beside"),
    ("Ana's sister Mia lives in Graz.", "Mia has moved her desk.", "Mia has moved her desk", "beside"),
    ("Ana lives in Graz.", "Ana moved Mia's piano.", "I moved Mia's piano", "beside"),
    ("Ana lives in Graz.", "Ana moved her family to Linz.", "I moved my family to Linz", "ends"),
    ("Ana's ex-wife Mia is a nurse.", "Ana is a cook.", "I'm a cook now", "beside"),
    ("Ana's ex-wife is a nurse.", "Ana's wife is a cook.", "my wife is a cook now", "beside"),
    ("Koos is thirty-one.", "Koos has died.", "He died in my arms.", "ends"),
    ("Ana's dog Rex is four.", "Ana's dog Rex was put to sleep.", "Rex was put to sleep", "ends"),
    ("Ana lives in Graz.", "Ana and Tom moved to Linz.", "last weekend we moved to Linz", "ends"),
    ("Ana's brother Ole is a welder.", "Ole drives a taxi.", "These days Ole drives a taxi.", "ends"),
    ("Ana's wife Mia is a nurse.", "Mia works as a guide.", "Since Monday Mia works as a guide.", "ends"),
    ("Ana's wife Mia is a nurse.", "Mia started as a tram driver.", "Mia started as a tram driver", "ends"),
    ("Ana works at a bank.", "Ana is a gardener.", "Nowadays I'm a gardener instead", "ends"),
    ("Ana works at a bank.", "Ana is a manager.", "I'm a manager now", "beside"),  # at the bank
    ("Ana works at a bank.", "Ana is a gardener.", "Nowadays I'm a gardener", "ask"),
    ("Ana works at a bank.", "Ana is a manager at the bank.", "These days I'm a manager at the bank", "beside"),
    ("Ana works at a bank.", "Ana sleeps badly.", "These days I sleep badly", "beside"),
    ("Ana works at a bank.", "Ana started as a waitress.", "I started as a waitress, back then", "beside"),
    ("Ana is a nurse.", "Ana works as a waitress.", "since Monday I also work as a waitress", "beside"),
    (
        "Ana is a nurse in Ghent.",
        "Ana works as a nurse at a clinic.",
        "since May I work as a nurse at a clinic",
        "beside",
    ),
    ("Ana is a nurse.", "Ana has had a cold since Monday.", "I've had a cold since Monday", "beside"),
    ("Ana lives in Bath.", "Ana lives in Bristol.", "Since May we live in Bristol", "ends"),
    ("Ana lives in Bath.", "Ana is based in Bristol.", "these days we're based in Bristol", "ends"),
    ("Ana lives in Bath.", "Ana has lived here since May.", "we've lived here since May", "beside"),
    ("Ana lives in Bath.", "Ana left Bath in May.", "I left Bath in May", "ends"),  # no "may" of what is open
    ("Ana lives in Bath.", "Ana may leave Bath.", "I may leave Bath", "beside"),
]


@pytest.mark.parametrize(("known", "new", "line", "expected"), JUDGED)
def test_what_a_new_fact_means_for_a_known_one(known: str, new: str, line: str, expected: str) -> None:
    assert judged(new, known, line, Acquaintance.of([known])).verdict == expected


@pytest.mark.parametrize(
    ("known", "clause", "ended"),
    [
        ("Ana has a rabbit called Snuf.", "We gave Snuf to a family with a garden", True),
        ("Ana works at the brewery De Kroon.", "De Kroon went bankrupt", True),
        ("Ana drives a red Volvo.", "I sold the Volvo", True),
        ("Ana has a bad knee.", "With this knee I cancelled the marathon", False),
        ("Ana's wedding is on 5 October.", "Sanne's wedding was cancelled", False),
        ("Ana has a boat.", "my brother sold his boat", False),
        ("Ana drinks coffee.", "I almost gave up coffee", False),
        ("Ana drinks coffee.", "should I give up coffee?", False),
        ("Ana works at a bakery.", "I left the bakery early", False),
        ("Ana loves the theatre.", "the theatre was sold out", False),
        ("Ana lives with Mia and Ben.", "Mia moved out on Sunday", True),
        ("Leo is allergic to cats.", "Leo drives a tram, no more pizza", False),
        ("Leo is allergic to cats.", "Leo quit smoking", False),
        ("Leo lives with Ana.", "Leo moved out", True),
        ("Ana goes climbing with Leo on Mondays.", "Leo moved out on Sunday", False),
        (
            "Ana's clinic has an appointment of Dad's on 16 December.",
            "Dad doesn't manage with the stick any more",
            False,
        ),
        ("Ana drives a company car.", "I handed the company car back", True),
        ("Ana lives next door to the Prossers.", "the Prossers' boy has moved out", False),
        ("Ana lives with Mia and Ben.", "I heard that Tom moved out of Mia's house", False),
        ("Ana has a goldfish named Bubbles.", "Bubbles passed away this morning", True),
        ("Ana has a goldfish named Bubbles.", "Ana passed Bubbles her food", False),
        ("Ana has a dog named Momo.", "We had to put Momo to sleep yesterday", True),
        ("Ana has a dog named Momo.", "we had to let Momo go", True),
        ("Ana has a dog named Momo.", "I had to let Momo out", False),
        ("Ana has a daughter named Lotte.", "I had to put Lotte to sleep twice", False),
        ("Ana works at a bakery.", "The bakery let me go", True),
        ("Ana works at a bakery.", "The bakery let me take bread home", False),
        ("Ana works at a bakery.", "The bakery let me go home early", False),
        ("Ana works at a bakery.", "The bakery let me go on Friday", True),
        ("Ana drives an old Fiat Panda.", "The Panda went to the scrapyard on Monday", True),
        ("Ana drives an old Fiat Panda.", "The Panda went to the garage on Monday", False),
        ("Ana drives an old Fiat Panda.", "I went to the dump with the Panda", False),
    ],
)
def test_a_clause_ends_just_what_it_names(known: str, clause: str, ended: bool) -> None:
    assert over(known, clause, "Ana", clause) is ended


def test_whose_a_fact_is() -> None:
    (told,) = parts("Ana's sister Mia's dog Rex has fleas.")
    assert told.holder.names == {"rex"}
    assert told.owner is not None
    assert told.owner.names == {"mia"}
    two = parts("Ana is a vet and lives in Graz.")
    assert [one.text for one in two] == ["Ana is a vet.", "Ana lives in Graz."]


def test_what_is_put_in_the_place_of_what() -> None:
    assert swaps("no, it's 74, not 47") == [("47", "74")]
    assert swaps("Not Tom but Tim.") == [("Tom", "Tim")]
    assert swaps("Leo will be 46 in January, not 45") == [("45", "46")]
    assert swaps("dentist on Monday at 3pm instead of Friday") == [("Friday", "Monday at 3pm")]
    assert swaps("we've got 3,900 for the van now and not 3,200") == [("3,200", "3,900")]
    assert swaps("We meet on Friday at Lena's place now, not Thursday") == [("Thursday", "Friday")]
    assert swaps("I have tea, not 2") == []
    assert swaps("I live in Oslo") == []
    assert swaps("sorry, not Leeds, the firm's in Bradford") == [] == swaps("nope not the Polo, that one stays")
    assert swaps("Thursday, sorry, not Tuesday") == [("Tuesday", "Thursday")]
    assert swaps("I teach physics, I should have said, not chemistry.") == [("chemistry", "physics")]
    assert swaps("He's not a beagle actually, he's a basset.") == [("beagle", "basset")]
    assert swaps("Not 2009. 2011.") == [("2009", "2011")]
    assert swaps("Thursday is wrong, it's Tuesday and Friday.") == [("Thursday", "Tuesday and Friday")]
    assert swaps("Leeds was wrong, he's in Sheffield.") == [("Leeds", "Sheffield")]
    assert swaps("Third floor is not right, it's the fourth.") == [("Third floor", "fourth floor")]
    assert swaps("The door was wrong, it's the blue one.") == swaps("Not now. Later.") == []
    assert swaps("Colin drives the lorry, not our Susan.") == []
    assert swaps("It's Mr Okoro, not Okafor") == [("Okafor", "Okoro")]
    assert swaps("I said three cats, but it's actually four.") == [("three cats", "four cats")]
    assert swaps("actually, Lena is not a baker, she is a butcher") == [("baker", "butcher")]
    assert swaps("no, Milan is not a doctor, he is a nurse") == [("doctor", "nurse")]
    assert swaps("I am not in Rome, I'm in Oslo today") == swaps("I'm not at home, I'm at work") == []
    assert swaps("Mia does not like tea") == swaps("the dog is not called Rex") == []


def test_clauses_in_their_own_words() -> None:
    assert list(clause_facts("Tom and I split up", "Ana")) == ["Tom and Ana split up."]
    assert list(clause_facts("Leo changed jobs, he's a cook now", "Ana", frozenset({"Leo"}))) == [
        "Leo changed jobs.",
        "Leo is a cook now.",
    ]
    assert list(clause_facts("sold the Volvo, where do I get a bike?", "Ana")) == ["Ana sold the Volvo."]


def test_a_clause_without_what_leads_it_in() -> None:
    people = frozenset({"Pepe", "Mia"})
    assert list(clause_facts("Sad news: Pepe died yesterday.", "Ana", people)) == ["Pepe died yesterday."]
    assert list(clause_facts("Since Monday Mia works as a guide instead.", "Ana", people)) == [
        "Mia works as a guide since Monday."
    ]
    assert list(clause_facts("Mia moved out :( she got a job", "Ana", frozenset({"Mia"}))) == [
        "Mia moved out.", "Mia got a job.",
    ]  # fmt: skip


def test_a_line_tells_what_it_is() -> None:
    assert signals("actually I moved to Porto").corrects
    assert signals("I might move").maybe
    assert signals("we broke up").ends
    assert not signals("I live in Graz").any_change


def test_what_is_done_with_another_is_not_told_of_the_other_alone() -> None:
    own = "Ana lives in Graz with Ana's partner Tom."
    assert contradicts(own, "Ana's partner Tom lives in Graz.")
    assert not contradicts(own, "Ana lives in Graz.")
    assert not contradicts("Ana's husband Karl is a vet.", "Ana lives in Graz with her husband Karl, a vet.")
    assert not contradicts("Ana went to Rome with Ana's sister Mia.", "Ana's sister Mia lives in Rome.")
    assert not contradicts("Ana's rent is 780, the landlord is Mr Girard.", "Ana's landlord is Mr Girard.")
    assert contradicts("Ana's locker number is 4471.", "Ana's bike number is 4471.")


@pytest.mark.parametrize("fact", ["User sold the car.", "User quit the choir.", "User moved from the coast."])
def test_the_first_word_of_a_fact_is_no_name_that_one_leaves(fact: str) -> None:
    known = "The user's name is Ana."
    assert judged(fact, known, fact, Acquaintance.of([known])).verdict == "beside"


@pytest.mark.parametrize(
    ("known", "told", "now"),
    [
        ("Ana's girlfriend Tess is a florist.", "Ana broke up with Tess.", "Ana's ex-girlfriend Tess is a florist."),
        ("Ana's husband is a pilot.", "Ana got divorced from Ana's husband Paul.", "Ana's ex-husband is a pilot."),
        ("Ana's husband Paul is a pilot.", "Ana got divorced in May.", "Ana's ex-husband Paul is a pilot."),
        ("Ana's girlfriend Tess is a florist.", "Ana's sister Mia broke up with Tom.", None),
        ("Ana's girlfriend Tess is a florist.", "Ana broke up with Tom.", None),
        ("Ana's boyfriend Tom is a chef.", "Ana is divorced.", None),
        ("Ana's husband Paul is a pilot.", "Ana got divorced in 2015.", None),  # from whom, isn't told
        ("Ana's girlfriend Tess is a florist.", "Ana might break up with Tess.", None),
        ("Ana's girlfriend Tess is a florist.", "Ana's car broke up.", None),
        ("Ana's sister Tess is a florist.", "Ana broke up with Tess.", None),
        ("Mia's husband Paul is a pilot.", "Ana got divorced.", None),
    ],
)
def test_who_was_a_partner_is_a_former_one(known: str, told: str, now: str | None) -> None:
    assert former(known, told, "Ana") == now


def test_a_partner_without_a_name_is_had_no_more() -> None:
    assert had("Ana has a husband.", "Ana has separated from Ken.", "Ana")
    assert not had("Ana has a husband.", "Ana has met Ken.", "Ana")
    assert not had("Ana has a wife.", "Ana broke up with Ana's girlfriend Tess.", "Ana")
    assert not had("Ana has a brother.", "Ana has separated from Ken.", "Ana")
    assert not had("Ana has a husband in Rome who cooks.", "Ana has separated from Ken.", "Ana")


def test_an_animal_that_died_is_told_with_whose_it_was() -> None:
    kept = "Ana has a goldfish named Bubbles."
    assert introduced("Bubbles passed away.", kept) == "Ana's goldfish Bubbles passed away."
    assert introduced("Bubbles's bowl broke.", kept) == "Bubbles's bowl broke."
    assert introduced("Momo passed away.", kept) == "Momo passed away."
    wife = "Ana's wife is called Denise and works at Morrisons."
    assert introduced("Denise starts at a nursery.", wife) == "Ana's wife Denise starts at a nursery."
    assert introduced("Denise's cat died.", wife) == "Denise's cat died."


@pytest.mark.parametrize(
    ("told", "parted"),
    [
        ("Ana and Imani split up.", True),
        ("Ana broke up with Imani.", True),
        ("Ana and Imani are not splitting up.", False),
        ("Ana hasn't actually broken up with Imani.", False),
        ("Ana isn't happy that Ana and Imani split up.", True),
    ],
)
def test_a_parting_that_is_denied_is_none(told: str, parted: bool) -> None:
    assert (former("Ana's girlfriend Imani is a paralegal.", told, "Ana") is not None) is parted


@pytest.mark.parametrize(
    ("fact", "home"),
    [
        ("Jonas has been moved up front in striker.", False), ("Ana was moved to the Leeds office.", False),
        ("Ana's exam was moved to Friday.", False), ("Ana's dad has been moved to a care home in Hull.", True),
        ("Ana has moved to a flat.", True), ("Ana moved to Leeds.", True),
    ],
)  # fmt: skip
def test_what_is_moved_is_no_home(fact: str, *, home: bool) -> None:
    assert ("home" in {matter.kind for part in parts(fact) for matter in part.matters}) is home


def test_a_relation_by_marriage_is_one_word() -> None:
    (fact,) = parts("User's mother-in-law Hedwig's neighbour Anton collects clocks.")
    assert fact.holder.names == {"anton"} and fact.owner is not None and fact.owner.names == {"hedwig"}
    assert parts("User's mother-in-law is 81.")[0].holder != parts("User's mother is 81.")[0].holder
