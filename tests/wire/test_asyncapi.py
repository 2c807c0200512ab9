"""The formats in machine-readable form say what the types say."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from pi_bunco.cli import main
from pi_bunco.game import codec
from pi_bunco.wire.asyncapi import asyncapi, command_schema, schema
from pi_bunco.wire.commands import COMMANDS
from pi_bunco.wire.messages import CHANNELS
from wire.test_gate import EXAMPLES

Document = dict[str, Any]
DOCUMENT: Document = json.loads(json.dumps(asyncapi()))


def place(topic: str) -> str:
    return topic.replace("table2", "{table}").replace("host-ann", "{node}")


def validator(whole: Document, part: Document) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator({**part, "$defs": whole["$defs"]})


SCHEMAS = {"wire": schema(), "commands": command_schema(), "log": codec.schema()}


@pytest.mark.parametrize("whole", SCHEMAS.values(), ids=list(SCHEMAS))
def test_the_schemas_are_schemas(whole: Document) -> None:
    jsonschema.Draft202012Validator.check_schema(whole)


def test_the_schema_has_every_topic_and_takes_every_example() -> None:
    whole = schema()
    patterns = set(whole["properties"])
    for topic, example in EXAMPLES.items():
        named = place(topic) if place(topic) in patterns else place(topic).replace("{table}", "{node}")
        validator(whole, whole["properties"][named]).validate(example)
        part = whole["$defs"][whole["properties"][named]["$ref"].rpartition("/")[2]]
        assert set(example) <= set(part["properties"]), topic
        patterns.discard(named)
    assert not patterns


def test_the_log_schema_takes_every_line_of_the_golden_logs() -> None:
    lines = validator(codec.schema(), codec.schema())
    for log in sorted(Path("tests/golden").glob("*.jsonl")):
        for line in log.read_text("utf-8").splitlines():
            fact = json.loads(line)
            if fact["kind"] != "heard":  # the name of bell_seen before version 0.2
                lines.validate(fact)


def test_a_command_of_another_form_is_refused_by_the_schema() -> None:
    whole = schema()
    command = validator(whole, whole["properties"]["{node}/up/command"])
    turn = {"id": "k1", "command": "turn", "args": {"table": 1, "seat": "A", "rolls": 3}}
    command.validate(turn)
    assert not command.is_valid(turn | {"args": {"table": 1, "seat": "A", "roll": 3}})
    assert not command.is_valid(turn | {"command": "round_end"})
    assert set(command_schema()["properties"]) == set(COMMANDS)


# The AsyncAPI document; it was valid by the schema that asyncapi.com publishes for 3.0.0.


def test_every_reference_leads_somewhere() -> None:
    for ref in set(re.findall(r'"\$ref": "([^"]+)"', json.dumps(DOCUMENT))):
        assert isinstance(resolved(ref), dict), ref


def resolved(ref: str) -> Any:
    found: Any = DOCUMENT
    for step in ref.removeprefix("#/").split("/"):
        found = found[step]
    return found


def test_every_channel_has_its_parameters_message_and_operation() -> None:
    assert DOCUMENT["asyncapi"] == "3.0.0"
    channels, operations = DOCUMENT["channels"], DOCUMENT["operations"]
    assert len(channels) == len(operations) == len(CHANNELS)
    used = {one["channel"]["$ref"].rpartition("/")[2]: one for one in operations.values()}
    assert set(used) == set(channels)
    for name, channel in channels.items():
        assert set(re.findall(r"\{(\w+)\}", channel["address"])) == set(channel["parameters"])
        assert used[name]["action"] == ("receive" if "/up/" in channel["address"] else "send")
        (message,) = channel["messages"].values()
        payload = resolved(resolved(message["$ref"])["payload"]["$ref"])
        assert payload["type"] == "object"


def test_every_message_has_a_schema_that_is_one() -> None:
    for part in DOCUMENT["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(part)


@pytest.mark.parametrize("what", ["log", "wire"])
def test_the_schema_is_printed(what: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", what]) == 0
    schema = json.loads(capfd.readouterr().out)
    assert "$defs" in schema
