"""Chat messages to the one prompt text a model was trained on: the model's own Jinja template.

Both local back ends (llama.cpp and transformers) render through here with the template that the model file carries,
in the environment that `transformers.PreTrainedTokenizer.apply_chat_template` documents, so the two are equal byte
for byte. SmolLM2's template puts a default system message first when the messages hold none; that is kept, since the
model was trained so: agents that don't want those 22 tokens give a system message of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

from ...memory.errors import InputError, ModelBroken
from ..lm import Message

CHATML = (
    "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>'"
    " + '\n'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
"""Used for model files that carry no template."""


OPENED = "<think>\n"
"""What a template that begins the model's thoughts itself leaves out of the reply; back ends put it there again."""


def opens_thought(prompt: str) -> bool:
    """Whether the prompt ends where the model's thoughts begin."""
    return prompt.rstrip().endswith(OPENED.strip())


class ChatTemplate:
    """Renders messages; control tokens typed inside a message are taken apart so that no text can pose as a role."""

    def __init__(self, template: str | None, bos: str = "", eos: str = "", controls: Iterable[str] = ()) -> None:
        self.source = template or CHATML
        self._tokens = {"bos_token": bos, "eos_token": eos}
        words = sorted((word for word in set(controls) if len(word) > 2), key=len, reverse=True)
        self._controls = re.compile("|".join(map(re.escape, words))) if words else None

    def render(self, messages: Sequence[Message], generation_prompt: bool = True) -> str:
        """The prompt text, ready for the assistant's words. Raises InputError when the template refuses the order."""
        from .safe_jinja import TRIPS
        from .safe_jinja import render as rendered

        plain = [{"role": message.role, "content": self.defuse(message.content)} for message in self.accepted(messages)]
        try:
            values = {"messages": plain, "add_generation_prompt": generation_prompt, **self._tokens}
            return rendered(self._compiled, values)
        except TRIPS as error:
            raise InputError(
                f"The model's chat template refuses these messages ({_told(error)}); change their order, or the model."
            ) from error

    def accepted(self, messages: Sequence[Message]) -> Sequence[Message]:
        """The messages; where the template knows no system role (Gemma 2), its text stands before the first line."""
        if self._knows_system or len(messages) < 2 or messages[0].role != "system" or messages[1].role != "user":
            return messages
        first = Message("user", f"{messages[0].content}\n\n{messages[1].content}")
        return [first, *messages[2:]]

    @cached_property
    def _knows_system(self) -> bool:
        from .safe_jinja import TRIPS
        from .safe_jinja import render as rendered

        asked = [{"role": "system", "content": "a"}, {"role": "user", "content": "b"}]
        try:
            rendered(self._compiled, {"messages": asked, "add_generation_prompt": True, **self._tokens})
        except TRIPS:
            return False
        return True

    def defuse(self, text: str) -> str:
        """Put a space after the first character of each control token in the text, which makes it plain text."""
        if self._controls is None:
            return text
        return self._controls.sub(lambda match: f"{match[0][0]} {match[0][1:]}", text)

    @cached_property
    def _compiled(self) -> Any:
        from .safe_jinja import MAX_SOURCE, TRIPS, Environment

        if len(self.source) > MAX_SOURCE:
            raise ModelBroken(f"The model's chat template has {len(self.source):,} characters; use another model file.")
        try:
            return Environment().from_string(self.source)
        except TRIPS as error:
            told = _told(error)
            raise ModelBroken(f"The model's chat template can't be read ({told}); use another model file.") from error


def _told(error: BaseException) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
