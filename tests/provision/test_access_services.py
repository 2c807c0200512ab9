"""The real services with what provisioning made for them play a round, and tell no secret to anybody."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import tomli_w

from cli.processes import COMMAND, WAIT, Service, run
from cli.test_services_cli import PEOPLE, SEATS, play
from pi_bunco.config import ConfigError, load
from provision.halls import VIRTUAL, HallBroker, card, provisioned

pytestmark = pytest.mark.system("mosquitto", "mosquitto_passwd")


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[HallBroker]:
    provisioned(tmp_path / "out", (), tables=2, **VIRTUAL)
    with HallBroker(tmp_path / "out", tmp_path / "etc") as broker:
        yield broker


def settings(hall: HallBroker, name: str) -> Path:
    """The settings that the Pi would have, which also takes its files."""
    given = card(hall.out, name)
    hall.take(given)
    file = hall.folder / f"{name}.toml"
    file.write_text(hall.placed(tomli_w.dumps(given.settings)), "utf-8")
    return file


def handed_by_systemd(hall: HallBroker, service: str, node: str) -> dict[str, str]:
    """The secret is where systemd puts it for a service, and nowhere else."""
    folder = hall.folder / "credentials" / node
    folder.mkdir(parents=True)
    (hall.folder / "secrets" / service / node).rename(folder / f"secrets_{node}")
    return {"CREDENTIALS_DIRECTORY": str(folder)}


def services(hall: HallBroker, tmp_path: Path, as_systemd: bool) -> tuple[Service, Service, Service]:
    head, two = settings(hall, "head"), settings(hall, "table2")
    given = [
        handed_by_systemd(hall, service, node) if as_systemd else {}
        for service, node in (("head", "head"), ("table", "table1"), ("table", "table2"))
    ]
    return (
        Service("head", "--config", head, "--data", tmp_path / "h", env=given[0]),
        Service("table", "--config", head, "--data", tmp_path / "t1", "--stdin", env=given[1]),
        Service("table", "--config", two, "--data", tmp_path / "t2", "--stdin", env=given[2]),
    )


def host(hall: HallBroker, *words: str) -> "subprocess.CompletedProcess[bytes]":
    return run("host", "--config", hall.folder / "head.toml", "--wait", f"{WAIT / 2}", *words)


@pytest.mark.parametrize("as_systemd", [False, True])
def test_a_round_over_tls_and_the_socket(hall: HallBroker, tmp_path: Path, as_systemd: bool) -> None:
    """Nothing that anybody can read has a password: no output, no command line, no file of the services."""
    referee, one, two = services(hall, tmp_path, as_systemd)
    lines: list[bytes] = []
    with referee, one, two:
        assert referee.ready().startswith("ready: head, broker unix:")
        assert one.ready().startswith("ready: table 1, broker unix:")
        assert two.ready() == f"ready: table 2, broker 127.0.0.1:{hall.port}\n"
        told = [host(hall, "open", "--rules", "bonko", "--players", PEOPLE), host(hall, "seats", *SEATS)]
        while (answer := host(hall, "start")).returncode:
            assert b"not heard" in answer.stderr
        play(one, two)
        while (board := json.loads(host(hall, "status", "--json").stdout))["score"]["board"][
            "state"
        ] != "between_rounds":
            pass
        assert board["score"]["board"]["rounds_played"] == 1
        for service in (referee, one, two):
            lines.append(Path(f"/proc/{service.process.pid}/cmdline").read_bytes())
            lines.append(Path(f"/proc/{service.process.pid}/environ").read_bytes())
        lines += [done.stdout + done.stderr for done in told]
        for service in (referee, one, two):
            status, rest = service.terminate()
            assert status == 0
            lines += [rest.encode(), *said(service)]
    assert told[0].returncode == told[1].returncode == 0
    lines += [file.read_bytes() for name in ("h", "t1", "t2") for file in (tmp_path / name).iterdir()]
    tells_nothing(hall, *lines, hall.log.read_bytes())


def said(service: Service) -> Iterator[bytes]:
    while (line := service.lines.get(timeout=WAIT)) is not None:
        yield line.encode()


def tells_nothing(hall: HallBroker, *told: bytes) -> None:
    secrets = [hall.password(name).encode() for name in ("head", "probe", "host-cli", "table1", "table2")]
    key = (hall.out / "ca/key.pem").read_bytes().splitlines()[1]
    assert any(told)
    for secret in (*secrets, key):
        assert len(secret) >= 22
        assert not any(secret in one for one in told)


@pytest.mark.parametrize("node", ["head", "table1", "table2", "probe", "host-cli"])
def test_a_config_shows_no_password(hall: HallBroker, node: str) -> None:
    file = settings(hall, "table2" if node == "table2" else "head")
    address = load({}, file).address(node)
    assert address.password == hall.password(node)
    tells_nothing(hall, repr(address).encode(), str(address).encode(), repr(load({}, file)).encode())


def test_an_unusable_secret_is_named_and_not_told(hall: HallBroker) -> None:
    file = settings(hall, "table2")
    (hall.folder / "secrets/table/table2").write_bytes(b"\xff" + hall.password("table2").encode())
    with pytest.raises(ConfigError) as raised:
        load({}, file).address("table2")
    assert "no text in UTF-8" in str(raised.value)
    tells_nothing(hall, str(raised.value).encode())


@pytest.mark.parametrize("command", ["provision", "head", "table", "host"])
def test_help_tells_no_secret(hall: HallBroker, command: str) -> None:
    told = run(command, "--config", settings(hall, "head"), "--help")
    assert told.returncode == 0
    tells_nothing(hall, told.stdout + told.stderr)


def test_hosts_at_the_same_time_all_get_their_answer(hall: HallBroker, tmp_path: Path) -> None:
    """They share an account, so each throws the others out; each comes back until it has its answer."""
    head = settings(hall, "head")
    with Service("head", "--config", head, "--data", tmp_path / "h") as referee:
        referee.ready()
        asks = [
            subprocess.Popen(
                [*COMMAND, "host", "--config", str(head), "--wait", f"{WAIT}", *words], stdout=-1, stderr=-1
            )
            for words in (["status"], ["open", "--players", PEOPLE], ["status", "--json"], ["status"])
        ]
        told = [ask.communicate(timeout=WAIT) for ask in asks]
        assert [ask.returncode for ask in asks] == [0, 0, 0, 0], told
        assert host(hall, "status").stdout.startswith(b"Classic")


def test_a_host_asks_in_her_own_name_from_a_folder_that_may_lie_anywhere(
    hall: HallBroker, tmp_path: Path
) -> None:
    provisioned(hall.out, hosts=("ann",))
    hall.update()
    folder = shutil.copytree(hall.out / "host-ann", tmp_path / "stick")
    config = folder / "pi-bunco.toml"
    config.write_text(hall.placed(config.read_text()))
    ask = ("host", "--config", config, "--wait", f"{WAIT / 2}")
    head = settings(hall, "head")
    with Service("head", "--config", head, "--data", tmp_path / "h") as referee:
        referee.ready()
        assert run(*ask, "open", "--players", PEOPLE).returncode == 0
        assert run(*ask, "status").stdout.startswith(b"Classic")
        provisioned(hall.out, ("host-ann",))
        hall.update()
        assert b"refuses host-ann" in run("host", "--config", config, "--wait", "1", "status").stderr
        assert host(hall, "status").returncode == 0
        referee.terminate()


def test_a_second_head_is_told_of_the_first_and_does_not_disturb_it(hall: HallBroker, tmp_path: Path) -> None:
    """It asks as `probe`: with the head's own account it would throw out whom it asks for."""
    head = settings(hall, "head")
    with Service("head", "--config", head, "--data", tmp_path / "h") as first:
        first.ready()
        assert host(hall, "status").returncode == 0
        second = run("head", "--config", head, "--data", tmp_path / "other")
        assert second.returncode == 2
        assert b"is head of home already" in second.stderr
        assert host(hall, "status").returncode == 0
        first.terminate()
        assert not [line for line in said(first) if b"lost" in line or b"refuses" in line]
