"""What provisioning hands over is what a Pi takes, as far as the end of both."""

from pathlib import Path
from typing import Any

import pytest

from pi_bunco.ops.install import adopt, settings
from pi_bunco.ops.install.machine import Machine
from pi_bunco.provision.handover import Role
from provision.halls import card, provisioned
from provision.pis import pi

HEAD = ["pi-bunco-broker.service", "pi-bunco-head.service", "pi-bunco-table.service"]


def adopted(machine: Machine, file: Path) -> None:
    given = adopt.read(file)
    assert given is not None
    todo = adopt.adoption(machine, file, given)
    for step in (*todo.stored, *todo.enabled, *todo.running, *todo.blanked):
        step.apply()


@pytest.mark.parametrize(("name", "services"), [("head", HEAD), ("table7", HEAD[2:])])
def test_a_pi_takes_its_card(tmp_path: Path, name: str, services: list[str]) -> None:
    provisioned(tmp_path / "out")
    given = card(tmp_path / "out", name)
    machine, traces = pi(tmp_path / "pi")
    adopted(machine, tmp_path / "out" / name / "pi-bunco.toml")
    for path, text in given.files.items():
        assert (machine.places.config / path).read_text("utf-8") == text
    assert settings.read(machine.places.settings) == given.settings
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
    machine, traces = pi(tmp_path / "pi")
    adopted(machine, out / "head/pi-bunco.toml")
    before = settings.read(machine.places.settings)
    provisioned(out, **asked)
    update = card(out, "head-update")
    traces.lines.clear()
    adopted(machine, out / "head-update/pi-bunco.toml")
    assert (machine.places.broker / "passwd").read_text("utf-8") == update.files["broker/passwd"]
    assert settings.read(machine.places.settings) == before
    ours = [line.split() for line in traces.lines if "pi-bunco-" in line]
    changing = [words for words in ours if {"start", "stop", "restart", "reload"} & set(words)]
    assert [(words[-2], words[-1]) for words in changing] == [(verb, "pi-bunco-broker.service")]


@pytest.mark.parametrize("head", ["pi-bunco-head.local", "192.168.8.10"])
def test_install_and_provision_agree_where_the_broker_is(tmp_path: Path, head: str) -> None:
    provisioned(tmp_path, head=head)
    roles: dict[str, Role] = {"head": "head", "table7": "table"}
    for name, role in roles.items():
        assert card(tmp_path, name).settings["broker"] == settings.broker(role, head)
