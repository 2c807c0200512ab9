"""Messages between a dice box and its host (firmware/README.md); `ms` is since the box's boot."""

from typing import Literal

import msgspec
from msgspec import Struct


class Hello(Struct, frozen=True, array_like=True, tag="H"):
    """The box names itself, its boot, its number of dice, and the oldest number that it still holds."""

    version: Literal[1]
    boot: str
    name: str
    dice: int
    oldest: int


class DieSettled(Struct, frozen=True, array_like=True, tag="R"):
    """The die settled on a face after tumbling."""

    boot: str
    seq: int
    die: int
    face: int
    ms: int


class Tumbled(Struct, frozen=True, array_like=True, tag="B"):
    """The die began to tumble."""

    boot: str
    seq: int
    die: int
    ms: int


class Unsure(Struct, frozen=True, array_like=True, tag="X"):
    """The die shows no valid face: `moved`, `cocked` or `weak`."""

    boot: str
    seq: int
    die: int
    why: str
    ms: int


class Shows(Struct, frozen=True, array_like=True, tag="F"):
    """The face that the die shows now, 0 where that is unknown; no throw."""

    boot: str
    die: int
    face: int


class Pulse(Struct, frozen=True, array_like=True, tag="P"):
    """Sent once a second, and in answer to `BoxAsk`: how many ms the box is up, and its newest number.

    `battery` is in percent where it has one.
    """

    boot: str
    uptime: int
    newest: int
    battery: str = ""


class BoxAck(Struct, frozen=True, array_like=True, tag="A"):
    """Host to box: everything up to `seq` is stored."""

    boot: str
    seq: int


class BoxAsk(Struct, frozen=True, array_like=True, tag="?"):
    """Host to box: say hello and your current faces."""


Numbered = DieSettled | Tumbled | Unsure
Message = Hello | Numbered | Shows | Pulse | BoxAck | BoxAsk


def parse(payload: str) -> Message | None:
    """The message of a line's payload; None for what is not understood; further fields are ignored."""
    try:
        message: Message = msgspec.convert(payload.split(","), Message, strict=False)
    except msgspec.ValidationError:
        return None
    return message


def payload(message: Message) -> str:
    """The payload of the line that says `message`."""
    return ",".join(map(str, msgspec.to_builtins(message)))
