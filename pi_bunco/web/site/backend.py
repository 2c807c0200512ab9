"""The service that the pages belong to: what it was started with, and its stores."""

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from msgspec import Struct

from pi_bunco.runtime.clock import Clock
from pi_bunco.runtime.store import sound
from pi_bunco.runtime.writer import Reports
from pi_bunco.web.site.changes import Changes, of_phone
from pi_bunco.web.site.connections import Connections
from pi_bunco.web.site.effects import CommandDone
from pi_bunco.web.site.guests import GuestBook
from pi_bunco.web.site.joining import JoiningPis
from pi_bunco.web.site.own_files import OwnFiles
from pi_bunco.web.site.page_controller import WebController
from pi_bunco.web.site.page_store import WebStore
from pi_bunco.web.site.phone_link import PhoneLink
from pi_bunco.web.site.portraits import Portraits
from pi_bunco.web.site.server import Endpoint, address_of
from pi_bunco.web.site.streams import Streams
from pi_bunco.wire.address import BrokerAddress
from pi_bunco.wire.messages import Command

log = logging.getLogger(__name__)
Store = TypeVar("Store")


class WebSettings(Struct, frozen=True):
    """Settings of the page service; `places` are the endpoints, the plain one first.

    The phones' process is at `phones_at`, None where no table is a phone. `names` are those of this machine.
    `wifi` is the code that joins a phone, with the password, "" if it is not known. `key` opens the host's
    page once without the `pin`.
    """

    broker: BrokerAddress
    data: Path
    places: tuple[Endpoint, ...]
    hall: str = "home"
    pin: str | None = None
    wifi: str = ""
    names: tuple[str, ...] = ()
    phones_at: str | None = None
    key: str | None = None
    authority: Path | None = None
    """The socket of who gives accounts to Pis that join, on a head that is a Pi."""
    packages: Path | None = None
    """The folder with the package that tables are to take."""
    vouched: bool = True
    """The certificate was given; one of its own makes every browser warn."""

    @property
    def tls_port(self) -> int | None:
        """The port where HTTPS is served, if it is."""
        return next((place.port for place in self.places if place.cert), None)


class Backend(ABC):
    """The service as its pages see it; `base` is the address that phones reach."""

    controller: WebController

    def __init__(self, settings: WebSettings, clock: Clock) -> None:
        """Opens the stores; a damaged one begins anew."""
        self.settings = settings
        self.clock = clock
        self.base = address_of(settings.places[0])
        self.browsers = Connections()
        self.streams = Streams(self.browsers)
        self.changes = Changes()
        reports = Reports(lambda _: None, lambda why: log.warning("the page's store: %s", why))

        def opened(name: str, kind: Callable[[Path, Reports], Store]) -> Store:
            return sound(settings.data / name, lambda path: kind(path, reports), log.error)

        self.archive = opened("web.db", WebStore)
        self.guests = opened("people.db", GuestBook)
        self.portraits = opened("portraits.db", Portraits)
        self.own_files = OwnFiles(settings.data / "own")
        self.phone_link = PhoneLink(settings.phones_at, lambda number: self.changes.changed(of_phone(number)))
        self.pis = JoiningPis(settings.hall, settings.authority, clock)

    @abstractmethod
    async def ask(self, command: Command) -> CommandDone:
        """The head's answer to a host's command, or why there is none."""

    def close(self) -> None:
        """Has everything on disk."""
        self.archive.close()
        self.guests.close()
        self.portraits.close()
