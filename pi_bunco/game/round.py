"""One round at all tables: who rolls where, and the bell that ends it for everybody."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from pi_bunco.game import facts, reasons
from pi_bunco.game.seating import SeatNames
from pi_bunco.game.table import SEATS, Recounted, Table
from pi_bunco.reason import Reason
from pi_bunco.rules import RuleSet
from pi_bunco.rules.ruleset import BAG


class EndBell(Struct, frozen=True):
    """The bell that ended a round: when it could be heard (ms), by what it rang, and who rang it."""

    t: int
    by: Literal["points", "bunco", "roll", "time", "host"]
    player: str | None


class Round:
    """The round of the face `target` in set `set`; `epoch` counts the opened rounds."""

    def __init__(
        self,
        rules: RuleSet,
        epoch: int,
        played: int,
        seating: Sequence[SeatNames],
        ghosts: Collection[str],
        cards: Mapping[str, int],
        rested: bool = False,
    ) -> None:
        self.rules = rules
        self.epoch = epoch
        before, self.place = divmod(played, len(rules.evening.faces))
        self.set = before + 1
        self.place += 1
        """The place in the set, from 1."""
        self.target = rules.evening.faces[self.place - 1]
        self.seating = tuple(seating)
        self.ghosts = frozenset(ghosts)
        self.cards = dict(cards)
        """The card of each player of this round, however the names change later."""
        self.bell: EndBell | None = None
        self.rang_at = 0
        """The place in the log of the fact that rang the bell."""
        self.rested = rested
        """The opening of this round ended a break."""
        self.tables = [
            Table(number, seats, tuple(name in ghosts for name in seats), rules, self.target)
            for number, seats in enumerate(self.seating, 1)
        ]

    @property
    def finished(self) -> bool:
        """Every table has a winner."""
        return all(table.final for table in self.tables)

    @property
    def winners(self) -> list[int]:
        """The winning side of each table of a finished round: 0 US and 1 THEM."""
        return [table.winner for table in self.tables if table.winner is not None]

    def roll(self, fact: facts.Roll, n: int) -> Reason | None:
        """A roll at place `n` of the log: why it does not count, or None. It may ring the bell."""
        table = self.tables[fact.table - 1]
        seat = table.seat
        why = table.roll(fact, n)
        if why is None:
            if self.bell is None:
                outcome = table.entries[-1][0] if table.may_ring else 0
                if outcome and (by := table.cause(seat, outcome)):
                    self.ring(EndBell(table.latest, by, table.seats[seat]), n)
                    table.rings_by(n)
            elif table.rang == n:
                self._belongs_to(table.seats[seat])
        return why

    def turn(self, fact: facts.Turn, n: int) -> Reason | None:
        """Another seat's turn by the fact at place `n` of the log; rolls that are counted again may ring."""
        table = self.tables[fact.table - 1]
        seat = SEATS.index(fact.seat)
        why = table.why_not_turn(seat, fact.rolls)
        if why:
            return why
        self._recounted(table, table.turn(seat, fact.rolls, fact.t), fact.t, n)
        return None

    def confirm(self, fact: facts.Confirm, n: int) -> Reason | None:
        """A scorekeeper's OK: to the roll that was just called out, else to the table's result."""
        table = self.tables[fact.table - 1]
        if table.uncalled is None:
            return table.confirm(fact.t)
        self._recounted(table, [table.call_out()], fact.t, n)
        return None

    def close(self, fact: facts.RoundClose, n: int) -> Reason | None:
        """The time is over, or the host ends the round: the bell rings."""
        if self.bell:
            return reasons.BellRangAlready()
        self.ring(EndBell(fact.t, "time" if fact.by == "time" else "host", None), n)
        return None

    def bell_rang(self, fact: facts.BellRang, n: int) -> Reason | None:
        """The relay has switched: from now on the bell of the roll before could be heard."""
        if self.bell is None:
            return reasons.NothingRang()
        if self.rang_at != n - 1:
            return reasons.BellRecordedAlready()
        self.ring(replace(self.bell, t=fact.t), self.rang_at)
        return None

    def _recounted(self, table: Table, recounted: Sequence[Recounted], t: int, n: int) -> None:
        """Rings for rolls counted again by the fact at place `n`, made at `t`, where they would have rung."""
        if self.bell is None:
            first = next((one for one in recounted if one.rings), None)
            if first and first.rings and table.may_ring:
                self.ring(EndBell(t, first.rings, table.seats[first.seat]), n)
                table.rings_by(first.place)
        else:
            for one in recounted:
                if one.place == table.rang:
                    self._belongs_to(table.seats[one.seat])

    def _belongs_to(self, player: str) -> None:
        """Notes `player` as the one whose roll rang the bell, as has turned out since."""
        assert self.bell is not None
        self.bell = replace(self.bell, player=player)

    def ring(self, bell: EndBell, n: int) -> None:
        """The bell ends the round because of the fact at place `n` of the log."""
        self.bell = bell
        self.rang_at = n
        for table in self.tables:
            table.ring(bell.t)

    def rank_tables(self, groups: Iterable[Sequence[int]]) -> None:
        """Marks the winners where tables are teams: the most points of each group, once all have played."""
        for group in groups if self.rules.team == "table" else ():
            tables = [self.tables[number - 1] for number in group]
            most = max(table.points[0] for table in tables)
            for table in tables:
                table.rank(int(table.points[0] < most))

    def void_bell(self) -> None:
        """The bell was a false alarm; the round is open again."""
        self.bell = None
        for table in self.tables:
            table.void()

    def handed(self, thing: str) -> int | None:
        """The card that `thing` was handed on to last in this round."""
        nth = self.rules.traveling_nth if thing == BAG else None
        if thing == BAG and not nth:
            bags = [(*table.bag, table) for table in self.tables if table.bag]
        else:
            bags = [
                (entry[2], seat, table)
                for table in self.tables
                for entry, seat, effects in table.marking()
                if effects.hands == thing
            ]
        handing = sorted(bags, key=lambda bag: bag[0])
        if nth:
            handing = handing[nth - 1 : nth]
        last = next(((seat, table) for _, seat, table in reversed(handing) if nth or seat >= 0), None)
        if last is None or last[0] < 0:
            return None
        seat, table = last
        return self.cards[table.seats[seat]]
