"""Logins: the host by a PIN, a limit of wrong ones, sessions; a phone table by its code."""

import hashlib
import hmac
import re
import secrets
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from pi_bunco.web.site.reasons import KeyUsed, NoPin, NotLetIn, WrongEverywhere, WrongPin, WrongTenTimes

PIN_DIGITS = 6
"""Digits of a PIN that is drawn."""
WEB_KEY_VARIABLE = "PI_BUNCO_WEB_KEY"
"""This variable holds what opens the host's page once, for the program that starts the service."""
MAX_TRIES = 10
"""Wrong PINs of one address before it waits; addresses from which is tried meanwhile, at most."""
WAIT_MS = 300_000.0
"""Milliseconds that an address waits after its last try."""
ALL_TRIES = 100
"""Wrong PINs of all addresses together; from then on each has fewer tries, but for this machine itself."""
FEW_TRIES = 3
"""Tries of an address meanwhile: guessing from many gets nowhere, and who knows the PIN comes in."""
SESSION_DAYS = 1.5
MAX_SESSIONS = 50
"""The most sessions that are remembered, the newest."""
_DAY_MS = 86_400_000
CODE_DIGITS = 6
"""Digits of a table's code."""
_PHONE = re.compile(r"[0-9a-f]{16}")


class HostSession(Struct, frozen=True):
    """Somebody who knows the PIN: `token` is the cookie's, `csrf` stands in every form, `by` is the name."""

    token: str
    csrf: str
    by: str


class _Tried(Struct):
    wrong: int = 0
    last: float = 0.0


class Tries:
    """Limit of wrong tries; times are ms. This machine itself is the address `loopback`."""

    def __init__(self) -> None:
        self._tried: dict[str, _Tried] = {}

    def check(self, address: str, now: float) -> None:
        """Raises `NotLetIn` while the address has been wrong too often."""
        self._tried = {one: tried for one, tried in self._tried.items() if now - tried.last < WAIT_MS}
        mine = self._tried.get(address, _Tried())
        if mine.wrong >= MAX_TRIES:
            raise NotLetIn(WrongTenTimes(max(round((WAIT_MS - (now - mine.last)) / 60_000), 1)))
        if mine.wrong >= self._allowed(address):
            raise NotLetIn(WrongEverywhere())

    def wrong(self, address: str, now: float) -> int:
        """Counts a wrong one; how many more the address has."""
        tried = self._tried.setdefault(address, _Tried())
        tried.wrong, tried.last = tried.wrong + 1, now
        return max(self._allowed(address) - tried.wrong, 0)

    def _allowed(self, address: str) -> int:
        many = sum(tried.wrong for tried in self._tried.values()) >= ALL_TRIES
        return FEW_TRIES if many and address != "loopback" else MAX_TRIES

    def right(self, address: str) -> None:
        """Forgets the wrong ones of the address."""
        self._tried.pop(address, None)


class Login:
    """People who may give commands. Times are ms; sessions outlast a restart by the time of day."""

    def __init__(
        self,
        pin: str | None,
        kept: Mapping[str, Any] | None = None,
        key: str | None = None,
        keep: Callable[[dict[str, list[Any]]], None] = lambda _: None,
    ) -> None:
        """`pin` is None where nobody is let in; `kept` are the sessions that `keep` got before a restart.

        `key` opens one session without the PIN, for the program that started this one.
        """
        self._key = key
        self._keep = keep
        self._pin = pin
        self._salt = f"{pin} "
        """A session is one of this PIN: with another one all are void."""
        self._sessions: dict[str, tuple[float, str]] = {
            name: (float(since), str(by)) for name, (since, by) in (kept or {}).items()
        }
        self._tries = Tries()

    def enter(self, pin: str, by: str, address: str, now: float, time_of_day: float) -> HostSession:
        """A new session for whoever types the PIN at `address`; `NotLetIn`."""
        if not self._pin:
            raise NotLetIn(NoPin())
        self._tries.check(address, now)
        if not hmac.compare_digest("".join(pin.split()).encode(), self._pin.encode()):
            left = self._tries.wrong(address, now)
            if not left:
                self._tries.check(address, now)
            raise NotLetIn(WrongPin(left))
        self._tries.right(address)
        return self._begun(by, time_of_day)

    def enter_by_key(self, key: str, time_of_day: float) -> HostSession:
        """A new session for who has the key, which then opens no other one; `NotLetIn`."""
        mine, self._key = self._key, None
        if not mine or not hmac.compare_digest(mine.encode(), key.encode()):
            raise NotLetIn(KeyUsed())
        return self._begun("", time_of_day)

    def _begun(self, by: str, time_of_day: float) -> HostSession:
        token = secrets.token_urlsafe(32)
        self._sessions[self._hashed(token)] = (time_of_day, by)
        for old in sorted(self._sessions, key=lambda one: self._sessions[one][0])[:-MAX_SESSIONS]:
            del self._sessions[old]
        self._keep(self.kept())
        return HostSession(token, self.csrf(token), by)

    def session(self, token: str | None, time_of_day: float) -> HostSession | None:
        """The session that a cookie names, None for a wrong or an old one."""
        known = self._sessions.get(self._hashed(token)) if token else None
        if (
            token is None
            or known is None
            or not 0 <= time_of_day - known[0] + 60_000 <= SESSION_DAYS * _DAY_MS
        ):
            return None
        return HostSession(token, self.csrf(token), known[1])

    def rename(self, token: str, by: str) -> None:
        """Gives the session another name."""
        if known := self._sessions.get(self._hashed(token)):
            self._sessions[self._hashed(token)] = known[0], by
            self._keep(self.kept())

    def leave(self, token: str) -> None:
        """Ends the session."""
        self._sessions.pop(self._hashed(token), None)
        self._keep(self.kept())

    def csrf(self, token: str) -> str:
        """The token of every form of the session."""
        return hmac.new((self._pin or "").encode(), f"form {token}".encode(), "sha256").hexdigest()[:32]

    def kept(self) -> dict[str, list[Any]]:
        """Values for a restart: no token and no PIN can be read from them."""
        return {name: list(one) for name, one in self._sessions.items()}

    def _hashed(self, token: str) -> str:
        return hashlib.sha256((self._salt + token).encode()).hexdigest()


class TableCode(Struct, frozen=True):
    """A table's code for phones: `digits` that somebody types, or the `key` of the picture."""

    digits: str
    key: str


class TableCodes:
    """The codes of an evening, all from one secret of the page's own."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def code(self, evening: str, table: int) -> TableCode:
        """The code of a table on this evening; nobody guesses the key, which has 128 bits."""
        made = self._made("code", evening, table)
        digits = int.from_bytes(made[:8]) % 10**CODE_DIGITS
        return TableCode(f"{digits:0{CODE_DIGITS}d}", made[16:].hex())

    def cookie(self, evening: str, table: int, before: str = "") -> str:
        """The cookie of a phone that has given the code: its name, and that it did.

        A phone keeps the name that its cookie had `before`, so that a tap that it sends again is known.
        """
        known = _PHONE.match(before)
        phone = known[0] if known else secrets.token_hex(8)
        return phone + self._made(f"cookie {phone}", evening, table).hex()

    def phone(self, cookie: str | None, evening: str, table: int) -> str:
        """The name of the phone that has given the code of this evening; "" for none."""
        known = _PHONE.match(cookie or "")
        if known is None or not hmac.compare_digest(
            (cookie or "").encode(), self.cookie(evening, table, known[0]).encode()
        ):
            return ""
        return known[0]

    def right(self, code: str, evening: str, table: int) -> bool:
        """True if `code`, as somebody typed it, is the table's."""
        typed = "".join(code.split())
        return hmac.compare_digest(typed.encode(), self.code(evening, table).digits.encode())

    def right_key(self, key: str, evening: str, table: int) -> bool:
        """True if `key` is that of the table's picture."""
        return hmac.compare_digest(key.encode(), self.code(evening, table).key.encode())

    def _made(self, what: str, evening: str, table: int) -> bytes:
        text = f"{what} {evening} {table}".encode()
        return hmac.new(self._secret, text, hashlib.sha256).digest()
