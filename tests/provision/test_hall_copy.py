"""A copy of a hall that its head's Pi made: whole on a laptop with the key, and nothing without it."""

import os
from pathlib import Path
from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_bunco.cli import main
from pi_bunco.cli import provision as command
from pi_bunco.enrol.protocol import SignRequest, draw_attempt
from pi_bunco.errors import ProvisionError
from pi_bunco.provision.authority import answered, hashes
from pi_bunco.provision.hall_copy import copy_key, open_copy, sealed
from pi_bunco.provision.system import System
from provision.halls import card, provisioned
from provision.pis import pi, took

HASH = draw_attempt(Random(1).randbytes).password_hash


@pytest.fixture
def head(tmp_path: Path) -> System:
    """A head that made its hall, and took a Pi in as table 5."""
    system, _ = pi(tmp_path / "head")
    hall = system.places.state / "hall"
    provisioned(hall, tables=1)
    took(system, card(hall, "head"))
    answered(system, msgspec.json.encode(SignRequest(5, HASH)))
    return system


def copied(system: System) -> tuple[bytes, str]:
    """The files that the page hands out, and the key of the screen."""
    key = copy_key((system.places.state / "hall/ca/ca-key.pem").read_text())
    return answered(system, msgspec.json.encode(SignRequest(copy=True))).copy, key


def test_a_laptop_makes_another_head_of_the_copy_which_knows_who_joined(
    head: System, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data, key = copied(head)
    out, file = tmp_path / "out", tmp_path / "hall.copy"
    file.write_bytes(data)
    monkeypatch.setattr(command, "hidden", lambda _: key.upper())
    assert main(["provision", "--out", str(out), "--copy", str(file), "--replace", "head"]) == 0
    assert f"The hall home with 1 table is in {out}" in capsys.readouterr().out
    new, _ = pi(tmp_path / "new")
    took(new, card(out, "head"))
    assert hashes((new.places.broker / "passwd").read_text())["table5"] == HASH
    assert (new.places.config / "ca.pem").read_text() == (head.places.config / "ca.pem").read_text()
    assert (new.places.secrets / "web/pin").read_text() == (head.places.secrets / "web/pin").read_text()
    assert (out / "ca/ca-key.pem").stat().st_mode & 0o777 == 0o600


def test_the_copy_is_nothing_without_the_key_and_says_which_one_it_wants(
    head: System, tmp_path: Path
) -> None:
    data, key = copied(head)
    for path in (head.places.state / "hall").rglob("*.pem"):
        assert path.read_bytes().splitlines()[1] not in data
    for wrong in ("", "abcd-efgh-jkmn-pqrs", key[:-1]):
        with pytest.raises(ProvisionError, match="16 letters and digits on the head's screen"):
            open_copy(data, wrong, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@given(st.integers(0, 400), st.integers(1, 255))
def test_a_copy_that_was_changed_anywhere_is_refused(at: int, flip: int) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        hall = Path(name, "hall")
        for file in ("hall.toml", "ca/ca.pem", "ca/ca-key.pem", "ca/cert.pem", "ca/key.pem"):
            (hall / file).parent.mkdir(exist_ok=True, parents=True)
            (hall / file).write_text(file * 20)
        data = bytearray(sealed(hall, "", os.urandom))
        data[at % len(data)] ^= flip
        with pytest.raises(ProvisionError):
            open_copy(bytes(data), copy_key("ca/ca-key.pem" * 20), Path(name, "out"))


def test_a_folder_with_a_hall_is_left_alone(head: System, tmp_path: Path) -> None:
    data, key = copied(head)
    provisioned(tmp_path / "out")
    with pytest.raises(ProvisionError, match="has a hall already"):
        open_copy(data, key, tmp_path / "out")


def test_a_head_whose_hall_a_laptop_made_says_where_it_is(tmp_path: Path) -> None:
    system, _ = pi(tmp_path)
    signature = answered(system, msgspec.json.encode(SignRequest(copy=True)))
    assert signature.copy == b""
    assert "made on a laptop" in signature.why
