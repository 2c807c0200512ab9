"""A table takes a signed package from its head, and goes back from one that does not work."""

import contextlib
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from pi_bunco import __version__
from pi_bunco.errors import BuncoError
from pi_bunco.provision import certificates, update
from pi_bunco.provision.certificates import Certificates
from pi_bunco.provision.system import CommandLine, Completed, System
from pi_bunco.provision.update import OFFER, SIGNATURE
from provision.pis import pi
from provision.power import Power, PowerCut

pytestmark = pytest.mark.system("dpkg-deb")
NEWER = "99.1.0"
BACK = Path(__file__).parents[2] / "systemd/pi-bunco-back.service"
NAME = "usr/lib/python3/dist-packages/pi_bunco/__init__.py"
STEP = 3


@pytest.fixture(scope="module")
def authority() -> Certificates:
    return certificates.made("home")


def package(folder: Path, version: str = NEWER) -> bytes:
    """A package with one module."""
    root = folder / version
    (root / "DEBIAN").mkdir(parents=True)
    lines = (
        "Package: pi-bunco",
        f"Version: {version}",
        "Architecture: all",
        "Maintainer: x",
        "Description: x",
    )
    (root / "DEBIAN/control").write_text("".join(f"{line}\n" for line in lines))
    (root / NAME).parent.mkdir(parents=True)
    (root / NAME).write_text(f'__version__ = "{version}"\n')
    file = folder / f"{version}.deb"
    subprocess.run(["dpkg-deb", "--build", "-Znone", "--root-owner-group", root, file], check=True)
    shutil.rmtree(root)
    return file.read_bytes()


class Handed:
    """The package that the head hands out, and the number of times that it was asked for it."""

    def __init__(self, authority: Certificates, package: bytes) -> None:
        self.package, self.signature = package, certificates.vouch(authority.ca_key, package)
        self.asked = 0

    def over(self, system: System) -> str:
        """The version that the Pi has taken."""
        return update.update(system, self.fetch, lambda _: None)

    def fetch(self, name: str) -> bytes:
        self.asked += name == OFFER
        return {OFFER: self.package, SIGNATURE: self.signature}[name]


class Services:
    """systemd of a table whose service is ready with the versions that `work`."""

    def __init__(self, root: Path, work: Callable[[str], bool]) -> None:
        self._versions, self._work, self._process = root / "var/lib/pi-bunco/versions", work, 1

    def run(self, words: CommandLine) -> Completed:
        line = " ".join(words)
        self._process += "restart" in line
        works = self._work(runs(self._versions))
        if "is-active" in line:
            return Completed(0, "active\n" if works else "activating\n")
        return Completed(0, f"MainPID={self._process}\n")


def table(root: Path, authority: Certificates, work: Callable[[str], bool] = bool) -> System:
    """A table's Pi that runs the version of its card."""
    pi(root)
    (root / "etc/pi-bunco/role").mkdir(parents=True, exist_ok=True)
    (root / "etc/pi-bunco/role/table").touch()
    (root / "etc/pi-bunco/ca.pem").write_text(authority.ca)
    (root / "var/lib/pi-bunco").mkdir(parents=True, exist_ok=True)
    return System(root, Services(root, lambda version: not version or work(version)).run, True)


def runs(versions: Path) -> str:
    """The version whose code would run, by what is in its files; "" for that of the card."""
    file = versions / "current" / NAME
    return file.read_text().split('"')[1] if (versions / "current").is_symlink() else ""


def test_a_signed_package_runs_from_then_on_and_is_fetched_once(
    tmp_path: Path, authority: Certificates
) -> None:
    system, handed = table(tmp_path, authority), Handed(authority, package(tmp_path))
    assert handed.over(system) == NEWER
    assert runs(system.places.versions) == NEWER
    assert list(system.places.versions.glob("current/**/__pycache__/*.pyc"))
    assert handed.over(system) == ""
    assert handed.asked == 1


def test_a_package_that_the_authority_did_not_sign_is_not_even_unpacked(
    tmp_path: Path, authority: Certificates
) -> None:
    system, handed = table(tmp_path, authority), Handed(certificates.made("home"), package(tmp_path))
    with pytest.raises(BuncoError, match="did not sign"):
        handed.over(system)
    handed = Handed(authority, package(tmp_path, "99.2.0"))
    handed.package += b"!"
    with pytest.raises(BuncoError, match="did not sign"):
        handed.over(system)
    assert not system.places.versions.exists()


def test_an_older_package_is_left_alone(tmp_path: Path, authority: Certificates) -> None:
    """Its signature is good for ever, and its faults are known to everybody."""
    system, handed = table(tmp_path, authority), Handed(authority, package(tmp_path, "0.0.1"))
    for _ in range(2):
        assert handed.over(system) == ""
    assert runs(system.places.versions) == ""
    assert handed.asked == 1


@pytest.mark.parametrize("before", ["", "99.0.0"])
def test_a_version_that_is_not_ready_gives_way_to_the_one_before_and_is_not_tried_again(
    tmp_path: Path, authority: Certificates, before: str
) -> None:
    system = table(tmp_path, authority, lambda version: version != NEWER)
    if before:
        Handed(authority, package(tmp_path, before)).over(system)
    handed = Handed(authority, package(tmp_path))
    with pytest.raises(
        BuncoError, match=f"{NEWER} was not ready .* gone back to {before or 'that of its card'}"
    ):
        handed.over(system)
    assert runs(system.places.versions) == before
    assert handed.over(system) == ""
    assert sorted(path.name for path in system.places.versions.iterdir() if path.is_dir()) == (
        ["99.0.0", "current"] if before else []
    )


def test_a_service_that_is_ready_and_dies_again_and_again_is_not_ready(
    tmp_path: Path, authority: Certificates
) -> None:
    system = table(tmp_path, authority)
    processes = iter(range(10**6))
    system.process = lambda unit: unit + str(next(processes))  # type: ignore[method-assign]
    with pytest.raises(BuncoError, match="was not ready"):
        Handed(authority, package(tmp_path)).over(system)


@pytest.mark.parametrize("works", [True, False])
def test_whenever_the_power_fails_a_whole_version_runs_and_the_end_is_the_same(
    tmp_path: Path, authority: Certificates, monkeypatch: pytest.MonkeyPatch, works: bool
) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)  # it is counted, and takes too long here
    monkeypatch.setattr(os, "sync", lambda: None)
    handed, cut, cuts = Handed(authority, package(tmp_path)), True, 0
    while cut:
        cuts += STEP
        root = tmp_path / f"cut{cuts}"
        system = table(root, authority, lambda version: works or version != NEWER)
        with monkeypatch.context() as patched:
            power = Power(cuts, patched)
            with contextlib.suppress(PowerCut, BuncoError):
                handed.over(system)
            cut = power.left <= 0
        started(system.places.versions)
        assert runs(system.places.versions) in ("", NEWER), cuts
        try:
            handed.over(system)
        except BuncoError:
            assert not works
        assert runs(system.places.versions) == (NEWER if works else ""), cuts
        shutil.rmtree(root)
    assert cuts > 10 * STEP


def started(versions: Path) -> None:
    """Does what the unit does at a start, where its condition holds."""
    if (versions / "trial").exists():
        unit = BACK.read_text("utf-8")
        (line,) = [line for line in unit.splitlines() if line.startswith("ExecStart=")]
        script = line.partition("-c '")[2].removesuffix("'").replace("sync;", "").replace("; sync", "")
        subprocess.run(["sh", "-e", "-c", script], cwd=versions, check=True)
        assert not (versions / "trial").exists()


def test_a_head_hands_out_the_package_of_its_card_that_it_runs_itself(tmp_path: Path) -> None:
    system, _ = pi(tmp_path)
    card = system.places.boot / "pi-bunco"
    card.mkdir()
    for version in (__version__, "0.0.1"):
        (card / f"pi-bunco_{version}_all.deb").write_text(version)
        (card / f"pi-bunco_{version}_all.deb.sig").write_text("signed")
    assert update.offered(system) == []  # a table
    system.places.roles.mkdir(parents=True)
    (system.places.roles / "web").touch()
    for step in update.offered(system):
        step.apply()
    assert (system.places.packages / OFFER).read_text() == __version__
    assert (system.places.packages / SIGNATURE).read_text() == "signed"
    assert update.offered(system) == []


def test_a_head_that_made_its_hall_signs_the_package_of_its_card_itself(
    tmp_path: Path, authority: Certificates
) -> None:
    system, _ = pi(tmp_path)
    (system.places.boot / "pi-bunco").mkdir()
    (system.places.boot / f"pi-bunco/pi-bunco_{__version__}_all.deb").write_bytes(b"package")
    system.places.roles.mkdir(parents=True)
    (system.places.roles / "web").touch()
    assert update.offered(system) == []  # nobody has signed it
    key = system.places.state / update.AUTHORITY_KEY
    key.parent.mkdir(parents=True)
    key.write_text(authority.ca_key)
    for step in update.offered(system):
        step.apply()
    signature = (system.places.packages / SIGNATURE).read_bytes()
    assert certificates.vouched(authority.ca, b"package", signature)
    assert update.offered(system) == []
