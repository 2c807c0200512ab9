"""Bundles of versions that there are not yet: a wheel with another number, and with faults put in."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from zipfile import ZipFile

from pi_bunco import __version__
from pi_bunco.ops.install import bundle

PACKAGE = "pi_bunco"


def reworked(made: Path, to: Path, version: str, faults: Mapping[str, str] | None = None) -> Path:
    """A bundle like the one that was `made`, of another version; `faults` are lines put behind its files."""
    shutil.copytree(made, to)
    (wheel,) = to.glob(f"{PACKAGE}-*.whl")
    behind = {f"{PACKAGE}/{name}": line for name, line in (faults or {}).items()}
    with ZipFile(wheel) as old, ZipFile(to / renamed(wheel.name, version), "w") as new:
        assert behind.keys() <= set(old.namelist())
        for name in old.namelist():
            data = old.read(name)
            if ".dist-info/" in name or name == f"{PACKAGE}/__init__.py":
                data = data.replace(__version__.encode(), version.encode())
            fault = behind.get(name)
            new.writestr(renamed(name, version), data + f"\n{fault}\n".encode() if fault else data)
    wheel.unlink()
    script = to / "install.sh"
    script.write_text(script.read_text().replace(__version__, version))
    bundle.seal(to)
    return to


def renamed(name: str, version: str) -> str:
    return name.replace(f"{PACKAGE}-{__version__}", f"{PACKAGE}-{version}")
