"""Phone tables start beside the loop, and whoever asks for one that is coming waits for it."""

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from clocks import FakeClock
from pi_bunco.runtime.clock import Clock
from pi_bunco.runtime.store import StoreError
from pi_bunco.table.service import TableSettings
from pi_bunco.web.site.phone_tables import PhoneTables
from pi_bunco.web.site.reasons import NotThere
from pi_bunco.wire.address import BrokerAddress


class Slow:
    """A phone whose files open only once the test lets them."""

    open = threading.Event()

    def __init__(self, settings: TableSettings, _clock: Clock, _changed: Callable[[], None]) -> None:
        assert self.open.wait(30)
        if settings.number == 2:
            raise StoreError("the card is broken")
        self.works = False

    def start(self) -> None:
        self.works = True

    def stop(self) -> None:
        self.works = False


def test_phones_start_without_holding_up_the_pages(tmp_path: Path) -> None:
    broker = BrokerAddress.parse("127.0.0.1:1")
    settings = [TableSettings(broker, tmp_path / str(n), n) for n in (1, 2, 3, 4)]
    Slow.open.clear()
    changes: list[int] = []
    tables = PhoneTables(settings, FakeClock(), lambda: changes.append(1), Slow)  # type: ignore[arg-type]

    async def evening() -> list[bool | BaseException]:
        tables.want(3)
        assert not tables.running
        asked = [asyncio.create_task(tables.there(number)) for number in (1, 2, 3, 4)]
        await asyncio.sleep(0)
        assert not tables.running
        Slow.open.set()
        answers = list(await asyncio.gather(*asked, return_exceptions=True))
        tables.want(3)
        await tables.stop()
        return answers

    one, two, three, four = asyncio.run(evening())
    assert (one, three, four) == (True, True, False)
    assert isinstance(two, NotThere)
    assert "Table 2 cannot be a phone now" in two.detail
    assert sorted(tables.running) == [1, 3]
    assert len(changes) == 3
    tables.close()


class Crowded(Slow):
    """A phone for whose threads there is no room."""

    def start(self) -> None:
        raise RuntimeError("can't start new thread")


def test_a_phone_without_room_for_its_threads_is_told_and_holds_up_no_other(tmp_path: Path) -> None:
    settings = [TableSettings(BrokerAddress.parse("127.0.0.1:1"), tmp_path / str(n), n) for n in (1, 3)]
    Slow.open.set()
    tables = PhoneTables(settings, FakeClock(), lambda: None, Crowded)  # type: ignore[arg-type]

    async def evening() -> list[bool | BaseException]:
        tables.want(3)
        asked = [tables.there(number) for number in (1, 3)]
        return list(await asyncio.gather(*asked, return_exceptions=True))

    for failed in asyncio.run(evening()):
        assert isinstance(failed, NotThere)
        assert failed.status_code == 503


def test_the_service_may_end_while_phones_start(tmp_path: Path) -> None:
    settings = [TableSettings(BrokerAddress.parse("127.0.0.1:1"), tmp_path / "1", 1)]
    tables = PhoneTables(settings, FakeClock(), lambda: None, Slow)  # type: ignore[arg-type]
    Slow.open.clear()

    async def evening() -> None:
        tables.want(1)
        await asyncio.sleep(0)
        asyncio.get_running_loop().call_later(0, Slow.open.set)
        await tables.stop()

    asyncio.run(evening())
    assert not tables.running


class Kept:
    """A phone that has some facts left to send."""

    made: ClassVar[list["Kept"]] = []

    def __init__(self, settings: TableSettings, _clock: Clock, _changed: Callable[[], None]) -> None:
        self.unsent = 3 if settings.number == 2 else 0
        self.did: list[str] = []
        self.made.append(self)

    def start(self) -> None:
        self.did.append("start")

    def stop(self) -> None:
        self.did.append("stop")


def test_a_table_that_is_no_phone_any_more_sends_what_it_kept(tmp_path: Path) -> None:
    left = [TableSettings(BrokerAddress.parse("127.0.0.1:1"), tmp_path / str(n), n) for n in (2, 3)]
    Kept.made.clear()
    tables = PhoneTables([], FakeClock(), lambda: None, Kept, left)  # type: ignore[arg-type]

    async def evening() -> None:
        tables.send_rest()
        while len(Kept.made) < 2 or not Kept.made[1].did:
            await asyncio.sleep(0)
        assert [phone.did for phone in Kept.made] == [["start"], ["stop"]]  # one of them had nothing left
        tables.look()
        assert sorted(tables.leaving) == [2]
        assert not tables.running
        Kept.made[0].unsent = 0
        tables.look()
        assert not tables.leaving
        await tables.stop()

    asyncio.run(evening())
    assert Kept.made[0].did == ["start", "stop"]
