"""Faults of a hall: drawn from a seed as plain values, so that a list of them can be shortened."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Final

from pi_bunco.log.chain import LogKey

if TYPE_CHECKING:
    from vopr.hall import Hall


@dataclass(frozen=True)
class Fault:
    """Something goes wrong `at` ms after the night began: a kind, with whom, and how long or how much."""

    at: int
    kind: str
    who: str
    amount: float

    def __str__(self) -> str:
        return f"{KINDS[self.kind].sentence.format(who=self.who, amount=self.amount)}"


@dataclass(frozen=True)
class KindOfFault:
    """A kind of fault: its weight, node, amount and effect; None where it cannot happen now."""

    weight: float
    whom: str
    amount: tuple[float, float]
    sentence: str
    do: Callable[["Hall", str, float], bool]


PASSING: Final = {"power", "broker", "cut", "deaf", "mute", "jam", "suspend", "sleep", "card full", "box"}
"""Kinds that are over after `amount` ms, however few."""


CALM: Final = "calm"
"""In a night that says so faults are few and far between: most bells have a free way, and are timed."""
MORE: Final = 10
"""The factor on the weight of the kinds that a seed names; those without a weight come there alone."""


def draw(random: Random, size: int, number: int, more: Collection[str] = ()) -> list[Fault]:
    """Faults of a night at `size` tables: in some nights they come thick, in some they pass quickly."""
    pace, length = random.choice((0.1, 0.25, 0.5, 1.0)), random.choice((0.3, 1.0))
    if CALM in more:
        pace, number = 4.0, number // 10
    kinds = list(KINDS)
    weights = [(one.weight or 4) * MORE if name in more else one.weight for name, one in KINDS.items()]
    tables = [f"table{n}" for n in range(1, size + 1)]
    at, faults = 0.0, []
    for _ in range(number):
        at += pace * random.choice((10.0, 100.0, 700.0, 2400.0)) * random.uniform(0.5, 1.5)
        name = random.choices(kinds, weights)[0]
        kind = KINDS[name]
        whom = {"any": ["head", "head", *tables], "table": tables, "broker": ["broker"], "head": ["head"]}[
            kind.whom
        ]
        low, high = kind.amount
        amount = low * (high / low) ** random.random() * (length if name in PASSING else 1.0)
        faults.append(Fault(int(at), name, random.choice(whom), round(amount, 1)))
    return faults


def happens(hall: "Hall", fault: Fault) -> bool:
    """Lets it happen; False where it cannot now."""
    return KINDS[fault.kind].do(hall, fault.who, fault.amount)


def _kill(hall: "Hall", who: str, _amount: float) -> bool:
    return hall.kill(hall.services[who])


def _kill_in_step(hall: "Hall", who: str, amount: float) -> bool:
    service = hall.services[who]
    if not service.running or service.dies_in is not None:
        return False
    service.dies_in = int(amount)
    return True


def _power(hall: "Hall", who: str, amount: float) -> bool:
    machine = hall.services[who].machine
    if not machine.on:
        return False
    machine.go_off()
    for service in hall.services.values():
        if service.machine is machine:
            service.kill(power=True)
    for number, people in hall.people.items():
        if hall.tables[number].machine is machine and hall.chance.random() < 0.5:
            people.box.without_power()
    card = hall.cards_of[who]
    known = hall.entries_of(who) if card.unwell else set()
    card.cut()
    if card.unwell:
        hall.forgive()
        for number in (n for n, one in hall.tables.items() if one.machine is machine):
            hall.people[number].box.excuse("its table forgot with its card in which round it was made")
        if machine is hall.head.machine:
            hall.look_for_forgotten()
        hall.at_stake |= known
        hall.look_for_amnesia()
    if machine is hall.head.machine:
        hall.network.crash()
        hall.oracle.silenced(hall.notes_on_card(), hall.heard_of(machine))

    def back() -> None:
        if machine.on:
            return
        machine.boot_up()
        if machine is hall.head.machine:
            hall.network.restart()
        for service in hall.services.values():
            if service.machine is machine:
                hall.restart(service)

    hall.clockwork.later(amount, back)
    return True


def _kill_broker(hall: "Hall", _who: str, amount: float) -> bool:
    if not hall.network.alive:
        return False
    hall.network.crash()
    hall.clockwork.later(amount, lambda: hall.network.restart() if hall.head.machine.on else None)
    return True


def _cut(hall: "Hall", who: str, amount: float) -> bool:
    link = hall.services[who].link
    if not link.session:
        return False
    hall.network.cut(link)
    hall.network.silence(link, amount, up=True, down=True)
    return True


def _lose_session(hall: "Hall", who: str, _amount: float) -> bool:
    link = hall.services[who].link
    if not link.session:
        return False
    hall.network.cut(link)
    return True


def _silence(*, up: bool, down: bool) -> Callable[["Hall", str, float], bool]:
    def do(hall: "Hall", who: str, amount: float) -> bool:
        link = hall.services[who].link
        if not link.session:
            return False
        hall.network.silence(link, amount, up=up, down=down)
        return True

    return do


def _freeze(hall: "Hall", who: str, amount: float) -> bool:
    service = hall.services[who]
    if not service.running:
        return False
    service.freeze(amount)
    return True


def _sleep(hall: "Hall", who: str, amount: float) -> bool:
    """All of the machine stands still, and what is sent to it waits."""
    machine = hall.services[who].machine
    awake = [one for one in hall.services.values() if one.machine is machine and one.running]
    for service in awake:
        service.freeze(amount)
        hall.network.silence(service.link, amount, up=True, down=True)
    return bool(awake)


def _slow_link(hall: "Hall", who: str, amount: float) -> bool:
    link = hall.services[who].link
    link.latency = (link.usual[0], link.usual[1] + amount)

    def well() -> None:
        link.latency = link.usual

    hall.clockwork.later(5000.0, well)
    return True


def _card_lies(hall: "Hall", who: str, amount: float) -> bool:
    card = hall.cards_of[who]
    if card.honesty != "honest":
        return False
    for file in card.files.values():
        file.lies()
    card.honesty = "reordering" if amount > 2 else "lying"
    return True


def _card_slow(hall: "Hall", who: str, amount: float) -> bool:
    card = hall.cards_of[who]
    card.write_ms = (amount / 4, amount)

    def well() -> None:
        card.write_ms = (3.0, 12.0)
        card.unwell_until = hall.clockwork.time + amount

    hall.clockwork.later(4 * amount, well)
    return True


def _card_full(hall: "Hall", who: str, amount: float) -> bool:
    card = hall.cards_of[who]
    if card.full:
        return False
    card.full = True

    def well() -> None:
        card.full = False
        card.unwell_until = hall.clockwork.time + 1500.0

    hall.clockwork.later(amount, well)
    return True


def _clock_step(hall: "Hall", who: str, amount: float) -> bool:
    hall.services[who].machine.wall_ahead_s += hall.chance.choice((-1, 1)) * amount
    return True


def _lie(hall: "Hall", _who: str, amount: float) -> bool:
    return hall.adversary is not None and hall.adversary.says(int(amount))


def _close(hall: "Hall", _who: str, amount: float) -> bool:
    return hall.host.closes(amount)


def _asked(hall: "Hall", who: str, amount: float) -> bool:
    table = hall.tables[int(who.removeprefix("table"))]
    if table.when_asked is not None:
        return False

    def do() -> None:
        if amount < DIES_BELOW_MS:
            hall.kill(table)
        else:
            table.freeze(amount)

    table.when_asked = do
    return True


def _at_the_bell(hall: "Hall", _who: str, _amount: float) -> bool:
    """Nobody but the relay knows of it: not the head's card, and not that of its table."""

    def do() -> None:
        hall.head.dies_in = 1
        hall.clockwork.later(1.0, lambda: hall.kill(hall.tables[1]))

    struck, hall.at_end_bell = hall.at_end_bell, do
    return struck is None


def _key(hall: "Hall", _who: str, _amount: float) -> bool:
    """The file and the spare one: the next start draws a key anew."""
    hall.key = LogKey(hall.chance.randbytes(32))
    return True


def _box(hall: "Hall", who: str, amount: float) -> bool:
    people = hall.people[int(who.removeprefix("table"))]
    if not people.box.keeps or people.box.out_of_reach:
        return False
    people.box.out_of_reach = True
    hall.clockwork.later(amount, people.reach_box)
    return True


def _undo(hall: "Hall", who: str, _amount: float) -> bool:
    return hall.host.undoes(int(who.removeprefix("table")))


DIES_BELOW_MS: Final = 1000.0
KINDS: Final = {
    "kill": KindOfFault(14, "any", (1, 1.1), "{who} is killed", _kill),
    "kill in a step": KindOfFault(
        14, "any", (1, 40), "{who} is to be killed after {amount:.0f} effects", _kill_in_step
    ),
    "power": KindOfFault(10, "any", (500, 12_000), "{who} loses its power for {amount:.0f} ms", _power),
    "broker": KindOfFault(6, "broker", (200, 4000), "the broker is killed for {amount:.0f} ms", _kill_broker),
    "cut": KindOfFault(14, "any", (50, 15_000), "the cable of {who} is out for {amount:.0f} ms", _cut),
    "session": KindOfFault(10, "any", (1, 1.1), "{who} loses its session", _lose_session),
    "half-open": KindOfFault(
        8,
        "any",
        (6000, 15_000),
        "the link of {who} is silent for {amount:.0f} ms",
        _silence(up=True, down=True),
    ),
    "deaf": KindOfFault(
        7, "any", (200, 12_000), "{who} hears nothing for {amount:.0f} ms", _silence(up=False, down=True)
    ),
    "mute": KindOfFault(
        7, "any", (200, 12_000), "nobody hears {who} for {amount:.0f} ms", _silence(up=True, down=False)
    ),
    "jam": KindOfFault(
        8, "any", (100, 5000), "the link of {who} is jammed for {amount:.0f} ms", _silence(up=True, down=True)
    ),
    "suspend": KindOfFault(8, "any", (100, 8000), "{who} is frozen for {amount:.0f} ms", _freeze),
    "sleep": KindOfFault(
        4, "any", (100, 8000), "the machine of {who} stands still for {amount:.0f} ms", _sleep
    ),
    "card lies": KindOfFault(5, "any", (1, 4), "the card of {who} begins to lie", _card_lies),
    "card slow": KindOfFault(
        5, "any", (100, 3000), "the card of {who} takes up to {amount:.0f} ms", _card_slow
    ),
    "card full": KindOfFault(
        4, "any", (300, 6000), "the card of {who} is full for {amount:.0f} ms", _card_full
    ),
    "clock step": KindOfFault(
        3, "any", (10, 40_000_000), "the wall clock of {who} steps by {amount:.0f} s", _clock_step
    ),
    "lie": KindOfFault(16, "table", (1, 1000), "the adversary speaks ({amount:.0f})", _lie),
    "close": KindOfFault(3, "head", (500, 6000), "the host closes and reopens after {amount:.0f} ms", _close),
    "slow link": KindOfFault(
        4, "any", (20, 400), "the link of {who} takes up to {amount:.0f} ms", _slow_link
    ),
    "asked": KindOfFault(
        0,
        "table",
        (100, 6000),
        "{who} is to be killed, or frozen for {amount:.0f} ms, as it is asked",
        _asked,
    ),
    "bell": KindOfFault(0, "head", (1, 2), "{who} and table1 are to be killed at the end bell", _at_the_bell),
    "key": KindOfFault(0, "head", (1, 2), "the log key of {who} is spoiled", _key),
    "box": KindOfFault(
        0, "table", (500, 15_000), "the dice box of {who} is out of reach for {amount:.0f} ms", _box
    ),
    "undo": KindOfFault(0, "table", (1, 2), "the host takes back a roll of {who}", _undo),
}
