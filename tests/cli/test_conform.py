"""`pi-bunco conform`: right, wrong, silent and broken implementations, on the kit of the checkout."""

import shlex
import sys
from pathlib import Path

import pytest

from pi_bunco.cli import main

OURS = f"{shlex.quote(sys.executable)} -m pi_bunco conform --answer"
WRONG = """
import json, sys
from pi_bunco.game.conformance import result_of
for line in sys.stdin:
    case = json.loads(line)
    result = result_of(case["log"])
    for card in result["standings"].values():
        card["buncos"] += 1
    print(json.dumps({"id": case["id"], "result": result}))
"""


def command(tmp_path: Path, text: str) -> str:
    file = tmp_path / "implementation.py"
    file.write_text(text)
    return shlex.join([sys.executable, str(file)])


@pytest.mark.process
def test_this_engine_is_as_it_must_be(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["conform", OURS, "--logs", "200"]) == 0
    assert capfd.readouterr().out == "200 of 200 results are as they must be.\n"


@pytest.mark.process
def test_a_wrong_result_is_shown_with_its_log_and_what_it_must_be(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["conform", command(tmp_path, WRONG), "--logs", "50"]) == 1
    out = capfd.readouterr().out
    assert out.startswith("0 of 50 results are as they must be.")
    assert "standings must be" in out
    assert '"kind":"evening"' in out


@pytest.mark.process
def test_a_missing_result_is_wrong(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["conform", command(tmp_path, "import sys; sys.stdin.read()"), "--logs", "5"]) == 1
    assert "There is no result for it." in capfd.readouterr().out


@pytest.mark.process
def test_a_line_that_is_no_result_is_told(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text = "import sys; sys.stdin.read(); print('hello')"
    assert main(["conform", command(tmp_path, text), "--logs", "5"]) == 2
    assert "Line 1 of the results is not" in capfd.readouterr().err


def test_missing_kit_or_command_is_reported(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "kit.xz"
    file.write_text("{}")
    assert main(["conform", "true", "--kit", str(file)]) == 2
    assert "is no conformance kit" in capfd.readouterr().err
    assert main(["conform", "/nowhere/engine"]) == 2
    assert "cannot be run" in capfd.readouterr().err
    assert main(["conform"]) == 2
    assert "Name the command" in capfd.readouterr().err
