"""`pi-bunco provision` as a host types it."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pi_bunco.cli import main
from pi_bunco.config import load
from pi_bunco.provision import bootfs
from provision.halls import card

Said = pytest.CaptureFixture[str]


def tell(out: Path, words: str, capsys: Said) -> list[str]:
    assert main(["provision", "--out", str(out), *words.split()]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    return said.out.splitlines()


def refused(out: Path, words: str, capsys: Said) -> str:
    assert main(["provision", "--out", str(out), *words.split()]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    return said.err


def test_a_hall_and_its_changes(tmp_path: Path, capsys: Said) -> None:
    assert tell(tmp_path, "--tables 12 --dice serial:/dev/ttyACM0 --hall barn", capsys) == [
        f"The hall barn with 12 tables is in {tmp_path}; keep that folder secret and safe.",
        f"Print {tmp_path}/labels.html, {tmp_path}/first-night.html and {tmp_path}/host.html, and read"
        f" {tmp_path}/README.txt: each Pi takes one folder.",
        "No package is on the cards yet: make it with systemd/package, and name it with --packages.",
    ]
    assert card(tmp_path, "table7").settings["dice"] == "serial:/dev/ttyACM0"
    assert tell(tmp_path, "", capsys) == [
        f"All files in {tmp_path} are written again; no password has changed."
    ]
    assert tell(tmp_path, "--tables 13 --replace 7", capsys) == [
        f"Copy what is in {tmp_path}/table7 onto the card of table 7.",
        f"Copy what is in {tmp_path}/table13 onto the card of table 13.",
        f"Copy {tmp_path}/head-update/pi-bunco.toml onto the head's card: the old passwords work until then.",
    ]
    assert tell(tmp_path, "--replace 1 head --replace 9", capsys) == [
        f"Copy what is in {tmp_path}/table9 onto the card of table 9.",
        f"Copy what is in {tmp_path}/head onto the head's new card: the tables tell it the evening.",
    ]
    assert tell(tmp_path, "--head 10.0.0.2", capsys)[0] == (
        "The plan has changed: every table's Pi is to get its folder again."
    )
    assert card(tmp_path, "table9").settings["broker"]["address"].startswith("10.0.0.2:8883,")
    assert card(tmp_path, "table9").settings["dice"] == "serial:/dev/ttyACM0"


def test_a_host_gets_a_folder_for_a_laptop_and_can_be_shut_out(tmp_path: Path, capsys: Said) -> None:
    out = tmp_path / "out"
    tell(out, "--tables 2", capsys)
    told = tell(out, "--host ann bob", capsys)
    assert told[0].startswith(f"Give ann the folder {out}/host-ann, on a stick and not by mail")
    assert told[0].endswith("There: pi-bunco host status --config host-ann/pi-bunco.toml")
    assert told[1].startswith("Give bob ")
    assert told[2].startswith(f"Copy {out}/head-update/pi-bunco.toml onto the head's card")
    shutil.copytree(out / "host-ann", tmp_path / "stick/host-ann")
    address = load({}, tmp_path / "stick/host-ann/pi-bunco.toml", ("broker.address",)).address("host-ann")
    assert (address.user, str(address)) == ("host-ann", "pi-bunco-head.local:8883")
    password = (out / "host-ann/password").read_text().strip()
    assert address.password == password
    files = {file: file.read_text() for file in out.rglob("*") if file.is_file()}
    assert {file.parent.name for file, text in files.items() if password in text} == {"host-ann", "out"}
    assert tell(out, "--host ann", capsys)[-1].endswith("no password has changed.")
    assert [line.split()[1] for line in tell(out, "--replace host-ann", capsys)] == [
        "ann",
        f"{out}/head-update/pi-bunco.toml",
    ]
    assert (out / "host-ann/password").read_text().strip() != password
    assert "it must be head, host-ann, host-bob or a table from 1 to 2" in refused(
        out, "--replace host-eve", capsys
    )
    for name in ("cli", "Ann", "a" * 21, "a/b"):
        assert f"--host {name} is not allowed" in refused(out, f"--host {name}", capsys)


@pytest.mark.parametrize("only", ["ca", "host-ann", "..", "head-update", "table9"])
def test_what_is_no_pis_folder_goes_onto_no_card(tmp_path: Path, capsys: Said, only: str) -> None:
    card = tmp_path / "bootfs"
    card.mkdir()
    for name in bootfs.SIGNS:
        (card / name).touch()
    words = f"--tables 2 --host ann --card {card} --only {only}"
    assert "it must be one of head, table2" in refused_late(tmp_path / "hall", words, capsys)
    assert sorted(file.name for file in card.iterdir()) == sorted(bootfs.SIGNS)


def refused_late(out: Path, words: str, capsys: Said) -> str:
    """The refusal of a card, once the folder is made."""
    assert main(["provision", "--out", str(out), *words.split()]) == 2
    return capsys.readouterr().err


def test_no_password_is_told(tmp_path: Path, capsys: Said) -> None:
    told = "\n".join(tell(tmp_path, "--tables 3", capsys) + tell(tmp_path, "--replace 2", capsys))
    words = [text.strip() for path, text in card(tmp_path, "head").files.items() if "secrets" in path]
    assert len(words) == 8
    assert not [word for word in words if word in told]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("", "--tables is missing; say how many tables play, for example --tables 12"),
        ("--tables 0", "--tables 0 is not allowed; it must be a whole number from 1 (the head table) to 800"),
    ],
)
def test_bad_input_is_told_in_a_sentence(tmp_path: Path, words: str, why: str, capsys: Said) -> None:
    assert refused(tmp_path / "new", words, capsys).startswith(f"pi-bunco provision: {why}")
    assert not (tmp_path / "new").exists()


def test_words_for_numbers(tmp_path: Path, capsys: Said) -> None:
    with pytest.raises(SystemExit) as left:
        main(["provision", "--out", str(tmp_path), "--tables", "many"])
    assert left.value.code == 2
    assert "invalid int value: 'many'" in capsys.readouterr().err


def test_without_the_extra_it_says_how_to_get_it(tmp_path: Path) -> None:
    program = (
        "import sys; sys.modules['cryptography'] = None; from pi_bunco.cli import main; sys.exit(main())"
    )
    command = [sys.executable, "-c", program, "provision", "--out", str(tmp_path / "out"), "--tables", "3"]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (
        2,
        "pi-bunco provision: the Python package cryptography is not installed;"
        " pip install cryptography brings it\n",
    )
    assert not (tmp_path / "out").exists()


def test_a_first_run_that_was_cut_short_says_all_the_same_what_to_do(tmp_path: Path, capsys: Said) -> None:
    first = tell(tmp_path, "--tables 1", capsys)
    assert first[0] == f"The hall home with 1 table is in {tmp_path}; keep that folder secret and safe."
    (tmp_path / "labels.html").unlink()
    assert tell(tmp_path, "", capsys) == first


def test_two_versions_of_a_package_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It would be anybody's guess which of them is installed."""
    for version in ("0.9", "1.0"):
        (tmp_path / f"pi-bunco_{version}_all.deb").touch()
    words = ["provision", "--out", str(tmp_path / "hall"), "--tables", "2", "--packages", str(tmp_path)]
    assert main(words) == 2
    assert "pi-bunco_0.9_all.deb and pi-bunco_1.0_all.deb: leave all but one" in capsys.readouterr().err


def test_in_a_folder_that_is_gone_nothing_is_replaced(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["provision", "--out", str(tmp_path / "gone"), "--replace", "2"]) == 2
    told = capsys.readouterr().err
    assert "gone has none: name it with --out" in told
    assert "--tables" not in told


def test_a_new_package_and_an_update_of_the_head_say_how_they_get_onto_the_pis(
    tmp_path: Path, capsys: Said
) -> None:
    out, card, package = tmp_path / "hall", tmp_path / "bootfs", tmp_path / "pi-bunco_1.0_all.deb"
    card.mkdir()
    for name in (*bootfs.SIGNS, "meta-data", "user-data"):
        (card / name).touch()
    package.touch()
    tell(out, "--tables 2", capsys)
    assert tell(out, f"--packages {package}", capsys)[-1] == (
        "The package is in each Pi's folder: copy the head's onto its card; tables take it from there."
    )
    assert tell(out, f"--replace 2 --only head-update --card {card}", capsys)[-2:] == [
        f"Copy {out}/head-update/pi-bunco.toml onto the head's card: the old passwords work until then.",
        f"1 file is on {card}, read back. Eject it, and put it into the Pi.",
    ]


def test_the_cards_of_a_laptops_hall_lack_the_package_too_until_it_is_named(
    tmp_path: Path, capsys: Said
) -> None:
    assert tell(tmp_path, "--tables 2 --laptop --head 10.0.0.2", capsys)[-1] == (
        "No package is on the cards yet: make it with systemd/package, and name it with --packages."
    )
