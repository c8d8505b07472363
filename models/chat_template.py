"""Chat messages to the one prompt text a model was trained on: the model's own Jinja template.

Both local back ends (llama.cpp and transformers) render through here with the template that the model file carries,
in the environment that `transformers.PreTrainedTokenizer.apply_chat_template` documents, so the two are equal byte
for byte. SmolLM2's template puts a default system message first when the messages hold none; that is kept, since the
model was trained so: agents that don't want those 22 tokens give a system message of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any

from ..memory.errors import InputError, ModelBroken
from .lm import Message

CHATML = (
    "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>'"
    " + '\n'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
"""Used for model files that carry no template."""


class ChatTemplate:
    """Renders messages; control tokens typed inside a message are taken apart so that no text can pose as a role."""

    def __init__(self, template: str | None, bos: str = "", eos: str = "", controls: Iterable[str] = ()) -> None:
        self.source = template or CHATML
        self._tokens = {"bos_token": bos, "eos_token": eos}
        words = sorted((word for word in set(controls) if len(word) > 2), key=len, reverse=True)
        self._controls = re.compile("|".join(map(re.escape, words))) if words else None

    def render(self, messages: Sequence[Message], generation_prompt: bool = True) -> str:
        """The prompt text, ready for the assistant's words. Raises InputError when the template refuses the order."""
        from jinja2 import TemplateError

        plain = [{"role": message.role, "content": self.defuse(message.content)} for message in self.accepted(messages)]
        try:
            text = self._compiled.render(messages=plain, add_generation_prompt=generation_prompt, **self._tokens)
        except TemplateError as error:
            raise InputError(
                f"The model's chat template refuses these messages ({error}); change their order."
            ) from error
        return str(text)

    def accepted(self, messages: Sequence[Message]) -> Sequence[Message]:
        """The messages; where the template knows no system role (Gemma 2), its text stands before the first line."""
        if self._knows_system or len(messages) < 2 or messages[0].role != "system" or messages[1].role != "user":
            return messages
        first = Message("user", f"{messages[0].content}\n\n{messages[1].content}")
        return [first, *messages[2:]]

    @cached_property
    def _knows_system(self) -> bool:
        from jinja2 import TemplateError

        asked = [{"role": "system", "content": "a"}, {"role": "user", "content": "b"}]
        try:
            self._compiled.render(messages=asked, add_generation_prompt=True, **self._tokens)
        except TemplateError:
            return False
        return True

    def defuse(self, text: str) -> str:
        """Put a space after the first character of each control token in the text, which makes it plain text."""
        if self._controls is None:
            return text
        return self._controls.sub(lambda match: f"{match[0][0]} {match[0][1:]}", text)

    @cached_property
    def _compiled(self) -> Any:
        from jinja2 import TemplateSyntaxError
        from jinja2.sandbox import ImmutableSandboxedEnvironment

        environment = ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
        )
        environment.filters["tojson"] = _to_json
        environment.globals["raise_exception"] = _raise
        environment.globals["strftime_now"] = lambda form: datetime.now().strftime(form)
        try:
            return environment.from_string(self.source)
        except TemplateSyntaxError as error:
            raise ModelBroken(f"The model's chat template can't be read ({error}); use another model file.") from error


def _to_json(value: Any, indent: int | None = None) -> str:
    import json

    return json.dumps(value, ensure_ascii=False, indent=indent)


def _raise(message: str) -> None:
    from jinja2 import TemplateError

    raise TemplateError(message)
