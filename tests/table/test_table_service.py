"""The shell of the table service: whose outbox it takes, and where it runs."""

import subprocess
import sys
from pathlib import Path

from clocks import FakeClock
from disks import Told
from pi_bunco.devices.lights.display import NoLights
from pi_bunco.devices.protocols import Put, ThrowMark
from pi_bunco.devices.virtual import VirtualDice, VirtualPanel
from pi_bunco.game.facts import Rolled
from pi_bunco.runtime.loop import Health
from pi_bunco.table.service import Devices, TableService, TableSettings
from pi_bunco.wire.address import BrokerAddress
from pi_bunco.wire.outbox import Outbox, OutboxFile


def service(folder: Path, number: int) -> TableService:
    clock = FakeClock(1000.0)

    def devices(put: Put, _mark: ThrowMark | None) -> Devices:
        return Devices(VirtualDice(put, clock), VirtualPanel(put, clock), NoLights())

    return TableService(TableSettings(BrokerAddress("127.0.0.1", 9), folder, number), clock, devices)


def roll(outbox: Outbox) -> None:
    outbox.append(evening="e1", epoch=1, err=1.0, up=1, boot="b", fact=Rolled((1, 2, 3)))


def test_an_old_card_under_another_number_sends_nothing_of_the_table_that_it_was(tmp_path: Path) -> None:
    two = service(tmp_path, 2)
    roll(two.controller.outbox)
    two.close()
    three = service(tmp_path, 3)
    assert len(three.controller.outbox) == 0
    three.close()
    aside = OutboxFile(tmp_path / "outbox.db.table2-1", Told().reports, 0)
    assert len(aside) == 1
    aside.close()
    again = service(tmp_path, 3)
    assert len(list(tmp_path.glob("outbox.db.table*-1"))) == 1
    again.close()


def test_throws_of_another_number_are_named_and_taken_up_again_under_it(tmp_path: Path) -> None:
    """Trace: table 2 rolls without a link; the numbers of two Pis are swapped, and swapped back."""
    two = service(tmp_path, 2)
    roll(two.controller.outbox)
    two.close()
    three = service(tmp_path, 3)
    roll(three.controller.outbox)
    roll(three.controller.outbox)
    health = next(one for one in iter(three.inbox.get_nowait, None) if isinstance(one, Health))
    assert health.faults[0].startswith("has 1 throws or presses on its card that were made as table 2")
    three.close()
    for number, facts in ((2, 1), (3, 2), (2, 1)):
        again = service(tmp_path, number)
        assert len(again.controller.outbox) == facts
        again.close()


def test_the_same_number_goes_on_with_its_outbox(tmp_path: Path) -> None:
    before = service(tmp_path, 2)
    roll(before.controller.outbox)
    before.close()
    after = service(tmp_path, 2)
    assert len(after.controller.outbox) == 1
    after.close()


ELSEWHERE = """
import sys
for name in ("fcntl", "termios", "pty", "tty", "pwd", "grp", "resource", "gpiod", "serial"):
    sys.modules[name] = None  # importing it fails
import os, time, paho.mqtt.client
sys.platform = "darwin"
del os.geteuid, time.CLOCK_BOOTTIME, time.clock_gettime
import pi_bunco.table.service
from pi_bunco.runtime.clock import SystemClock
assert SystemClock().now() <= SystemClock().now()
import pi_bunco.devices.virtual
"""


def test_a_table_can_be_had_where_there_is_no_posix() -> None:
    """A phone's table runs inside the web service, on Windows and macOS too."""
    done = subprocess.run([sys.executable, "-c", ELSEWHERE], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
