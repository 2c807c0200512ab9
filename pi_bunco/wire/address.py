"""The broker's places and the user to go there as, from what a host writes into the config."""

import re
import ssl
from typing import Any, Self

from msgspec import Struct
from msgspec.structs import replace

from pi_bunco.errors import BuncoError

PORT = 1883
_PLACE = re.compile(r"(?:\[(?P<six>[0-9A-Fa-f:.%\w]+)\]|(?P<host>[^\s:/\[\]]+))(?::(?P<port>[0-9]{1,5}))?")


class AddressError(BuncoError, ValueError):
    """A broker address that cannot be used; the text says how one looks."""


class BrokerAddress(Struct, frozen=True):
    """A broker's host and port, or the path of its unix socket as `host`; `ca`, `cert`, `key` are files.

    `ca` asks for TLS and signs the broker; `cert` and `key` are this node's own. `name` is the one in the
    broker's certificate where that is not `host`, so that a broker may move to another address. `others` are
    places, `HOST:PORT`, at which the same broker may be found where this one leads nowhere.
    """

    host: str
    port: int = PORT
    unix: bool = False
    user: str | None = None
    password: str | None = None
    ca: str | None = None
    cert: str | None = None
    key: str | None = None
    name: str | None = None
    others: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if (self.cert is None) != (self.key is None) or (self.cert and not self.ca):
            raise AddressError("a certificate of this node needs three files: ca, cert and key")
        if self.password is not None and self.user is None:
            raise AddressError("a password needs a user")
        if self.name and not self.ca:
            raise AddressError("a name to be found in the broker's certificate needs the file ca")

    @classmethod
    def parse(
        cls,
        text: str,
        *,
        user: str | None = None,
        password: str | None = None,
        ca: str | None = None,
        cert: str | None = None,
        key: str | None = None,
        name: str | None = None,
    ) -> Self:
        """The address `HOST:PORT`, `HOST` (port 1883) or `unix:PATH`; `AddressError` on anything else.

        Several with commas are places of one broker.
        """
        first, *others = [text] if text.startswith("unix:") else text.split(",")
        host, port, unix = _place(first)
        address = cls(host, port, unix, user, password, ca, cert, key, name, tuple(others))
        if any(place.unix for place in address.places()[1:]):
            raise AddressError(f"{text!r} is no broker address: unix:/PATH stands alone")
        return address

    def places(self) -> tuple[Self, ...]:
        """Each place of this broker by itself, in the order in which they are tried; `AddressError`."""
        return replace(self, others=()), *map(self.at, self.others)

    def at(self, place: str) -> Self:
        """The same broker at another `HOST:PORT`, of which its certificate knows nothing; `AddressError`."""
        host, port, unix = _place(place)
        name = self.ca and (self.name or self.host)
        return replace(self, host=host, port=port, unix=unix, name=name, others=())

    def tls(self) -> ssl.SSLContext | None:
        """TLS from the files as they are now, None for a plain link; `AddressError` names unusable files."""
        if self.ca is None:
            return None
        files = self.ca
        try:
            context = _context(self.ca, self.name)
            if self.cert:
                files = f"{self.cert} and {self.key}"
                context.load_cert_chain(self.cert, self.key)
        except OSError as error:
            raise AddressError(f"{files}: {error.strerror or error}") from error
        return context

    def __repr__(self) -> str:
        return f"BrokerAddress({self})"  # without the password

    def __str__(self) -> str:
        if self.unix:
            return f"unix:{self.host}"
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


class _Named(ssl.SSLContext):
    """TLS that looks for `name` in the certificate, whatever address the broker was reached at."""

    name: str

    def wrap_socket(self, *args: Any, **more: Any) -> ssl.SSLSocket:
        """As `SSLContext.wrap_socket`, for the name instead of the address."""
        return super().wrap_socket(*args, **(more | {"server_hostname": self.name}))


def _context(ca: str, name: str | None) -> ssl.SSLContext:
    if name is None:
        return ssl.create_default_context(cafile=ca)
    context = _Named(ssl.PROTOCOL_TLS_CLIENT)  # checks certificate and name
    context.name = name
    context.load_verify_locations(ca)
    return context


def _place(text: str) -> tuple[str, int, bool]:
    scheme, _, path = text.partition(":")
    if scheme == "unix" and path.startswith("/"):
        return path, PORT, True
    found = _PLACE.fullmatch(text)
    port = int(found["port"] or PORT) if found else 0
    if found is None or scheme == "unix" or not 0 < port < 65536:
        raise AddressError(f"{text!r} is no broker address: HOST:PORT or unix:/PATH is")
    return found["six"] or found["host"], port, False
