"""A Pi takes over what a host dropped on its boot partition, whenever the power fails meanwhile."""

import errno
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from pi_bunco.cli import main
from pi_bunco.config import ConfigError
from pi_bunco.ops.install import adopt, files, settings
from pi_bunco.ops.install.machine import Machine
from pi_bunco.ops.install.steps import InstallError, carry_out
from pi_bunco.ops.install.units import TABLE
from pi_bunco.provision import handover
from pi_bunco.provision.handover import Device, Handover, HandoverError
from provision.pis import Pi, dropped, head, lies, pi, table, units
from provision.power import Power, PowerCut

OLD = '# mine\nnumber = 2\n[pins.bell]\ngpio = 18\n[broker]\naddress = "10.9.9.9:8883"\nuser = "table2"\n'


def taken(machine: Machine, path: Path) -> None:
    """As the command does, without its undoing: so it is when the power fails."""
    given = adopt.read(path)
    found = adopt.adoption(machine, path, given) if given else None
    last = found.blanked if found else adopt.finished(path)
    for step in [*found.stored, *found.enabled, *found.running, *last] if found else last:
        step.apply()


def spare(root: Path, *earlier: int) -> tuple[Machine, Pi]:
    """A card that was table 2, and others `earlier`, and becomes another."""
    machine, traces = pi(root, booted=False)
    for path, text in (
        (machine.places.settings, OLD),
        (machine.places.state / "table/outbox.db", "of table 2"),
        *((machine.places.state / f"table-{one}/outbox.db", f"of table {one}") for one in earlier),
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return machine, traces


def test_a_spare_card_becomes_another_table(tmp_path: Path) -> None:
    machine, _ = spare(tmp_path)
    path = dropped(machine, table(7, dice="gpio"))
    taken(machine, path)
    assert settings.read(machine.places.settings) == {
        "hall": "home",
        "number": 7,
        "dice": "gpio",
        "pins": {"bell": {"gpio": 18}},
        "broker": table(7).settings["broker"],
    }
    assert (machine.places.state / "table-2/outbox.db").read_text() == "of table 2"
    assert not (machine.places.state / "table").exists()
    secret = machine.places.secrets / "table/table7"
    assert (secret.read_text(), secret.stat().st_mode & 0o777) == ("swordfish\n", 0o600)
    assert {secret.parent.stat().st_mode & 0o777, machine.places.secrets.stat().st_mode & 0o777} == {0o700}
    assert path.read_text() == handover.taken(table(7))
    assert units(path.name for path in tmp_path.rglob("*.wants/*")) == ["table"]


def test_a_card_that_becomes_what_it_was_has_what_it_knew(tmp_path: Path) -> None:
    machine, _ = spare(tmp_path)
    for number in (7, 2):
        taken(machine, dropped(machine, table(number)))
    assert (machine.places.state / "table/outbox.db").read_text() == "of table 2"
    assert not (machine.places.state / "table-2").exists()


def test_nothing_moves_below_a_service_that_is_about_to_start_again(tmp_path: Path) -> None:
    machine, traces = spare(tmp_path)
    machine = Machine(tmp_path, traces.run, booted=True)
    traces.between.add(TABLE)
    path = dropped(machine, table(7))
    stored = adopt.adoption(machine, path, table(7)).stored
    assert stored[0].says == f"Stop {TABLE}"


def test_a_failure_within_the_unit_waits_for_no_service_that_waits_for_the_unit(tmp_path: Path) -> None:
    machine, traces = spare(tmp_path)
    machine = Machine(tmp_path, traces.run, booted=True)
    traces.active.add(TABLE)
    found = adopt.adoption(machine, dropped(machine, table(7)), table(7))
    traces.fails["enable --quiet"] = "no"
    with pytest.raises(InstallError, match="cannot be enabled"):
        carry_out([*found.stored, *found.enabled], lambda _: None)
    assert traces.lines[-1] == f"systemctl --no-block start {TABLE}"


@pytest.mark.parametrize("known", [(), (7,)], ids=("new to it", "again"))
def test_wherever_the_power_fails_the_next_start_ends_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, known: tuple[int, ...]
) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)  # it is counted, and takes too long here
    machine, _ = spare(tmp_path / "whole", *known)
    taken(machine, dropped(machine, table(7)))
    right = lies(tmp_path / "whole")
    cut, cuts = True, 0
    while cut:
        cuts += 1
        root = tmp_path / "cut"
        machine, _ = spare(root, *known)
        path = dropped(machine, table(7))
        with monkeypatch.context() as patched:
            cut = ended(machine, path, Power(cuts, patched))
        taken(machine, path)
        assert lies(root) == right, f"after write {cuts}"
        shutil.rmtree(root)
    assert cuts > 40


def ended(machine: Machine, path: Path, power: Power) -> bool:
    """Whether the power failed before all was done."""
    try:
        taken(machine, path)
    except PowerCut:
        return True
    return power.left <= 0


def test_the_secrets_are_overwritten_where_they_lie(tmp_path: Path) -> None:
    path = tmp_path / "pi-bunco.toml"
    path.write_text(handover.dump(table(7)))
    inode = path.stat().st_ino
    with path.open("rb") as reader:
        adopt.blank(path, handover.taken(table(7)))
        seen = reader.read()
    assert seen.decode() == handover.taken(table(7))
    assert path.stat().st_ino == inode


def test_a_failure_puts_everything_back(tmp_path: Path) -> None:
    machine, traces = spare(tmp_path)
    path = dropped(machine, table(7))
    before = lies(tmp_path)
    traces.fails["enable"] = "no room"
    given = adopt.read(path)
    assert given
    found = adopt.adoption(machine, path, given)
    with pytest.raises(InstallError, match="cannot be enabled: no room"):
        carry_out([*found.stored, *found.enabled], lambda _: None)
    assert lies(tmp_path) == before


@pytest.mark.parametrize(
    ("text", "error", "why"),
    [
        ("[device", HandoverError, "is no TOML"),
        ("number = 2", HandoverError, "not made by pi-bunco provision"),
        (handover.dump(Handover(Device("table", 7, "home"), {}, {"../x": ""})), HandoverError, "no file of"),
        (handover.dump(table(7, dice="card")), ConfigError, 'dice = "card"'),
        (
            handover.dump(Handover(Device("head", 1, "home"), {}, {"broker/passwd": "x"})),
            HandoverError,
            "update",
        ),
    ],
)
def test_a_bad_file_is_refused_and_left(tmp_path: Path, text: str, error: type[Exception], why: str) -> None:
    machine, _ = spare(tmp_path)
    path = machine.places.handover
    path.write_text(text)
    before = lies(tmp_path)
    with pytest.raises(error, match=why):
        taken(machine, path)
    assert lies(tmp_path) == before


def test_a_broker_that_runs_reads_new_passwords_and_nobody_is_disturbed(tmp_path: Path) -> None:
    machine, traces = pi(tmp_path)
    taken(machine, dropped(machine, head()))
    assert units(traces.active) == ["broker", "head", "table"]
    passwd = machine.places.broker / "passwd"
    os.chown(passwd, 12, 34)  # its own, so that it can read it again
    traces.lines.clear()
    more = f"{passwd.read_text()}table9:$7$new\n"
    taken(machine, dropped(machine, Handover(Device("head", 1, "home"), {}, {"broker/passwd": more})))
    assert [line for line in traces.lines if "is-active" not in line] == [
        "systemctl --no-block reload pi-bunco-broker.service"
    ]
    assert (passwd.read_text(), passwd.stat().st_uid, passwd.stat().st_gid) == (more, 12, 34)


@pytest.mark.parametrize("accounts", ["head:$7$\n", "head:$7$\ntable2:$7$other\n"], ids=("gone", "replaced"))
def test_what_a_card_that_is_shut_out_left_at_the_broker_goes_with_it(tmp_path: Path, accounts: str) -> None:
    machine, traces = pi(tmp_path)
    given = head()
    given.files["broker/passwd"] += "table2:$7$\n"
    taken(machine, dropped(machine, given))
    traces.lines.clear()
    taken(machine, dropped(machine, Handover(given.device, {}, {"broker/passwd": accounts})))
    assert [line for line in traces.lines if "is-active" not in line] == [
        "systemctl --no-block restart pi-bunco-broker.service"
    ]


def test_what_changed_for_a_service_starts_it_anew(tmp_path: Path) -> None:
    machine, traces = pi(tmp_path)
    taken(machine, dropped(machine, head()))
    traces.lines.clear()
    update = Handover(
        Device("head", 1, "home"), {}, {"broker/key.pem": "new", "secrets/table/table1": "cod\n"}
    )
    taken(machine, dropped(machine, update))
    assert [line for line in traces.lines if "restart" in line] == [
        "systemctl --no-block restart pi-bunco-broker.service",
        "systemctl --no-block restart pi-bunco-table.service",
    ]


def test_a_head_without_a_table_has_no_table_service(tmp_path: Path) -> None:
    machine, _ = spare(tmp_path)
    taken(machine, dropped(machine, table(7)))
    taken(machine, dropped(machine, head(number=0)))
    assert "number" not in settings.read(machine.places.settings)
    assert "ca" not in settings.read(machine.places.settings)["broker"]
    assert units(path.name for path in tmp_path.rglob("*.wants/*")) == ["broker", "head"]


def test_the_command_says_what_it_did_and_what_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    machine, traces = pi(tmp_path, booted=False)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr("pi_bunco.cli.adopt.Machine", lambda root: Machine(root, traces.run))
    command = ["adopt", "--root", str(tmp_path)]
    assert main(command) == 2
    assert "is not installed here" in capsys.readouterr().err
    (machine.places.units / "pi-bunco-table.service").touch()
    assert main(command) == 2
    assert "cannot be read: No such file" in capsys.readouterr().err
    path = dropped(machine, table(7))
    assert main([*command, "--dry-run"]) == 0
    assert "Would: Store /etc/pi-bunco/secrets/table/table7\n" in capsys.readouterr().out
    assert main(command) == 0
    assert capsys.readouterr().out.endswith("This is the table of hall home, table 7.\n")
    assert main(command) == 0
    assert capsys.readouterr().out == f"Nothing to do. {path} was taken over.\n"
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert main(command) == 2
    assert "sudo pi-bunco adopt" in capsys.readouterr().err


def test_a_card_that_cannot_be_overwritten_is_told_and_all_is_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine, _ = pi(tmp_path)
    path = dropped(machine, table(7))
    real = os.open

    def opened(name: Any, *more: Any, **others: Any) -> int:
        if name == path:
            raise OSError(errno.EROFS, "Read-only file system")
        return real(name, *more, **others)

    monkeypatch.setattr(os, "open", opened)
    with pytest.raises(HandoverError, match="still holds secrets"):
        taken(machine, path)
    assert files.content(machine.places.secrets / "table/table7")
