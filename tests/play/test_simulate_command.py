import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
from typing import Any

import pytest

from pi_bunco.cli import main
from pi_bunco.cli.parser import INTERRUPTED
from pi_bunco.play.simulation import Simulation
from pi_bunco.rules import preset
from pi_bunco.rules.odds import odds

WAIT = 60  # seconds, for a process that has long done it


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert main(["simulate", *arguments, "--json"]) == 0
    output = capsys.readouterr()
    assert output.err == ""  # no progress where there is no terminal
    return json.loads(output.out)


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    found = printed(capsys, "--rules", "gong", "--evenings", "3", "--seed", "5", "--players", "7")
    assert [found[key] for key in ("rules", "overrides", "evenings", "interrupted", "seed", "players")] == [
        "gong", {}, 3, False, 5, 7,
    ]  # fmt: skip
    assert list(found["faces"]) == ["1", "2", "3", "4", "5", "6"]
    sums = Simulation(preset("gong"), 7, 5).chunk(range(3))
    for number, (face, expected) in enumerate(zip(found["faces"].values(), sums.faces, strict=True), 1):
        bell = odds(preset("gong"), number).bell
        assert bell is not None
        assert face["rounds"] == 6
        assert face["exact"] == bell.mean
        assert face["rolls_to_bell"] == {
            "mean": expected.rolls_to_bell.mean, "se": expected.rolls_to_bell.error
        }  # fmt: skip
        assert face["us_rings"]["exact"] == bell.us_rings
        assert face["bunco_rings"]["mean"] == expected.bunco_rings.mean
    assert found["rolls"] == sums.rolls
    assert found["rolloffs"] == sums.rolloffs
    assert found["rolls_per_second"] > 0


def test_overrides_are_played_and_named(capsys: pytest.CaptureFixture[str]) -> None:
    settings = ("--set", "end.points=none", "--set", "end.bunco=false", "--set", "end.minutes=1")
    found = printed(capsys, "--rules", "bonko", "--evenings", "2", *settings)
    assert found["overrides"] == {"end.points": None, "end.bunco": False, "end.minutes": 1}
    face = found["faces"]["1"]
    assert face["rolls_to_bell"] == {"mean": 12.0, "se": 0.0}  # a minute at five seconds a roll
    assert face["exact"] is None
    assert face["us_rings"] == {"mean": None, "se": None, "exact": None}


def test_for_people_the_means_stand_beside_the_exact_odds(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", "--rules", "gong", "--evenings", "4"]) == 0
    output = capsys.readouterr().out
    assert output.count("76.636") == 6
    assert "4 evenings of 12 players by gong, seed 1" in output
    assert "…" not in output  # all fits into 80 columns


def read_terminal(terminal: int) -> bytes:
    """The next bytes on the terminal; none when its other side is closed."""
    assert select.select([terminal], [], [], WAIT)[0]
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux's way to say that the other side is closed
        return b""


def test_ctrl_c_prints_what_there_is() -> None:
    terminal, stderr = pty.openpty()
    command = [sys.executable, "-m", "pi_bunco", "simulate", "--rules", "gong", "--evenings", "1000000"]
    with subprocess.Popen(
        [*command, "--cores", "2", "--json"], stdout=subprocess.PIPE, stderr=stderr, start_new_session=True
    ) as process:
        os.close(stderr)
        shown = b""
        while b"evenings" not in shown:  # the progress bar
            shown += read_terminal(terminal)
        os.killpg(process.pid, signal.SIGINT)  # all of the processes, as a terminal does
        while more := read_terminal(terminal):
            shown += more
        output, _ = process.communicate(timeout=WAIT)
    os.close(terminal)
    assert process.returncode == INTERRUPTED
    assert b"Traceback" not in shown
    found = json.loads(output)
    assert found["interrupted"]
    assert 0 < found["evenings"] < 1_000_000
    # It is what those first evenings alone would have given.
    assert found["rolls"] == Simulation(preset("gong"), 12, 1).chunk(range(found["evenings"])).rolls


def test_no_process_outlives_the_command() -> None:
    command = [sys.executable, "-m", "pi_bunco", "simulate", "--rules", "gong", "--evenings", "1000000"]
    terminal, stderr = pty.openpty()
    reader, writer = os.pipe()
    with subprocess.Popen(
        [*command, "--cores", "2"], stdout=writer, stderr=stderr, start_new_session=True
    ) as process:
        os.close(writer)
        os.close(stderr)
        shown = b""
        while not re.search(rb"[1-9]\d*/", shown):  # the processes have played
            shown += read_terminal(terminal)
        process.kill()
    # The other processes hold the pipe too: its end is theirs.
    assert select.select([reader], [], [], WAIT)[0]
    assert os.read(reader, 1) == b""
    os.close(reader)
    os.close(terminal)
