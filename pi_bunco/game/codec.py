"""Facts as lines of JSON, as the evening log has them (wire/README.md)."""

import re
from typing import Any, Union

import msgspec
from msgspec.structs import astuple

from pi_bunco.errors import FactError
from pi_bunco.game.facts import FACT_KINDS, BellSeen, Fact, PrizeDecision, Roll, why_no_roll
from pi_bunco.game.fields import EXPECTED, VISIBLE
from pi_bunco.reason import InEnglish
from pi_bunco.validator import closest


class _FormerBellSeen(BellSeen, frozen=True, gc=False, tag="heard"):
    """`BellSeen` in logs before version 0.2."""


_KINDS: dict[str, Any] = {**FACT_KINDS, "heard": _FormerBellSeen}
_ANY_KIND: Any = Union[*_KINDS.values()]
_decoder: msgspec.json.Decoder[Fact] = msgspec.json.Decoder(_ANY_KIND)
_encoder = msgspec.json.Encoder()


def decode(line: bytes | str) -> Fact:
    """The fact of one line of JSON; `FactError` says what was expected."""
    try:
        return _whole(_decoder.decode(line))
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise FactError(InEnglish(_explain(error))) from error


def convert(table: dict[str, Any]) -> Fact:
    """The fact of a plain dictionary with a `kind`; `FactError` says what was expected."""
    kind = table.get("kind")
    one = _KINDS.get(kind, _ANY_KIND) if isinstance(kind, str) else _ANY_KIND  # quicker than the union
    try:
        return _whole(msgspec.convert(table, one))
    except msgspec.MsgspecError as error:
        raise FactError(InEnglish(_explain(error))) from error


def encode(fact: Fact) -> bytes:
    """One line of JSON without its line end; what is absent is left out."""
    return line(plain(fact))


def line(plain: dict[str, Any]) -> bytes:
    """The line of plain values; a copy, for what an encoder makes has room for more behind it."""
    return bytes(memoryview(_encoder.encode(plain)))


def plain(fact: Fact) -> dict[str, Any]:
    """The fact as plain values; what is absent is left out."""
    return {key: value for key, value in msgspec.to_builtins(fact).items() if value is not None}


def schema() -> dict[str, Any]:
    """The JSON Schema of a fact, made from its types."""
    return msgspec.json.schema(Union[*FACT_KINDS.values()])


def _whole(fact: Fact) -> Fact:
    if type(fact) is Roll and (why := why_no_roll(fact)):
        raise FactError(InEnglish(why))
    if type(fact) is PrizeDecision and isinstance(fact.to, str) and not re.match(VISIBLE, fact.to):
        raise FactError(InEnglish(f"expected {EXPECTED[VISIBLE]} at to"))
    return BellSeen(*astuple(fact)) if type(fact) is _FormerBellSeen else fact


def _explain(error: Exception) -> str:
    text = str(error)
    if found := re.match(r"Invalid value '(.*)' - at `\$\.kind`", text, re.DOTALL):
        meant = closest(found[1], FACT_KINDS)
        hint = f"did you mean {meant}?" if meant else f"expected one of {', '.join(FACT_KINDS)}"
        return f"unknown kind {found[1][:40]!r}: {hint}"
    if isinstance(error, msgspec.ValidationError):
        for pattern, expected in EXPECTED.items():
            text = text.replace(f"`str` matching regex {pattern!r}", expected)
        text = re.sub(r" - at `\$\.?(.+)`$", r" at \1", text).replace("`", "")
        return text[0].lower() + text[1:]
    return f"expected a JSON object with a kind: {text}"
