"""Templates out of model files: honest ones render as ever, hostile ones end at once, in bounded memory."""

# ruff: noqa: E501 - templates are long lines

from __future__ import annotations

import resource
import sys
import time

import pytest
from jinja2.sandbox import ImmutableSandboxedEnvironment

from chatmem.memory.errors import InputError, ModelBroken
from chatmem.models.decoding.chat_template import CHATML, ChatTemplate
from chatmem.models.decoding.safe_jinja import MAX_SOURCE, SECONDS
from chatmem.models.lm import Message
from tests.clock import least_seconds

TALK = [
    Message("system", "You are kind."),
    Message("user", "Hi, I'm Zoë."),
    Message("assistant", "Hello!"),
    Message("user", "?"),
]
MOST_MB = 150

HONEST = {
    "chatml": CHATML,
    "llama 3": "{% set loop_messages = messages %}{% for message in loop_messages %}{% set content = '<|start|>' + "
    "message['role'] + '<|end|>\n\n' + message['content'] | trim + '<|eot|>' %}{% if loop.index0 == 0 %}{% set content = "
    "bos_token + content %}{% endif %}{{ content }}{% endfor %}{{ '<|start|>assistant<|end|>\n\n' }}",
    "namespaces and macros": "{%- set ns = namespace(found=false, count=0) -%}{%- macro show(m) -%}[{{ m.role | upper }}: "
    "{{ m.content | replace('\n', ' ') }}]{%- endmacro -%}{%- for m in messages -%}{%- if m.role == 'system' -%}"
    "{%- set ns.found = true -%}{%- continue -%}{%- endif -%}{%- set ns.count = ns.count + 1 -%}{{ show(m) ~ loop.index }}"
    "{%- endfor -%}{{ ns.found }} {{ ns.count * 2 }} {{ 7 // 2 }} {{ '%s-%d' % ('a', 3) }}",
    "tools": "{% for m in messages %}{{ {'role': m['role'], 'content': m['content']} | tojson }}\n{{ m | tojson(indent=2) }}"
    "{% endfor %}{{ ['a', 'b'] | join(', ') }}{{ messages | selectattr('role', 'equalto', 'user') | list | length }}"
    "{{ messages[-1].content.split('?')[0].strip() }}{{ messages[1:] | map(attribute='role') | join('/') }}",
    "slices": "{{ bos_token }}{%- if messages[0]['role'] == 'system' -%}{%- set rest = messages[1:] -%}{%- else -%}"
    "{%- set rest = messages -%}{%- endif -%}{%- for m in rest -%}{%- if (m['role'] == 'user') != (loop.index0 % 2 == 0) -%}"
    "{{ raise_exception('order') }}{%- endif -%}{{ m['content'] | indent(2) }}{%- endfor -%}{{ range(3) | list }}",
}
HOSTILE = {
    "loops": "{% for a in range(9999) %}{% for b in range(9999) %}{% for c in range(9999) %}{% endfor %}{% endfor %}{% endfor %}",
    "loops that write": "{% for a in range(9999) %}{% for b in range(9999) %}xxxxxxxxxxxxxxx{% endfor %}{% endfor %}",
    "loops into a block": "{% set x %}{% for a in range(9999) %}{% for b in range(9999) %}xxxxxx{% endfor %}{% endfor %}{% endset %}",
    "a long range": "{{ range(10 ** 9) | list | length }}",
    "times": "{{ ('a' * 10 ** 10) | length }}",
    "times a list": "{{ ([0] * 10 ** 10) | length }}",
    "doubling": "{% set x = namespace(v='aa') %}{% for i in range(60) %}{% set x.v = x.v + x.v %}{% endfor %}{{ x.v | length }}",
    "doubling by ~": "{% set x = namespace(v='aa') %}{% for i in range(60) %}{% set x.v = x.v ~ x.v %}{% endfor %}{{ x.v | length }}",
    "doubling without a loop": "{% set x = 'aa' %}" + "{% set x = x ~ x %}" * 60 + "{{ x }}",
    "doubling lists": "{% set x = namespace(v=[1]) %}{% for i in range(60) %}{% set x.v = x.v + x.v %}{% endfor %}",
    "powers": "{{ 9 ** 9 ** 99 }}",
    "squares": "{% set x = namespace(v=9) %}{% for i in range(60) %}{% set x.v = x.v * x.v %}{% endfor %}{{ x.v }}",
    "center": "{{ 'a' | center(10 ** 10) }}",
    "the method center": "{{ 'a'.center(10 ** 10) | length }}",
    "the method zfill": "{{ 'a'.zfill(10 ** 10) | length }}",
    "a wide format": "{{ '%10000000000d' % 1 }}",
    "a wide format by star": "{{ '%*d' % (10 ** 10, 1) }}",
    "the method format": "{{ '{:>10000000000}'.format(1) }}",
    "a format in a format": "{{ '{:>{}}'.format(1, 10 ** 10) | length }}",
    "the filter format": "{{ '%10000000000d' | format(1) }}",
    "replace": "{% set x = 'a' * 4000 %}{{ x | replace('a', x * 500) | replace('a', x) | length }}",
    "the method replace": "{% set x = 'a' * 4000 %}{{ x.replace('a', x * 900).replace('a', x) | length }}",
    "join": "{{ ([('a' * 4000)] * 4000) | join('b' * 4000) | length }}",
    "the method join": "{{ ('b' * 4000000).join(['a'] * 4000) | length }}",
    "indent": "{{ ('\n' * 100000) | indent(100000, true, true) | length }}",
    "json": "{{ [[[1]]] | tojson(indent=1000000000) }}",
    "lorem": "{{ lipsum(1000000) }}",
    "itself": "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "expandtabs": "{{ ('\t' * 1000).expandtabs(10 ** 9) | length }}",
    "a way out": "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "parentheses": "{{ " + "(" * 5_000 + "1" + ")" * 5_000 + " }}",
    "a long one": "x" * (MAX_SOURCE + 1),
    "blocks in blocks": "{% if 1 %}" * 3_000 + "{% endif %}" * 3_000,
}  # fmt: skip


def plain(source: str) -> str:
    """As Jinja's own sandbox renders it."""
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )
    environment.filters["tojson"] = lambda value, indent=None: __import__("json").dumps(
        value, ensure_ascii=False, indent=indent
    )
    messages = [{"role": message.role, "content": message.content} for message in TALK]
    return environment.from_string(source).render(
        messages=messages, add_generation_prompt=True, bos_token="<s>", eos_token=""
    )


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_template_renders_as_in_jinja_itself(name: str) -> None:
    assert ChatTemplate(HONEST[name], bos="<s>").render(TALK) == plain(HONEST[name])


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_template_ends_in_a_sentence(name: str) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.thread_time()
    with pytest.raises((InputError, ModelBroken), match="The model's chat template") as caught:
        ChatTemplate(HOSTILE[name]).render(TALK)
    assert time.thread_time() - began < 2 * SECONDS + 4
    assert len(str(caught.value)) < 400 and str(caught.value).isprintable()
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / (
        1024 if sys.platform != "darwin" else 2**20
    )
    assert grown < MOST_MB


def test_the_look_at_each_line_costs_little() -> None:
    template = ChatTemplate(HONEST["namespaces and macros"])
    long = [TALK[0], *TALK[1:3] * 10, TALK[3]]
    template.render(long)
    assert least_seconds(lambda: template.render(long), tries=30) < 0.005


def test_tracing_is_given_back() -> None:
    def mine(*_: object) -> None:
        return None

    before = sys.gettrace()
    sys.settrace(mine)
    try:
        ChatTemplate(None).render(TALK)
        assert sys.gettrace() is mine
    finally:
        sys.settrace(before)
