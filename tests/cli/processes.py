"""Services as real processes, whose words can be waited for."""

import contextlib
import json
import os
import queue
import re
import subprocess
import sys
import threading
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from pi_bunco.wire.broker import Broker

WAIT = 60.0  # s; only a broken test waits that long
COMMAND = [sys.executable, "-m", "pi_bunco"]


class Service:
    """A running `pi-bunco ...`; `lines` are what it says on standard error."""

    def __init__(
        self, *arguments: str | Path, env: dict[str, str] | None = None, program: list[str] = COMMAND
    ) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            [*program, *map(str, arguments)],
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            env=os.environ | (env or {}),
        )
        self.lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, args=(self.process.stderr,))
        self._reader.start()

    def _read(self, words: IO[bytes]) -> None:
        for line in words:
            self.lines.put(line.decode())
        self.lines.put(None)

    def ready(self) -> str:
        """The line that it prints when it is ready."""
        assert self.process.stdout
        return self.process.stdout.readline().decode()

    def until(self, *words: str) -> str:
        """The next line on standard error that has all these words."""
        passed: list[str] = []
        with contextlib.suppress(queue.Empty):
            while (line := self.lines.get(timeout=WAIT)) is not None:
                if all(word in line for word in words):
                    return line
                passed.append(line)
        raise AssertionError(f"no line with {words}, only\n" + "".join(passed))

    def tell(self, line: str) -> None:
        """One line on standard input."""
        assert self.process.stdin
        self.process.stdin.write(f"{line}\n".encode())
        self.process.stdin.flush()

    def terminate(self) -> tuple[int, str]:
        """Sends SIGTERM; the exit status, and what else was on standard output."""
        self.process.terminate()
        status = self.process.wait(WAIT)
        assert self.process.stdout
        return status, self.process.stdout.read().decode()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait()
        self._reader.join()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe:
                pipe.close()


def head(broker: Broker, data: Path, *more: str, env: dict[str, str] | None = None) -> Service:
    return Service("head", "--broker", broker.address, "--data", data, *more, env=env)


def table(broker: Broker, data: Path, number: int, *more: str) -> Service:
    return Service("table", "--number", str(number), "--broker", broker.address, "--data", data, *more)


def run(
    *arguments: str | Path, given: bytes = b"", env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """A command that ends by itself."""
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        input=given,
        capture_output=True,
        timeout=WAIT,
        check=False,
        env=os.environ | (env or {}),
    )


def host(broker: Broker, *words: str) -> subprocess.CompletedProcess[bytes]:
    return run("host", "--broker", broker.address, "--wait", f"{WAIT / 2}", *words)


def done(broker: Broker, *words: str) -> str:
    """The head's answer to a command of the host that is done, in a sentence."""
    answer = host(broker, *words)
    assert answer.returncode == 0, answer.stderr.decode()
    return answer.stdout.decode()


def started(broker: Broker) -> None:
    """Starts the round once all that it waits for is there, also when the head's answer came too late."""
    while (answer := host(broker, "start")).returncode:
        if re.search(rb"round is running|is not over yet", answer.stderr):
            return


def status(broker: Broker) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(done(broker, "status", "--json"))
    return told


def replayed(data: Path) -> dict[str, Any]:
    """The evening that the head's journal is."""
    log = run("export", "--data", data)
    assert log.returncode == 0, log.stderr.decode()
    played: dict[str, Any] = json.loads(run("replay", "-", "--json", given=log.stdout).stdout)
    return played
