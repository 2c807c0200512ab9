"""A season: evenings added up per player, records, money, and the faces of every die over time."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec import Struct

from pi_bunco.game import facts
from pi_bunco.game.evening import Evening
from pi_bunco.game.fairness import Fairness, of_counts
from pi_bunco.game.opening import same
from pi_bunco.game.pot import Amount, amount, decimals_of
from pi_bunco.game.prizes import Results, results
from pi_bunco.game.score_cards import Card, plain

Merges = Mapping[str, str]
"""Names that are the same person by the host's word: from one spelling to the other."""


class Played(Struct, frozen=True):
    """One evening of a season and its facts; `name` is its file or its id.

    `day` is the day on which it was opened, as a host reads it; empty where a log does not say.
    """

    name: str
    evening: Evening
    log: Sequence[facts.Fact]
    day: str = ""

    @property
    def label(self) -> str:
        """The name of the evening in its season."""
        return self.day or self.name


class PlayerTotal(Struct, frozen=True):
    """A player's season: the cards added up, evenings attended, and money as decimal text."""

    name: str
    evenings: int
    wins: int
    losses: int
    buncos: int
    minis: int
    points: int
    champion: int
    prizes: int
    won: str
    dues: str


class SeasonRecord(Struct, frozen=True):
    """The most of a mark in one evening, by everybody who reached it; `evenings` names when."""

    mark: str
    value: int
    names: tuple[str, ...]
    evenings: tuple[str, ...]


class DieTotal(Struct, frozen=True):
    """A die of a table (1 to 3): its faces evening by evening and together."""

    table: int
    die: int
    evenings: tuple[tuple[int, ...], ...]
    faces: tuple[int, ...]
    likely: float | None
    """Probability that a fair die falls at least that unevenly; None with too few throws."""


class Season(Struct, frozen=True):
    """Everything about some evenings, in their order; players from the most evenings and wins down."""

    evenings: tuple[str, ...]
    unfinished: tuple[str, ...]
    players: tuple[PlayerTotal, ...]
    records: tuple[SeasonRecord, ...]
    dice: tuple[DieTotal, ...]


def season(
    evenings: Sequence[Played],
    merges: Merges | None = None,
    dues: str | None = None,
    apart: Collection[str] = (),
) -> Season:
    """Adds up `evenings`; `dues` is what everybody pays for an evening, decimal text.

    Spellings of one name in two evenings are one person, but for those of `apart`; in one they are two.

    An evening that is not over is counted for its finished rounds, and has no champion and no prizes yet.
    """
    who = _Names(merges or {}, evenings, apart)
    ended = [results(one.evening) for one in evenings]
    decimals = decimals_of(dues, *(award.amount for found in ended if found for award in found.prizes))
    cards: dict[str, Card] = {}
    attended, champions, prizes, won = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    for one, found in zip(evenings, ended, strict=True):
        for name, card in _cards(one.evening, who).items():
            cards[who.key(name)] = cards.get(who.key(name), Card()).plus(card)
            attended[who.key(name)] += 1
        if found:
            champions.update(map(who.key, found.champions))
            prizes.update(who.key(name) for award in found.prizes for name in award.winners)
            won += _won(found, who, decimals)
    due = amount(dues or "0", decimals).units
    totals = [
        PlayerTotal(
            name=who.name(key),
            evenings=attended[key],
            champion=champions[key],
            prizes=prizes[key],
            won=Amount(won[key], decimals).text,
            dues=Amount(attended[key] * due, decimals).text,
            **plain(card, ()),
        )
        for key, card in cards.items()
    ]
    return Season(
        evenings=tuple(one.label for one in evenings),
        unfinished=tuple(one.label for one, found in zip(evenings, ended, strict=True) if found is None),
        players=tuple(sorted(totals, key=lambda one: (-one.wins, -one.buncos, same(one.name)))),
        records=tuple(_records(evenings, who)),
        dice=tuple(_dice(evenings)),
    )


def strangers(evenings: Iterable[Played], merges: Merges) -> list[str]:
    """The names that `merges` would replace and nobody has."""
    known = {same(name) for one in evenings for name in one.evening.standings}
    return [old for old in merges if same(old) not in known]


def spellings(evenings: Sequence[Played], apart: Collection[str] = ()) -> list[tuple[str, ...]]:
    """Names of several evenings that are taken for one person although they are spelt differently."""
    who = _Names({}, evenings, apart)
    spelt: dict[str, dict[str, None]] = {}
    for name in (name for one in evenings for name in one.evening.standings):
        spelt.setdefault(who.key(name), {})[name] = None
    return [tuple(names) for names in spelt.values() if len(names) > 1]


class _Names:
    """One name for every person, as it was first spelt; of two that are merged, the second."""

    def __init__(self, merges: Merges, evenings: Iterable[Played], apart: Collection[str]) -> None:
        self._apart = set(map(same, apart))
        for one in evenings:
            counted = Counter(map(same, one.evening.standings))
            self._apart.update(name for name, times in counted.items() if times > 1)
        self._merges = {self._form(old): self._form(new) for old, new in merges.items()}
        every = [name for one in evenings for name in one.evening.standings]
        spelt = [*every, *(" ".join(name.split()) for name in merges.values())]
        self._spelt = {self._form(name): name for name in reversed(spelt)}

    def _form(self, name: str) -> str:
        """The common form of a name; a name that two persons have stays itself."""
        return name if same(name) in self._apart else same(name)

    def name(self, name: str) -> str:
        """The name of this person in the season."""
        return self._spelt[self.key(name)]

    def key(self, name: str) -> str:
        key, seen = self._form(name), set[str]()
        while key in self._merges and key not in seen:
            seen.add(key)
            key = self._merges[key]
        return key


def _cards(evening: Evening, who: _Names) -> dict[str, Card]:
    """Cards of an evening per person; two names of one person are one card."""
    found: dict[str, tuple[str, Card]] = {}
    for name, card in evening.standings.items():
        first, sum_ = found.setdefault(who.key(name), (name, Card()))
        found[who.key(name)] = (first, sum_.plus(card))
    return dict(found.values())


def _won(ended: Results, who: _Names, decimals: int) -> Counter[str]:
    won: Counter[str] = Counter()
    for award in ended.prizes:
        each = award.shares or [award.each] * len(award.winners)
        for name, text in zip(award.winners, each, strict=True):
            won[who.key(name)] += amount(text, decimals).units if text else 0
    return won


def _records(evenings: Sequence[Played], who: _Names) -> Iterable[SeasonRecord]:
    for mark in ("wins", "buncos", "minis", "points", "losses"):
        reached = [
            (int(getattr(card, mark)), name, one.label)
            for one in evenings
            for name, card in _cards(one.evening, who).items()
        ]
        best = max((value for value, _, _ in reached), default=0)
        if best:
            names = dict.fromkeys(who.name(name) for value, name, _ in reached if value == best)
            labels = dict.fromkeys(label for value, _, label in reached if value == best)
            yield SeasonRecord(mark, best, tuple(names), tuple(labels))


def _dice(evenings: Sequence[Played]) -> Iterable[DieTotal]:
    counted: dict[tuple[int, int], list[list[int]]] = {}
    for place, one in enumerate(evenings):
        for fact in one.log:
            if type(fact) is not facts.Roll or fact.dice is None:
                continue
            for die, face in enumerate(fact.dice, 1):
                course = counted.setdefault((fact.table, die), [[0] * 6 for _ in evenings])
                course[place][face - 1] += 1
    for (table, die), course in sorted(counted.items()):
        faces = tuple(map(sum, zip(*course, strict=True)))
        yield DieTotal(table, die, tuple(map(tuple, course)), faces, of_counts([faces]).likely[0])


def all_dice(dice: Sequence[DieTotal]) -> Fairness:
    """All dice of a season as one test; `biased` numbers them in the order of `dice`."""
    return of_counts([one.faces for one in dice])
