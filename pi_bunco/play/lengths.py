"""The length of an evening, the rolls and ties in it, and among how many people its prizes are spread."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from math import sqrt
from typing import Any

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from pi_bunco.play.players import Habits
from pi_bunco.play.simulation import Simulation, Sums
from pi_bunco.rules import RuleSet, override
from pi_bunco.rules.length import evening_rolls, still_minutes
from pi_bunco.rules.load import undecided
from pi_bunco.rules.odds import ROLL_S, TABLES, odds
from pi_bunco.rules.ruleset import PlayAfterBell

LONGEST_MIN = 180.0
"""Minutes beyond which hosts are warned."""
PLAYERS = 4 * TABLES
ESTIMATE_ROLLS = 120_000
"""Rolls that are played to find a length out, in a quarter of a second on a desk."""
FEW_EVENINGS = 50
"""From this many evenings on the range is that of the evenings, for fewer that of a normal distribution."""

AFTER_BELL: dict[PlayAfterBell, int] = {"stop": 0, "finish_turn": 3, "finish_lap": 6, "first_lap": 6}
"""Rolls of the slowest table after the bell, about."""
MOVE_S = 12.0
"""Seconds in which people at a party change tables."""


class Range(Struct, frozen=True):
    """The mean, and what 8 of 10 evenings lie between."""

    mean: float
    p10: float
    p90: float


class Length(Struct, frozen=True):
    """An evening: rolls of one table after the other, minutes with breaks, Buncos, and roll-offs opened.

    `winners` is how many people win a prize, counting all who are tied for one; `tied` is how often each
    prize has more than one of them. `evenings` is from how many evenings that was found.
    """

    evenings: int
    rolls: Range
    minutes: Range
    buncos: float
    ties: float
    winners: float
    tied: dict[str, float]


def length(rules: RuleSet, sums: Sums) -> Length | None:
    """The length that the evenings of `sums`, played under `rules`, show; None for none."""
    if not sums.evenings:
        return None
    rolls = _range(sums.lengths)
    each = {category: count / sums.evenings for category, count in sums.tied.items()}
    return Length(
        sums.evenings,
        rolls,
        _minutes(rules, rolls),
        sums.buncos / sums.evenings,
        sums.rolloffs / sums.evenings,
        sums.winners / sums.evenings,
        each,
    )


def _minutes(rules: RuleSet, rolls: Range) -> Range:
    return Range(
        *(still_minutes(rules) + value * ROLL_S / 60 for value in (rolls.mean, rolls.p10, rolls.p90))
    )


def _about(found: Length, rules: RuleSet) -> Length:
    """The length with the mean that the odds give exactly, as a few evenings find it only roughly."""
    off = evening_rolls(rules) - found.rolls.mean
    rolls = Range(found.rolls.mean + off, max(found.rolls.p10 + off, 0), found.rolls.p90 + off)
    return replace(found, rolls=rolls, minutes=_minutes(rules, rolls))


def _range(lengths: Mapping[int, int]) -> Range:
    count = sum(lengths.values())
    mean = sum(value * times for value, times in lengths.items()) / count
    if count >= FEW_EVENINGS:
        return Range(mean, _quantile(lengths, 0.1 * count), _quantile(lengths, 0.9 * count))
    deviation = sqrt(sum(times * (value - mean) ** 2 for value, times in lengths.items()) / max(count - 1, 1))
    return Range(mean, max(mean - 1.2816 * deviation, 0), mean + 1.2816 * deviation)


def _quantile(lengths: Mapping[int, int], place: float) -> float:
    seen = 0
    for value in sorted(lengths):
        seen += lengths[value]
        if seen >= place:
            return value
    raise ValueError("no lengths")  # pragma: no cover - `place` is at most their number


@lru_cache(maxsize=64)
def estimate(rules: RuleSet) -> Length | None:
    """The length of an evening of twelve from a few evenings; None where one would be beyond all measure."""
    expected = evening_rolls(rules) * TABLES
    if expected > ESTIMATE_ROLLS or undecided(rules):
        return None
    evenings = max(8, min(100, int(ESTIMATE_ROLLS / expected)))
    found = length(rules, Simulation(rules, PLAYERS, seed=1).chunk(range(evenings)))
    return found if found is None or rules.end.limit_s else _about(found, rules)


def plain(rules: RuleSet, found: Length | None) -> dict[str, Any] | None:
    """The length as plain values, with what to do about one that is too long."""
    return to_builtins(found) | {"warning": mend(rules, found)} if found else None


def hours(minutes: float) -> str:
    """Minutes as people say them: `2 h 05 min`."""
    whole = round(minutes)
    return f"{whole // 60} h {whole % 60:02} min" if whole >= 60 else f"{whole} min"


def sentences(found: Length) -> Iterator[str]:
    """The answers to what a host asks before an evening, as sentences."""
    minutes, rolls = found.minutes, found.rolls
    yield (
        f"An evening lasts about {hours(minutes.mean)}, in 8 of 10 cases {hours(minutes.p10)} to "
        f"{hours(minutes.p90)}, with {ROLL_S:g} seconds a roll, two minutes from a bell to the next round,"
        " breaks included."
    )
    yield (
        f"About {rolls.mean:.0f} rolls at each table ({rolls.p10:.0f} to {rolls.p90:.0f}), "
        f"{found.buncos:.1f} Buncos and {found.ties:.1f} roll-offs in all."
    )
    if found.tied:
        often = max(found.tied.values())
        yield (
            f"The prizes go to about {found.winners:.1f} people; the one that is tied most often is so in "
            f"{often:.0%} of the evenings."
        )


def mend(rules: RuleSet, found: Length) -> str | None:
    """The way to shorten an evening of more than three hours; None where it is shorter."""
    if found.minutes.mean <= LONGEST_MIN:
        return None
    for overrides in _shorter(rules, found):
        shorter = estimate(override(rules, overrides))
        if shorter and shorter.minutes.mean <= LONGEST_MIN:
            (key, value), *_ = overrides.items()
            return (
                f"That is more than three hours. --set {key}={value} makes it about "
                f"{hours(shorter.minutes.mean)}."
            )
    return "That is more than three hours, and no single override makes it shorter; play fewer faces."


def _shorter(rules: RuleSet, found: Length) -> Iterator[dict[str, int]]:
    if rules.end.points is None:
        yield {"end.points": 21}
    fitting = int(rules.evening.sets * LONGEST_MIN / found.minutes.mean) + 1
    for sets in range(min(rules.evening.sets, fitting), 0, -1):
        yield {"evening.sets": sets}
    yield {"end.minutes": 5}


def set_rolls(rules: RuleSet) -> float:
    """The rolls that a table makes in a set, by the exact odds."""
    bells = [odds(rules, face).bell for face in range(1, 7)]
    return sum((bell.mean if bell else 0.0) + AFTER_BELL[rules.after_bell] for bell in bells)


def set_seconds(rules: RuleSet) -> float:
    """About how many seconds a set takes at a party."""
    habits = Habits()
    roll = (habits.think + habits.tumble) / 1000
    return set_rolls(rules) * roll + 6 * (1.5 * habits.ok / 1000 + MOVE_S)
