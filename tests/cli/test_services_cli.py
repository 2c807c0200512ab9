import queue
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cli.processes import WAIT, Service, done, head, host, replayed, status, table
from pi_bunco.cli import main
from pi_bunco.wire import broker as embedded
from pi_bunco.wire.address import BrokerAddress
from pi_bunco.wire.broker import Broker
from pi_bunco.wire.client import Client, Connected, Received, SessionEvent
from pi_bunco.wire.gate import decode, encode
from pi_bunco.wire.messages import HeadStatus, RoundInfo

PEOPLE = "Ann,Bob,Cat,Dee,Eve,Flo,Gus,Hal"
SEATS = ("Ann,Bob,Cat,Dee", "Eve,Flo,Gus,Hal")


def test_a_round_of_typed_rolls_is_what_its_journal_says(broker: Broker, tmp_path: Path) -> None:
    with (
        head(broker, tmp_path / "head", "--bell", f"virtual:{tmp_path / 'rings'}") as referee,
        table(broker, tmp_path / "one", 1, "--stdin") as one,
        table(broker, tmp_path / "two", 2, "--stdin") as two,
    ):
        assert referee.ready() == f"ready: head, broker {broker.address}\n"
        assert one.ready() == f"ready: table 1, broker {broker.address}\n"
        assert two.ready() == f"ready: table 2, broker {broker.address}\n"
        done(broker, "open", "--rules", "bonko", "--players", PEOPLE)
        done(broker, "seats", *SEATS)
        start_once_both_are_heard(broker)
        play(one, two)
        shown = until_between(broker)
        assert shown["rounds_played"] == 1
        for service in (one, two, referee):
            assert service.terminate() == (0, "")
    played = replayed(tmp_path / "head")
    assert played["standings"] == as_replay(shown["standings"])
    assert played["next_seating"] == shown["next_seating"]
    assert played["traveler"] == shown["traveler"] == "Bob"
    assert played["state"] == shown["state"] == "between_rounds"
    assert [one["points"] for one in played["rounds"][0]["tables"]] == [[0, 23], [2, 0]]
    assert played["rounds"][0]["bell"]["player"] == "Bob"
    assert [one["ignored"] for one in played["rounds"][0]["tables"]] == [0, 1]
    assert len((tmp_path / "rings").read_bytes().splitlines()) == 2


def start_once_both_are_heard(broker: Broker) -> None:
    while (answer := host(broker, "start")).returncode:
        assert b"not heard" in answer.stderr
    assert b" has started: the target is " in answer.stdout


def play(one: Service, two: Service) -> None:
    """A round of ones: Bob's Bunco rings the bell, and what table 2 rolls after it does not count."""
    for service in (one, two):
        service.until("round running", "turn A")
    two.tell("roll 1 2 1")
    two.until("US 2, THEM 0")
    one.tell("roll 2 3 4")
    one.until("turn B")
    one.tell("nonsense")
    one.until("not understood")
    one.tell("roll 1 1 2")
    one.until("THEM 2")
    one.tell("roll 1 1 1")
    for service in (one, two):
        service.until("round stop", "press ok")
    two.tell("roll 1 1 1")
    two.until("Does not count")
    for service in (one, two):
        service.tell("press ok")
    for service in (one, two):
        service.until("Wait for the bell")


def until_between(broker: Broker) -> dict[str, object]:
    while (shown := status(broker)["score"]["board"])["state"] != "between_rounds":
        assert shown["state"] == "after_bell"
    return dict(shown)


def as_replay(standings: object) -> dict[str, dict[str, int]]:
    assert isinstance(standings, dict)
    names = ("wins", "losses", "buncos", "minis", "points")
    return {player: dict(zip(names, card, strict=True)) for player, card in standings.items()}


def test_smart_players_who_wait_for_nothing_finish_an_evening(tmp_path: Path) -> None:
    with (
        embedded.start(tmp_path / "broker") as broker,
        head(broker, tmp_path / "head", "--no-bell-limits") as referee,
        table(broker, tmp_path / "one", 1, "--dice", "smart", "--pace", "max", "--seed", "1") as one,
        table(broker, tmp_path / "two", 2, "--dice", "smart:2", "--panel", "smart", "--pace", "max") as two,
    ):
        for service in (referee, one, two):
            service.ready()
        done(broker, "open", "--rules", "classic", "--players", "Ann,Bob,Cat,Dee,Eve,Flo", "--sets", "1")
        done(broker, "draw")
        for number in range(1, 7):
            start_once_both_are_heard(broker)
            wait_for_the_end(broker, number)
        for service in (one, two, referee):
            assert service.terminate() == (0, "")
    assert replayed(tmp_path / "head")["state"] == "finished"


def wait_for_the_end(broker: Broker, epoch: int) -> None:
    events: queue.SimpleQueue[SessionEvent] = queue.SimpleQueue()
    client = Client(BrokerAddress.parse(broker.address), "test", events.put, ["bunco/v1/home/all/round"])
    client.start()
    try:
        while True:
            match events.get(timeout=WAIT):
                case Received(topic, payload, retained):
                    info = decode(topic, payload, retained)
                    assert isinstance(info, RoundInfo)
                    if info.epoch == epoch and info.phase in ("between", "finished"):
                        return
    finally:
        client.close()


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("command", [["head"], ["table", "--number", "1"]])
def test_service_waits_and_ends_without_a_broker(
    command: list[str], ending: signal.Signals, nowhere: str, tmp_path: Path
) -> None:
    with Service(*command, "--broker", nowhere, "--data", tmp_path) as service:
        assert service.ready().endswith(f", broker {nowhere} is not there yet\n")
        service.until("cannot be reached")
        service.process.send_signal(ending)
        assert service.process.wait(WAIT) == 0


def test_the_end_of_standard_input_is_not_the_end_of_the_table(nowhere: str, tmp_path: Path) -> None:
    with Service("table", "--number", "1", "--stdin", "--broker", nowhere, "--data", tmp_path) as service:
        service.ready()
        service.tell("press one")
        service.until("No round is open")
        assert service.process.stdin
        service.process.stdin.write(b"roll 1 1 7")
        service.process.stdin.close()
        service.until("three faces from 1 to 6")
        assert service.terminate() == (0, "")


def test_a_table_plays_although_neither_of_its_files_can_be_used(nowhere: str, tmp_path: Path) -> None:
    for name in ("outbox.db", "replica.db"):
        (tmp_path / name).mkdir()
    with Service("table", "--number", "1", "--stdin", "--broker", nowhere, "--data", tmp_path) as service:
        assert service.ready().startswith("waiting: table 1")
        service.until("no replica is kept")
        service.tell("press one")
        service.until("No round is open")
        assert service.terminate() == (0, "")


def test_only_one_is_head(broker: Broker, tmp_path: Path) -> None:
    with head(broker, tmp_path / "head") as first:
        first.ready()
        done(broker, "status")
        with head(broker, tmp_path / "other") as second:
            assert second.process.wait(WAIT) == 2
            second.until("is head of home already")
        with head(broker, tmp_path / "head") as third:
            assert third.process.wait(WAIT) == 2
            third.until(f"process {first.process.pid} is head already")
        with head(broker, tmp_path / "other", "--hall", "barn") as elsewhere:
            assert elsewhere.ready()


def test_a_head_that_only_the_broker_remembers_is_no_head(broker: Broker, tmp_path: Path) -> None:
    """After a power cut a broker with a memory tells for ever that the old head is online."""
    topic = "bunco/v1/home/all/head"
    events: queue.SimpleQueue[SessionEvent] = queue.SimpleQueue()
    client = Client(BrokerAddress.parse(broker.address), "old", events.put, [topic])
    client.start()
    try:
        assert isinstance(events.get(timeout=WAIT), Connected)
        client.publish(topic, encode(HeadStatus("online", "of-yesterday")), qos=1, retain=True)
        assert isinstance(events.get(timeout=WAIT), Received)
    finally:
        client.close()
    with head(broker, tmp_path) as referee:
        assert referee.ready() == f"ready: head, broker {broker.address}\n"


def test_the_runtime_folder_of_systemd_knows_what_has_rung(broker: Broker, tmp_path: Path) -> None:
    run = tmp_path / "run"
    with head(broker, tmp_path / "head", env={"RUNTIME_DIRECTORY": f"{run}:/elsewhere"}) as referee:
        referee.ready()
        done(broker, "bell-test")
        assert b'"test:' in (run / "rung.jsonl").read_bytes()
        assert not (tmp_path / "head" / "rung.jsonl").exists()


def test_a_damaged_journal_is_set_aside_and_the_head_works(nowhere: str, tmp_path: Path) -> None:
    (tmp_path / "journal.db").write_bytes(b"torn" * 1000)
    with Service("head", "--broker", nowhere, "--data", tmp_path) as service:
        assert service.ready().startswith("waiting: head")
        said = service.until("The journal begins anew: the journal", "journal.db")
        assert said.endswith(f"it is kept; set aside as {tmp_path}/journal.db.damaged-1.\n")
        assert service.terminate() == (0, "")
    assert (tmp_path / "journal.db.damaged-1").read_bytes() == b"torn" * 1000


def test_all_that_is_wrong_is_told_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["table", "--number", "x", "--broker", "a b", "--dice", "bones"]) == 2
    said = capsys.readouterr().err
    for word in ("--number x", "'a b' is no broker address", "--dice bones", "--data is missing"):
        assert word in said


def test_a_file_of_another_user_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "head.lock").mkdir()
    assert main(["head", "--broker", "h", "--data", str(tmp_path)]) == 2
    assert "head.lock cannot be used: Is a directory" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "needs", "not_loaded"),
    [
        ("table", "table.service", "rich asyncio pi_bunco.head pi_bunco.play pi_bunco.devices.bell.sound"),
        (
            "phones",
            "table.phones.phones_service",
            "rich pi_bunco.head pi_bunco.table.service pi_bunco.devices.virtual",
        ),
        ("web", "web.service", "importlib.resources pi_bunco.table.controller pi_bunco.devices.virtual"),
    ],
)
def test_a_service_loads_nothing_that_it_does_not_need(name: str, needs: str, not_loaded: str) -> None:
    code = (
        f"import sys; from pi_bunco.cli import main; main([{name!r}]);"
        f"import pi_bunco.{needs}; print(*sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=WAIT)
    loaded = found.stdout.decode().split()
    assert {f"pi_bunco.{needs}", "pi_bunco.config"} <= set(loaded)
    assert not set(not_loaded.split()) & set(loaded)
