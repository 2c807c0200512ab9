"""Rule sets from presets, a host's own TOML files and single overrides, with every mistake named at once."""

import difflib
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, get_origin, get_type_hints

import msgspec

from pi_bunco.errors import RulesError
from pi_bunco.rules.ruleset import AMOUNT, RuleSet

PRESETS = ("mybunco", "tournament", "classic", "gong", "bonko")
_TEXTS = ("preset", "source")
_NAMES = ("name", "description")
EXAMPLES = {path.stem: path for path in sorted(Path(__file__).with_name("examples").glob("*.toml"))}
"""House rules that were published, by name: files to play by or to start from."""
DEPTH = 1
"""A dimension is in a table at most so deep."""
_FOLDER = Path(__file__).with_name("presets")


@cache
def dimensions() -> Mapping[str, Any]:
    """The name of every dimension with its type, in the order of RULES.md."""
    return dict(_walk(RuleSet, ""))


def _walk(struct: type, prefix: str) -> Iterator[tuple[str, Any]]:
    for name, kind in get_type_hints(struct, include_extras=True).items():
        if not prefix and name in _TEXTS:
            continue
        if isinstance(kind, type) and get_origin(kind) is None and issubclass(kind, msgspec.Struct):
            yield from _walk(kind, f"{prefix}{name}.")
        else:
            yield prefix + name, kind


def allowed(name: str) -> str:
    """What the dimension `name` may be, as a phrase: `"team" or "player"`."""
    return _phrase(msgspec.inspect.type_info(dimensions()[name]))


def _phrase(kind: Any) -> str:
    match kind:
        case msgspec.inspect.LiteralType(values=values):
            return " or ".join(f'"{value}"' for value in values)
        case msgspec.inspect.BoolType():
            return "true or false"
        case msgspec.inspect.IntType(ge=low, le=high):
            return f"a whole number from {low} to {high}"
        case msgspec.inspect.StrType(pattern=pattern) if pattern == AMOUNT:
            return 'an amount like 12 or "12.50"'
        case msgspec.inspect.StrType(max_length=None):
            return "a text"
        case msgspec.inspect.StrType(max_length=longest):
            return f"a text of at most {longest} characters"
        case msgspec.inspect.NoneType():
            return '"none"'
        case msgspec.inspect.UnionType(types=types):
            return " or ".join(_phrase(one) for one in types)
        case msgspec.inspect.VarTupleType(item_type=item):
            return f"a list of: {_phrase(item)}"
        case msgspec.inspect.StructType(fields=fields):
            return "; ".join(f"{field.encode_name} = {_phrase(field.type)}" for field in fields)
        case _:  # pragma: no cover - a new kind of dimension must get its phrase here
            raise TypeError(f"no phrase for {kind}")


@cache
def preset(name: str) -> RuleSet:
    """The published rule set `name`; `RulesError` if there is none."""
    if name not in PRESETS:
        raise RulesError([f'there is no rule set "{name}"; {_nearest(name, [*PRESETS, *EXAMPLES])}'])
    table = tomllib.loads((_FOLDER / f"{name}.toml").read_text("utf-8"))
    texts = {"preset": name, "source": table.pop("source")}
    values, problems = _checked({"name": None, **_flat(table)})
    missing = [f"{key} is missing" for key in dimensions() if key not in values]
    return _build(texts, values, [*problems, *missing])


def override(rules: RuleSet, overrides: Mapping[str, Any]) -> RuleSet:
    """`rules` with the dimensions of `overrides` changed; keys `end.points` or nested tables.

    A description does not outlive what it describes. Raises `RulesError` with one sentence for every mistake.
    """
    values, problems = _checked(_flat(overrides))
    before = {key: rules.dimension(key) for key in dimensions()}
    merged = before | values
    if "description" not in values and any(merged[key] != before[key] for key in before if key != "name"):
        merged["description"] = None
    return _build({key: getattr(rules, key) for key in _TEXTS}, merged, problems)


def load(name: str, overrides: Mapping[str, Any] | None = None) -> RuleSet:
    """The rule set of a preset, of an example or of a TOML file's path, with `overrides` on top.

    A file starts from the preset that its key `preset` names. Raises `RulesError`.
    """
    path = EXAMPLES.get(name, Path(name))
    if path.suffix != ".toml":
        return override(preset(name), overrides or {})
    return override(read(path), overrides or {})


def read(path: Path) -> RuleSet:
    """The rule set of a host's own file; `RulesError` names the file and all that is wrong in it."""
    table = _table(path)
    base = table.pop("preset", None)
    problems: list[str] = []
    if base not in PRESETS:
        problems.append(_no_base(base))
    try:
        rules = override(preset(PRESETS[0] if problems else base), table)
    except RulesError as error:
        problems += error.problems
    if problems:
        raise RulesError([f"{path}: {problem}" for problem in problems])
    return rules


def _table(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8-sig"))  # some editors begin a file with a byte order mark
    except OSError as error:
        raise RulesError([f"{path}: {error.strerror}"]) from error
    except UnicodeDecodeError as error:
        raise RulesError([f"{path}: not a text in UTF-8"]) from error
    except RecursionError as error:
        raise RulesError([f"{path}: brackets within brackets, far too many"]) from error
    except tomllib.TOMLDecodeError as error:
        raise RulesError([f"{path}: {error}"]) from error


def _no_base(base: Any) -> str:
    if isinstance(base, str):
        return f'there is no rule set "{base}" to start from; {_nearest(base, PRESETS)}'
    return f"the key preset must name the rule set to start from: {', '.join(PRESETS)}"


def parse_setting(text: str) -> tuple[str, Any]:
    """`KEY=VALUE` as key and value; VALUE is a TOML value, a bare word is a string. Raises `RulesError`."""
    key, equals, value = (part.strip() for part in text.partition("="))
    if not equals or not key:
        raise RulesError([f"{text!r} should be KEY=VALUE, for example end.points=21"])
    try:
        table = tomllib.loads(f"value = {value}")
    except (tomllib.TOMLDecodeError, RecursionError):
        return key, value
    return key, table["value"] if len(table) == 1 else value


def parse_settings(texts: Iterable[str]) -> dict[str, Any]:
    """Every `KEY=VALUE` of `texts`, later ones winning; `RulesError` names all that are none."""
    settings: dict[str, Any] = {}
    problems: list[str] = []
    for text in texts:
        try:
            key, value = parse_setting(text)
        except RulesError as error:
            problems += error.problems
        else:
            settings[key] = value
    if problems:
        raise RulesError(problems)
    return settings


def changes(rules: RuleSet, base: RuleSet) -> dict[str, Any]:
    """The dimensions in which `rules` differs from `base`, as plain values for an `evening` fact."""
    differing = [key for key in dimensions() if rules.dimension(key) != base.dimension(key)]
    absent = [key for key in _NAMES if rules.dimension(key) is None]
    return {key: msgspec.to_builtins(rules.dimension(key)) for key in differing if key not in absent}


def title(rules: RuleSet) -> str:
    """What status, page and log call the rule set: its own name, or where it has none the preset's."""
    if rules.name:
        return rules.name
    changed = changes(rules, preset(rules.preset)).keys() - {*_NAMES}
    return f"house rules on {rules.preset}" if changed else rules.preset


def _flat(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, Mapping) and prefix.count(".") < DEPTH:
            flat |= _flat(value, f"{prefix}{key}.")
        else:
            flat[prefix + key] = value
    return flat


def _checked(flat: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    values: dict[str, Any] = {}
    problems: list[str] = []
    for key, value in flat.items():
        if key not in dimensions():
            problems.append(f"{key} is not a dimension; {_nearest(key, tuple(dimensions()))}")
            continue
        try:
            values[key] = msgspec.convert(_plain(key, value), dimensions()[key])
        except (
            msgspec.ValidationError,
            UnicodeError,
        ):  # the latter for bytes of the command line that are no text
            problems.append(f"{key} = {shown(value)} is not allowed; it may be {allowed(key)}")
    return values, problems


def _plain(key: str, value: Any) -> Any:
    """The value as JSON has it: TOML has no null, so that the word "none" stands for it there."""
    if key == "prizes" and isinstance(value, list | tuple):
        return [_prize(one) if isinstance(one, Mapping) else one for one in value]
    if key == "traveling" and isinstance(value, bool):
        return "bunco" if value else None  # as logs before version 0.2 say it
    if value not in ("none", None):
        return value
    return [] if key == "prizes" else None


_FORMER_PRIZES = {
    "most buncos": "buncos",
    "most wins": "wins",
    "most losses": "losses",
    "most minis": "minis",
    "highest score": "score",
    "lowest score": "lowest_score",
    "grand prize": "grand_prize",
}
"""What prizes were called in logs before version 0.2."""


def _prize(plain: Mapping[str, Any]) -> dict[str, Any]:
    """A prize with its amount as text, and with the names of today where an earlier log has others."""
    prize = dict(plain)
    if "category" in prize and "for" not in prize:
        former = prize.pop("category")
        prize["for"] = _FORMER_PRIZES.get(former, former) if isinstance(former, str) else former
    amount = prize.get("amount")
    if isinstance(amount, int | float) and not isinstance(amount, bool):
        prize["amount"] = str(amount)
    return prize


def shown(value: Any) -> str:
    """A value of a file or an option, as a sentence about it shows it."""
    if isinstance(value, float):
        return repr(value)
    try:
        return msgspec.json.encode(value).decode()
    except (TypeError, ValueError):
        return str(value)
    except RecursionError:
        return "..."


def _nearest(word: str, known: Iterable[str]) -> str:
    known = tuple(known)
    close = difflib.get_close_matches(word, known, 1, 0.5) or [
        name for name in known if name.rpartition(".")[2] == word
    ]
    return f"did you mean {close[0]}?" if close else f"known are: {', '.join(known)}"


def _build(texts: Mapping[str, str], values: Mapping[str, Any], problems: list[str]) -> RuleSet:
    prizes = values.get("prizes") or ()
    if any(prize.percent is not None and prize.amount is not None for prize in prizes):
        problems = [*problems, "prizes: each has a percentage or an amount, not both"]
    shares = [prize.percent for prize in prizes if prize.percent is not None]
    if shares and sum(shares) != 100:
        problems = [*problems, f"prizes: the percentages add up to {sum(shares)}, they must add up to 100"]
    if problems:
        raise RulesError(problems)
    table: dict[str, Any] = dict(texts)
    for key, value in values.items():
        group, _, leaf = key.rpartition(".")
        (table.setdefault(group, {}) if group else table)[leaf] = value
    return msgspec.convert(table, RuleSet)
