"""The real units in a booted Debian, with the real broker: they start, are killed, hang, and come back.

What they took is printed at the end of each test (`pytest -s`).
"""

import shutil
import signal
import statistics
import time
import tomllib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from pi_bunco.provision import seed
from pi_bunco.provision.plan import Plan
from pi_bunco.provision.system import ADOPT, BROKER, HEAD, TABLE, WEB
from provision.test_seed import plans
from systemd import hall
from systemd.hall import SERVICES, journaled
from systemd.machine import Machine, machine, needs_debian, until, why_not

pytestmark = [
    pytest.mark.long,
    pytest.mark.system("systemd-nspawn", "mmdebstrap", "nsenter", "chroot", "ss"),
    pytest.mark.skipif(bool(why_not()), reason=why_not()),
]

KILLS = 5
HANGS = 2
IN_A_ROW = 6
"""One more than systemd allows in ten seconds, unless it is told otherwise."""
NOTES = "/run/pi-bunco/head/rung.jsonl"
OFF = "Bell and horn are off"


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package."""
    needs_debian()
    return hall.package(tmp_path_factory.mktemp("package"))


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The hall's folder on the host's laptop."""
    return tmp_path_factory.mktemp("hall") / "out"


@pytest.fixture(scope="module")
def pi(tmp_path_factory: pytest.TempPathFactory, out: Path, package: Path) -> Iterator[Machine]:
    """The head's Pi in the middle of a round; since its card was put in nobody has pressed a key."""
    with machine(tmp_path_factory.mktemp("machine")) as made:
        hall.like_a_pi(made)
        hall.write_card(made, out, package)
        made.boot()
        until(lambda: made.ready(*SERVICES))
        hall.play(made)
        yield made


@pytest.fixture(autouse=True)
def all_is_up(pi: Machine) -> None:
    until(lambda: pi.ready(*SERVICES))


def main_pid(pi: Machine, name: str) -> int:
    return int(pi.shown(name, "MainPID")["MainPID"])


def started(pi: Machine, name: str, before: int) -> bool:
    """True if the service runs as another process than `before`."""
    return main_pid(pi, name) not in (0, before)


def back(pi: Machine, name: str, before: int) -> Callable[[], bool]:
    """True if the service is ready again as another process than `before`."""
    return lambda: started(pi, name, before) and pi.ready(name)


def goes_on(pi: Machine) -> None:
    """People play on, and what they do gets from the table over the broker into the journal."""
    before = len(journaled(pi))
    until(lambda: len(journaled(pi)) > before)


def test_all_is_as_the_units_say(pi: Machine) -> None:
    for name, groups in (
        (HEAD, {"pi-bunco", "gpio", "audio"}),
        (TABLE, {"pi-bunco", "gpio", "dialout", "i2c", "input", "bluetooth"}),
    ):
        ids = pi.done("ps", "-o", "user:20=,supgrp:80=", "-p", str(main_pid(pi, name))).split()
        assert (ids[0], set(ids[1].split(","))) == ("pi-bunco", groups)
        assert "WatchdogUSec=10s" in pi.done("systemctl", "show", name, "--property=WatchdogUSec")
        assert int(pi.shown(name, "LimitDATA")["LimitDATA"]) == int(pi.shown(name, "MemoryMax")["MemoryMax"])
    assert pi.says("systemctl", "--failed", "--no-legend") == ""
    assert "14s" in pi.done("systemctl", "show", "--property=RuntimeWatchdogUSec")
    ours = [line for name in ("sysusers", "tmpfiles-setup") for line in pi.journal(f"systemd-{name}.service")]
    assert ours
    assert not [line for line in ours if "/pi-bunco.conf:" in line]  # what it does not understand


def test_the_first_boot_took_what_was_handed_over(pi: Machine) -> None:
    assert pi.shown(ADOPT, "Result", "ExecMainStatus") == {"Result": "success", "ExecMainStatus": "0"}
    left = pi.done("cat", "/boot/firmware/pi-bunco.toml")
    assert all(line.startswith("#") for line in left.splitlines())
    assert not [password for password in passwords(pi) if password in left]
    kept = pi.done("find", "/etc/pi-bunco/secrets", "-type", "f", "-printf", "%P %U %m\n")
    names = ("head/head", "head/log-key", "head/probe", "host/host-cli", "table/table1")
    web = ("phones/phones", "web/pin", "web/web", "web/wifi")
    assert sorted(kept.splitlines()) == [f"{name} 0 600" for name in sorted((*names, *web))]


def test_the_first_start_did_what_the_card_says_and_keeps_no_secret_of_it(pi: Machine) -> None:
    assert pi.done("hostname") == "pi-bunco-head"
    assert pi.done("readlink", "/etc/localtime").endswith("Europe/Berlin")
    assert pi.done("sh", "-c", "grep ^bunco: /etc/shadow").split(":")[1] == "!"
    assert pi.says("systemctl", "is-active", "ssh.service") != "active"
    seeds = pi.done(
        "sh", "-c", "cat /boot/firmware/user-data /boot/firmware/network-config /boot/firmware/*.toml"
    )
    copies = pi.done("sh", "-c", "cat /var/lib/cloud/instance/*.txt")
    assert "pi-bunco-first-start" in copies
    assert not [password for password in passwords(pi) if password in seeds + copies]
    pi.done("sh", "-c", "cd /etc/NetworkManager; grep -qx address=/bunco.home/10.43.0.1 dnsmasq-shared.d/*")
    radio = pi.done("sh", "-c", "cat /run/NetworkManager/system-connections/netplan-wlan0*")
    assert {"mode=ap", "method=shared", "address1=10.43.0.1/24", "ssid=Bunco home"} <= set(radio.splitlines())


def test_the_password_of_the_wifi_is_where_only_root_looks(pi: Machine, out: Path) -> None:
    password = tomllib.loads((out / "hall.toml").read_text())["secrets"]["wifi"]
    found = pi.says(
        "grep", "-rlF", password, "/boot", "/etc", "/run", "/var", "--exclude-dir=journal"
    ).splitlines()
    assert "/etc/netplan/50-cloud-init.yaml" in found
    handed = "/run/credentials/pi-bunco-web.service/secrets_wifi"  # systemd keeps it for the page alone
    assert pi.says("find", *(name for name in found if name != handed), "-perm", "/044") == ""
    assert pi.says("find", handed, "-perm", "/004") == ""
    assert not [name for name in found if name.startswith(("/var/log", "/boot"))]


def test_netplan_takes_every_network_that_is_written(pi: Machine) -> None:
    for number, plan in enumerate(plans()):
        for table in (0, 2):
            root = f"srv/netplan-{number}-{table}"
            written = f"{root}/etc/netplan/50-cloud-init.yaml"
            pi.write(written, seed.seeds(plan, "sword, fish", table)["network-config"], 0o600)
            told = pi.run("cloud-init", "schema", "--schema-type=network-config", f"--config-file=/{written}")
            assert told.returncode == 0, (plan, told)  # it is stricter than netplan
            done = pi.run("netplan", "generate", "--root-dir", f"/{root}")
            # There is no udev in a container to be told.
            words = [line for line in done.stderr.splitlines() if "send reload request" not in line]
            assert (done.returncode, words) == (0, []), (plan, done)
            found = pi.says("sh", "-c", f"cat /{root}/run/NetworkManager/system-connections/*wlan0*")
            assert ("mode=ap" in found) == (plan.own_wifi and not table)
            assert ("\nproto=rsn\n" in found) == ("mode=ap" in found)
            assert ("psk=sword, fish" in found) == bool(plan.wifi or plan.own_wifi)


def test_netplan_takes_a_wifi_that_asks_for_no_password(pi: Machine) -> None:
    written = "srv/netplan-open/etc/netplan/50-cloud-init.yaml"
    pi.write(written, seed.seeds(Plan(3, wifi="Church", country="DE"), "", 2)["network-config"], 0o600)
    pi.done("cloud-init", "schema", "--schema-type=network-config", f"--config-file=/{written}")
    pi.done("netplan", "generate", "--root-dir", "/srv/netplan-open")
    found = pi.done("sh", "-c", "cat /srv/netplan-open/run/NetworkManager/system-connections/*wlan0*")
    assert "ssid=Church" in found
    assert "wifi-security" not in found


def test_a_table_finds_the_head_where_nobody_answers_names_or_gives_numbers(pi: Machine, out: Path) -> None:
    """There is only a cable; the head's Pi has the number on it that its card says."""
    unit = hall.table_beside(pi, out, 3)
    until(lambda: any(line.startswith("ready: table 3") for line in pi.journal(unit)))
    told = pi.journal(unit)
    assert any("bunco.home:8883 cannot be reached: Temporary failure in name" in line for line in told), told
    pi.done("systemctl", "stop", unit)
    pi.done("ip", "link", "delete", "eth0")


def test_the_gpiozero_of_plain_debian_is_refused_and_the_head_goes_on(pi: Machine) -> None:
    """Debian's own is there too, behind the one that Raspberry Pi OS would have."""
    try:
        pi.done("systemctl", "set-environment", "PYTHONPATH=/usr/lib/python3/dist-packages")
        pi.done("systemctl", "restart", HEAD)
        until(lambda: any("needs gpiozero 2, and this machine has 1.6" in line for line in pi.journal(HEAD)))
        goes_on(pi)
    finally:
        pi.done("systemctl", "unset-environment", "PYTHONPATH")
        pi.done("systemctl", "restart", HEAD)
    goes_on(pi)


def passwords(pi: Machine) -> list[str]:
    """All that are secret on the Pi."""
    texts = [file.read_text() for file in (pi.root / "etc/pi-bunco/secrets").glob("*/*")]
    found = [text.strip() if text.startswith("WIFI:") else text.split()[0] for text in texts]
    assert len(found) == 9
    return found


def test_nobody_listens_but_the_broker_for_the_tables(pi: Machine) -> None:
    ports = pi.done("ss", "--no-header", "--listening", "--numeric", "--tcp", "--udp", "--raw", "--processes")
    ours = [line for line in ports.splitlines() if "avahi-daemon" not in line]  # the system's, for .local
    found = {(line.split()[4].rpartition(":")[2], "mosquitto" in line) for line in ours}
    assert found == {("8883", True), ("80", False), ("443", False)}, ports
    socket, mode = "/run/pi-bunco-broker/mqtt.sock", pi.done("stat", "-c", "%U %G %A", "/run/pi-bunco-broker")
    assert mode == "mosquitto pi-bunco drwxr-x---"
    assert pi.run("setpriv", "--reuid=daemon", "--clear-groups", "cat", socket).stderr.endswith(
        "Permission denied\n"
    )


@pytest.mark.parametrize("name", SERVICES)
def test_a_killed_service_comes_back_and_the_round_goes_on(pi: Machine, name: str) -> None:
    times = []
    before, silenced = pi.restarts(name), off(pi)
    for _ in range(KILLS):
        pid = main_pid(pi, name)
        pi.kill(name, signal.SIGKILL)
        times.append(until(back(pi, name, pid)))
    assert pi.restarts(name) == before + KILLS
    if name == HEAD:
        until(lambda: off(pi) == silenced + KILLS)
    goes_on(pi)
    median = statistics.median(times)
    print(f"{name}: killed {KILLS} times, ready again in {median:.2f} s, at most {max(times):.2f} s")


def off(pi: Machine) -> int:
    """The number of times that the relay lines were driven low after the head had gone."""
    return sum(OFF in line for line in pi.journal(HEAD))


def test_services_that_hang_are_ended_by_the_watchdog_and_come_back(pi: Machine) -> None:
    silenced = off(pi)
    for turn in range(HANGS):
        pids = {name: main_pid(pi, name) for name in (HEAD, TABLE, BROKER)}
        begun = time.monotonic()
        for name in pids:
            pi.kill(name, signal.SIGSTOP)
        for name, pid in pids.items():
            until(back(pi, name, pid))
        hung = time.monotonic() - begun
        assert all(sum("Watchdog timeout" in line for line in pi.journal(name)) == turn + 1 for name in pids)
        print(f"hung, ready again after {hung:.1f} s")
    until(lambda: off(pi) == silenced + HANGS)
    goes_on(pi)


def test_no_number_of_failures_leaves_a_service_dead(pi: Machine) -> None:
    before = {name: pi.restarts(name) for name in SERVICES}
    for name in SERVICES * IN_A_ROW:
        pid = main_pid(pi, name)
        pi.kill(name, signal.SIGKILL)
        until(partial(started, pi, name, pid))
    until(lambda: pi.ready(*SERVICES))
    assert {name: pi.restarts(name) for name in SERVICES} == {
        name: before[name] + IN_A_ROW for name in SERVICES
    }
    goes_on(pi)


def test_what_has_rung_is_remembered_until_the_machine_is_switched_off(pi: Machine) -> None:
    noted = pi.done("cat", NOTES)
    assert '"id"' in noted  # the start of the round
    pid = main_pid(pi, HEAD)
    pi.kill(HEAD, signal.SIGKILL)
    until(back(pi, HEAD, pid))
    pi.done("systemctl", "restart", HEAD)
    assert pi.done("cat", NOTES) == noted


def test_a_service_that_is_stopped_ends_by_itself(pi: Machine) -> None:
    for name in (WEB, TABLE, HEAD, BROKER):
        begun = time.monotonic()
        pi.done("systemctl", "stop", name)
        print(f"{name}: stopped in {time.monotonic() - begun:.2f} s")
        assert pi.shown(name, "Result", "ExecMainStatus") == {"Result": "success", "ExecMainStatus": "0"}
    assert pi.says("ss", "--no-header", "--listening", "--tcp") == ""
    pi.done("systemctl", "start", *SERVICES)
    goes_on(pi)


def test_a_service_without_its_secrets_is_there_all_the_same_and_plays_when_they_come(pi: Machine) -> None:
    secrets, aside = "/etc/pi-bunco/secrets/table", "/etc/pi-bunco/secrets/aside"
    pi.done("mv", secrets, aside)
    pi.done("systemctl", "restart", TABLE)
    assert pi.ready(TABLE)
    before = pi.restarts(TABLE)
    pi.done("rm", "-r", secrets)
    pi.done("mv", aside, secrets)
    assert pi.restarts(TABLE) == before
    pi.done("systemctl", "restart", TABLE)
    goes_on(pi)


def test_an_account_that_is_revoked_is_out_at_once(pi: Machine) -> None:
    file = "/etc/pi-bunco/broker/passwd"
    kept = pi.done("cat", file)
    without = "\n".join(line for line in kept.splitlines() if not line.startswith("table1:"))
    for accounts, said in ((without, "not authorised"), (kept, "as table1 ")):
        before = len(pi.journal(BROKER))
        pi.done("sh", "-c", f"umask 077; cat > {file}.new; mv {file}.new {file}", given=f"{accounts}\n")
        pi.done("systemctl", "reload", BROKER)
        until(partial(told, pi, BROKER, said, before))
    goes_on(pi)


def test_the_broker_has_nothing_to_say_against_owner_group_or_mode_of_its_files(pi: Machine) -> None:
    """It read them at its start, and again as others had written them."""
    for name in ("passwd", "acl"):
        pi.done("sh", "-c", f"cd /etc/pi-bunco/broker; cp {name} new; chmod 600 new; mv new {name}")
    pi.done("systemctl", "reload", BROKER)
    goes_on(pi)
    assert not [line for line in pi.journal(BROKER) if "Future versions" in line]


def told(pi: Machine, name: str, said: str, after: int) -> bool:
    """True if the log of the unit has these words behind its first `after` lines."""
    return any(said in line for line in pi.journal(name)[after:])


def test_a_power_cut_costs_nothing_that_was_journaled(pi: Machine) -> None:
    for _ in range(2):
        goes_on(pi)
        before = journaled(pi)
        pi.cut_power()
        booted = pi.boot()
        ready = until(lambda: pi.ready(*SERVICES))
        assert journaled(pi)[: len(before)] == before
        goes_on(pi)
        print(f"power cut with {len(before)} facts: ready {booted + ready:.1f} s after power is back")


def test_a_package_that_is_put_on_the_card_is_installed_at_the_next_start_and_only_then(
    pi: Machine, package: Path
) -> None:
    """A newer one and, as the way back, the one before."""
    card = pi.root / "boot/firmware/pi-bunco"
    for version, deb in (("9.9.0", hall.reworked(package, "9.9.0")), (hall.version_of(package), package)):
        for old in card.glob("*.deb"):
            old.unlink()
        shutil.copy(deb, card)
        first_start(pi)
        asked = ("dpkg-query", "--show", "--showformat=${Version}", "pi-bunco")
        assert pi.done(*asked) == version
        until(lambda: pi.ready(*SERVICES))
        pids = [main_pid(pi, name) for name in SERVICES]
        first_start(pi)
        assert [main_pid(pi, name) for name in SERVICES] == pids
    goes_on(pi)
    shutil.rmtree(card)  # to make room, perhaps
    first_start(pi)


def first_start(pi: Machine) -> None:
    """Runs the script of the first start as the card does."""
    id = pi.done("cat", "/var/lib/cloud/data/instance-id")
    script = "/boot/firmware/pi-bunco-first-start.sh"
    pi.done("env", f"INSTANCE_ID={id}", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "sh", script, "install")


def test_no_password_is_seen_in_a_log_or_by_other_processes(pi: Machine) -> None:
    hall.host(pi, "status")
    seen = pi.done("sh", "-c", "cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ; journalctl --boot")
    assert "pi-bunco" in seen
    assert not [password for password in passwords(pi) if password in seen]


def test_a_new_card_for_the_head_takes_the_evening_from_the_tables(
    pi: Machine, out: Path, package: Path
) -> None:
    """In mid-round; table 1 stands for the Pi of another table, which has what it had."""
    goes_on(pi)
    before = journaled(pi)
    pi.done("systemctl", "stop", HEAD)
    pi.done("rm", "-r", "/var/lib/pi-bunco/head")
    hall.write_card(pi, out, package, replace=("head",))
    hall.bunco(pi, "adopt")
    pi.done("systemctl", "start", HEAD)
    known = before[: -len(before) // 10]  # the newest may not have reached the table yet
    hall.host(pi, "status")
    until(lambda: journaled(pi)[: len(known)] == known)
    goes_on(pi)
    assert pi.done("cat", "/etc/pi-bunco/secrets/head/log-key").endswith(" 10000")
