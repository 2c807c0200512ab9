import queue
from typing import Any

import gpiod
import pytest

from cli import processes
from clocks import FakeClock
from gpio.kernel import Kernel
from gpio.wires import WAIT, Board
from pi_bunco.devices.gpio import open_gpio
from pi_bunco.devices.gpio.decoding import Decoding
from pi_bunco.devices.kinds import DICE_KINDS, DISPLAY_KINDS, Hardware, Setup
from pi_bunco.devices.panel.buttons import gpio_panel
from pi_bunco.devices.pins import shipped
from pi_bunco.devices.protocols import DeviceError, Press, Stuck
from pi_bunco.runtime.clock import SystemClock
from pi_bunco.wire.broker import Broker

OK = Press("ok", 5000, 5)


class Table:
    """A panel at mock pins, and what it reports."""

    def __init__(self) -> None:
        self.board = Board(FakeClock(1000))
        self.told: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.panel: Decoding[Press | Stuck] = gpio_panel(
            self.board.gpio, shipped(), self.told.put, self.board.clock
        )

    def assert_next_is_ok(self) -> None:
        """Presses OK at 5000 ms: nothing is reported before that, and nothing late behind it."""
        self.board.clock.time = 5000
        self.board.press("panel.ok")
        assert self.told.get(timeout=WAIT) == OK


@pytest.fixture
def table() -> Any:
    table = Table()
    yield table
    table.panel.close()
    assert not table.panel.alive()
    assert table.told.empty()


def test_presses_are_told_with_the_time_of_their_first_edge(table: Table) -> None:
    table.panel.start()
    assert table.panel.alive()
    for name in ("one", "help", "bunco"):
        at = table.board.clock.time
        table.board.press(f"panel.{name}", 30)
        assert table.told.get(timeout=WAIT) == Press(name, at, 5)
    table.assert_next_is_ok()


def test_a_button_that_is_down_when_the_service_starts_is_no_press(table: Table) -> None:
    table.board.drive("panel.one", True)
    table.panel.start()
    table.board.clock.time = 4000
    table.board.drive("panel.one", False)
    table.assert_next_is_ok()


def test_a_late_thread_takes_no_spike_for_a_press(table: Table) -> None:
    pin = table.board.pin("panel.one")
    back = table.board.gpio.factory.ticks() + 0.003
    table.board.drive("panel.one", True)
    pin._state = True  # the line has gone back, and its edge is under way
    table.board.clock.advance(500)
    table.panel._take([])
    assert table.told.empty()
    pin.when_changed(back, 1)
    table.panel._take([])
    table.panel.start()
    table.assert_next_is_ok()


def test_a_change_that_nobody_told_is_believed_after_a_while(table: Table) -> None:
    table.panel.start()
    table.board.drive("panel.one", True)
    table.board.clock.advance(100)
    assert table.told.get(timeout=WAIT) == Press("one", 1000, 5)
    table.board.pin("panel.one")._state = True
    table.board.clock.time = 20_000
    assert table.told.get(timeout=WAIT) == Stuck("one", True)
    table.board.clock.time = 30_000
    assert table.told.get(timeout=WAIT) == Stuck("one", False)


def test_a_line_that_cannot_be_had_leaves_no_other_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = Kernel()
    kernel.others[shipped()["panel.help"].gpio] = "w1"
    monkeypatch.setattr(gpiod, "Chip", lambda path: kernel)
    gpio = open_gpio("gpiod:/dev/memory", SystemClock())
    with pytest.raises(DeviceError, match=r"\[panel.help\] GPIO4 \(header pin 7\) .* in use by w1"):
        gpio_panel(gpio, shipped(), print, SystemClock())
    assert not kernel.held
    gpio.close()


def test_an_encoding_or_a_display_that_is_not_known_is_refused() -> None:
    header = Hardware(FakeClock(), "mock", encoding="morse", display="crt")
    with pytest.raises(DeviceError, match="encoding = 'morse' is not known; use bus or led7"):
        DICE_KINDS.open("gpio", Setup(header))
    with pytest.raises(DeviceError, match="display = 'crt' is not known; use none, sh1106 or ssd1306"):
        DISPLAY_KINDS.open(header.display, Setup(header))


def test_a_display_without_its_library_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(DeviceError, match=r"display = ssd1306 needs luma: .*\[display\]"):
        DISPLAY_KINDS.open("ssd1306", Setup(Hardware(FakeClock())))


def test_services_with_gpio_start_and_end(broker: Broker, tmp_path: Any) -> None:
    everything = ("--gpio", "mock", "--dice", "gpio", "--panel", "gpio", "--lights", "gpio")
    with (
        processes.head(broker, tmp_path / "head", "--gpio", "mock", "--bell", "gpio") as head,
        processes.table(broker, tmp_path / "table", 1, *everything) as table,
    ):
        assert head.ready() == f"ready: head, broker {broker.address}\n"
        assert table.ready() == f"ready: table 1, broker {broker.address}\n"
        assert (table.terminate(), head.terminate()) == ((0, ""), (0, ""))
