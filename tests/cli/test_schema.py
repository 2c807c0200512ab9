"""The schema says of every line of the golden logs what the reader says."""

import json
from pathlib import Path

import pytest

from pi_bunco.cli import main

KINDS = {"roll", "bell", "evening", "bell_seen", "substitute"}


@pytest.mark.parametrize("what", ["log", "wire"])
def test_the_schema_is_printed(what: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", what]) == 0
    schema = json.loads(capfd.readouterr().out)
    assert "$defs" in schema


def test_the_log_schema_has_every_kind_with_its_fields(capfd: pytest.CaptureFixture[str]) -> None:
    main(["schema", "log"])
    definitions = json.loads(capfd.readouterr().out)["$defs"]
    fields = [one["properties"] for one in definitions.values()]
    kinds = {one["kind"]["enum"][0]: set(one) for one in fields if "kind" in one}
    assert set(kinds) >= KINDS
    for log in sorted(Path("tests/golden").glob("*.jsonl")):
        for line in log.read_text("utf-8").splitlines():
            fact = json.loads(line)
            kind = "bell_seen" if fact["kind"] == "heard" else fact["kind"]  # its name before version 0.2
            assert set(fact) <= kinds[kind], line
