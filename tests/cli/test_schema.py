"""The schema says of every line of the golden logs what the reader says."""

import json
from pathlib import Path

import pytest

from pi_bunco.cli import main

KINDS = {"roll", "bell", "evening", "heard", "substitute"}


@pytest.mark.parametrize("what", ["log", "wire"])
def test_the_schema_is_printed(what: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", what]) == 0
    schema = json.loads(capfd.readouterr().out)
    assert "$defs" in schema


def test_the_log_schema_has_every_kind_with_its_fields(capfd: pytest.CaptureFixture[str]) -> None:
    main(["schema", "log"])
    definitions = json.loads(capfd.readouterr().out)["$defs"]
    kinds = {one["properties"]["kind"]["enum"][0]: set(one["properties"]) for one in definitions.values()}
    assert set(kinds) >= KINDS
    for log in sorted(Path("tests/golden").glob("*.jsonl")):
        for line in log.read_text("utf-8").splitlines():
            fact = json.loads(line)
            assert set(fact) <= kinds[fact["kind"]], line
