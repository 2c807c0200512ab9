"""The arguments of a host's command on the command line, made from its struct in `wire.commands`."""

import argparse
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import inspect

from pi_bunco.cli.parser import argument, whole
from pi_bunco.cli.rules import RULE_SETS, add_changes
from pi_bunco.config import ConfigError
from pi_bunco.rules.load import changes, load, parse_settings, preset
from pi_bunco.wire.arguments import bare, fields
from pi_bunco.wire.commands import Arguments, OpenEvening, PaperCard, SetPace


class DiceByName(argparse.Action):
    """NAME=FACES words, such as Ann=5 or Ann=3-4-6, as one dictionary."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, *_: Any
    ) -> None:
        """Sets it; an error of the parser if a word is none."""
        found: dict[str, list[int]] = {}
        for word in values:
            name, _, faces = word.rpartition("=")
            if not name or not all(face.isdecimal() and face.isascii() for face in faces.split("-")):
                parser.error(f"{word} should be a name and what it rolled, such as Ann=5 or Ann=3-4-6")
            found[name] = [int(face) for face in faces.split("-")]
        setattr(namespace, self.dest, found)


def add_fields(parser: argparse.ArgumentParser, kind: type[Arguments]) -> None:
    """An argument for each field: a required one by its place, any other by its name."""
    if kind is OpenEvening:
        _add_open(parser)
    for name, one in fields(kind).items():
        if kind is OpenEvening and name in _OPEN:
            continue
        options: dict[str, Any] = {"help": _help(one.type), **_reading(one.type, one.required)}
        if one.required or _extra(one.type, "positional"):
            if not one.required:
                options["nargs"] = "?"
            parser.add_argument(name, metavar=name.upper(), **options)
        else:
            if options.get("action") != "store_true":
                options["metavar"] = name.upper()
            parser.add_argument(_option(name), default=argparse.SUPPRESS, **options)
    if kind is SetPace:
        by = "the time of the day by which it is to be over, in place of --end-in-s"
        argument(parser, "--end-by HH:MM", by, dest="end_in_s", type=seconds_until)


def given(kind: type[Arguments], options: argparse.Namespace) -> dict[str, Any]:
    """The arguments as they go to the head; `ConfigError` or `RulesError` if they make no sense."""
    values = {name: getattr(options, name, None) for name in fields(kind)}
    if kind is OpenEvening:
        values |= _opening(options)
    return {name: value for name, value in values.items() if value is not None}


def command_line(kind: type[Arguments], args: Mapping[str, Any]) -> list[str]:
    """The words of such arguments on the command line; lists are told with their elements apart."""
    words = []
    for name, one in fields(kind).items():
        if (value := args.get(name)) is not None:
            words += [] if one.required else [_option(name)]
            words += [] if value is True else map(str, value if isinstance(value, list) else [value])
    return words


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _one_of(values: Sequence[Any], text: str) -> str:
    """The value that the text says, in either case; another text is refused with the other arguments."""
    return next((value for value in values if value.lower() == text.lower()), text)


def _reading(type_: inspect.Type, required: bool) -> dict[str, Any]:
    match bare(type_):
        case inspect.BoolType():
            return {"type": _on_or_off} if required else {"action": "store_true"}
        case inspect.IntType():
            return {"type": _number}
        case inspect.LiteralType(values):
            return {"type": partial(_one_of, values)}
        case inspect.DictType():
            return {"nargs": "*", "action": DiceByName}
        case inspect.VarTupleType(item_type):
            return {"nargs": "+", "action": "extend"} | _element(item_type)
        case inspect.TupleType(item_types):
            return {"nargs": len(item_types)} | _element(item_types[0])
        case inspect.UnionType(types):
            kinds = [one for one in types if not isinstance(one, inspect.NoneType)]
            words = [value for one in kinds if isinstance(one, inspect.LiteralType) for value in one.values]
            return {"type": partial(_one_of, words)} if words else _reading(kinds[-1], required)
        case _:
            return {}


def _element(type_: inspect.Type) -> dict[str, Any]:
    match bare(type_):
        case inspect.IntType():
            return {"type": _number}
        case inspect.StructType(cls=cls) if cls is PaperCard:
            return {"type": _card}
        case inspect.TupleType():
            return {"type": _names}
        case inspect.VarTupleType():
            return {"type": lambda text: [_number(part.strip()) for part in text.split(",")]}
        case _:
            return {}


def _help(type_: inspect.Type) -> str:
    """The description of a field, which may stand around its type more than once."""
    if isinstance(type_, inspect.Metadata):
        return str((type_.extra_json_schema or {}).get("description") or _help(type_.type))
    if isinstance(type_, inspect.UnionType):
        return next((found for one in type_.types if (found := _help(one))), "")
    return ""


def _extra(type_: inspect.Type, key: str) -> Any:
    if isinstance(type_, inspect.Metadata):
        return (type_.extra or {}).get(key) or _extra(type_.type, key)
    return None


_number = whole()


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")]


def seconds_until(text: str, now: datetime | None = None) -> int:
    """Seconds from `now` (by this machine's clock) until a time of the day, tomorrow's if it is over."""
    now = now or datetime.now()
    try:
        at = datetime.strptime(text, "%H:%M")
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text} should be a time of the day such as 21:30") from error
    at = now.replace(hour=at.hour, minute=at.minute, second=0, microsecond=0)
    at += timedelta(days=at <= now)
    return round(at.timestamp() - now.timestamp())


def _on_or_off(text: str) -> bool:
    if text.lower() in ("on", "off"):
        return text.lower() == "on"
    raise argparse.ArgumentTypeError(f"{text} should be on or off")


def _card(text: str) -> dict[str, int]:
    """A seat's points, or points/buncos/minis."""
    parts = text.split("/")
    if len(parts) > 3:
        raise argparse.ArgumentTypeError(f"{text} should be points or points/buncos/minis, such as 21/1/0")
    return dict(zip(PaperCard.__struct_fields__, map(_number, parts), strict=False))


# An evening is opened with names from a file and rules of one's own.

_OPEN = ("rules", "overrides", "players")


def _add_open(parser: argparse.ArgumentParser) -> None:
    argument(parser, "--rules NAME", RULE_SETS, default="classic")
    argument(parser, "--players NAMES", "everybody who plays: Ann,Bob,...", type=_names)
    argument(parser, "--players-file FILE", "a file with a name on each line", type=Path)
    add_changes(parser, "overrides")


def _opening(options: argparse.Namespace) -> dict[str, Any]:
    if (options.players is None) == (options.players_file is None):
        raise ConfigError(["say who plays: either --players Ann,Bob,... or --players-file FILE"])
    name, title, overrides = options.rules, getattr(options, "name", None), parse_settings(options.overrides)
    if name.endswith(".toml"):  # a file of this machine, of which the head knows nothing
        rules = load(name, overrides)
        name, overrides = rules.preset, changes(rules, preset(rules.preset))
        title = title or (rules.name if rules.name != rules.preset else None)
    players = options.players or _names_in(options.players_file)
    return {"rules": name, "name": title, "overrides": overrides or None, "players": players}


def _names_in(file: Path) -> list[str]:
    try:
        lines = file.read_text("utf-8-sig").splitlines()
    except OSError as error:
        raise ConfigError([f"--players-file {file} cannot be read: {error.strerror}"]) from error
    except UnicodeDecodeError as error:
        raise ConfigError([f"--players-file {file} is no text in UTF-8"]) from error
    return [line.strip() for line in lines if line.strip()]
