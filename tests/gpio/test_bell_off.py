import subprocess
import sys
from pathlib import Path

import gpiod
import pytest

from gpio import fake_rpi_gpio
from gpio.kernel import Kernel
from pi_bunco.cli import main
from pi_bunco.devices.gpio import low
from pi_bunco.devices.pins import shipped

BELL, HORN = (shipped()[name].gpio for name in ("bell", "horn"))


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> Kernel:
    """The header's chip, with both lines as high as a killed head has left them."""
    kernel = Kernel()
    monkeypatch.setattr(gpiod, "Chip", lambda path: kernel)
    monkeypatch.setattr(low, "header", lambda: "/dev/memory")
    for line in range(28):
        kernel.history[line] = [1]
    return kernel


def off(config: Path) -> int:
    return main(["bell", "off", "--config", str(config)])


def lowered(kernel: Kernel) -> set[int]:
    assert not kernel.held
    return {line for line, levels in kernel.history.items() if levels[-1] == 0}


def written(folder: Path, text: str) -> Path:
    file = folder / "pi-bunco.toml"
    file.write_text(text, "utf-8")
    return file


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('bell = "gpio"\n', {BELL, HORN}),
        ('bell = "gpio"\n[pins.bell]\ngpio = 22\n', {22, HORN}),
        ('bell = "gpio"\n[pins.horn]\npin = 15\n', {BELL, 22}),
        ('bell = "gpio"\nhall = "no hall"\ntypo = 1\n[pins.bell]\ngpio = 22\n', {22, HORN}),
        ('bell = "gpio"\n[pins.bell]\ngpio = 2\n[pins.horn]\ngpio = 23\n', {BELL, 23}),
        ('bell = "gpio"\n[pins]\nbell = 22\n', {BELL, HORN}),
        ('bell = "gpio"\npins = 3\ngpio = "abacus"\n', {BELL, HORN}),
        ('bell = "gpio"\n[[pins', {BELL, HORN}),
        ("bell = 3\n", {BELL, HORN}),
        ('bell = "gpio"\n[pins.bell]\nactive = "low"\n', {BELL, HORN}),
    ],
)
def test_both_lines_are_low_whatever_is_wrong_with_the_config(
    kernel: Kernel, tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, lines: set[int]
) -> None:
    assert off(written(tmp_path, text)) == 0
    assert lowered(kernel) == lines
    assert capsys.readouterr().out.startswith("Bell and horn are off: GPIO")


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00"])
def test_the_shipped_lines_are_low_where_there_is_no_config(
    kernel: Kernel, tmp_path: Path, content: bytes | None
) -> None:
    config = tmp_path / "pi-bunco.toml"
    if content is not None:
        config.write_bytes(content)
    assert off(config) == 0
    assert lowered(kernel) == {BELL, HORN}


def test_a_pi_without_a_bell_keeps_its_lines(
    kernel: Kernel, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for text, kind in (
        ("number = 2\n", "virtual"),
        ('bell = "virtual:/tmp/rings"\n', "virtual"),
        ('bell = "sound"\n', "sound"),
        ('bell = "sound:60"\n', "sound"),
    ):
        config = written(tmp_path, text)
        assert off(config) == 0
        assert capsys.readouterr().out == (
            f"There is no relay to switch off: by {config} the bell is {kind}, which has none.\n"
        )
    assert lowered(kernel) == set()


def test_a_line_that_is_taken_is_told_and_the_other_is_low(
    kernel: Kernel, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kernel.others[BELL] = "a clock"
    assert off(tmp_path / "none.toml") == 1
    assert lowered(kernel) == {HORN}
    told = capsys.readouterr()
    assert told.err == (
        f"The bell may still sound: [bell] GPIO{BELL} (header pin 11) is in use by a clock.\n"
    )
    assert not told.out


def test_rpi_gpio_leaves_them_low_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fake = fake_rpi_gpio.installed()
    monkeypatch.setattr(fake, "history", {})
    assert off(written(tmp_path, 'bell = "gpio"\ngpio = "rpigpio"\n')) == 0
    assert fake.history == {BELL: [0], HORN: [0]}
    assert {fake.functions[line] for line in (BELL, HORN)} == {fake.OUT}
    fake.cleanup()


def test_mock_pins_have_nothing_to_be_driven(tmp_path: Path) -> None:
    assert off(written(tmp_path, 'bell = "gpio"\ngpio = "mock"\n')) == 0


def test_on_a_machine_without_a_header_it_says_so_and_does_nothing(tmp_path: Path) -> None:
    for text in ('bell = "gpio"\ngpio = "gpiod:/dev/null"\n', 'bell = "gpio"\ngpio = "gpiod:/nowhere"\n'):
        command = [sys.executable, "-m", "pi_bunco", "bell", "off", "--config", str(written(tmp_path, text))]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (ended.returncode, ended.stdout) == (1, "")
        assert ended.stderr.startswith("The bell may still sound: gpio = gpiod:/")
        assert ended.stderr.count("\n") == 1


def test_bell_off_loads_few_modules() -> None:
    code = "import sys; from pi_bunco.cli import main; main(sys.argv[1:]); print(*sys.modules)"
    command = [sys.executable, "-c", code, "bell", "off", "--config", "/none"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    loaded = set(ended.stdout.split())
    assert "pi_bunco.cli.bell" in loaded
    assert not loaded & {
        "gpiozero",
        "paho",
        "serial",
        "ssl",
        "logging",
        "pi_bunco.config",
        "pi_bunco.cli.serve",
    }
