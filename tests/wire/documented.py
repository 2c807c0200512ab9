"""The tables of pi_bunco/wire/README.md, made from the types.

`python -m tests.wire.documented` writes them anew between their markers.
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from msgspec import inspect

from pi_bunco.game import facts
from pi_bunco.wire.arguments import describe, fields
from pi_bunco.wire.commands import COMMANDS
from pi_bunco.wire.messages import CHANNELS

README = Path(__file__).parents[2] / "pi_bunco" / "wire" / "README.md"


def topics() -> list[str]:
    """A line for each topic."""
    rows = [
        (
            f"`{one.address}`",
            f"`{one.kind.__name__}`",
            f"{one.qos}, {'yes' if one.retained else 'no'}",
            one.summary,
        )
        for one in CHANNELS
    ]
    return _table(("topic below `bunco/v1/{hall}/`", "payload", "QoS, retained", "what for"), rows)


def payloads() -> list[str]:
    """A line for each payload and what is inside of it."""
    kinds = dict.fromkeys(part for one in CHANNELS for part in _structs(inspect.type_info(one.kind)))
    rows = [(f"`{kind.__name__}`", _fields(kind), _summary(kind)) for kind in kinds]
    return _table(("payload", "fields (optional ones in brackets)", "what it is"), rows)


def log() -> list[str]:
    """A line for each kind of fact."""
    rows = [(f"`{name}`", _fields(kind), _summary(kind)) for name, kind in facts.FACT_KINDS.items()]
    return _table(("kind", "fields (optional ones in brackets)", "what happened"), rows)


def commands() -> list[str]:
    """A line for each argument of each command."""
    rows = []
    for kind in COMMANDS.values():
        told = [
            f"`{name}`{'' if one.required else ' (optional)'}: {describe(one.type)}"
            for name, one in fields(kind).items()
        ]
        rows.append((f"`{kind.name}`", f"`{kind.word}`", "; ".join(told), _summary(kind)))
    return _table(("command", "`pi-bunco host`", "arguments", "what it does"), rows)


TABLES: dict[str, Callable[[], list[str]]] = {
    "topics": topics,
    "payloads": payloads,
    "facts": log,
    "commands": commands,
}


def written(text: str) -> str:
    """The text with every table between its markers as it has to be."""
    for name, table in TABLES.items():
        before, marker, rest = text.partition(f"<!-- {name} -->\n")
        _, end, after = rest.partition("<!-- end -->")
        assert marker, f"{README.name} has no place for the table {name}"
        assert end, f"the table {name} of {README.name} has no end"
        rows = "\n".join(table())
        text = f"{before}{marker}{rows}\n{end}{after}"
    return text


def _structs(part: inspect.Type) -> Iterator[type]:
    """The structs that a payload is made of, itself first."""
    match part:
        case inspect.StructType(cls=kind, fields=inner):
            yield kind
            for one in inner:
                yield from _structs(one.type)
        case inspect.Metadata(type=inner_type):
            yield from _structs(inner_type)
        case inspect.UnionType(types=types) | inspect.TupleType(item_types=types):
            for one_type in types:
                yield from _structs(one_type)
        case inspect.VarTupleType(item_type=item):
            yield from _structs(item)
        case _:
            return


def _fields(kind: type) -> str:
    info = inspect.type_info(kind)
    assert isinstance(info, inspect.StructType)
    names = [one.encode_name for one in info.fields]
    required = [one.required for one in info.fields]
    told = [f"`{name}`" if must else f"[`{name}`]" for name, must in zip(names, required, strict=True)]
    return " ".join(told) or "none"


def _summary(kind: type) -> str:
    return (kind.__doc__ or "").split("\n\n")[0].replace("\n", " ").strip()


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> list[str]:
    lines = [head, tuple("---" for _ in head), *rows]
    return [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines]


if __name__ == "__main__":
    README.write_text(written(README.read_text("utf-8")), "utf-8")
