"""An agent's fields are read off a prompt and written as that prompt again."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest

from chatmem.models.chat.retrieval import GUIDE
from chatmem.models.editor.prompts import GUIDE as RULES
from chatmem.models.lm import Message
from chatmem.models.prompts.messages import retrieval_messages
from chatmem.models.storage import reading
from chatmem.training.answer.talks import template_rows as answer_rows
from chatmem.training.methods.optimize import methods
from chatmem.training.methods.optimize.forms import FORMS, messages_of
from chatmem.training.storage.template_rows import template_rows as storage_rows


def again(agent: str, asked: Sequence[Message]) -> list[Message]:
    form = FORMS[agent]
    fields = form.read(asked)
    assert set(fields) == set(form.inputs)
    return form.write(fields)


def test_storage_and_answer_rows_come_out_as_they_went_in() -> None:
    for row in itertools.islice(storage_rows(3, 4), 40):
        asked = messages_of(row)
        assert again("storage", asked) == [Message("system", reading.GUIDE), *asked[1:]]
    for row in itertools.islice(answer_rows(3, 4), 40):
        asked = messages_of(row)
        if asked[-1].content.startswith("Memory:"):
            assert again("answer", asked) == asked


def test_retrieval_and_editor_prompts_do() -> None:
    asked = retrieval_messages("Ana", "Where?\nWhen?", ["Ana", "Bo"], ["home", "work"], "2026-05-01")
    assert again("retrieval", asked) == [Message("system", GUIDE), asked[1]]
    question = [Message("system", "Tidy."), Message("user", "Row [pets]: Ana has a dog.\nSaid: x\nKeep or drop?")]
    assert again("editor", question) == [Message("system", RULES), question[1]]


@pytest.mark.parametrize("method", methods.METHODS)
def test_more_rows_never_cost_less(method: str) -> None:
    costs = [methods.cost(methods.Search(method, rows)).task for rows in (8, 16, 32, 64, 200)]
    assert costs == sorted(costs) and costs[0] > 0
