"""Two that claim one name: each says so in a sentence, and nobody's evening suffers."""

import subprocess
import sys
from pathlib import Path

import pytest

from pi_bunco.errors import BuncoError
from pi_bunco.runtime.files import claimed
from pi_bunco.runtime.loop import Health
from services.hall import Hall


def test_a_table_says_that_another_machine_uses_its_number(tmp_path: Path) -> None:
    hall = Hall(tmp_path, 2)
    sentence = "Another machine is table2 at the broker hall:1883 too."
    hall.tables[2].receive(Health((sentence,), "name"))
    hall.wait(3000)
    lights = hall.tables[2].lights
    assert (lights.fault, lights.message) == (True, sentence)
    assert f"Table 2: {sentence}" in hall.host.board.waiting
    hall.tables[2].receive(Health((), "name"))
    assert sentence not in hall.tables[2].lights.message


def test_a_second_process_on_the_data_of_a_table_says_which_one_has_it(tmp_path: Path) -> None:
    with claimed(tmp_path, "table.lock", "is a table"):
        table = [sys.executable, "-m", "pi_bunco", "table", "--number", "2", "--data", str(tmp_path)]
        ended = subprocess.run(
            [*table, "--broker", "127.0.0.1:9", "--dice", "virtual"],
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert ended.returncode == 2
    assert "is a table already with the data in" in ended.stderr
    assert not (tmp_path / "outbox.db").exists()


def test_a_lock_is_free_again_when_its_process_ends(tmp_path: Path) -> None:
    with claimed(tmp_path, "x.lock", ""), pytest.raises(BuncoError), claimed(tmp_path, "x.lock", ""):
        raise AssertionError("it has been let in")
    with claimed(tmp_path, "x.lock", ""):
        assert (tmp_path / "x.lock").read_text().isdigit()
