"""Topics: `bunco/v1/{hall}/{node}/{up|down}/{leaf}` and `bunco/v1/{hall}/all/{leaf}`."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Annotated, Literal

from msgspec import Meta, Struct

from pi_bunco.errors import BuncoError
from pi_bunco.log.entry import END, FIRST_TABLES, PAGE_NO

Direction = Literal["up", "down", "all"]
NodeName = Annotated[str, Meta(min_length=1, max_length=32, pattern=rf"^[a-z0-9-]+{END}")]

PREFIX = "bunco/v1"
HEAD = "head"
PROBE = "probe"
"""The node as which a head asks whether there is another one: as `head` it would throw that out."""
WEB = "web"
"""The node of the web service."""
PHONES = "phones"
"""The node of the phones' process, which also speaks for its tables."""
HOST_CLI = "host-cli"
"""The node of a host's commands."""
ALL = "all"
_remembered = lru_cache(maxsize=10_000)  # every message goes by a topic that was there before
_NAME = re.compile(r"[a-z0-9-]{1,32}")
_TABLE = re.compile(r"table([1-9][0-9]{0,3})")


class WireError(BuncoError, ValueError):
    """A message that is not taken, or must not be sent; the text says in a sentence what is wrong."""


class Topic(Struct, frozen=True, gc=False):
    """A topic in parts; what the head tells everybody has the node and the direction "all"."""

    hall: str
    node: str
    direction: Direction
    leaf: str

    @property
    def table(self) -> int | None:
        """The number of the table whose topic this is."""
        return table_number(self.node)

    def __str__(self) -> str:
        if self.direction == "all":
            return f"{PREFIX}/{self.hall}/{ALL}/{self.leaf}"
        return f"{PREFIX}/{self.hall}/{self.node}/{self.direction}/{self.leaf}"


@_remembered
def up(hall: str, node: str, leaf: str) -> str:
    """The topic of what `node` says; `WireError` on a bad name."""
    return _checked(Topic(hall, node, "up", leaf))


@_remembered
def down(hall: str, node: str, leaf: str) -> str:
    """The topic of what the head says to `node`; `WireError` on a bad name."""
    return _checked(Topic(hall, node, "down", leaf))


@_remembered
def everyone(hall: str, leaf: str) -> str:
    """The topic of what the head says to everybody; `WireError` on a bad name."""
    return _checked(Topic(hall, ALL, "all", leaf))


def inbox(hall: str, node: str, replica: bool = False) -> tuple[str, ...]:
    """The subscriptions of a node other than the head: its `down/` and `all/`, the log for a `replica`.

    A table shows no scoreboard.
    """
    down(hall, node, "x")
    score = [] if table_number(node) else ["score"]
    leaves = ("round", "bell", *score, HEAD, *(["log"] if replica else []))
    return f"{PREFIX}/{hall}/{node}/down/+", *(f"{PREFIX}/{hall}/{ALL}/{leaf}" for leaf in leaves)


def phones_inbox(hall: str, tables: Iterable[int], log: bool) -> tuple[str, ...]:
    """The subscriptions of the phones' process: what is said to its tables, and to all; the `log` too."""
    _, *everybody = inbox(hall, table_node(1), log)
    return *(f"{PREFIX}/{hall}/{table_node(table)}/down/+" for table in tables), *everybody


def uplinks(hall: str) -> tuple[str, ...]:
    """The subscriptions of the head: what any node says, who else says to be head, the log's last entry."""
    everyone(hall, "x")
    return f"{PREFIX}/{hall}/+/up/+", f"{PREFIX}/{hall}/{ALL}/{HEAD}", f"{PREFIX}/{hall}/{ALL}/log"


def is_replica(node: str) -> bool:
    """The node keeps a replica of the log: tables 1 to 5, and the web service."""
    return replica_number(node) is not None


def replica_number(node: str) -> int | None:
    """The number of the replica that the node keeps; None if it keeps none."""
    number = PAGE_NO if node == WEB else table_number(node)
    return None if number is None or number > FIRST_TABLES else number


def replica_node(number: int) -> str:
    """The node of a replica's number."""
    return WEB if number == PAGE_NO else table_node(number)


@_remembered
def parse(text: str) -> Topic:
    """The parts of a topic; `WireError` if it is none of ours."""
    match text.split("/"):
        case ["bunco", "v1", hall, "all", leaf]:
            topic = Topic(hall, ALL, "all", leaf)
        case ["bunco", "v1", hall, node, "up", leaf]:
            topic = Topic(hall, node, "up", leaf)
        case ["bunco", "v1", hall, node, "down", leaf]:
            topic = Topic(hall, node, "down", leaf)
        case _:
            raise WireError(f"{text[:80]!r} is no topic of {PREFIX}")
    _checked(topic)
    return topic


@_remembered
def table_node(number: int) -> str:
    """The node name of a table, for example `table2`."""
    return f"table{number}"


def host_node(name: str) -> str:
    """The node name of a host, for example `host-ann`."""
    return f"host-{name}"


@_remembered
def table_number(node: str) -> int | None:
    """The number in a table's node name (1 to 9999), None for any other node."""
    found = _TABLE.fullmatch(node)
    return int(found[1]) if found else None


def _checked(topic: Topic) -> str:
    for name in (topic.hall, topic.node, topic.leaf.replace("_", "-")):
        if not _NAME.fullmatch(name):
            raise WireError(f"{name[:40]!r} is no name: 1 to 32 of a-z, 0-9 and - are allowed")
    if topic.direction != "all" and topic.node == ALL:
        raise WireError(f"{ALL!r} is everybody and no node")
    return str(topic)
