"""Files and command lines against the keys that are declared: every mistake at once.

A mistake is one sentence with the place, the value and what it must be; an unknown key has the nearest known
one. Settings, rule sets and the lines of the header are checked here.
"""

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, get_origin, get_type_hints

import msgspec
from msgspec import Struct, inspect

from pi_bunco.errors import ProblemsError
from pi_bunco.reason import N_, Listed, Reason, Term

SHOWN_CHARS = 200
"""Characters of a wrong value, or of a key that there is not, that are shown."""
Types = Mapping[str, Any]
"""The type of each key's value, the tables that it is in before it: `broker.address`."""


def assignment(key: str, value: Any) -> str:
    """A key and its value as a file has them."""
    return f"{key} = {shown(value)}"


def as_it_is(_key: str, value: Any) -> Any:
    """The value as the file has it."""
    return value


class DidYouMean(Reason, frozen=True):
    """The word that is meant by an unknown one."""

    text = N_("did you mean %(word)s?")
    word: str


class ThereAre(Reason, frozen=True):
    """All that there are."""

    text = N_("there are %(known)s")
    known: Listed


class NotDeclared(Reason, frozen=True):
    """A key that there is not; `place` begins the sentence."""

    text = N_("%(place)s%(key)s is not %(what)s; %(hint)s")
    place: str
    key: str
    what: Term
    hint: Reason


class NotAllowed(Reason, frozen=True):
    """A key with a value that it cannot have."""

    text = N_("%(place)s%(given)s is not allowed; it must be %(expected)s")
    page = N_("%(given)s cannot stand here: change it and try again")
    place: str
    given: str
    expected: str


class Declared(Struct, frozen=True):
    """The keys that there may be, each of them `what`, as in "is not a setting".

    `expected` says what a value must be, `plain` turns what people write into what the type takes, or
    raises what `msgspec.convert` does.
    """

    what: str
    types: Types
    expected: Callable[[str], str]
    plain: Callable[[str, Any], Any] = as_it_is

    def check(
        self,
        given: Mapping[str, Any],
        place: str = "",
        spelled: Callable[[str, Any], str] = assignment,
        *,
        strict: bool = True,
    ) -> tuple[dict[str, Any], list[Reason]]:
        """The values of `given` that are right, and a reason for everything that is not.

        `place` begins each sentence and `spelled` names key and value there. Unless `strict`, numbers are
        texts, as on a command line.
        """
        values: dict[str, Any] = {}
        problems: list[Reason] = []
        for key, value in given.items():
            if key not in self.types:
                problems.append(NotDeclared(place, _cut(key), self.what, hint(key, self.types)))
                continue
            try:
                values[key] = msgspec.convert(self.plain(key, value), self.types[key], strict=strict)
            except (msgspec.ValidationError, UnicodeError):  # the latter for bytes that are no text
                problems.append(NotAllowed(place, _cut(spelled(key, value)), self.expected(key)))
        return values, problems


def _cut(text: str) -> str:
    return text if len(text) <= SHOWN_CHARS else f"{text[: SHOWN_CHARS - 1]}…"


def keys(struct: type, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The keys of a struct of structs, with their types, in their order."""
    for name, kind in get_type_hints(struct, include_extras=True).items():
        if isinstance(kind, type) and get_origin(kind) is None and issubclass(kind, Struct):
            yield from keys(kind, f"{prefix}{name}.")
        else:
            yield prefix + name, kind


def read(path: Path) -> dict[str, Any]:
    """The content of the TOML file; `ProblemsError` says why it cannot be read."""
    try:
        return tomllib.loads(path.read_text("utf-8-sig"))  # some editors begin a file with a byte order mark
    except OSError as error:
        raise ProblemsError([f"{path} cannot be read: {error.strerror}"]) from error
    except UnicodeDecodeError as error:
        raise ProblemsError([f"{path} is no text in UTF-8"]) from error
    except RecursionError as error:
        raise ProblemsError([f"{path} is no TOML: brackets within brackets, far too many"]) from error
    except tomllib.TOMLDecodeError as error:
        raise ProblemsError([f"{path} is no TOML: {error}"]) from error


def flat(table: Mapping[str, Any], types: Types) -> dict[str, Any]:
    """Nested tables as keys like `broker.address`; what is declared as a table stays one."""
    depth = max(key.count(".") for key in types)
    groups = {key[: key.index(".")] for key in types if "." in key}
    return dict(_flat(table, types, groups, depth))


def _flat(
    table: Mapping[str, Any], types: Types, groups: Iterable[str], depth: int, prefix: str = ""
) -> Iterator[tuple[str, Any]]:
    for leaf, value in table.items():
        key = prefix + leaf
        if not isinstance(value, Mapping) or key in types or prefix.count(".") == depth:
            yield key, value
        elif value:
            yield from _flat(value, types, groups, depth, f"{key}.")
        elif key not in groups:
            yield key, value


def nested(values: Mapping[str, Any]) -> dict[str, Any]:
    """Keys like `broker.address` as tables in tables."""
    table: dict[str, Any] = {}
    for key, value in values.items():
        group, _, leaf = key.rpartition(".")
        (table.setdefault(group, {}) if group else table)[leaf] = value
    return table


def closest(word: str, known: Iterable[str]) -> str | None:
    """The known word that is meant by an unknown one, None if that is anybody's guess."""
    from difflib import get_close_matches  # only a mistake needs it

    known = list(known)
    leaf = word.rpartition(".")[2]
    leaves: dict[str, str] = {}
    for name in known:
        leaves.setdefault(name.rpartition(".")[2], name)
    within = [leaves[leaf]] if leaf in leaves else [name for name in known if name.startswith(f"{word}.")]
    if close := within or get_close_matches(word, known, 1, 0.55):
        return close[0]
    close = get_close_matches(leaf, leaves, 1)
    return leaves[close[0]] if close else None


def hint(word: str, known: Iterable[str]) -> Reason:
    """The way on from a word that is not known: the one that is meant, or all that there are."""
    known = tuple(known)
    meant = closest(word, known)
    return DidYouMean(meant) if meant else ThereAre(known)


def nearest(word: str, known: Iterable[str]) -> str:
    """The same in English."""
    return hint(word, known).english()


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


def expected(kind: Any, patterns: Mapping[str, str], *, in_file: bool = True) -> str:
    """A value of the type in words: "a whole number from 1 to 1000".

    `patterns` says in words what a text of a pattern is; that of "" is any text. A value of a file is called
    by its description, and its choices are written as a file has them.
    """
    info = kind if isinstance(kind, inspect.Type) else inspect.type_info(kind)
    return (in_file and _description(info)) or either(_alternatives(info, patterns, in_file))


def either(words: Iterable[str]) -> str:
    """Words as a choice: "a, b or c"."""
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else last


def _description(kind: inspect.Type) -> str | None:
    match kind:
        case inspect.Metadata(extra_json_schema={"description": str(description)}):
            return description
        case inspect.UnionType(types=types):
            return next(filter(None, map(_description, types)), None)
        case _:
            return None


def _alternatives(kind: inspect.Type, patterns: Mapping[str, str], in_file: bool) -> Iterator[str]:
    match kind:
        case inspect.Metadata(type=inner):
            yield from _alternatives(inner, patterns, in_file)
        case inspect.UnionType(types=types):
            for one in types:
                yield from _alternatives(one, patterns, in_file)
        case inspect.NoneType():
            yield from ('"none"',) if in_file else ()
        case inspect.LiteralType(values=values):
            yield from (shown(value) if in_file else str(value) for value in values)
        case inspect.BoolType():
            yield "true or false"
        case inspect.IntType():
            yield f"a whole number{_range(kind)}"
        case inspect.StrType(pattern=pattern, max_length=longest) if (pattern or "") in patterns:
            yield patterns[pattern or ""] + (f", at most {longest} characters" if longest else "")
        case inspect.StrType(max_length=longest):
            yield f"a text of at most {longest} characters" if longest else "a text"
        case inspect.VarTupleType(item_type=item) if in_file:
            yield f"a list of: {either(_alternatives(item, patterns, in_file))}"
        case inspect.StructType(fields=fields) if in_file:
            parts = ((one.encode_name, _alternatives(one.type, patterns, in_file)) for one in fields)
            yield "; ".join(f"{name} = {either(words)}" for name, words in parts)
        case inspect.StructType(fields=fields):
            yield f"an object with {', '.join(one.encode_name for one in fields)}"
        case inspect.DictType(max_length=most):
            yield f"an object of names and their values{_at_most(most)}"
        case inspect.VarTupleType(item_type=item, max_length=most):
            yield f"a list of {_plural(item)}{_at_most(most)}"
        case inspect.TupleType(item_types=items):
            yield f"a list of {len(items)} {_plural(items[0])}"
        case _:
            yield "something else"


def _plural(kind: inspect.Type) -> str:
    match kind:
        case inspect.Metadata(type=inner):
            return _plural(inner)
        case inspect.StrType():
            return "names"
        case inspect.IntType():
            return f"whole numbers{_range(kind)}"
        case inspect.TupleType(item_types=items):
            return f"lists of {len(items)} {_plural(items[0])}"
        case inspect.VarTupleType(item_type=item):
            return f"lists of {_plural(item)}"
        case _:
            return "objects"


def _range(kind: inspect.IntType) -> str:
    if kind.ge is None:
        return ""
    return f" from {kind.ge}" + (f" to {kind.le}" if kind.le is not None and kind.le < 2**31 else "")


def _at_most(count: int | None) -> str:
    return f", at most {count}" if count else ""
