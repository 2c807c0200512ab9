"""Seats: the first draw, the moves between rounds (RULES.md, Moving and The first seating), turns."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from functools import cache
from itertools import chain
from random import Random

from msgspec import Struct

from pi_bunco.game import reasons
from pi_bunco.reason import Reason
from pi_bunco.rules.partners import next_chairs

SeatNames = tuple[str, str, str, str]
Pair = tuple[str, str]
Groups = tuple[tuple[int, ...], ...]

MIN_PLAYERS = 4
"""Fewer players than this cannot play."""


def ghosts_needed(players: int) -> int:
    """Number of ghosts that fill the tables of `players`."""
    return -players % 4


def problems(
    players: Sequence[str],
    ghosts: Sequence[str] | None = None,
    groups: Sequence[Sequence[int]] | None = None,
    *,
    ghosts_allowed: bool = True,
) -> list[Reason]:
    """Every reason why these players, with `ghosts` and `groups` where they are named, cannot play.

    Groups may be filled with ghosts to whole tables, as long as half of the chairs have players.
    """
    found: list[Reason] = []
    names = [*players, *(ghosts or ())]
    needed = ghosts_needed(len(players))
    if len(players) < MIN_PLAYERS:
        found.append(reasons.TooFewPlayers(MIN_PLAYERS, len(players)))
    if any(not name.strip() for name in names):
        found.append(reasons.NoName())
    twice = sorted(name for name, times in Counter(names).items() if name.strip() and times > 1)
    found += [reasons.NameTwice(name) for name in twice]
    if needed and not ghosts_allowed:
        found.append(reasons.TablesNotFull(len(players)))
    given = needed if ghosts is None else len(ghosts)
    whole_groups = groups is not None and given % 4 == needed and 2 * given <= len(players) + given
    if given != needed and not whole_groups:
        found.append(reasons.WrongGhosts(len(players), needed, given))
    tables = (len(players) + given) // 4
    if groups is not None and (sorted(chain(*groups)) != [*range(1, tables + 1)] or not all(groups)):
        found.append(reasons.WrongGroups(tables))
    return found


def draw(players: Sequence[str], ghosts: Sequence[str], random: Random) -> list[SeatNames]:
    """Seats everybody at random, ghosts at different tables where possible and never two in one team."""
    people = random.sample(players, len(players))
    count = (len(players) + len(ghosts)) // 4
    order = random.sample(range(count), count)
    tables: list[list[str | None]] = [[None] * 4 for _ in range(count)]
    for place, ghost in enumerate(ghosts):
        seats = tables[order[place % count]]
        taken = [seat for seat, name in enumerate(seats) if name is not None]
        seats[taken[0] ^ 1 if len(taken) == 1 else random.choice(_free(seats))] = ghost
    for seats in tables:
        for seat in _free(seats):
            seats[seat] = people.pop()
    return [apart(_four(str(name) for name in seats), set(ghosts)) for seats in tables]


def _free(seats: Sequence[str | None]) -> list[int]:
    return [seat for seat, name in enumerate(seats) if name is None]


def move(
    tables: Sequence[SeatNames],
    winners: Sequence[int],
    how: str,
    ghosts: Collection[str],
    groups: Iterable[Sequence[int]] | None = None,
) -> list[SeatNames]:
    """The next seating after `winners` (0 US, 1 THEM) have won; `how` is `move.tables`, or that nobody moves.

    `groups` are lists of table numbers; nobody leaves the group.
    """
    seated: list[SeatNames] = list(tables)
    for group in groups or [range(1, len(tables) + 1)]:
        places = [number - 1 for number in group]
        moved = _moved([tables[place] for place in places], [winners[place] for place in places], how)
        for place, names in zip(places, moved, strict=True):
            seated[place] = names if how == "partners" else apart(names, ghosts)
    return seated


def apart(names: SeatNames, ghosts: Collection[str]) -> SeatNames:
    """The seats with C and D changed where that keeps two ghosts from being one team."""
    a, b, c, d = names
    changed = (a, b, d, c)
    return changed if _ghost_team(names, ghosts) and not _ghost_team(changed, ghosts) else names


def _ghost_team(names: SeatNames, ghosts: Collection[str]) -> bool:
    a, b, c, d = names
    return (a in ghosts and c in ghosts) or (b in ghosts and d in ghosts)


def _moved(tables: Sequence[SeatNames], winners: Sequence[int], how: str) -> list[SeatNames]:
    """A group's chairs after a round: at each table the pair that stayed or came down, then who came up."""
    if how == "nobody":
        return list(tables)
    if how == "stay":
        return [(a, d, b, c) for a, b, c, d in tables]
    if how in ("chain", "partners"):
        people = [name for names in tables for name in names]
        following = _chain(len(people)) if how == "chain" else next_chairs(len(people))
        seated = dict(zip(following, people, strict=True))
        return [_four(seated[chair + seat] for seat in range(4)) for chair in range(0, len(people), 4)]
    pairs: list[tuple[Pair, Pair]] = [((a, c), (b, d)) for a, b, c, d in tables]
    winning = [pair[team] for pair, team in zip(pairs, winners, strict=True)]
    losing = [pair[1 - team] for pair, team in zip(pairs, winners, strict=True)]
    if how == "winners_round" and len(tables) > 1:
        return [stayed + came for stayed, came in zip(losing, [*winning[1:], winning[0]], strict=True)]
    if how == "losers_round" or len(tables) == 1:
        return [stayed + came for stayed, came in zip(winning, [losing[-1], *losing[:-1]], strict=True)]
    down = 1 if how == "down_one" else 0
    middle = [losing[i - down] + winning[i + 1] for i in range(1, len(tables) - 1)]
    return [winning[0] + winning[1], *middle, losing[-1] + (losing[-2] if down else losing[0])]


def _chain(chairs: int) -> list[int]:
    """The next chair of each in the order A, B, D, C of every table; the last one's is the first."""
    order = [table + seat for table in range(0, chairs, 4) for seat in (0, 1, 3, 2)]
    following = dict(zip(order, [*order[1:], order[0]], strict=True))
    return [following[chair] for chair in range(chairs)]


def replace(tables: Iterable[SeatNames], old: str, new: str, ghosts: Collection[str]) -> list[SeatNames]:
    """The seating with `new` on the seat of `old`, and `ghosts` kept apart at that table."""
    return [
        apart(_four(new if name == old else name for name in names), ghosts) if old in names else names
        for names in tables
    ]


def _four(names: Iterable[str]) -> SeatNames:
    a, b, c, d = names
    return (a, b, c, d)


class _Since(Struct):
    """Changes since a round was finished: the seating that was set, then who gave the seat to whom."""

    seated: list[SeatNames] | None = None
    replaced: list[tuple[str, str, Collection[str]]] = []
    """The name before, the name now, and the ghosts to keep apart there."""


class Seats:
    """The seats of everybody, between rounds for the next one, also after a round is opened again."""

    def __init__(self, groups: Groups | None = None) -> None:
        self.tables: list[SeatNames] | None = None
        """The names at each table; None before the draw."""
        self.groups = groups
        """Lists of table numbers that nobody leaves."""
        self._since: list[_Since] = []
        """For each finished round."""
        self._again = _Since()
        """For the round that goes on, if it had been finished."""

    @property
    def taken_over(self) -> dict[str, str]:
        """New names on seats since the latest round was finished, by the name before."""
        return {old: new for old, new, _ in self._since[-1].replaced} if self._since else {}

    def sit(self, tables: Sequence[SeatNames], groups: Groups | None) -> None:
        """Everybody sits so, also when a reopened round is final again."""
        self.tables, self.groups = list(tables), groups
        if self._since:
            self._since[-1] = _Since(self.tables)

    def replace(self, old: str, new: str, ghosts: Collection[str] = ()) -> None:
        """`new` has the seat of `old`, where `ghosts` are kept apart."""
        if self._since:
            self._since[-1].replaced.append((old, new, frozenset(ghosts)))
        if self.tables is not None:
            self.tables = replace(self.tables, old, new, ghosts)

    def move(
        self, played: Sequence[SeatNames], winners: Sequence[int], how: str, ghosts: Collection[str]
    ) -> None:
        """A round of the seating `played` is finished: winners and losers change tables."""
        since, self._again = self._again, _Since()
        tables = since.seated
        if tables is None:
            tables = move(played, winners, how, ghosts, self.groups)
        for old, new, kept_apart in since.replaced:
            tables = replace(tables, old, new, kept_apart)
        self.tables = tables
        self._since.append(since)

    def back_to(self, played: Sequence[SeatNames]) -> None:
        """The latest finished round, of the seating `played`, goes on."""
        self.tables, self._again = list(played), self._since.pop()

    def stay(self) -> None:
        """The round that goes on never happened: everybody sits as before, with what changed since."""
        since, self._again = self._again, _Since()
        if since.seated is not None:
            self.sit(since.seated, self.groups)
        for old, new, ghosts in since.replaced:
            self.replace(old, new, ghosts)


@cache
def turn_order(
    first: int, ghosts: tuple[bool, ...], partner_twice: bool, skip_ghosts: bool = False
) -> tuple[int, ...]:
    """The seats 0-3 in the order of their turns, from `first` on.

    Under `partner_twice` a ghost's turn follows its partner's, so that a ghost does not begin; a team of two
    ghosts keeps its place. With `skip_ghosts` only people have turns, where there are any.
    """
    seats = tuple((first + n) & 3 for n in range(4))
    if skip_ghosts and not all(ghosts):
        return tuple(seat for seat in seats if not ghosts[seat])
    if not partner_twice:
        return seats
    led = [seat for seat in seats if ghosts[seat] and not ghosts[seat ^ 2]]
    order: list[int] = []
    for seat in seats:
        if seat not in led:
            order += [seat, seat ^ 2] if seat ^ 2 in led else [seat]
    return tuple(order)


@cache
def following(order: tuple[int, ...]) -> tuple[int, ...]:
    """By seat, the seat whose turn comes next; a seat without turns is its own."""
    after = dict(zip(order, [*order[1:], order[0]], strict=True))
    return tuple(after.get(seat, seat) for seat in range(4))
