"""A page service without a network: its state, and a client that asks it as a browser does."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

from msgspec.structs import replace
from starlette.testclient import TestClient

from clocks import FakeClock
from game.evenings import fact
from pi_bunco.game.facts import Fact
from pi_bunco.game.table import Table
from pi_bunco.head.reasons import Refused
from pi_bunco.reason import Reason
from pi_bunco.table.phones.socket_messages import PhoneState, Tap
from pi_bunco.web.pages import PAGES
from pi_bunco.web.site.app import app
from pi_bunco.web.site.backend import Backend, WebSettings
from pi_bunco.web.site.connections import Connections
from pi_bunco.web.site.effects import CommandDone, WebOptions
from pi_bunco.web.site.login import TableCodes
from pi_bunco.web.site.page_controller import WebController
from pi_bunco.web.site.page_state import SECRET, PageState
from pi_bunco.web.site.phone_link import NotSaved, Phone
from pi_bunco.web.site.server import Endpoint
from pi_bunco.web.site.streams import Reader, Source, Streams
from pi_bunco.wire.address import BrokerAddress
from pi_bunco.wire.messages import Command, HeadStatus

HERE = "http://127.0.0.1:8080"
PIN = "135790"
OPEN = fact("evening", id="e1", rules="gong", players=["Ann", "Bob", "Cat", "Dee"])
SEATS = fact("seating", tables=[["Ann", "Bob", "Cat", "Dee"]])
START = fact("round_open", 1000)


class FakePhone(Phone):
    """A phone table that notes its taps and answers them with `why`."""

    table: Table | None = None
    round = ""
    refused: tuple[Reason, ...] = ()

    def __init__(self) -> None:
        super().__init__(lambda _: asyncio.Future(), PhoneState(1))
        self.name = "a.1"
        self.taps: list[tuple[str, int, str, tuple[int, ...]]] = []
        self.ages: list[int] = []
        self.why: Reason | None = None
        self.away = False

    async def tap(self, tap: Tap) -> Reason | None:
        self.taps.append((tap.boot, tap.seq, tap.what, tap.dice))
        self.ages.append(tap.age)
        if self.away:
            raise NotSaved("away")
        return self.why


class FakeBackend(Backend):
    """The page service without a head."""

    clock: FakeClock

    def __init__(self, folder: Path) -> None:
        place = Endpoint("127.0.0.1", 8080)
        names = ("bunco",)
        key = "k" * 22
        settings = WebSettings(
            BrokerAddress("nowhere", 1), folder, (place,), pin=PIN, names=names, key=key, packages=folder
        )
        super().__init__(settings, FakeClock(1000.0))
        self.controller = WebController(WebOptions(), {}, 0)
        self.phones = {1: FakePhone()}
        self.phone_link.running = self.phones  # type: ignore[assignment]
        self.commands: list[Command] = []
        self._refused = Refused()

    async def ask(self, command: Command) -> CommandDone:
        self.commands.append(command)
        refused = self._refused
        return CommandDone(command.id, not refused.reasons, refused.reasons, refused.leads_to)

    def start_with(self, **settings: object) -> None:
        """The service was started with other settings."""
        self.settings = replace(self.settings, **settings)

    def refuse(self, *reasons: Reason) -> None:
        """The head refuses what comes now."""
        self._refused = Refused(*reasons)

    def take(self, *log: Fact) -> None:
        """The head tells these facts."""
        folded = self.controller.folded
        if not folded.id:
            folded.begin("e1")
        for one in log:
            folded.fold(one)
        self.changes.changed()

    def plays_on_a_phone(self) -> None:
        """A phone is table 1 of the open round."""
        round_ = self.controller.folded.evening.round
        assert round_ is not None
        self.phones[1].table, self.phones[1].round = round_.tables[0], "e1.1"

    def head(self, state: str = "online") -> None:
        """The broker is there, and the head says how it is."""
        self.controller.presences.link(True, self.clock.now())
        self.controller.presences.head_status(HeadStatus(state, "s1"), self.clock.now())  # type: ignore[arg-type]

    def code(self, evening: str = "e1") -> str:
        """The code of table 1."""
        return TableCodes(bytes.fromhex(self.archive.kept[SECRET])).code(evening, 1).digits

    def sources(self) -> PageState:
        """The sources that the API reads."""
        return PageState(self)

    def browser(self, address: str = HERE, client: tuple[str, int] = ("127.0.0.1", 40000)) -> TestClient:
        """A browser at this machine, or at `client`."""
        return TestClient(app(self, PAGES), base_url=address, client=client, follow_redirects=False)


class Look(Reader):
    """A reader of a page without a connection, while it is entered or until the page ends it."""

    def __init__(self, source: Source, drawn: str = "") -> None:
        super().__init__(Streams(Connections()), source, drawn=drawn)
        self.transport = Mock(is_closing=lambda: False)
        self._told: asyncio.Queue[bytes] = asyncio.Queue()
        source.begin(self)

    async def next(self) -> bytes:
        """The next message to it; nothing where the page ended it."""
        return await self._told.get()

    def write(self, data: bytes) -> None:
        self._told.put_nowait(data)

    def end(self) -> None:
        self.source.leave(self)
        self.write(b"")

    def __enter__(self) -> "Look":
        return self

    def __exit__(self, *_error: object) -> None:
        self.source.leave(self)


def backend(folder: Path) -> Iterator[FakeBackend]:
    """One that is closed in the end."""
    made = FakeBackend(folder)
    yield made
    made.close()
