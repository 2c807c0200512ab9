"""The page and the phones' process over a real socket: taps in, answers and states out."""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from pi_bunco.errors import BuncoError
from pi_bunco.reason import Coded
from pi_bunco.table.phones import socket
from pi_bunco.table.phones.socket import PageLinks, reached
from pi_bunco.table.phones.socket_messages import (
    AllTold,
    PhonesSeen,
    PhoneState,
    Tap,
    TapAnswer,
    from_phones,
    line,
)
from pi_bunco.table.reasons import TapWithoutRound
from pi_bunco.web.site.phone_link import NotSaved, PhoneLink
from pi_bunco.web.site.reasons import NotThere

TAP = Tap(1, "a7c1", 5, "two")


class Phones:
    """A phones' process that says what the test makes it say; `taps` and `seen` are what came."""

    def __init__(self, place: str) -> None:
        self.states = [PhoneState(1, online=True), PhoneState(2)]
        self.taps: asyncio.Queue[Tap] = asyncio.Queue()
        self.seen: asyncio.Queue[PhonesSeen] = asyncio.Queue()
        self.links = PageLinks(place, self._take, lambda: self.states)

    def _take(self, message: Tap | PhonesSeen) -> None:
        if isinstance(message, Tap):
            self.taps.put_nowait(message)
        else:
            self.seen.put_nowait(message)


class Page:
    """A page whose changes can be waited for."""

    def __init__(self, place: str) -> None:
        self.changes: asyncio.Queue[int] = asyncio.Queue()
        self.link = PhoneLink(place, self.changes.put_nowait)

    async def changed(self, *numbers: int) -> None:
        """Each of these tables has changed."""
        wanted = set(numbers)
        while wanted:
            wanted.discard(await self.changes.get())


def played(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(asyncio.wait_for(work(), 60))


def test_a_tap_is_answered_by_the_phones_process(tmp_path: Path) -> None:
    place = str(tmp_path / "meet")

    async def evening() -> None:
        phones, page = Phones(place), Page(place)
        await phones.links.listen()
        work = page.link.start()
        assert await page.link.there(1)
        assert not await page.link.there(3)
        assert sorted(page.link.running) == [1, 2]
        one, two = (asyncio.create_task(page.link.running[1].tap(TAP)) for _ in range(2))
        first, second = [await phones.taps.get() for _ in range(2)]
        why = TapWithoutRound()
        phones.links.answer(TapAnswer(second.id, why.english(), Coded.of(why), second.page))
        phones.links.answer(TapAnswer(first.id, page=first.page))
        assert (await one, await two) == (None, why)
        phones.links.tell(PhoneState(2, unsent=4))
        while page.link.running[2].state.unsent != 4:
            await page.changed(2)
        for task in work:
            task.cancel()
        await phones.links.close()

    played(evening)


def test_a_phones_process_that_dies_leaves_no_tap_waiting_and_is_found_again(tmp_path: Path) -> None:
    place = str(tmp_path / "meet")

    async def evening() -> None:
        phones, page = Phones(place), Page(place)
        work = page.link.start()
        await phones.links.listen()
        await page.changed(1, 2)
        tap = asyncio.create_task(page.link.running[1].tap(TAP))
        await phones.taps.get()
        await phones.links.close()
        with pytest.raises(NotSaved):
            await tap
        with pytest.raises(NotSaved):
            await page.link.running[1].tap(TAP)
        assert not page.link.running[1].state.online
        again = Phones(place)
        again.states = [PhoneState(1, online=True)]
        await again.links.listen()
        while sorted(page.link.running) != [1]:
            await page.changes.get()
        back = page.link.running[1].state
        assert back.online
        tap = asyncio.create_task(page.link.running[1].tap(TAP))
        late = await again.taps.get()
        again.links.answer(TapAnswer(late.id, page=late.page))
        assert await tap is None
        for task in work:
            task.cancel()
        await again.links.close()

    played(evening)


def test_while_nobody_knows_which_tables_are_phones_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pi_bunco.web.site.phone_link.THERE_WITHIN_S", 0.0)

    async def evening() -> None:
        with pytest.raises(NotThere, match="just starting"):
            await Page(str(tmp_path / "meet")).link.there(1)

    played(evening)


def test_a_hall_without_phone_tables_keeps_no_link() -> None:
    async def evening() -> None:
        link = PhoneLink(None, print)
        assert link.start() == []
        assert not await link.there(1)

    played(evening)


def test_the_tables_whose_phones_are_there_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pi_bunco.web.site.phone_link.SEEN_EVERY_S", 0.0)
    place = str(tmp_path / "meet")

    async def evening() -> None:
        phones, page = Phones(place), Page(place)
        await phones.links.listen()
        work = page.link.start()
        await page.changed(1)
        with page.link.looking(2), page.link.looking(2):
            page.link.seen(1)
            first = await phones.seen.get()
            assert set(first.tables) == {1, 2}
            assert await phones.seen.get() == PhonesSeen((2,))
        while not phones.seen.empty():
            phones.seen.get_nowait()
        for task in work:
            task.cancel()
        await phones.links.close()

    played(evening)


def test_a_place_that_others_can_reach_has_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(socket.PHONES_KEY_VARIABLE, raising=False)

    async def evening() -> None:
        with pytest.raises(BuncoError, match="could be reached by anybody"):
            await Phones("127.0.0.1:1").links.listen()
        monkeypatch.setenv(socket.PHONES_KEY_VARIABLE, "right")
        with pytest.raises(BuncoError, match="cannot be listened at"):
            await Phones("192.0.2.1:9").links.listen()
        phones = Phones("127.0.0.1:0")
        await phones.links.listen()
        server = phones.links._server
        assert server is not None
        port = server.sockets[0].getsockname()[1]
        reader, writer = await reached(f"127.0.0.1:{port}")
        assert b'"state"' in await reader.readline()
        writer.close()
        monkeypatch.setenv(socket.PHONES_KEY_VARIABLE, "wrong")
        reader, writer = await reached(f"127.0.0.1:{port}")
        monkeypatch.setenv(socket.PHONES_KEY_VARIABLE, "right")
        assert await reader.readline() == b""
        writer.close()
        await phones.links.close()

    played(evening)


def test_a_page_that_is_busy_is_told_the_newest_of_each_table_and_every_answer(tmp_path: Path) -> None:
    place, taps = str(tmp_path / "meet"), range(1, 4_001)

    async def evening() -> None:
        phones = Phones(place)
        phones.states = [PhoneState(1)]
        await phones.links.listen()
        reader, writer = await reached(place)
        assert await reader.readline() == line(PhoneState(1))
        assert await reader.readline() == line(AllTold())
        writer.write(line(TAP))
        page = (await phones.taps.get()).page
        for tap in taps:
            phones.links.tell(PhoneState(1, unsent=tap, dice=(6,) * 1000))
            phones.links.answer(TapAnswer(tap, page=page))
            await asyncio.sleep(0)
        told, answered = list[int](), list[int]()
        while len(answered) < len(taps) or told[-1] != taps[-1]:
            match from_phones.decode(await reader.readline()):
                case PhoneState(unsent=unsent):
                    told.append(unsent)
                case TapAnswer(id):
                    answered.append(id)
                    assert told[-1] >= id, "the phone's page is as new as the answer"
        assert answered == list(taps)
        assert told == sorted(told)
        assert len(told) < len(taps)
        writer.close()
        await phones.links.close()

    played(evening)
