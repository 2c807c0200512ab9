"""From a fresh Pi to a throw at the head: real broker, page, authority, join and table on loopback."""

import http.cookiejar
import re
import socketserver
import subprocess
import threading
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
import tomli_w
from msgspec import Struct

from cli.processes import COMMAND, WAIT, Service, run
from cli.test_services_cli import PEOPLE, SEATS, play
from pi_bunco.provision.authority import hashes
from ports import free_port
from provision.halls import VIRTUAL, HallBroker, card, provisioned

pytestmark = pytest.mark.system("mosquitto", "mosquitto_passwd")
PIN = "135790"
TABLE = ("--dice", "virtual", "--panel", "virtual", "--lights", "virtual", "--stdin")


class Head(Struct):
    """A head that takes Pis in, and its host's browser."""

    broker: HallBroker
    config: Path
    port: int
    browser: urllib.request.OpenerDirector

    def page(self, path: str, **form: str) -> str:
        data = urllib.parse.urlencode(form).encode() if form else None
        with self.browser.open(f"http://127.0.0.1:{self.port}{path}", data, timeout=WAIT) as answer:
            return str(answer.read().decode())

    def asking(self, words: str) -> str:
        """The page as soon as it shows these words."""
        until = time.monotonic() + WAIT
        while time.monotonic() < until:
            if words in (page := self.page("/host/pis")):
                return page
        raise AssertionError(page)

    def tap(self, words: str, **form: str) -> str:
        page = self.asking(words)
        section = page.partition(words)[2]
        fields = {
            name: re.findall(rf'name="{name}"\s+value="([^"]+)"', section)[0] for name in ("csrf", "id")
        }
        return self.page("/host/pis", **fields, **form)


@pytest.fixture
def head(tmp_path: Path) -> Iterator[Head]:
    provisioned(tmp_path / "out", (), tables=2, **VIRTUAL)
    etc = tmp_path / "head/etc/pi-bunco"
    etc.mkdir(parents=True)
    with HallBroker(tmp_path / "out", etc) as broker, authority(tmp_path, broker) as place:
        given = card(broker.out, "head")
        config = etc / "head.toml"
        config.write_text(broker.placed(tomli_w.dumps(given.settings)), "utf-8")
        (tmp_path / "pin").write_text(PIN)
        port = free_port()
        web = ("--config", config, "--data", tmp_path / "w", "--listen", f"127.0.0.1:{port}")
        more = ("--pin-file", tmp_path / "pin", "--authority", place)
        with (
            Service("head", "--config", config, "--data", tmp_path / "h") as referee,
            Service("web", *web, *more) as page,
        ):
            referee.ready()
            page.ready()
            jar = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
            made = Head(broker, config, port, urllib.request.build_opener(jar))
            made.page("/host/login", pin=PIN)
            yield made


class authority:  # noqa: N801 (a context, as a function would be)
    """Stands for systemd's pi-bunco-authority.socket, Accept=yes; tells the broker as the unit does."""

    def __init__(self, folder: Path, broker: HallBroker) -> None:
        root, place = folder / "head", folder / "authority.sock"

        class Accepted(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                subprocess.run(
                    [*COMMAND, "authority", "--root", root], stdin=self.request, stdout=self.request
                )
                broker.reload()

        self.server = socketserver.UnixStreamServer(str(place), Accepted)
        self.place = place

    def __enter__(self) -> Path:
        threading.Thread(target=self.server.serve_forever).start()
        return self.place

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()


class Joining:
    """A Pi with the package that asks."""

    def __init__(self, head: Head, root: Path) -> None:
        self.root = root
        command = [*COMMAND, "join", "--root", str(root), "--head", f"127.0.0.1:{head.port}"]
        self.process = subprocess.Popen(
            [*command, "--broker-port", str(head.broker.port)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def line(self, pattern: str) -> str:
        """The first line of its words with this pattern."""
        assert self.process.stdout
        lines = []
        for line in self.process.stdout:
            lines.append(line)
            if found := re.search(pattern, line):
                return found[0]
        raise AssertionError("".join(lines))

    def words(self) -> str:
        return self.line(r"[A-Z]{3,} [A-Z]{3,}").lower()

    def config(self, head: Head, number: int) -> Path:
        """Its settings, for a Pi whose files are below a folder."""
        text = (self.root / "etc/pi-bunco/pi-bunco.toml").read_text()
        file = self.root / f"table{number}.toml"
        file.write_text(text.replace("/etc/pi-bunco", str(self.root / "etc/pi-bunco")))
        return file

    def __enter__(self) -> "Joining":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()


def joined(head: Head, root: Path, number: int) -> Path:
    with Joining(head, root) as new:
        head.tap(new.words(), table=str(number), plays="gpio")
        new.line(f"This is the table of hall home, table {number}")
        assert new.process.wait(WAIT) == 0
        return new.config(head, number)


def test_a_fresh_pi_joins_by_one_tap_and_plays_a_round_at_a_real_head(head: Head, tmp_path: Path) -> None:
    config = joined(head, tmp_path / "pi", 2)
    assert hashes((head.broker.folder / "broker/passwd").read_text())["table2"].startswith("$7$")
    assert list((tmp_path / "head").rglob("*table2*")) == []  # the head never has the password
    own = [file for file in (tmp_path / "pi").rglob("*") if file.is_file() and "secrets" in file.parts]
    password = (tmp_path / "pi/etc/pi-bunco/secrets/table/table2").read_text().strip()
    assert [file.name for file in own] == ["table2"]
    assert password not in head.broker.log.read_text()
    host = ("host", "--config", head.config, "--wait", f"{WAIT / 2}")
    with (
        Service("table", "--config", head.config, "--data", tmp_path / "t1", "--stdin") as one,
        Service("table", "--config", config, "--data", tmp_path / "t2", *TABLE) as two,
    ):
        one.ready()
        assert two.ready() == f"ready: table 2, broker 127.0.0.1:{head.broker.port}\n"
        run(*host, "open", "--rules", "bonko", "--players", PEOPLE)
        run(*host, "seats", *SEATS)
        while run(*host, "start").returncode:
            pass
        play(one, two)


def test_replaced_pi_is_refused_and_the_new_one_plays(head: Head, tmp_path: Path) -> None:
    old = joined(head, tmp_path / "old", 2)
    new = joined(head, tmp_path / "new", 2)
    with Service("table", "--config", old, "--data", tmp_path / "t", *TABLE) as thief:
        thief.until("refuses table2")
    with Service("table", "--config", new, "--data", tmp_path / "t2", *TABLE) as two:
        assert two.ready().startswith("ready: table 2")


def test_a_strangers_pi_that_nobody_taps_has_nothing(head: Head, tmp_path: Path) -> None:
    before = (head.broker.folder / "broker/passwd").read_bytes()
    with Joining(head, tmp_path / "pi") as stranger:
        head.asking(stranger.words())
    assert not (tmp_path / "pi/etc").exists()
    assert not (tmp_path / "pi/var").exists()
    assert (head.broker.folder / "broker/passwd").read_bytes() == before


def test_a_pi_that_is_sent_away_says_so_and_stops(head: Head, tmp_path: Path) -> None:
    with Joining(head, tmp_path / "pi") as stranger:
        page = head.tap(stranger.words(), away="1")
        assert "No new Pi asks" in page
        stranger.line("sent the Pi away")
        stranger.line("every head has sent this Pi away")
        assert stranger.process.wait(WAIT) == 2


def test_an_impatient_pi_asks_anew_and_the_page_says_that_the_old_request_has_gone(
    head: Head, tmp_path: Path
) -> None:
    with Joining(head, tmp_path / "pi") as first:
        before = first.words()
        head.asking(before)
    with Joining(head, tmp_path / "pi") as second:
        after = second.words()
        assert before != after
        head.tap(after, table="2", plays="ordinary")
        second.line("table 2")
    assert 'dice = "none"' in (tmp_path / "pi/etc/pi-bunco/pi-bunco.toml").read_text()


def test_the_heads_own_table_and_a_pi_that_has_gone_are_refused_in_a_sentence(
    head: Head, tmp_path: Path
) -> None:
    with Joining(head, tmp_path / "pi") as new:
        words = new.words()
        page = head.tap(words, table="1", plays="gpio")
        assert "Table 1 plays at the head" in page
        assert words in page
        csrf = re.findall(r'name="csrf"\s+value="([^"]+)"', page)[0]
        page = head.page("/host/pis", csrf=csrf, id="0" * 64, table="2", plays="gpio")
        assert "That Pi has gone" in page
