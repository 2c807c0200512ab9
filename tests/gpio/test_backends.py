"""One contract for every backend: mock, RPi.GPIO, a kernel in memory, and gpio-sim where there is one."""

import queue
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gpiod
import pytest
from gpiozero import LED, Button  # type: ignore[import-untyped]

from gpio import fake_rpi_gpio
from gpio.kernel import Kernel
from gpio.wires import WAIT
from pi_bunco.devices.gpio import Gpio, open_gpio
from pi_bunco.devices.gpio.gpiod import PLAIN_BOARD
from pi_bunco.devices.gpio.low import header
from pi_bunco.devices.pins import Line, shipped
from pi_bunco.devices.protocols import DeviceError
from pi_bunco.runtime.clock import SystemClock

SIMULATED = sorted(Path("/sys/devices/platform").glob("gpio-sim.*/gpiochip*"))
BUTTON, RELAY, RELAY2, STROBE = (shipped()[name] for name in ("panel.ok", "bell", "horn", "dice.strobe1"))


class Bench:
    """An open header, the outside of its lines, and the levels that an output has had."""

    def __init__(
        self, gpio: Gpio, drive: Callable[[int, int], object], history: Callable[[int], list[int]]
    ) -> None:
        self.gpio = gpio
        self.history = history
        self.changes: queue.SimpleQueue[tuple[bool, float]] = queue.SimpleQueue()
        self._drive = drive

    def drive(self, line: Line, on: bool) -> None:
        self._drive(line.gpio, int(on == (line.active == "high")))

    def changed(self, on: bool, at: float) -> None:
        self.changes.put((on, at))

    def next(self) -> tuple[bool, float]:
        return self.changes.get(timeout=WAIT)


def mock_bench(_: pytest.MonkeyPatch) -> Bench:
    gpio = open_gpio("mock", SystemClock())

    def drive(number: int, level: int) -> None:
        pin = gpio.factory.pin(number)
        (pin.drive_high if level else pin.drive_low)()

    return Bench(gpio, drive, lambda number: [int(one.state) for one in gpio.factory.pin(number).states])


def rpigpio_bench(patch: pytest.MonkeyPatch) -> Bench:
    fake = fake_rpi_gpio.installed()
    fake.history.clear()
    patch.setattr("gpiozero.pins.local.get_pi_revision", lambda: PLAIN_BOARD)
    return Bench(open_gpio("rpigpio", SystemClock()), fake.set_input, lambda number: fake.history[number])


def gpiod_bench(patch: pytest.MonkeyPatch, kernel: Kernel | None = None) -> Bench:
    kernel = kernel or Kernel()
    patch.setattr(gpiod, "Chip", lambda path: kernel)
    return Bench(
        open_gpio("gpiod:/dev/memory", SystemClock()), kernel.drive, lambda line: kernel.history[line]
    )


def gpiosim_bench(_: pytest.MonkeyPatch) -> Bench:
    if not SIMULATED:
        pytest.skip("needs a kernel with a gpio-sim chip (28 lines)")
    chip = SIMULATED[0]

    def drive(number: int, level: int) -> None:
        (chip / f"sim_gpio{number}" / "pull").write_text("pull-up" if level else "pull-down")

    def history(number: int) -> list[int]:
        return [int((chip / f"sim_gpio{number}" / "value").read_text())]

    return Bench(open_gpio(f"gpiod:/dev/{chip.name}", SystemClock()), drive, history)


BENCHES = {"mock": mock_bench, "rpigpio": rpigpio_bench, "gpiod": gpiod_bench, "gpio-sim": gpiosim_bench}


@pytest.fixture(params=BENCHES)
def bench(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    opened = BENCHES[request.param](monkeypatch)
    yield opened
    opened.gpio.close()
    assert opened.gpio.alive()  # there is nothing to watch


def test_an_output_is_off_from_its_first_moment_until_it_is_set_and_when_it_is_closed(bench: Bench) -> None:
    relay = bench.gpio.output(RELAY)
    assert set(bench.history(RELAY.gpio)) == {0}
    relay.set(True)
    assert bench.history(RELAY.gpio)[-1] == 1
    relay.set(False)
    relay.set(True)
    relay.close()
    assert bench.history(RELAY.gpio)[-1] == 0


def test_an_active_low_output_is_high_from_its_first_moment(bench: Bench) -> None:
    line = bench.gpio.output(Line("x", 22, 15, "out", active="low"))
    assert set(bench.history(22)) == {1}
    line.set(True)
    assert bench.history(22)[-1] == 0
    line.close()


@pytest.mark.parametrize("line", [BUTTON, STROBE], ids=lambda line: str(line.name))
def test_an_input_rests_at_its_pull_and_tells_its_changes_with_their_time(bench: Bench, line: Line) -> None:
    clock = SystemClock()
    wire = bench.gpio.input(line, bench.changed)
    assert not wire.on()
    for on in (True, False, True):
        before = clock.now()
        bench.drive(line, on)
        told, at = bench.next()
        assert told == on == wire.on()
        assert before - 1 <= at <= clock.now() + 1
    bench.drive(line, False)
    assert bench.next()[0] is False
    wire.close()
    assert bench.changes.empty()


def test_after_its_end_an_input_tells_nothing_and_its_line_can_be_had_again(bench: Bench) -> None:
    bench.gpio.input(BUTTON, bench.changed).close()
    wire = bench.gpio.input(BUTTON, bench.changed)
    bench.drive(BUTTON, True)
    assert bench.next()[0] is True
    bench.drive(BUTTON, False)
    assert bench.next()[0] is False
    wire.close()
    assert bench.changes.empty()


def test_no_exception_of_a_callback_makes_an_input_deaf(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    heard: queue.SimpleQueue[bool] = queue.SimpleQueue()

    def fails(on: bool, _: float) -> None:
        heard.put(on)
        raise ZeroDivisionError

    bad, good = bench.gpio.input(BUTTON, fails), bench.gpio.input(STROBE, bench.changed)
    for on in (True, False):
        bench.drive(BUTTON, on)
        assert heard.get(timeout=WAIT) is on
        bench.drive(STROBE, on)
        assert bench.next()[0] is on
    assert bench.gpio.alive()
    bad.close()
    good.close()
    assert caplog.text.count("what was to happen at a change of GPIO18 failed") == 2


def test_many_changes_come_in_the_order_of_their_time_and_end_at_the_level(bench: Bench) -> None:
    wire = bench.gpio.input(STROBE, bench.changed)
    for n in range(200):
        bench.drive(STROBE, n % 2 == 0)
        if n % 8 == 7:
            bench.drive(STROBE, True)
            on, at = bench.next()
            while not (on and bench.changes.empty() and wire.on()):
                later = bench.next()
                assert later[1] >= at
                on, at = later
            bench.drive(STROBE, False)
            while on or not bench.changes.empty():
                on, at = bench.next()
    wire.close()


def test_gpiozeros_own_devices_work_with_it(bench: Bench) -> None:
    with (
        LED(RELAY2.gpio, pin_factory=bench.gpio.factory) as led,
        Button(BUTTON.gpio, pin_factory=bench.gpio.factory) as button,
    ):
        led.on()
        assert bench.history(RELAY2.gpio)[-1] == 1
        pressed: queue.SimpleQueue[str] = queue.SimpleQueue()
        button.when_pressed = lambda: pressed.put("pressed")
        button.when_released = lambda: pressed.put("released")
        bench.drive(BUTTON, True)
        assert pressed.get(timeout=WAIT) == "pressed"
        assert button.is_pressed
        bench.drive(BUTTON, False)
        assert pressed.get(timeout=WAIT) == "released"


# What only libgpiod can do or get wrong.


def test_a_line_in_use_is_told_with_its_user(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = Kernel()
    kernel.others[RELAY.gpio] = "spi0 CS0"
    gpio = gpiod_bench(monkeypatch, kernel).gpio
    with pytest.raises(DeviceError) as refused:
        gpio.output(RELAY)
    assert "[bell] GPIO17 (header pin 11) cannot be used: " in str(refused.value)
    assert str(refused.value).endswith("cannot be used: it is in use by spi0 CS0")
    gpio.close()


def test_a_pin_takes_no_line_before_it_is_given_a_function(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = Kernel()
    gpio = gpiod_bench(monkeypatch, kernel).gpio
    pin = gpio.factory.pin(10)
    assert pin.function == "input"
    assert not kernel.held
    pin.close()
    gpio.close()


def test_a_change_whose_edge_was_lost_is_found_by_reading_again(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = Kernel()
    bench = gpiod_bench(monkeypatch, kernel)
    wire = bench.gpio.input(STROBE, bench.changed)
    kernel.deaf = True
    kernel.drive(STROBE.gpio, 1)
    assert bench.next()[0] is True
    kernel.deaf = False
    kernel.drive(STROBE.gpio, 0)
    assert bench.next()[0] is False
    wire.close()
    bench.gpio.close()


def test_lines_that_cannot_be_read_for_a_while_are_read_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    kernel = Kernel()
    bench = gpiod_bench(monkeypatch, kernel)
    wire = bench.gpio.input(STROBE, bench.changed)
    failures = iter([True, True])
    read = kernel.held[STROBE.gpio].read_edge_events

    def broken() -> list[Any]:
        if next(failures, False):
            raise OSError(19, "No such device")
        return read()

    kernel.held[STROBE.gpio].read_edge_events = broken  # type: ignore[method-assign]
    kernel.drive(STROBE.gpio, 1)
    assert bench.next()[0] is True
    assert caplog.text.count("the GPIO inputs cannot be read") == 1
    wire.close()
    bench.gpio.close()


# Which backend, and on which machine.


def chip(folder: Path, name: str, compatible: bytes | None) -> None:
    (folder / name).mkdir()
    if compatible is not None:
        (folder / name / "of_node").mkdir()
        (folder / name / "of_node" / "compatible").write_bytes(compatible)


def test_the_headers_chip_is_found_by_what_it_is(tmp_path: Path) -> None:
    chip(tmp_path, "gpiochip0", b"raspberrypi,firmware-gpio\0")
    chip(tmp_path, "gpiochip1", None)
    with pytest.raises(DeviceError, match="no GPIO header"):
        header(tmp_path)
    chip(tmp_path, "gpiochip11", b"raspberrypi,rp1-gpio\0")
    assert header(tmp_path) == "/dev/gpiochip11"
    chip(tmp_path, "gpiochip10", b"brcm,bcm2711-gpio\0brcm,bcm2835-gpio\0")
    assert header(tmp_path) == "/dev/gpiochip10"


@pytest.mark.parametrize("backend", ["lgpio", "", "rpigpio:/dev/x", "mock:x"])
def test_a_backend_that_is_not_known_is_refused(backend: str) -> None:
    with pytest.raises(DeviceError, match="use gpiod, gpiod:PATH, rpigpio or mock"):
        open_gpio(backend, SystemClock())


def test_a_backend_whose_library_is_missing_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(DeviceError, match=r"needs gpiozero and gpiod: install pi-bunco .*\[gpio\]"):
        open_gpio("gpiod", SystemClock())


@pytest.mark.parametrize("backend", ["gpiod", "mock"])
def test_the_gpiozero_of_plain_debian_is_refused(monkeypatch: pytest.MonkeyPatch, backend: str) -> None:
    monkeypatch.setattr("importlib.metadata.version", {"gpiozero": "1.6.2"}.__getitem__)
    with pytest.raises(DeviceError, match=r"needs gpiozero 2, and this machine has 1\.6\.2.*Raspberry Pi OS"):
        open_gpio(backend, SystemClock())


def test_a_chip_that_cannot_be_opened_is_told(tmp_path: Path) -> None:
    with pytest.raises(DeviceError, match=r"cannot be used on this machine: .*No such file"):
        open_gpio(f"gpiod:{tmp_path / 'gpiochip0'}", SystemClock())
    assert "gpio inputs" not in [thread.name for thread in threading.enumerate()]
