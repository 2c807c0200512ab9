"""A newer version of Bunco beside the one of the card, which the head hands to the tables.

A package is unpacked below `versions`, whole or not at all; the link `current` names the one that runs, and
without it that of the card does. So a cut leaves the version before or the new one, never half of one. While
a new one shows if it works, `trial` names the one before: a start that finds it goes back to that
(`systemd/pi-bunco-back.service`). Only what the hall's authority has signed is unpacked.
"""

import hashlib
import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from pi_bunco import __version__
from pi_bunco.errors import BuncoError
from pi_bunco.provision.certificates import vouch, vouched
from pi_bunco.provision.seed import PACKAGES
from pi_bunco.provision.system import Content, Step, System, command, content, units_of, write
from pi_bunco.runtime import files

READY_WITHIN_S, READY_FOR_S = 60, 10
"""A new version has so long to be ready, and has to stay so."""
MAX_TRIALS = 3
"""Trials of one package; each that a cut ended counts."""
MAX_BYTES = 64_000_000
AUTHORITY_KEY = "hall/ca/ca-key.pem"
"""Below the folder of state, on a head that made its hall."""
OFFER, SIGNATURE = "offer.deb", "offer.deb.sig"
"""The package that a head hands out, in the folder of packages, and the authority's signature of it."""


def offered(system: System) -> list[Step]:
    """Has a head hand out the package of its card, if that is the version that runs here and is signed.

    A head that made its hall itself has the authority's key, and signs.
    """
    file = system.places.boot / PACKAGES / f"pi-bunco_{__version__}_all.deb"
    package, handed = content(file), content(system.places.packages / OFFER)
    is_head = (system.places.roles / "web").exists()
    if not is_head or package is None or (handed is not None and handed.data == package.data):
        return []
    signature, key = content(file.with_name(f"{file.name}.sig")), content(system.places.state / AUTHORITY_KEY)
    signed = signature.data if signature else vouch(key.data.decode(), package.data) if key else None
    if signed is None:
        return []
    says = f"Hand {file.name} out to the tables"
    return [
        *write(system.places.packages / SIGNATURE, Content(signed, 0o644), says),
        *write(system.places.packages / OFFER, Content(package.data, 0o644), says),
    ]


def update(system: System, fetch: Callable[[str], bytes], wait: Callable[[float], None]) -> str:
    """Takes what the head hands out; the new version, or "" if there is nothing new.

    `fetch` gives OFFER or SIGNATURE (`OSError`), `wait` takes seconds.
    `BuncoError` if it is not taken, or did not work and the version before runs again.
    """
    versions = system.places.versions
    signature = fetch(SIGNATURE)
    name = hashlib.sha256(signature).hexdigest()
    trials = _trials(versions, name)
    if trials >= MAX_TRIALS:
        return ""
    package = fetch(OFFER)
    ca = content(system.places.config / "ca.pem")
    if ca is None or not vouched(ca.data.decode(), package, signature):
        raise BuncoError(
            "the head hands out a package that this hall's authority did not sign: it is not installed"
        )
    _count(versions, name, trials + 1)
    version = _unpacked(versions, package)
    if not version:
        _count(versions, name, MAX_TRIALS)
        return ""
    ready = _tried(system, version, wait)
    _count(versions, name, MAX_TRIALS)
    if not ready:
        raise BuncoError(
            f"version {version} was not ready within {READY_WITHIN_S} s:"
            f" this Pi has gone back to {_current(versions) or 'that of its card'}"
        )
    return version


def _trials(versions: Path, name: str) -> int:
    known = content(versions / "trials")
    words = known.data.decode().split() if known else []
    return int(words[1]) if len(words) == 2 and words[0] == name else 0


def _count(versions: Path, name: str, trials: int) -> None:
    versions.mkdir(exist_ok=True)
    files.write(versions / "trials", f"{name} {trials}\n".encode())


def _current(versions: Path) -> str:
    """Version that runs, "" for that of the card."""
    link = versions / "current"
    return os.readlink(link) if link.is_symlink() else ""


def _unpacked(versions: Path, package: bytes) -> str:
    """Unpacks the package below `versions`; returns its version, "" if not newer than the running one."""
    part, file = versions / ".new", versions / ".package"
    file.write_bytes(package)
    version = _done("dpkg-deb", "--field", str(file), "Version")
    if command(("dpkg", "--compare-versions", version, "gt", __version__)).status:
        return ""
    shutil.rmtree(part, ignore_errors=True)
    _done("dpkg-deb", "--extract", str(file), str(part))
    _done("python3", "-m", "compileall", "-q", str(part))
    file.unlink()
    shutil.rmtree(versions / version, ignore_errors=True)  # of a trial that a cut ended
    os.sync()
    part.rename(versions / version)
    files.sync_folder(versions)
    return version


def _done(*words: str) -> str:
    done = command(words)
    if done.status:
        raise BuncoError(f"{words[0]}: {done.err.strip()}")
    return done.out.strip()


def _tried(system: System, version: str, wait: Callable[[float], None]) -> bool:
    """True if the services run with that version; otherwise they run with the one before."""
    versions = system.places.versions
    before = _current(versions)
    units = units_of(system.places)
    files.write(versions / "trial", before.encode())
    _point(versions, version)
    ready = _ready(system, units, wait)
    if not ready:
        _point(versions, before)
        _restart(system, units)
    (versions / "trial").unlink()
    files.sync_folder(versions)
    for old in versions.iterdir():
        if old.is_dir() and not old.is_symlink() and old.name not in (before, _current(versions)):
            shutil.rmtree(old)
    return ready


def _point(versions: Path, version: str) -> None:
    """Has `current` name a version; "" means that of the card."""
    new, link = versions / ".current", versions / "current"
    if version:
        new.unlink(missing_ok=True)
        new.symlink_to(version)
        new.replace(link)
    else:
        link.unlink(missing_ok=True)
    files.sync_folder(versions)


def _restart(system: System, units: Sequence[str]) -> None:
    for unit in units:
        system.tell("restart", unit, wait=False)


def _ready(system: System, units: Sequence[str], wait: Callable[[float], None]) -> bool:
    """Restarts the services; true if each is ready in time, and is the same process for a while."""
    _restart(system, units)
    before, since = [""], 0
    for _ in range(READY_WITHIN_S):
        wait(1)
        now = [system.process(unit) for unit in units]
        since = since + 1 if now == before and all(now) else 0
        if since >= READY_FOR_S:
            return True
        before = now
    return False
