"""A smaller dose of `python -m attack`."""

from pathlib import Path

import pytest

from ._all import attack

pytestmark = [
    pytest.mark.system("mosquitto", "mosquitto_passwd"),
    # Links that the broker ends in the midst of a handshake are left to the garbage collector.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore:ssl.TLSVersion:DeprecationWarning"),
]


def test_attack_changes_nothing(tmp_path: Path) -> None:
    tally = attack(tmp_path, 100, 1)
    assert tally.told == []
    assert tally.tried.total() > 9000
