"""The evening: the state that follows from the facts so far, and what can be asked of it.

Nothing here knows a clock, a network or chance. `apply` takes the facts.
"""

from collections.abc import Collection

from pi_bunco.game import facts, reasons
from pi_bunco.game.people import People
from pi_bunco.game.round import Round
from pi_bunco.game.score_cards import Card, totals
from pi_bunco.game.seating import SeatNames, Seats
from pi_bunco.game.ties import Ties
from pi_bunco.game.tournament import Tournament
from pi_bunco.reason import Reason
from pi_bunco.rules import RuleSet
from pi_bunco.rules.ruleset import BAG


class Evening:
    """All that is played in one go; a new one still waits for its `evening` fact."""

    def __init__(self) -> None:
        self.id = ""
        self.rules: RuleSet | None = None
        self.people = People(())
        self.seats = Seats()
        self.round: Round | None = None
        """The running round."""
        self.rounds: list[Round] = []
        """The finished rounds, oldest first."""
        self.epoch = 0
        """Number of the latest round that was opened, cancelled ones counted."""
        self.facts = 0
        """Number of facts that were applied."""
        self.resting = False
        self.break_minutes: int | None = None
        self.closed = False
        self._totals: dict[int, dict[int, Card]] = {}
        """The cards of the finished rounds from the one of this index on, once somebody has asked."""
        self.abandoned: Round | None = None
        """The round that was running when the evening was closed; it goes on if the evening does."""
        self.tournament: Tournament | None = None
        """The tournament as it stands, if the evening is one."""
        self.pot: str | None = None
        """The money that is played for, as decimal text."""
        self.teams: tuple[str, ...] = ()
        """Names of the tables, where they are teams and somebody has named them."""
        self.things: tuple[str, ...] = ()
        """Things that somebody holds under these rules."""
        self.brought: dict[str, str] = {}
        """Per thing from the night before who brings it."""
        self.payers: set[int] = set()
        """The cards of who has paid the stake."""
        self.seed = ""
        """Every draw of the evening depends on it."""
        self.ties = Ties(self.people)
        self.finished_t = 0
        """The time at which the latest round was finished (ms)."""
        self.seated_t = 0
        """The time at which the host or a stage gave everybody a seat last (ms)."""
        self.phase_t = 0
        """The time at which the latest round or break began that the host or the clock has begun (ms)."""
        self.pace: facts.Pace | None = None
        """The evening by the clock, as the host said last."""
        self.bypassed: set[int] = set()
        """Tables whose equipment nobody waits for."""
        self.bypassed_by_time: set[int] = set()
        """Those of them that the clock has left out: they were missing when a round was due."""
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
        """Nothing more can be played: all sets are, or the evening is closed."""
        return self.closed or self.played

    @property
    def played(self) -> bool:
        """Every round has been played."""
        if self.rules is None or self.tournament:
            return self.tournament is not None and self.tournament.stage == "done"
        return len(self.rounds) >= self.rules.evening.rounds

    @property
    def ruleset(self) -> RuleSet:
        """The rules, where it is known that there are some."""
        assert self.rules is not None
        return self.rules

    @property
    def running(self) -> Round:
        """The running round, where it is known that one is."""
        assert self.round is not None
        return self.round

    @property
    def rounds_of_a_set(self) -> int:
        """Rounds of a set."""
        return len(self.rules.evening.faces) if self.rules else 0

    @property
    def rounds_in_all(self) -> int:
        """Rounds of the evening: those of the sets, and of the semi-final once it has begun."""
        if self.tournament is None or self.tournament.stage in ("groups", "qualification"):
            return self.rules.evening.rounds if self.rules else 0
        return self.tournament.first + self.rounds_of_a_set

    def why_not_open(self) -> Reason | None:
        """The reason why no round can be opened now, as far as the game goes."""
        if self.rules is None:
            return reasons.NoEveningOpen()
        if self.round:
            return reasons.RoundRuns()
        if self.over:
            return reasons.LastRoundPlayed()
        if self.seating is None:
            return reasons.NobodySeated()
        if self.tournament and (why := self.tournament.why_not_open()):
            return why
        ghosts = set(self.people.ghosts)
        empty = [number for number, names in enumerate(self.seating, 1) if ghosts.issuperset(names)]
        return reasons.OnlyGhosts(empty[0]) if empty else None

    def why_not_reopen(self) -> Reason | None:
        """The reason why the latest round cannot go on any more."""
        if not self.rounds:
            return reasons.NoRoundPlayed()
        return self.tournament.why_not_reopen(len(self.rounds)) if self.tournament else None

    @property
    def why_draw_anew(self) -> Reason | None:
        """The reason for the host to draw the seats anew between rounds; None if there is none."""
        if self.round or self.over or not self.rounds or self.seating is None:
            return None
        ghosts = set(self.people.ghosts)
        if len(ghosts) >= 4:
            return reasons.ChairsEmpty(len(ghosts))
        if len(ghosts.intersection(self.seating[0])) > 2:
            return reasons.FewAtHeadTable()
        return None

    @property
    def seating(self) -> list[SeatNames] | None:
        """The present seating, between rounds the next one; None before the draw."""
        return self.seats.tables

    @property
    def kept_apart(self) -> Collection[str]:
        """Ghosts of whom no two are a team where that can be."""
        return self.people.ghosts if self.rules and self.rules.team == "pairs" else ()

    @property
    def tables(self) -> int:
        """Number of tables that play."""
        if self.round:
            return len(self.round.seating)
        return self.people.chairs // 4 if self.seating is None else len(self.seating)

    @property
    def playing(self) -> list[str]:
        """People with a seat: everybody who is here, in the semi-final those who qualified."""
        if self.tournament is None or self.tournament.stage in ("groups", "qualification"):
            return self.people.present
        seated = {name for names in self.seating or () for name in names}
        return [name for name in self.people.present if name in seated]

    @property
    def standings(self) -> dict[str, Card]:
        """Cards of the finished rounds by name; who left is still in, ghosts never are."""
        counted = self.totals()
        cards = {name: counted.get(card, Card()) for card, name in enumerate(self.people.holders)}
        for bonus in self.rules.bonus if self.rules and self.played else ():
            if (name := self.holder(bonus.thing)) in cards:
                cards[name] = cards[name].plus(Card(points=bonus.points))
        return cards

    def totals(self, first: int = 0) -> dict[int, Card]:
        """Cards of the finished rounds from the one of index `first` on."""
        if first not in self._totals:
            self._totals[first] = totals(self.rounds[first:])
        return self._totals[first]

    @property
    def stage_cards(self) -> dict[str, Card]:
        """The cards of who is here, of the groups' rounds and from the semi-final on of its rounds."""
        tournament, people = self.tournament, self.people
        assert tournament is not None
        later = tournament.stage not in ("groups", "qualification") and len(self.rounds) > tournament.first
        counted = self.totals(tournament.first if later else 0)
        return {name: counted.get(people.cards[name], Card()) for name in people.present}

    @property
    def traveler(self) -> str | None:
        """The holder of the traveling bag; None where none travels or nobody has got it yet."""
        return self.holder(BAG)

    def holder(self, thing: str) -> str | None:
        """The holder of a thing that is handed on; None while nobody has got it."""
        if thing not in self.things:
            return None
        last = self.round or self.abandoned
        rounds = [*self.rounds, last] if last else self.rounds
        cards = (round_.handed(thing) for round_ in reversed(rounds))
        handed = next((self.people.holders[card] for card in cards if card is not None), None)
        return handed or self.brought.get(thing)

    @property
    def staged(self) -> Tournament | None:
        """The tournament while its stages go on; None in any other evening, and once it is over."""
        return None if self.over else self.tournament

    @property
    def grand_prize(self) -> str | None:
        """Winner of the final table of a tournament, once the host has confirmed its end."""
        return self.tournament.winner if self.tournament and self.tournament.stage == "done" else None

    # What happens; the facts beside the rounds say why they change nothing.

    def not_entered(self) -> None:
        """The last fact, which changed nothing, gets no place in the log."""
        self.facts -= 1

    def begin(self, fact: facts.EveningOpen, rules: RuleSet) -> None:
        """The players are there, and play by `rules`."""
        self.id = fact.id
        self.rules = rules
        self.people = People(fact.players, fact.ghosts)
        self.ties = Ties(self.people)
        self.seats = Seats(fact.groups)
        self.pot = fact.pot
        self.things = rules.things
        self.brought = dict(fact.holders or {})
        self.seed = fact.id if fact.seed is None else str(fact.seed)
        self.phase_t = fact.t
        self.tournament = Tournament(self.seed) if rules.tournament else None

    def sit_down(self, names: list[str], t: int, teams: tuple[str, ...] | None = None) -> None:
        """Everybody gets a seat at `t` (ms); tables that are teams have these names (None: as before)."""
        self.people.sit_down(names)
        self.seated_t = t
        self.teams = self.teams if teams is None else teams

    def substitute(self, out: str, new: str) -> None:
        """Somebody takes over from a player, and what the player brought."""
        self.people.substitute(out, new)
        self.brought = {thing: new if name == out else name for thing, name in self.brought.items()}

    def advance(self, tournament: Tournament) -> None:
        """The tournament stands so from now on."""
        self.tournament = tournament

    def close(self, _fact: facts.EveningClose) -> None:
        """The evening is over; its round is kept."""
        self.closed = True
        self.abandoned, self.round = self.round, None

    def reopen(self, fact: facts.EveningReopen) -> Reason | None:
        """The evening goes on where it was when it was closed."""
        if not self.closed:
            return reasons.EveningNotClosed()
        self.closed, self.phase_t = False, fact.t
        self.round, self.abandoned = self.abandoned, None
        return None

    def pay(self, fact: facts.StakePaid) -> Reason | None:
        """A player has paid the stake, or has not."""
        card = self.people.cards.get(fact.player)
        if card is None:
            return reasons.NoCard(fact.player)
        (self.payers.add if fact.paid else self.payers.discard)(card)
        return None

    def rest(self, minutes: int | None) -> None:
        """A break, of `minutes` if that is known."""
        self.resting, self.break_minutes = True, minutes

    def pause(self, fact: facts.Pause) -> None:
        """The host's word for a break; in a round there is none, and the head asks for none."""
        if self.round is None:
            self.phase_t = fact.t
            self.rest(fact.minutes)

    def resume(self, fact: facts.Resume) -> Reason | None:
        """The break is over."""
        if not self.resting:
            return reasons.NoBreak()
        self.resting, self.phase_t = False, fact.t
        return None

    def keep_pace(self, fact: facts.Pace) -> None:
        """The evening goes by the clock as the host says."""
        self.pace = fact

    def bypass(self, fact: facts.Bypass) -> None:
        """The round goes on without a table's equipment."""
        self.bypassed.add(fact.table)
        (self.bypassed_by_time.add if fact.by == "time" else self.bypassed_by_time.discard)(fact.table)

    def restore(self, fact: facts.Restore) -> None:
        """A table's equipment is waited for again."""
        self.bypassed.discard(fact.table)
        self.bypassed_by_time.discard(fact.table)

    def hand(self, fact: facts.Hand) -> None:
        """Allows rolls by hand at a table, or ends that."""
        (self.by_hand.add if fact.allowed else self.by_hand.discard)(fact.table)

    def open_round(self, fact: facts.RoundOpen) -> Reason | None:
        """A round begins where everybody sits, and ends a break."""
        if why := self.why_not_open():
            return why
        assert self.seating is not None
        self.epoch, self.phase_t = max(self.epoch + 1, fact.epoch or 0), fact.t
        self.round = Round(
            self.ruleset, self.epoch, len(self.rounds), self.seating, self.people.ghosts, self.people.cards,
            self.resting,
        )  # fmt: skip
        self.resting = False
        return None

    def finish_round(self, t: int) -> None:
        """The running round is final at all tables: everybody moves."""
        round_ = self.running
        self.rounds.append(round_)
        self.round, self._totals, self.finished_t = None, {}, t
        tables = len(round_.tables)
        round_.rank_tables(self.seats.groups or [range(1, tables + 1)])
        how = "nobody" if round_.rules.team == "table" else round_.rules.move.tables
        ghosts = round_.ghosts if round_.rules.team == "pairs" else ()
        self.seats.move(round_.seating, round_.winners, how, ghosts)

    def void_bell(self, fact: facts.BellVoid) -> Reason | None:
        """The bell of the running round was false; for the clock the time since then has not passed."""
        round_ = self.running
        if round_.bell is None:
            return reasons.BellNotRung()
        self.phase_t += max(fact.t - round_.bell.t, 0)
        round_.void_bell()
        return None

    def reopen_round(self) -> None:
        """The latest round goes on."""
        self.round, self._totals = self.rounds.pop(), {}
        for table in self.round.tables if self.round.rules.team == "table" else ():
            table.rank(None)
        self.seats.back_to(self.round.seating)

    def cancel_round(self, fact: facts.RoundCancel) -> None:
        """The running round never happened: the same seats, the same target again."""
        self.round, self.resting, self.phase_t = None, self.running.rested, fact.t
        self.seats.stay()
