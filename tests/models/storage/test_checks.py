"""The checks of a draft by name: where each helps, where it must not fire, and that nothing is dropped in silence."""

from __future__ import annotations

import pytest

from chatmem.memory.language.language import UNKNOWN, english
from chatmem.memory.store.store import Store
from chatmem.memory.values import JournalEntry, Memory
from chatmem.models.prompts.draft import Add, Draft, read_draft
from chatmem.models.prompts.messages import NOTHING, Known, Line
from chatmem.models.storage.agent import StorageAgent
from chatmem.models.storage.checks import FIRST, KINSHIP, LAST, SENTENCES, looked_at
from chatmem.models.storage.told.scene import Scene
from tests.models.storage.test_faithful import Draws, says

PURE = {check.name: check for check in (KINSHIP, *FIRST, *LAST)}
CASES = [
    ("kinship", "Themba works nights.", ["Ana's aunt Themba works nights."], ["Themba works nights."]),
    ("kinship", "My aunt Themba works nights.", ["Ana's aunt Themba works nights."], None),
    ("kinship", "Molly is 15.", ["Ana's Molly is 15."], ["Molly is 15."]),
    ("kinship", "French is rusty", ["Ana's French is rusty."], None),
    ("kinship", "our Molly is 15.", ["Ana's Molly is 15."], None),
    ("kinship", "our big Christmas concert is on Friday", ["Ana's Christmas concert is on Friday."], None),
    ("somebody_else", "Actually, Mia moved to Porto", ["Ana moved to Porto."], []),
    ("somebody_else", "Actually, I moved to Porto with Mia", ["Ana moved to Porto."], None),
    ("turned_round", "I can't stand coriander", ["Ana likes coriander."], []),
    ("turned_round", "I love coriander", ["Ana likes coriander."], None),
    ("turned_round", "can't do gluten or shellfish, sadly", ["Ana eats gluten and shellfish."],
     ["Ana can't do gluten or shellfish, sadly."]),
    ("turned_round", "I don't smoke and I can't take aspirin", ["Ana takes aspirin."], ["Ana can't take aspirin."]),
    ("turned_round", "my friend Gunnar cannot eat anything with nuts in it", ["Ana's friend Gunnar eats nuts."],
     ["Ana's friend Gunnar cannot eat anything with nuts in it."]),
    ("turned_round", "I cannot take aspirin", ["Ana takes aspirin."], ["Ana cannot take aspirin."]),
    ("turned_round", "I don't eat meat but I do eat fish", ["Ana eats fish."], None),
    ("turned_round", "I'm not from Chile, I'm from Peru", ["Ana is from Chile."], ["Ana is not from Chile."]),
    ("turned_round", "I'm not from Chile, I'm from Peru", ["Ana is from Peru."], None),
    ("turned_round", "my wife isn't a nurse, I'm a nurse", ["Ana is a nurse."], None),
    ("turned_round", "I'm not only a nurse, I paint", ["Ana is a nurse."], None),
    ("verb", "Jorun dropped chemistry", ["Ana is working in a chemistry."], None),
    ("verb", "they eat us out of house and home", ["Ana lives in a house."], None),
    ("verb", "my husband Anselm and I run a mill near Dol", ["Ana's husband Anselm lives near Dol."],
     ["Ana's husband Anselm and Ana run a mill near Dol."]),
    ("verb", "we moved to Porto", ["Ana lives in Porto."], None),
    ("verb", "I grew up in Graz", ["Ana lives in Graz."], ["Ana grew up in Graz."]),
    ("doer", "The other one, Ikram, drives a night bus.", ["Ana drives a night bus."],
     ["Ikram drives a night bus."]),
    ("whose", "Colin's wife left him in the spring", ["Colin left him in the spring."],
     ["Colin's wife left him in the spring."]),
    ("whose", "My grandson Sem likes to cook; his sister Fenna is more for horses.",
     ["Ana's sister Fenna is more for horses."], ["Sem's sister Fenna is more for horses."]),
    ("whose", "My grandson cooks and his sister Fenna rides.", ["Ana's sister Fenna rides."],
     ["Ana's grandson's sister Fenna rides."]),
    ("whose", "My sister Fenna rides, his sister Femke walks.", ["Ana's sister Fenna rides."], None),
    ("whose", "My eldest, Susan, is a nurse at the Cumberland Infirmary, and her husband Colin drives a lorry.",
     ["Ana's husband Colin drives a lorry."], ["Susan's husband Colin drives a lorry."]),
    ("doer", "He's scared of geese", ["Ana is scared of geese."], []),
    ("own_day", "I was born in Bodo but I moved here in 1994", ["Ana was born in Bodo but moved to 1994."],
     ["Ana was born in Bodo but moved here in 1994."]),
    ("own_day", "Hm, no, it was 1995 when we moved here.", ["Ana moved to 1995."], ["Ana moved here in 1995."]),
    ("own_day", "No, it was 1995.", ["Ana moved to 1995."], ["Ana moved in 1995."]),
    ("own_day", "I moved to 1994 Main Street", ["Ana moved to 1994 Main Street."], None),
    ("doer", "Rex had a stroke and we had to let him go", ["Rex had a stroke.", "Rex had to let go of his lead."],
     ["Rex had a stroke.", "Ana had to let him go."]),
    ("doer", "so no carp from them, and we are 10", ["Ana is 10."], []),
    ("doer", "At home we are four. My son is Leo.", ["Ana is four."], []),
    ("doer", "I am 10, we are 12", ["Ana is 10."], None),
    ("doer", "it was in the van, no joke", ["Ana left Ana's trowel in Ana's van."], []),
    ("doer", "paid mum back today", ["Ana paid Ana's mother back."], None),
    ("doer", "I left it in the van", ["Ana left Ana's trowel in Ana's van."], None),
    ("doer", "We have a cat and Rex has a kennel", ["Rex has a kennel."], None),
    ("doer", "I work nights and Rex works days", ["Rex works days."], None),
    ("mine", "I go fishing with my uncle Edgar", ["Ana goes fishing with his uncle Edgar."],
     ["Ana goes fishing with their uncle Edgar."]),
    ("mine", "I bought myself a drum", ["Ana bought himself a drum."], ["Ana bought themself a drum."]),
    ("mine", "My wife drives my car", ["Ana's wife drives his car."], ["Ana's wife drives Ana's car."]),
    ("mine", "He lost his keys and I found my keys", ["Ana found her keys."], None),
    ("mine", "My wife stays for her exams", ["Ana's wife stays for her exams."], None),
    ("mine", "my partner Jo thinks I'm mad because I spend each day up there",
     ["Ana's partner Jo thinks Ana is mad because he spends each day up there."],
     ["Ana's partner Jo thinks Ana is mad because Ana spends each day up there."]),
    ("mine", "Jo thinks he spends too much, and I spend more", ["Jo thinks he spends too much."], None),
    ("mine", "my partner Jo, a nurse, thinks I spend too much", ["Ana's partner Jo is a nurse and he thinks a lot."],
     None),
    ("turned_round", "I can't wait to see Bob's dog", ["Ana is excited to see Bob's dog."], None),
    ("turned_round", "I don't want my grandchildren hurt", ["Ana has grandchildren."], None),
    ("turned_round", "I haven't got a car", ["Ana doesn't have a car."], None),
    ("invented_names", "I run it with my cousin", ["Ana has a shop.", "Ana's cousin is Jack."], ["Ana has a shop."]),
    ("invented_names", "I run a shop with my cousin Jack", ["Ana's cousin is Jack."], None),
    ("own_words", "I'm 72 with eight sons", ["Ana has sons."], ["Ana is 72 with eight sons."]),
    ("own_words", "I'm 72 with eight grandchildren", ["Ana is 72 and has 8 grandchildren."], None),
    ("own_words", "I'm restoring a boat with my uncle", ["Ana has an uncle."],
     ["Ana is restoring a boat with Ana's uncle."]),
    ("own_words", "I'm restoring a boat with my uncle", ["Ana restores a boat."], None),
    ("somebody_else", "Pieter puts olives on everything", ["Ana likes olives."], []),
    ("somebody_else", "Sanne's wedding was moved", ["Ana's wedding was moved."], ["Sanne's wedding was moved."]),
    ("somebody_else", "Wednesday is my day off", ["Ana is off on Wednesdays."], None),
    ("somebody_else", "Lidl opens at 8", ["Ana works at Lidl."], []),
    ("somebody_else", "IKEA is hiring in Ghent", ["Ana is working for an IKEA in Ghent."], []),
    ("somebody_else", "Durban is home now", ["Ana lives in Durban."], None),
    ("somebody_else", "Guitar is hard", ["Ana plays guitar."], None),
    ("hour", "dentist on Friday at 3pm", ["Ana has a date."], ["Ana has a date at 3pm."]),
    ("hour", "I see the dentist at 3pm", ["Ana sees the dentist at 3pm."], None),
    ("misnamed", "I work at the theatre in Deventer", ["Ana has a theatre named Deventer."], []),
    ("misnamed", "I work at the theatre, it's called Deventer", ["Ana has a theatre named Deventer."], None),
    ("kinship", "Koos can imitate my aunt", ["Ana's aunt Koos can imitate."], ["Koos can imitate."]),
    ("kinship", "Rosa is my aunt", ["Ana's aunt Rosa is here."], None),
    ("doer", "My mother has three sons who eat all my honey", ["Ana eats honey."],
     ["Ana's mother has three sons who eat all Ana's honey."]),
    ("doer", "Jarek lives with his girlfriend in Lodz", ["Ana lives in Lodz."],
     ["Jarek lives with his girlfriend in Lodz."]),
    ("doer", "He was eighteen, which is old", ["Ana is eighteen."], []),
    ("doer", "My sister lives in Oslo", ["Ana has a sister."], None),
    ("doer", "Football has me on its hook since I was six", ["Ana plays football."], None),
    ("doer", "Home is Durban, near the beach", ["Ana lives in Durban."], None),
    ("doer", "Mara is my boss", ["Ana is bossed by Mara."], None),
    ("whose", "my brother's wife Ilse is a nurse", ["Ana's brother Ilse is a nurse."],
     ["Ana's brother's wife Ilse is a nurse."]),
    ("whose", "Miriam's firm let her cut down, she works 3 days now", ["Ana's wife Miriam works 3 days."], None),
    ("whose", "my brother Tom is a nurse", ["Ana's brother Tom is a nurse."], None),
    ("nothing_said", "it's over, that's it", ["Ana is not married."], []),
    ("nothing_said", "mine are 3 and 6", ["Ana has children of 3 and 6."], None),
    ("nothing_said", "I turned forty-two", ["Ana is 42 years old."], None),
    ("verb", "The code of my door is 7392", ["Ana's door is 7392."], ["The code of Ana's door is 7392."]),
    ("verb", "I fix tractors", ["Ana has a tractor."], ["Ana fixes tractors."]),
    ("verb", "My cabin on the deck is number 14", ["Ana goes to the deck at number 14."],
     ["Ana's cabin on the deck is number 14."]),
    ("verb", "I sail my boat on Sundays", ["Ana has a boat."], None),
    ("verb", "I've got a tractor", ["Ana has a tractor."], None),
    ("verb", "I swim at the lido", ["Ana goes to the lido."], None),
    ("scattered", "the littles are Luz, she's 6, and Benny is 4. Those two are Dale's", ["Dale is 4."],
     ["Benny is 4."]),
    ("scattered", "Kavish is an electrician, he's got his own van, and Lena is a cook", ["Lena drives his own van."],
     ["Kavish has got his own van."]),
    ("scattered", "boss wants me in on Fridays, so it's Mondays I get to myself", ["Ana's shop opens on Mondays."], []),
    ("scattered", "Beto moved to Flagstaff. With a girlfriend.", ["Ana's girlfriend is Beto."],
     ["Beto moved to Flagstaff."]),
    ("scattered", "The boxes of Ida are blue and I painted the door", ["Ana painted the door."], None),
    ("scattered", "My wife Irena is a cook and I dislike olives", ["Ana's wife Irena is a cook."], None),
    ("pieced", "the boat is sold to another one. But Sindre gives us his van for 900",
     ["The boat is sold to Sindre for 900."], ["Sindre gives Ana his van for 900."]),
    ("pieced", "I'm a paramedic in Cardiff, and I live with Owen", ["Ana is a paramedic in Cardiff."], None),
    ("singly", "Jonas is a cook and hates wine, while I am a nurse", [
        "Jonas is a cook and hates wine, while Ana is a nurse."
    ], ["Jonas is a cook.", "Jonas hates wine.", "Ana is a nurse."]),
    ("singly", "my cat Biscuit is nine and hates drilling", ["Ana's cat Biscuit is nine and hates drilling."],
     ["Ana's cat Biscuit is nine.", "Ana's cat Biscuit hates drilling."]),
    ("misnamed", "Our Peter drives a lorry", ["Ana Peter drives a lorry."], ["Ana's Peter drives a lorry."]),
    ("turned_round", "Susan is 48 and not 49 till August", ["Susan is 49 till August."], []),
    ("singly", "my parrot is called Gav and was Leo's", ["Ana's parrot is called Gav and was Leo's."],
     ["Ana's parrot is called Gav.", "Ana's parrot Gav was Leo's."]),
    ("singly", "he has a son who is ill and works nights", ["Leo has a son who is ill and works nights."], None),
    ("singly", "she plays it and gives it away", ["Ida plays the accordion and gives it away."], None),
    ("singly", "Leo is ill because Ida was and has a cold", ["Leo is ill because Ida was and has a cold."], None),
    ("other_words", "They did my hip last winter", ["Ana's hip was amputated last winter."], []),
    ("other_words", "I rebuilt the hull of a trawler", ["Ana repaired the hull of a trawler."],
     ["Ana rebuilt the hull of a trawler."]),
    ("other_words", "He is vegan, so the fridge is a battle", ["Ana's boyfriend is vegan."], []),
    ("other_words", "Kavish does the garden and it's lovely", ["Ana's son Kavish does the garden."],
     ["Kavish does the garden and it's lovely."]),
    ("other_words", "three girls: Mele, Sela and Losa", ["Ana has three daughters."], None),
    ("other_words", "My mum's kid brother works nights", ["Ana's mother's brother works nights."], None),
    ("other_words", "I run a bakery in Ghent", ["Ana is a baker in Ghent."], None),
    ("other_words", "Ghent, that's where I am from", ["Ana grew up in Ghent."], []),
    ("only_named", "My mate Fergus is allergic to penicillin", ["Ana has a mate named Fergus."],
     ["Ana's mate Fergus is allergic to penicillin."]),
    ("only_named", "My mate Fergus is called the Goat", ["Ana has a mate named Fergus."], None),
    ("only_named", "I have a mate named Fergus", ["Ana has a mate named Fergus."], None),
    ("cut_down", "I play the accordion at weddings and on ferries", ["Ana plays the accordion."],
     ["Ana plays the accordion at weddings and on ferries."]),
    ("cut_down", "I rent a studio in Delicias", ["Ana has rented a studio."], None),
    ("cut_down", "I live in Turku with my rabbit Mochi", ["Ana lives in Turku.", "Ana has a rabbit."], None),
    ("cut_down", "I've moved into a flat above a bakery near the lock", ["Ana moved into a flat."], None),
    ("cut_down", "My mother has three sons who eat all my honey", ["Ana's honey is eaten by bears in spring."], None),
    ("kinship", "my brother is home", ["Ana's brother is called Ana."], []),
    ("misnamed", "she's Mira, she does law", ["Mira is called Mira and does law."], ["Mira does law."]),
    ("misnamed", "my sister is called Rut", ["Ana's sister Rut is called Rut."], ["Ana's sister is called Rut."]),
    ("misnamed", "they live in Rumia", ["Rumia lives in Rumia."], []),
    ("misnamed", "our cat Pasha flew over with my dad", ["Ana's father is called Pasha."], []),
    ("misnamed", "the gecko is Bea's and the cat is Karel's", ["Ana's cat is called Karel."], []),
    ("misnamed", "our cat Karel's ill again", ["Ana's cat is called Karel."], None),
    ("misnamed", "Karel's our cat", ["Ana's cat is called Karel."], None),
    ("misnamed", "it is Bea's name on the wifi", ["Ana's name is Bea."], []),
    ("misnamed", "bought a greyhound, name's Bea", ["Ana's name is Bea."], []),
    ("misnamed", "I told you, it's Bea's name on the wifi", ["Ana's name is Bea."], []),
    ("misnamed", "my real name is Bea, actually", ["Ana's name is Bea."], None),
    ("misnamed", "I'm Bea really", ["Ana's name is Bea."], None),
    ("misnamed", "call me Bea", ["Ana's name is Bea."], None),
    ("misnamed", "our cat Pasha and my dad Karel flew over", ["Ana's father is called Karel."], None),
    ("mine", "she'll join me in June", ["Ana's sister will join her in June."],
     ["Ana's sister will join Ana in June."]),
    ("mine", "Kuba moved to us", ["Kuba moved to us."], ["Kuba moved to Ana's place."]),
    ("mine", "Kuba moved to us", ["Kuba moved to them."], ["Kuba moved to Ana's place."]),
    ("mine", "Lena brought us soup", ["Lena brought them soup."], ["Lena brought Ana soup."]),
    ("mine", "Kuba moved to them", ["Kuba moved to them."], None),
    ("mine", "my aunt taught me to swim", ["Ana's aunt taught him to swim."], ["Ana's aunt taught Ana to swim."]),
    ("mine", "she joined her in June, not me", ["Ana's sister joined her in June."], None),
    ("mine", "Ida and I go swimming", ["Ana and I go swimming."], ["Ida and Ana go swimming."]),
    ("company", "we're having a party on Friday", ["Ana and Ana's mum Ida are having a party on Friday."],
     ["Ana is having a party on Friday."]),
    ("company", "we sell soap at fairs", ["Ana and Ana's aunt Tess sell soap at fairs."], ["Ana sells soap at fairs."]),
    ("company", "we sell soap at fairs", ["Ana and Ana's wife sell soap at fairs."], None),
    ("company", "poor Frieda died on the weekend, we think", ["Ana's hens Dolly and Frieda died."],
     ["Ana's hen Frieda died."]),
    ("company", "Leo is 4. Ada is 7.", ["Ana's kids Leo and Ada are 4."], ["Leo is 4."]),
    ("company", "Frieda died, they both did", ["Dolly and Frieda died."], None),
    ("company", "Ida moved to Rome with her", ["Ida and Tova moved to Rome."], None),
    ("company", "Ida's is on 9 May, Phil's on 2 June", ["Ida's birthday is on 9 May and Phil's is on 2 June."], None),
    ("own_words", "we have two children. Federer won", ["Ana has two children."], None),
    ("misnamed", "no Jess is my girlfriend, Hannah is just her housemate", ["Ana's girlfriend's name is Hannah."], []),
    ("misnamed", "my girlfriend, Hannah, sings", ["Ana's girlfriend is called Hannah."], None),
    ("misnamed", "it's Ida who left, not Otto", ["Ida is not Otto."], []),
    ("other_words", "yeah Ida has gone, it's me and Tom in the flat", ["Tom has moved out."], []),
    ("other_words", "yeah Ida has gone, it's me and Tom in the flat", ["Ida has gone."], None),
    ("singly", "Molly is 15 and Ben is 11.", ["Molly is 15 and Ben is 11."], ["Molly is 15.", "Ben is 11."]),
    ("singly", "my sister Ida, a vet, visits her", ["Ana's sister Ida, a vet, visits her."],
     ["Ana's sister Ida is a vet.", "Ana's sister Ida visits her."]),
    ("singly", "Danny's our youngest, he's 25 and he cooks at the Plough",
     ["Danny is Ana's youngest, he's 25 and he cooks at the Plough."],
     ["Danny is Ana's youngest.", "Danny is 25.", "Danny cooks at the Plough."]),
    ("singly", "my sister Ida is a vet and she's moved to Bonn", ["Ana's sister Ida is a vet and she's moved to Bonn."],
     ["Ana's sister Ida is a vet.", "Ana's sister Ida has moved to Bonn."]),
    ("singly", "we have an old greyhound at home, she's called Juno",
     ["Ana has an old greyhound at home, she's called Juno."], None),
    ("singly", "my sister Ida keeps a dog, she's ill", ["Ana's sister Ida keeps a dog, she's ill."], None),
    ("singly", "Tom is married to a nurse and she works nights", ["Tom is married to a nurse and she works nights."],
     None),
    ("singly", "Karin is Per's mother and he visits", ["Karin is Per's mother and he visits."], None),
    ("singly", "Ida visits my mum, she's ill", ["Ida visits Ana's mum, she's ill."], None),
    ("singly", "my sister Ida visits Tom, he's a vet", ["Ana's sister Ida visits Tom, he's a vet."], None),
    ("singly", "Karl is off because he fell, and he's bored", ["Karl is off because he fell, and he's bored."], None),
    ("singly", "Mia wants to fly, she says, and she reads", ["Mia wants to fly, she says, and she reads."], None),
    ("singly", "my knee is operated on at St Mary's on 9 May",
     ["Ana's knee is operated on on 9 May.", "Ana's knee is operated on at St Mary's on 9 May."],
     ["Ana's knee is operated on at St Mary's on 9 May."]),
    ("singly", "I have a dog, Rex is brown", ["Ana has a dog.", "Ana's dog Rex is brown."], None),
    ("whose", "We sold the van to Paul's cousin on Friday and got a bike instead",
     ["Ana got a bike instead of a van."], None),
    ("whose", "Lars runs a bakery with his wife Tuva, and their twins, Emil and Nora, start school",
     ["Ana's twins, Emil and Nora, start school."], ["Tuva's twins, Emil and Nora, start school."]),
    ("company", "my aunt and I sell soap, we do fairs", ["Ana and Ana's aunt do fairs."], None),
    ("verb", "Leonie has found a room in Vienna and leaves us", ["Ana has a room in Vienna."],
     ["Leonie has found a room in Vienna and leaves Ana."]),
    ("verb", "my costume weighs 22 kilos", ["Ana weighs 22 kilos."], ["Ana's costume weighs 22 kilos."]),
    ("verb", "my locker number is 4471", ["Ana has the locker number 4471."], None),
    ("doer", "I live with my mum and my little brother Kit, who's 11", ["Ana's mum is 11."],
     ["Ana lives with Ana's mum."]),
    ("doer", "Ana Baca here, 71 and still opinionated", ["Ana is 71."], None),
    ("doer", "my brother Tom is 34", ["Ana's brother Tom is 34."], None),
    ("doer", "my daughter Kay works with me, she's 24", ["Ana's daughter Kay is 24."], None),
    ("kinship", "my boss Ron retires, Beth was my roommate", ["Ana's roommate Ron retires."], ["Ron retires."]),
    ("kinship", "my boss Ron retires, Beth was my roommate", ["Ana's roommate Beth was here."], None),
    ("kinship", "my sister Noemi cheered, Luz blew hard", ["Ana's sister Luz blew hard."], ["Luz blew hard."]),
    ("kinship", "my sister Noemi's in, Luz blew hard", ["Ana's sister Noemi is in."], None),
    ("kinship", "my sisters Noemi, 9, and Luz cheered", ["Ana's sister Luz cheered."], None),
    ("kinship", "my sister blew hard. That's Luz.", ["Ana's sister Luz blew hard."], None),
    ("kinship", "my girlfriend Tess is my wife now", ["Ana's wife Tess is here."], None),
    ("kinship", "my sister's boss Ron fell. Ron, my neighbour, limps", ["Ana's neighbour Ron limps."], None),
    ("own_day", "Femke quit, she's going back to college in January", ["Femke quit in January."], ["Femke quit."]),
    ("own_day", "Femke quit in January, she's going back to college", ["Femke quit in January."], None),
    ("own_day", "My sister marries, it's on 9 August", ["Ana's sister marries on 9 August."], None),
    ("pointing", "her birthday is the 5th, I always mix that up", ["Ana always mixes that up."], []),
    ("pointing", "I must correct myself, it's the 19th", ["Ana must correct herself, the wedding is on the 19th."],
     ["The wedding is on the 19th."]),
    ("pointing", "I take the train, and I read on it", ["Ana reads on it."], []),
    ("pointing", "I love that bike", ["Ana loves that bike."], None),
    ("cut_down", "Tobias got tired of the stairs and the flour", ["Tobias works on stairs.", "Tobias works on flour."],
     ["Tobias got tired of the stairs and the flour."]),
    ("misnamed", "that's me a godmother twice over", ["Ana's name is godmother."], []),
    ("misnamed", "a tiny girl, that makes me an aunt", ["Ana's niece is called a tiny girl."], []),
    ("verb", "six left. then I see my kids in daylight", ["Ana has six left kids."], []),
    ("verb", "we've got three dogs now, a beagle came", ["Ana has got three dogs now."], None),
    ("verb", "she's here! 3480 g, and loud", ["Ana is 3480."], []),
    ("verb", "my bike is 9 kg and I'm 62 kg", ["Ana is 62 kg."], None),
    ("verb", "I have to be a tree in the play", ["Ana wants to be a tree."], ["Ana has to be a tree."]),
    ("verb", "I want to be a vet, so I have to be good at maths", ["Ana wants to be good at maths."], None),
    ("cut_down", "My supervisor is Professor Lindqvist and the first draft is due on 20 April",
     ["Ana's supervisor is Lindqvist.", "Ana's draft is due on 20 April."], None),
]  # fmt: skip


@pytest.mark.parametrize(("name", "line", "facts", "after"), CASES)
def test_a_check_fires_where_it_helps_and_only_there(
    name: str, line: str, facts: list[str], after: list[str] | None
) -> None:
    draft = read_draft(says(*facts))
    scene = Scene([], Line("Ana", line), language=english())
    found, findings = looked_at(draft, scene, [PURE[name]])
    assert found.facts == (facts if after is None else after)
    assert [one.check for one in findings] == ([] if after is None else [name])
    assert all(one.sentence.endswith((".", '"')) and one.lost for one in findings)


def test_every_check_has_a_sentence_and_cases_both_ways() -> None:
    assert set(PURE) <= set(SENTENCES)
    for name in PURE:
        assert {after is None for check, *_, after in CASES if check == name} == {True, False}


@pytest.mark.parametrize(("name", "line", "facts", "after"), CASES)
def test_no_check_says_anything_of_a_line_in_another_language(
    name: str, line: str, facts: list[str], after: list[str] | None
) -> None:
    draft = read_draft(says(*facts))
    assert looked_at(draft, Scene([], Line("Ana", line), language=UNKNOWN), [PURE[name]]) == (draft, [])


def talked(store: Store, line: str, *texts: str) -> tuple[list[Memory], list[JournalEntry]]:
    """What is known after a line that a scripted model reads so, and the refused entries of the line."""
    user = store.users.call(store.users.get("ana").id, "Ana")
    turn = store.turns.add(store.sessions.start(user.id).id, "Ana", line)
    result = StorageAgent(Draws(*texts), store).run([turn], user)
    refused = [one for one in store.journal.entries(user.id, turn_id=turn.id) if one.kind == "refused"]
    assert {one.id for one in refused} == {one.id for one in result.entries if one.kind == "refused"}
    return store.facts.all(user.id), refused


@pytest.mark.parametrize(
    ("line", "texts", "check", "kept"),
    [
        ("I can't stand coriander", ["Ana likes coriander."], "turned_round", []),
        ("Actually, Mia moved to Porto", ["Ana moved to Porto.", NOTHING], "somebody_else", ["Mia moved to Porto."]),
        ("I run a shop with my cousin", ["Ana's cousin is Jack."], "invented_names",
         ["Ana runs a shop with Ana's cousin."]),
        ("my garden has eleven fruit trees", ["Ana has an apple tree.", "Ana's garden has eleven fruit trees."],
         "faithful", ["Ana's garden has eleven fruit trees."]),
    ],
)  # fmt: skip
def test_what_a_check_throws_away_is_in_the_journal_with_its_name(
    store: Store, line: str, texts: list[str], check: str, kept: list[str]
) -> None:
    memories, refused = talked(store, line, *(text if text == NOTHING else says(text) for text in texts))
    assert [memory.fact for memory in memories if memory.topic != "name"] == kept
    entry = next(one for one in refused if one.author.actor == f"check:{check}")
    assert texts[0].replace("'", "''") in entry.sql and (entry.reason or "").startswith(SENTENCES[check])


def test_a_reply_that_is_no_sql_is_kept_as_it_was_written(store: Store) -> None:
    memories, (entry,) = talked(store, "I have a dog", "Sure! I will remember that.")
    assert memories == []
    assert (entry.author.actor, entry.sql) == ("check:readable", "Sure! I will remember that.")


def test_small_talk_leaves_no_row(store: Store) -> None:
    assert talked(store, "good morning", NOTHING) == ([], [])


def test_a_change_of_another_matter_is_refused_and_read_again(store: Store) -> None:
    user = store.users.call(store.users.get("ana").id, "Ana")
    entry = store.facts.remember(user.id, "Ana", "pets", "Ana has a cat named Bo.")
    turn = store.turns.add(store.sessions.start(user.id).id, "Ana", "I work as a nurse")
    lm = Draws(f"UPDATE memory SET fact = 'Ana works as a nurse.' WHERE id = {entry.memory_id};",
               says("Ana works as a nurse."))  # fmt: skip
    agent = StorageAgent(lm, store)
    scene = agent.scene([], Line("Ana", turn.text), [Known(entry.memory_id or 0, "pets", "Ana has a cat named Bo.")])
    reading = agent._of_the_matter(scene, store.facts.all(user.id))
    assert reading.draft.added == [Add("Ana", "things", "Ana works as a nurse.")]
    assert [one.check for one in reading.findings] == ["same_matter"]
    assert reading.findings[0].sql().startswith("UPDATE memory SET fact = 'Ana works as a nurse.'")
    assert Draft() == Draft(())


@pytest.mark.parametrize(
    ("line", "fact", "after"),
    [
        ("Maisie's leaving me for a college in Glasgow", "Ana's mother is in a college in Glasgow.",
         ["Maisie is leaving Ana for a college in Glasgow."]),
        ("Maisie can't have shrimp", "Pilar, the twin of Maisie, can't have shrimp.", ["Maisie can't have shrimp."]),
        ("Maisie lives in Glasgow", "Ana's colleague Maisie lives in Glasgow.", None),
        ("Maisie lives with my mother in Glasgow", "Ana's mother lives in Glasgow.", None),
        ("Glasgow is where Maisie lives", "Ana's colleague lives in Glasgow.", None),
    ],
)  # fmt: skip
def test_a_fact_is_of_whom_its_clause_names(line: str, fact: str, after: list[str] | None) -> None:
    """Somebody who isn't in the line is nobody of whom it could tell something."""
    scene = Scene([Line("Ana", "Maisie does the windows, Pilar the till.")], Line("Ana", line), language=english())
    found, _ = looked_at(read_draft(says(fact)), scene, [PURE["doer"]])
    assert found.facts == ([fact] if after is None else after)


@pytest.mark.parametrize(
    ("before", "line", "fact", "stands"),
    [
        ("I sent the quote to Wexcombe", "It rained all day here, so I left the bike in the shed",
         "Ana left the bike of the quote in the shed.", False),
        ("I work for Joan at Kestrel", "I like cycling in the Dales on dry days", "Ana likes Kestrel Dales.", False),
        ("I sent the quote to Wexcombe", "It rained all day here, so I left the bike in the shed",
         "Ana left the bike in the shed.", True),
        ("I keep bees", "four hives, on the roof", "Ana keeps four hives of bees on the roof.", True),
        ("Which instrument is best?", "the cello, since I was seven, and the piano", "Ana's instrument is the cello.",
         True),
        ("my brother Leo lives in Utrecht", "we have been in the same class for two years",
         "Ana and Leo are in the same class.", True),
    ],
)  # fmt: skip
def test_a_line_of_its_own_takes_no_words_from_an_older_one(before: str, line: str, fact: str, stands: bool) -> None:
    scene = Scene([Line("Ana", before), Line("assistant", "I see.")], Line("Ana", line), language=english())
    found, _ = looked_at(read_draft(says(fact)), scene, [PURE["other_words"]])
    assert (fact in found.facts) is stands
