"""The payload of every topic (wire/README.md), and at the end who says it to whom.

Times named `t`, `*_t` and `not_after` are milliseconds of the evening clock. Unknown fields are ignored.
"""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Raw, Struct, UnsetType, field

from pi_bunco.game.board import Board
from pi_bunco.game.facts import TableFact
from pi_bunco.game.fields import Millis
from pi_bunco.game.snapshot import TableView
from pi_bunco.log.entry import END, MAX_INT, Entry, Id, Mac, Natural, Number, Origin, ReplicaClaim, ThrowId
from pi_bunco.reason import Coded
from pi_bunco.rules.ruleset import PRINTABLE
from pi_bunco.wire.topics import Direction

ShortWord = Annotated[str, Meta(max_length=32, pattern=PRINTABLE)]
Sentence = Annotated[str, Meta(max_length=400)]
SignedMillis = Annotated[int, Meta(ge=-MAX_INT, le=MAX_INT)]
"""Milliseconds since a boot; below 0 for what was kept elsewhere since before it."""
Exact = Annotated[float, Meta(ge=-MAX_INT, le=MAX_INT)]
Bound = Annotated[float, Meta(ge=0, le=MAX_INT)]
Plain = dict[str, Any]
Phase = Literal["setup", "open", "after_bell", "between", "break", "finished"]
OnlineState = Literal["online", "stopped", "lost"]
PersonName = Annotated[str, Meta(min_length=1, max_length=80)]
PersonNames = Annotated[tuple[PersonName, ...], Meta(max_length=1600)]
Fault = Annotated[str, Meta(max_length=400, pattern=PRINTABLE)]
FaultLines = Annotated[tuple[Fault, ...], Meta(max_length=32)]
CodedFaults = Annotated[tuple[Coded, ...], Meta(max_length=32)]
SentenceLines = Annotated[tuple[Sentence, ...], Meta(max_length=64)]
CodedReasons = Annotated[tuple[Coded, ...], Meta(max_length=64)]
ClockName = tuple[Id, SignedMillis]
"""A clock of the evening: the boot of a head by which it goes, and its ms in which it was 0 (`began`)."""
StreamEnd = tuple[Id, Natural]
"""A stream and the last place in it."""


class Upto(Struct, frozen=True):
    """A place in a table's stream."""

    stream: Id
    seq: Natural


class Envelope(Struct, frozen=True, omit_defaults=True):
    """One fact of a table's stream.

    It was made `up` ms after `boot` of the table's machine. `t` is that on the evening clock, worked out anew
    whenever it is sent, null while unmeasured; `err` is the bound of its error (ms), null where nobody knows.
    `clock` is the head's, as its table knew it last when it worked out `t`.
    `received` says that some head had it already, so that its bell has rung, at `bell` where the table heard
    the end of its round; `mark` is the throw's own name.
    The first of a stream comes `after` the last place of the one before it in the evening, if there is one.
    `guessed` says that it was made before its table, as it runs now, had the news of a round.
    `bell_clock` is the clock by which `bell`, or that of a `bell_seen`, is timed.
    `head_up` is the boot of the head by which the evening went then, and its ms, where that is behind `t`.
    """

    v: Literal[1]
    evening: Id
    stream: Id
    seq: Number
    sent: Number
    epoch: Natural
    t: Millis | None
    err: Bound | None
    up: SignedMillis
    boot: Id
    fact: TableFact
    received: bool = field(default_factory=bool)  # unlike a default, it is always written
    bell: Millis | None = None
    mark: ThrowId | None = None
    after: Upto | None = None
    clock: ClockName | None = None
    guessed: bool = False
    bell_clock: ClockName | None = None
    head_up: tuple[Id, Natural] | None = None


class FactPlace(Struct, frozen=True):
    """As much of an envelope as it takes to acknowledge it, and its fact, whatever is wrong with it."""

    evening: Id
    stream: Id
    seq: Number
    fact: Raw = Raw(b"{}")
    after: Upto | None = None


class Ack(Struct, frozen=True):
    """All facts of the stream up to `received` are applied, all up to `committed` are in the journal."""

    evening: Id
    stream: Id
    received: Natural
    committed: Natural


class Status(Struct, frozen=True, omit_defaults=True):
    """A birth, a clean stop, or a will (`lost`, with state and session alone).

    A birth names version, boot, the table's round `epoch`, its estimate `t` of the evening clock by its
    latest `clock` (null while unmeasured), all its streams of the evening with their last place, its replica
    of the log, and the `bell` (its time, by `bell_clock`) that it heard end that round.
    """

    state: OnlineState
    session: Id
    version: ShortWord | None = None
    boot: Id | None = None
    epoch: Natural | None = None
    t: Millis | None = None
    streams: Annotated[tuple[StreamEnd, ...], Meta(max_length=1000)] = ()
    replica: ReplicaClaim | None = None
    bell: Millis | None = None
    clock: ClockName | None = None
    bell_clock: ClockName | None = None

    def __post_init__(self) -> None:
        if self.state == "online" and None in (self.version, self.boot):
            raise ValueError("an online status names version and boot")


OFFLINE_AFTER_MS = 3000.0
"""A table without a beat for this long counts as offline."""


class Beat(Struct, frozen=True):
    """A sign of life, once a second: uncommitted facts, the age of the oldest, the replica's length.

    `pressed` counts each button's presses since the table's program began; absent before the first one.
    `reasons` are the `faults`, one for one, with code and fields. `phone_ms` is the age of the last sign of
    life of a phone table's phone, null before the first; a table with equipment of its own has none.
    """

    outbox: Natural
    oldest_ms: Natural = 0
    offset_err_ms: Bound | None = None
    dice: Annotated[tuple[ShortWord, ...], Meta(max_length=3)] = ()
    faults: FaultLines = ()
    replica: Natural = 0
    pressed: Annotated[dict[ShortWord, Natural], Meta(max_length=16)] | UnsetType = UNSET
    reasons: CodedFaults = ()
    phone_ms: Natural | UnsetType | None = UNSET


class View(Struct, frozen=True):
    """The head's knowledge of one table after its facts `upto`, the last of the round in each stream.

    `n` is the length of the log, or of a longer end that the head left, `branches` how many branches it
    holds: of one `session` of the head a view with a lower `n` is older; of another session any is newer.
    """

    evening: Id
    session: Id
    branches: Natural
    n: Natural
    epoch: Natural
    upto: dict[Id, Natural]
    phase: Phase
    rules: ShortWord
    overrides: Plain = {}
    seats: tuple[PersonName, PersonName, PersonName, PersonName] | None = None
    ghosts: PersonNames = ()
    set: Natural = 0
    round: Natural = 0
    bell_t: Millis | None = None
    state: TableView = TableView()


class BootOffset(Struct, frozen=True):
    """The clock of the boot `head` was `ahead` of that of `boot`, within `err`, when that was `up` (ms)."""

    boot: Id
    head: Id
    ahead: Exact
    err: Bound
    up: Exact


class ClockRequest(Struct, frozen=True):
    """A table or the page asks for the time; `t0` is its own monotonic clock (ms).

    `links` are comparisons of two heads' clocks, its own and those that it was told of.
    """

    t0: Exact
    links: tuple[BootOffset, ...] = ()


class ClockBefore(Struct, frozen=True):
    """A clock by which the evening went: it was 0 at `began` of the `boot` (ms), from its time `since` on."""

    boot: Id
    began: Exact
    since: Millis


class ClockReply(Struct, frozen=True):
    """The head's answer: `t1` when it heard the request, `t2` when it answered, in ms since its `boot`.

    The clock of `evening`, null where none is open, was 0 at `began` of that, and goes by it since `since`;
    before that it went by the clocks `before`, the first coming first. `links` are comparisons that two told.
    """

    t0: Exact
    boot: Id
    t1: Exact
    t2: Exact
    evening: Id | None = None
    began: Exact = 0.0
    since: Millis = 0
    before: tuple[ClockBefore, ...] = ()
    links: tuple[BootOffset, ...] = ()


class RoundInfo(Struct, frozen=True):
    """Stage of the evening, for everybody; `ends_t` is when the clock ends the round, if it does."""

    evening: Id
    epoch: Natural
    set: Natural
    round: Natural
    phase: Phase
    opened_t: Millis | None
    bell_t: Millis | None
    rules: ShortWord
    ends_t: Millis | None = None


class BellSignal(Struct, frozen=True):
    """The bell is ringing; lights and more bells follow it until `not_after`."""

    evening: Id
    epoch: Natural
    signal: Literal["start", "end"]
    t: Millis
    not_after: Millis
    cause: ShortWord


class BoardMessage(Struct, frozen=True):
    """The scoreboard of the evening, null where none is open."""

    evening: Id | None
    board: Board


class LogRequest(Struct, frozen=True):
    """Send the log of `evening` from entry `start` on (on the wire `from`): asked of the head, or by it."""

    evening: Id
    start: Number = field(name="from")


class LogLine(Struct, frozen=True):
    """An entry without its evening."""

    n: Number
    fact: Raw
    origin: Origin | None
    mac: Mac


class LogEntries(Struct, frozen=True):
    """Entries of one evening's log in order, as many as fit; none where there is nothing from there on."""

    evening: Id
    entries: Annotated[tuple[LogLine, ...], Meta(max_length=10_000)]


MAX_REWRITTEN = 64
"""Evenings that were written anew and are told of, the newest ones."""


class HeadStatus(Struct, frozen=True):
    """The present head (`host`: its machine), `length` that of its log; a will has state and session only.

    `boot` is that of its machine: a table that knows its clock already need not ask before it sends. It is
    null while the head reads its log: then it takes no facts, and all that is not committed comes after.
    `reasons` are the `faults`, one for one, with code and fields. `rewritten` are evenings whose logs were
    written anew, with how many times: a replica deletes every older log of them.
    """

    state: OnlineState
    session: Id
    host: Annotated[str, Meta(max_length=80)] = ""
    version: ShortWord = ""
    evening: Id | None = None
    length: Natural = 0
    faults: FaultLines = ()
    reasons: CodedFaults = ()
    boot: Id | None = None
    rewritten: Annotated[dict[Id, Natural], Meta(max_length=MAX_REWRITTEN)] = {}


class Command(Struct, frozen=True):
    """A host's command, void after `not_after`; the head refuses an unknown one."""

    id: Id
    command: Annotated[str, Meta(min_length=1, max_length=32, pattern=rf"^[a-z_]+{END}")]
    args: Plain = {}
    by: Annotated[str, Meta(max_length=80)] = ""
    not_after: Millis | None = None


class CommandId(Struct, frozen=True):
    """As much of a command as it takes to answer it, whatever else is wrong with it."""

    id: Id


class WayOn(Struct, frozen=True, omit_defaults=True):
    """A command that goes on from a refusal; to one that was refused itself `args` are to be added."""

    command: ShortWord
    args: Plain = {}


class Answer(Struct, frozen=True, omit_defaults=True):
    """A command was done, and `after` is what is true since; or it was refused for every reason in `why`.

    `ways` are commands that go on from there, where there are any. `reasons` are those in `why` one for one,
    `outcomes` those in `after`, with code and fields, for other languages.
    """

    id: Id
    done: bool
    why: SentenceLines = ()
    after: SentenceLines = ()
    ways: Annotated[tuple[WayOn, ...], Meta(max_length=8)] = ()
    reasons: CodedReasons = ()
    outcomes: CodedReasons = ()


class Cleared(Struct, frozen=True):
    """The retained message of the topic was taken away (an empty payload)."""


Payload = (
    Envelope
    | Ack
    | Status
    | Beat
    | View
    | ClockRequest
    | ClockReply
    | RoundInfo
    | BellSignal
    | BoardMessage
    | Entry
    | LogRequest
    | LogEntries
    | HeadStatus
    | Command
    | Answer
)
Message = Payload | Cleared

# The topics: gate, JSON Schema, AsyncAPI document and the table in README.md follow from this list.

TopicOwner = Literal["table", "replica", "node", "all"]
"""The owner of a topic: a table, a table or the page, any node, or everybody."""


class Channel(Struct, frozen=True):
    """A topic's direction and leaf, what goes over it, how, and what for."""

    direction: Direction
    leaf: str
    by: TopicOwner
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
    Channel("up", "fact", "table", Envelope, 1, False, "the one ordered stream of a table"),
    Channel("down", "ack", "table", Ack, 0, False, "what of a stream is applied and committed"),
    Channel("up", "status", "replica", Status, 1, True, "birth, clean stop and will of a node"),
    Channel("up", "beat", "replica", Beat, 0, False, "a sign of life, once a second"),
    Channel("down", "view", "table", View, 1, True, "what the head knows of one table"),
    Channel("up", "clock", "replica", ClockRequest, 0, False, "asks for the time, and a sign of life"),
    Channel("down", "clock", "replica", ClockReply, 0, False, "the evening clock at the head"),
    Channel("up", "log_request", "replica", LogRequest, 1, False, "a replica asks for a gap"),
    Channel("down", "log", "replica", LogEntries, 1, False, "entries that a replica asked for"),
    Channel("down", "log_request", "replica", LogRequest, 1, False, "a head asks a replica"),
    Channel("up", "log", "replica", LogEntries, 1, False, "entries that a head asked for"),
    Channel("up", "command", "node", Command, 1, False, "what a host wants"),
    Channel("down", "answer", "node", Answer, 1, False, "done, or every reason why not"),
    Channel("all", "round", "all", RoundInfo, 1, True, "where the evening stands"),
    Channel("all", "bell", "all", BellSignal, 0, False, "the bell is ringing"),
    Channel("all", "score", "all", BoardMessage, 1, True, "the scoreboard"),
    Channel("all", "log", "all", Entry, 0, True, "every fact of the log, numbered and chained"),
    Channel("all", "head", "all", HeadStatus, 1, True, "who is head; also its will"),
)
