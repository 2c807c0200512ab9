"""Services as systemd runs them: what they tell it, and what does not end them."""

import contextlib
import os
import queue
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cards import card
from cli.processes import COMMAND, WAIT, Service, head, host, status, table
from pi_bunco.log import journal
from pi_bunco.runtime.store import rows
from pi_bunco.wire import outbox
from pi_bunco.wire.broker import Broker
from pi_bunco.wire.messages import Beat, HeadStatus
from wire.heard import latest

HEADER = "cannot be used: gpio = gpiod:/dev/none cannot be used on this machine"
GPIO = ("--gpio", "gpiod:/dev/none")
STATUS = "bunco/v1/home/all/head"
UNWRITTEN = "The journal cannot be written"
DEAF = """
import sys
from pi_bunco.cli import main
from pi_bunco.devices.dice.serial import SerialDice

def deaf(self):
    sys.stdin.readline()
    raise AssertionError("a bug in the thread that reads the dice")

SerialDice._read = deaf
main(sys.argv[1:])
"""


class Systemd:
    """Listens as systemd does: at once, since what has no room in the socket is lost."""

    def __init__(self, place: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(place))
        self._told: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._listen)
        self._thread.start()
        self.env = {"NOTIFY_SOCKET": str(place), "WATCHDOG_USEC": "400000"}

    def _listen(self) -> None:
        while text := self._socket.recv(4096).decode():
            self._told.put(text)

    def next(self) -> str:
        return self._told.get(timeout=WAIT)

    def until(self, text: str) -> list[str]:
        """The messages up to the one with that text."""
        told = [self.next()]
        while text not in told[-1]:
            told.append(self.next())
        return told

    def close(self) -> None:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as last:
            last.sendto(b"", self._socket.getsockname())
        self._thread.join()
        self._socket.close()


def faulty(words: str) -> Callable[[Beat | HeadStatus], bool]:
    """True if it tells of that fault; of this machine the doctor may have told others, in its own time."""
    return lambda told: any(words in fault for fault in told.faults)


@pytest.fixture
def systemd(tmp_path: Path) -> Iterator[Systemd]:
    with contextlib.closing(Systemd(tmp_path / "notify")) as listening:
        yield listening


@pytest.mark.parametrize("command", [["head"], ["table", "--number", "2"]])
def test_systemd_hears_that_it_is_ready_works_and_stops(
    command: list[str], systemd: Systemd, nowhere: str, tmp_path: Path
) -> None:
    name = " ".join(word for word in command if word != "--number")
    with Service(*command, "--broker", nowhere, "--data", tmp_path / "data", env=systemd.env) as service:
        told = systemd.until("READY=1")
        assert told[-1] == f"READY=1\nSTATUS=waiting: {name}, broker {nowhere} is not there yet"
        assert [systemd.next() for _ in range(5)] == ["WATCHDOG=1"] * 5
        assert service.terminate()[0] == 0
        assert set(systemd.until("STOPPING=1")) <= {"WATCHDOG=1", "STOPPING=1"}


def test_systemd_hears_nothing_more_once_a_thread_that_reads_the_dice_is_dead(
    systemd: Systemd, nowhere: str, tmp_path: Path
) -> None:
    options = ("--number", "1", "--broker", nowhere, "--data", tmp_path / "data", "--dice", "serial:none")
    with Service("table", *options, env=systemd.env, program=[sys.executable, "-c", DEAF]) as service:
        systemd.until("READY=1")
        systemd.until("WATCHDOG=1")
        service.tell("now")
        told = systemd.until("STATUS=")
        assert told[-1] == "STATUS=the dice ended; only a new start helps"
        service.until("ERROR: the dice ended; only a new start helps")
        assert service.terminate()[0] == 0
        assert systemd.next() == "STOPPING=1"


def test_a_table_without_a_header_plays_and_says_what_is_missing(broker: Broker, tmp_path: Path) -> None:
    gpio = ("--dice", "gpio", "--panel", "gpio", "--lights", "gpio", *GPIO)
    with table(broker, tmp_path, 2, *gpio) as service:
        assert service.ready().startswith("ready: table 2")
        said = service.until("The dice, the panel and the lights", HEADER)
        fault = said.strip().removeprefix("WARNING: ")
        beat = latest(broker, "bunco/v1/home/table2/up/beat", Beat, lambda beat: fault in beat.faults)
        assert beat.dice == ("unheard",) * 3
        assert service.terminate() == (0, "")
    kept = [text for (text,) in rows(tmp_path / "outbox.db", outbox.SCHEMA, "SELECT text FROM warnings")]
    assert any(HEADER in text for text in kept)


def test_a_head_without_a_header_plays_and_its_bell_is_silent(broker: Broker, tmp_path: Path) -> None:
    with head(broker, tmp_path, "--bell", "gpio", *GPIO) as service:
        assert service.ready().startswith("ready: head")
        service.until("The bell and the bell button", HEADER)
        latest(broker, STATUS, HeadStatus, faulty(HEADER))
        refused = host(broker, "bell-test")
        assert refused.returncode == 1
        assert b"/dev/none" in refused.stderr
        assert service.terminate() == (0, "")
    kept = [text for (text,) in rows(tmp_path / "journal.db", journal.SCHEMA, "SELECT text FROM warnings")]
    assert any(HEADER in text for text in kept)


@pytest.mark.parametrize("bad", ["read-only", "full", "never there"])
def test_a_card_that_cannot_be_written_ends_neither_table_nor_head(
    bad: str, broker: Broker, tmp_path: Path
) -> None:
    with card(tmp_path / "card") as one:
        if bad == "read-only":
            (one.path / "table").mkdir()
            (one.path / "head").mkdir()
        if bad == "full":
            one.fill()
        else:
            one.turn_read_only()
        with (
            head(broker, one.path / "head") as referee,
            table(broker, one.path / "table", 1, "--stdin") as first,
        ):
            assert referee.ready().startswith("ready: head")
            assert first.ready().startswith("ready: table 1")
            latest(broker, STATUS, HeadStatus, faulty(UNWRITTEN))
            latest(broker, "bunco/v1/home/table1/up/beat", Beat, faulty("cannot save"))
            assert host(broker, "open", "--players", "Ann,Bob,Cat,Dee").returncode == 0
            assert host(broker, "draw").returncode == 0
            while b"not heard" in (answer := host(broker, "start")).stderr:
                pass
            assert answer.returncode == 0
            first.until("round running", "turn A")
            first.tell("roll 1 1 2")
            first.until("US 2")
            while not status(broker)["score"]["board"]["tables"][0]["points"][0]:
                pass
            assert first.terminate()[0] == 0
            assert referee.terminate()[0] == 0


def test_a_card_that_can_be_written_again_has_everything(broker: Broker, tmp_path: Path) -> None:
    with card(tmp_path / "card") as one:
        one.turn_read_only()
        with head(broker, one.path / "head") as referee:
            assert referee.ready()
            referee.until(UNWRITTEN, "Read-only file system")
            assert host(broker, "open", "--players", "Ann,Bob,Cat,Dee").returncode == 0
            one.turn_writable()
            referee.until("The journal can be written again")
            latest(broker, STATUS, HeadStatus, lambda told: not faulty(UNWRITTEN)(told))
            assert referee.terminate()[0] == 0
        (evening,) = journal.evenings(one.path / "head" / "journal.db")
        assert evening.length == 1


@pytest.mark.parametrize("command", [["head"], ["table", "--number", "1"]])
def test_a_folder_in_which_this_user_may_not_write_ends_nobody(
    command: list[str], nowhere: str, tmp_path: Path
) -> None:
    (tmp_path / "data").mkdir(mode=0o555)
    unprivileged = ["setpriv", "--bounding-set", "-dac_override"] if os.geteuid() == 0 else []
    options = ("--broker", nowhere, "--data", tmp_path / "data")
    with Service(*command, *options, program=[*unprivileged, *COMMAND]) as service:
        assert service.ready()
        service.until("cannot", "Permission denied")
        assert service.terminate() == (0, "")
