"""One table in one round: a fold over what counted there.

`entries` are the steps that counted, in log order; everything else about the table follows from them and
from the bell. So taking something back is to fold again without it.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from pi_bunco.game.facts import SeatCard
from pi_bunco.game.fields import Seat, Team
from pi_bunco.game.score import BUNCO, MINI, score
from pi_bunco.game.seating import Names
from pi_bunco.rules import RuleSet

PLAYING, ROLLOFF, FINAL = range(3)
US, THEM = range(2)
TEAMS: tuple[Team, Team] = ("US", "THEM")
SEATS: tuple[Seat, ...] = ("A", "B", "C", "D")

# An entry is (code, t, detail). A code from 0 on is the outcome of a roll and the detail its place in the
# log; the others are these, with the detail behind them.
CONFIRM, TURN, FACEOFF, DECIDE = (
    -1,
    -2,
    -3,
    -4,
)  # 0, the seat, ten times US' face and THEM's, the winning team

_LISTS = ("points", "own", "buncos", "minis")

Entry = tuple[int, int, int]


class Table:
    """The state of table `number` in a round; seats are 0-3 for A-D, teams 0 for US and 1 for THEM."""

    __slots__ = (
        "_goes_on",
        "_rules",
        "_score",
        "_target",
        "_values",
        "base",
        "before_bell",
        "bell_t",
        "buncos",
        "entries",
        "ghosts",
        "ignored",
        "last_bunco",
        "last_taken",
        "latest",
        "minis",
        "number",
        "own",
        "phase",
        "points",
        "rings",
        "rolloffs",
        "rolls",
        "seat",
        "seats",
        "tallied",
        "undone",
        "winner",
    )

    def __init__(
        self,
        number: int,
        seats: Names,
        ghosts: tuple[bool, ...],
        rules: RuleSet,
        target: int,
        base: Mapping[str, Any] | None = None,
    ) -> None:
        """A table where nothing has been rolled yet, or with what `base` sums up (see `snapshot`)."""
        self.number = number
        self.seats = seats
        self.ghosts = ghosts
        self.rings = number == 1 or rules.end.tables == "any"
        self.bell_t: int | None = None
        """When the bell could be heard (ms); None while the round is open."""
        self.before_bell = 0
        """How many rolls had counted when the bell rang."""
        self.latest = 0
        """The greatest time (ms) of any roll of this table; time never falls here."""
        self.undone: list[int] = []
        """Times of the rolls in play that were taken back, oldest first: the next are made in their place."""
        self.ignored = 0
        """Rolls of this round that did not count."""
        self._rules = rules
        self._target = target
        self.base: Mapping[str, Any] = base or {}
        self._score = score(rules, target)
        self._values = self._score.points
        self._goes_on = self._score.goes_on
        self._reset()

    def _reset(self) -> None:
        self.entries: list[Entry] = []
        self.phase = PLAYING
        self.seat = 0
        self.rolls = 0
        """Rolls of the turn in progress; all of them scored, or the turn would be over."""
        self.last_taken: int | None = None
        """The seat of the last turn that had rolls and is over."""
        self.points = [0, 0]
        self.own = [0, 0, 0, 0]
        self.buncos = [0, 0, 0, 0]
        self.minis = [0, 0, 0, 0]
        self.last_bunco: tuple[int, int] | None = None
        """Place in the log and seat of the last Bunco that was marked on a card."""
        self.rolloffs = 0
        self.winner: int | None = None
        self.tallied = False
        """Whether the score comes from paper, so that nothing is left to play."""
        for name, value in self.base.items():
            setattr(self, name, list(value) if name in _LISTS else value)

    def twin(self) -> "Table":
        """The same seats in the same round, with nothing counted yet beyond `base`."""
        return Table(self.number, self.seats, self.ghosts, self._rules, self._target, self.base)

    @property
    def done(self) -> bool:
        """Whether the bell has rung and this table has nothing more to play but a roll-off."""
        if self.bell_t is None or self.phase != PLAYING:
            return False
        if self.tallied:
            return True
        match self._rules.after_bell:
            case "stop":
                return True
            case "finish_turn":
                return self.rolls == 0
            case _:
                return self.rolls == 0 and self.seat == 0 and self.last_taken == 3

    @property
    def final(self) -> bool:
        """Whether the table has a winner."""
        return self.phase == FINAL

    @property
    def one_die(self) -> bool:
        """Whether a roll-off with one die for each team is open."""
        return self.phase == ROLLOFF and self._rules.tie.method == "one_die"

    # What happens at the table: each returns why it does not count, or None.

    def roll(self, outcome: int, t: int, n: int) -> str | None:
        """Three dice settled at `t` (ms) as `outcome`; `n` is the roll's place in the log."""
        if t > self.latest:
            self.latest = t
        else:
            t = self.latest
        replaces = self.phase == PLAYING and bool(self.undone)
        if replaces:
            t = self.undone[0]
        bell_t = self.bell_t
        if bell_t is not None or self.phase == FINAL:
            why = self._refused(t)
            if why:
                self.ignored += 1
                return why
        if replaces:
            self.undone.pop(0)
        self.entries.append((outcome, t, n))
        if self.phase == PLAYING:
            self._play(outcome, n)
        else:
            self._roll_off(outcome, n)
        return None

    def _refused(self, t: int) -> str | None:
        """Why a roll made at `t` does not count now; one that was made in time closes a roll-off again."""
        if self.phase == FINAL:
            return f"table {self.number}'s result is final"
        if self.bell_t is not None and t <= self.bell_t:
            self._close_rolloff()
            return None
        if self.one_die:
            return f"table {self.number} rolls off with one die for each team"
        return f"table {self.number} is done for this round" if self.done else None

    def _close_rolloff(self) -> None:
        if self.phase == ROLLOFF:
            self._fold(self.entries[: self._first(CONFIRM)])

    def undo(self) -> str | None:
        """Takes back the latest counted roll."""
        if self.phase == FINAL:
            return f"table {self.number}'s result is final; reopen it first"
        rolls = self._places_of_rolls()
        if not rolls:
            return f"table {self.number} has no roll to take back"
        last = rolls[-1]
        t = self.entries[last][1]
        if self.bell_t is not None and len(rolls) <= self.before_bell:
            t = min(t, self.bell_t)
            self.before_bell -= 1
        in_play = self._first(CONFIRM) > last
        self._fold(self.entries[:last])
        if in_play:
            self.undone.insert(0, t)
        return None

    def turn(self, seat: int, rolls: int, t: int) -> str | None:
        """Makes it the turn of `seat` and counts the last `rolls` rolls again as that seat's."""
        if self.phase == FINAL:
            return f"table {self.number}'s result is final"
        if self.phase == ROLLOFF:
            return f"table {self.number} is in a roll-off"
        if self.done and not self.undone:
            return f"table {self.number} is done for this round"
        places = self._places_of_rolls()
        if rolls > len(places):
            return f"table {self.number} has rolled less than {rolls} times in this round"
        start = places[-rolls] if rolls else len(self.entries)
        again = [entry for entry in self.entries[start:] if entry[0] >= 0]
        self._fold([*self.entries[:start], (TURN, t, seat), *again])
        return None

    def confirm(self, t: int) -> str | None:
        """The scorekeeper's OK: the result, or the roll-off that a tie needs."""
        if self.phase == FINAL:
            return f"table {self.number}'s result is final already"
        if self.phase == ROLLOFF:
            return f"table {self.number} is in a roll-off"
        if not self.done:
            return f"table {self.number} is still playing"
        self.add((CONFIRM, t, 0))
        return None

    def faceoff(self, us: int, them: int, t: int) -> str | None:
        """One die for each team in a `one_die` roll-off."""
        if not self.one_die:
            return f"table {self.number} has no roll-off with one die open"
        self.latest = max(self.latest, t)
        self.add((FACEOFF, t, 10 * us + them))
        return None

    def decide(self, winner: int, t: int) -> str | None:
        """The host's word."""
        if self.phase == FINAL:
            return f"table {self.number}'s result is final; reopen it first"
        self.add((DECIDE, t, winner))
        return None

    def reopen(self) -> str | None:
        """Puts a final table back to before its result was made."""
        if self.phase != FINAL:
            return f"table {self.number} has no result to reopen"
        self._fold(self.entries[:-1])
        return None

    def tally(self, cards: tuple[SeatCard, ...], n: int) -> str | None:
        """Takes the score that the table kept on paper, seats A to D, in place of all that counted."""
        if self.phase == FINAL:
            return f"table {self.number}'s result is final; reopen it first"
        if self.bell_t is None:
            return f"table {self.number} is still playing; a score on paper is taken after the bell"
        self._close_rolloff()
        buncos = [card.buncos for card in cards]
        marked = [seat for seat in range(4) if buncos[seat] and not self.ghosts[seat]]
        self.base = {
            "seat": self.seat,
            "rolls": self.rolls,
            "last_taken": self.last_taken,
            "points": [cards[team].points + cards[team + 2].points for team in (US, THEM)],
            "own": [card.points for card in cards],
            "buncos": buncos,
            "minis": [card.minis for card in cards],
            "last_bunco": (n, marked[-1]) if marked else None,
            "tallied": True,
        }
        self.undone, self.before_bell = [], 0
        self._reset()
        return None

    # The bell.

    def ring(self, t: int) -> None:
        """The bell that ends the round can be heard from `t` (ms)."""
        self.bell_t = t
        self.before_bell = len(self._places_of_rolls())

    def void(self) -> None:
        """The bell was a false alarm: what only it made possible is taken back, the host's word stays."""
        self.bell_t = None
        self.base = {**self.base, "tallied": False}
        said = [entry for entry in self.entries[-1:] if entry[0] == DECIDE]
        played = self.entries[: len(self.entries) - len(said)]
        self._fold([*played[: self._first(CONFIRM)], *said])

    # The fold.

    def _fold(self, entries: Iterable[Entry]) -> None:
        self._reset()
        for entry in entries:
            self.add(entry)

    def add(self, entry: Entry) -> None:
        """The next step of the fold, which counts whatever the bell says."""
        self.entries.append(entry)
        code, _, detail = entry
        if code >= 0:
            if self.phase == PLAYING:
                self._play(code, detail)
            else:
                self._roll_off(code, detail)
        elif code == CONFIRM:
            self._settle(self._auto_winner())
        elif code == TURN:
            self._begin_turn(detail)
        elif code == FACEOFF:
            us, them = divmod(detail, 10)
            self._settle(None if us == them else US if us > them else THEM)
        else:
            self._settle(detail)

    def _play(self, outcome: int, n: int) -> None:
        seat = self.seat
        if outcome:
            points = self._values[outcome]
            self.points[seat & 1] += points
            self.own[seat] += points
            if outcome >= MINI:
                self._mark(outcome, seat, n)
        if self._goes_on[outcome]:
            self.rolls += 1
        else:
            self.last_taken = seat
            self.seat = (seat + 1) & 3
            self.rolls = 0

    def _mark(self, outcome: int, seat: int, n: int) -> None:
        if outcome == MINI:
            self.minis[seat] += 1
            return
        self.buncos[seat] += 1
        if not self.ghosts[seat]:
            self.last_bunco = (n, seat)

    def _begin_turn(self, seat: int) -> None:
        if self.rolls:
            self.last_taken = self.seat
        self.seat = seat
        self.rolls = 0

    def _roll_off(self, outcome: int, n: int) -> None:
        if self._rules.tie.method == "lap":
            self._play(outcome, n)
        else:
            points = self._score.session[outcome]
            self.points[self.seat & 1] += points
            if points:
                self.rolls += 1
            else:
                self._begin_turn((self.seat + 1) & 3)
        if self.rolls == 0 and self.seat == 0:
            self._settle(self._leader())

    def _settle(self, winner: int | None) -> None:
        """Makes the table final, or opens the next roll-off where nobody has won."""
        if winner is not None:
            self.winner = winner
            self.phase = FINAL
            return
        self.phase = ROLLOFF
        self.rolloffs += 1
        self.seat = 0
        self.rolls = 0

    def _leader(self) -> int | None:
        us, them = self.points
        return None if us == them else US if us > them else THEM

    def _auto_winner(self) -> int | None:
        """Who wins at the first OK: by `winner.auto`, else by the totals."""
        if self._rules.winner.auto:
            us, them = (any(self._shone(seat) for seat in (team, team + 2)) for team in (US, THEM))
            if us != them:
                return US if us else THEM
        return self._leader()

    def _shone(self, seat: int) -> bool:
        enough = self._rules.end.points
        return self.buncos[seat] > 0 or (enough is not None and self.own[seat] >= enough)

    def _first(self, code: int) -> int:
        codes = [entry[0] for entry in self.entries]
        return codes.index(code) if code in codes else len(codes)

    def _places_of_rolls(self) -> list[int]:
        return [place for place, entry in enumerate(self.entries) if entry[0] >= 0]


def rings(rules: RuleSet, table: Table, seat: int, outcome: int) -> Literal["bunco", "points"] | None:
    """What the roll that `seat` just made rings the bell by, "bunco" or "points", if it does."""
    if outcome == BUNCO and rules.end.bunco:
        return "bunco"
    enough = rules.end.points
    if enough is None:
        return None
    total = table.own[seat] if rules.end.points_by == "player" else table.points[seat & 1]
    return "points" if total >= enough else None
