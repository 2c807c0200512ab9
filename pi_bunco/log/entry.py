"""An entry of the evening log: a fact with its number, where it comes from, and its place in the chain."""

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from pi_bunco.game import codec
from pi_bunco.game.facts import Fact

# Python's `$` lets a line end pass; this says the end so that JSON Schema agrees.
END = r"(?![\s\S])"
# The greatest whole number that JSON readers in other languages keep exactly (RFC 8259, section 6).
MAX_INT = 2**53 - 1
Id = Annotated[str, Meta(min_length=1, max_length=64, pattern=rf"^[A-Za-z0-9._:-]+{END}")]
Natural = Annotated[int, Meta(ge=0, le=MAX_INT)]
Number = Annotated[int, Meta(ge=1, le=MAX_INT)]
OriginTable = Annotated[int, Meta(ge=1, le=9999)]
ThrowId = tuple[Id, Natural]
"""The dice box's own name for a throw, or a phone's for a tap: its boot and a number."""
PAGE_NO = 0
"""The number of the page's replica; a table's has the table's."""
FIRST_TABLES = 5
"""The tables up to this number keep a replica."""
Mac = Annotated[str, Meta(pattern=rf"^[0-9a-f]{{32}}{END}")]


class Origin(Struct, frozen=True, gc=False, omit_defaults=True):
    """The identity of a table's fact: table, stream, the place in it, and the throw's mark."""

    table: OriginTable
    stream: Id
    seq: Number
    mark: ThrowId | None = None


class ReplicaClaim(Struct, frozen=True, omit_defaults=True):
    """The best log on disk: its evening, running number, branches, length and last mac.

    `rewritten` is the sum of those of the head, once no log is there that one of them replaced.
    """

    evening: Id
    no: Natural
    branches: Natural
    length: Natural
    mac: Mac
    rewritten: Natural = 0


class Entry(Struct, frozen=True, gc=False):
    """Fact `n` (1, 2, ... without holes) of an evening, its JSON as the head wrote it.

    `origin` is None for a fact of the head's own; `mac` chains the entry to the one before it
    (`chain`), whose mac is `before` where an entry goes out alone.
    """

    evening: Id
    n: Number
    fact: Raw
    origin: Origin | None
    mac: Mac
    before: Mac | UnsetType = UNSET

    def decoded(self) -> Fact:
        """The fact; `FactError` if it is none."""
        return codec.decode(bytes(self.fact))

    def plain(self) -> dict[str, Any]:
        """The fact as plain values."""
        table: dict[str, Any] = msgspec.json.decode(self.fact)
        return table
