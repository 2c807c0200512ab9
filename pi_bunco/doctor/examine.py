"""The whole examination of this machine and its hall."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from pi_bunco.config import Config, ConfigError
from pi_bunco.doctor import broker_path, card, hall_reports, header, installation, machine_state, stores
from pi_bunco.doctor.findings import Finding, fault, guarded, skipped
from pi_bunco.doctor.installation import Unit
from pi_bunco.doctor.machine_state import Machine
from pi_bunco.log.backup import Home
from pi_bunco.provision.addresses import BROKER_NAME, TLS_PORT
from pi_bunco.provision.places import Places
from pi_bunco.provision.system import TABLE, units_of
from pi_bunco.runtime.files import is_locked
from pi_bunco.wire.address import BrokerAddress
from pi_bunco.words.sentences import ended

_FIRST = "the settings are to be mended first, for with a mistake in them none of them counts"


class Subject(Struct, frozen=True):
    """A machine to examine; `home` is where its stores are, `now` the wall clock (seconds since 1970)."""

    machine: Machine
    settled: stores.Settled
    home: Home | None
    now: Callable[[], float] = time.time
    root: bool = False


def examine(subject: Subject) -> list[Finding]:
    """Every finding; takes some seconds, most of it to hear the tables."""
    machine, units = subject.machine, installation.read_units(subject.machine)
    by_hand = subject.home is not None and is_locked(subject.home.lock("table"))
    runs = by_hand or (units is not None and TABLE in units and units[TABLE].runs)
    checks: tuple[tuple[str, Callable[[], Iterable[Finding]]], ...] = (
        ("power and temperature", lambda: machine_state.look_power(machine)),
        ("card", lambda: _card(subject)),
        ("memory", lambda: card.look_memory(machine)),
        ("clock", lambda: machine_state.look_clock(machine, subject.now())),
        ("Wi-Fi", lambda: machine_state.look_wifi(machine)),
        ("settings", lambda: stores.judge_settings(subject.settled)),
        ("boot partition", lambda: stores.look_handover(machine.places.handover)),
        ("boot partition", lambda: installation.look_network_file(machine)),
        ("package", lambda: installation.look_package(machine)),
        ("first start", lambda: installation.look_first_start(machine)),
        ("package", lambda: installation.look_package_on_card(machine)),
        ("devices", lambda: _devices(subject, units or {})),
        ("services", lambda: _services(subject, units)),
        ("stores", lambda: stores.look_stores(subject.home)),
        ("last nights", lambda: stores.judge_warnings(stores.read_warnings(subject.home))),
        ("broker", lambda: _network(subject, runs)),
    )
    return [finding for check, look in checks for finding in guarded(check, look)]


def _card(subject: Subject) -> Iterator[Finding]:
    machine = subject.machine
    folders = subject.home.services() if subject.home else []
    inside = [f"/{one.resolve().relative_to(machine.places.root.resolve())}" for one in folders]
    yield from card.look_mounts(machine, inside)
    yield from card.look_folders(machine, inside)
    yield from card.look_wear(machine)
    yield card.judge_room(*card.read_room(folders[0] if folders else machine.places.root))
    if not folders:
        yield skipped("card speed", "no folder is named where a service keeps what it knows (--data)")
        return
    try:
        yield card.judge_writes(*card.time_writes(folders[0]))
    except OSError as error:
        mend = f" {stores.AS_ROOT}" if isinstance(error, PermissionError) else ""
        yield skipped("card speed", f"nothing can be written to {folders[0]} ({error.strerror}).{mend}")


def _devices(subject: Subject, units: Mapping[str, Unit]) -> Iterator[Finding]:
    machine, config = subject.machine, subject.settled.config
    if subject.settled.problems:
        yield skipped("devices", _FIRST)
        return
    who = header.person(machine, units[TABLE].groups.split() if TABLE in units else ())
    yield from header.look_header(machine, config, who)
    yield from header.look_files(machine, config, who)


def _services(subject: Subject, units: Mapping[str, Unit] | None) -> Iterator[Finding]:
    needs = units_of(subject.machine.places)
    if installation.read_package(subject.machine) is not None and not subject.settled.problems:
        yield from installation.judge_roles(needs, subject.settled.config)
    yield from installation.judge_units(units, needs, subject.machine.places.settings.exists())


def _network(subject: Subject, table_runs: bool) -> Iterator[Finding]:
    config = subject.settled.config
    if subject.settled.problems:
        yield skipped("broker", _FIRST)
        return
    if config.broker.address is None:
        yield skipped("broker", "these settings name no broker (--broker)")
        return
    try:
        endpoints = _endpoints(config, subject.machine.places)
    except ConfigError as error:
        yield from (fault("broker", ended(one), stores.AS_ROOT) for one in error.problems)
        return
    places = [broker_path.find(endpoint) for endpoint in endpoints]
    yield from broker_path.judge(places, subject.now())
    place, reached = places[0]
    if reached.why:
        yield skipped("login", "the broker is not reached")
        return
    guest = hall_reports.guest(config, subject.root, table_runs)
    if guest.address and not place.unix:
        guest = replace(guest, address=guest.address.at(str(place)))
    yield from hall_reports.judge(hall_reports.listen(guest, config.hall), guest, config.hall, config.number)


def _endpoints(config: Config, places: Places) -> list[BrokerAddress]:
    """The broker's addresses for this machine; on the head's Pi also the one for the others."""
    address = config.address("nobody")
    ca = places.config / "ca.pem"
    if address.ca or not ca.exists() or not (places.broker / "cert.pem").exists():
        return [address]
    return [address, BrokerAddress("127.0.0.1", TLS_PORT, ca=str(ca), name=BROKER_NAME)]
