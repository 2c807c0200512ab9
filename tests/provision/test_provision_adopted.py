"""A Pi takes all that provisioning hands over, as far as the end of both."""

from pathlib import Path
from typing import Any

import pytest

from pi_bunco.provision import adopt
from provision.halls import card, provisioned
from provision.pis import pi, taken

HEAD = [f"pi-bunco-{name}.service" for name in ("broker", "head", "web", "table")]


@pytest.mark.parametrize(("name", "services"), [("head", HEAD), ("table7", HEAD[3:])])
def test_a_pi_takes_its_card(tmp_path: Path, name: str, services: list[str]) -> None:
    provisioned(tmp_path / "out")
    given = card(tmp_path / "out", name)
    system, traces = pi(tmp_path / "pi")
    taken(system, tmp_path / "out" / name / "pi-bunco.toml")
    for path, text in given.files.items():
        assert (system.places.config / path).read_text("utf-8") == text
    assert adopt.read_settings(system.places.settings) == given.settings
    assert traces.active >= set(services)
    secrets = [text.strip() for path, text in given.files.items() if "secrets" in path]
    left = (tmp_path / "out" / name / "pi-bunco.toml").read_text("utf-8")
    assert not [secret for secret in secrets if secret in left]


@pytest.mark.parametrize(
    ("asked", "verb"), [({"tables": 9}, "reload"), ({"replace": ("7",)}, "restart")], ids=("more", "replaced")
)
def test_an_update_is_for_the_broker_alone(tmp_path: Path, asked: dict[str, Any], verb: str) -> None:
    out = tmp_path / "out"
    provisioned(out)
    system, traces = pi(tmp_path / "pi")
    taken(system, out / "head/pi-bunco.toml")
    before = adopt.read_settings(system.places.settings)
    provisioned(out, **asked)
    update = card(out, "head-update")
    traces.lines.clear()
    taken(system, out / "head-update/pi-bunco.toml")
    assert (system.places.broker / "passwd").read_text("utf-8") == update.files["broker/passwd"]
    assert adopt.read_settings(system.places.settings) == before
    ours = [line.split() for line in traces.lines if "pi-bunco-" in line]
    changing = [words for words in ours if {"start", "stop", "restart", "reload"} & set(words)]
    assert [(words[-2], words[-1]) for words in changing] == [(verb, "pi-bunco-broker.service")]
