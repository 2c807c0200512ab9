"""The firmware compiles for MicroPython, and uses only what a Pico has."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from firmware.toolchain import FIRMWARE, MODULES, MPY_CROSS, PATIENCE_S, PYRIGHT, STUBS, output


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.name)
def test_it_compiles(module: Path, tmp_path: Path) -> None:
    compiled = tmp_path / "module.mpy"
    output([MPY_CROSS, "-msmall-int-bits=31", "-march=armv6m", "-o", str(compiled), str(module)])
    assert compiled.read_bytes().startswith(b"M\x06")


def test_the_compiler_refuses_what_micropython_has_not(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text("match 1:\n    case 1: pass\n")
    with pytest.raises(AssertionError, match="SyntaxError"):
        output([MPY_CROSS, "-o", os.devnull, str(module)])


@pytest.fixture(scope="module")
def complaints(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Complaints of pyright, with the Pico's stubs in place of CPython's library, by folder.

    One is the firmware, the other a copy that asks for what a Pico has not.
    """
    root = tmp_path_factory.mktemp("types")
    for folder in ("firmware", "harmed"):
        shutil.copytree(FIRMWARE, root / folder, ignore=shutil.ignore_patterns("__pycache__"))
    board = root / "harmed" / "board.py"
    text = board.read_text()
    board.write_text(text.replace("time.sleep_ms(", "time.nap_ms(").replace("pin.value(1)", "pin.level(1)"))
    config = {
        "executionEnvironments": [{"root": "firmware"}, {"root": "harmed"}],
        "stubPath": STUBS,
        "typeshedPath": STUBS,
        "typeCheckingMode": "standard",
        "reportMissingModuleSource": "none",  # the stubs are all there is
        "reportMissingParameterType": "error",
        "reportUnnecessaryTypeIgnoreComment": "error",
        "reportUnusedImport": "error",
        "reportUnusedVariable": "error",
    }
    (root / "pyrightconfig.json").write_text(json.dumps(config))
    done = subprocess.run(
        [PYRIGHT, "--outputjson", "-p", str(root)],
        capture_output=True,
        env={**os.environ, "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"},
        timeout=PATIENCE_S,
        check=False,
    )
    report = json.loads(done.stdout)
    assert report["summary"]["filesAnalyzed"] >= 2 * len(MODULES), done.stdout
    found: dict[str, list[str]] = {"firmware": [], "harmed": []}
    for one in report["generalDiagnostics"]:
        found[Path(one["file"]).parent.name].append(f"{Path(one['file']).name}: {one['message']}")
    return found


def test_its_types_hold_with_the_picos_stubs(complaints: dict[str, list[str]]) -> None:
    assert complaints["firmware"] == []


def test_the_stubs_know_what_a_pico_has_not(complaints: dict[str, list[str]]) -> None:
    level, nap = complaints["harmed"]
    assert level.startswith("board.py")
    assert '"level"' in level
    assert nap.startswith("board.py")
    assert '"nap_ms"' in nap
