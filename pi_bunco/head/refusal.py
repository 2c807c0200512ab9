"""Why a command cannot be carried out, in sentences for a host."""

from collections.abc import Sequence

import msgspec

from pi_bunco.errors import BuncoError
from pi_bunco.wire.commands import COMMANDS, Arguments
from pi_bunco.wire.messages import WayOn

MOST = 64
"""So many reasons go into one answer."""
LONGEST = 400
"""Characters of a reason."""


class Refused(BuncoError):
    """A command that cannot be carried out; `why` has every reason, each a sentence, `ways` what goes on."""

    def __init__(self, why: Sequence[str], *ways: Arguments | WayOn) -> None:
        self.why = sentences(why)
        self.ways = tuple(way if isinstance(way, WayOn) else _way(way) for way in ways)
        super().__init__(" ".join(self.why))


def _way(args: Arguments) -> WayOn:
    return WayOn(args.name, msgspec.to_builtins(args))


def sentences(texts: Sequence[str]) -> tuple[str, ...]:
    """The texts as sentences that fit into an answer; of too many the last says how many are left out."""
    lines = [sentence(text) for text in texts if text]
    if len(lines) <= MOST:
        return tuple(lines)
    return (*lines[: MOST - 1], f"And {len(lines) - MOST + 1} more.")


def sentence(text: str) -> str:
    """The text with a capital letter and an end; a command or dimension at its beginning stays as it is."""
    first = text.split(" ", 1)[0].removesuffix(":")
    return ended(text if first in COMMANDS or "." in first[:-1] else text[:1].upper() + text[1:])


def ended(text: str) -> str:
    """The text with an end, cut to `LONGEST` characters."""
    if len(text) >= LONGEST:
        return f"{text[: LONGEST - 1]}…"
    return text if text.endswith((".", "?", "!", "…")) else f"{text}."
