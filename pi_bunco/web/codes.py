"""Who may play at which phone table: a code for each table and evening, a cookie for whoever typed it."""

import hashlib
import hmac
import re
import secrets

DIGITS = 6
"""Digits of a table's code."""
_PHONE = re.compile(r"[0-9a-f]{16}")


class TableCodes:
    """The codes of an evening, all from one secret of the page's own."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def code(self, evening: str, table: int) -> str:
        """The code of a table on this evening."""
        return f"{int.from_bytes(self._made('code', evening, table)[:8]) % 10**DIGITS:0{DIGITS}d}"

    def cookie(self, evening: str, table: int, before: str = "") -> str:
        """What the cookie of a phone holds that has given the code: its name, and that it did.

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
        """Whether `code`, as somebody typed it, is the table's."""
        typed = "".join(code.split())
        return hmac.compare_digest(typed.encode(), self.code(evening, table).encode())

    def _made(self, what: str, evening: str, table: int) -> bytes:
        text = f"{what} {evening} {table}".encode()
        return hmac.new(self._secret, text, hashlib.sha256).digest()
