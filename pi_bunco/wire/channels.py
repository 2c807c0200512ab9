"""Every topic of the wire: who says what to whom, how (wire/README.md).

The gate, the JSON Schema, the AsyncAPI document and the table in README.md follow from this list.
"""

from typing import Literal

from msgspec import Struct

from pi_bunco.log.entry import Entry
from pi_bunco.wire import messages
from pi_bunco.wire.messages import Payload
from pi_bunco.wire.topics import Direction

By = Literal["table", "replica", "node", "all"]
"""Whose topic it is: a table's, a table's or the page's, any node's, or everybody's."""


class Channel(Struct, frozen=True):
    """A topic's direction and leaf, what goes over it, how, and what for."""

    direction: Direction
    leaf: str
    by: By
    kind: type[Payload]
    qos: int
    retained: bool
    summary: str

    @property
    def address(self) -> str:
        """The topic below `bunco/v1/{hall}/`, with `{node}` or `{table}` for the name of the node."""
        if self.direction == "all":
            return f"all/{self.leaf}"
        node = "{table}" if self.by == "table" else "{node}"
        return f"{node}/{self.direction}/{self.leaf}"


CHANNELS = (
    Channel("up", "fact", "table", messages.Envelope, 1, False, "the one ordered stream of a table"),
    Channel("down", "ack", "table", messages.Ack, 0, False, "what of a stream is applied and committed"),
    Channel("up", "status", "replica", messages.Status, 1, True, "birth, clean stop and will of a node"),
    Channel("up", "beat", "replica", messages.Beat, 0, False, "a sign of life, once a second"),
    Channel("down", "view", "table", messages.View, 1, True, "what the head knows of one table"),
    Channel(
        "up",
        "clock",
        "replica",
        messages.ClockRequest,
        0,
        False,
        "asks for the time, and a sign of life",
    ),
    Channel("down", "clock", "replica", messages.ClockReply, 0, False, "the evening clock at the head"),
    Channel("up", "log_request", "replica", messages.LogRequest, 1, False, "a replica asks for a gap"),
    Channel("down", "log", "replica", messages.LogEntries, 1, False, "entries that a replica asked for"),
    Channel("down", "log_request", "replica", messages.LogRequest, 1, False, "a head asks a replica"),
    Channel("up", "log", "replica", messages.LogEntries, 1, False, "entries that a head asked for"),
    Channel("up", "command", "node", messages.Command, 1, False, "what a host wants"),
    Channel("down", "answer", "node", messages.Answer, 1, False, "done, or every reason why not"),
    Channel("all", "round", "all", messages.RoundInfo, 1, True, "where the evening stands"),
    Channel("all", "bell", "all", messages.BellSignal, 0, False, "the bell is ringing"),
    Channel("all", "score", "all", messages.BoardMessage, 1, True, "the scoreboard"),
    Channel("all", "log", "all", Entry, 0, True, "every fact of the log, numbered and chained"),
    Channel("all", "head", "all", messages.HeadStatus, 1, True, "who is head; also its will"),
)
