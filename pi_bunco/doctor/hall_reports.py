"""Reports of the hall over the broker: the login, the head, the tables, their clocks and versions."""

import time
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct, field

from pi_bunco.config import Config, ConfigError
from pi_bunco.devices.protocols import CAN_BE_ROLLED
from pi_bunco.doctor.findings import Finding, fault, fine, skipped, warning
from pi_bunco.head.reasons import of_table
from pi_bunco.wire import topics
from pi_bunco.wire.address import BrokerAddress
from pi_bunco.wire.client import Connected, Disconnected, visit
from pi_bunco.wire.gate import Delivered
from pi_bunco.wire.messages import Beat, BoardMessage, HeadStatus, Status
from pi_bunco.words.sentences import received

HEAR_TABLES_FOR_S = 1.6
"""A table says something every second."""
LINK_WITHIN_S = 4.0
_RESTART = "On the head's Pi: sudo systemctl restart pi-bunco-head."
_FAR_OFF_MS = 250.0
"""A bound beyond which a roll near the bell is not judged by its time."""


class Listened(Struct):
    """All reports; `trouble` is why there is no link. Heads and tables by hall, session and number."""

    linked: bool = False
    trouble: str = ""
    heads: dict[str, HeadStatus] = field(default_factory=dict)
    head: HeadStatus | None = None
    elsewhere: dict[str, HeadStatus] = field(default_factory=dict)
    statuses: dict[int, Status] = field(default_factory=dict)
    sessions: dict[int, set[str]] = field(default_factory=dict)
    beats: dict[int, Beat] = field(default_factory=dict)
    waiting: Sequence[tuple[int, str]] = ()
    """Sentences of the head about what it waits for, each behind its table or 0."""


class Guest(Struct, frozen=True):
    """An account to go to the broker as; `why` not, where nobody can."""

    address: BrokerAddress | None
    name: str = topics.HOST_CLI
    why: str = ""


def guest(config: Config, root: bool, table_runs: bool) -> Guest:
    """The host, else this Pi's table while its service is off: two with one name throw each other out."""
    if config.broker.address is None:
        return Guest(None, why="these settings name no broker (--broker)")
    table = topics.table_node(config.number) if config.number and not table_runs else None
    for name in (config.broker.user or topics.HOST_CLI, table):
        if name and (address := _with_password(config, name)):
            return Guest(address, name)
    if not root:
        why = "the passwords are root's alone: sudo pi-bunco doctor"
    elif table_runs:
        why = "only the table's own service may log in from this Pi, and it runs; ask on the head's Pi"
    else:
        why = f"this Pi has no password; it is to be in {config.broker.secrets}"
    return Guest(None, why=why)


def _with_password(config: Config, name: str) -> BrokerAddress | None:
    """The broker for `name`, None where passwords are kept but not that one, or a file is wrong."""
    try:
        address = config.address(name)
    except ConfigError:
        return None  # told of the settings
    return None if config.broker.secrets and address.password is None else address


def listen(guest: Guest, hall: str, seconds: float = HEAR_TABLES_FOR_S) -> Listened:
    """Goes to the broker, and listens there for `seconds`."""
    listened = Listened()
    if guest.address is None:
        return listened
    tables = f"{topics.PREFIX}/{hall}/+/up"
    subjects = [
        f"{tables}/status",
        f"{tables}/beat",
        topics.everyone(hall, "score"),
        f"{topics.PREFIX}/+/all/head",
    ]
    end = time.monotonic() + LINK_WITHIN_S
    with visit(guest.address, guest.name, subjects) as there:
        while not listened.trouble and (event := there.next(end)) is not None:
            match event:
                case Connected():
                    listened.linked, end = True, time.monotonic() + seconds
                case Disconnected(why):
                    listened.linked, listened.trouble = False, why
                case Delivered():
                    _hear(listened, event.topic, event.message, hall)
    return listened


def _hear(listened: Listened, topic: topics.Topic, message: Any, hall: str) -> None:
    match message:
        case HeadStatus() if topic.hall != hall:
            listened.elsewhere[topic.hall] = message
        case HeadStatus():
            listened.head = message
            if message.state == "online":
                listened.heads[message.session] = message
        case BoardMessage():
            board = message.board
            listened.waiting = tuple(zip(board.waiting_at, board.waiting, strict=False))
        case Status() if topic.table:
            listened.statuses[topic.table] = message
            if message.state == "online":
                listened.sessions.setdefault(topic.table, set()).add(message.session)
        case Beat() if topic.table:
            listened.beats[topic.table] = message


def judge(listened: Listened, guest: Guest, hall: str, table: int | None) -> Iterator[Finding]:
    """The faults of the hall; `table` is the number of the table that this machine is."""
    if guest.address is None:
        yield skipped("login", guest.why)
        yield skipped("head and tables", "nothing is heard without a login at the broker")
        return
    if not listened.linked:
        why = listened.trouble or f"The broker at {guest.address} does not answer."
        mend = "If it refuses: bring this Pi's file of pi-bunco provision to its boot partition again."
        yield fault("login", why, mend)
        return
    yield fine("login", f"The broker lets {guest.name} in.")
    yield from judge_head(listened, hall)
    yield from judge_tables(listened, table)


def judge_head(listened: Listened, hall: str) -> Iterator[Finding]:
    """The one head in the hall, and its report of itself."""
    head, others = listened.head, [name for name, one in listened.elsewhere.items() if one.state == "online"]
    if head is None and others:
        text = f"There is no head in the hall {hall}, but one in {' and '.join(sorted(others))}."
        yield fault("head", text, "Set hall to the same name on every Pi.")
    elif head is None:
        text = f"No head has been heard in the hall {hall}."
        yield fault("head", text, f"{_RESTART} Is the setting hall the same on every Pi?")
    elif head.state != "online":
        state = "was switched off" if head.state == "stopped" else "is lost"
        yield fault("head", f"The head {state}.", _RESTART)
    elif len(listened.heads) > 1:
        names = sorted({one.host or "?" for one in listened.heads.values()})
        text = f"There are {len(listened.heads)} heads in the hall {hall}, on {' and '.join(names)}."
        yield fault("head", text, "Switch one of them off, or give it a hall of its own.")
    else:
        yield fine("head", f"{head.host or 'A machine'} is head of {hall}, version {head.version}.")
        yield from (warning("head", f"The head says: {fault}") for fault in head.faults)


def judge_tables(listened: Listened, table: int | None) -> Iterator[Finding]:
    """The tables with their dice, panels and clocks."""
    known = sorted({*listened.statuses, *listened.beats})
    if table and known and table not in listened.beats:
        mend = f"sudo systemctl restart pi-bunco-table; is its number right, and no other table {table}?"
        yield fault("tables", f"This machine is table {table}, but table {table} is not heard.", mend)
    for number in known:
        beat = listened.beats.get(number)
        if beat is None:
            status = listened.statuses.get(number)
            since = {"stopped": ": it was switched off", "lost": ": it was lost"}
            text = f"Table {number} is not heard{since.get(status.state, '') if status else ''}."
            yield warning("tables", text, "Switch it on, if it is to play.")
        else:
            yield from judge_beat(number, beat)
    for number, sessions in sorted(listened.sessions.items()):
        if len(sessions) > 2:  # one may have ended, and another have begun, while we listened
            text = f"Several machines say that they are table {number}, and throw each other out."
            yield fault("tables", text, "Switch one of them off, and give it the card of another table.")
    yield from judge_versions(listened)
    # With the access rules of a provisioned broker only the head hears the tables, and tells.
    waiting = [text for number, text in listened.waiting if number and number not in known]
    yield from (warning("tables", f"The head says: {text}") for text in waiting)
    if not known and listened.head:
        yield skipped(
            "tables", "the broker lets only the head hear the tables; what it says of them is told here"
        )


def judge_beat(number: int, beat: Beat) -> Iterator[Finding]:
    """The report of a table, which comes once a second."""
    bad = [(die, state) for die, state in enumerate(beat.dice, 1) if state not in CAN_BE_ROLLED]
    for die, state in bad:
        mend = "Look at its cable and its battery; pi-bunco check on that Pi tries it."
        yield fault("dice", f"Table {number}: die {die} is {state}.", mend)
    for die in (die for die, state in enumerate(beat.dice, 1) if state == "weak"):
        mend = "It can be rolled for a while: charge it, or change its battery, before the next evening."
        yield warning("dice", f"Table {number}: the battery of die {die} is weak.", mend)
    reasons = received(beat.faults, beat.reasons)
    yield from (warning("tables", of_table(number, why).english()) for why in reasons)
    if beat.offset_err_ms is None:
        yield skipped("clock offset", f"table {number} has not measured it yet")
    elif beat.offset_err_ms > _FAR_OFF_MS:
        text = f"Table {number} knows the head's clock to {beat.offset_err_ms:.0f} ms only."
        mend = "Its network is bad: bring it nearer to the router, or use a cable."
        yield warning("clock offset", text, mend)
    else:
        yield fine("clock offset", f"Table {number} knows the head's clock to {beat.offset_err_ms:.1f} ms.")
    if not bad and not beat.faults:
        dice = "without dice of its own" if not beat.dice else "with its dice"
        yield fine("tables", f"Table {number} is heard, {dice} and panel; {beat.outbox} facts wait.")


def judge_versions(listened: Listened) -> Iterator[Finding]:
    """The versions that differ from the head's."""
    head = listened.head.version if listened.head and listened.head.state == "online" else ""
    tables = {
        number: one.version
        for number, one in listened.statuses.items()
        if one.state == "online" and one.version
    }
    other = {number: version for number, version in sorted(tables.items()) if version != head}
    if not tables:
        yield skipped("versions", "only the head hears the tables here; where they differ, it says so")
    elif not head:
        yield skipped("versions", "without a head there is nothing to compare them with")
    elif other:
        versions = ", ".join(f"table {number} {version}" for number, version in other.items())
        mend = "Install the newest on every Pi: sudo apt install ./pi-bunco_VERSION_all.deb"
        yield warning("versions", f"Versions differ: the head runs {head}, {versions}.", mend)
    else:
        yield fine("versions", f"The head and every table that was heard run {head}.")
