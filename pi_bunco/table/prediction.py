"""The table's own idea of its round: the head's view up to a fact, and its later facts on top."""

from collections.abc import Callable

from msgspec import Struct

from pi_bunco.errors import BuncoError
from pi_bunco.game import facts
from pi_bunco.game.contest import Awaited
from pi_bunco.game.reasons import NoRoundOpen
from pi_bunco.game.snapshot import predicted_step, restored
from pi_bunco.game.table import Table
from pi_bunco.reason import Reason
from pi_bunco.rules import RuleSet, load
from pi_bunco.wire.messages import Envelope, View
from pi_bunco.wire.outbox import Sending
from pi_bunco.words.sentences import received


class PredictedBell(Struct, frozen=True):
    """The bell that ends the round, known at `t` (ms of the evening clock) before a view has it."""

    t: int


class Prediction:
    """The state of the table as far as it is known here; `table` is None while no round is running."""

    def __init__(self, number: int, outbox: Sending | None = None) -> None:
        self.number = number
        self._outbox = Sending() if outbox is None else outbox
        self._in_log: Callable[[Envelope], facts.Fact]
        self.view: View | None = None
        self.table: Table | None = None
        self.rules: RuleSet | None = None
        self.last: facts.Roll | None = None
        """The last roll made here in the round that is running."""
        self.head_evening: str | None = None
        """The evening that the head has open, as far as it has said so."""
        self._aside: View | None = None
        self._facts: list[Envelope | PredictedBell] = []
        """Facts and bells that the view may not have."""
        self._streams: list[str] = []

    def apply_as(self, in_log: Callable[[Envelope], facts.Fact]) -> None:
        """Applies facts of this table as the log will have them, as far as their times are known now."""
        self._in_log = in_log

    @property
    def evening(self) -> str | None:
        """The evening that is known to be open."""
        return self.head_evening or (self.view.evening if self.view else None)

    @property
    def epoch(self) -> int:
        """The round that this table plays (the fencing token); 0 before the first."""
        return self.view.epoch if self.view else 0

    @property
    def plays(self) -> bool:
        """A throw made now would be of a round, or for a place between rounds."""
        return self.table is not None or self.awaited is not None

    @property
    def target(self) -> int:
        """The face to roll, 0 while no round is running."""
        if self.view is None or self.rules is None or not self.view.round:
            return 0
        return self.rules.evening.faces[self.view.round - 1]

    @property
    def wipe(self) -> int | None:
        """The face of which three wipe in this round; None where none does."""
        face = self.rules.scoring.wipe if self.rules else None
        return None if face == self.target else face

    @property
    def by_hand(self) -> bool:
        """The host allows rolls to be entered by hand."""
        return self.view is not None and self.view.state.by_hand

    @property
    def awaited(self) -> Awaited | None:
        """The throw that the game waits for at this table between rounds."""
        return self.view.state.awaited if self.view and self.table is None else None

    @property
    def refused(self) -> tuple[Reason, ...]:
        """The reasons for which the bell button at this table was refused a moment ago."""
        return refusal(self.view)

    @property
    def without_seat(self) -> bool:
        """The head has an evening open in which this table has no seat."""
        return self.head_evening is not None and self.view is None

    def head_has(self, evening: str) -> View | None:
        """The head has this evening open: a view of another one is not true; the one to take, if it came."""
        self.head_evening = evening
        if self.view is not None and self.view.evening == evening:
            return None
        aside, self._aside = self._aside, self.view or self._aside
        self.no_seat()
        return aside if aside is not None and aside.evening == evening else None

    def no_seat(self) -> None:
        """This table is not in the head's evening."""
        self.view = self.table = self.rules = self.last = None
        self._facts.clear()

    def is_newer(self, view: View) -> bool:
        """`view` is to be taken: one of the same head's session with a shorter log is older."""
        if self.head_evening not in (None, view.evening):
            self._aside = view  # of an evening that is over, or the head's word of another one is late
            return False
        known = self.view
        if known is None or (known.evening, known.session) != (view.evening, view.session):
            return True
        return (view.branches, view.n) >= (known.branches, known.n)

    def see(self, view: View) -> bool:
        """Takes the head's view; whether the head ignored a roll that had counted here.

        What is newer here is applied on top: a head that is new may lack what an earlier one had.
        Raises `BuncoError` for a view that makes no sense; what was known before stays.
        """
        before, known = self.table, self.view
        if known and self.rules and (view.rules, view.overrides) == (known.rules, known.overrides):
            rules = self.rules
        else:
            rules = load(view.rules, view.overrides)
        table = self._table(view, rules)
        same = known is not None and (view.evening, view.epoch) == (known.evening, known.epoch)
        if not same:
            self._take_up(view)
        self.view, self.rules, self.table = view, rules, table
        bell_known = table is None or table.bell_t is not None
        self._facts = [one for one in self._facts if isinstance(one, Envelope) or not bell_known]
        for one in self._facts:
            if isinstance(one, PredictedBell):
                self._ring(one.t)
            elif not self._covered(one):
                self._apply(one)
        return same and before is not None and table is not None and table.ignored > before.ignored

    def _table(self, view: View, rules: RuleSet) -> Table | None:
        snapshot = view.state.table
        if snapshot is None or view.seats is None:
            return None
        ghosts = tuple(name in view.ghosts for name in view.seats)
        try:
            return restored(snapshot, Table(self.number, view.seats, ghosts, rules, view.round))
        except (AttributeError, TypeError, ValueError, IndexError) as error:
            raise BuncoError(
                f"the head's view of table {self.number} is not understood: {error!r}"
            ) from error

    def _covered(self, one: Envelope) -> bool:
        """True if the view has the fact: facts of an earlier stream came before any of a later one."""
        upto = self.view.upto if self.view else {}
        later = self._streams[self._streams.index(one.stream) + 1 :]
        return one.seq <= upto.get(one.stream, 0) or any(stream in upto for stream in later)

    def _take_up(self, view: View) -> None:
        """Takes this table's facts of the round: it was played before a restart, or under an earlier head."""
        self._streams = [stream for stream, _ in self._outbox.ends(view.evening)]
        self._facts = [one for one in self._outbox.envelopes(view.evening) if one.epoch == view.epoch]
        self.last = None

    def tell(self, one: Envelope) -> Reason | None:
        """Applies a new fact of this table; why it does not count, as far as is known here."""
        if one.stream not in self._streams:
            self._streams.append(one.stream)
        self._facts.append(one)
        return self._apply(one)

    def ring(self, t: int) -> None:
        """The bell that ends the round is known before the view of it came; an older one may yet come."""
        if self.table is not None and self.table.bell_t is None:
            self._facts.append(PredictedBell(t))
            self._ring(t)

    def link_renewed(self) -> None:
        """The link is new: no view comes from now on that is older than a bell."""
        self._facts = [one for one in self._facts if isinstance(one, Envelope)]

    def _ring(self, t: int) -> None:
        if self.table is not None and self.table.bell_t is None:
            self.table.ring(t)

    def _apply(self, one: Envelope) -> Reason | None:
        if self.table is None:
            return None if self.awaited else NoRoundOpen()
        fact = self._in_log(one)
        if isinstance(fact, facts.Roll):
            self.last = fact
        return predicted_step(self.table, fact)

    def would_ring(self, call: str) -> bool:
        """A roll now that is entered as `call` would ring the bell for everybody."""
        return self.table is not None and self.table.would_ring(self.table.called(call))


def refusal(view: View | None) -> tuple[Reason, ...]:
    """The reasons for which the bell button at the table of this view was refused a moment ago."""
    if view is None or not view.state.refused:
        return ()
    return received(view.state.refused.split("\n"), view.state.reasons)
