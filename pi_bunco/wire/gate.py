"""The one gate through which messages come in and go out: topic and bytes to a checked type and back."""

from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import astuple, replace

from pi_bunco.log.entry import Entry
from pi_bunco.reason import AndMore, Coded, Reason
from pi_bunco.rules.ruleset import CONTROL
from pi_bunco.wire import messages
from pi_bunco.wire.topics import PHONES, WEB, Topic, WireError, parse

LIMIT_BYTES = 8 * 1024  # bytes of a payload
COMMAND_LIMIT_BYTES = 384 * 1024  # bytes of a command: 1,200 players with long names
LOG_LIMIT_BYTES = 512 * 1024  # bytes of entries of the log, and of an answer
BATCH_BYTES = 256 * 1024  # bytes of entries that are sent at once, but for a single one that is larger
READ_LIMIT_BYTES = 1024 * 1024  # bytes of a message that is not taken, but of which something is still read
MAX_DEPTH = 16  # lists and objects inside each other
LOG_EVERY_MS = 60_000.0
MAX_PROBLEMS = 32  # sentences of what is wrong, in one message
REASON_MAX_CHARS = 400
REASONS_MAX_BYTES = 6000  # of JSON for all of them: a message has 8 KiB, with all else that it says

_KINDS = {(one.direction, one.leaf): one.kind for one in messages.CHANNELS}
RETAINED = tuple({one.kind for one in messages.CHANNELS if one.retained})
_LIMITS: dict[type[messages.Payload], int] = {
    messages.Command: COMMAND_LIMIT_BYTES,
    Entry: LOG_LIMIT_BYTES,
    messages.LogEntries: LOG_LIMIT_BYTES,
    messages.Answer: LOG_LIMIT_BYTES,
}
_OF_ANY_NODE = tuple(one.kind for one in messages.CHANNELS if one.by == "node")
_OF_A_REPLICA = tuple(one.kind for one in messages.CHANNELS if one.by == "replica")
_FLAT = frozenset((int, str, float, bool, type(None)))
_encoder = msgspec.json.Encoder()
# Made before there are threads: msgspec 0.22 crashes where two of them make one of a struct at once.
_DECODERS: dict[type[messages.Payload], msgspec.json.Decoder[Any]] = {
    kind: msgspec.json.Decoder(kind) for kind in _KINDS.values()
}
_place_decoder = msgspec.json.Decoder(messages.FactPlace)
_id_decoder = msgspec.json.Decoder(messages.CommandId)


class Received(Struct, frozen=True):
    """A message came as bytes; `retained` if the broker had kept it."""

    topic: str
    payload: bytes
    retained: bool


class Delivered(Struct, frozen=True):
    """A message that came, decoded and checked; `retained` if the broker had kept it."""

    topic: Topic
    message: messages.Message
    retained: bool


class Undelivered(Struct, frozen=True):
    """A message that is not taken, and why; of a fact its place, of a command its id, if they can be read."""

    topic: str
    why: str
    place: messages.FactPlace | None = None
    command_id: str | None = None


def delivery(received: Received) -> Delivered | Undelivered:
    """The message in bytes that came, decoded once, before it is decided upon."""
    topic, payload, retained = received.topic, received.payload, received.retained
    try:
        return Delivered(parse(topic), decode(topic, payload, retained), retained)
    except WireError as error:
        why = str(error)
    undelivered = Undelivered(topic, why)
    with suppress(WireError, msgspec.MsgspecError, UnicodeError, RecursionError):
        parts = parse(topic)
        match parts.direction, parts.leaf:
            case "up", "fact" if parts.table is not None and len(payload) <= COMMAND_LIMIT_BYTES:
                return replace(undelivered, place=_place_decoder.decode(payload))
            case "up", "command" if not retained and len(payload) <= READ_LIMIT_BYTES:
                return replace(undelivered, command_id=_id_decoder.decode(payload).id)
    return undelivered


def decode(topic: str, payload: bytes, retained: bool = False) -> messages.Message:
    """The message that came on `topic`; `WireError` on anything that wire/README.md does not allow."""
    kind, limit = _taken_at(topic)
    if retained and kind not in RETAINED:
        raise WireError(f"{topic}: a retained message is not taken here")
    if not payload and kind in RETAINED:
        return messages.Cleared()
    if len(payload) > limit:
        raise WireError(f"{topic}: {len(payload)} bytes are too many; at most {limit} are taken")
    try:
        message: messages.Payload = _DECODERS[kind].decode(payload)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise WireError(f"{topic}: {error}") from error
    if payload.count(b"[") + payload.count(b"{") > MAX_DEPTH and not _shallow(message, MAX_DEPTH):
        raise WireError(f"{topic}: more than {MAX_DEPTH} lists and objects inside each other")
    return message


def encode(message: messages.Payload) -> bytes:
    """The payload of a message; `WireError` if it is larger than the wire allows."""
    payload = _encoder.encode(message)
    if len(payload) > (limit := limit_of(type(message))):
        raise WireError(f"{type(message).__name__} has {len(payload)} bytes; at most {limit} may be sent")
    return payload


def limit_of(kind: type[messages.Payload]) -> int:
    """The most bytes that a payload of this kind may have."""
    return _LIMITS.get(kind, LIMIT_BYTES)


def limit_at(topic: str) -> int:
    """The most bytes that a payload for this topic may have."""
    try:
        return _taken_at(topic)[1]
    except WireError:
        return LIMIT_BYTES


def plain_fact(one: messages.Envelope | messages.FactPlace) -> dict[str, Any]:
    """The fact as it came, as plain values; empty where it is none or cannot be kept."""
    raw = _encoder.encode(one.fact)
    try:
        fact = msgspec.json.decode(raw) if len(raw) <= LIMIT_BYTES else None
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return {}
    return fact if isinstance(fact, dict) and _shallow(fact, MAX_DEPTH) else {}


class Rejects:
    """Counts the messages that were not taken, and keeps the log readable while somebody sends rubbish."""

    SENDERS = 1000  # more than that are counted together, under ""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        self._logged_at: dict[str, float] = {}

    def count(self, topic: str, now: float) -> bool:
        """Counts one for the sender in `topic`; True if it is to be logged, once a minute (`now` in ms)."""
        try:
            sender = parse(topic).node
        except WireError:
            sender = ""
        if sender not in self.counts and len(self.counts) >= self.SENDERS:
            sender = ""
        self.counts[sender] = self.counts.get(sender, 0) + 1
        if now - self._logged_at.get(sender, -LOG_EVERY_MS) < LOG_EVERY_MS:
            return False
        self._logged_at[sender] = now
        return True


@lru_cache(16)  # they are sent again and again
def fitting(
    faults: tuple[Reason, ...], sentence: Callable[[str], str] = str
) -> tuple[tuple[str, ...], tuple[Coded, ...]]:
    """The faults that have room in a message: English, each once and on one line, and with code and fields.

    A long one is cut to `REASON_MAX_CHARS`; of too many the last counts the rest.
    """
    lines: dict[str, Reason] = {}
    for fault in faults:
        lines.setdefault(_line(sentence(fault.english())), fault)
    found = [(line, Coded.beside(fault)) for line, fault in lines.items() if line]
    kept = found[:MAX_PROBLEMS]
    while len(msgspec.json.encode(kept)) > REASONS_MAX_BYTES:
        kept.pop()
    if len(kept) < len(found):
        kept = kept[: MAX_PROBLEMS - 1]
        more = AndMore(len(found) - len(kept))
        kept.append((more.english(), Coded.beside(more)))
    return tuple(line for line, _ in kept), tuple(coded for _, coded in kept)


def _line(fault: str) -> str:
    line = " ".join(CONTROL.sub(" ", fault.encode("utf-8", "replace").decode()).split())
    return line if len(line) <= REASON_MAX_CHARS else f"{line[: REASON_MAX_CHARS - 1]}…"


@lru_cache(10_000)  # every message goes by a topic that was there before
def _taken_at(text: str) -> tuple[type[messages.Payload], int]:
    """The kind of message that goes over this topic, and the most bytes of one; `WireError` for no topic."""
    topic = parse(text)
    kind = _KINDS.get((topic.direction, topic.leaf))
    if kind is None:
        raise WireError(f"{topic} is no topic of ours")
    of_any = kind in _OF_ANY_NODE or (kind in _OF_A_REPLICA and topic.node in (WEB, PHONES))
    if topic.direction != "all" and topic.table is None and not of_any:
        raise WireError(f"{topic}: only a table has this topic")
    return kind, limit_of(kind)


def _shallow(value: object, left: int) -> bool:
    """`value` nests at most `left` deep, so that it can be written again from any call depth."""
    if isinstance(value, Struct):
        inner: Any = astuple(value)
    elif isinstance(value, dict):
        inner = value.values()
    elif isinstance(value, list | tuple):
        inner = value
    else:
        return True
    return left > 0 and all(_shallow(one, left - 1) for one in inner if type(one) not in _FLAT)
