"""The commands of hosts' laptops work on Windows and macOS too (their types are checked in .ci/run)."""

import ast
import json
import subprocess
import sys
from pathlib import Path

COMMANDS = ("hall", "demo", "replay", "simulate", "provision", "head", "web", "table", "rules")
SERVICES = ("web.site.app", "web.service", "hall.hall", "head.service", "table.service", "hall.demo")
POSIX = frozenset(("fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty"))
LOADED = f"""
import importlib, json, sys
for name in {[f"cli.{command}" for command in COMMANDS] + list(SERVICES)}:
    importlib.import_module(f"pi_bunco.{{name}}")
ours = (module for name, module in sys.modules.items() if name.startswith("pi_bunco"))
print(json.dumps([module.__file__ for module in ours if getattr(module, "__file__", None)]))
"""


def test_no_command_of_a_laptop_imports_what_only_posix_has() -> None:
    told = subprocess.run([sys.executable, "-c", LOADED], check=True, capture_output=True, timeout=60)
    files = [Path(file) for file in json.loads(told.stdout)]
    assert len(files) > 100
    found = {file.name: names for file in files if (names := plain_imports(file.read_text("utf-8")) & POSIX)}
    assert found == {}


def plain_imports(source: str) -> set[str]:
    """The modules that one imports as it is loaded, whatever the system and whether they are there."""
    names: set[str] = set()
    for one in ast.parse(source).body:
        if isinstance(one, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in one.names}
        elif isinstance(one, ast.ImportFrom) and one.module:
            names.add(one.module.partition(".")[0])
    return names


def test_such_an_import_would_be_found() -> None:
    assert plain_imports("import termios, os\nfrom fcntl import flock") & POSIX == {"termios", "fcntl"}
    guarded = "import sys\nif sys.platform != 'win32':\n    import termios"
    assert plain_imports(guarded) & POSIX == set()
