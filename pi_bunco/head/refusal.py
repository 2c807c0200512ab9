"""Why a command cannot be carried out, in sentences for a host."""

from collections.abc import Sequence

from pi_bunco.errors import BuncoError
from pi_bunco.wire.commands import COMMANDS

MOST = 64
"""So many reasons go into one answer."""
LONGEST = 400
"""Characters of a reason."""


class Refused(BuncoError):
    """A command that cannot be carried out; `why` has every reason, each a sentence."""

    def __init__(self, why: Sequence[str]) -> None:
        self.why = sentences(why)
        super().__init__(" ".join(self.why))


def sentences(texts: Sequence[str]) -> tuple[str, ...]:
    """The texts as sentences that fit into an answer; of too many the last says how many are left out."""
    lines = [sentence(text) for text in texts if text]
    if len(lines) <= MOST:
        return tuple(lines)
    return (*lines[: MOST - 1], f"And {len(lines) - MOST + 1} more.")


def sentence(text: str) -> str:
    """The text with a capital letter and an end; the name of a command at its beginning stays as it is."""
    first = text.split(" ", 1)[0].removesuffix(":")
    return ended(text if first in COMMANDS else text[:1].upper() + text[1:])


def ended(text: str) -> str:
    """The text with an end, cut to `LONGEST` characters."""
    if len(text) >= LONGEST:
        return f"{text[: LONGEST - 1]}…"
    return text if text.endswith((".", "?", "!", "…")) else f"{text}."
