"""Jinja for templates out of model files: whoever made the file wrote them, so they may cost neither long nor much.

On top of Jinja's own sandbox (no attributes that lead out, nothing is changed): a clock that ends a template in the
middle of a loop, and a look at sizes before anything that can make a long text or a large number out of a short one.
The clock is Python's tracing, in this thread and for the time of one rendering; an honest template has some hundred
lines to run.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from itertools import islice
from types import FrameType
from typing import Any

from jinja2 import TemplateError, nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.exceptions import SecurityError
from jinja2.sandbox import ImmutableSandboxedEnvironment

MAX_SOURCE = 200_000
"""Characters of a template; the longest in use have 20,000."""
MAX_SIZE = 4_000_000
"""Characters of a text, and items of a list, that a template makes."""
MAX_NUMBER = 10**18
MAX_COUNT = 10_000
"""The greatest number that a text's own method, a filter or a range is given."""
SECONDS = 1.0
"""Processor time of one rendering."""
_WIDTH = re.compile(r"\d{4,}|\*")
_NESTED = re.compile(r"\{[^{}]*\{")
_FILTERS = """
abs attr capitalize count d default dictsort e escape first float indent int items join last length list lower map max
min reject rejectattr replace reverse round safe select selectattr sort string sum title tojson trim truncate unique
upper wordcount
"""
_ONCE = (str, bytes, list, tuple)

TRIPS = (TemplateError, RecursionError, SyntaxError, MemoryError, ValueError, TypeError, ArithmeticError, LookupError,
         AttributeError, AssertionError)  # fmt: skip
"""What a template that is not honest, or not sound, makes Jinja raise."""


class _Generator(CodeGenerator):
    """Writes `a ~ b` as a call, so that its size can be looked at."""

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:
        self.write("environment.joined((")
        for part in node.nodes:
            self.visit(part, frame)
            self.write(", ")
        self.write("))")


class Environment(ImmutableSandboxedEnvironment):
    """The environment that `transformers` documents for chat templates, bounded."""

    code_generator_class = _Generator
    intercepted_binops = frozenset(("+", "*", "**", "%", "//"))

    def __init__(self) -> None:
        super().__init__(trim_blocks=True, lstrip_blocks=True, optimized=False, extensions=["jinja2.ext.loopcontrols"])
        self.concat = _concat  # type: ignore[method-assign]
        bounded: dict[str, Callable[..., Any]] = {
            name: self.filters[name] for name in _FILTERS.split() if name in self.filters
        }
        self.filters.clear()
        self.filters.update(
            bounded | {"tojson": _to_json, "replace": _replace, "indent": _indent, "join": _join, "format": _format}
        )
        self.globals = {
            **{name: self.globals[name] for name in ("dict", "namespace", "cycler", "joiner")}, "range": _range,
            "raise_exception": _raise, "strftime_now": lambda form: datetime.now().strftime(str(form)[:200]),
        }  # fmt: skip

    def joined(self, parts: Iterable[Any]) -> str:
        return _concat(map(str, parts))

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        _check_operation(operator, left, right)
        return super().call_binop(context, operator, left, right)

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        wrapped = super().wrap_str_format(value)
        if wrapped is None:
            return None
        inner, form = wrapped, str(value.__self__)

        def bounded(*args: Any, **more: Any) -> str:
            if _WIDTH.search(form) or _NESTED.search(form):
                raise SecurityError("it makes a text that is too wide")
            told = sum(len(one) for one in (*args, *more.values()) if isinstance(one, _ONCE))
            _check_size(len(form) + told * form.count("{"))
            return inner(*args, **more)

        return bounded

    def call(self, context: Any, obj: Any, *args: Any, **more: Any) -> Any:
        owner, name = getattr(obj, "__self__", None), getattr(obj, "__name__", "")
        if isinstance(owner, _ONCE):
            _check_method(owner, name, args, more)
        return super().call(context, obj, *args, **more)


def render(template: Any, values: Mapping[str, Any]) -> str:
    """The text of a compiled template. Raises one of TRIPS, a TemplateError where it takes too long."""
    end = time.thread_time() + SECONDS
    steps = 0

    def look(frame: FrameType, what: str, _: Any) -> Any:
        nonlocal steps
        steps += 1
        if steps % 64 == 0 and time.thread_time() > end:
            raise TemplateError(f"it takes longer than {SECONDS:g} second of work")
        return look if frame.f_code.co_filename in ("<template>", "<unknown>") else None

    before = sys.gettrace()
    sys.settrace(look)
    try:
        return str(template.render(**values))
    finally:
        sys.settrace(before)


def _check_size(size: int) -> None:
    if size > MAX_SIZE:
        raise SecurityError(f"it makes a text or list of more than {MAX_SIZE:,}")


def _check_numbers(values: Iterable[Any]) -> None:
    for value in values:
        if isinstance(value, int | float) and abs(value) > MAX_COUNT:
            raise SecurityError(f"it counts beyond {MAX_COUNT:,}")


def _check_operation(operator: str, left: Any, right: Any) -> None:
    if operator == "+" and isinstance(left, _ONCE) and isinstance(right, _ONCE):
        _check_size(len(left) + len(right))
    elif operator == "*":
        for one, other in ((left, right), (right, left)):
            if isinstance(one, _ONCE) and isinstance(other, int):
                _check_size(len(one) * max(other, 0))
        if isinstance(left, int) and isinstance(right, int) and max(abs(left), abs(right)) > MAX_NUMBER:
            raise SecurityError("it makes a number that is too large")
    elif operator == "**" and isinstance(right, int | float) and (abs(right) > 64 or abs(left) > MAX_NUMBER):
        raise SecurityError("it makes a number that is too large")
    elif operator == "%" and isinstance(left, str | bytes):
        _check_format(str(left), right)


def _check_format(form: str, values: Any) -> None:
    if _WIDTH.search(form):
        raise SecurityError("it makes a text that is too wide")
    _check_size(
        len(form) + sum(len(value) for value in _several(values) if isinstance(value, str)) * (1 + form.count("%"))
    )


def _several(values: Any) -> Iterable[Any]:
    if isinstance(values, Mapping):
        return values.values()
    return values if isinstance(values, tuple) else (values,)


def _check_method(owner: Any, name: str, args: tuple[Any, ...], more: Mapping[str, Any]) -> None:
    """A text's or list's own method: no great numbers, nothing longer than allowed."""
    if name == "replace" and len(args) > 1:
        _check_replace(owner, args[0], args[1])
    elif name == "join" and args:
        _check_joined(owner, args[0])
    elif name not in ("split", "rsplit", "index", "count", "find"):
        _check_numbers((*args, *more.values()))


def _check_replace(text: Any, old: Any, new: Any) -> None:
    _check_size(len(text) + (text.count(old) if len(old) else len(text) + 1) * len(new))


def _check_joined(between: Any, parts: Any) -> None:
    if isinstance(parts, list | tuple):
        _check_size(sum(len(part) if isinstance(part, _ONCE) else 8 for part in parts) + len(parts) * len(between))


def _concat(parts: Iterable[str]) -> str:
    kept: list[str] = []
    size = 0
    for part in parts:
        size += len(part) + 1
        _check_size(size)
        kept.append(part)
    return "".join(kept)


def _replace(text: Any, old: Any, new: Any, count: int | None = None) -> str:
    found: tuple[str, str, str] = (str(text), str(old), str(new))
    _check_replace(*found)
    return found[0].replace(found[1], found[2], -1 if count is None else count)


def _indent(text: Any, width: int | str = 4, first: bool = False, blank: bool = False) -> str:
    from jinja2.filters import do_indent

    text = str(text)
    _check_numbers((width,))
    _check_size(len(text) + (text.count("\n") + 1) * (len(width) if isinstance(width, str) else width))
    return str(do_indent(text, width, first, blank))


def _join(value: Iterable[Any], d: str = "", attribute: str | int | None = None) -> str:
    parts = list(islice(value, MAX_SIZE))
    if attribute is not None:
        parts = [part.get(attribute, "") if isinstance(part, dict) else "" for part in parts]
    texts = [str(part) for part in parts]
    _check_joined(d, texts)
    return str(d).join(texts)


def _format(form: Any, *args: Any, **more: Any) -> str:
    values = more or args
    _check_format(str(form), values)
    told: str = str(form) % values
    return told


def _range(*numbers: int) -> range:
    found = range(*numbers)
    if len(found) > MAX_COUNT:
        raise SecurityError(f"it counts beyond {MAX_COUNT:,}")
    return found


def _to_json(value: Any, indent: int | None = None) -> str:
    import json

    _check_numbers((indent,))
    return json.dumps(value, ensure_ascii=False, indent=None if indent is None else min(indent, 16))


def _raise(message: str) -> None:
    raise TemplateError(message)
