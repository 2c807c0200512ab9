"""Writes the little YAML that cloud-init and netplan read; a text is quoted as in JSON, which YAML takes."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

_PLAIN = re.compile(r"(?!(?:true|false|yes|no|on|off|null|y|n)\Z)[a-z][a-z0-9_-]*")
"""A key that needs no quotes, and is no truth value to any reader."""


def dump(value: Mapping[str, Any]) -> str:
    """The text of nested mappings, lists, texts, numbers and truth values; several lines are a block."""
    return "".join(f"{line}\n" for line in _lines(value))


def _lines(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping) and value:
        for key, one in value.items():
            yield from _behind(f"{_key(str(key))}:", one)
    elif isinstance(value, list) and value:
        for one in value:
            if isinstance(one, Mapping | list) and one:
                first, *rest = _lines(one)
                yield f"- {first}"
                yield from (f"  {line}" for line in rest)
            else:
                yield from _behind("-", one)
    else:
        yield json.dumps(value, ensure_ascii=False)


def _behind(start: str, value: Any) -> Iterator[str]:
    """A value behind its key or its dash."""
    if isinstance(value, str) and "\n" in value:
        yield f"{start} |"
        yield from (f"  {line}" for line in value.rstrip("\n").split("\n"))
    elif isinstance(value, Mapping | list) and value:
        yield start
        yield from (f"  {line}" for line in _lines(value))
    else:
        yield f"{start} {json.dumps(value, ensure_ascii=False)}"


def _key(text: str) -> str:
    return text if _PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)
