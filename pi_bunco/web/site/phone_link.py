"""The phone tables as the page knows them: their process tells how they stand, and takes their taps."""

import asyncio
import contextlib
import secrets
from collections.abc import Callable, Iterator

from msgspec.structs import replace

from pi_bunco.errors import BuncoError
from pi_bunco.game.table import Table
from pi_bunco.reason import Reason
from pi_bunco.table.phones.socket import reached
from pi_bunco.table.phones.socket_messages import (
    AllTold,
    PhonesSeen,
    PhoneState,
    Tap,
    TapAnswer,
    from_phones,
    line,
)
from pi_bunco.table.prediction import Prediction, refusal
from pi_bunco.web.site.reasons import NotThere, PhonesAway
from pi_bunco.words.sentences import received

AGAIN_S = 0.25
"""Seconds between two attempts to reach the phones' process."""
THERE_WITHIN_S = 3.0
"""Seconds in which a phones' process that just starts tells which tables there are."""
SEEN_EVERY_S = 1.0


class NotSaved(BuncoError):
    """The tap is on no disk, as far as is known: the phone keeps it."""


class Phone:
    """A phone table by its newest `state`."""

    def __init__(self, tell: Callable[[Tap], "asyncio.Future[Reason | None]"], state: PhoneState) -> None:
        self._count = 0
        self._link = secrets.token_hex(3)
        self.take(state)
        self._tell = tell
        self._prediction = Prediction(state.table)
        self._seen: PhoneState | None = None

    def take(self, state: PhoneState) -> None:
        """The table is in this state from now on."""
        self.state = state
        self._count += 1
        self.name = f"{self._link}.{self._count}"
        """The name of this state: that of the link, and a number that grows."""

    @property
    def table(self) -> Table | None:
        """The table as the phones' process predicts it, None while no round runs."""
        if self._seen is not self.state:
            self._seen = self.state
            if self.state.view is None:
                self._prediction.no_seat()
            else:
                self._prediction.see(self.state.view)
        return self._prediction.table

    @property
    def round(self) -> str:
        """The name of evening and round, "" before there is one."""
        return self.state.round

    @property
    def refused(self) -> tuple[Reason, ...]:
        """The reasons for which the bell button at this table was refused a moment ago."""
        return refusal(self.state.view)

    async def tap(self, tap: Tap) -> Reason | None:
        """Hands a tap over: None once it is on disk, else why it was refused; `NotSaved` if nobody says."""
        return await self._tell(tap)


class PhoneLink:
    """The link to the phones' process at `place`; `changed` is called with a table that changed.

    `running` are the phone tables that play. While the link is away they stay as they were. A hall without
    phone tables has no such process: `place` is None.
    """

    def __init__(self, place: str | None, changed: Callable[[int], None]) -> None:
        self.running: dict[int, Phone] = {}
        self._place = place
        self._changed = changed
        self._writer: asyncio.StreamWriter | None = None
        self._all_known = asyncio.Event()
        self._answers: dict[int, asyncio.Future[Reason | None]] = {}
        self._count = 0
        self._seen: set[int] = set()
        self._looking: dict[int, int] = {}

    def start(self) -> list[asyncio.Task[None]]:
        """Tasks that keep the link and say which phones are there; each runs for ever."""
        if self._place is None:
            return []
        return [asyncio.create_task(self._keep(self._place)), asyncio.create_task(self._tell_seen())]

    async def _keep(self, place: str) -> None:
        while True:
            with contextlib.suppress(OSError, ValueError):
                reader, self._writer = await reached(place)
                try:
                    await self._listen(reader)
                finally:
                    self._writer.close()
                    self._away()
            await asyncio.sleep(AGAIN_S)

    async def there(self, number: int) -> bool:
        """True for a phone table; `NotThere` while nobody knows because their process is away."""
        if number not in self.running and self._place is not None and not self._all_known.is_set():
            try:
                await asyncio.wait_for(self._all_known.wait(), THERE_WITHIN_S)
            except TimeoutError:
                raise NotThere(PhonesAway(), 503) from None
        return number in self.running

    def seen(self, number: int) -> None:
        """A phone of the table gave a sign of life."""
        self._seen.add(number)

    @contextlib.contextmanager
    def looking(self, number: int) -> Iterator[None]:
        """A phone of the table has the page open meanwhile."""
        self._looking[number] = self._looking.get(number, 0) + 1
        self.seen(number)
        try:
            yield
        finally:
            self._looking[number] -= 1
            if not self._looking[number]:
                del self._looking[number]

    async def _tell_seen(self) -> None:
        while True:
            if seen := tuple(sorted(self._seen | self._looking.keys())):
                with contextlib.suppress(NotSaved):
                    self._write(PhonesSeen(seen))
                    self._seen.clear()
            await asyncio.sleep(SEEN_EVERY_S)

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        known: set[int] = set()
        while words := await reader.readline():
            match message := from_phones.decode(words):
                case PhoneState(number):
                    known.add(number)
                    self._take(message)
                    self._changed(number)
                case TapAnswer(id, english, why):
                    answer = self._answers.pop(id, None)
                    if answer is not None and not answer.done():
                        answer.set_result(received([english], [why])[0] if why else None)
                case AllTold():
                    for number in self.running.keys() - known:
                        del self.running[number]
                        self._changed(number)
                    self._all_known.set()

    def _take(self, state: PhoneState) -> None:
        if phone := self.running.get(state.table):
            phone.take(state)
        else:
            self.running[state.table] = Phone(self._tap, state)

    def _tap(self, tap: Tap) -> "asyncio.Future[Reason | None]":
        self._count += 1
        self._write(replace(tap, id=self._count))
        answer = self._answers[self._count] = asyncio.get_running_loop().create_future()
        return answer

    def _write(self, message: Tap | PhonesSeen) -> None:
        if self._writer is None:
            raise NotSaved("the phones' process is away")
        self._writer.write(line(message))

    def _away(self) -> None:
        """Fails open requests and puts all phones offline: the process is gone."""
        self._writer = None
        self._all_known.clear()
        answers, self._answers = self._answers, {}
        for answer in answers.values():
            if not answer.done():
                answer.set_exception(NotSaved("the phones' process is away"))
        for number, phone in self.running.items():
            phone.take(replace(phone.state, online=False))
            self._changed(number)
