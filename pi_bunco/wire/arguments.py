"""The arguments of a host's command, checked: all mistakes at once, in sentences for a host."""

from collections.abc import Iterator, Mapping
from itertools import repeat
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Struct, inspect

from pi_bunco.errors import ReasonsError
from pi_bunco.game.fields import EXPECTED
from pi_bunco.reason import N_, Reason
from pi_bunco.validator import closest, expected
from pi_bunco.wire.commands import COMMANDS, Arguments

_SHOWN_CHARS = 40
"""Characters of a wrong value that are shown."""
_SHOWN_ELEMENTS = 5
"""Wrong elements of a list that are named."""


class ArgumentMissing(Reason, frozen=True):
    """An argument that a command needs."""

    text = N_("%(command)s needs %(field)s: %(kind)s.")
    page = N_("Something is missing here: fill it in and press again")
    command: str
    field: str
    kind: str


class ArgumentWrong(Reason, frozen=True):
    """An argument, or a part of it, that is not of its type."""

    text = N_("%(command)s: %(field)s should be %(kind)s, not %(value)s.%(hint)s")
    page = N_("“%(value)s” cannot stand here: change it and press again")
    command: str
    field: str
    kind: str
    value: str
    hint: str


class OfCommandName(Reason, frozen=True):
    """A reason about a command by its name."""

    name: str


class OfArgument(Reason, frozen=True):
    """A reason about an argument by its name."""

    command: str
    field: str


NoSuchCommand = OfCommandName.declare("NoSuchCommand", N_("There is no command %(name)s."))
NoSuchArgument = OfArgument.declare("NoSuchArgument", N_("%(command)s has no argument %(field)s."))
TakesNoArgument = OfArgument.declare(
    "TakesNoArgument", N_("%(command)s has no argument %(field)s; it takes none.")
)


class OtherCommandMeant(OfCommandName, frozen=True):
    """A command that there is not, and the one that is meant."""

    text = N_("There is no command %(name)s; did you mean %(meant)s?")
    meant: str


class OtherArgumentMeant(OfArgument, frozen=True):
    """An argument that a command does not have, and the one that is meant."""

    text = N_("%(command)s has no argument %(field)s; did you mean %(meant)s?")
    meant: str


class ArgumentError(ReasonsError):
    """A command, or a form that makes one, that does not exist or cannot be so, for all `reasons`."""


def arguments(command: str, args: Mapping[str, Any], called: str = "") -> Arguments:
    """The checked arguments of the command of that name; `ArgumentError` names all mistakes.

    The sentences begin with what the command is `called` where it was asked for, else with its name.
    """
    kind = COMMANDS.get(command)
    if kind is None:
        name, meant = _shown(command), closest(command, COMMANDS)
        raise ArgumentError(OtherCommandMeant(name, meant) if meant else NoSuchCommand(name))
    try:
        return msgspec.convert(args, kind)
    except msgspec.ValidationError as error:
        raise ArgumentError(*_mistakes(kind, args, called or command)) from error


def _mistakes(kind: type[Arguments], args: Mapping[str, Any], called: str) -> Iterator[Reason]:
    """Mistakes in the arguments: unknown ones, missing ones, wrong ones."""
    known, hints = fields(kind), get_type_hints(kind, include_extras=True)
    for name in args:
        if name not in known:
            if meant := closest(name, known):
                yield OtherArgumentMeant(called, _shown(name), meant)
            else:
                yield (NoSuchArgument if known else TakesNoArgument)(called, _shown(name))
    for name, one in known.items():
        if one.required and name not in args:
            yield ArgumentMissing(called, name, describe(one.type))
    for name, one in known.items():
        extra = one.type.extra if isinstance(one.type, inspect.Metadata) else None
        hint = f" {extra['hint']}" if extra and "hint" in extra else ""
        wrong = _wrong(name, hints[one.name], args[name]) if name in args else []
        for place, part, value in wrong[:_SHOWN_ELEMENTS]:
            yield ArgumentWrong(called, place, describe(part), _shown(value), hint)


def fields(kind: type[Arguments]) -> dict[str, inspect.Field]:
    """The arguments of a command by their names on the wire."""
    info = inspect.type_info(kind)
    assert isinstance(info, inspect.StructType)
    return {one.encode_name: one for one in info.fields}


_Part = tuple[str, Any, Any]
"""A place in an argument, its type, and the value there."""


def _wrong(place: str, type_: Any, value: Any) -> list[_Part]:
    """The first mistake in each part of a list or an object, else the value itself; none if it is right."""
    try:
        msgspec.convert(value, type_)
    except msgspec.ValidationError:
        found = [wrong for part in _parts(place, type_, value) for wrong in _wrong(*part)[:1]]
        return found or [(place, type_, value)]
    return []


def _parts(place: str, type_: Any, value: Any) -> Iterator[_Part]:
    """The elements of a list, the keys and values or the fields of an object."""
    origin, inner = get_origin(type_), get_args(type_)
    if origin is Annotated:
        yield from _parts(place, inner[0], value)
    elif origin in (Union, UnionType):
        for one in inner:
            yield from _parts(place, one, value)
    elif origin is tuple and isinstance(value, list | tuple):
        types = repeat(inner[0]) if inner[-1] is ... else inner if len(inner) == len(value) else ()
        for n, (of, one) in enumerate(zip(types, value, strict=False), 1):
            yield f"{place} no. {n}", of, one
    elif isinstance(value, Mapping) and origin is dict:
        for key, one in value.items():
            yield from ((f"name of {place}", inner[0], key), (f"{place} of {_shown(key)}", inner[1], one))
    elif isinstance(value, Mapping) and isinstance(type_, type) and issubclass(type_, Struct):
        hints = get_type_hints(type_, include_extras=True)
        yield from ((f"{key} of {place}", hints[key], one) for key, one in value.items() if key in hints)


def describe(type_: Any) -> str:
    """A value of this type in words: "a whole number from 1 to 1000"."""
    return expected(type_, {"": "a text"} | EXPECTED, in_file=False)


def bare(type_: inspect.Type) -> inspect.Type:
    """The type itself, without what is said about it."""
    while isinstance(type_, inspect.Metadata):
        type_ = type_.type
    return type_


def _shown(value: Any) -> str:
    """A wrong value, short and on one line, without anything that a terminal would obey."""
    if isinstance(value, str) and value.isidentifier() and len(value) <= _SHOWN_CHARS:
        return value
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    text = f"an object with {', '.join(map(_shown, value))}" if isinstance(value, dict) else repr(value)
    text = {"None": "null", "True": "true", "False": "false"}.get(text, text)
    return text if len(text) <= _SHOWN_CHARS else f"{text[: _SHOWN_CHARS - 1]}…"
