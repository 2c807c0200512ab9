"""A folder with all that a Pi needs to install without a network: wheels, their sums, and a way to begin."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from pi_bunco.ops.install.manifest import sum_of
from pi_bunco.ops.install.sources import SUMS, Source, built, pip
from pi_bunco.ops.install.steps import InstallError
from pi_bunco.ops.install.versions import EXTRAS

PYTHONS = ("3.11", "3.13")
"""Those of Raspberry Pi OS Bookworm and Trixie."""
PLATFORM = "aarch64"
"""Raspberry Pi OS, 64-bit, on a Zero 2 W to a Pi 5."""
_GLIBC = ("2014", *(f"_2_{minor}" for minor in (17, 24, 26, 27, 28, 31, 34, 35, 36)))
"""Bookworm has glibc 2.36 (PEP 600)."""
_INSTALL = """\
#!/bin/sh
# Installs from this folder, without a network:
#   sudo sh install.sh table --number 2 --head ADDRESS
#   sudo sh install.sh head
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
if ! (cd "$here" && sha256sum --check --quiet SHA256SUMS); then
    echo "This folder is not whole: copy it again." >&2
    exit 1
fi
first=$(mktemp -d /var/tmp/pi-bunco.XXXXXX)
trap 'rm -rf "$first"' EXIT
trap 'exit 1' HUP INT TERM  # or sh ends by them and leaves it behind
if ! python3 -m venv "$first" >/dev/null; then
    echo "Python cannot make virtual environments: sudo apt install python3-venv" >&2
    exit 2
fi
"$first/bin/python" -m pip --disable-pip-version-check install --quiet --no-cache-dir \\
    --no-index --find-links "$here" "pi-bunco==@VERSION@"
"$first/bin/pi-bunco" install "$@" --from "$here"
"""
_README = """\
pi-bunco @VERSION@, to be installed without a network on @PLATFORM@ with Python @PYTHONS@.

Copy this folder to the Pi, or plug the stick in, and there:
    sudo sh install.sh table --number 2 --head ADDRESS     a table's Pi
    sudo sh install.sh head                                the head's Pi; needs: sudo apt install mosquitto
With --dry-run in the end it only says what it would do. The same commands upgrade; data and settings stay.
Python must be able to make virtual environments: sudo apt install python3-venv

RPi.GPIO (gpio = "rpigpio", for a Pi 4 and older) is not in here: it has to be compiled. gpiod works on all.
"""


class Bundle(Struct, frozen=True):
    """What a bundle is made for."""

    pythons: Sequence[str] = PYTHONS
    platform: str = PLATFORM


def make(bundle: Bundle, source: Source, folder: Path) -> list[Path]:
    """Fills the folder, which must be empty or new, and returns its files; `InstallError` if it cannot."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise InstallError(f"--out {folder} is not empty: name a new folder")
    except OSError as error:
        raise InstallError(f"--out {folder}: {error.strerror}") from error
    wheel = _own(source, folder)
    for python in bundle.pythons:
        _download(bundle.platform, python, wheel, folder)
    _texts(bundle, source, folder)
    seal(folder)
    return sorted(folder.iterdir())


def seal(folder: Path) -> None:
    """Writes down the sums of all files, by which `install` sees that they are whole."""
    names = sorted(path.name for path in folder.iterdir() if path.name != SUMS)
    sums = "".join(f"{sum_of((folder / name).read_bytes())}  {name}\n" for name in names)
    (folder / SUMS).write_text(sums, "utf-8")


def _own(source: Source, folder: Path) -> Path:
    if source.wheel is None:
        return built(source.project or folder, folder)
    return Path(shutil.copy(source.wheel, folder))


def _download(platform: str, python: str, wheel: Path, folder: Path) -> None:
    """Only what is compiled already: a Pi has no compiler."""
    tags = [f"--platform=manylinux{glibc}_{platform}" for glibc in _GLIBC]
    pip(
        *("download", "--quiet", "--dest", str(folder), "--find-links", str(folder), "--only-binary=:all:"),
        *("--implementation=cp", f"--python-version={python}", *tags),
        f"{wheel}[{','.join(EXTRAS)}]",
        what=f"not all can be had for Python {python} on {platform}",
    )


def _texts(bundle: Bundle, source: Source, folder: Path) -> None:
    words = {
        "@VERSION@": source.version,
        "@PLATFORM@": bundle.platform,
        "@PYTHONS@": " and ".join(bundle.pythons),
    }
    for name, text in (("install.sh", _INSTALL), ("README.txt", _README)):
        for mark, word in words.items():
            text = text.replace(mark, word)
        (folder / name).write_text(text, "utf-8")
    (folder / "install.sh").chmod(0o755)
