"""A laptop's hall that Pis join one at a time: real brokers, TLS, accounts, a table as a process."""

import contextlib
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import httpx
import msgspec
import pytest
from msgspec.structs import replace

from hall.laptop import HEAD
from hall.laptop import __file__ as laptop_program
from hall.night import PATIENCE, Host, Night, Phone
from pi_bunco.cli import main
from pi_bunco.game.facts import Rolled
from pi_bunco.provision import handover
from pi_bunco.provision.addresses import BROKER_NAME
from pi_bunco.provision.folder import Folder
from pi_bunco.provision.laptop import LaptopHall, known_pis, laptop_hall
from pi_bunco.wire import broker as embedded
from pi_bunco.wire.address import BrokerAddress
from pi_bunco.wire.broker import Broker
from pi_bunco.wire.client import Connected, Disconnected, Received
from pi_bunco.wire.messages import Envelope
from pi_bunco.wire.topics import PREFIX
from ports import free_port
from wire.nodes import node
from wire.test_access import LEAKY

HALL = f"{PREFIX}/home"
NAMES = [f"Player {number}" for number in range(1, 13)]
BROKERS = [pytest.param("mosquitto", marks=pytest.mark.system("mosquitto")), "nats"]


class Laptop:
    """A night on a laptop with a broker of a kind, and the Pis that come to it."""

    def __init__(self, data: Path, broker: str) -> None:
        self.port, self._page, self._data, self._broker = free_port(), free_port(), data, broker
        self._pis: list[subprocess.Popen[str]] = []
        self.night = Night(data, self._page, command=self.command())

    def command(self, *pis: int) -> list[str]:
        """Starts the hall with Pis at these tables."""
        words = [str(self._data), str(self._page), str(self.port), self._broker, *map(str, pis)]
        return [sys.executable, laptop_program, *words]

    def switch_on(self, number: int, tmp_path: Path) -> None:
        """Puts the card of a table into its Pi, and waits until its service is there."""
        words = ["--number", str(number), "--broker", f"{HEAD}:{self.port}", "--data", str(tmp_path / "data")]
        tls = self.card(number, tmp_path)
        smart = ["--dice", "smart", "--panel", "smart", "--pace", "50", "--seed", "1"]
        command = [sys.executable, "-m", "pi_bunco", "table", "--config", "/dev/null", *words, *tls, *smart]
        pi = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self._pis.append(pi)
        assert pi.stdout is not None
        assert next(line for line in pi.stdout if not line.startswith("waiting")).startswith("ready: table 2")

    def card(self, number: int, folder: Path) -> list[str]:
        """Stores what the card of a table holds in `folder`; the options of a service that has it."""
        card = handover.read(self._data / "pis" / f"table{number}" / "pi-bunco.toml")
        assert card is not None
        assert card.settings["broker"]["address"] == f"{HEAD}:8883"
        for name, text in card.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        name = card.settings["broker"]["server_name"]
        return ["--ca", str(folder / "ca.pem"), "--server-name", name, "--secrets", str(folder / "secrets")]

    def close(self) -> None:
        """Everything ends."""
        for pi in self._pis:
            pi.terminate()
            assert pi.wait(PATIENCE) == 0
            assert pi.stdout is not None
            pi.stdout.close()
        self.night.close()


@pytest.fixture(params=BROKERS)
def laptop(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Laptop]:
    running = Laptop(tmp_path / "hall", request.param)
    yield running
    running.close()


def seated(night: Night, host: Host) -> str:
    """The evening's id, with three tables drawn."""
    host.done("evening_open", rules="gong", players=NAMES, sets=1)
    host.done("seats_draw")
    night.until(lambda evening: evening["next_seating"] is not None)
    return night.id


def play(night: Night, host: Host, phones: list[Phone]) -> None:
    """A round that the host ends, in which US is ahead at each phone."""
    rounds, end = len(night.evening()["rounds"]), time.monotonic() + PATIENCE
    while not (said := host.say("round_start"))["done"]:
        assert time.monotonic() < end, said
    night.until(lambda evening: evening["state"] == "round_open")
    for phone in phones:
        assert phone.tap("two") == 204
    host.done("round_end")
    end = time.monotonic() + PATIENCE
    while len(night.evening()["rounds"]) == rounds:
        assert time.monotonic() < end, night.evening()
        for phone in phones:
            assert phone.tap("ok") in (204, 409)


def test_a_table_gets_its_pi_in_the_middle_of_an_evening(laptop: Laptop, tmp_path: Path) -> None:
    night = laptop.night
    host, evening = Host(night), ""
    evening = seated(night, host)
    phones = [Phone(night, table) for table in (1, 2, 3)]
    for phone in phones:
        phone.join(evening)
    play(night, host, phones)
    night.again(laptop.command(2))
    laptop.switch_on(2, tmp_path / "pi")
    host = Host(night)
    play(night, host, [phones[0], phones[2]])
    tables = night.evening()["rounds"][1]["tables"]
    assert [table["table"] for table in tables] == [1, 2, 3]
    assert httpx.get(f"{night.page}/table/2/play").status_code == 404
    sources = {fact["source"] for fact in night.log() if fact["kind"] == "roll" and fact["table"] == 2}
    assert sources == {"panel", "dice"}, "a phone's taps of the first round, the dice of the second"


def test_kept_taps_of_a_phone_are_sent_once_the_table_has_a_pi(laptop: Laptop) -> None:
    night = laptop.night
    host = Host(night)
    evening = seated(night, host)
    phones = [Phone(night, table) for table in (1, 2, 3)]
    for phone in phones:
        phone.join(evening)
    play(night, host, phones)
    roll = Rolled(call="two", source="panel")
    kept = Envelope(1, evening, "0123456789", 1, 1, 1, None, None, 1, "b1", roll)
    box = night.data / "phones" / "phones.db"
    with contextlib.closing(sqlite3.connect(box)) as store, store:
        store.execute("INSERT INTO streams (stream, number) VALUES (?, 2)", (kept.stream,))
        store.execute(
            "INSERT INTO envelopes (evening, stream, seq, envelope) VALUES (?, ?, ?, ?)",
            (evening, kept.stream, kept.seq, msgspec.json.encode(kept).decode()),
        )
    night.again(laptop.command(2))
    end = time.monotonic() + PATIENCE
    while not committed(box, kept.stream):
        assert time.monotonic() < end, "the head never got it"
        night.until(lambda evening: True)
    assert httpx.get(f"{night.page}/table/2/play").status_code == 404


def committed(box: Path, stream: str) -> int:
    """The number of facts of an outbox's stream that the head has on disk, as its table knows."""
    with contextlib.closing(sqlite3.connect(box)) as store:
        row = store.execute("SELECT committed FROM acknowledged WHERE stream = ?", (stream,)).fetchone()
    return row[0] if row else 0


class House:
    def __init__(self, folder: Path, broker: Broker, made: LaptopHall) -> None:
        kept = Folder(folder).kept()
        assert kept is not None
        self.broker = broker
        self._passwords = {name: account.password for name, account in kept.accounts.items()}
        self._ca = str(made.ca)

    def account(self, name: str, password: str = "") -> BrokerAddress:
        """The way in under this name."""
        place, words = self.broker.address, password or self._passwords[name]
        return BrokerAddress.parse(place, user=name, password=words, ca=self._ca, name=BROKER_NAME)


@pytest.fixture(params=BROKERS)
def house(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[House]:
    """A broker as a laptop's hall starts it, and everybody's accounts."""
    made = laptop_hall(tmp_path / "pis", (2,), 3, HEAD, Random("pis"), free_port())
    with embedded.start(tmp_path / "broker", request.param, access=made.access) as broker:
        yield House(tmp_path / "pis", broker, made)


@LEAKY
def test_nobody_comes_in_without_an_account(house: House) -> None:
    for stranger in (
        house.account("table2", "wrong"),
        replace(house.account("head"), user=None, password=None),
    ):
        with node(stranger, "head") as one:
            assert "refuses" in one.expect(Disconnected).why
    with node(house.account("table2"), "table2") as table:
        table.expect(Connected)


@LEAKY
@pytest.mark.parametrize(
    "topic", ["table1/up/fact", "head/up/status", "web/up/command", "all/bell", "table1/down/view"]
)
def test_a_pi_speaks_for_itself_alone(house: House, topic: str) -> None:
    with (
        node(house.account("head"), "head", f"{HALL}/+/up/+", f"{HALL}/+/down/+", f"{HALL}/all/bell") as head,
        node(house.account("table2"), "table2", f"{HALL}/table2/down/+", f"{HALL}/all/round") as table,
    ):
        head.expect(Connected)
        table.expect(Connected)
        table.client.publish(f"{HALL}/{topic}", b"forged")
        table.client.publish(f"{HALL}/table2/up/fact", b"my own")
        while not isinstance(news := head.next(), Received):
            pass
        assert (news.topic, news.payload) == (f"{HALL}/table2/up/fact", b"my own")
        head.client.publish(f"{HALL}/all/round", b"open")
        while not isinstance(news := table.next(), Received):
            pass
        assert news.payload == b"open"


@LEAKY
def test_a_pi_reads_nothing_of_another_table(house: House) -> None:
    with (
        node(house.account("head"), "head") as head,
        node(house.account("table2"), "table2", f"{HALL}/table2/down/+") as table,
        node(house.account("table3"), "table3", f"{HALL}/table2/down/+") as thief,
    ):
        head.expect(Connected)
        table.expect(Connected)
        thief.next()  # in, or refused: what counts is that nothing comes
        head.client.publish(f"{HALL}/table2/down/view", b"secret")
        assert table.expect(Received).payload == b"secret"
        while not thief.idle():
            assert not isinstance(thief.next(), Received)


def test_cards_are_made_once_and_stay_valid_as_more_tables_get_a_pi(tmp_path: Path) -> None:
    out = tmp_path / "pis"
    assert known_pis(out) == ()
    first = laptop_hall(out, (2,), 4, "laptop.local", Random("one"))
    card = (out / "table2" / "pi-bunco.toml").read_text()
    assert (first.new, known_pis(out)) == ((2,), (2,))
    second = laptop_hall(out, (2, 6), 4, None, Random("two"))
    assert (second.new, known_pis(out), second.plan.address) == ((6,), (2, 6), "laptop.local:8883")
    assert (out / "table2" / "pi-bunco.toml").read_text() == card
    third = laptop_hall(out, (6,), 4, None, Random("three"))
    assert (third.new, known_pis(out)) == ((), (2, 6)), (
        "a card that stays at home tonight is none that is lost"
    )
    assert not (out / "head").exists()
    assert "pi-bunco hall --pis 2,6" in (out / "README.txt").read_text()


def test_a_hall_whose_tables_are_all_phones_says_how_one_gets_a_pi(tmp_path: Path) -> None:
    laptop_hall(tmp_path / "pis", (), 3, "laptop.local", Random("none"))
    text = (tmp_path / "pis" / "README.txt").read_text()
    assert "its tables with a Pi: none yet" in text
    assert "pi-bunco hall --pis N" in text


def test_where_tables_are_named_twice_it_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["hall", "--data", str(tmp_path), "--phones", "1-3", "--pis", "2,3"]
    assert main(options) == 2
    assert "table 2 is named with --phones and --pis; leave one of them out" in capsys.readouterr().err
