import fcntl
import os
from pathlib import Path

import pytest

from pi_bunco.head.role import LOCK, HeadRuns, without_head


def test_a_head_that_runs_keeps_its_bell(tmp_path: Path) -> None:
    with (tmp_path / LOCK).open("a+b") as held:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        held.write(b"4711")
        held.flush()
        sentence = r"^process 4711 is head .* use pi-bunco host bell-test$"
        with pytest.raises(HeadRuns, match=sentence), without_head(tmp_path):
            raise AssertionError("it has been let in")
    assert (tmp_path / LOCK).read_bytes() == b"4711"


def test_no_head_starts_meanwhile_and_one_may_afterwards(tmp_path: Path) -> None:
    (tmp_path / LOCK).write_bytes(b"99999999")
    with (tmp_path / LOCK).open("rb") as head:
        with without_head(tmp_path):
            assert (tmp_path / LOCK).read_text() == str(os.getpid())
            with pytest.raises(BlockingIOError):
                fcntl.flock(head, fcntl.LOCK_EX | fcntl.LOCK_NB)
        fcntl.flock(head, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_where_no_head_has_been_nothing_is_made(tmp_path: Path) -> None:
    with without_head(tmp_path), without_head(None), without_head(tmp_path / "missing"):
        assert not list(tmp_path.iterdir())


def test_a_lock_that_cannot_be_opened_may_be_held(tmp_path: Path) -> None:
    (tmp_path / LOCK).mkdir()
    with pytest.raises(HeadRuns, match="a head may be running"), without_head(tmp_path):
        raise AssertionError("it has been let in")
