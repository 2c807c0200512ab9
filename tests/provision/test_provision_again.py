"""A second run over a hall's folder: what it keeps, what it changes, and what it refuses."""

import tomllib
from pathlib import Path
from random import Random
from typing import Any

import pytest
from cryptography import x509

from pi_bunco.config import ConfigError
from pi_bunco.errors import ProvisionError
from pi_bunco.provision.folder import Folder
from pi_bunco.provision.handover import PiSettings
from pi_bunco.provision.plan import Plan
from pi_bunco.provision.provision import provision
from pi_bunco.provision.seed import SCRIPT
from provision.halls import card, provisioned, tree


def test_a_second_run_changes_nothing(tmp_path: Path) -> None:
    provisioned(tmp_path)
    before = tree(tmp_path)
    made = provision(tmp_path, {}, (), Random("other"))
    assert (tree(tmp_path), made.renewed) == (before, set())


def test_more_tables_leave_the_others_as_they_are(tmp_path: Path) -> None:
    provisioned(tmp_path)
    before = tree(tmp_path)
    made = provision(tmp_path, {"tables": 9}, (), Random("other"))
    after = tree(tmp_path)
    assert made.renewed == {"table8", "table9"}
    changed = {"hall.toml", "head/pi-bunco.toml", "labels.html", "README.txt"}
    assert {name for name, content in before.items() if after[name] != content} == changed
    files = ("pi-bunco.toml", "user-data", "network-config", SCRIPT)
    new = {f"{name}/{file}" for name in ("table8", "table9") for file in files} | {
        "head-update/pi-bunco.toml"
    }
    assert after.keys() - before.keys() == new | {"head-update/pi-bunco.toml"}
    assert "\ntable9:$7$101$" in card(tmp_path, "head-update").files["broker/passwd"]


def test_a_replaced_table_has_another_password_and_the_head_hears_of_it(tmp_path: Path) -> None:
    provisioned(tmp_path)
    before = tree(tmp_path)
    made = provisioned(tmp_path, replace=("7",))
    after = tree(tmp_path)
    assert made.renewed == {"table7"}
    changed = {"hall.toml", "head/pi-bunco.toml", "table7/pi-bunco.toml"}
    assert {name for name, content in before.items() if after[name] != content} == changed
    update = card(tmp_path, "head-update")
    assert (update.device, update.settings) == (PiSettings("head", 1, "home"), {})
    assert update.files == {"broker/passwd": card(tmp_path, "head").files["broker/passwd"]}


def test_a_replaced_head_keeps_its_secrets_and_counts_on(tmp_path: Path) -> None:
    provisioned(tmp_path)
    before = card(tmp_path, "head")
    assert provisioned(tmp_path, replace=("head",)).renewed == set()
    after = card(tmp_path, "head")
    key, base = before.files.pop("secrets/head/log-key").split()
    assert base == "0"
    assert after.files.pop("secrets/head/log-key") == f"{key} 10000\n"  # another card counts on above
    assert (after.files, after.settings) == (before.files, before.settings)
    assert after.device == PiSettings("head", 1, "home")
    assert not (tmp_path / "head-update").exists()


def test_several_are_replaced_at_once(tmp_path: Path) -> None:
    provisioned(tmp_path)
    assert provisioned(tmp_path, replace=("3", "head", "7")).renewed == {"table3", "table7"}
    assert card(tmp_path, "head").files["secrets/head/log-key"].endswith(" 10000\n")


def test_the_heads_own_table_is_replaced_by_its_update_until_it_is_taken(tmp_path: Path) -> None:
    provisioned(tmp_path)
    provisioned(tmp_path, replace=("1",))
    word = card(tmp_path, "head-update").files["secrets/table/table1"]
    provisioned(tmp_path, replace=("7",))  # which the head may take as its first
    assert card(tmp_path, "head-update").files["secrets/table/table1"] == word
    assert card(tmp_path, "head").files["secrets/table/table1"] == word


def test_a_head_without_a_table(tmp_path: Path) -> None:
    provisioned(tmp_path, head_table=False, head="192.168.8.10")
    head, one = card(tmp_path, "head"), card(tmp_path, "table1")
    assert (head.device.number, "number" in head.settings, "dice" in head.settings) == (0, False, False)
    assert "secrets/table/table1" not in head.files
    assert one.settings["broker"]["address"].startswith("192.168.8.10:8883,")
    provisioned(tmp_path, replace=("1",))
    assert set(card(tmp_path, "head-update").files) == {"broker/passwd"}


def test_an_ipv6_head(tmp_path: Path) -> None:
    provisioned(tmp_path, head="fd00::10")
    assert card(tmp_path, "table7").settings["broker"]["address"].startswith("[fd00::10]:8883,")


# What cannot be.


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"tables": 0}, "--tables 0 is not allowed; it must be a whole number from 1"),
        ({"tables": 1000}, "--tables 1000 is not allowed"),
        ({"hall": "My Hall"}, "--hall My Hall is not allowed; it must be the name of the hall"),
        ({"head": "10.0.0.1:8883"}, "without a port"),
        ({"head": "a b"}, "--head a b is not allowed"),
        ({"head": ""}, "--head  is not allowed"),
        ({"head": "192.168.8"}, "--head 192.168.8 is not allowed"),
        ({"head": "192.168.8.300"}, "--head 192.168.8.300 is not allowed"),
        ({"dice": "wood"}, "--dice wood is not allowed; it must be "),
        ({"tables": 0, "bell": "gong"}, "--bell gong is not allowed"),
        ({"usb": (4,)}, "--usb 4 is not allowed; there are tables 1 to 3"),
        ({"keypad": (4,)}, "--keypad 4 is not allowed; there are tables 1 to 3"),
        ({"usb": (2,), "phone": (2,)}, "table 2 is named with --usb and --phone"),
        ({"keypad": (2,), "phone": (2,)}, "table 2 is named with --phone and --keypad"),
        ({"wifi": "x"}, "--country is missing"),
        ({"wifi": "x", "country": "de"}, "--country de must be the two letters"),
        ({"wifi": "x", "country": "ZZ"}, "--country ZZ must be the two letters"),
        ({"wifi": "x", "country": "UK"}, "--country UK must be the two letters of the country, such as DE"),
        ({"wifi": "x", "own_wifi": True, "country": "DE"}, "cannot be both"),
        ({"wifi": "x" * 33, "country": "DE"}, "at most 32 bytes"),
        ({"wifi": "x", "country": "DE"}, "the password of the Wi-Fi x is missing"),
        ({"own_wifi": True, "country": "DE", "channel": 36}, "--channel 36 is not allowed"),
        ({"own_wifi": True, "country": "US", "channel": 12}, " from 1 to 11"),
        (
            {"own_wifi": True, "country": "DE", "hall": "a" * 27},
            "is too long for --own-wifi: the name of its",
        ),
        ({"timezone": "somewhere else"}, "--timezone somewhere else is not allowed"),
        ({"timezone": "Europe/Berlim"}, "--timezone Europe/Berlim is not allowed"),
        ({"ssh_key": "-----BEGIN OPENSSH PRIVATE KEY-----"}, "holds no public key"),
    ],
)
def test_wishes_that_cannot_be(tmp_path: Path, asked: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError) as raised:
        provision(tmp_path / "out", {"tables": 3} | asked, (), Random(1))
    assert words in str(raised.value)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("asked", "replace", "words"),
    [
        ({"hall": "barn"}, (), "this folder is that of hall home"),
        ({"tables": 6}, (), "this folder has 7 tables already"),
        ({"head_table": False}, (), "table 1 runs on the head's Pi in this folder"),
        ({}, ("8",), "--replace 8 is not allowed; it must be head or a table from 1 to 7"),
        ({}, ("0",), "--replace 0"),
        ({}, ("table7",), "--replace table7"),
        ({}, ("²",), "--replace ²"),
    ],
)
def test_changes_that_cannot_be(
    tmp_path: Path, asked: dict[str, Any], replace: tuple[str, ...], words: str
) -> None:
    provisioned(tmp_path)
    before = tree(tmp_path)
    with pytest.raises(ConfigError) as raised:
        provision(tmp_path, asked, replace, Random(1))
    assert words in str(raised.value)
    assert tree(tmp_path) == before


def test_nothing_is_replaced_in_a_new_folder(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="has a hall already"):
        provision(tmp_path / "out", {"tables": 7}, ("7",), Random(1))


def test_a_folder_whose_first_run_was_cut_before_its_first_file_was_whole_is_begun_anew(
    tmp_path: Path,
) -> None:
    """On a head that makes its hall nobody is there who could empty it."""
    (tmp_path / ".hall.toml.new").write_bytes(b"")
    made = provision(tmp_path, {"tables": 3}, (), Random(1))
    assert made.before is None
    assert not (tmp_path / ".hall.toml.new").exists()


def test_folders_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", "utf-8")
    (tmp_path / "full").mkdir()
    (tmp_path / "full/holiday.jpg").write_bytes(b"x")
    for out, words in (
        ("file", "is a file; name a folder"),
        ("full", "holds other things"),
        ("file/below", "cannot be used: Not a directory"),
    ):
        with pytest.raises(ProvisionError, match=words):
            provision(tmp_path / out, {"tables": 3}, (), Random(1))
    with pytest.raises(ProvisionError, match="cannot be used"):
        provision(Path("/proc/pi-bunco"), {"tables": 3}, (), Random(1))
    assert [one.name for one in (tmp_path / "full").iterdir()] == ["holiday.jpg"]


def test_an_authority_is_never_made_anew_unasked(tmp_path: Path) -> None:
    provisioned(tmp_path)
    (tmp_path / "ca/ca.pem").unlink()
    before = tree(tmp_path)
    with pytest.raises(ProvisionError, match=r"ca\.pem is missing"):
        provision(tmp_path, {"tables": 9}, (), Random(1))
    assert tree(tmp_path) == before


def test_a_damaged_hall_is_told_without_its_passwords(tmp_path: Path) -> None:
    provisioned(tmp_path)
    file = tmp_path / "hall.toml"
    for text in (
        file.read_text("utf-8").replace('password = "', "password = "),
        "[plan]\ntables = 'x'\n",
        "",
    ):
        file.write_text(text, "utf-8")
        with pytest.raises(ProvisionError) as raised:
            provision(tmp_path, {}, (), Random(1))
        assert str(raised.value) == (
            f"{file} is damaged; take it from a backup, or provision anew in another folder"
        )
        assert raised.value.__suppress_context__


@pytest.mark.parametrize("name", ["hall.toml", "ca/ca.pem", "ca/key.pem", "head/pi-bunco.toml", "README.txt"])
def test_a_run_that_was_cut_short_is_finished_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    write = Folder.write

    def cut(folder: Folder, file: str, text: str) -> None:
        write(folder, file, text)
        if file == name:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Folder, "write", cut)
        with pytest.raises(KeyboardInterrupt):
            provisioned(tmp_path)
    provision(tmp_path, {}, (), Random("other"))
    after = tree(tmp_path)
    assert provision(tmp_path, {}, (), Random("third")).renewed == set()
    assert tree(tmp_path) == after
    head = card(tmp_path, "head").files
    issued = [x509.load_pem_x509_certificate(head[path].encode()) for path in ("broker/cert.pem", "ca.pem")]
    issued[0].verify_directly_issued_by(issued[1])


def test_two_runs_at_once_do_not_mix(tmp_path: Path) -> None:
    provisioned(tmp_path)
    before = tree(tmp_path)
    with (
        Folder(tmp_path).alone(),
        pytest.raises(ProvisionError, match="is being changed by another run; wait for its end"),
    ):
        provisioned(tmp_path, replace=("7",))
    assert tree(tmp_path) == before
    assert provisioned(tmp_path, replace=("7",)).renewed == {"table7"}


def test_a_replacement_that_was_cut_short_is_done_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    provisioned(tmp_path)
    with monkeypatch.context() as patched:
        patched.setattr("pi_bunco.provision.labels.readme", cut_short)
        with pytest.raises(KeyboardInterrupt):
            provisioned(tmp_path, replace=("7",))
    assert provision(tmp_path, {}, ("7",), Random("again")).renewed == {"table7"}
    words = card(tmp_path, "table7").files["secrets/table/table7"]
    kept = tomllib.loads((tmp_path / "hall.toml").read_text("utf-8"))["accounts"]["table7"]["password"]
    assert words == f"{kept}\n"


def cut_short(_plan: Plan) -> str:
    raise KeyboardInterrupt
