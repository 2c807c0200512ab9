"""What cannot be installed is told before anything is done, every reason at once."""

import os
from pathlib import Path

import pytest

from pi_bunco import __version__
from pi_bunco.cli import main
from pi_bunco.errors import BuncoError
from pi_bunco.ops.install import versions
from pi_bunco.ops.install.machine import Machine
from pi_bunco.ops.install.sources import Source
from pi_bunco.ops.install.steps import InstallError
from pi_bunco.ops.install.wish import Said, wish
from provision.pis import (
    CHECKOUT,
    TABLE_2,
    UNITS,
    dropped,
    lies,
    pi,
    planned,
    table,
    wheel,
)


@pytest.mark.parametrize(
    ("python", "fails", "why"),
    [
        ("3 9", "", "has Python 3.9 and pi-bunco needs 3.11"),
        ("", "", "no Python: sudo apt install python3 python3-venv"),
        ("3 11", "ensurepip", "sudo apt install python3-venv"),
    ],
)
def test_a_system_that_cannot_is_told_before_anything_is_done(
    tmp_path: Path, python: str, fails: str, why: str
) -> None:
    machine, traces = pi(tmp_path / "root")
    traces.python = python
    if fails:
        traces.fails[fails] = "no module"
    before = lies(machine.root)
    with pytest.raises(InstallError, match=why):
        planned(machine, TABLE_2, wheel(tmp_path / "wheels"))
    assert lies(machine.root) == before


@pytest.mark.parametrize("head", ["192.168.8", "192.168.8.300", "-"])
def test_a_mistyped_address_is_no_name(tmp_path: Path, head: str) -> None:
    machine, _ = pi(tmp_path)
    with pytest.raises(InstallError, match=f"--head {head}: that is neither a name nor a number"):
        wish(machine, Said("table", "2", head))
    assert wish(machine, Said("table", "2", "pi-bunco-head.local")).head


def test_all_that_is_missing_is_told_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    machine, traces = pi(tmp_path / "root")
    (machine.root / "usr/sbin/mosquitto").unlink()
    traces.python = "3 9"
    monkeypatch.setattr(versions, "ROOM", 10**18)
    with pytest.raises(InstallError) as refused:
        planned(machine, Said("head"), wheel(tmp_path / "wheels"))
    told = refused.value.problems
    assert [
        part in problem
        for part, problem in zip(("3.9", "MB free", "apt install mosquitto"), told, strict=True)
    ]


def test_a_bundle_for_another_machine_is_refused(tmp_path: Path) -> None:
    machine, _ = pi(tmp_path / "root")
    found = wheel(tmp_path / "wheels")
    offline = Source(found.name, found.version, found.print, UNITS, found.wheel, offline=True)
    (tmp_path / "wheels/msgspec-0.22.0-cp313-cp313-manylinux2014_aarch64.whl").touch()
    with pytest.raises(InstallError, match=r"holds nothing for Python 3[.]11 on aarch64"):
        planned(machine, TABLE_2, offline)
    (tmp_path / "wheels/msgspec-0.22.0-cp311-cp311-manylinux2014_aarch64.whl").touch()
    assert planned(machine, TABLE_2, offline).says()


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (Said(), "say what this Pi is"),
        (Said("table"), "--number is missing"),
        (Said("table", "2"), "--head is missing"),
        (Said("table", "0", "10.0.0.1"), "--number 0 is not allowed"),
        (Said("table", "2", "10.0.0.1:x"), "no broker address"),
        (Said("head", "2"), "table 1's"),
        (Said("table", "2", "10.0.0.1", given={"dice": "card"}), "--dice card is not allowed"),
        (Said(file=Path("/nowhere/pi-bunco.toml")), "cannot be read"),
    ],
)
def test_a_wrong_wish_is_refused(tmp_path: Path, said: Said, why: str) -> None:
    machine, _ = pi(tmp_path / "root")
    with pytest.raises(BuncoError, match=why):
        planned(machine, said, wheel(tmp_path / "wheels"))


def test_only_root_installs_and_removes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    for command in ("install", "uninstall"):
        assert main([command, "--dry-run"]) == 2
        assert f"only root may do that: sudo pi-bunco {command} ...\n" in capsys.readouterr().err


def test_what_fails_on_the_way_ends_with_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    machine, traces = pi(tmp_path / "root", booted=False)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr("pi_bunco.cli.install.Machine", lambda root: Machine(root, traces.run))
    monkeypatch.setattr(versions, "built", lambda project, folder: wheel(folder).wheel)
    line = ["install", "table", "--number", "2", "--head", "10.0.0.1", "--root", str(machine.root)]
    line += ["--from", str(CHECKOUT)]
    traces.fails["-m pip"] = "no room left"
    assert main(line) == 1
    assert "no room left" in capsys.readouterr().err
    traces.fails.clear()
    assert main([*line, "--dry-run"]) == 0
    would = capsys.readouterr().out.splitlines()
    assert main(line) == 0
    done = capsys.readouterr().out.splitlines()
    assert [f"Would: {sentence}" for sentence in done[: len(would)]] == would
    assert done[-1].startswith("Nothing runs yet: table 2 has no ca.pem")
    assert main(line) == 0
    assert f"Nothing to do. pi-bunco {__version__} is installed as table 2.\n" in capsys.readouterr().out


def test_the_file_of_another_pi_is_refused(tmp_path: Path) -> None:
    machine, _ = pi(tmp_path / "root")
    dropped(machine, table(7))
    with pytest.raises(InstallError, match="is for table 7"):
        wish(machine, TABLE_2)
