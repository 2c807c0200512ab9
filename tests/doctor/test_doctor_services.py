"""The doctor's findings about devices, units, settings and stores."""

from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doctor.machines import Pi
from pi_bunco.config import Config, ConfigError
from pi_bunco.devices.pins import shipped
from pi_bunco.doctor import header, installation, stores
from pi_bunco.doctor.examine import Subject, examine
from pi_bunco.doctor.findings import Finding
from pi_bunco.doctor.header import DevicePath, ServiceUser
from pi_bunco.doctor.installation import Unit
from pi_bunco.doctor.stores import STORE_KINDS, home
from pi_bunco.log import journal
from pi_bunco.log.backup import Home, StoreKind
from pi_bunco.provision import handover, seed
from pi_bunco.provision.handover import Handover
from pi_bunco.provision.plan import Plan
from pi_bunco.provision.system import ADOPT, BROKER, HEAD, OTHER_BROKER, TABLE, WEB, units_of
from pi_bunco.runtime.store import connect
from pi_bunco.runtime.writer import Warned

HOSTS = ServiceUser("pi-bunco", frozenset({"gpio"}))
SHOW = """\
Id=pi-bunco-table.service
LoadState=loaded
UnitFileState=enabled
ActiveState=active
SubState=running
NRestarts=0
StatusText=table 2, broker 192.168.8.10:8883
SupplementaryGroups=gpio dialout i2c

Id=pi-bunco-head.service
LoadState=not-found
UnitFileState=
ActiveState=inactive
SubState=dead
NRestarts=0
"""


@pytest.fixture
def pi(tmp_path: Path) -> Pi:
    return Pi(tmp_path)


def levels(found: Iterable[Finding]) -> list[str]:
    return [one.level for one in found]


def faults(found: Iterable[Finding]) -> list[str]:
    listed = [one for one in found if one.level == "fault"]
    assert all(one.mend for one in listed)
    return [one.text for one in listed]


# Devices.


def test_no_wires_no_complaint(pi: Pi) -> None:
    assert levels(header.look_header(pi.machine, Config(), HOSTS)) == ["skipped"]
    assert levels(header.look_files(pi.machine, Config(), HOSTS)) == ["skipped"]


def test_a_header_that_is_missing(pi: Pi) -> None:
    (why,) = faults(header.look_header(pi.machine, Config(panel="gpio"), HOSTS))
    assert "no GPIO header of a Raspberry Pi" in why
    named = Config(panel="gpio", gpio="gpiod:/dev/gpiochip7")
    (why,) = faults(header.look_header(pi.machine, named, HOSTS))
    assert "/dev/gpiochip7 is not there" in why
    assert levels(header.look_header(pi.machine, Config(panel="gpio", gpio="rpigpio"), HOSTS)) == ["skipped"]


def test_a_chip_that_cannot_be_asked_is_not_fine(pi: Pi) -> None:
    pi.put("sys/bus/gpio/devices/gpiochip4/of_node/compatible", "raspberrypi,rp1-gpio\0")
    pi.put("dev/gpiochip4", "no chip")
    found = list(header.look_header(pi.machine, Config(panel="gpio"), ServiceUser("root", frozenset())))
    assert [(one.check, one.level) for one in found] == [("GPIO", "ok"), ("GPIO lines", "skipped")]


@pytest.mark.parametrize(
    ("device", "who", "level"),
    [
        (DevicePath("/dev/gpiochip0", "gpio", True), HOSTS, "ok"),
        (DevicePath("/dev/gpiochip0", "gpio", True), ServiceUser("pi-bunco", frozenset()), "fault"),
        (DevicePath("/dev/gpiochip0", "root", False), HOSTS, "fault"),
        (DevicePath("/dev/gpiochip0", "root", False, open=True), HOSTS, "ok"),
        (DevicePath("/dev/gpiochip0", "root", False), ServiceUser("root", frozenset()), "ok"),
    ],
)
def test_who_may_use_a_device(device: DevicePath, who: ServiceUser, level: str) -> None:
    assert levels(header.judge_device("GPIO", device, who)) == [level]


def test_the_services_user_is_who_counts(pi: Pi) -> None:
    pi.put("etc/passwd", "root:x:0:0::/root:/bin/sh\npi-bunco:x:990:990::/nonexistent:/usr/sbin/nologin\n")
    pi.put("etc/group", "gpio:x:986:pi,pi-bunco\ndialout:x:20:pi\n")
    assert header.person(pi.machine, {"i2c"}) == ServiceUser("pi-bunco", frozenset({"gpio", "i2c"}))
    pi.put("etc/passwd", "root:x:0:0::/root:/bin/sh\n")
    assert header.person(pi.machine).name != "pi-bunco"


def test_a_line_that_somebody_else_holds_is_named() -> None:
    lines = [shipped()["bell"], shipped()["horn"]]
    (why,) = faults(header.judge_lines(lines, {"bell": "spi0 CS0", "horn": "pi-bunco"}))
    assert why == "[bell] GPIO17 (header pin 11) is in use by spi0 CS0."
    assert levels(header.judge_lines(lines, {"horn": "pi-bunco"})) == ["ok"]


def test_the_port_of_the_dice(pi: Pi) -> None:
    config = Config(dice="serial:/dev/serial/by-id/usb-box")
    pi.put("dev/serial/by-id/usb-MicroPython_Board", "")
    (found,) = header.look_files(pi.machine, config, HOSTS)
    assert found.level == "fault"
    assert "There is /dev/serial/by-id/usb-MicroPython_Board" in found.mend
    pi.put("dev/serial/by-id/usb-box", "").chmod(0o666)
    assert levels(header.look_files(pi.machine, config, HOSTS)) == ["ok"]


def test_the_bus_of_the_display(pi: Pi) -> None:
    config = Config(display="ssd1306", dice="none")
    assert list(header.look_files(pi.machine, Config(dice="none"), HOSTS)) == []
    (why,) = faults(header.look_files(pi.machine, config, HOSTS))
    assert "there is no /dev/i2c-1" in why
    pi.put("dev/i2c-1", "").chmod(0o666)
    assert levels(header.look_files(pi.machine, config, HOSTS)) == ["ok"]


# Units.


def test_output_of_systemctl_show_is_read(pi: Pi) -> None:
    pi.says["systemctl"] = SHOW
    assert installation.read_units(pi.machine) is None, "systemd does not run"
    (pi.root / "run/systemd/system").mkdir(parents=True)
    found = installation.read_units(pi.machine)
    assert found is not None
    assert found[TABLE].groups == "gpio dialout i2c"
    assert found[TABLE].status == "table 2, broker 192.168.8.10:8883"
    assert not found[HEAD].loaded
    assert levels(installation.judge_units(found, [TABLE], True)) == ["ok"]


def running(name: str) -> Unit:
    return Unit(name, "loaded", "enabled", "active", "running")


@pytest.mark.parametrize(
    ("unit", "word"),
    [
        (Unit(TABLE), "is not installed"),
        (Unit(TABLE, "loaded", "disabled", "active", "running"), "will not start by itself"),
        (Unit(TABLE, "loaded", "enabled", "failed", "failed"), "does not run (failed)"),
        (Unit(TABLE, "loaded", "enabled", "activating", "auto-restart"), "restarts again and again"),
    ],
)
def test_a_service_that_will_be_missing(unit: Unit, word: str) -> None:
    (why,) = faults(installation.judge_units({ADOPT: running(ADOPT), TABLE: unit}, [TABLE], True))
    assert word in why


def test_unneeded_service_may_be_stopped_but_not_failed() -> None:
    rests = Unit(HEAD, "loaded", "disabled", "inactive", "dead")
    assert levels(installation.judge_units({TABLE: running(TABLE), HEAD: rests}, [TABLE], True)) == ["ok"]
    adopt = Unit(ADOPT, "loaded", "enabled", "failed", "failed")
    assert faults(installation.judge_units({ADOPT: adopt, TABLE: running(TABLE)}, [TABLE], True)) == [
        f"{ADOPT} has failed."
    ]


def test_a_second_broker_is_told() -> None:
    found = {name: running(name) for name in (BROKER, HEAD, OTHER_BROKER)}
    assert faults(installation.judge_units(found, [BROKER, HEAD], True)) == [
        "Debian's own mosquitto runs beside ours and may hold its port."
    ]


def test_a_laptop_is_no_pi() -> None:
    others = {TABLE: Unit(TABLE), OTHER_BROKER: running(OTHER_BROKER)}
    assert levels(installation.judge_units(others, [], False)) == ["skipped"]
    assert levels(installation.judge_units(None, [TABLE], True)) == ["skipped"]
    assert faults(installation.judge_units({TABLE: Unit(TABLE)}, [TABLE], True))


def test_needed_services_follow_from_the_roles(pi: Pi) -> None:
    assert units_of(pi.machine.places) == ()
    pi.put("etc/pi-bunco/role/table", "")
    assert units_of(pi.machine.places) == (TABLE,)
    for role in ("web", "head", "broker"):
        pi.put(f"etc/pi-bunco/role/{role}", "")
    assert units_of(pi.machine.places) == (BROKER, HEAD, WEB, TABLE)


# Settings and the boot partition.


def test_every_mistake_of_the_settings_is_a_fault_and_the_rest_goes_on(pi: Pi) -> None:
    file = pi.put("etc/pi-bunco/pi-bunco.toml", 'nubmer = 3\nhall = "A B"\n')
    settled = stores.read_settings({"dice": "gpio"}, None, pi.machine)
    assert settled.config.dice == "gpio"
    found = faults(stores.judge_settings(settled))
    assert found[0] == f"{file}: nubmer is not a setting; did you mean number?"
    assert len(found) == 2
    file.write_text("number = 3\n")
    settled = stores.read_settings({}, None, pi.machine)
    assert settled.config.number == 3
    assert levels(stores.judge_settings(settled)) == ["ok"]


def test_wrong_options_are_bad_input_and_no_finding(pi: Pi, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="--dice foo is not allowed"):
        stores.read_settings({"dice": "foo"}, None, pi.machine)
    with pytest.raises(ConfigError, match="cannot be read: there is none"):
        stores.read_settings({}, tmp_path / "none.toml", pi.machine)


def test_passwords_on_the_boot_partition_are_a_fault(pi: Pi) -> None:
    path = pi.machine.places.handover
    assert levels(stores.look_handover(path)) == ["ok"]
    given_over = Handover(
        handover.PiSettings("table", 7, "home"), {}, {"secrets/table/table7": "correct horse\n"}
    )
    pi.put("boot/firmware/pi-bunco.toml", handover.dump(given_over))
    (why,) = faults(stores.look_handover(path))
    assert "still holds the passwords of table" in why
    assert "horse" not in why
    path.write_text(handover.taken(given_over))
    assert levels(stores.look_handover(path)) == ["ok"]
    path.write_text("rubbish")
    assert len(faults(stores.look_handover(path))) == 1


# Stores.


def test_each_store_is_looked_at(tmp_path: Path) -> None:
    at = Home(tmp_path, True, STORE_KINDS)
    assert levels(stores.look_stores(None)) == levels(stores.look_stores(at)) == ["skipped"]
    for kind in STORE_KINDS:
        connect(at.path(kind), kind.schema).close()
    assert levels(stores.look_stores(at)) == ["ok"] * 4
    path = tmp_path / "head/journal.db"
    path.write_bytes(path.read_bytes()[:5000])
    path.with_name("journal.db.damaged-1").write_bytes(b"an older one")
    path.with_name("journal.db.damaged-1-wal").write_bytes(b"and its log")
    found = list(stores.look_stores(at))
    assert levels(found) == ["fault", "warning", "ok", "ok", "ok"]
    assert "the head takes the evening from them" in found[0].mend


@pytest.mark.parametrize(
    ("kind", "table", "values"),
    [
        (STORE_KINDS[0], "facts", "1, 'first', 1, '{\"kind', 'ab', NULL, NULL, NULL, NULL"),
        (STORE_KINDS[0], "kept", "'began', x'7b'"),
        (STORE_KINDS[1], "envelopes", "1, 'first', 'st', 1, '{\"v\":1'"),
        (STORE_KINDS[2], "entries", "1, 'first', 1, '{\"kind', '', 'ab'"),
    ],
)
def test_a_store_that_its_service_would_set_aside_is_not_sound(
    tmp_path: Path, kind: StoreKind, table: str, values: str
) -> None:
    at = Home(tmp_path, True, STORE_KINDS)
    with closing(connect(at.path(kind), kind.schema)) as connection:
        connection.execute(f"INSERT INTO {table} VALUES ({values})")
    assert "it is kept" in faults(stores.look_stores(at))[0]


def test_where_the_stores_are(pi: Pi, tmp_path: Path) -> None:
    places = pi.machine.places
    assert home(None, None, places.state) is None
    assert home(None, "/data", places.state) == Home(Path("/data"), False, STORE_KINDS)
    (tmp_path / "var/lib/pi-bunco").mkdir(parents=True)
    assert home(None, "/data", places.state) == Home(places.state, True, STORE_KINDS)
    assert home(str(tmp_path), None, places.state) == Home(tmp_path, False, STORE_KINDS)
    (tmp_path / "table").mkdir()
    assert home(str(tmp_path), None, places.state) == Home(tmp_path, True, STORE_KINDS)


def test_the_last_nights_are_told_shortly(tmp_path: Path) -> None:
    connection = connect(tmp_path / "journal.db", journal.SCHEMA)
    for at, text in (
        (1000, "The broker is gone."),
        (2_000_000, "A late one."),
        (3000, "The broker is gone."),
    ):
        connection.execute("BEGIN")
        Warned(at, text).write(connection)
        connection.execute("COMMIT")
    connection.close()
    found = list(stores.judge_warnings(stores.read_warnings(Home(tmp_path, False, STORE_KINDS))))
    assert [one.text for one in found] == [
        "A late one. (once, 01 January 1970, 00:33 UTC)",
        "The broker is gone. (2 times, the last 01 January 1970, 00:00 UTC)",
    ]


@given(st.lists(st.tuples(st.integers(-(2**63), 2**63 - 1), st.text())))
def test_any_ring_can_be_told(ring: list[tuple[int, str]]) -> None:
    found = list(stores.judge_warnings([Warned(at, text) for at, text in ring]))
    assert len(found) == min(5, len({text for _, text in ring}))


# The package, the first start, the roles.

INSTALLED = """\
Package: mosquitto
Status: install ok installed

Package: pi-bunco
Status: {status}
Version: 1.2.0
Conffiles:
 /etc/pi-bunco/mosquitto.conf 0123
"""


def test_the_package_is_whole_and_the_way_back_is_named(pi: Pi) -> None:
    assert levels(installation.look_package(pi.machine)) == ["skipped"]
    pi.put("var/lib/dpkg/status", INSTALLED.format(status="install ok installed"))
    (found,) = installation.look_package(pi.machine)
    assert (found.level, found.text) == ("ok", "pi-bunco 1.2.0 is installed.")
    pi.put("var/lib/pi-bunco/packages/pi-bunco_1.1.0_all.deb", "")
    (found,) = installation.look_package(pi.machine)
    assert found.text.endswith(
        "Back to the one before: sudo dpkg -i /var/lib/pi-bunco/packages/pi-bunco_1.1.0_all.deb."
    )
    pi.put("var/lib/dpkg/status", INSTALLED.format(status="install ok half-configured"))
    (found,) = installation.look_package(pi.machine)
    assert found.level == "fault"
    assert "dpkg --configure -a" in found.mend
    assert "pi-bunco_1.1.0_all.deb" in found.mend


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ('{"v1": {"errors": []}}', "ok"),
        ('{"v1": {"errors": ["runcmd failed"]}}', "warning"),
        ("{", "warning"),
        ("[]", "warning"),
    ],
)
def test_what_the_first_start_could_not_do(pi: Pi, text: str, level: str) -> None:
    assert levels(installation.look_first_start(pi.machine)) == ["skipped"]
    pi.put("run/cloud-init/result.json", text)
    assert levels(installation.look_first_start(pi.machine)) == [level]


def test_failed_first_start_is_reported_in_its_own_words(pi: Pi) -> None:
    assert list(installation.look_package_on_card(pi.machine)) == []
    pi.put("boot/firmware/pi-bunco-first-start.log", "This Pi needs the internet once.\n\nE: no route\n")
    (one,) = installation.look_package_on_card(pi.machine)
    assert (one.level, one.text) == ("warning", "This Pi needs the internet once.")
    assert "pi-bunco-first-start.log" in one.mend


def test_wrong_settings_lead_to_no_false_finding(pi: Pi) -> None:
    """None of them counts then, the dice at the header and the broker's address neither."""
    config = pi.put(
        "etc/pi-bunco/pi-bunco.toml", 'dice = "gpio"\nnumber = "two"\n[broker]\naddress = "x:1"\n'
    )
    pi.put("etc/pi-bunco/role/table", "")
    pi.put("var/lib/dpkg/status", INSTALLED.format(status="install ok installed"))
    settled = stores.read_settings({}, config, pi.machine)
    found = examine(Subject(pi.machine, settled, None))
    said = " ".join(one.text for one in found)
    assert not [word for word in ("nothing is wired", "name no broker", "have no number") if word in said]
    assert [one.check for one in found if "mended first" in one.text] == ["devices", "broker"]


@pytest.mark.parametrize(("systemd", "level"), [(False, "fault"), (True, "ok")])
def test_the_groups_of_a_unit_open_the_devices_of_a_table(pi: Pi, systemd: bool, level: str) -> None:
    """Those of its user alone do not, and where systemd does not run nothing else fails for it."""
    port = pi.put("dev/ttyACM0", "")
    port.chmod(0o660)
    device = header.read_device(port)
    assert device is not None
    pi.put("etc/passwd", "pi-bunco:x:990:990::/nonexistent:/usr/sbin/nologin\n")
    pi.says["systemctl"] = SHOW.replace("dialout", device.group)
    if systemd:
        (pi.root / "run/systemd/system").mkdir(parents=True)
    settled = stores.Settled(Config(dice="serial:/dev/ttyACM0"), None)
    found = examine(Subject(pi.machine, settled, None))
    assert [one.level for one in found if one.check == "dice port"] == [level]


def test_the_password_of_the_wifi_is_not_left_on_the_boot_partition(pi: Pi) -> None:
    plan = Plan(3, own_wifi=True, country="DE")
    assert levels(installation.look_network_file(pi.machine)) == []
    pi.put("boot/firmware/network-config", seed.seeds(plan, "swordfish", 0)["network-config"])
    assert levels(installation.look_network_file(pi.machine)) == ["fault"]
    pi.put("boot/firmware/network-config", seed.TAKEN)
    assert levels(installation.look_network_file(pi.machine)) == []


@pytest.mark.parametrize(
    ("roles", "config", "words"),
    [
        ([], Config(), "has no role"),
        ([TABLE], Config(), "have no number"),
        ([WEB], Config(number=2), "table 2, and this Pi has not that role"),
        ([BROKER, HEAD, WEB], Config(), "do not say where"),
        ([BROKER, HEAD, WEB, TABLE], Config(number=1, listen="0.0.0.0:80"), ""),
        ([TABLE], Config(number=2), ""),
    ],
)
def test_roles_and_settings_belong_together(roles: list[str], config: Config, words: str) -> None:
    found = [one.text for one in installation.judge_roles(roles, config)]
    assert bool(found) == bool(words)
    assert words in " ".join(found)


# The number pad.


ROOT = ServiceUser("root", frozenset())
BY_ID = "dev/input/by-id"


def pad(pi: Pi, panel: str) -> tuple[str, str, str]:
    """The finding about the number pad: its level, the sentence, the mend."""
    (one,) = (
        one
        for one in header.look_files(pi.machine, Config(panel=panel, dice="none"), ROOT)
        if "port" in one.check
    )
    return one.level, one.text, one.mend


@pytest.mark.parametrize("panel", ["keypad", f"keypad:/{BY_ID}/usb-A_Pad-event-kbd"])
def test_a_number_pad_with_and_without_a_path(pi: Pi, panel: str) -> None:
    named = panel.partition(":")[2] or f"/{BY_ID}/*-event-kbd"
    missing = f"The number pad is not plugged in: there is no {named}."
    assert pad(pi, panel) == ("fault", missing, "Plug it in.")
    pi.put(f"{BY_ID}/usb-A_Pad-event-kbd", "")
    level, text, _ = pad(pi, panel)
    assert (level, text.endswith("usb-A_Pad-event-kbd is there, and root may use it.")) == ("ok", True)


def test_another_pad_than_the_one_that_is_named(pi: Pi) -> None:
    pi.put(f"{BY_ID}/usb-B_Pad-event-kbd", "")
    assert pad(pi, f"keypad:/{BY_ID}/usb-A_Pad-event-kbd")[2] == (
        f"Plug it in. There is /{BY_ID}/usb-B_Pad-event-kbd: name that in the settings."
    )
