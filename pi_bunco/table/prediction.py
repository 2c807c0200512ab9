"""The table's own idea of its round: the head's view up to a fact, and its later facts on top."""

from msgspec import Struct

from pi_bunco.errors import BuncoError
from pi_bunco.game import facts
from pi_bunco.game.contest import Awaited
from pi_bunco.game.score import score
from pi_bunco.game.snapshot import restored
from pi_bunco.game.table import Table
from pi_bunco.rules import RuleSet, load
from pi_bunco.wire.messages import View


class TableFact(Struct, frozen=True):
    """A fact of this table and its place: stream and seq."""

    stream: str
    seq: int
    fact: facts.Fact


class EndBell(Struct, frozen=True):
    """The bell that ends the round, heard of at `t` (ms of the evening clock) before a view has it."""

    t: int


class Prediction:
    """The state of the table as far as it is known here; `table` is None while no round is running."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.view: View | None = None
        self.table: Table | None = None
        self.rules: RuleSet | None = None
        self.last: facts.Roll | None = None
        """The last roll made here in the round that is running."""
        self._later: list[TableFact | EndBell] = []
        self._streams: list[str] = []

    @property
    def evening(self) -> str | None:
        """The evening that is known to be open."""
        return self.view.evening if self.view else None

    @property
    def epoch(self) -> int:
        """The round that this table holds (the fencing token); 0 before the first."""
        return self.view.epoch if self.view else 0

    @property
    def target(self) -> int:
        """The face to roll, 0 while no round is running."""
        if self.view is None or self.rules is None or not self.view.round:
            return 0
        return self.rules.evening.faces[self.view.round - 1]

    @property
    def by_hand(self) -> bool:
        """Whether the host allows rolls to be entered by hand."""
        return self.view is not None and self.view.state.by_hand

    @property
    def awaited(self) -> Awaited | None:
        """The throw that the game waits for at this table between rounds."""
        return self.view.state.awaited if self.view and self.table is None else None

    @property
    def refused(self) -> str:
        """Why the bell button at this table was refused a moment ago."""
        return self.view.state.refused if self.view else ""

    def see(self, view: View) -> None:
        """Takes the head's view, unless it is of an earlier round, and applies what is newer here.

        Raises `BuncoError` for a view that makes no sense; what was known before stays.
        """
        if view.evening == self.evening and view.epoch < self.epoch:
            return
        rules = load(view.rules, view.overrides)
        table = self._table(view, rules)
        if view.evening != self.evening or view.epoch != self.epoch:
            self._later.clear()
            self.last = None
        self.view, self.rules, self.table = view, rules, table
        self._later = [one for one in self._later if not self._covered(one)]
        for one in self._later:
            if isinstance(one, TableFact):
                self._apply(one.fact)
            else:
                self._ring(one.t)

    def _table(self, view: View, rules: RuleSet) -> Table | None:
        snapshot = view.state.table
        if snapshot is None or view.seats is None:
            return None
        ghosts = tuple(name in view.ghosts for name in view.seats)
        try:
            return restored(snapshot, self.number, view.seats, ghosts, rules, view.round)
        except (AttributeError, TypeError, ValueError, IndexError) as error:
            raise BuncoError(
                f"the head's view of table {self.number} is not understood: {error!r}"
            ) from error

    def _covered(self, one: TableFact | EndBell) -> bool:
        """Whether the view has the fact: those of an earlier stream came before any of a later one."""
        if isinstance(one, EndBell):
            return self.table is None or self.table.bell_t is not None
        upto = self.view.upto if self.view else None
        if upto is None or upto.stream not in self._streams:
            return False
        if one.stream == upto.stream:
            return one.seq <= upto.seq
        return self._streams.index(one.stream) < self._streams.index(upto.stream)

    def tell(self, one: TableFact) -> str | None:
        """Applies a new fact of this table; why it does not count, as far as is known here."""
        if one.stream not in self._streams:
            self._streams.append(one.stream)
        self._later.append(one)
        return self._apply(one.fact)

    def ring(self, t: int) -> None:
        """The bell that ends the round was heard of before the view came; an older one may yet come."""
        if self.table is not None and self.table.bell_t is None:
            self._later.append(EndBell(t))
            self._ring(t)

    def linked(self) -> None:
        """The link is new: no view comes from now on that is older than a bell."""
        self._later = [one for one in self._later if isinstance(one, TableFact)]

    def _ring(self, t: int) -> None:
        if self.table is not None and self.table.bell_t is None:
            self.table.ring(t)

    def _apply(self, fact: facts.Fact) -> str | None:
        table = self.table
        if table is None:
            return None if self.awaited else "no round is open"
        match fact:
            case facts.Roll():
                self.last = fact
                outcome = score(table.rules, table.target).of(fact)
                if outcome is None:
                    table.refuse(fact.t)
                    return "no three alike wipe the points out in this round"
                return table.roll(outcome, fact.t, 0, fact.dice is None)
            case facts.Undo():
                return table.undo()
            case facts.Confirm():
                return table.confirm(fact.t)
            case facts.Faceoff():
                return table.faceoff(*fact.dice, fact.t)
            case _:
                return None

    def would_ring(self, outcome: int) -> bool:
        """Whether a roll of `outcome` now would ring the bell for everybody."""
        return self.table is not None and self.table.would_ring(outcome)
