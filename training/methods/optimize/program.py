"""Our agents as DSPy programs: a typed signature each, and an adapter that asks just as the agent asks at work."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import dspy
from dspy import lm15
from dspy.adapters.utils import apply_output_field_defaults

from ....models.lm import Message, Options
from ....models.prompts.tuned import Demo, Prompt
from .engine import MOST_TOKENS
from .forms import Fields, Form

Told = Callable[[Prompt, Fields, str, float], None]
"""Hears of each reply: the prompt, the fields, the reply, the temperature."""
CHARS = 1000
"""Characters that a small model may propose, all fields together, where a grammar can hold it to that."""
_ADVICE = r'advice ::= "{\"write\": \"" ([^"\\\x00-\x1f] | "\\" ["\\n]){1,400} "\"}"'


class AgentProgram(dspy.Module):
    """Asks a small language model once; it must keep to what it is shown."""

    def __init__(self, form: Form) -> None:
        super().__init__()
        self.write = dspy.Predict(signature_of(form))

    def forward(self, **fields: Any) -> Any:
        return self.write(**fields)


def signature_of(form: Form) -> Any:
    """The form as a signature of DSPy, with the hand-written instruction."""
    fields: dict[str, Any] = {
        name: (kind, dspy.InputField(desc=meaning)) for name, (kind, meaning) in form.inputs.items()
    }
    name, meaning = form.output
    fields[name] = (str, dspy.OutputField(desc=meaning))
    return dspy.Signature(fields, form.start)


def example_of(form: Form, row: Mapping[str, Any], fields: Fields) -> Any:
    """A row as an example of DSPy; its completion is the reply that is right."""
    return dspy.Example(**fields, **{form.output[0]: row["completion"]}).with_inputs(*form.inputs)


def prompt_of(form: Form, program: Any) -> Prompt:
    """What a program tells the agent."""
    (predictor,) = program.predictors()
    return Prompt(predictor.signature.instructions, demos_of(form, predictor.demos))


def demos_of(form: Form, demos: Sequence[Any]) -> tuple[Demo, ...]:
    """DSPy's demonstrations as ours; one that lacks a field (of another program's) is none."""
    found = []
    for demo in demos:
        told = dict(demo)
        if all(name in told for name in form.inputs) and str(told.get(form.output[0]) or "").strip():
            found.append(Demo(form.shown(told), str(told[form.output[0]])))
    return tuple(dict.fromkeys(found))


class AgentAdapter(dspy.ChatAdapter):
    """Asks our agent as it is asked at work, and optimisers' own questions in DSPy's form, held to it by a grammar.

    `options_of`: how the agent decodes, by its fields; `told` hears of each of its replies.
    """

    def __init__(self, form: Form, options_of: Callable[[Fields], Options], told: Told) -> None:
        super().__init__(use_json_adapter_fallback=False)
        self.form, self.options_of, self.told = form, options_of, told

    def __call__(
        self, lm: Any, lm_kwargs: dict[str, Any], signature: Any, demos: list[Any], inputs: dict[str, Any]
    ) -> list[dict[str, Any]]:
        temperature = float(lm_kwargs.get("temperature", lm.kwargs.get("temperature")) or 0.0)
        draw = int(lm_kwargs.get("rollout_id", lm.kwargs.get("rollout_id")) or 0)
        if not self._ours(signature):
            asked = self.format(signature, demos, inputs)
            said = [Message(one["role"], one["content"]) for one in asked]
            text = _ask(lm, said, Options(temperature=temperature, seed=draw, grammar=fields_grammar(signature)))
            return [apply_output_field_defaults(signature, self.parse(signature, text))]
        fields = {name: inputs[name] for name in self.form.inputs}
        prompt = Prompt(signature.instructions, demos_of(self.form, demos))
        options = self.options_of(fields)
        asked_ours = prompt.put(self.form.agent, self.form.write(fields))
        text = _ask(lm, asked_ours, options, temperature, draw).strip()
        self.told(prompt, fields, text, temperature)
        return [{self.form.output[0]: text}]

    def _ours(self, signature: Any) -> bool:
        return set(signature.input_fields) == set(self.form.inputs)


def _ask(
    lm: Any, messages: Sequence[Message], options: Options, temperature: float | None = None, draw: int | None = None
) -> str:
    heat = options.temperature if temperature is None else temperature
    more: dict[str, Any] = {
        "grammar": options.grammar, "json_schema": options.json_schema, "repeat_penalty": options.repeat_penalty,
        "draw": options.seed if draw is None else draw,
    }  # fmt: skip
    kept = {name: value for name, value in more.items() if value is not None}
    config = lm15.Config(
        max_tokens=options.max_tokens if temperature is not None else MOST_TOKENS, temperature=heat, extensions=kept
    )
    system = messages[0].content if messages[0].role == "system" else None
    rest = messages[1:] if system is not None else messages
    said = tuple(
        lm15.Message.assistant(one.content) if one.role == "assistant" else lm15.Message.user(one.content)
        for one in rest
    )
    response = lm(lm15.Request(model=lm.model, messages=said, system=system, config=config))
    return str(response.message.text or "")


def fields_grammar(signature: Any) -> str:
    """DSPy's form of a reply, each field under its header: a small model seldom keeps to it by itself. What is no text
    is advice for our one module (`OfferFeedback`)."""
    fields = signature.output_fields
    kinds = ["text" if field.annotation is str else "advice" for field in fields.values()]
    parts = [f'"[[ ## {name} ## ]]\\n" {kind} "\\n\\n"' for name, kind in zip(fields, kinds, strict=True)]
    text = rf'text ::= ([^\[\x00] | "[" [^\[\x00]){{1,{CHARS // len(kinds)}}}'
    rules = [text, *([_ADVICE] if "advice" in kinds else [])]
    return "\n".join([f'root ::= {" ".join(parts)} "[[ ## completed ## ]]"', *rules]) + "\n"
