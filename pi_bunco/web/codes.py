"""Who may play at which phone table: a code for each table and evening, a cookie for whoever typed it."""

import hashlib
import hmac

DIGITS = 6
"""Digits of a table's code."""


class TableCodes:
    """The codes of an evening, all from one secret of the page's own."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def code(self, evening: str, table: int) -> str:
        """The code of a table on this evening."""
        return f"{int.from_bytes(self._made('code', evening, table)[:8]) % 10**DIGITS:0{DIGITS}d}"

    def cookie(self, evening: str, table: int) -> str:
        """What the cookie of a phone holds that has given the code."""
        return self._made("cookie", evening, table).hex()

    def admitted(self, cookie: str | None, evening: str, table: int) -> bool:
        """Whether a phone has given the code of this evening."""
        return cookie is not None and hmac.compare_digest(
            cookie.encode(), self.cookie(evening, table).encode()
        )

    def right(self, code: str, evening: str, table: int) -> bool:
        """Whether `code`, as somebody typed it, is the table's."""
        typed = "".join(code.split())
        return hmac.compare_digest(typed.encode(), self.code(evening, table).encode())

    def _made(self, what: str, evening: str, table: int) -> bytes:
        text = f"{what} {evening} {table}".encode()
        return hmac.new(self._secret, text, hashlib.sha256).digest()
