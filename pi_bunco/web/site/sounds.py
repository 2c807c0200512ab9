"""Sounds of the hall's screens, by the host's word; bells of the relays ring as ever."""

from typing import Any, Literal, get_args

import msgspec
from msgspec import Struct

Pack = Literal["bell", "gong", "horn"]
PACKS = get_args(Pack)
PackChoice = Literal["", Pack]
"""A pack, or "" for what the hall's theme has."""
LOUD = (25, 50, 100)
"""Volumes of screens, in percent of what the browser can."""
QUIET = (0, 20, 21, 22, 23)
"""Hours of the day from which screens may be quiet; 0 for never."""
QUIET_UNTIL_HOUR = 7


class Sounds(Struct, frozen=True):
    """Sounds of a start and an end, `loud` percent, and quiet from that hour until seven."""

    pack: PackChoice = ""
    loud: int = 100
    quiet: int = 0

    def at(self, hour: int, themes: Pack) -> str:
        """The pack and how loud it is at that hour of the day, as a screen is told: `gong 50`."""
        quiet = self.quiet and (hour >= self.quiet or hour < QUIET_UNTIL_HOUR)
        return f"{self.pack or themes} {0 if quiet else self.loud}"


def sounds(found: Any) -> Sounds:
    """The sounds that the page keeps, or a form says; as delivered where no screen can play them."""
    try:
        read = msgspec.convert(found or {}, Sounds, strict=False)
    except msgspec.ValidationError:
        return Sounds()
    return read if read.loud in LOUD and read.quiet in QUIET else Sounds()
