"""The demo as a newcomer runs it: real processes, a real broker, a terminal."""

import contextlib
import json
import os
import pty
import re
import select
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from chromium import chromium
from pi_bunco.cli import main
from pi_bunco.cli.hall import has_screen
from pi_bunco.game import codec, facts
from pi_bunco.game.apply import apply
from pi_bunco.game.evening import Evening
from pi_bunco.game.replay import replay, report
from pi_bunco.game.scoreboard import scoreboard
from pi_bunco.hall.demo import names
from pi_bunco.hall.evidence import differences
from pi_bunco.play.lengths import AFTER_BELL, set_rolls, set_seconds
from pi_bunco.rules import PRESETS, preset

GENEROUS = 100.0
BROKERS = [pytest.param("mosquitto", marks=pytest.mark.system("mosquitto")), "nats"]
COMMAND = [sys.executable, "-m", "pi_bunco", "demo"]


@contextmanager
def started(tmp_path: Path, *options: str, **how: Any) -> Iterator[subprocess.Popen[bytes]]:
    """The demo as a process with its temporary files under `tmp_path`."""
    environment = os.environ | {"TMPDIR": str(tmp_path), "TERM": "xterm-256color", "COLUMNS": "100"}
    with subprocess.Popen([*COMMAND, *options], env=environment, **how) as process:
        try:
            yield process
        finally:
            process.kill()


def finished(tmp_path: Path, *options: str) -> tuple[int, str, str]:
    """The exit status of the demo, and what it says on both outputs."""
    with started(tmp_path, *options, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        out, errors = process.communicate(timeout=GENEROUS)
    return process.returncode, out.decode(), errors.decode()


def children(tmp_path: Path) -> dict[int, list[str]]:
    """The command lines of all processes that have something to do with `tmp_path`."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (folder / "cmdline").read_bytes().decode().split("\0")
            if any(str(tmp_path) in word for word in words):
                found[int(folder.name)] = words
    return found


def port(processes: dict[int, list[str]]) -> int:
    """The port of the broker that these processes go to."""
    words = next(words for words in processes.values() if "--broker" in words)
    return int(words[words.index("--broker") + 1].rpartition(":")[2])


def refused(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


def await_line(process: subprocess.Popen[bytes], begin: bytes) -> None:
    assert process.stdout
    for line in process.stdout:
        if line.startswith(begin):
            return
    pytest.fail(f"it ended before {begin!r}")


def check(summary: dict[str, Any], players: int) -> None:
    """That the summary is of a complete and consistent evening of one set."""
    assert summary["complaints"] == []
    assert (summary["lost"], summary["double"], summary["changed"], summary["equal"]) == (0, 0, 0, True)
    assert summary["bells"] == {"start": 6, "end": 6}
    assert summary["rounds"] == len(summary["evening"]["rounds"]) == 6
    assert summary["evening"]["state"] == "finished"
    assert list(summary["evening"]["standings"]) == list(names(players))
    assert summary["rolls"] > 60


@pytest.mark.parametrize("broker", BROKERS)
def test_an_evening_as_fast_as_it_goes(tmp_path: Path, broker: str) -> None:
    kept = tmp_path / "kept"
    options = ("--speed", "max", "--json", "--players", "7", "--sets", "1", "--broker", broker)
    status, out, errors = finished(tmp_path, *options, "--keep", str(kept))
    assert (status, errors) == (0, "")
    summary = json.loads(out)
    check(summary, 7)
    assert (summary["tables"], summary["kills"], summary["deaths"], summary["gaps"]) == (2, {}, [], 0)
    with (kept / "evening.jsonl").open("rb") as lines:
        assert json.loads(json.dumps(report(replay(lines, "kept")))) == summary["evening"]
    assert children(tmp_path) == {}
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


@pytest.mark.long
def test_an_evening_survives_its_hosts_clumsiness(tmp_path: Path) -> None:
    options = ("--speed", "max", "--json", "--players", "8", "--chaos", "--seed", "3")
    status, out, errors = finished(tmp_path, *options)
    assert (status, errors) == (0, "")
    summary = json.loads(out)
    check(summary, 8)
    assert set(summary["kills"]) <= {"table", "head", "broker"}
    assert sum(summary["kills"].values()) >= 3
    assert summary["deaths"] == []
    assert children(tmp_path) == {}
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("broker", BROKERS)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_ctrl_c_leaves_nothing_behind(tmp_path: Path, broker: str, number: signal.Signals) -> None:
    with started(tmp_path, "--speed", "20", "--broker", broker, stdout=subprocess.PIPE) as process:
        await_line(process, b"Set 1, round 1 has begun.")
        running = children(tmp_path)
        process.send_signal(number)
        assert process.wait(GENEROUS) == 130
    assert len(running) == 6, "broker, head, page, and a table each for twelve players"
    assert children(tmp_path) == {}
    assert refused(port(running))
    assert list(tmp_path.iterdir()) == []


def test_even_a_killed_demo_leaves_no_process_behind(tmp_path: Path) -> None:
    with started(tmp_path, "--speed", "20", stdout=subprocess.PIPE) as process:
        await_line(process, b"Set 1, round 1 has begun.")
        running = children(tmp_path)
        watches = [os.pidfd_open(pid) for pid in running]
        process.kill()
        for watch in watches:
            assert select.select([watch], [], [], GENEROUS)[0]
            os.close(watch)
    assert refused(port(running))


class Terminal:
    """A terminal of 100 columns in which a program runs."""

    def __init__(self, end: int) -> None:
        self.text = ""
        self._seen = 0
        self._end = end

    def until(self, words: str) -> None:
        """Reads until `words` have come since the last time."""
        self._seen = self._found(re.escape(words), self._seen).end()

    def match(self, pattern: str) -> tuple[str, ...]:
        """Reads until the pattern is in all that came; its groups."""
        return self._found(pattern, 0).groups()

    def _found(self, pattern: str, start: int) -> re.Match[str]:
        ends = time.monotonic() + GENEROUS
        while not (found := re.compile(pattern).search(self.text, start)):
            assert self._read(ends), f"no {pattern!r} before the end in {self.text[-2000:]!r}"
        return found

    def rest(self) -> str:
        """Reads to the end."""
        ends = time.monotonic() + GENEROUS
        while self._read(ends):
            pass
        return self.text

    def _read(self, ends: float) -> bool:
        """Waits for more until `ends`, however much came before; False where nothing comes any more."""
        left = ends - time.monotonic()
        assert left > 0, f"it goes on and on: {self.text[-2000:]!r}"
        assert select.select([self._end], [], [], left)[0], f"nothing comes after {self.text[-2000:]!r}"
        try:
            data = os.read(self._end, 65536)
        except OSError:  # Linux says EIO when nobody holds the other end any more
            return False
        self.text += data.decode("utf-8", "replace")
        return bool(data)

    def press(self, key: str) -> None:
        """Presses a key."""
        os.write(self._end, key.encode())


@contextmanager
def hosts_page() -> Iterator[Page]:
    """A browser window that waits for as long as a busy machine takes."""
    with chromium() as browser:
        page = browser.new_page()
        page.set_default_timeout(GENEROUS * 1000)
        yield page


@pytest.mark.system("chromium")
def test_a_person_can_be_the_host(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    options = ("--host", "me", "--players", "4", "--speed", "50", "--no-browser")
    with (
        started(tmp_path, *options, stdin=theirs, stdout=theirs, stderr=theirs) as process,
        hosts_page() as page,
    ):
        os.close(theirs)
        terminal = Terminal(ours)
        terminal.until("Enter: the bell starts a round")
        address, pin = terminal.match(r"Host's page: (http://127\.0\.0\.1:\d+/host), PIN\s+(\d{6})")
        terminal.until("Scoreboard: ")
        page.goto(address)
        page.fill("input[name=pin]", pin)
        page.keyboard.press("Enter")
        page.wait_for_url(address)
        page.goto(f"{address}/prepare?panel=money")
        page.click("button[value=open]")
        page.goto(address)
        page.click("button:has-text('Start round')")
        terminal.until("Set 1, round 1 has begun.")
        terminal.press("e")
        terminal.match(r"The bell: |1 of 6 rounds are played\.")
        page.goto(f"{address}?table=1")
        forgot = page.locator("button:has-text('Press OK for them')")
        forgot.or_(page.locator("button:has-text('Start round 2')")).first.dispatch_event("click")
        terminal.until("1 of 6 rounds are played.")
        terminal.press("q")
        shown = terminal.rest()
        assert process.wait(GENEROUS) == 0, shown
    os.close(ours)
    assert re.search("[12] rounds?, ", shown)
    assert "The bell at " in shown
    assert "A replay of the journal gives the same evening." in shown
    assert "Rules: house rules on classic, finished." in shown
    assert list(tmp_path.iterdir()) == []


def finished_evening(address: str) -> dict[str, Any]:
    """The evening, once the page has all of it: a night this fast may be over before the page starts."""
    ends = time.monotonic() + GENEROUS
    while time.monotonic() < ends:
        with contextlib.suppress(OSError):
            evening: dict[str, Any] = json.load(
                urllib.request.urlopen(f"{address}/api/evening", timeout=GENEROUS)
            )
            if evening["state"] == "finished":
                return evening
        select.select([], [], [], 0.1)
    raise AssertionError(f"no finished evening at {address}")


def test_the_pages_stay_after_the_night_for_who_sits_at_a_terminal(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    options = ("--players", "4", "--speed", "500", "--no-browser")
    with started(tmp_path, *options, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        terminal = Terminal(ours)
        terminal.until("The pages stay until you press Enter: ")
        (address,) = terminal.match(r"press Enter: (http://127\.0\.0\.1:\d+)/")
        assert len(finished_evening(address)["rounds"]) == 6
        terminal.press("\n")
        terminal.rest()
        assert process.wait(GENEROUS) == 0
    os.close(ours)
    assert list(tmp_path.iterdir()) == []


def test_an_older_night_is_not_played_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "journal.db").touch()
    assert main(["demo", "--keep", str(tmp_path)]) == 2
    assert "name a new folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("platform", "environment", "screen"),
    [
        ("linux", {}, False),
        ("linux", {"DISPLAY": ":0"}, True),
        ("linux", {"WAYLAND_DISPLAY": "wayland-0"}, True),
        ("linux", {"DISPLAY": "localhost:10.0", "SSH_CONNECTION": "10.0.0.2 1 10.0.0.1 22"}, False),
        ("darwin", {}, True),
        ("win32", {}, True),
    ],
)
def test_a_page_is_opened_only_where_there_is_a_screen(
    platform: str, environment: dict[str, str], screen: bool
) -> None:
    assert has_screen(platform, environment) == screen


def test_everybody_has_a_name_of_their_own() -> None:
    assert len(set(names(60))) == 60
    assert names(5) == ("Ann", "Bob", "Cat", "Dee", "Eve")


def test_a_set_has_as_many_rolls_as_the_odds_say() -> None:
    assert set_rolls(preset("bonko")) == pytest.approx(6 * 49.859753)
    assert set_rolls(preset("mybunco")) == pytest.approx(6 * (216 + AFTER_BELL["finish_turn"]))


@pytest.mark.parametrize("name", PRESETS)
def test_a_set_takes_longer_than_its_rolls(name: str) -> None:
    assert set_seconds(preset(name)) > 2 * set_rolls(preset(name))


def test_awaited_prize_roll_ends_with_the_evening() -> None:
    """A tie for most Buncos waits for throws until the evening is closed; the board may be of before."""
    seats = ("Ann", "Bob", "Cat", "Dee")
    told: list[facts.Fact] = [
        facts.EveningOpen(0, "classic", seats, id="e1", overrides={"evening.sets": 1}, ghosts=()),
        facts.Seating(0, (seats,)),
    ]
    for face in range(1, 7):
        t = 1000 * face
        dice = {1: [(2, 3, 4), (1, 1, 1)], 2: [(2, 2, 2)]}.get(face, [])
        told += [facts.RoundOpen(t), *(facts.Roll(t + n, 1, one) for n, one in enumerate(dice, 1))]
        told += [facts.RoundClose(t + 50), facts.Decide(t + 60, 1, "US")]
    evening = Evening()
    for fact in told:
        apply(evening, fact)
    shown = scoreboard(evening, {})
    lines = [codec.encode(fact) for fact in (*told, facts.EveningClose(9000))]
    played = replay(lines, "log")
    assert shown.state == "finished"
    assert shown.rolling
    assert differences(shown, played) == []


def test_a_scoreboard_that_shows_something_else_is_not_the_same() -> None:
    assert differences(None, replay([], "nothing"))
