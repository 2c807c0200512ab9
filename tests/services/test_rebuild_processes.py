"""A head that is killed with its card in mid-round, and a new one, as real processes at a real broker."""

import shutil
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from cli.processes import Service, done, head, host, run, table
from pi_bunco.journal.journal import Entry
from pi_bunco.sim import evidence
from pi_bunco.wire import broker as embedded
from pi_bunco.wire.broker import Broker
from pi_bunco.wire.client import Connected, Received
from pi_bunco.wire.gate import decode, encode
from pi_bunco.wire.messages import LogCopy, RoundInfo, Status
from wire.nodes import Node, node

PLAYERS = "Ann,Bob,Cat,Dee,Eve,Flo,Gus,Hal,Ida,Jon,Kim,Lea"
ALL = "bunco/v1/home/all/+"


def smart(broker: Broker, folder: Path, number: int) -> Service:
    more = ("--dice", "smart", "--panel", "smart", "--pace", "40", "--seed", "7")
    return table(broker, folder / f"table{number}", number, *more)


def heard(web: Node) -> LogCopy | RoundInfo:
    """The next entry of the journal, or news of the round."""
    while True:
        event = web.next()
        if isinstance(event, Received) and event.topic.endswith(("/log", "/round")) and event.payload:
            message = decode(event.topic, event.payload, event.retained)
            assert isinstance(message, LogCopy | RoundInfo)
            return message


def until_entry(web: Node, n: int) -> None:
    while not (isinstance(message := heard(web), LogCopy) and message.n >= n):
        pass


def until_between(web: Node) -> None:
    while not (isinstance(message := heard(web), RoundInfo) and message.phase == "between"):
        pass


def log(data: Path) -> list[Entry]:
    return evidence.entries(data / "journal.db")


@pytest.mark.system("mosquitto")
def test_a_new_head_goes_on_with_the_round_in_which_the_old_one_was_lost(tmp_path: Path) -> None:
    bells, first, second = tmp_path / "bells", tmp_path / "head", tmp_path / "new"
    with (
        embedded.start(tmp_path / "broker", "mosquitto") as broker,
        smart(broker, tmp_path, 1) as one,
        smart(broker, tmp_path, 2) as two,
        smart(broker, tmp_path, 3) as three,
        node(broker, "web", ALL) as web,
    ):
        web.expect(Connected)
        with head(broker, first, "--bell", f"virtual:{bells}") as referee:
            for service in (one, two, three, referee):
                service.ready()
            done(broker, "open", "--rules", "bonko", "--players", PLAYERS, "--set", "end.points=60",
                 "--set", "end.bunco=false")  # fmt: skip
            done(broker, "draw")
            while (answer := host(broker, "start")).returncode:
                assert b"not heard" in answer.stderr
            until_entry(web, 100)
            referee.process.kill()
        before = log(first)
        shutil.rmtree(first)
        with head(broker, second, "--bell", f"virtual:{bells}", "--rebuild") as referee:
            assert "facts of evening" in referee.until("holds", "taking them")
            taken = int(referee.until("goes on from the").partition(" the ")[2].split()[0])
            until_between(web)
            for service in (one, two, three, referee):
                assert service.terminate()[0] == 0
        after = log(second)
        assert taken >= 100
        assert after[:taken] == before[:taken]
    held = evidence.saved([tmp_path / f"table{n}" / "outbox.db" for n in (1, 2, 3)], after[0].evening)
    found = evidence.examine(after, held, bells)
    assert found.complaints == []
    assert (found.rounds, found.starts, found.ends) == (1, 1, 1)
    assert len(before) - taken <= found.rolls


@pytest.mark.system("mosquitto")
def test_a_journal_with_evenings_is_not_rebuilt_and_a_marker_beside_it_asks_for_more(tmp_path: Path) -> None:
    data = tmp_path / "head"
    with embedded.start(tmp_path / "broker", "mosquitto") as broker, smart(broker, tmp_path, 2) as two:
        with head(broker, data) as referee, node(broker, "web", ALL) as web:
            two.ready()
            referee.ready()
            done(broker, "open", "--rules", "bonko", "--players", PLAYERS)
            done(broker, "draw")
            until_entry(web, 2)
            referee.terminate()
        evening = log(data)[0].evening
        refused = run("head", "--broker", broker.address, "--data", data, "--rebuild")
        assert refused.returncode == 2
        assert f"has evenings ({evening})" in refused.stderr.decode()
        assert refused.stdout == b""
        (data / "rebuild").touch()
        with head(broker, data) as referee:
            assert "2 facts that the journal has" in referee.until("no table holds more of it")
            assert done(broker, "close") == "The evening is closed.\n"
            assert referee.terminate()[0] == 0
        assert not (data / "rebuild").exists()


@pytest.mark.system("mosquitto")
@pytest.mark.parametrize(("file", "words"), [("rebuild", b""), ("journal.db", b"torn" * 1000)])
def test_a_marker_or_a_damaged_journal_asks_the_tables_and_sigterm_ends_the_waiting(
    tmp_path: Path, file: str, words: bytes
) -> None:
    data = tmp_path / "head"
    data.mkdir()
    (data / file).write_bytes(words)
    with embedded.start(tmp_path / "broker", "mosquitto") as broker:
        with head(broker, data) as referee, node(broker, "table1", "bunco/v1/home/table1/down/+") as one:
            one.expect(Connected)
            born = encode(Status("online", "s", "1", "b", "st"))
            assert one.client.publish("bunco/v1/home/table1/up/status", born, qos=1, retain=True)
            asked = one.expect(Received)
            assert (asked.topic, asked.payload) == (
                "bunco/v1/home/table1/down/need",
                b'{"evening":null,"from":1}',
            )
            assert referee.terminate()[0] == 0
        assert (data / "rebuild").exists()


IMPATIENT = """
import sys
from pi_bunco.cli import main
from pi_bunco.head import rebuild
rebuild.WAIT = 1000.0
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.system("mosquitto")
@pytest.mark.parametrize("beside", [False, True])
def test_tables_that_are_switched_on_late_are_asked_as_well(tmp_path: Path, beside: bool) -> None:
    """`beside`: the table on the head's own Pi is there at once, has lost its card as well, and says so."""
    with ExitStack() as own, embedded.start(tmp_path / "broker", "mosquitto") as broker:
        with smart(broker, tmp_path, 1) as one, head(broker, tmp_path / "head") as referee:
            one.ready()
            referee.ready()
            with node(broker, "web", ALL) as web:
                web.expect(Connected)
                done(broker, "open", "--rules", "bonko", "--players", "Ann,Bob,Cat,Dee")
                done(broker, "draw")
                until_entry(web, 2)
            assert [service.terminate()[0] for service in (one, referee)] == [0, 0]
        before, data = log(tmp_path / "head"), tmp_path / "new"
        data.mkdir()
        (data / "rebuild").touch()
        if beside:
            own.enter_context(smart(broker, tmp_path, 2)).ready()
        program = [sys.executable, "-c", IMPATIENT]
        with Service("head", "--broker", broker.address, "--data", data, program=program) as referee:
            referee.until("the head begins without")
            assert done(broker, "status").startswith("No evening is open.")
            assert (data / "rebuild").exists()
            with smart(broker, tmp_path, 1) as one:
                assert "2 facts of evening" in referee.until("Table 1 holds", "taking them")
                referee.until("goes on from the")
                assert done(broker, "close") == "The evening is closed.\n"
                assert not (data / "rebuild").exists()
                assert [service.terminate()[0] for service in (one, referee)] == [0, 0]
        assert log(data)[:2] == before[:2]


@pytest.mark.system("mosquitto")
def test_a_head_that_opens_an_evening_meanwhile_asks_no_more(tmp_path: Path) -> None:
    data = tmp_path / "head"
    data.mkdir()
    (data / "rebuild").touch()
    program = [sys.executable, "-c", IMPATIENT]
    with (
        embedded.start(tmp_path / "broker", "mosquitto") as broker,
        Service("head", "--broker", broker.address, "--data", data, program=program) as referee,
        node(broker, "table1", "bunco/v1/home/table1/down/+") as one,
    ):
        one.expect(Connected)
        referee.until("the head begins without")
        assert host(broker, "start").returncode == 1
        assert (data / "rebuild").exists()
        done(broker, "open", "--rules", "bonko", "--players", PLAYERS)
        assert not (data / "rebuild").exists()
        born = encode(Status("online", "s", "1", "b", "st"))
        assert one.client.publish("bunco/v1/home/table1/up/status", born, qos=1, retain=True)
        told = {""}
        while "ack" not in told:
            told.add(one.expect(Received).topic.rpartition("/")[2])
        assert done(broker, "close") == "The evening is closed.\n"
        assert referee.terminate()[0] == 0
        while not one.idle():
            told.add(one.expect(Received).topic.rpartition("/")[2])
        assert "need" not in told
