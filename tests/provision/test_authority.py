"""The authority gives one table one account; a card that comes later takes it away only if it means to."""

import os
import subprocess
import sys
from pathlib import Path
from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_bunco.enrol.protocol import Signature, SignRequest, draw_attempt
from pi_bunco.provision.authority import (
    JoinedAccount,
    answered,
    dumped,
    hashes,
    parsed,
    with_joined,
)
from pi_bunco.provision.system import BROKER, System
from provision.halls import card, provisioned
from provision.pis import Pi, pi, took

HASHES = [draw_attempt(Random(seed).randbytes).password_hash for seed in range(6)]


@pytest.fixture
def hall(tmp_path: Path) -> tuple[System, Pi, Path]:
    """A head that took its card, its traces, and the folder on the laptop."""
    system, traces = pi(tmp_path / "head")
    provisioned(tmp_path / "out")
    took(system, card(tmp_path / "out", "head"))
    traces.lines.clear()
    return system, traces, tmp_path / "out"


def accounts(system: System) -> dict[str, str]:
    return hashes((system.places.broker / "passwd").read_text())


def signed(system: System, table: int, password_hash: str) -> str:
    return answered(system, msgspec.json.encode(SignRequest(table, password_hash))).why


def test_the_tap_gives_exactly_that_request_the_account_of_that_table(hall: tuple[System, Pi, Path]) -> None:
    system, traces, out = hall
    before = accounts(system)
    assert signed(system, 7, HASHES[0]) == ""
    assert accounts(system) == before | {"table7": HASHES[0]}
    assert parsed((system.places.broker / "joined").read_text()) == {
        "table7": JoinedAccount(HASHES[0], before["table7"])
    }
    assert traces.lines[-1] == f"systemctl restart {BROKER}"  # who had it before is thrown out
    assert signed(system, 40, HASHES[1]) == ""
    assert accounts(system)["table40"] == HASHES[1]
    assert traces.lines[-1] == f"systemctl reload {BROKER}"  # nobody had it
    assert (system.places.broker / "passwd").stat().st_mode & 0o777 == 0o600
    assert answered(system, b"{}") == Signature((out / "ca/ca.pem").read_text())


def test_the_same_again_changes_nothing_and_disturbs_nobody(hall: tuple[System, Pi, Path]) -> None:
    system, traces, _ = hall
    signed(system, 7, HASHES[0])
    traces.lines.clear()
    assert signed(system, 7, HASHES[0]) == ""
    assert [line for line in traces.lines if "is-active" not in line] == []


def test_the_heads_own_table_is_not_given_away(hall: tuple[System, Pi, Path]) -> None:
    system, _, _ = hall
    before = accounts(system)
    assert signed(system, 1, HASHES[0]) == (
        "Table 1 plays at the head's own Pi: give the new Pi another number."
    )
    assert accounts(system) == before


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\xff",
        b'{"table": 0, "password_hash": "x"}',
        b'{"table": 801, "password_hash": null}',
        b'{"table": "head"}',
        b'{"table": 7, "password_hash": "$7$101$x\\nhead:y"}',
        b'{"table": 7, "name": "head"}',
        b"[" * 1000,
    ],
)
def test_malformed_request_changes_nothing(hall: tuple[System, Pi, Path], line: bytes) -> None:
    system, traces, _ = hall
    before = accounts(system)
    assert answered(system, line).why
    assert accounts(system) == before
    assert traces.lines == []


def test_a_pi_without_a_broker_signs_nothing(tmp_path: Path) -> None:
    system, _ = pi(tmp_path)
    assert "takes no Pis in" in signed(system, 2, HASHES[0])
    assert "takes no Pis in" in answered(system, b"{}").why


def test_a_broker_that_does_not_obey_leaves_all_as_it_was(hall: tuple[System, Pi, Path]) -> None:
    system, traces, _ = hall
    before = accounts(system)
    traces.fails["restart"] = "no such luck"
    assert "no such luck" in signed(system, 7, HASHES[0])
    assert accounts(system) == before
    assert not (system.places.broker / "joined").exists()


def test_an_update_of_the_card_leaves_who_joined(hall: tuple[System, Pi, Path]) -> None:
    system, _, out = hall
    signed(system, 7, HASHES[0])
    signed(system, 40, HASHES[1])
    provisioned(out, replace=("3",))
    took(system, card(out, "head-update"))
    found = accounts(system)
    assert (found["table7"], found["table40"]) == (HASHES[0], HASHES[1])
    took(system, card(out, "head"))
    assert accounts(system) == found


def test_a_new_card_for_its_table_shuts_a_pi_out_that_joined(hall: tuple[System, Pi, Path]) -> None:
    system, _, out = hall
    signed(system, 7, HASHES[0])
    signed(system, 6, HASHES[1])
    provisioned(out, replace=("7",))
    took(system, card(out, "head-update"))
    found = accounts(system)
    assert HASHES[0] not in found.values()
    assert found["table6"] == HASHES[1]
    assert parsed((system.places.broker / "joined").read_text()).keys() == {"table6"}


def test_the_copy_on_the_laptop_gives_a_new_heads_card_those_who_joined(
    hall: tuple[System, Pi, Path], tmp_path: Path
) -> None:
    system, _, out = hall
    signed(system, 7, HASHES[0])
    (out / "joined").write_bytes((system.places.broker / "joined").read_bytes())
    provisioned(out, replace=("head",))
    new, _ = pi(tmp_path / "new")
    took(new, card(out, "head"))
    assert accounts(new) == accounts(system)
    assert (new.places.broker / "joined").read_text() == (out / "joined").read_text()


def test_a_hall_that_begins_anew_knows_nobody_who_joined(
    hall: tuple[System, Pi, Path], tmp_path: Path
) -> None:
    system, _, _ = hall
    signed(system, 7, HASHES[0])
    signed(system, 40, HASHES[1])
    provisioned(tmp_path / "anew")
    took(system, card(tmp_path / "anew", "head"))
    assert accounts(system) == hashes(card(tmp_path / "anew", "head").files["broker/passwd"])


NODES = st.sampled_from(["table2", "table3", "table40"])
CARDS = st.dictionaries(NODES, st.sampled_from(HASHES[:3]))
JOINED = st.dictionaries(
    NODES, st.builds(JoinedAccount, st.sampled_from(HASHES[3:]), st.sampled_from(["", *HASHES[:3]]))
)


@given(CARDS, JOINED)
def test_who_joined_counts_until_the_card_says_something_else(
    on_card: dict[str, str], joined: dict[str, JoinedAccount]
) -> None:
    text, kept = with_joined("".join(f"{node}:{one}\n" for node, one in on_card.items()), joined)
    found = hashes(text)
    for node in {*on_card, *joined}:
        counts = node in joined and joined[node].instead == on_card.get(node, "")
        assert (node in kept) == counts
        assert found.get(node) == (joined[node].password_hash if counts else on_card.get(node))
    assert parsed(dumped(joined)) == joined
    assert with_joined("".join(f"{node}:{one}\n" for node, one in on_card.items()), kept) == (text, kept)


@given(st.text())
def test_a_file_that_somebody_spoilt_is_read_as_far_as_it_goes(text: str) -> None:
    for one in parsed(text).values():
        assert one.password_hash


def test_the_command_answers_one_line_with_one_line(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pi_bunco", "authority", "--root", str(tmp_path)]
    done = subprocess.run(
        command,
        input=b"{}\n{}\n",
        capture_output=True,
        env=os.environ,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    assert "takes no Pis in" in msgspec.json.decode(done.stdout, type=Signature).why
    assert done.stdout.count(b"\n") == 1
