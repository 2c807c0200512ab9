"""The evening: the state that follows from the facts so far, `state = fold(apply, facts)`.

Nothing here knows a clock, a network or chance. `apply` takes one fact and says why it changed nothing, if
so, in words that a host understands.
"""

from collections.abc import Callable
from typing import Any

from pi_bunco.errors import FactError, RulesError
from pi_bunco.game import facts, rounds, seating, seats, stages, throws
from pi_bunco.game.cards import Card, totals
from pi_bunco.game.people import People
from pi_bunco.game.round import Round
from pi_bunco.game.tournament import Tournament
from pi_bunco.rules import RuleSet, override, preset


class Evening:
    """All that is played in one go; a new one still waits for its `evening` fact."""

    def __init__(self) -> None:
        self.id = ""
        self.rules: RuleSet | None = None
        self.people = People(())
        self.groups: tuple[tuple[int, ...], ...] | None = None
        self.seating: list[seating.Names] | None = None
        """The present seating, between rounds the next one; None before the draw."""
        self.round: Round | None = None
        """The running round."""
        self.rounds: list[Round] = []
        """The finished rounds, oldest first."""
        self.epoch = 0
        """How many rounds were opened, cancelled ones too."""
        self.facts = 0
        """How many facts were applied."""
        self.resting = False
        self.break_minutes: int | None = None
        self.closed = False
        self._totals: dict[int, dict[int, Card]] = {}
        """The cards of the finished rounds from the one of this index on, once somebody has asked."""
        self._abandoned: Round | None = None
        """The round that was running when the evening was closed; it goes on if the evening does."""
        self.tournament: Tournament | None = None
        """Where the tournament stands, if the evening is one."""
        self.pot: str | None = None
        """The money that is played for, as decimal text."""
        self.seed = ""
        """What every draw of the evening depends on."""
        self.grand_prize: str | None = None
        """Who has won the final table of a tournament."""
        self.rolled_for_prizes: list[tuple[str, dict[str, tuple[int, ...]]]] = []
        """What was rolled for prizes with a tie: for which prize, and each player's dice."""
        self.decided_prizes: dict[str, tuple[str, ...]] = {}
        """Who gets a prize by the host's word."""
        self.finished_t = 0
        """When the latest round was finished (ms)."""
        self.bypassed: set[int] = set()
        """Tables whose equipment nobody waits for."""
        self.by_hand: set[int] = set()
        """Tables where rolls may be entered by hand although the dice work."""

    # Questions.

    @property
    def state(self) -> str:
        """`setup`, `round_open`, `after_bell`, `between_rounds`, `break` or `finished`."""
        if self.round and not self.closed:
            return "round_open" if self.round.bell is None else "after_bell"
        if self.over:
            return "finished"
        if self.resting:
            return "break"
        return "between_rounds" if self.rounds else "setup"

    @property
    def over(self) -> bool:
        """Whether nothing more can be played: all sets are, or the evening is closed."""
        if self.closed or self.rules is None:
            return self.closed
        if self.tournament:
            return self.tournament.stage == "done"
        return len(self.rounds) >= self.rules.evening.rounds

    @property
    def rounds_of_a_set(self) -> int:
        """How many rounds a set has."""
        return len(self.rules.evening.faces) if self.rules else 0

    def why_not_open(self) -> str | None:
        """Why no round can be opened now, as far as the game goes."""
        if self.rules is None:
            return "no evening is open"
        if self.round:
            return "a round is running"
        if self.over:
            return "the last round has been played"
        if self.seating is None:
            return "nobody has a seat yet"
        if why := stages.why_not_open(self):
            return why
        ghosts = set(self.people.ghosts)
        empty = [number for number, names in enumerate(self.seating, 1) if ghosts.issuperset(names)]
        return f"table {empty[0]} has nobody but ghosts; draw or set the seats anew" if empty else None

    @property
    def why_draw_anew(self) -> str | None:
        """Why the host may want to draw the seats anew between rounds; None where there is no reason."""
        if self.round or self.over or not self.rounds or self.seating is None:
            return None
        ghosts = set(self.people.ghosts)
        if len(ghosts) >= 4:
            return f"{len(ghosts)} chairs are empty: everybody fits at fewer tables"
        if len(ghosts.intersection(self.seating[0])) > 2:
            return "fewer than two people sit at the head table"
        return None

    @property
    def tables(self) -> int:
        """How many tables play."""
        if self.round:
            return len(self.round.seating)
        return self.people.chairs // 4 if self.seating is None else len(self.seating)

    @property
    def standings(self) -> dict[str, Card]:
        """What each card says of the finished rounds; who left is still in, ghosts never are."""
        counted = self.totals()
        return {name: counted.get(card, Card()) for card, name in enumerate(self.people.holders)}

    def totals(self, first: int = 0) -> dict[int, Card]:
        """What each card says of the finished rounds from the one of index `first` on."""
        if first not in self._totals:
            self._totals[first] = totals(self.rounds[first:])
        return self._totals[first]

    @property
    def traveler(self) -> str | None:
        """Who has the traveling bag; None where none travels or nobody has got it yet."""
        if self.rules is None or self.rules.traveling is None:
            return None
        last = self.round or self._abandoned
        rounds = [*self.rounds, last] if last else self.rounds
        cards = (round_.bag() for round_ in reversed(rounds))
        return next((self.people.holders[card] for card in cards if card is not None), None)

    # The fold.

    def apply(self, fact: facts.Fact) -> str | None:
        """Takes the next fact: None if it counts, else why it changes nothing.

        Raises `FactError` for a table, a rule set or players that cannot be.
        """
        self.facts += 1
        round_ = self.round
        if round_ is not None and type(fact) is facts.Roll:  # as nearly all facts are
            epoch = fact.epoch
            if (epoch is None or epoch == round_.epoch) and fact.table <= len(round_.tables):
                why = round_.roll(fact, self.facts)
                if round_.bell is not None and round_.ended_by(fact.table):  # a roll-off can end with it
                    rounds.finish(self, round_, fact.t)
                return why
        return self._misplaced(fact) or _STEPS[type(fact)](self, fact)

    def _misplaced(self, fact: facts.Fact) -> str | None:
        """Why a fact belongs to no evening or round that there is; `FactError` if to no table."""
        if self.rules is None:
            return None if type(fact) is facts.EveningOpen else "no evening is open"
        number = getattr(fact, "table", 0)
        if number > self._known_tables(fact) and type(fact) is not facts.Branch:
            raise FactError(f"there is no table {number}, tables are 1 to {self.tables}")
        if self.closed and type(fact) not in _AFTER_CLOSE:
            return "the evening is closed"
        if type(fact) is facts.BellSeen:
            return None
        if type(fact) not in _OF_A_ROUND:
            return None
        if self.round is None:
            return None if type(fact) in (facts.Roll, facts.Undo) else throws.NOBODY
        epoch = getattr(fact, "epoch", None)
        if epoch not in (None, self.round.epoch):
            return f"it was made in round {epoch} of the evening, this is round {self.round.epoch}"
        return None

    def _known_tables(self, fact: facts.Fact) -> int:
        """How many tables `fact` can be about: a result can be reopened at a table that is gone since."""
        if type(fact) is facts.Reopen and self.rounds:
            return max(self.tables, len(self.rounds[-1].tables))
        return self.tables

    # What happens beside the rounds (`rounds`), the seats (`seats`) and the tournament (`stages`).

    def _open(self, fact: facts.EveningOpen) -> str | None:
        if self.rules is not None:
            return "an evening is open already"
        try:
            named = {"name": fact.name} if fact.name else {}
            rules = override(preset(fact.rules), {**fact.overrides, **named})
        except RulesError as error:
            raise FactError("; ".join(error.problems)) from error
        found = seating.problems(fact.players, fact.ghosts, fact.groups, ghosts_allowed=rules.ghosts)
        if found:
            raise FactError("; ".join(found))
        self.id = fact.id
        self.rules = rules
        self.people = People(fact.players, fact.ghosts)
        self.groups = fact.groups
        self.pot = fact.pot
        self.seed = fact.id if fact.seed is None else str(fact.seed)
        self.tournament = Tournament(self.seed) if rules.tournament else None
        return None

    def seat(self, tables: list[seating.Names]) -> None:
        """Everybody sits so, also when a reopened round is final again."""
        self.seating = tables
        if self.rounds:
            self.rounds[-1].seated, self.rounds[-1].replaced = tables, []

    def replace(self, old: str, new: str, *, nobody_moves: bool = False) -> None:
        """`new` has the seat of `old` from now on; ghosts are kept apart there, unless `nobody_moves`."""
        self.take_seat(old, new, frozenset() if nobody_moves else frozenset(self.people.ghosts))

    def take_seat(self, old: str, new: str, ghosts: frozenset[str]) -> None:
        """`new` has the seat of `old`, where these `ghosts` are kept apart."""
        if self.rounds:
            self.rounds[-1].replaced.append((old, new, ghosts))
        if self.seating:
            self.seating = seating.replace(self.seating, old, new, ghosts)

    def _pause(self, fact: facts.Pause) -> None:
        if self.round is None:  # in a round there is no break, and the head asks for none
            self.resting, self.break_minutes = True, fact.minutes

    def _resume(self, _fact: facts.Resume) -> str | None:
        if not self.resting:
            return "there is no break"
        self.resting = False
        return None

    def _close(self, _fact: facts.EveningClose) -> None:
        self.closed = True
        self._abandoned, self.round = self.round, None

    def _reopen(self, _fact: facts.EveningReopen) -> str | None:
        if not self.closed:
            return "the evening is not closed"
        self.closed = False
        self.round, self._abandoned = self._abandoned, None
        return None

    def _branch(self, _fact: facts.Branch) -> None:
        """Says where the log was taken from; the game goes on the same."""

    def _bypass(self, fact: facts.Bypass) -> None:
        self.bypassed.add(fact.table)

    def _restore(self, fact: facts.Restore) -> None:
        self.bypassed.discard(fact.table)

    def _hand(self, fact: facts.Hand) -> None:
        (self.by_hand.add if fact.allowed else self.by_hand.discard)(fact.table)

    def _bell_seen(self, _fact: facts.BellSeen) -> None:
        """Changes nothing; by it the head knows that it has every roll that was made before the bell."""

    # A round; its rolls are in `apply`.

    @property
    def running(self) -> Round:
        """The running round, where it is known that one is."""
        assert self.round is not None
        return self.round

    def leave_behind(self, round_: Round) -> None:
        """The round is finished."""
        self.rounds.append(round_)
        self.round, self._totals = None, {}

    def go_back_to(self, round_: Round) -> None:
        """The round, which was finished, goes on."""
        self.round, self._totals = round_, {}


_STEPS: dict[type, Callable[[Evening, Any], str | None]] = {
    facts.EveningOpen: Evening._open,
    facts.EveningClose: Evening._close,
    facts.EveningReopen: Evening._reopen,
    facts.Pause: Evening._pause,
    facts.Resume: Evening._resume,
    facts.Bypass: Evening._bypass,
    facts.Restore: Evening._restore,
    facts.Hand: Evening._hand,
    facts.BellSeen: Evening._bell_seen,
    facts.Branch: Evening._branch,
    facts.Seating: seats.sit,
    facts.Leave: seats.leave,
    facts.Arrive: seats.arrive,
    facts.Substitute: seats.substitute,
    facts.RoundOpen: rounds.open_round,
    facts.Roll: throws.throw,
    facts.Undo: rounds.undo,
    facts.Turn: rounds.turn,
    facts.Tally: rounds.tally,
    facts.RoundClose: rounds.close_round,
    facts.BellRang: rounds.bell_rang,
    facts.BellVoid: rounds.void_bell,
    facts.Confirm: rounds.confirm,
    facts.Faceoff: rounds.faceoff,
    facts.Decide: rounds.decide,
    facts.Reopen: rounds.reopen,
    facts.RoundCancel: rounds.cancel_round,
    facts.PrizeDecision: throws.decision,
    facts.Rolloff: throws.rolloff,
    facts.StageConfirm: stages.confirm,
}
_AFTER_CLOSE = {facts.EveningReopen, facts.BellSeen, facts.Branch, facts.PrizeDecision, facts.Rolloff}
_OF_A_ROUND = {kind for kind in facts.KINDS.values() if "epoch" in kind.__struct_fields__} - {facts.RoundOpen}
