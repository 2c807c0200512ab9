"""Effects of a hall and of a demo, beside those on their processes."""

from msgspec import Struct


class TellPages(Struct, frozen=True):
    """The pages are there: say where."""


class Say(Struct, frozen=True):
    """Something happened that whoever looks on wants to know."""

    text: str


class Finish(Struct, frozen=True):
    """It is over; `why` says what went wrong, if anything."""

    why: str = ""
