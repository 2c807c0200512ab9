"""A host's terminal goes away in the midst of an installation, as when the Wi-Fi does."""

import io
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pi_bunco.cli.install import ENDS, done
from pi_bunco.ops.install import bundle
from pi_bunco.ops.install.plan import Plan
from pi_bunco.ops.install.steps import Step
from provision.pis import wheel


class Gone(io.StringIO):
    """Where nothing can be written any more."""

    def write(self, _text: str) -> int:
        raise BrokenPipeError


def test_what_nobody_reads_is_done_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    monkeypatch.setattr(sys, "stdout", Gone())
    todo = Plan(
        [Step("Make it", lambda: made.append("it"))], [Step("Blank it", lambda: made.append("blank"))]
    )
    assert done("install", todo, "It is made.", dry=False) == 0
    assert made == ["it", "blank"]


@pytest.mark.parametrize("number", ENDS)
def test_a_signal_puts_everything_back_however_often_it_comes(number: signal.Signals) -> None:
    told: list[str] = []

    def undo() -> None:
        os.kill(os.getpid(), number)
        told.append("undone")

    steps = [
        Step("Make it", lambda: told.append("made"), undo),
        Step("Wait", lambda: os.kill(os.getpid(), number)),
        Step("Go on", lambda: told.append("went on")),
    ]
    with pytest.raises(KeyboardInterrupt):
        done("install", Plan(steps), "It is made.", dry=False)
    assert told == ["made", "undone"]


@pytest.mark.parametrize("number", ENDS)
def test_an_interrupted_install_sh_leaves_no_software_lying_about(
    tmp_path: Path, number: signal.Signals
) -> None:
    folder = tmp_path / "bundle"
    bundle._texts(bundle.Bundle(), wheel(folder), folder)
    bundle.seal(folder)
    waits = tmp_path / "python3"  # in the place of what takes half a minute on a Pi
    waits.write_text('#!/bin/sh\necho "$3" >&2\nexec cat\n')
    waits.chmod(0o755)
    path = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    with subprocess.Popen(
        ["sh", folder / "install.sh", "head"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=path,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stderr
        first = Path(process.stderr.readline().strip())
        assert first.is_dir()
        os.killpg(process.pid, number)
        assert process.wait() == 1
    assert not first.exists()
