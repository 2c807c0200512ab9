"""The services too refuse what the broker should have refused."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_bunco.game import facts
from pi_bunco.game.fields import TEXT_MAX_CHARS
from pi_bunco.head.answers import MAX_ANSWERS, asker, refusal
from pi_bunco.head.reasons import HostsOnly, Refused
from pi_bunco.wire.client import Received
from pi_bunco.wire.messages import Answer, Command, Envelope
from services.hall import Hall

TOP = "bunco/v1/home"


def refused(id: str) -> Answer:
    return refusal(id, Refused(HostsOnly()))


@pytest.fixture
def hall(tmp_path: Path) -> Hall:
    return playing(tmp_path)


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Hall:
    """A hall for what is to change nothing."""
    return playing(tmp_path_factory.mktemp("hall"))


def playing(folder: Path) -> Hall:
    hall = Hall(folder, 2)
    hall.open(8, "bonko")
    hall.do("round_start")
    hall.wait(100)
    return hall


def command(hall: Hall, node: str, name: str, by: str = "", id: str = "c1", **args: Any) -> list[Answer]:
    """The answers that a node gets to a command of its own."""
    before = len(hall.network.sent)
    hall.network.raw(f"{TOP}/{node}/up/command", msgspec.json.encode(Command(id, name, args, by)))
    hall.wait(200)
    sent = hall.network.sent[before:]
    return [
        msgspec.json.decode(payload, type=Answer)
        for _, topic, payload in sent
        if topic == f"{TOP}/{node}/down/answer"
    ]


def entries(hall: Hall) -> int:
    return len(hall.head.referee.log.entries)


@pytest.mark.parametrize("name", ["round_end", "bell_test", "evening_open", "undo", "evening_close", "who"])
@pytest.mark.parametrize("node", ["table1", "table2", "table7", "table999"])
def test_a_table_gives_no_commands(quiet: Hall, node: str, name: str) -> None:
    hall = quiet
    before, rings = entries(hall), list(hall.rings)
    answers = command(hall, node, name, by="ann", table=1)
    assert answers == [refused("c1")]
    assert entries(hall) == before
    assert hall.rings == rings
    assert hall.host.board.state == "round_open"


def test_a_tables_commands_neither_spend_nor_push_out_the_answers_of_hosts(hall: Hall) -> None:
    assert [one.done for one in command(hall, "host-ann", "round_end", id="k1")] == [True]
    for n in range(MAX_ANSWERS + 1):
        hall.network.raw(f"{TOP}/table2/up/command", msgspec.json.encode(Command(f"f{n}", "resume")))
    hall.wait(200)
    assert command(hall, "table2", "round_end", id="k1") == [refused("k1")]
    assert command(hall, "table2", "confirm", id="k2", table=1)[0].why == refused("k2").why
    assert [one.done for one in command(hall, "host-ann", "round_end", id="k1")] == [True]
    assert "k2" not in hall.head.referee.commands._answers


@pytest.mark.parametrize(
    ("node", "by", "journaled"),
    [
        ("host-ann", "ann", "ann"),
        ("host-ann", "host-ann", "host-ann"),
        ("host-cli", "", "host-cli"),
        ("host-cli", "ann", "ann (host-cli)"),
        ("web", "ann", "ann (web)"),
        ("web", "bell button", "bell button (web)"),
        ("web", "time", "time (web)"),
        ("web", "head", "head (web)"),
        ("host-time", "time", "host"),
        ("head", "bell button", "bell button"),
    ],
)
def test_the_journal_names_the_node_that_asked(hall: Hall, node: str, by: str, journaled: str) -> None:
    assert [one.done for one in command(hall, node, "round_end", by=by)] == [True]
    told = [one.decoded() for one in hall.head.referee.log.entries]
    closed = [one for one in told if isinstance(one, facts.RoundClose)]
    assert [fact.by for fact in closed] == [journaled]


@given(st.sampled_from(["web", "host-cli", "host-bob", "host-time"]), st.text(max_size=80))
def test_nobody_is_journaled_as_somebody_else(node: str, by: str) -> None:
    said = asker(node, by)
    assert said in (node, node.removeprefix("host-"), "host") or said.endswith(f"({node})")
    assert said != "time"
    assert len(said) <= TEXT_MAX_CHARS


def fact(hall: Hall, stream: str = "f00d", **changed: Any) -> bytes:
    evening = hall.head.referee.log.evening
    up, roll = int(hall.clock.now()), facts.Rolled((1, 1, 4), source="dice")
    one = Envelope(1, evening.id, stream, 1, 1, evening.epoch, None, None, up, "x", roll)
    plain = msgspec.to_builtins(one)
    return msgspec.json.encode(plain | {"fact": plain["fact"] | changed})


def test_a_fact_is_of_the_table_that_the_broker_let_say_it(hall: Hall) -> None:
    hall.network.raw(f"{TOP}/table1/up/fact", fact(hall, table=2, t=1, epoch=7))
    hall.wait(100)
    last = hall.head.referee.log.entries[-1]
    roll = last.decoded()
    assert isinstance(roll, facts.Roll)
    assert (roll.table, roll.epoch, last.origin and last.origin.table) == (1, 1, 1)


@pytest.mark.parametrize("kind", ["round_close", "bell", "evening_close", "decide", "turn", "hand"])
def test_a_table_tells_no_fact_of_the_heads(quiet: Hall, kind: str) -> None:
    hall, before = quiet, entries(quiet)
    told = fact(hall, kind, kind=kind, table=1, winner="US", seat="A", allowed=True)
    hall.network.raw(f"{TOP}/table1/up/fact", told)
    hall.wait(100)
    assert entries(hall) == before
    assert hall.host.board.state == "round_open"


@pytest.mark.parametrize(
    "node", ["table3", "table999", "table0", "table01", "host-ann", "web", "head", "all"]
)
@pytest.mark.parametrize("leaf", ["fact", "status", "beat", "clock", "need"])
def test_stranger_to_the_evening_changes_nothing(quiet: Hall, node: str, leaf: str) -> None:
    hall, evening = quiet, quiet.head.referee.log.evening.id
    says = {
        "fact": fact(hall, f"of-{node}"),
        "status": b'{"state":"online","session":"a","version":"1","boot":"b","stream":"c"}',
        "beat": b'{"outbox":0,"faults":["forged"]}',
        "clock": b'{"t0":1.0}',
        "need": msgspec.json.encode({"evening": evening, "from": 1}),
    }
    before, board = entries(hall), hall.host.board
    hall.network.raw(f"{TOP}/{node}/up/{leaf}", says[leaf])
    hall.wait(700)
    assert entries(hall) == before
    assert hall.host.board == board


@pytest.mark.parametrize(
    "topic",
    ["all/up/bell", "all/bell/x", "all/down/bell", "table2/all/bell", "table1/up/bell", "table1/down/bell"],
)
def test_lookalike_of_the_bell_stops_no_table(hall: Hall, topic: str) -> None:
    evening = hall.head.referee.log.evening
    forged = {"evening": evening.id, "epoch": 1, "signal": "end", "t": 1, "not_after": 10**9, "cause": "x"}
    for table in hall.tables.values():
        table.receive(Received(f"{TOP}/{topic}", msgspec.json.encode(forged), False))
    hall.wait(200)
    assert all(table.lights and table.lights.round == "running" for table in hall.tables.values())
    for table in hall.tables.values():
        table.receive(Received(f"{TOP}/all/bell", msgspec.json.encode(forged), False))
    assert all(table.lights and table.lights.round == "stop" for table in hall.tables.values())
