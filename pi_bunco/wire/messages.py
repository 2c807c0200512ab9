"""The payload of every topic (PROTOCOL.md section 2); `gate` turns bytes into these and back.

Times named `t`, `*_t` and `not_after` are milliseconds of the evening clock. Unknown fields are ignored.
"""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field

from pi_bunco.wire.topics import END

# The greatest whole number that JSON readers in other languages keep exactly (RFC 8259, section 6).
_MOST = 2**53 - 1
Id = Annotated[str, Meta(min_length=1, max_length=64, pattern=rf"^[A-Za-z0-9._:-]+{END}")]
Word = Annotated[str, Meta(max_length=32)]
Sentence = Annotated[str, Meta(max_length=400)]
Count = Annotated[int, Meta(ge=0, le=_MOST)]
Number = Annotated[int, Meta(ge=1, le=_MOST)]
Table = Annotated[int, Meta(ge=1, le=999)]
Millis = Annotated[int, Meta(ge=0, le=_MOST)]
Exact = Annotated[float, Meta(ge=-_MOST, le=_MOST)]
Bound = Annotated[float, Meta(ge=0, le=_MOST)]
Plain = dict[str, Any]
Phase = Literal["setup", "open", "after_bell", "between", "break", "finished"]
Presence = Literal["online", "stopped", "lost"]
BATCH = 64
"""So many entries of a table's copy answer one `Need` of a head."""
Person = Annotated[str, Meta(min_length=1, max_length=80)]
People = Annotated[tuple[Person, ...], Meta(max_length=400)]
Faults = Annotated[tuple[Sentence, ...], Meta(max_length=32)]


class Envelope(Struct, frozen=True):
    """One fact of a table's stream.

    `t` is the table's estimate and `err` its bound (ms), both null while unmeasured; `up` is ms since `boot`.
    """

    v: Literal[1]
    evening: Id
    stream: Id
    seq: Number
    sent: Number
    epoch: Count
    t: Millis | None
    err: Bound | None
    up: Millis
    boot: Id
    fact: Plain

    def __post_init__(self) -> None:
        if self.t is None and self.err is not None:
            raise ValueError("a fact without a time has no bound of its error")


class Ack(Struct, frozen=True):
    """All facts of the stream up to `seq` are in the head's journal."""

    evening: Id
    stream: Id
    seq: Count


class Status(Struct, frozen=True, omit_defaults=True):
    """A table's birth (with version, boot and stream), clean stop, or will (`lost`)."""

    state: Presence
    session: Id
    version: Word | None = None
    boot: Id | None = None
    stream: Id | None = None

    def __post_init__(self) -> None:
        if self.state == "online" and None in (self.version, self.boot, self.stream):
            raise ValueError("an online status names version, boot and stream")


class Beat(Struct, frozen=True):
    """A table's sign of life, once a second; `oldest_ms` is the age of the oldest unacknowledged fact."""

    outbox: Count
    oldest_ms: Count = 0
    offset_err_ms: Bound | None = None
    dice: Annotated[tuple[Word, ...], Meta(max_length=3)] = ()
    faults: Faults = ()


class Upto(Struct, frozen=True):
    """A place in a table's stream."""

    stream: Id
    seq: Count


class View(Struct, frozen=True):
    """What the head knows of one table after its fact `upto`; `state` is as the services agree."""

    evening: Id
    epoch: Count
    upto: Upto | None
    phase: Phase
    rules: Word
    overrides: Plain = {}
    seats: tuple[Person, Person, Person, Person] | None = None
    ghosts: People = ()
    set: Count = 0
    round: Count = 0
    bell_t: Millis | None = None
    state: Plain = {}


class ClockRequest(Struct, frozen=True):
    """A table asks for the time; `t0` is its own monotonic clock (ms)."""

    n: Count
    t0: Exact


class ClockReply(Struct, frozen=True):
    """The head's answer: `t1` when it heard the request, `t2` when it answered (evening clock, ms)."""

    n: Count
    t0: Exact
    t1: Exact
    t2: Exact


class RoundInfo(Struct, frozen=True):
    """Where the evening stands, for everybody."""

    evening: Id
    epoch: Count
    set: Count
    round: Count
    phase: Phase
    opened_t: Millis | None
    bell_t: Millis | None
    rules: Word


class BellSignal(Struct, frozen=True):
    """The bell is ringing; lights and more bells follow it until `not_after`."""

    evening: Id
    epoch: Count
    signal: Literal["start", "end"]
    t: Millis
    not_after: Millis
    cause: Word


class Score(Struct, frozen=True):
    """The scoreboard; `board` is as the head and its readers agree."""

    evening: Id | None
    board: Plain


class Origin(Struct, frozen=True):
    """The identity of a table's fact."""

    table: Table
    stream: Id
    seq: Number


class LogCopy(Struct, frozen=True):
    """Entry `n` of the journal; `origin` is null for a fact of the head's own."""

    evening: Id
    n: Number
    fact: Plain
    origin: Origin | None = None


class Need(Struct, frozen=True):
    """Send entries of the journal, from `start` on (on the wire `from`): one side has less than the other.

    A keeper asks so for a gap in its copy, a head that has lost its journal for all; with null for `evening`
    such a head asks what there is, and the answer is `Held`.
    """

    evening: Id | None
    start: Number = field(name="from")


class HeldEvening(Struct, frozen=True):
    """A copy without a gap of the first `length` entries of an evening; `sum` is the CRC-32 of their rows."""

    evening: Id
    length: Count
    sum: Count


class HeardBell(Struct, frozen=True):
    """The bell that ended a round, as a table heard of it; `t` is when it could be heard."""

    evening: Id
    epoch: Count
    t: Millis


class Held(Struct, frozen=True):
    """What a table has for a head without a journal: copies, the latest evening last, and the last bell."""

    evenings: Annotated[tuple[HeldEvening, ...], Meta(max_length=16)]
    bell: HeardBell | None = None


class HeadStatus(Struct, frozen=True):
    """Who is head (`host`: the machine), `journal` is its length; a will has state and session only."""

    state: Presence
    session: Id
    host: Annotated[str, Meta(max_length=80)] = ""
    version: Word = ""
    evening: Id | None = None
    journal: Count = 0
    faults: Faults = ()


class Command(Struct, frozen=True):
    """A host's command (PROTOCOL.md section 5), void after `not_after`; the head refuses an unknown one."""

    id: Id
    command: Annotated[str, Meta(min_length=1, max_length=32, pattern=rf"^[a-z_]+{END}")]
    args: Plain = {}
    by: Annotated[str, Meta(max_length=80)] = ""
    not_after: Millis | None = None


class Answer(Struct, frozen=True):
    """A command was done, or refused for every reason in `why`."""

    id: Id
    done: bool
    why: Annotated[tuple[Sentence, ...], Meta(max_length=64)] = ()


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
    | Score
    | LogCopy
    | Need
    | Held
    | HeadStatus
    | Command
    | Answer
)
Message = Payload | Cleared
