"""The arguments of a host's command, checked: all mistakes at once, in sentences for a host."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from msgspec import inspect

from pi_bunco.errors import ProblemsError
from pi_bunco.game.fields import EXPECTED
from pi_bunco.reason import N_, InEnglish, Reason
from pi_bunco.validator import closest, expected
from pi_bunco.wire.commands import COMMANDS, Arguments

_SHOWN_CHARS = 40
"""Characters of a wrong value that are shown."""
_SHOWN_ELEMENTS = 5
"""Wrong elements of a list that are named."""
_Mistake = tuple[str, str, str, str]
"""The place in an argument, what it should be, what it is, and a hint."""
_PATH = re.compile(r" - at `\$(.*)`$", re.DOTALL)
_STEP = re.compile(r"\[(\d+|\.\.\.)\]|\.([^.\[]+)")


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


class ArgumentError(ProblemsError):
    """A command that does not exist or cannot be so, for all `reasons`."""

    def __init__(self, reasons: Iterable[Reason]) -> None:
        self.reasons = tuple(reasons)
        super().__init__(reason.english() for reason in self.reasons)


def arguments(command: str, args: Mapping[str, Any], called: str = "") -> Arguments:
    """The checked arguments of the command of that name; `ArgumentError` names all mistakes.

    The sentences begin with what the command is `called` where it was asked for, else with its name.
    """
    kind = COMMANDS.get(command)
    if kind is None:
        why = _sentence(f"There is no command {_shown(command)}", _meant(command, COMMANDS))
        raise ArgumentError([InEnglish(why)])
    try:
        return msgspec.convert(args, kind)
    except msgspec.ValidationError as error:
        called = called or command
        found: list[Reason] = [*map(InEnglish, _unknown(kind, args, called))]
        known = fields(kind).items()
        found += [
            ArgumentMissing(called, name, describe(one.type))
            for name, one in known
            if one.required and name not in args
        ]
        for name, one in known:
            if name in args:
                found += [ArgumentWrong(called, *wrong) for wrong in _wrong(kind, name, one.type, args[name])]
        raise ArgumentError(found or [InEnglish(f"{called}: {error}.")]) from error


def fields(kind: type[Arguments]) -> dict[str, inspect.Field]:
    """The arguments of a command by their names on the wire."""
    info = inspect.type_info(kind)
    assert isinstance(info, inspect.StructType)
    return {one.encode_name: one for one in info.fields}


def _unknown(kind: type[Arguments], args: Mapping[str, Any], called: str) -> list[str]:
    known = fields(kind)
    unknown = [name for name in args if name not in known]
    takes = "" if known else "; it takes none"
    return [
        _sentence(f"{called} has no argument {_shown(name)}", _meant(name, known) or takes)
        for name in unknown
    ]


def _wrong(kind: type[Arguments], name: str, type_: inspect.Type, value: Any) -> list[_Mistake]:
    """The mistakes in the argument `name`; of a list with many wrong elements the first ones."""
    path = _wrong_at(kind, name, value)
    if path is None:
        return []
    bare_type = bare(type_)
    if path and isinstance(bare_type, inspect.DictType):
        return _wrong_entries(kind, name, bare_type, value) or [_problem(name, path, type_, value)]
    if not path or not isinstance(bare_type, inspect.VarTupleType):
        return [_problem(name, path, type_, value)]
    found = []
    for place, element in enumerate(value):
        inner = _wrong_at(kind, name, [element])
        if inner is not None:
            step = inner.replace("[0]", f"[{place}]", 1) if inner else f"[{place}]"
            found.append(_problem(name, step, type_, value))
    return found[:_SHOWN_ELEMENTS] or [_problem(name, path, type_, value)]


def _wrong_entries(
    kind: type[Arguments], name: str, type_: inspect.DictType, value: Mapping[str, Any]
) -> list[_Mistake]:
    """The mistakes in each value of an object; of many the first ones."""
    found = []
    for key, one in value.items():
        path = _wrong_at(kind, name, {key: one})
        if path is not None:
            place = f"{name} of {_shown(key)}"
            found.append(_problem(place, path.removeprefix("[...]"), type_.value_type, one))
    return found[:_SHOWN_ELEMENTS]


def _wrong_at(kind: type[Arguments], name: str, value: Any) -> str | None:
    """The place of a mistake in the argument, such as `[0][3]`; None if there is none."""
    try:
        msgspec.convert({name: value}, kind)
    except msgspec.ValidationError as error:
        found = _PATH.search(str(error))
        if found and re.match(rf"\.{re.escape(name)}(?![^.\[])", found[1]):
            return found[1][len(name) + 1 :]
    return None


def _problem(name: str, path: str, type_: inspect.Type, value: Any) -> _Mistake:
    """The mistake at the place `path` in an argument of this type."""
    extra = type_.extra if isinstance(type_, inspect.Metadata) else None
    place, hint = name, f" {extra['hint']}" if extra and "hint" in extra else ""
    for index, key in _STEP.findall(path):
        inner = _inner(type_, index, key)
        if inner is None or index == "...":
            break
        try:
            value = value[int(index)] if index else value[key]
        except (LookupError, TypeError):
            break
        type_, place = inner, f"{place} no. {int(index) + 1}" if index else f"{key} of {place}"
    return place, describe(type_), _shown(value), hint


def _inner(type_: inspect.Type, index: str, key: str) -> inspect.Type | None:
    """The type of an element or a field; None where there is none."""
    type_ = bare(type_)
    match type_:
        case inspect.VarTupleType() if index:
            return type_.item_type
        case inspect.TupleType() if index.isdecimal() and int(index) < len(type_.item_types):
            return type_.item_types[int(index)]
        case inspect.StructType() if key:
            return next((one.type for one in type_.fields if one.encode_name == key), None)
        case inspect.UnionType():
            found = (_inner(one, index, key) for one in type_.types)
            return next((one for one in found if one), None)
        case _:
            return None


def describe(type_: inspect.Type) -> str:
    """A value of this type in words: "a whole number from 1 to 1000"."""
    return expected(type_, {"": "a text"} | EXPECTED, in_file=False)


def bare(type_: inspect.Type) -> inspect.Type:
    """The type itself, without what is said about it."""
    while isinstance(type_, inspect.Metadata):
        type_ = type_.type
    return type_


def _sentence(text: str, end: str) -> str:
    return f"{text}{end}" if end.endswith("?") else f"{text}{end}."


def _meant(word: str, known: Iterable[str]) -> str:
    meant = closest(word, known)
    return f"; did you mean {meant}?" if meant else ""


def _shown(value: Any) -> str:
    """A wrong value, short and on one line, without anything that a terminal would obey."""
    if isinstance(value, str) and value.isidentifier() and len(value) <= _SHOWN_CHARS:
        return value
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    text = f"an object with {', '.join(map(_shown, value))}" if isinstance(value, dict) else repr(value)
    text = {"None": "null", "True": "true", "False": "false"}.get(text, text)
    return text if len(text) <= _SHOWN_CHARS else f"{text[: _SHOWN_CHARS - 1]}…"
