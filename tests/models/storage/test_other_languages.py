"""Facts from German, French and Spanish lines, as a scripted model writes them: none is lost, none without a row."""

from __future__ import annotations

import pytest

from chatmem.memory.store.store import Store
from chatmem.models.prompts.messages import NOTHING, Line, insert_sql
from chatmem.models.storage.agent import StorageAgent

from .test_faithful import Draws

LINES = [
    ("Ich wohne in Wien.", "Ana lives in Vienna."),
    ("Meine Schwester heißt Greta und arbeitet als Ärztin.", "Ana's sister Greta is a doctor."),
    ("ich hab zwei katzen, mimi und momo", "Ana has two cats, Mimi and Momo."),
    ("Mein Mann ist allergisch gegen Erdnüsse.", "Ana's husband is allergic to peanuts."),
    ("Wir ziehen im Mai nach Köln.", "Ana is moving to Cologne in May."),
    ("Ich bin seit drei Jahren Vegetarierin.", "Ana has been a vegetarian for three years."),
    ("Am liebsten spiele ich Geige.", "Ana likes playing the violin best."),
    ("Mein Sohn Jonas kommt dieses Jahr in die Schule.", "Ana's son Jonas starts school this year."),
    ("Ich arbeite als Krankenschwester in München.", "Ana works as a nurse in Munich."),
    ("Koriander kann ich nicht ausstehen.", "Ana can't stand coriander."),
    ("J'habite à Genève depuis 2019.", "Ana has lived in Geneva since 2019."),
    ("Mon frère s'appelle Luc, il est boulanger.", "Ana's brother Luc is a baker."),
    ("Je suis allergique aux arachides.", "Ana is allergic to peanuts."),
    ("J'ai deux chiens et un perroquet.", "Ana has two dogs and a parrot."),
    ("Ma mère vient d'Alger.", "Ana's mother comes from Algiers."),
    ("Je déteste les champignons.", "Ana hates mushrooms."),
    ("On part en Grèce au mois d'août.", "Ana is going to Greece in August."),
    ("Je travaille à la mairie de Bruxelles.", "Ana works at the town hall of Brussels."),
    ("Ma fille Zoé a sept ans.", "Ana's daughter Zoé is seven."),
    ("Je n'aime pas du tout le café.", "Ana doesn't like coffee at all."),
    ("Vivo en Sevilla con mi abuela.", "Ana lives in Seville with her grandmother."),
    ("Tengo dos gatos, Lola y Paco.", "Ana has two cats, Lola and Paco."),
    ("Mi marido trabaja de bombero.", "Ana's husband works as a firefighter."),
    ("Soy alérgica a los mariscos.", "Ana is allergic to seafood."),
    ("El lunes empiezo un trabajo nuevo.", "Ana starts a new job on Monday."),
    ("Mi hermana Inés vive en Londres.", "Ana's sister Inés lives in London."),
    ("No soporto el cilantro.", "Ana can't stand coriander."),
    ("Nací en 1988 en Nueva York.", "Ana was born in 1988 in New York."),
    ("Toco la guitarra desde niña.", "Ana has played the guitar since she was a child."),
    ("Me encanta el chocolate negro.", "Ana loves dark chocolate."),
]


@pytest.mark.parametrize(("line", "fact"), LINES)
def test_a_right_fact_from_another_language_is_kept(store: Store, line: str, fact: str) -> None:
    user = store.users.call(store.users.get("ana").id, "Ana")
    turn = store.turns.add(store.sessions.start(user.id).id, "Ana", line)
    model = Draws(insert_sql([("Ana", "things", fact, None)]))
    StorageAgent(model, store).run([turn], user)
    assert [memory.fact for memory in store.facts.all(user.id)] == [fact]
    assert len(model.asked) == 1


def test_what_the_guard_refuses_of_such_a_line_has_its_row(store: Store) -> None:
    user = store.users.call(store.users.get("ana").id, "Ana")
    turn = store.turns.add(store.sessions.start(user.id).id, "Ana", "Meine Schwester heißt Greta.")
    StorageAgent(Draws(insert_sql([("Greta", "family", "Greta is Ana's sister.", None)])), store).run([turn], user)
    assert store.facts.all(user.id) == []
    (entry,) = store.journal.entries(user.id, turn_id=turn.id, kind="refused")
    assert "Greta" in entry.sql and "may be written about" in (entry.reason or "")


def test_the_language_of_the_talk_holds_for_a_line_that_tells_nothing(store: Store) -> None:
    agent = StorageAgent(Draws(NOTHING), store)

    german = [Line("Ana", "Ich wohne in Wien.")]
    assert agent.scene(german, Line("Ana", "Themba is vegan.")).language.code == "de"
    assert agent.scene([Line("Ana", "I live in Oslo.")], Line("Ana", "Themba is vegan.")).english
    assert StorageAgent(Draws(NOTHING), store, language="en").scene(german, german[0]).english
