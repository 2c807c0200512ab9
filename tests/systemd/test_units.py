import re
import subprocess
import tomllib
from collections.abc import Iterator
from configparser import ConfigParser
from pathlib import Path

import pytest

from pi_bunco.devices.pins import shipped

UNITS = Path(__file__).parents[2] / "systemd"
SERVICES = sorted(UNITS.glob("*.service"))
MOST = 1.9
"""The exposure that `systemd-analyze security` may find; it has one decimal, and 2.0 is too much."""
SPI = {7, 8, 9, 10, 11}
I2C = {2, 3}
LONGEST_S = 15
"""The longest time that the Pi's watchdog can count."""

pytestmark = pytest.mark.system("systemd-analyze")


def analyze(*arguments: str | Path, units: Path | None = None) -> subprocess.CompletedProcess[str]:
    path = {"SYSTEMD_UNIT_PATH": f"{units}:", "PATH": "/usr/bin:/bin"} if units else None
    command = ["systemd-analyze", "--no-pager", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=path)


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """The units with a program that is there in the place of those that a Pi has."""
    for unit in [*SERVICES, *UNITS.glob("*.socket")]:
        text = re.sub(r"(?m)^(Exec\w+=[+-]*)/\S+", r"\1/bin/true", unit.read_text("utf-8"))
        (tmp_path / unit.name).write_text(text, "utf-8")
    return tmp_path


def test_systemd_has_nothing_to_say_against_the_units(copied: Path) -> None:
    verified = analyze("verify", *copied.iterdir(), units=copied)
    assert (verified.stdout, verified.stderr, verified.returncode) == ("", "", 0)


def test_misspelt_unit_setting_is_found(copied: Path) -> None:
    unit = copied / SERVICES[0].name
    unit.write_text(unit.read_text("utf-8").replace("Type=", "Tpye="), "utf-8")
    assert "Tpye" in analyze("verify", unit, units=copied).stderr


def test_no_partition_that_is_slow_or_damaged_ends_the_start_of_the_image() -> None:
    """Seen in QEMU on a loaded machine: the boot partition took 90 s, and the Pi stood in a locked shell."""
    lines = re.findall("(?m)^[^#].*", (UNITS / "image.d/fstab").read_text("utf-8"))
    mounts = {place: (kind, options.split(",")) for _, place, kind, options, *_ in map(str.split, lines)}
    assert mounts.pop("/")[1] == ["ro", "noatime"]
    on_card = {place: options for place, (kind, options) in mounts.items() if kind != "tmpfs"}
    assert len(on_card) == 4
    for place, options in on_card.items():
        assert "nofail" in options, place
        assert "bind" in options or "x-systemd.device-timeout=10min" in options, place


@pytest.mark.parametrize("unit", SERVICES, ids=lambda unit: str(unit.stem))
def test_little_of_the_machine_is_exposed_to_a_service(unit: Path) -> None:
    looked = analyze("security", "--offline=true", f"--threshold={MOST * 10:.0f}", unit)
    found = re.search(r"exposure level for \S+: (\S+)", looked.stdout)
    assert found
    assert float(found[1]) <= MOST
    assert looked.returncode == 0, looked.stdout


@pytest.mark.parametrize(
    "unit",
    [
        one
        for one in SERVICES
        if "[Install]" in one.read_text("utf-8") and not re.search("adopt|join|back", one.name)
    ],
    ids=lambda unit: str(unit.stem),
)
def test_a_service_comes_back_whatever_happens_and_waits_for_no_network(unit: Path) -> None:
    found = settings(unit)
    assert found["Service"]["Restart"] == "always"
    assert found["Unit"]["StartLimitIntervalSec"] == "0"
    assert found["Service"]["Type"] == "notify"
    assert "network" not in " ".join(found["Unit"].values())
    assert found["Service"].keys() >= {"MemoryMax", "LimitDATA", "TasksMax"}


@pytest.mark.parametrize(
    ("service", "groups", "devices"),
    [
        ("head", "gpio audio", "gpiochip alsa"),
        ("table", "gpio dialout i2c input bluetooth", "gpiochip i2c input ttyACM ttyUSB"),
    ],
)
def test_a_service_may_use_each_device_that_its_settings_can_name(
    service: str, groups: str, devices: str
) -> None:
    """Bell at relays or loudspeaker; dice at lines, USB or Bluetooth (by D-Bus), number pad, display."""
    unit = UNITS / f"pi-bunco-{service}.service"
    found = settings(unit)["Service"]
    assert found["SupplementaryGroups"] == groups
    assert "AF_UNIX" in found["RestrictAddressFamilies"]
    allowed = re.findall(r"(?m)^DeviceAllow=char-(\w+) rw?$", unit.read_text("utf-8"))
    assert set(devices.split()) <= set(allowed)


def test_the_files_of_the_broker_belong_to_the_user_and_the_group_that_it_runs_as() -> None:
    """It warns of any other, and later versions of it refuse them."""
    unit = UNITS / "pi-bunco-broker.service"
    service = settings(unit)["Service"]
    given = re.findall(r"(?m)^Exec(\w+)=\S+chown --quiet (\S+) ", unit.read_text("utf-8"))
    mine = f"{service['User']}:{service['Group']}"
    assert given == [("StartPre", mine), ("Reload", mine)]


def test_the_watchdog_of_the_pi_can_count_that_far() -> None:
    found = settings(UNITS / "watchdog.conf")["Manager"]
    assert 0 < int(found["RuntimeWatchdogSec"].removesuffix("s")) <= LONGEST_S


def test_the_firmware_leaves_the_lines_to_us_and_those_of_the_display_to_the_bus() -> None:
    told = tomllib.loads("\n".join(overlays()))
    ours = {line.gpio for line in shipped().values() if line.direction != "i2c"}
    buses = {line.gpio for line in shipped().values() if line.direction == "i2c"}
    assert ours & SPI
    assert buses == I2C
    assert told == {"spi": "off", "i2c_arm": "on", "strict_gpiod": "on", "watchdog": "on"}


def overlays() -> Iterator[str]:
    """The parameters in config.txt, as TOML; one without a value is on."""
    for line in (UNITS / "config.txt").read_text("utf-8").splitlines():
        if not line.startswith(("#", "[")):
            name, _, value = line.removeprefix("dtparam=").partition("=")
            yield f'{name} = "{value or "on"}"'


def settings(file: Path) -> ConfigParser:
    """The sections of a unit; of a setting that is there several times the last one."""
    found = ConfigParser(delimiters=("=",), comment_prefixes=("#",), interpolation=None, strict=False)
    found.optionxform = str  # type: ignore[assignment,method-assign]
    found.read_string(file.read_text("utf-8"))
    return found


def test_an_image_is_not_begun_where_it_would_fail_half_made(tmp_path: Path) -> None:
    """Each image has a /dev of its own."""
    image = tmp_path / "image"
    refused = subprocess.run(
        [UNITS / "image", image],
        env={"TMPDIR": "/dev/shm", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (refused.returncode, image.exists()) == (1, False)
    assert "set TMPDIR to a folder elsewhere, such as /var/tmp" in refused.stderr


@pytest.mark.system("shellcheck")
def test_shellcheck_has_nothing_to_say_against_the_scripts() -> None:
    scripts = [
        UNITS / "package",
        *(UNITS / "debian" / name for name in ("postinst", "prerm", "postrm")),
        UNITS.parent / "pi_bunco/provision/templates/first-start.sh",
    ]
    # The names of packages have no spaces; `git describe` fails where there is no tag.
    looked = subprocess.run(
        ["shellcheck", "--shell=dash", "--exclude=SC2012,SC2015,SC2231,SC2086,SC2043", *map(str, scripts)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (looked.stdout, looked.returncode) == ("", 0)
