"""The evening: the state that follows from the facts so far, `state = fold(apply, facts)`.

Nothing here knows a clock, a network or chance. `apply` takes one fact and says why it changed nothing, if
so, in words that a host understands.
"""

from collections import Counter
from collections.abc import Callable
from typing import Any

from pi_bunco.errors import FactError, RulesError
from pi_bunco.game import facts, seating, stages, throws
from pi_bunco.game.cards import Card, totals
from pi_bunco.game.people import People
from pi_bunco.game.round import EndBell, Round
from pi_bunco.game.table import FINAL, TEAMS
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
        self._totals: dict[int, Card] | None = None
        """The cards after the finished rounds; None until somebody asks."""
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
        if self._totals is None:
            self._totals = totals(self.rounds)
        return {name: self._totals.get(card, Card()) for card, name in enumerate(self.people.holders)}

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
        if type(fact) is facts.Roll:
            round_ = self.round
            if round_ is not None and fact.epoch is None and fact.table <= len(round_.tables):
                return self._roll(fact)  # nearly all facts are rolls in their place
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

    # The evening and its people.

    def _evening(self, fact: facts.EveningOpen) -> str | None:
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

    def _seating(self, fact: facts.Seating) -> str | None:
        if self.round:
            return "a round is running"
        if self.over:
            return "the last round has been played"
        names = [name for table in fact.tables for name in table]
        why = stages.why_not_seat(self) or self._why_not_seated(names)
        if why:
            return why
        if self.rounds:
            self.people.sit_down(names)
            if len(fact.tables) != len(self.seating or ()):
                self.groups = None
        self._seat([seating.apart(table, self.people.ghosts) for table in fact.tables])
        return None

    def _why_not_seated(self, names: list[str]) -> str | None:
        """Why these `names` cannot sit down; guests come by a seating only after the first round."""
        ghosts = [name for name in names if self.people.is_ghost(name)]
        here = Counter([*stages.playing(self), *(ghosts if self.rounds else self.people.ghosts)])
        seated = Counter(names)
        missing, surplus = here - seated, seated - here
        if missing or (surplus if not self.rounds else max(seated.values(), default=0) > 1):
            wrong = ", ".join(sorted(missing + surplus))
            return f"everybody needs one seat; look at {wrong}"
        if not self.rounds:
            return None
        if why := stages.why_not_come(self, [name for name in names if name not in ghosts]):
            return why
        tables, needed = len(names) // 4, -(-(len(names) - len(ghosts)) // 4)
        if tables not in (needed, len(self.seating or ())):
            return f"{len(names) - len(ghosts)} players sit at {needed} tables, not {tables}"
        if ghosts and self.rules and not self.rules.ghosts:
            return "ghosts are not allowed"
        return None

    def _seat(self, tables: list[seating.Names]) -> None:
        """Everybody sits so, also when a reopened round is final again."""
        self.seating = tables
        if self.rounds:
            self.rounds[-1].seated, self.rounds[-1].replaced = tables, []

    def _leave(self, fact: facts.Leave) -> str | None:
        why = self._why_no_change() or self.people.why_not_leave(fact.player)
        if why is None and self.rules and not self.rules.ghosts:
            why = f"ghosts are not allowed; a substitute can take over from {fact.player}"
        if why:
            return why
        ghost = None
        if self.seating and not any(fact.player in names for names in self.seating):
            self.people.present.remove(fact.player)  # who only watches the final table
        else:
            ghost = self.people.leave(fact.player)
            self.replace(fact.player, ghost)
        stages.withdrawn(self, fact.player, ghost)
        return None

    def _arrive(self, fact: facts.Arrive) -> str | None:
        why = self._why_no_change() or stages.why_not_come(self, [fact.player])
        why = why or self.people.why_not_arrive(fact.player)
        if why is None:
            self.replace(self.people.arrive(fact.player), fact.player)
        return why

    def _substitute(self, fact: facts.Substitute) -> str | None:
        why = self._why_no_change() or self.people.why_not_substitute(fact.out, fact.new)
        if why is None:
            self.people.substitute(fact.out, fact.new)
            if self.tournament:
                self.tournament.renamed(fact.out, fact.new)
            self.replace(fact.out, fact.new, nobody_moves=True)
        return why

    def _why_no_change(self) -> str | None:
        if self.round:
            return "players change only between rounds"
        return "the last round has been played" if self.over else None

    def replace(self, old: str, new: str, *, nobody_moves: bool = False) -> None:
        """`new` has the seat of `old` from now on; ghosts are kept apart there, unless `nobody_moves`."""
        self._replace(old, new, frozenset() if nobody_moves else frozenset(self.people.ghosts))

    def _replace(self, old: str, new: str, ghosts: frozenset[str]) -> None:
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

    def _evening_close(self, _fact: facts.EveningClose) -> None:
        self.closed = True
        self._abandoned, self.round = self.round, None

    def _evening_reopen(self, _fact: facts.EveningReopen) -> str | None:
        if not self.closed:
            return "the evening is not closed"
        self.closed = False
        self.round, self._abandoned = self._abandoned, None
        return None

    def _branch(self, _fact: facts.Branch) -> None:
        """Says where the log was taken from; the game goes on the same."""

    def _prize(self, fact: facts.PrizeDecision) -> str | None:
        return throws.decision(self, fact)

    def _stage(self, fact: facts.StageConfirm) -> str | None:
        return stages.confirm(self, fact)

    def _rolloff(self, fact: facts.Rolloff) -> str | None:
        return throws.rolloff(self, fact)

    def _bypass(self, fact: facts.Bypass) -> None:
        self.bypassed.add(fact.table)

    def _restore(self, fact: facts.Restore) -> None:
        self.bypassed.discard(fact.table)

    def _hand(self, fact: facts.Hand) -> None:
        (self.by_hand.add if fact.allowed else self.by_hand.discard)(fact.table)

    def _bell_seen(self, _fact: facts.BellSeen) -> None:
        """Changes nothing; by it the head knows that it has every roll that was made before the bell."""

    # A round.

    def _round_open(self, fact: facts.RoundOpen) -> str | None:
        why = self.why_not_open()
        if why or self.seating is None or self.rules is None:
            return why
        self.epoch = max(self.epoch + 1, fact.epoch or 0)
        ghosts, cards = self.people.ghosts, self.people.cards
        self.round = Round(self.rules, self.epoch, len(self.rounds), self.seating, ghosts, cards)
        self.round.rested, self.resting = self.resting, False
        return None

    def _roll(self, fact: facts.Roll) -> str | None:
        round_ = self.round
        if round_ is None:
            return throws.throw(self, fact)
        why = round_.roll(fact, self.facts)
        if round_.tables[fact.table - 1].phase == FINAL and round_.finished:
            self._finish(round_, fact.t)
        return why

    def _round_close(self, fact: facts.RoundClose) -> str | None:
        if self._running.bell:
            return "the bell has rung already"
        self._running.ring(EndBell(fact.t, "time" if fact.by == "time" else "host", None), self.facts)
        return None

    def _bell(self, fact: facts.BellRang) -> str | None:
        round_ = self._running
        if round_.bell is None:
            return "nothing has rung the bell"
        if round_.rang_at != self.facts - 1:
            return "the bell of this round has rung already"
        round_.ring(EndBell(fact.t, round_.bell.by, round_.bell.player), round_.rang_at)
        return None

    def _bell_void(self, _fact: facts.BellVoid) -> str | None:
        if self._running.bell is None:
            return "the bell has not rung"
        self._running.void_bell()
        return None

    def _round_cancel(self, _fact: facts.RoundCancel) -> None:
        round_ = self._running
        self.round, self.resting = None, round_.rested
        if round_.seated is not None:
            self._seat(list(round_.seated))
        for old, new, ghosts in round_.replaced:  # it had been finished, and people changed since
            self._replace(old, new, ghosts)

    def _undo(self, fact: facts.Undo) -> str | None:
        return self.round.tables[fact.table - 1].undo() if self.round else throws.undo(self, fact)

    def _turn(self, fact: facts.Turn) -> str | None:
        return self._running.turn(fact, self.facts)

    def _confirm(self, fact: facts.Confirm) -> str | None:
        return self._settled(self._running.tables[fact.table - 1].confirm(fact.t), fact.t)

    def _faceoff(self, fact: facts.Faceoff) -> str | None:
        return self._settled(self._running.tables[fact.table - 1].faceoff(*fact.dice, fact.t), fact.t)

    def _decide(self, fact: facts.Decide) -> str | None:
        return self._settled(
            self._running.tables[fact.table - 1].decide(TEAMS.index(fact.winner), fact.t), fact.t
        )

    def _tally(self, fact: facts.Tally) -> str | None:
        return self._running.tables[fact.table - 1].tally(fact.cards, self.facts)

    def _reopen(self, fact: facts.Reopen) -> str | None:
        round_ = self.round or (self.rounds[-1] if self.rounds else None)
        if round_ is None:
            return "no round has been played"
        if self.round is None and (why := stages.why_not_reopen(self)):
            return why
        why = round_.tables[fact.table - 1].reopen()
        if why is None and self.round is None:
            self.round, self._totals = self.rounds.pop(), None
            self.seating = list(round_.seating)
            self.rolled_for_prizes.clear()
            if self.tournament:
                self.tournament.reopened()
        return why

    def _settled(self, why: str | None, t: int) -> str | None:
        """Finishes the round if what just happened at a table was the last thing that it waited for."""
        if self._running.finished:
            self._finish(self._running, t)
        return why

    def _finish(self, round_: Round, t: int) -> None:
        assert self.rules is not None
        self.finished_t = t
        self.rounds.append(round_)
        self.round = self._totals = None
        how = self.rules.move.tables
        seated = round_.seated
        if seated is None:
            seated = seating.move(round_.seating, round_.winners, how, round_.ghosts, self.groups)
        for old, new, ghosts in round_.replaced:
            seated = seating.replace(seated, old, new, ghosts)
        self.seating = seated
        if len(self.rounds) == self.rounds_of_a_set * (self.rules.evening.break_after or 0):
            self.resting, self.break_minutes = True, self.rules.evening.break_minutes
        stages.round_finished(self, t)

    @property
    def _running(self) -> Round:
        assert self.round is not None
        return self.round


_STEPS: dict[type, Callable[[Evening, Any], str | None]] = {
    kind: getattr(Evening, f"_{tag}") for tag, kind in facts.KINDS.items()
}
_AFTER_CLOSE = {facts.EveningReopen, facts.BellSeen, facts.Branch, facts.PrizeDecision, facts.Rolloff}
_OF_A_ROUND = {kind for kind in facts.KINDS.values() if "epoch" in kind.__struct_fields__} - {facts.RoundOpen}
