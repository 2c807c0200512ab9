"""A power cut after any write of a first start or of an upgrade leaves a Pi that comes up by itself.

The writes are replayed: what had not reached the card is gone. `systemd.cuts` tries many more.
"""

from pathlib import Path

import pytest

from systemd import cuts, hall
from systemd.machine import needs_debian, why_not

pytestmark = [
    pytest.mark.long,
    pytest.mark.system("systemd-nspawn", "mmdebstrap", "nsenter", "chroot", "fusermount3", "losetup"),
    pytest.mark.skipif(bool(why_not()), reason=why_not()),
]


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    needs_debian()
    return hall.package(tmp_path_factory.mktemp("package"))


def test_a_first_start_that_is_cut_short_is_done_anew(tmp_path: Path, package: Path) -> None:
    found = list(cuts.cuts(cuts.first_start(tmp_path, package), offline=60, booted=3, seed=1))
    assert [one for one in found if one.why] == []
    assert len(found) == 63


def test_an_upgrade_that_is_cut_short_leaves_the_version_before_or_the_new_one(
    tmp_path: Path, package: Path
) -> None:
    found = list(cuts.cuts(cuts.upgrade(tmp_path, package), offline=30, booted=3, seed=1))
    assert [one for one in found if one.why] == []
    versions = {one.version for one in found if one.booted}
    assert versions <= {hall.version_of(package), "9.9.0"}
