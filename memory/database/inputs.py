"""What comes in from a program, looked at before anything is done with it: each argument has to be what its annotation
says. One place for all methods of a class that others call, and one sentence for whatever doesn't fit.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import tzinfo
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

from ..errors import InputError

Named = str
"""The spec of a model."""
Count = int
"""How many at most: 0 or more."""
Kind = TypeVar("Kind", bound=type)
_SHOWN = 40


@dataclass(frozen=True, slots=True)
class _Form:
    """What an argument may be, in types and in words."""

    types: tuple[type, ...]
    words: str
    least: int | None = None

    def fits(self, value: Any) -> bool:
        if isinstance(value, bool) or not isinstance(value, self.types):
            return False
        return self.least is None or (isinstance(value, int) and value >= self.least)


_LOADED = "a model that you loaded yourself writes through Memory.over(store, user, agent)"
FORMS: Mapping[str, _Form] = {
    "str": _Form((str,), "a text"),
    "int": _Form((int,), "a whole number"),
    "Count": _Form((int,), "a whole number of 0 or more", 0),
    "Path | str": _Form((Path, str), "a file's path"),
    "Named": _Form((str,), f"a name such as 'openai:NAME', or None; {_LOADED}"),
    "tzinfo": _Form((tzinfo,), "a time zone, such as zoneinfo.ZoneInfo('Europe/Vienna')"),
}
"""By the annotation as it is written; `| None` after it allows None. What isn't named here isn't looked at."""


def looked_at(owner: Kind) -> Kind:
    """A class whose public methods, and the making of it, raise InputError for an argument that isn't what its
    annotation says. Decorates the class; annotations have to be text (`from __future__ import annotations`)."""
    for name, method in list(vars(owner).items()):
        if inspect.isfunction(method) and (name == "__init__" or not name.startswith("_")):
            setattr(owner, name, _guarded(method))
    return owner


def _guarded(method: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(method)
    forms = {one.name: one for one in signature.parameters.values() if _form(one) is not None}
    if not forms:
        return method

    @wraps(method)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        try:
            given = signature.bind(*args, **kwargs).arguments
        except TypeError:  # too many, too few, or one that there isn't: Python's own words name the method
            return method(*args, **kwargs)
        for name in forms.keys() & given.keys():
            several = forms[name].kind is inspect.Parameter.VAR_POSITIONAL
            for value in given[name] if several else (given[name],):
                _check(forms[name], value)
        return method(*args, **kwargs)

    return guarded


def _form(parameter: inspect.Parameter) -> _Form | None:
    return FORMS.get(str(parameter.annotation).removesuffix(" | None"))


def _check(parameter: inspect.Parameter, value: Any) -> None:
    form = _form(parameter)
    if form is None or form.fits(value) or (value is None and str(parameter.annotation).endswith(" | None")):
        return
    shown = "None" if value is None else f"of the type {type(value).__name__}"
    if isinstance(value, str | int | float):
        shown = repr(value) if len(repr(value)) <= _SHOWN else repr(value)[:_SHOWN] + "..."
    raise InputError(f"{parameter.name} is {shown}: give {form.words}.")
