"""A host changes their mind about the network, and about what a table plays with."""

import tomllib
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

from pi_bunco.cli import main
from pi_bunco.config import Config, ConfigError
from pi_bunco.provision import accounts, adopt, handover
from pi_bunco.provision.plan import Plan
from pi_bunco.provision.provision import provision
from pi_bunco.provision.system import BROKER, System
from provision.halls import card, provisioned
from provision.pis import Pi, dropped, pi, taken

OWN: dict[str, Any] = {"own_wifi": True, "country": "DE"}
CHURCH: dict[str, Any] = {"wifi": "Church", "country": "DE"}


def radio(out: Path, name: str = "head") -> dict[str, object] | None:
    """The Wi-Fi networks that the Pi is given."""
    found = yaml.safe_load((out / name / "network-config").read_text("utf-8"))["network"]
    return found["wifis"]["wlan0"]["access-points"] if "wifis" in found else None


def test_every_network_can_take_the_place_of_every_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "word").write_text("swordfish\n")
    out = tmp_path / "out"
    kinds = {
        "own": ["--own-wifi", "--country", "DE"],
        "joined": ["--wifi", "Church", "--country", "DE", "--wifi-password-file", str(tmp_path / "word")],
        "cable": ["--cable"],
    }
    seen = {"own": {"Bunco home"}, "joined": {"Church"}, "cable": set[str]()}
    main(["provision", "--out", str(out), "--tables", "2"])
    for before in kinds:
        for after in kinds:
            for kind in (before, after):
                assert main(["provision", "--out", str(out), *kinds[kind]]) == 0, capsys.readouterr().err
                found = radio(out) or {}
                assert set(found) == seen[kind]
                assert ("secrets/web/wifi" in card(out, "head").files) == bool(found)
                if kind == "own":
                    assert "swordfish" not in (out / "hall.toml").read_text()
                    assert "swordfish" not in (out / "host.html").read_text()


def test_the_halls_own_password_stays_while_the_wifi_does(tmp_path: Path) -> None:
    provisioned(tmp_path, **OWN)
    before = tomllib.loads((tmp_path / "hall.toml").read_text())["secrets"]["wifi"]
    provision(tmp_path, {"tables": 9}, (), Random("other"))
    assert tomllib.loads((tmp_path / "hall.toml").read_text())["secrets"]["wifi"] == before


def test_a_wifi_that_asks_for_no_password(tmp_path: Path) -> None:
    provision(tmp_path, {"tables": 2, **CHURCH}, (), Random(1), wifi_password="")
    assert radio(tmp_path) == {"Church": {}}
    assert card(tmp_path, "head").files["secrets/web/wifi"] == "WIFI:T:nopass;S:Church;;\n"
    page = (tmp_path / "host.html").read_text("utf-8")
    assert "no password" in page
    assert "<p>Password" not in page


@pytest.mark.parametrize("word", ["short", "x" * 64, "zwölf Zeichen", "two\nlines here"])
def test_a_password_that_no_radio_takes_is_told(tmp_path: Path, word: str) -> None:
    with pytest.raises(ConfigError, match="must have 8 to 63 letters, digits and signs without accents"):
        provision(tmp_path / "out", {"tables": 2, **CHURCH}, (), Random(1), wifi_password=word)
    assert not (tmp_path / "out").exists()


def test_the_halls_own_wifi_cannot_do_without_a_password(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="must have 8 to 63"):
        provision(tmp_path / "out", {"tables": 2, **OWN}, (), Random(1), wifi_password="")


def test_a_table_with_a_number_pad_needs_nobody_at_its_pi(tmp_path: Path) -> None:
    provision(tmp_path, {"tables": 4, "keypad": (1, 2, 3), "usb": (3,)}, (), Random(1))
    found = {name: card(tmp_path, name).settings for name in ("head", "table2", "table3", "table4")}
    assert [(one["dice"], one["panel"]) for one in found.values()] == [
        ("none", "keypad"),
        ("none", "keypad"),
        ("serial", "keypad"),
        ("gpio", "gpio"),
    ]
    assert Config(panel="keypad").wired == set()


def test_only_the_pis_that_have_something_new_get_their_folders_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def told(*words: str) -> list[str]:
        assert main(["provision", "--out", str(tmp_path), *words]) == 0
        return capsys.readouterr().out.splitlines()

    told("--tables", "3")
    assert told("--tables", "4", "--keypad", "4") == [
        f"Copy what is in {tmp_path}/table4 onto the card of table 4.",
        f"Copy {tmp_path}/head-update/pi-bunco.toml onto the head's card: the new ones are let in then.",
    ]
    assert told("--ordinary", "2") == [
        f"The plan has changed for some: copy what is in {tmp_path}/table2 onto their cards again.",
        f"All files in {tmp_path} are written again; no password has changed.",
    ]
    assert told("--own-wifi", "--country", "DE")[0] == (
        "The plan has changed: every Pi is to get its folder again."
    )
    assert told() == [f"All files in {tmp_path} are written again; no password has changed."]


@pytest.mark.parametrize("text", ["3-1", "x", "1-", "1,,-2"])
def test_a_list_that_names_no_tables_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    with pytest.raises(SystemExit):
        main(["provision", "--out", str(tmp_path), "--tables", "3", "--usb", text])
    assert f"'{text}' names no tables; it must be such as 2,4-6" in capsys.readouterr().err


# What an earlier card brought.


def head_of(out: Path, root: Path) -> tuple[System, Pi]:
    """The head's Pi, which has taken its card."""
    system, traces = pi(root)
    taken(system, dropped(system, card(out, "head")))
    return system, traces


def test_a_code_of_a_wifi_that_is_not_used_any_more_goes_with_the_next_card(tmp_path: Path) -> None:
    out = tmp_path / "out"
    provisioned(out, phone=(3,), **OWN)
    system, traces = head_of(out, tmp_path / "pi")
    code, phone = system.places.secrets / "web/wifi", system.places.roles / "phones"
    assert code.exists()
    assert phone.exists()
    provisioned(out, replace=("7",))
    taken(system, dropped(system, card(out, "head-update")))  # brings a part, and takes nothing away
    assert code.exists()
    provision(out, {"wifi": "", "own_wifi": False, "phone": ()}, (), Random(1))
    del traces.lines[:]
    taken(system, dropped(system, card(out, "head")))
    assert not code.exists()
    assert not phone.exists()
    assert "systemctl --no-block restart pi-bunco-web.service" in traces.lines
    there = {str(file.relative_to(system.places.config)) for file in system.places.config.rglob("*/*")}
    assert set(card(out, "head").files) - {"ca.pem"} <= there


def test_a_head_that_becomes_a_table_keeps_no_secret_of_the_head(tmp_path: Path) -> None:
    out = tmp_path / "out"
    provisioned(out)
    system, _ = head_of(out, tmp_path / "pi")
    mine = system.places.config / "secrets/head/my-notes.txt"
    mine.write_text("no file of a card")
    taken(system, dropped(system, card(out, "table7")))
    left = {
        file for file in system.places.config.rglob("*/*") if file.is_file() and file.parent.name != "role"
    }
    assert left == {mine, system.places.secrets / "table/table7"}


def test_access_rules_of_before_become_those_of_the_version_that_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A card of before had no line by which a table sees that another one has its name."""
    out = tmp_path / "out"
    provisioned(out, hall="barn")
    system, traces = head_of(out, tmp_path / "pi")
    rules = system.places.broker / "acl"
    now = rules.read_text()
    rules.write_text(now.replace("pattern read bunco/v1/barn/%u/up/status\n", ""))
    del traces.lines[:]
    for step in adopt.renewed(system):
        step.apply()
    assert (rules.read_text(), rules.stat().st_mode & 0o777) == (now, 0o600)
    assert traces.lines[-1] == f"systemctl --no-block reload {BROKER}"
    assert adopt.renewed(system) == []
    rules.write_text("")
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert main(["adopt", "--root", str(system.places.root)]) == 0
    assert rules.read_text() == now == accounts.acl("barn")
    table, _ = pi(tmp_path / "table")
    assert adopt.renewed(table) == []
    assert handover.read(system.places.handover) is None
    assert Plan(2).wifi_name == ""
