"""A hall as its own process, with everybody in it as an HTTP client: the host, and phones as tables."""

import contextlib
import itertools
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx

from pi_bunco.web.site.login import Login, TableCodes

PATIENCE = 60.0
"""Seconds in which what is awaited must happen, on a machine however busy."""
LISTEN = 2.0
"""Seconds of silence after which it is asked again how things stand."""
UNANSWERED = ("The head did not answer", "The head table's Pi is not there")
"""The page's words in place of an answer; the same command may be given again."""
Evening = dict[str, Any]


class Night:
    """A running hall; `page` is its address."""

    def __init__(
        self,
        data: Path,
        port: int,
        broker: str = "mosquitto",
        tables: int = 12,
        *,
        options: Sequence[str] = (),
        command: Sequence[str] = (),
    ) -> None:
        """`tables` play at most; `options` go to the hall, `command` starts another one."""
        self.data = data
        self.page = f"http://127.0.0.1:{port}"
        self.printed: list[str] = []
        self._command = list(command) or [
            *(sys.executable, "-m", "pi_bunco", "hall", "--no-browser", "--data", str(data)),
            *("--listen", f"127.0.0.1:{port}", "--broker", broker, "--tables", str(tables), *options),
        ]
        self._browsers: list[httpx.Client] = []
        self._process = self._started()

    def _started(self) -> subprocess.Popen[str]:
        process = subprocess.Popen(self._command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        for line in process.stdout:
            self.printed.append(line)
            if line.startswith("ready:"):
                return process
        raise AssertionError(f"the hall ended with {process.wait()}")

    def browser(self) -> httpx.Client:
        """A browser, which is closed in the end."""
        browser = httpx.Client(base_url=self.page, timeout=PATIENCE)
        self._browsers.append(browser)
        return browser

    def close(self) -> None:
        """Ends the hall, and everybody goes home."""
        for browser in self._browsers:
            browser.close()
        self.stop()

    def stop(self) -> None:
        """Ends the hall as Ctrl-C does."""
        self._process.send_signal(signal.SIGINT)
        assert self._process.wait(PATIENCE) == 0
        assert self._process.stdout is not None
        self._process.stdout.close()

    def again(self, command: Sequence[str] = ()) -> None:
        """Ends it and starts it anew, or another one in its place."""
        self.stop()
        self._command = list(command) or self._command
        self._process = self._started()

    def killed_again(self) -> None:
        """The laptop's power fails, as far as the hall can tell, and comes back."""
        self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._process = self._started()

    def kill(self, name: str) -> None:
        """Pulls the plug of the head or the page, which starts again."""
        os.kill(self.pid(name), signal.SIGKILL)

    def pid(self, name: str) -> int:
        """The process id of a child."""
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text().split()
        for child in children:
            words = Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")
            if name.encode() in words[:4] or words[0].endswith(name.encode()):
                return int(child)
        raise AssertionError(f"no {name} runs")

    @property
    def broker(self) -> str:
        """The address at which tables with equipment of their own find the hall."""
        words = Path(f"/proc/{self.pid('web')}/cmdline").read_text().split("\0")
        return words[words.index("--broker") + 1]

    @property
    def id(self) -> str:
        """The evening that is open."""
        place, _ = next(self.facts(PATIENCE))
        return place.partition(".")[0]

    @property
    def pin(self) -> str:
        """The PIN that the host types."""
        return (self.data / "pin").read_text().strip()

    def code(self, evening: str, table: int) -> str:
        """A phone table's code, as it stands on the host's page."""
        with contextlib.closing(sqlite3.connect(self.data / "web" / "web.db")) as store:
            (secret,) = store.execute("SELECT value FROM kept WHERE key = 'secret'").fetchone()
        return TableCodes(bytes.fromhex(json.loads(secret))).code(evening, table).digits

    def evening(self) -> Evening:
        """The state of the evening."""
        answer: Evening = httpx.get(f"{self.page}/api/evening", timeout=PATIENCE).json()
        return answer

    def facts(self, silence: float) -> Iterator[tuple[str, Evening]]:
        """The facts as they come, with their places; ends when the page does, or with so much silence (s)."""
        for kind, place, data in self._events(silence):
            if kind == "fact":
                yield place, data

    def log(self) -> list[Evening]:
        """The facts up to now: the page tells them all before it tells of the board."""
        told = itertools.takewhile(lambda event: event[0] == "fact", self._events(PATIENCE))
        return [fact for _, _, fact in told]

    def _events(self, silence: float) -> Iterator[tuple[str, str, Evening]]:
        with httpx.stream("GET", f"{self.page}/api/events", timeout=silence) as events:
            kind = place = ""
            for line in events.iter_lines():
                key, _, value = line.partition(": ")
                if key == "event":
                    kind = value
                elif key == "id":
                    place = value
                elif key == "data" and kind in ("fact", "board"):  # a bell, say, has a word
                    yield kind, place, json.loads(value)

    def until(self, true: Callable[[Evening], bool]) -> Evening:
        """Waits, board by board, until it is true of the evening."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            with contextlib.suppress(httpx.HTTPError):
                for kind, _, _ in self._events(LISTEN):
                    if kind == "board" and true(now := self.evening()):
                        return now
        raise AssertionError(f"it never came true of {self.evening()}")


class Host:
    """A host with a browser at the laptop."""

    def __init__(self, night: Night) -> None:
        self._night = night
        self._browser = night.browser()
        answer = self._browser.post("/host/login", data={"pin": night.pin})
        assert answer.status_code == 303
        self._csrf = Login(night.pin).csrf(self._browser.cookies["bunco_host"])

    def say(self, command: str, **args: Any) -> dict[str, Any]:
        """The head's answer to a command, asked for again while a busy machine has not given it."""
        form = {"csrf": self._csrf, "command": command, "args": json.dumps(args), "id": uuid4().hex}
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            answer = self._browser.post("/host/command", data=form, headers={"accept": "application/json"})
            said: dict[str, Any] = answer.json()
            if not any(why.startswith(UNANSWERED) for why in said["why"]):
                return said
        raise AssertionError(f"the head never answered to {command}")

    def done(self, command: str, **args: Any) -> None:
        """A command that must not be refused."""
        said = self.say(command, **args)
        assert said["done"], said


class Phone:
    """A phone at a table: it keeps its taps until the page has them, and sends the oldest first."""

    def __init__(self, night: Night, table: int, boot: str = "") -> None:
        self.table = table
        self._night = night
        self._boot = boot or f"phone{table}"
        self._seq = 0
        self._browser = night.browser()

    def join(self, evening: str) -> None:
        """Types the table's code."""
        code = self._night.code(evening, self.table)
        answer = self._browser.post(f"/table/{self.table}/play", data={"code": code})
        assert answer.headers["location"] == f"/table/{self.table}/play", answer.text

    def tap(self, what: str, dice: str = "", times: int = 1) -> int:
        """A tap, sent again until the page has it, and then `times` - 1 times more; the last status."""
        self._seq += 1
        form = {"mark_boot": self._boot, "mark_seq": str(self._seq), "tap": what, "dice": dice}
        status = 0
        for _ in range(times):
            status = self._sent(form)
        return status

    def _sent(self, form: dict[str, str]) -> int:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            with contextlib.suppress(httpx.HTTPError):
                json_ = {"accept": "application/json"}
                answer = self._browser.post(f"/table/{self.table}/tap", data=form, headers=json_)
                if answer.status_code != 503:
                    return answer.status_code
        raise AssertionError(f"the page never took {form}")
