"""A tournament after its groups: who has a place in the next stage, who rolls for one, and the final."""

from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass, field

from game.independent.lots import lots
from game.independent.standings import Card
from game.independent.ties import Key, Standing, Throw, Throws, Tie, stepped


@dataclass
class Place:
    """A place in the next stage, who has it, and the ghost on its chair until somebody is found."""

    by: str
    group: int | None = None
    person: int | None = None
    ghost: int | None = None


@dataclass
class Contest:
    """A tie about a place, and how it stands; `away` where nobody is left in it."""

    tie: Tie
    now: Standing
    away: bool = False
    steps: int = 0

    def is_open(self) -> bool:
        """True if it is rolled for."""
        return not self.away and self.now.winner() is None


@dataclass
class State:
    """All of a tournament that throws change."""

    stage: str = "groups"
    rounds: int = 0
    members: list[list[int]] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    finalists: list[Place] = field(default_factory=list)
    contests: list[Contest] = field(default_factory=list)
    begins: int | None = None
    at: int = 0
    rolled: list[tuple[int, list[int]]] = field(default_factory=list)
    winner: int | None = None


Said = tuple[Key | None, Throw | list[int]]
"""A throw since the last barrier: for a tie, or three dice in the final."""


class Stages:
    """The stages; `cards`, `there` and `names` are told before anything is asked."""

    def __init__(self, seed: str, throws: Throws) -> None:
        self.seed, self.throws = seed, throws
        self.now = State()
        self.base: State | None = None
        self.since: list[Said] = []
        self.cards: list[Card] = []
        self.there: set[int] = set()
        self.names: list[str] = []
        self.seated: list[tuple[int, int]] = []

    def barrier(self) -> None:
        """Throws so far are taken back no more."""
        self.base, self.since = None, []

    # places

    def _given(self) -> list[Place]:
        """The places that are being filled."""
        if self.now.finalists:
            return self.now.finalists
        return self.now.places if self.now.stage in ("qualification", "semi_final") else []

    def fill(self) -> None:
        """Gives every empty place to the best for it, or has those roll who are equal.

        While nobody has the place of most wins, it is not known who rolls for that of most Buncos.
        """
        places = self._given()
        unknown = [place.group for place in places if place.by == "wins" and place.person is None]
        for contest in self.now.contests:
            if contest.is_open() and contest.tie.purpose == "buncos" and contest.tie.group in unknown:
                contest.away = True
        for place in places:
            if place.person is None and not self._waits(place):
                best = self._best(place, [one.person for one in places if one.person is not None])
                if len(best) == 1 or (best and place.by in ("drawn", "wild_card")):
                    self._take(place, best[0])
                elif best:
                    self._form(place.by, best, place.group)
        waits = any(one.is_open() for one in self.now.contests)
        if self.now.stage == "order" and self.now.begins is None and not waits:
            persons = [place.person for place in self.now.finalists if place.person is not None]
            if len(persons) > 1:
                self._form("order", persons, None)
            else:
                self.now.begins = 0

    def _take(self, place: Place, person: int) -> None:
        place.person = person
        if place.ghost is not None:
            self.seated.append((place.ghost, person))
            place.ghost = None

    def _waits(self, place: Place) -> bool:
        going = [one.tie for one in self.now.contests if one.is_open()]
        if place.by in ("drawn", "wild_card"):
            return bool(going)
        first = ["wins"] if place.by == "wins" else ["wins", "buncos"]
        return any(tie.purpose in first and tie.group == place.group for tie in going)

    def _best(self, place: Place, taken: list[int]) -> list[int]:
        semi = [one.person for one in self.now.places if one.person is not None]
        pool = self.now.members[place.group - 1] if place.group else semi
        free = [person for person in pool if person in self.there and person not in taken]
        everybody = [person for person in sorted(self.there) if person not in taken]
        if place.by in ("drawn", "wild_card"):
            among = {
                self.names[person]: person for person in (free if place.by == "drawn" and free else everybody)
            }
            return [among[name] for name in lots(self.seed, place.by, among)]
        most = max((self.cards[person][place.by] for person in free), default=0)
        return [person for person in free if self.cards[person][place.by] == most]

    def _form(self, purpose: str, persons: list[int], group: int | None) -> None:
        stage = "final" if purpose == "order" else "semi" if self.now.finalists else "groups"
        tie = Tie(purpose, persons, self.now.rounds, 1, stage=stage, group=group, lowest=purpose == "order")
        contest = Contest(tie, Standing(list(persons)))
        self.now.contests = [one for one in self.now.contests if one.tie.key() != tie.key()] + [contest]

    def recall(self) -> None:
        """Every tie that came back has again what was rolled for it before."""
        while found := self._recalled():
            self._said(found)

    def _recalled(self) -> Said | None:
        for contest in self.now.contests:
            thrown = self.throws.thrown.get(contest.tie.key(), [])
            if contest.is_open() and contest.steps < len(thrown):
                return contest.tie.key(), thrown[contest.steps]
        return None

    def _judge(self, contest: Contest) -> None:
        winner = contest.now.winner()
        if winner is None:
            return
        if contest.tie.purpose == "order":
            self.now.begins = next(at for at, one in enumerate(self.now.finalists) if one.person == winner)
            self.fill()
            return
        for place in self._given():
            if (place.by, place.group) == (contest.tie.purpose, contest.tie.group) and place.person is None:
                self._take(place, winner)
        self.fill()

    # throws

    def contest(self, key: Key | None) -> Contest | None:
        """The contest about this tie."""
        return next((one for one in self.now.contests if one.tie.key() == key), None)

    def throw(self, tie: Tie, throw: Throw) -> None:
        """Takes a roll or the host's word for a tie of a stage."""
        self.throws.add(tie, throw)
        self._said((tie.key(), throw))
        self.recall()

    def throw_in_final(self, dice: list[int]) -> None:
        """Three dice in the final, of whose turn it is."""
        self._said((None, dice))

    def _said(self, said: Said) -> None:
        self.base = self.base or deepcopy(self.now)
        self.since.append(said)
        self._apply(said)

    def _apply(self, said: Said) -> bool:
        """True if it is in play: what was thrown for a tie that stands no more is not."""
        key, throw = said
        if key is None and isinstance(throw, list):
            person = self.thrower()
            if person is not None:
                self.now.rolled.append((person, throw))
                order = self.order()
                self.now.at = ([place.person for place in order].index(person) + 1) % len(order)
                self.now.winner = person if len(set(throw)) == 1 else None
            return person is not None
        contest = self.contest(key)
        if contest is None or not contest.is_open() or isinstance(throw, list):
            return False
        contest.now = stepped(contest.tie, contest.now, throw)
        contest.steps += 1
        self._judge(contest)
        return True

    def take_back(self, key: Key | None, *, any_tie: bool = False, word: bool | None = None) -> bool:
        """Takes the latest throw back, of one tie or of any, the final's too; `word`: only a host's."""
        places = [at for at, (about, _) in enumerate(self.since) if any_tie or about == key]
        if not places or self.base is None:
            return False
        about, throw = self.since[places[-1]]
        if word is not None and isinstance(throw, int) != word:
            return False
        self.since.pop(places[-1])
        if about is not None:
            thrown = self.throws.thrown[about]
            thrown.pop(max(at for at, one in enumerate(thrown) if one == throw))
        self.now = deepcopy(self.base)
        self.since = [said for said in self.since if self._apply(said)]
        self.recall()
        return True

    # the final

    def order(self) -> list[Place]:
        """The places as the dice go round, from who begins."""
        first = self.now.begins
        return [] if first is None else [*self.now.finalists[first:], *self.now.finalists[:first]]

    def thrower(self) -> int | None:
        """The person who rolls next in the final."""
        if self.now.stage != "final" or self.now.winner is not None:
            return None
        order = self.order()
        turns = [*order[self.now.at :], *order[: self.now.at]]
        return next((place.person for place in turns if place.person is not None), None)

    def final_table(self, places: list[Place]) -> list[int | None]:
        """The persons at the final table."""
        table: list[int | None] = []
        for place in places:
            person = place.person
            if place.by in ("drawn", "wild_card"):
                best = self._best(place, [one for one in table if one is not None])
                person = best[0] if best else None
            table.append(person)
        return table

    # people and stages

    def left(self, person: int, ghost: int | None) -> None:
        """Somebody has gone: the next in rank takes the place, `ghost` has the chair until then."""
        self.barrier()
        self.now.members = [[one for one in group if one != person] for group in self.now.members]
        for place in [*self.now.places, *self.now.finalists]:
            if place.person == person:
                place.person, place.ghost = None, ghost
        for contest in [one for one in self.now.contests if one.is_open() and person in one.now.still]:
            if contest.tie.purpose == "order":
                contest.away = True
                continue
            contest.now = contest.now.without(person, contest.tie.lowest)
            contest.away = not contest.now.still
            self._judge(contest)
        self.fill()
        self.recall()

    def begin(self, stage: str, rounds: int) -> None:
        """A stage begins, or has been played."""
        self.barrier()
        self.now.stage, self.now.rounds = stage, rounds


def drawn_tables(names: Iterable[str], seed: str) -> list[list[str]]:
    """The seats of the semi-final: ghosts fill the last table, where nobody sits alone."""
    order = lots(seed, "semi_final", names)
    sizes = [min(4, len(order) - first) for first in range(0, len(order), 4)]
    if len(sizes) > 1 and sizes[-1] == 1:
        sizes[-2:] = [3, 2]
    tables: list[list[str]] = []
    ghosts = (f"Ghost {number}" for number in range(1, 5))
    for size in sizes:
        tables.append([*order[:size], *(next(ghosts) for _ in range(4 - size))])
        order = order[size:]
    return tables
