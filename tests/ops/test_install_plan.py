"""What an installation does is worked out first, done in order, and undone if it fails; removal is exact."""

from pathlib import Path

import pytest

from pi_bunco.ops.install import settings
from pi_bunco.ops.install.machine import Arguments, Machine, Outcome
from pi_bunco.ops.install.sources import Source
from pi_bunco.ops.install.steps import InstallError
from pi_bunco.ops.install.units import TABLE
from pi_bunco.ops.install.wish import Said
from provision.pis import (
    TABLE_2,
    UNITS,
    WANTS,
    Pi,
    dropped,
    head,
    install,
    lies,
    pi,
    planned,
    table,
    units,
    wheel,
)


def wanted(root: Path) -> list[str]:
    return units(path.name for path in (root / WANTS).iterdir())


def test_a_plan_changes_nothing_and_says_all_that_is_then_done(tmp_path: Path) -> None:
    machine, _ = pi(tmp_path / "root")
    source = wheel(tmp_path / "wheels")
    before = lies(tmp_path)
    says = planned(machine, TABLE_2, source).says()
    assert lies(tmp_path) == before
    assert install(machine, TABLE_2, source) == says


def test_a_table_without_its_secrets_waits_for_them(tmp_path: Path) -> None:
    machine, traces = pi(tmp_path / "root")
    source = wheel(tmp_path / "wheels")
    assert "no ca.pem, secrets/table/table2." in " ".join(planned(machine, TABLE_2, source).notes)
    install(machine, TABLE_2, source)
    assert wanted(machine.root) == ["adopt"]
    assert settings.read(machine.places.settings) == {
        "number": 2,
        "dice": "gpio",
        "settle_ms": 900.0,
        "broker": {
            "address": "192.168.8.10:8883",
            "ca": "/etc/pi-bunco/ca.pem",
            "server_name": "pi-bunco-head",
            "secrets": "/etc/pi-bunco/secrets",
        },
    }
    dropped(machine, table(2))
    install(machine, Said(), source)
    assert wanted(machine.root) == ["adopt", "table"]
    assert units(traces.active) == ["table"]
    assert settings.read(machine.places.settings)["dice"] == "gpio"
    assert "mosquitto.service" in traces.active


@pytest.mark.parametrize("said", [Said(), TABLE_2, Said("head")], ids=("as it is", "table", "head"))
def test_a_second_time_there_is_nothing_to_do(tmp_path: Path, said: Said) -> None:
    machine, _ = pi(tmp_path / "root")
    source = wheel(tmp_path / "wheels")
    if said != TABLE_2:
        dropped(machine, head())
    install(machine, said, source)
    assert planned(machine, said, source).says() == []
    assert planned(machine, Said(), source).says() == []


def test_an_upgrade_keeps_the_version_before_it_and_no_other(tmp_path: Path) -> None:
    machine, _ = pi(tmp_path / "root")
    dropped(machine, head())
    for version in ("1.0.0", "1.1.0", "2.0.0"):
        install(machine, Said(), wheel(tmp_path / version, version))
    folders = sorted(path.name for path in machine.places.software.glob("*-*"))
    assert folders == ["1.1.0-2", "2.0.0-3"]
    assert machine.places.current.readlink() == Path("2.0.0-3")
    told = install(machine, Said(), wheel(tmp_path / "1.1.0", "1.1.0"))
    assert not [line for line in told if line.startswith("Make /opt")]
    assert machine.places.current.readlink() == Path("1.1.0-2")


def test_a_card_that_is_installed_as_another_table_keeps_what_it_knew_apart(tmp_path: Path) -> None:
    machine, traces = pi(tmp_path / "root")
    source = wheel(tmp_path / "wheels")
    dropped(machine, table(2))
    install(machine, Said(), source)
    known = machine.places.state / "table/outbox.db"
    known.parent.mkdir()
    known.write_text("of table 2")
    install(machine, Said("table", "3", "192.168.8.10"), source)
    assert (machine.places.state / "table-2/outbox.db").read_text() == "of table 2"
    assert not known.exists()
    dropped(machine, table(3))
    install(machine, Said(), source)
    assert not known.exists()
    assert units(traces.active) == ["table"]
    for said in (Said("head"), Said("head", "0"), Said("table", "2", "192.168.8.10")):
        install(machine, said, source)
    assert known.read_text() == "of table 2"


def test_after_an_upgrade_of_the_system_there_is_a_new_environment(tmp_path: Path) -> None:
    machine, traces = pi(tmp_path / "root")
    source = wheel(tmp_path / "wheels")
    install(machine, TABLE_2, source)
    traces.python = "3 13"
    install(machine, TABLE_2, source)
    assert machine.places.current.readlink() == Path("1.0.0-2")


STEPS = {
    "-m venv": "ensurepip",
    "-m pip": "no wheel",
    "--version": "Traceback",
    "systemd-sysusers": "read-only",
    "systemd-tmpfiles": "read-only",
    "load({}": "settle_ms is not a setting",
    "enable --quiet pi-bunco-head": "no",
    "restart pi-bunco-table": "no",
    "disable --quiet mosquitto": "no",
}


@pytest.mark.parametrize("part", STEPS)
def test_whatever_fails_a_first_time_all_is_as_before(tmp_path: Path, part: str) -> None:
    machine, traces = pi(tmp_path / "root")
    dropped(machine, head())
    before = lies(tmp_path)
    folders = {path for path in tmp_path.rglob("*") if path.is_dir()}
    traces.fails[part] = STEPS[part]
    with pytest.raises(InstallError, match=r"."):
        install(machine, Said(), wheel(tmp_path / "wheels"))
    del traces.fails[part]
    left = {name: what for name, what in lies(tmp_path).items() if not name.startswith("wheels")}
    assert left.pop("root/etc/passwd")
    before.pop("root/etc/passwd")
    assert left == before
    new = {path for path in tmp_path.rglob("*") if path.is_dir()} - folders
    assert {path.name for path in new} <= {"wheels", "pi-bunco"}  # data's folder, empty
    assert traces.active == {"mosquitto.service"}
    assert machine.enabled("mosquitto.service")


@pytest.mark.parametrize("part", ["-m pip", "--version", "load({}", "restart pi-bunco-head"])
def test_a_failed_upgrade_leaves_the_old_version_running(tmp_path: Path, part: str) -> None:
    machine, traces = pi(tmp_path / "root")
    dropped(machine, head())
    install(machine, Said(), wheel(tmp_path / "old"))
    before = lies(machine.root)
    newer = wheel(tmp_path / "new", "1.1.0")
    with_line = Source(
        newer.name, "1.1.0", newer.print, UNITS | {"journald.conf": b"[Journal]\n"}, newer.wheel
    )
    failing = Failing(traces, part)
    machine = Machine(machine.root, failing.run, booted=True)
    with pytest.raises(InstallError, match=r"that failed|does not run"):
        install(machine, Said(), with_line)
    assert lies(machine.root) == before
    assert machine.places.current.readlink() == Path("1.0.0-1")
    assert units(traces.active) == ["broker", "head", "table"]


def test_a_failed_upgrade_leaves_a_service_that_ends_again_and_again_trying(tmp_path: Path) -> None:
    machine, traces = pi(tmp_path / "root")
    dropped(machine, head())
    install(machine, Said(), wheel(tmp_path / "old"))
    traces.active.discard(TABLE)
    traces.between.add(TABLE)
    failing = Failing(traces, "restart pi-bunco-head")
    machine = Machine(machine.root, failing.run, booted=True)
    with pytest.raises(InstallError, match="does not run"):
        install(machine, Said(), wheel(tmp_path / "new", "1.1.0"))
    assert units(traces.active | traces.between) == ["broker", "head", "table"]


class Failing:
    """Fails the first time only: the old version starts."""

    def __init__(self, traces: Pi, part: str) -> None:
        self.traces = traces
        self.traces.fails[part] = "that failed"

    def run(self, arguments: Arguments) -> Outcome:
        outcome = self.traces.run(arguments)
        if outcome.err:
            self.traces.fails.clear()
        return outcome
