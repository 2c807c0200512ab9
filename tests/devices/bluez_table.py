"""A table whose dice are read by bleak over D-Bus, while the time stands still until all has come.

`PYTHONPATH=tests python -m devices.bluez_table 10000` throws the dice of each kind as often.
"""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from msgspec.structs import replace

from devices.fake_bluez import FakeBlueZ
from devices.radio_dies import DIES, MODELS
from devices.radio_table import Table, played
from pi_bunco.devices.protocols import DICE
from pi_bunco.devices.throws import radio_links
from pi_bunco.devices.throws.radio_dice import FaceClaimed, Identified, Said
from pi_bunco.devices.throws.radio_links import RadioDice

ADDRESSES = {die: f"C4:00:00:00:00:0{die}" for die in DICE}
_SCAN_S = 0.3
_PATIENCE_S = 60.0


class BluezTable(Table):
    """The same dice at links of bleak's; `steps` counts what the reader of the dice has done."""

    boot = "bluez"

    def __init__(self, word: str, seed: int, bluez: FakeBlueZ) -> None:
        super().__init__(word, seed)
        self._time = 0.0
        self._bluez = bluez
        self._up = dict.fromkeys(DICE, False)
        self._known = set[int]()
        """Dice that said what they are."""
        self._steps = dict.fromkeys(("notified", "read", "to ask", "asked", "looked", "clients"), 0)
        self._changed = threading.Condition()
        self._model = MODELS[word]
        bluez.question = self._question
        put: Callable[[Any], None] = self.told.append
        model = replace(self._model, read=self._read)
        self.reader = RadioDice(model, ADDRESSES.values(), put, self, self._client)

    def now(self) -> float:
        """The time, for the reader: it looks at it whenever it does something."""
        self._note("looked")
        return self._time

    def tick(self, at: float) -> None:
        if at != self._time:
            self._time = at
            self._until_looked()

    def take(self, die: int, data: bytes, at: float) -> None:
        if self._up[die]:
            said = self._model.read(data)
            if isinstance(said, Identified):
                self._known.add(die)
            if isinstance(said, FaceClaimed) and die in self._known:
                self._note("to ask")
            self._note("notified")
            self._bluez.notify(ADDRESSES[die], data)
            self._until_read()

    def link(self, die: int, at: float) -> None:
        if not self._up[die]:
            self._up[die] = True
            self._note("to ask", 2 if self._model.identify else 1)
            self._bluez.come_back(ADDRESSES[die])
            self._until_read()

    def unlink(self, die: int, at: float) -> None:
        if self._up[die]:
            self._up[die] = False
            self._known.discard(die)
            before = self._steps["clients"]
            self._bluez.break_link(ADDRESSES[die], away=True)
            self._until(lambda: self._steps["clients"] > before)

    def _question(self, address: str, question: bytes) -> None:
        die = next(die for die in DICE if ADDRESSES[die] == address)
        self.asked(die, question, self._time)
        self._note("asked")

    def _read(self, data: bytes) -> Said | None:
        self._note("read")
        return self._model.read(data)

    def _client(self, address: str, broken: Callable[[Any], None]) -> Any:
        from bleak import BleakClient

        self._note("clients")
        return BleakClient(address, disconnected_callback=broken, timeout=_SCAN_S)

    def _until_read(self) -> None:
        steps = self._steps
        self._until(lambda: steps["read"] == steps["notified"] and steps["asked"] == steps["to ask"])

    def _until_looked(self) -> None:
        before = self._steps["looked"]
        self._until(lambda: self._steps["looked"] > before + 1)

    def _note(self, step: str, times: int = 1) -> None:
        with self._changed:
            self._steps[step] += times
            self._changed.notify()

    def _until(self, done: Callable[[], bool]) -> None:
        with self._changed:
            assert self._changed.wait_for(done, _PATIENCE_S), self._steps


@contextmanager
def at_bluez(word: str, seed: int, folder: Path) -> Iterator[BluezTable]:
    """A table whose dice are read, and all of them out of reach."""
    with FakeBlueZ(folder, {address: DIES[word]() for address in ADDRESSES.values()}) as bluez:
        for address in ADDRESSES.values():
            bluez.break_link(address, away=True)
        fast = patch.multiple(radio_links, AGAIN_AFTER_S=0.0, TICK_S=0.0005, BATTERY_EVERY_S=1e6)
        with fast, patch.dict("os.environ", bluez.env):
            table = BluezTable(word, seed, bluez)
            table.reader.start()
            with closing(table.reader):
                yield table


def main(throws: int) -> int:
    """Prints the counts of each kind of dice; 1 if a throw was wrong or came twice."""
    bad = 0
    for word in DIES:
        with TemporaryDirectory() as folder, at_bluez(word, 1, Path(folder)) as table:
            count = played(table, throws)
        print(word, count, flush=True)
        bad += count.wrong + count.double
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
