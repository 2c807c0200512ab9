"""What only this hall knows beside its accounts: the log key, the host's PIN, the Wi-Fi's password."""

from random import Random

from msgspec import Struct

LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""None that is mistaken for another on paper."""
CARD = 10_000
"""Evenings that a head's card counts before it would reach the base of the next one."""
_KEY, _PIN, _PASSWORD = 32, 6, 12


class Secrets(Struct, frozen=True, forbid_unknown_fields=True):
    """`log_key` as 64 hex digits; `heads` is how many cards were made for the head before the present one."""

    log_key: str
    pin: str
    wifi: str = ""
    heads: int = 0

    def __repr__(self) -> str:
        return "Secrets('***')"

    @property
    def log_key_file(self) -> str:
        """The key and the base of the evenings' running number, above which this head's card counts."""
        return f"{self.log_key} {self.heads * CARD}\n"


def drawn(random: Random) -> Secrets:
    """New ones; the password is for a Wi-Fi of the hall's own."""
    return Secrets(
        random.randbytes(_KEY).hex(),
        "".join(random.choices("0123456789", k=_PIN)),
        password(random),
    )


def password(random: Random) -> str:
    """A new one for a Wi-Fi of the hall's own."""
    return "".join(random.choices(LETTERS, k=_PASSWORD))
