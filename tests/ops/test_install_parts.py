"""The small parts of an installation: the firmware's lines, the settings, what is installed from, bundles."""

import errno
import os
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_bunco import __version__
from pi_bunco.ops.install import bootlines, bundle, files, settings, sources
from pi_bunco.ops.install.files import Content
from pi_bunco.ops.install.machine import Machine, Outcome, command
from pi_bunco.ops.install.steps import InstallError
from provision.pis import CHECKOUT, UNITS, pi

TEXTS = st.lists(
    st.sampled_from(["arm_64bit=1", "[pi4]", bootlines.BEGIN, bootlines.END, "dtparam=spi=on", ""])
).map(lambda lines: "".join(f"{line}\n" for line in lines))


@given(TEXTS, TEXTS, TEXTS)
def test_our_lines_are_there_once_whatever_was_there(text: str, first: str, second: str) -> None:
    first, second = (part.replace("pi-bunco", "") for part in (first, second))
    clean = bootlines.without_lines(text)
    once = bootlines.with_lines(text, first)
    assert bootlines.with_lines(once, first) == once
    assert bootlines.with_lines(once, second) == bootlines.with_lines(text, second)
    assert bootlines.without_lines(once) == clean
    assert bootlines.ours(once) == bootlines.inner(first)


def test_our_lines_are_found_in_a_file_that_windows_wrote() -> None:
    once = bootlines.with_lines("arm_64bit=1\n", "dtparam=watchdog=on").replace("\n", "\r\n")
    assert bootlines.without_lines(once) == "arm_64bit=1\r\n"


KEYS = st.sampled_from("abc")
TABLES = st.recursive(st.integers(), lambda inner: st.dictionaries(KEYS, inner), max_leaves=8)


@given(st.dictionaries(KEYS, TABLES), st.dictionaries(KEYS, TABLES))
def test_new_settings_win_and_the_others_stay(old: settings.Table, new: settings.Table) -> None:
    both = settings.merged(old, new)
    assert both.keys() == old.keys() | new.keys()
    assert settings.merged(both, new) == both
    assert all(both[key] == old[key] for key in old.keys() - new.keys())
    assert all(both[key] == value for key, value in new.items() if not isinstance(value, dict))


def test_where_the_broker_is_comes_as_a_whole() -> None:
    old = {"broker": {"address": "10.0.0.1:8883", "ca": "ca.pem"}, "pins": {"bell": {"gpio": 18}}}
    new = {"broker": settings.broker("head", None)}
    assert settings.replaced(old, new) == {"pins": {"bell": {"gpio": 18}}, **new}
    assert settings.replaced(old, {"hall": "club"})["broker"] == old["broker"]


@pytest.mark.parametrize(
    ("head", "address"),
    [
        ("192.168.8.10", "192.168.8.10:8883"),
        ("192.168.8.10:1884", "192.168.8.10:1884"),
        ("192.168.8.10:1883", "192.168.8.10:1883"),
        ("[fe80::1]", "[fe80::1]:8883"),
        ("pi1.local", "pi1.local:8883"),
    ],
)
def test_a_head_without_a_port_is_asked_at_that_of_tls(head: str, address: str) -> None:
    assert settings.broker("table", head)["address"] == address


def test_settings_are_whole_and_private_files_stay_private(tmp_path: Path) -> None:
    path = tmp_path / "secrets/table/table2"
    for text in (b"one", b"two"):
        files.write(path, Content(text, 0o600))
        assert files.content(path) == Content(text, 0o600)
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert [one.name for one in path.parent.iterdir()] == ["table2"]


def test_a_full_card_keeps_what_was_there_and_nothing_half(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "passwd"
    files.write(path, Content(b"old", 0o600))

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        files.write(path, Content(b"new", 0o600))
    assert [(one.name, one.read_bytes()) for one in tmp_path.iterdir()] == [("passwd", b"old")]


def test_what_is_installed_can_be_run_by_others_whatever_the_umask_of_root_is(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        command(("mkdir", "-p", str(tmp_path / "bin")))
    finally:
        os.umask(before)
    assert (tmp_path / "bin").stat().st_mode & 0o777 == 0o755


def test_what_systemd_does_not_know_any_more_need_not_be_stopped(tmp_path: Path) -> None:
    machine = Machine(tmp_path, lambda _: Outcome(5, err="Unit table.service not loaded."), booted=True)
    machine.tell("stop", "table.service")
    with pytest.raises(InstallError, match="not loaded"):
        machine.tell("start", "table.service")


def test_a_boot_partition_has_no_modes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "fchmod", refused)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    files.write(tmp_path / "config.txt", Content(b"arm_64bit=1", 0o755))
    assert (tmp_path / "config.txt").read_text() == "arm_64bit=1"
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(PermissionError):
        files.write(tmp_path / "config.txt", Content(b"", 0o755))
    assert (tmp_path / "config.txt").read_text() == "arm_64bit=1"


def test_settings_that_are_no_toml_are_not_lost(tmp_path: Path) -> None:
    machine, _ = pi(tmp_path)
    machine.places.config.mkdir()
    machine.places.settings.write_text("number = \n")
    with pytest.raises(InstallError, match="is no TOML"):
        settings.read(machine.places.settings)


def test_a_checkout_is_told_from_another_by_its_content(tmp_path: Path) -> None:
    for part in ("pyproject.toml", "systemd/pi-bunco-table.service", "pi_bunco/__init__.py"):
        (tmp_path / part).parent.mkdir(exist_ok=True)
        (tmp_path / part).write_bytes((CHECKOUT / part).read_bytes())
    prints = set()
    for text in ("", "x = 1\n"):
        (tmp_path / "pi_bunco/__init__.py").write_text(text)
        with sources.source(str(tmp_path)) as found:
            assert (found.version, found.offline) == (__version__, False)
            assert found.units == {"pi-bunco-table.service": UNITS["pi-bunco-table.service"]}
            prints.add(found.print)
    assert len(prints) == 2


def test_what_runs_from_a_checkout_is_installed_from_it() -> None:
    with sources.source(None) as found:
        assert found.project == CHECKOUT


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("nowhere", "no such file or folder"),
        (".", "neither a bundle nor the project"),
        ("a.whl", "no wheel of pi-bunco"),
        ("pi_bunco-1.0-py3-none-any.whl", "damaged"),
    ],
)
def test_what_is_nothing_of_ours_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, why: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for file in ("a.whl", "pi_bunco-1.0-py3-none-any.whl"):
        if file == name:
            (tmp_path / file).write_text("no zip")
    with pytest.raises(InstallError, match=why), sources.source(name):
        pass


def sealed(folder: Path) -> Path:
    """A bundle with nothing but our own wheel."""
    folder.mkdir()
    for version in ("0.9.0", "0.10.0"):
        with zipfile.ZipFile(folder / f"pi_bunco-{version}-py3-none-any.whl", "w") as wheel:
            wheel.writestr("pi_bunco/ops/systemd/pi-bunco-table.service", version)
    bundle.seal(folder)
    return folder


def test_of_a_bundle_the_newest_version_is_taken(tmp_path: Path) -> None:
    with sources.source(str(sealed(tmp_path / "bundle"))) as found:
        assert (found.version, found.offline) == ("0.10.0", True)
        assert found.units == {"pi-bunco-table.service": b"0.10.0"}


@pytest.mark.parametrize("harm", [lambda path: path.write_bytes(path.read_bytes()[:-1]), Path.unlink])
def test_a_stick_that_was_pulled_too_early_is_told(tmp_path: Path, harm: object) -> None:
    folder = sealed(tmp_path / "bundle")
    assert callable(harm)
    harm(folder / "pi_bunco-0.9.0-py3-none-any.whl")
    with (
        pytest.raises(InstallError, match=r"is not whole: pi_bunco-0\.9\.0"),
        sources.source(str(folder)),
    ):
        pass
