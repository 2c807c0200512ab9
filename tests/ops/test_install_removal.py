"""What was installed is taken back exactly, and what the host has or changed is kept."""

import os
import shutil
from pathlib import Path

import pytest

from pi_bunco.ops.install import running
from pi_bunco.ops.install.machine import Machine
from pi_bunco.ops.install.manifest import NAME
from pi_bunco.ops.install.removal import removal
from pi_bunco.ops.install.sources import Source
from pi_bunco.ops.install.steps import InstallError
from pi_bunco.ops.install.wish import Said
from provision.pis import (
    TABLE_2,
    THEIR_UNIT,
    UNITS,
    WANTS,
    dropped,
    head,
    install,
    lies,
    pi,
    planned,
    told,
    units,
    wheel,
)
from provision.power import Power, PowerCut

STRIDE = 6
"""Of about 200 writes not every one: each takes two installations; all of them were tried once."""


def test_what_was_installed_goes_and_what_the_host_has_stays(tmp_path: Path) -> None:
    machine, traces = pi(tmp_path / "root")
    before = lies(machine.root)
    dropped(machine, head())
    install(machine, Said(), wheel(tmp_path / "wheels"))
    kept = {name for name in lies(machine.root) if name.startswith(("root/etc/pi-bunco", "etc/pi-bunco"))}
    removal(machine, purge=False).carry_out(told)
    left = lies(machine.root)
    assert kept <= left.keys()
    others = {name: what for name, what in left.items() if name not in kept and "etc/passwd" not in name}
    assert others == {name: what for name, what in before.items() if "etc/passwd" not in name} | {
        "boot/firmware/pi-bunco.toml": left["boot/firmware/pi-bunco.toml"]
    }
    assert traces.active == {"mosquitto.service"}
    assert [path.name for path in (machine.root / WANTS).iterdir()] == ["mosquitto.service"]
    removal(machine, purge=True).carry_out(told)
    assert lies(machine.root) == before
    assert removal(machine, purge=True).says() == []


def test_a_removal_that_fails_leaves_it_running(tmp_path: Path) -> None:
    machine, traces = pi(tmp_path / "root")
    dropped(machine, head())
    install(machine, Said(), wheel(tmp_path / "wheels"))
    before, active = lies(machine.root), set(traces.active)
    traces.fails["enable --quiet mosquitto"] = "no"
    with pytest.raises(InstallError, match="mosquitto"):
        removal(machine, purge=True).carry_out(told)
    assert (lies(machine.root), traces.active) == (before, active)


@pytest.mark.parametrize("masked", [False, True], ids=("purged", "removed"))
def test_it_goes_although_debians_broker_has_gone_before_it(tmp_path: Path, masked: bool) -> None:
    machine, traces = pi(tmp_path / "root")
    dropped(machine, head())
    install(machine, Said(), wheel(tmp_path / "wheels"))
    (machine.root / THEIR_UNIT).unlink()
    if masked:  # as Debian leaves it when a package is removed and not purged
        (machine.places.units / "mosquitto.service").symlink_to("/dev/null")
    traces.fails["enable --quiet mosquitto"] = "Unit file mosquitto.service does not exist."
    removal(machine, purge=False).carry_out(told)
    assert not machine.places.software.exists()


def test_nothing_starts_again_and_again_where_the_note_of_what_is_installed_is_gone(tmp_path: Path) -> None:
    machine, traces = pi(tmp_path / "root")
    dropped(machine, head())
    install(machine, Said(), wheel(tmp_path / "wheels"))
    (machine.places.software / NAME).unlink()
    removal(machine, purge=False).carry_out(told)
    assert not units(traces.active)
    assert not units(path.name for path in (machine.root / WANTS).iterdir())
    assert not machine.places.software.exists()


def test_what_the_host_changed_is_kept_aside(tmp_path: Path) -> None:
    machine, _ = pi(tmp_path / "root")
    install(machine, TABLE_2, wheel(tmp_path / "wheels"))
    unit, config = machine.places.units / "pi-bunco-table.service", machine.places.boot / "config.txt"
    aside = machine.root / "var/backups/pi-bunco"
    unit.write_text("mine\n")
    config.write_text(config.read_text().replace("strict_gpiod", "strict_gpiod=0"))
    changed = config.read_text()
    install(machine, TABLE_2, wheel(tmp_path / "newer", "1.1.0"))
    assert (aside / "etc/systemd/system/pi-bunco-table.service").read_text() == "mine\n"
    assert unit.read_bytes() == UNITS[unit.name]
    unit.write_text("mine again\n")
    config.write_text(changed)
    removal(machine, purge=True).carry_out(told)
    assert (aside / "etc/systemd/system/pi-bunco-table.service.1").read_text() == "mine again\n"
    assert (aside / "boot/firmware/config.txt").read_text() == changed
    assert config.read_text() == "arm_64bit=1\n[pi4]\narm_boost=1\n"


def test_a_unit_that_a_newer_version_has_no_more_goes(tmp_path: Path) -> None:
    machine, _ = pi(tmp_path / "root")
    old = wheel(tmp_path / "wheels")
    extra = Source(old.name, "0.9.0", "older", UNITS | {"pi-bunco-web.service": b"[Service]\n"}, old.wheel)
    install(machine, TABLE_2, extra)
    unit = machine.places.units / "pi-bunco-web.service"
    assert unit.exists()
    install(machine, TABLE_2, old)
    assert not unit.exists()


def test_what_an_interrupted_installation_left_is_taken_away(tmp_path: Path) -> None:
    machine, _ = pi(tmp_path / "root")
    half = machine.places.software / "1.0.0-1"
    half.mkdir(parents=True)
    told = install(machine, TABLE_2, wheel(tmp_path / "wheels"))
    assert "Remove /opt/pi-bunco/1.0.0-1" in told
    assert (machine.places.current.readlink(), half.exists()) == (Path("1.0.0-2"), False)


def test_wherever_the_power_fails_a_second_try_ends_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)
    monkeypatch.setattr(running, "STEADY_S", 0.0)
    source = wheel(tmp_path / "wheels")
    machine, _ = pi(tmp_path / "whole")
    dropped(machine, head())
    install(machine, Said(), source)
    right = elsewhere(machine)
    cut, cuts = True, 0
    while cut:
        cuts += STRIDE
        machine, _ = pi(tmp_path / "cut")
        dropped(machine, head())
        with monkeypatch.context() as patched:
            cut = fails(machine, source, Power(cuts, patched))
        install(machine, Said(), source)
        assert elsewhere(machine) == right, f"after write {cuts}"
        assert planned(machine, Said(), source).says() == []
        assert list(machine.places.software.glob("*-*")) == [machine.places.current.resolve()]
        removal(machine, purge=True).carry_out(told)
        assert not list(machine.root.glob("var/backups/**/*"))
        shutil.rmtree(machine.root)
    assert cuts > 60


def elsewhere(machine: Machine) -> dict[str, tuple[int, bytes]]:
    """All but the versions, which are numbered."""
    return {name: what for name, what in lies(machine.root).items() if not name.startswith("opt/")}


def fails(machine: Machine, source: Source, power: Power) -> bool:
    """Whether the power fails before all is done; nothing is undone then."""
    try:
        todo = planned(machine, Said(), source)
        for step in (*todo.steps, *todo.after):
            step.apply()
    except PowerCut:
        return True
    return power.left <= 0
