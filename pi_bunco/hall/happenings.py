"""What happens in a night that plays itself, and what follows: messages and effects of `sim.party`."""

from msgspec import Struct

from pi_bunco.play.chaos import Kill, Start
from pi_bunco.wire.messages import Command


class Key(Struct, frozen=True):
    """A key was pressed; Enter is a line end."""

    key: str


class Interrupt(Struct, frozen=True):
    """Ctrl-C, or another signal that asks to end."""


class Look(Struct, frozen=True):
    """Look into the files whether all that the tables have saved has arrived."""


class Looked(Struct, frozen=True):
    """So many facts are still on their way."""

    missing: int


class Say(Struct, frozen=True):
    """Something happened that a spectator wants to know."""

    text: str


class Chime(Struct, frozen=True):
    """A bell sounds in the hall."""


class Draw(Struct, frozen=True):
    """Show the picture."""


class TellPages(Struct, frozen=True):
    """The pages are there: say where."""


class Finish(Struct, frozen=True):
    """The night is over; `why` says what went wrong, if anything, `early` that somebody wanted to stop."""

    why: str = ""
    early: bool = False


Effect = Command | Kill | Start | Look | Say | Chime | Draw | TellPages | Finish
