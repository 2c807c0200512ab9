"""A tournament after its groups: who has a place in the next stage, who rolls for one, and the final."""

from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from game.independent.lots import lots
from game.independent.moving import Seats
from game.independent.people import People

Event = dict[int, list[int]]
"""What persons rolled for a tie; one without dice was named by the host."""

AFTER = {"qualification": "semi_final", "semi_final": "order", "order": "final", "final": "done"}
Numbers = dict[str, dict[str, int]]
"""Wins and Buncos of everybody who is here."""


@dataclass
class Chair:
    """A place that somebody wins."""

    by: str
    group: int | None = None
    player: str | None = None
    ghost: str | None = None


@dataclass
class Tie:
    """Who rolls one die each for a place, or for who begins."""

    by: str
    group: int | None
    among: list[str]
    key: tuple[Any, ...] = ()
    taken: int = 0
    faces: dict[str, int] = field(default_factory=dict)

    def next(self) -> list[str]:
        """Whose die is next, three at a time."""
        return [name for name in self.among if name not in self.faces][:3]

    def settled(self) -> bool:
        """Whether somebody has won."""
        return len(self.among) == 1

    def judge(self) -> None:
        """Once all have rolled only the best are left, and roll again."""
        if len(self.among) < 2 or set(self.faces) != set(self.among):
            return
        best = (min if self.by == "order" else max)(self.faces.values())
        self.among = [name for name in self.among if self.faces[name] == best]
        self.faces = {}


def fits(tie: Tie, dice: dict[str, list[int]]) -> bool:
    """Whether these may roll for the tie now, one die each."""
    return all(
        name in tie.among and name not in tie.faces and len(faces) == 1 for name, faces in dice.items()
    )


class Stages:
    """From the last round of the groups to the grand prize."""

    def __init__(self, seed: str, people: People, book: dict[tuple[Any, ...], list[Event]]) -> None:
        self.seed = seed
        self.people = people
        self.book = book
        self.rounds = 0
        self.stage = "groups"
        self.first = 0
        self.groups: list[list[int]] = []
        self.members: list[list[str]] = []
        self.semi: list[Chair] = []
        self.final: list[Chair] = []
        self.ties: list[Tie] = []
        self.order: list[Chair] = []
        self.turn = 0
        self.thrown = 0
        self.winner: str | None = None
        self.before: list[tuple[int, Tie | None, Event, dict[str, Any]]] = []

    # the stages

    def groups_over(self, groups: list[list[int]], seating: list[Seats], rounds: int, cards: Numbers) -> None:
        """The most wins and the most Buncos of each group go on."""
        self.stage, self.first, self.rounds, self.groups = "qualification", rounds, rounds, groups
        self.members = [
            [name for at in group for name in seating[at - 1] if name in cards] for group in groups
        ]
        self.semi = [Chair(by, at + 1) for at in range(len(groups)) for by in ("wins", "buncos")]
        self.find(cards)
        self.recall(cards)

    def semi_final_over(self, rounds: int, cards: Numbers) -> None:
        """The most wins and the most Buncos of the semi-final."""
        self.rounds = rounds
        self.final = [Chair("wins"), Chair("buncos")]
        self.find(cards)
        self.recall(cards)

    def reopened(self) -> None:
        """A result of the last round is taken back."""
        if self.stage == "qualification":
            self.stage, self.semi = "groups", []
        self.final, self.ties, self.before = [], [], []

    def has_rounds(self) -> bool:
        """Whether this stage has another round."""
        return self.stage == "groups" or (self.stage == "semi_final" and not (self.final or self.ties))

    def next(self) -> str | None:
        """The stage that the host can confirm."""
        waits = self.ties or (self.stage == "semi_final" and not self.final)
        waits = waits or (self.stage == "final" and self.winner is None)
        return None if waits else AFTER.get(self.stage)

    def seats(self, cards: Numbers) -> list[Seats]:
        """Where those of the next stage sit; nothing where nobody moves."""
        if self.stage == "qualification":
            return self._semi_final([chair.player for chair in self.semi if chair.player])
        if self.stage != "semi_final":
            return []
        chairs = [*self.final, Chair("drawn"), Chair("wild_card")]
        names: list[str | None] = [chair.player for chair in self.final]
        for chair in chairs[2:]:
            pool = self._pool(chair, cards, [name for name in names if name])
            names.append(lots(self.seed, chair.by, pool)[0] if pool else None)
        return [[name or f"Ghost {at}" for at, name in enumerate(names, 1)]]

    def _semi_final(self, names: list[str]) -> list[Seats]:
        names = lots(self.seed, "semi_final", names)
        tables = [names[at : at + 4] for at in range(0, len(names), 4)]
        if len(tables) > 1 and len(tables[-1]) == 1:
            tables[-1].insert(0, tables[-2].pop())
        ghosts = 0
        for seats in tables:
            while len(seats) < 4:
                ghosts += 1
                seats.append(f"Ghost {ghosts}")
        return tables

    def confirm(self, stage: str, cards: Numbers) -> None:
        """The host's word."""
        self.stage, self.before = stage, []
        if stage == "order":
            self.final += [Chair("drawn"), Chair("wild_card")]
            self.find(cards)
            self.recall(cards)

    # who gets a place

    def _being_filled(self) -> list[Chair]:
        if self.final:
            return self.final
        return self.semi if self.stage in ("qualification", "semi_final") else []

    def _pool(self, chair: Chair, cards: Numbers, taken: list[str]) -> list[str]:
        if chair.group:
            pool = self.members[chair.group - 1]
        elif chair.by == "wild_card":
            pool = list(cards)
        else:
            pool = [one.player for one in self.semi if one.player]
        free = [name for name in pool if name in cards and name not in taken]
        if chair.by == "drawn" and not free:
            free = [name for name in cards if name not in taken]
        return free

    def find(self, cards: Numbers) -> None:
        """Most wins first, then most Buncos among the others, then those who are drawn."""
        for group in dict.fromkeys(chair.group for chair in self._being_filled()):
            for chair in (one for one in self._being_filled() if one.group == group):
                if chair.player:
                    continue
                pending = [tie for tie in self.ties if tie.group == group and tie.by != "order"]
                if chair.by == "wins":
                    self.ties = [tie for tie in self.ties if tie not in pending or tie.by == "wins"]
                    pending = [tie for tie in pending if tie.by == "wins"]
                if pending or (chair.by in ("drawn", "wild_card") and self.ties):
                    break
                self._give(chair, cards)
        if self.stage == "order" and not self.order and not self.ties:
            self._who_begins()

    def _give(self, chair: Chair, cards: Numbers) -> None:
        taken = [one.player for one in self._being_filled() if one.player]
        pool = self._pool(chair, cards, taken)
        if chair.by in ("drawn", "wild_card"):
            chair.player = lots(self.seed, chair.by, pool)[0] if pool else None
            return
        most = max((cards[name][chair.by] for name in pool), default=0)
        best = [name for name in pool if cards[name][chair.by] == most]
        if len(best) > 1:
            self.ties.append(self._tie(chair.by, chair.group, best))
        elif best:
            chair.player = best[0]

    def _who_begins(self) -> None:
        names = [chair.player for chair in self.final if chair.player]
        if len(names) > 1:
            self.ties = [self._tie("order", None, names)]
        else:
            self.order = list(self.final)

    def _tie(self, by: str, group: int | None, among: list[str]) -> Tie:
        stage = "final" if by == "order" else "semi" if self.final else "groups"
        persons = frozenset(self.people.names.index(name) for name in among)
        return Tie(by, group, among, (by, 1, persons, self.rounds, stage, group))

    # throws

    def table_of(self, tie: Tie) -> int:
        """A group rolls at its own first table while it sits there."""
        return self.groups[tie.group - 1][0] if tie.group and self.stage == "qualification" else 1

    def whose(self) -> str | None:
        """Who throws next at the final table."""
        if self.stage != "final" or self.ties or self.winner:
            return None
        names = [chair.player for chair in self.order[self.turn :] + self.order[: self.turn]]
        return next((name for name in names if name), None)

    def tie_at(self, table: int) -> Tie | None:
        """The first tie that is rolled at this table."""
        return next((tie for tie in self.ties if self.table_of(tie) == table), None)

    def enter(self, tie: Tie, dice: dict[str, list[int]], cards: Numbers) -> None:
        """What is rolled belongs to the tie for ever."""
        event = {self.people.names.index(name): list(faces) for name, faces in dice.items()}
        self.book.setdefault(tie.key, []).append(event)
        self.recall(cards)

    def recall(self, cards: Numbers) -> None:
        """Each tie that is open has all that ever was rolled for it."""
        while True:
            waiting = [tie for tie in self.ties if tie.taken < len(self.book.get(tie.key, []))]
            if not waiting:
                return
            self._step(waiting[0], self.book[waiting[0].key][waiting[0].taken], cards)

    def _step(self, tie: Tie, event: Event, cards: Numbers) -> None:
        self._remember(self.table_of(tie), tie, event)
        tie.taken += 1
        dice = {self.people.names[person]: faces for person, faces in event.items()}
        if not any(dice.values()):
            tie.among, tie.faces = list(dice), {}
        elif fits(tie, dice):
            tie.faces |= {name: faces[0] for name, faces in dice.items()}
            tie.judge()
        self._settle(tie, cards)

    def _settle(self, tie: Tie, cards: Numbers) -> None:
        if len(tie.among) > 1:
            return
        self.ties.remove(tie)
        if tie.by == "order":
            at = next(at for at, chair in enumerate(self.final) if chair.player == tie.among[0])
            self.order = self.final[at:] + self.final[:at]
        elif tie.among:
            chair = next(one for one in self._being_filled() if (one.by, one.group) == (tie.by, tie.group))
            chair.player = tie.among[0]
        self.find(cards)

    def final_throw(self, name: str, faces: list[int]) -> None:
        """Three dice at the final table."""
        self._remember(1, None, {self.people.names.index(name): list(faces)})
        self.thrown += 1
        if len(set(faces)) == 1:
            self.winner = name
        else:
            at = next(at for at, chair in enumerate(self.order) if chair.player == name)
            self.turn = (at + 1) % len(self.order)

    def _remember(self, table: int, tie: Tie | None, event: Event) -> None:
        kept = {key: value for key, value in vars(self).items() if key not in ("before", "people", "book")}
        self.before.append((table, deepcopy(tie), event, deepcopy(kept)))

    def undo(self, table: int, cards: Numbers) -> bool:
        """Takes the latest throw of all back."""
        if not self.before or self.before[-1][0] != table:
            return False
        return self._take_back(len(self.before) - 1, cards)

    def undo_tie(self, key: tuple[Any, ...], cards: Numbers, *, word: bool) -> bool:
        """Takes the latest throw, or word, for a tie back."""
        places = [at for at, (_, tie, _, _) in enumerate(self.before) if tie and tie.key == key]
        if not places or any(self.before[places[-1]][2].values()) == word:
            return False
        return self._take_back(places[-1], cards)

    def _take_back(self, at: int, cards: Numbers) -> bool:
        later = self.before[at + 1 :]
        _, gone, _, kept = self.before[at]
        vars(self).update(deepcopy(kept))
        self.before = self.before[:at]
        if gone:
            self.book[gone.key].pop()
        for _, tie, event, _ in later:
            now = next((one for one in self.ties if tie and one.key == tie.key), None)
            if now:
                self._step(now, event, cards)
        self.recall(cards)
        return True

    # people

    def gone(self, name: str, ghost: str | None, cards: Numbers) -> None:
        """The next in rank takes the place of who has left."""
        self.before = []
        for group in self.members:
            if name in group:
                group.remove(name)
        for chair in self.semi + self.final:
            if chair.player == name:
                chair.player, chair.ghost = None, ghost
        for tie in [one for one in self.ties if name in one.among]:
            if tie.by == "order":
                self.ties.remove(tie)
                continue
            tie.among.remove(name)
            tie.faces.pop(name, None)
            tie.judge()
            self._settle(tie, cards)
        self.find(cards)
        self.recall(cards)

    def renamed(self, old: str, new: str) -> None:
        """A substitute takes over the place, and what was rolled for it."""
        self.before = []
        for group in self.members:
            group[:] = [new if name == old else name for name in group]
        for chair in self.semi + self.final:
            chair.player = new if chair.player == old else chair.player
        self.winner = new if self.winner == old else self.winner
        for tie in self.ties:
            tie.among = [new if name == old else name for name in tie.among]
            tie.faces = {new if name == old else name: face for name, face in tie.faces.items()}

    def replacements(self) -> list[tuple[str, str]]:
        """Ghosts whose chair now has somebody."""
        found = [
            (chair.ghost, chair.player) for chair in self.semi + self.final if chair.ghost and chair.player
        ]
        for chair in self.semi + self.final:
            if chair.player:
                chair.ghost = None
        if found:
            self.before = []
        return found
