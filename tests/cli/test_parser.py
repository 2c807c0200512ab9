"""A command line that cannot be read is answered in one line, which says where to read more."""

import subprocess
import sys

import pytest

from pi_bunco.cli import main

WRONG = {
    "": "pi-bunco: COMMAND is missing; pi-bunco --help says more",
    "hots": "pi-bunco: hots is not known; did you mean host? pi-bunco --help says more",
    "bell ring": "pi-bunco bell: test|off: ring is not known; there are off, test; ",
    "host": "pi-bunco host: WHAT is missing; pi-bunco host --help says more",
    "report 1": "pi-bunco report: --output is missing; pi-bunco report --help says more",
    "report": "pi-bunco report: EVENING|LOG and --output are missing; pi-bunco report --help says more",
    "backup x -o y": "pi-bunco backup: -o y is not understood here; pi-bunco backup --help says more",
    "simulate --rules": "pi-bunco simulate: --rules: a value is missing; pi-bunco simulate --help says more",
    "\x1b[31m": r"pi-bunco: \x1b[31m is not known; there are hall, demo, ",
}


@pytest.mark.parametrize("words", WRONG, ids=repr)
def test_it_says_what_is_wrong_in_one_line(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(words.split())
    out, told = capsys.readouterr()
    assert (caught.value.code, out, told.count("\n")) == (2, "", 1)
    assert told.startswith(WRONG[words])


@pytest.mark.process
def test_the_help_loads_nothing_that_only_a_command_needs() -> None:
    program = "import sys; from pi_bunco.cli import main; sys.exit('msgspec' in sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)
