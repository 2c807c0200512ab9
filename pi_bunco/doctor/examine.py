"""The whole examination: every reading of this machine, judged."""

import os
import time
from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from pi_bunco.config import Config, ConfigError
from pi_bunco.doctor import broker, card, clock, hall, header, kept, package, power, units, wifi
from pi_bunco.doctor.findings import Finding, guarded, sentence, skipped
from pi_bunco.doctor.machine import Machine
from pi_bunco.journal.stores import Home, holder
from pi_bunco.provision.endpoint import NAME, PORT
from pi_bunco.provision.places import Places
from pi_bunco.provision.roles import TABLE
from pi_bunco.wire.address import BrokerAddress

_FIRST = "the settings are to be mended first, for with a mistake in them none of them counts"


class Subject(Struct, frozen=True):
    """What is examined; `home` is where its stores are, `now` the wall clock (seconds since 1970)."""

    machine: Machine
    settled: kept.Settled
    home: Home | None
    now: Callable[[], float] = time.time
    root: bool = False


def examine(subject: Subject) -> list[Finding]:
    """Every finding; takes some seconds, most of it to hear the tables."""
    found = units.read(subject.machine)
    runs = (found is not None and TABLE in found and found[TABLE].runs) or _in_use(subject.home)
    parts: tuple[tuple[str, Callable[[], Iterable[Finding]]], ...] = (
        ("power and temperature", lambda: power.look(subject.machine)),
        ("card", lambda: _card(subject)),
        ("memory", lambda: card.judge_memory(card.read_memory(subject.machine))),
        ("clock", lambda: clock.judge_clock(subject.now(), clock.read_synced(subject.machine))),
        ("Wi-Fi", lambda: wifi.judge_wifi(wifi.read_signals(subject.machine))),
        ("settings", lambda: kept.judge_settings(subject.settled)),
        ("boot partition", lambda: kept.judge_handover(subject.machine.places.handover)),
        ("boot partition", lambda: package.look_network_file(subject.machine)),
        ("package", lambda: package.look_package(subject.machine)),
        ("first start", lambda: package.look_first_start(subject.machine)),
        ("package", lambda: package.look_card(subject.machine)),
        ("devices", lambda: _devices(subject, found or {})),
        ("services", lambda: _services(subject, found)),
        ("stores", lambda: kept.judge_stores(subject.home)),
        ("last nights", lambda: kept.judge_warnings(kept.read_warnings(subject.home))),
        ("broker", lambda: _network(subject, runs)),
    )
    return [finding for check, look in parts for finding in guarded(check, look)]


def _in_use(home: Home | None) -> bool:
    """Whether a table's service runs by hand."""
    return home is not None and any(
        kind.service == "table" and holder(path) is not None for kind, path in home.stores()
    )


def _card(subject: Subject) -> Iterator[Finding]:
    machine = subject.machine
    folders = subject.home.services() if subject.home else []
    inside = [f"/{one.resolve().relative_to(machine.places.root.resolve())}" for one in folders]
    mounts = card.read_mounts(machine)
    yield from card.judge_mounts(mounts, inside)
    yield from card.judge_folders(mounts, inside)
    yield from card.judge_wear(*card.read_wear(machine))
    yield from card.judge_room(card.read_room(folders[0] if folders else machine.places.root))
    if not folders:
        yield skipped("card speed", "no folder is named where a service keeps what it knows (--data)")
        return
    try:
        yield from card.judge_syncs(card.read_syncs(folders[0]))
    except OSError as error:
        mend = f" {kept.AS_ROOT}" if isinstance(error, PermissionError) else ""
        yield skipped("card speed", f"nothing can be written to {folders[0]} ({error.strerror}).{mend}")


def _devices(subject: Subject, found: dict[str, units.Unit]) -> Iterator[Finding]:
    machine, config = subject.machine, subject.settled.config
    if subject.settled.problems:
        yield skipped("devices", _FIRST)
        return
    groups = found[TABLE].groups if TABLE in found else frozenset[str]()
    who = header.person(machine, groups)
    yield from header.look_header(machine, config, who)
    yield from header.look_dice(machine, config, who)
    yield from header.look_display(machine, config, who)


def _services(subject: Subject, found: dict[str, units.Unit] | None) -> Iterator[Finding]:
    needs = units.needed(subject.machine)
    installed = package.read_package(subject.machine) is not None and not subject.settled.problems
    yield from package.judge_roles(needs, subject.settled.config, installed)
    yield from units.judge(found, needs, subject.machine.places.settings.exists())


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
        yield from (Finding("broker", "fault", sentence(one), kept.AS_ROOT) for one in error.problems)
        return
    doors = [broker.find(endpoint) for endpoint in endpoints]
    yield from broker.judge(doors, subject.now())
    place, reached = doors[0]
    if reached.why:
        yield skipped("login", "the broker is not reached")
        return
    guest = hall.guest(config, subject.root, table_runs)
    if guest.address and not place.unix:
        guest = replace(guest, address=guest.address.at(str(place)))
    yield from hall.judge(hall.listen(guest, config.hall), guest, config.hall, config.number)


def _endpoints(config: Config, places: Places) -> list[BrokerAddress]:
    """Where the broker is for this machine; on the head's Pi also where it is for the others."""
    address = config.address("nobody")
    ca = places.config / "ca.pem"
    if address.ca or not ca.exists() or not (places.broker / "cert.pem").exists():
        return [address]
    return [address, BrokerAddress("127.0.0.1", PORT, ca=str(ca), name=NAME)]


def is_root() -> bool:
    """Whether everything may be read."""
    return os.geteuid() == 0
