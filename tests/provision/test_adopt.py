"""A Pi takes over what a host dropped on its boot partition, whenever the power fails meanwhile."""

import errno
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from pi_bunco.cli import main
from pi_bunco.config import ConfigError
from pi_bunco.errors import ProvisionError
from pi_bunco.provision import adopt, handover, seed
from pi_bunco.provision.handover import Handover, HandoverError, PiSettings
from pi_bunco.provision.system import OTHER_BROKER, TABLE, System, content
from provision.pis import Pi, dropped, given, head, lies, pi, table, taken, took, units
from provision.power import Power, PowerCut
from thorough import CI

STEP = 1 if CI else 5
"""The power fails after every write, or every fifth."""
OLD = '# mine\nnumber = 2\n[pins.bell]\ngpio = 18\n[broker]\naddress = "10.9.9.9:8883"\nuser = "table2"\n'


def spare(root: Path) -> tuple[System, Pi]:
    """A card that was table 2, and becomes another."""
    system, traces = pi(root, booted=False)
    for path, text in (
        (system.places.settings, OLD),
        (system.places.state / "table/outbox.db", "of table 2"),
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return system, traces


def test_a_spare_card_becomes_another_table(tmp_path: Path) -> None:
    system, _ = spare(tmp_path)
    path = dropped(system, table(7, dice="gpio"))
    taken(system, path)
    assert adopt.read_settings(system.places.settings) == {
        "hall": "home",
        "number": 7,
        "dice": "gpio",
        "pins": {"bell": {"gpio": 18}},
        "broker": table(7).settings["broker"],
    }
    assert (system.places.state / "table/outbox.db").read_text() == "of table 2"
    secret = system.places.secrets / "table/table7"
    assert (secret.read_text(), secret.stat().st_mode & 0o777) == ("swordfish\n", 0o600)
    assert {secret.parent.stat().st_mode & 0o777, system.places.secrets.stat().st_mode & 0o777} == {0o700}
    assert path.read_text() == handover.taken(table(7))
    assert given(tmp_path) == ["table"]


def test_a_table_that_becomes_another_starts_anew_and_sets_aside_what_it_knew(tmp_path: Path) -> None:
    """Its service does (`tests/table/test_table_service.py`)."""
    system, traces = pi(tmp_path)
    taken(system, dropped(system, table(7)))
    system.places.settings.write_text(OLD)
    traces.active.discard(TABLE)
    traces.between.add(TABLE)
    traces.lines.clear()
    taken(system, dropped(system, table(7)))
    assert f"systemctl --no-block restart {TABLE}" in traces.lines


def test_a_failure_within_the_unit_waits_for_no_service_that_waits_for_the_unit(tmp_path: Path) -> None:
    system, traces = spare(tmp_path)
    system = System(tmp_path, traces.run, booted=True)
    traces.active.add(TABLE)
    dropped(system, table(7))
    traces.fails["restart"] = "no"
    with pytest.raises(ProvisionError, match="restart did not work: no"):
        took(system, table(7))
    assert traces.lines[-1] == f"systemctl --no-block start {OTHER_BROKER}"


def test_wherever_the_power_fails_the_next_start_ends_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)  # it is counted, and takes too long here
    system, _ = spare(tmp_path / "whole")
    taken(system, dropped(system, table(7)))
    right = lies(tmp_path / "whole")
    cut, cuts = True, 0
    while cut:
        cuts += STEP
        root = tmp_path / "cut"
        system, _ = spare(root)
        path = dropped(system, table(7))
        with monkeypatch.context() as patched:
            cut = ended(system, path, Power(cuts, patched))
        taken(system, path)
        assert lies(root) == right, f"after write {cuts}"
        shutil.rmtree(root)
    assert cuts > 40


def ended(system: System, path: Path, power: Power) -> bool:
    """True if the power failed before all was done."""
    try:
        taken(system, path)
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


def test_a_cut_while_the_firmware_gets_our_lines_leaves_it_all_that_it_had(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """FAT cannot put another file in its place whole, and without its settings a Pi does not start."""
    before, cut, cuts = "arm_64bit=1\n" * 100, True, 0
    while cut:
        cuts += 1
        root = tmp_path / str(cuts)
        system, _ = spare(root)
        config = system.places.boot / "config.txt"
        config.write_text(before)
        inode = config.stat().st_ino
        with monkeypatch.context() as patched:
            cut = ended(system, dropped(system, table(7)), Power(cuts, patched))
        assert config.read_text().startswith(before)
        assert config.stat().st_ino == inode
    assert "# <<< pi-bunco" in config.read_text()


def test_a_card_of_the_image_has_the_firmwares_lines_already_and_its_pi_starts_once(tmp_path: Path) -> None:
    system, _ = pi(tmp_path)
    config = system.places.boot / "config.txt"
    config.write_bytes(config.read_bytes() + (system.places.shipped / "config.txt").read_bytes())
    before = config.read_bytes()
    taken(system, dropped(system, table(7)))
    assert config.read_bytes() == before
    assert not system.places.restart.exists()


def test_a_failure_puts_everything_back(tmp_path: Path) -> None:
    system, traces = spare(tmp_path)
    system = System(tmp_path, traces.run, booted=True)
    dropped(system, table(7))
    before = lies(tmp_path)
    traces.fails["start"] = "no room"
    with pytest.raises(ProvisionError, match="start did not work: no room"):
        took(system, table(7))
    assert lies(tmp_path) == before


@pytest.mark.parametrize(
    ("text", "error", "why"),
    [
        ("[device", HandoverError, "is no TOML"),
        ("number = 2", HandoverError, "not made by pi-bunco provision"),
        (
            handover.dump(Handover(PiSettings("table", 7, "home"), {}, {"../x": ""})),
            HandoverError,
            "no file of",
        ),
        (handover.dump(table(7, dice="card")), ConfigError, 'dice = "card"'),
        (
            handover.dump(Handover(PiSettings("head", 1, "home"), {}, {"broker/passwd": "x"})),
            HandoverError,
            "update",
        ),
    ],
)
def test_a_bad_file_is_refused_and_left(tmp_path: Path, text: str, error: type[Exception], why: str) -> None:
    system, _ = spare(tmp_path)
    path = system.places.handover
    path.write_text(text)
    before = lies(tmp_path)
    with pytest.raises(error, match=why):
        taken(system, path)
    assert lies(tmp_path) == before


def test_a_broker_that_runs_reads_new_passwords_and_nobody_is_disturbed(tmp_path: Path) -> None:
    system, traces = pi(tmp_path)
    taken(system, dropped(system, head()))
    assert units(traces.active) == ["broker", "head", "table", "web"]
    passwd = system.places.broker / "passwd"
    os.chown(passwd, 12, 34)  # its own, so that it can read it again
    traces.lines.clear()
    more = f"{passwd.read_text()}table9:$7$new\n"
    taken(system, dropped(system, Handover(PiSettings("head", 1, "home"), {}, {"broker/passwd": more})))
    assert [line for line in traces.lines if "is-active" not in line] == [
        "systemctl --no-block reload pi-bunco-broker.service"
    ]
    assert (passwd.read_text(), passwd.stat().st_uid, passwd.stat().st_gid) == (more, 12, 34)


@pytest.mark.parametrize("accounts", ["head:$7$\n", "head:$7$\ntable2:$7$other\n"], ids=("gone", "replaced"))
def test_what_a_card_that_is_shut_out_left_at_the_broker_goes_with_it(tmp_path: Path, accounts: str) -> None:
    system, traces = pi(tmp_path)
    card = head()
    card.files["broker/passwd"] += "table2:$7$\n"
    taken(system, dropped(system, card))
    traces.lines.clear()
    taken(system, dropped(system, Handover(card.device, {}, {"broker/passwd": accounts})))
    assert [line for line in traces.lines if "is-active" not in line] == [
        "systemctl --no-block restart pi-bunco-broker.service"
    ]


def test_changed_file_restarts_its_service(tmp_path: Path) -> None:
    system, traces = pi(tmp_path)
    taken(system, dropped(system, head()))
    traces.lines.clear()
    update = Handover(
        PiSettings("head", 1, "home"), {}, {"broker/key.pem": "new", "secrets/table/table1": "cod\n"}
    )
    taken(system, dropped(system, update))
    assert [line for line in traces.lines if "restart" in line] == [
        "systemctl --no-block restart pi-bunco-broker.service",
        "systemctl --no-block restart pi-bunco-table.service",
    ]


def test_a_head_without_a_table_has_no_table_service(tmp_path: Path) -> None:
    system, _ = spare(tmp_path)
    taken(system, dropped(system, table(7)))
    taken(system, dropped(system, head(number=0)))
    assert "number" not in adopt.read_settings(system.places.settings)
    assert "ca" not in adopt.read_settings(system.places.settings)["broker"]
    assert given(tmp_path) == ["broker", "head", "web"]


def test_the_command_says_what_it_did_and_what_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    system, traces = pi(tmp_path, booted=False)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr("pi_bunco.cli.installed.System", lambda root: System(root, traces.run))
    command = ["adopt", "--root", str(tmp_path)]
    unit = system.places.units / TABLE
    unit.rename(unit.with_suffix(".away"))
    assert main(command) == 2
    assert "is not installed here" in capsys.readouterr().err
    unit.with_suffix(".away").rename(unit)
    assert main(command) == 2
    assert "cannot be read: No such file" in capsys.readouterr().err
    path = dropped(system, table(7))
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
    system, _ = pi(tmp_path)
    path = dropped(system, table(7))
    real = os.open

    def opened(name: Any, *more: Any, **others: Any) -> int:
        if name == path:
            raise OSError(errno.EROFS, "Read-only file system")
        return real(name, *more, **others)

    monkeypatch.setattr(os, "open", opened)
    with pytest.raises(HandoverError, match="still holds secrets"):
        taken(system, path)
    assert content(system.places.secrets / "table/table7")


def test_the_firmware_gets_our_lines_once_and_the_pi_is_to_start_once_more(tmp_path: Path) -> None:
    system, traces = pi(tmp_path)
    path = dropped(system, table(7))
    taken(system, path)
    text = (tmp_path / "boot/firmware/config.txt").read_text()
    assert text.startswith("arm_64bit=1\n[pi4]\narm_boost=1\n# >>> pi-bunco\n[all]\n")
    assert "\ndtparam=strict_gpiod\n" in text
    assert system.places.restart.exists()
    assert OTHER_BROKER not in traces.active
    system.places.restart.unlink()
    taken(system, dropped(system, table(7)))
    assert (tmp_path / "boot/firmware/config.txt").read_text() == text
    assert not system.places.restart.exists()


def test_the_password_of_the_wifi_leaves_the_card_when_its_copy_is_on_the_disk_and_no_sooner(
    tmp_path: Path,
) -> None:
    """Before that a cut would leave it nowhere: cloud-init writes its files long after it has noted them."""
    system, _ = pi(tmp_path)
    network, mark = system.places.boot / "network-config", tmp_path / seed.MARKS / "whole"
    network.write_text(seed.MADE + "password: swordfish\n")
    (system.places.boot / "meta-data").write_text("instance-id: pi-bunco-home-pi-bunco-table7-2b\n")
    mark.parent.mkdir(parents=True)
    path = dropped(system, table())
    for whole, kept in (("", True), ("pi-bunco-home-pi-bunco-table7-1a\n", True)):
        mark.write_text(whole)
        taken(system, path)
        assert ("swordfish" in network.read_text()) is kept
    mark.write_text("pi-bunco-home-pi-bunco-table7-2b\n")
    taken(system, path)
    assert network.read_text() == seed.TAKEN
