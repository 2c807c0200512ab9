"""The formats in machine-readable form, made from the types: JSON Schema, and an AsyncAPI 3.0 document."""

from typing import Any

import msgspec

from pi_bunco import __version__
from pi_bunco.game import facts
from pi_bunco.wire.commands import COMMANDS
from pi_bunco.wire.messages import CHANNELS, Answer, Channel, Command
from pi_bunco.wire.topics import PREFIX

DIALECT = "https://json-schema.org/draft/2020-12/schema"
BINDING = "0.2.0"
"""The version of AsyncAPI's MQTT binding."""
_PARAMETERS = {
    "hall": {"description": "the site; home where it is not set", "default": "home"},
    "table": {"description": "a table's node: table1, table2, ..."},
    "node": {"description": "a node, which is also its account: table1, head, web, host-ann"},
}


def schema() -> dict[str, Any]:
    """The JSON Schema of every payload, by topic (`{node}` and `{table}` stand for names)."""
    refs, schemas = _components("#/$defs/{name}")
    return {
        "$schema": DIALECT,
        "title": PREFIX,
        "type": "object",
        "properties": {one.address: refs[one.kind] for one in CHANNELS},
        "$defs": schemas,
    }


def command_schema() -> dict[str, Any]:
    """The JSON Schema of every host command's arguments, by its name."""
    kinds = list(COMMANDS.values())
    refs, schemas = msgspec.json.schema_components(kinds, ref_template="#/$defs/{name}")
    return {
        "$schema": DIALECT,
        "title": f"{PREFIX} host commands",
        "type": "object",
        "properties": {kind.name: ref for kind, ref in zip(kinds, refs, strict=True)},
        "$defs": schemas,
    }


def asyncapi() -> dict[str, Any]:
    """The AsyncAPI 3.0 document of the wire, as the head sees it: it receives `up`, and sends all else."""
    refs, schemas = _components("#/components/schemas/{name}")
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "pi_bunco",
            "version": __version__,
            "description": "What goes over MQTT on a Bunco night: tables, head, host's page and commands.",
            "license": {"name": "MIT"},
        },
        "defaultContentType": "application/json",
        "channels": {_id(one): _channel(one) for one in CHANNELS},
        "operations": {f"{_action(one)}_{_id(one)}": _operation(one) for one in CHANNELS},
        "components": {
            "messages": {
                kind.__name__: {
                    "name": kind.__name__,
                    "summary": (kind.__doc__ or "").splitlines()[0],
                    "payload": ref,
                }
                for kind, ref in refs.items()
            },
            "schemas": schemas,
        },
    }


def _components(template: str) -> tuple[dict[type, dict[str, Any]], dict[str, Any]]:
    """The reference to each payload's schema, and all schemas, those of facts and arguments among them."""
    payloads = list(dict.fromkeys(one.kind for one in CHANNELS))
    kinds = [*payloads, *facts.FACT_KINDS.values(), *COMMANDS.values()]
    refs, schemas = msgspec.json.schema_components(kinds, ref_template=template)
    by_kind = dict(zip(kinds, refs, strict=True))
    schemas[Command.__name__]["anyOf"] = [
        {"properties": {"command": {"const": kind.name}, "args": by_kind[kind]}} for kind in COMMANDS.values()
    ]
    return {kind: by_kind[kind] for kind in payloads}, schemas


def _id(channel: Channel) -> str:
    return f"{channel.direction}_{channel.leaf}"


def _channel(channel: Channel) -> dict[str, Any]:
    address = f"{PREFIX}/{{hall}}/{channel.address}"
    return {
        "address": address,
        "description": channel.summary,
        "messages": {channel.kind.__name__: {"$ref": f"#/components/messages/{channel.kind.__name__}"}},
        "parameters": {name: shape for name, shape in _PARAMETERS.items() if f"{{{name}}}" in address},
    }


def _action(channel: Channel) -> str:
    return "receive" if channel.direction == "up" else "send"


def _operation(channel: Channel) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "action": _action(channel),
        "channel": {"$ref": f"#/channels/{_id(channel)}"},
        "summary": channel.summary,
        "bindings": {
            "mqtt": {"qos": channel.qos, "retain": channel.retained, "bindingVersion": BINDING},
        },
    }
    if channel.kind is Command:
        answers = next(one for one in CHANNELS if one.kind is Answer)
        operation["reply"] = {"channel": {"$ref": f"#/channels/{_id(answers)}"}}
    return operation
