"""One table in one round: which facts it takes, and what its list of entries becomes."""

from dataclasses import dataclass, field, replace
from typing import Any

from game.independent.course import (
    Course,
    Decided,
    Entry,
    FacedOff,
    Okayed,
    Rolled,
    Tallied,
    TurnOf,
    course,
    may_play,
)  # fmt: skip
from game.independent.dice import outcome


def _same(one: list[Entry], other: list[Entry]) -> bool:
    return len(one) == len(other) and all(left is right for left, right in zip(one, other, strict=True))


@dataclass
class Bell:
    """The end bell of the round, and whose roll rang it."""

    t: int
    by: str
    player: str | None


@dataclass
class Table:
    """Entries that count at a table, and the rolls that were undone and not yet replaced, oldest first."""

    number: int
    seats: list[str]
    rules: dict[str, Any]
    target: int
    entries: list[Entry] = field(default_factory=list)
    undone: list[Rolled] = field(default_factory=list)
    first: int = 0
    clock: int = 0
    ignored: int = 0
    _worked_out: tuple[list[Entry], Course] | None = None

    def now(self) -> Course:
        """The standing of the round here; worked out once for what counts now."""
        if self._worked_out is None or not _same(self._worked_out[0], self.entries):
            self._worked_out = list(self.entries), self.course(self.entries)
        return self._worked_out[1]

    def course(self, entries: list[Entry]) -> Course:
        """The course of some of the entries."""
        return course(entries, self.rules, self.order())

    def order(self) -> list[int]:
        """The seats in the order of their turns; under `partner_twice` a ghost's follows its partner's."""
        if self.rules["team"] == "none":
            turns = [(self.first + at) % 4 for at in range(4)]
            return [seat for seat in turns if not self.is_ghost(seat)]
        if self.rules["ghost_turn"] != "partner_twice":
            return [(self.first + at) % 4 for at in range(4)]
        led = [seat for seat in range(4) if self.is_ghost(seat) and not self.is_ghost((seat + 2) % 4)]
        turns = [seat for at in range(4) if (seat := (self.first + at) % 4) not in led]
        return [one for seat in turns for one in (seat, (seat + 2) % 4) if one == seat or one in led]

    def names_bell(self) -> bool:
        """True if this table can ring."""
        return self.number == 1 or self.rules["end.tables"] == "any"

    def mode(self) -> str:
        """The mode of play here after the bell."""
        head = self.rules["after_bell_head"]
        return str(head if head and self.names_bell() else self.rules["after_bell"])

    def plays_on(self) -> bool:
        """True if a roll made after the bell counts."""
        return may_play(self.entries, self.now(), self.mode())

    # what the dice do

    def roll(self, fact: dict[str, Any], line: int, bell: Bell | None) -> Rolled | None:
        """The roll that counts now, or nothing where it does not."""
        self.clock = max(self.clock, fact["t"])
        rolled = self._roll(fact, line, bell)
        if rolled is None:
            self.ignored += 1
        else:
            self.entries.append(rolled)
        return rolled

    def _roll(self, fact: dict[str, Any], line: int, bell: Bell | None) -> Rolled | None:
        now = self.now()
        what = outcome(fact, self.target, self.rules)
        if now.winner or what is None:
            return None
        roll = Rolled(what, self.clock, self.clock, line, line)
        if bell is None:
            return self._replace(roll, in_time=True) if self.undone else roll
        if now.rolloff:
            return self._in_rolloff(roll, bell)
        return self._after_bell(roll, bell, by_hand=fact.get("dice") is None)

    def _in_rolloff(self, roll: Rolled, bell: Bell) -> Rolled | None:
        if roll.time <= bell.t:
            self._close_rolloff()
            roll.at_bell = True
            return roll
        roll.rolloff = True
        return None if self.rules["tie.method"] == "one_die" else roll

    def _after_bell(self, roll: Rolled, bell: Bell, by_hand: bool) -> Rolled | None:
        if by_hand and self.undone:
            at_bell = self._oldest_by_bell(bell)
            if not at_bell and not self.plays_on():
                return None
            roll.at_bell = at_bell
            return self._replace(roll, in_time=True)
        roll.at_bell = roll.time <= bell.t
        if not roll.at_bell and not self.plays_on():
            return None
        return self._replace(roll, in_time=False) if self.undone else roll

    def _replace(self, roll: Rolled, in_time: bool) -> Rolled:
        oldest = self.undone.pop(0)
        roll.origin, roll.rang = oldest.origin, oldest.rang
        if in_time:
            roll.time = oldest.time
        return roll

    def _oldest_by_bell(self, bell: Bell) -> bool:
        return bool(self.undone) and (self.undone[0].at_bell or self.undone[0].time <= bell.t)

    def _close_rolloff(self) -> None:
        self.entries = [
            entry for entry in self.entries
            if not isinstance(entry, Okayed | FacedOff) and not (isinstance(entry, Rolled) and entry.rolloff)
        ]  # fmt: skip

    # what people do

    def _counted(self) -> list[int]:
        """The places in the list of the rolls that can be undone."""
        tallies = [at for at, entry in enumerate(self.entries) if isinstance(entry, Tallied)]
        start = tallies[-1] if tallies else 0
        return [at for at in range(start, len(self.entries)) if isinstance(self.entries[at], Rolled)]

    def begins(self, seat: int) -> bool:
        """A seat has the first turn: before any roll counts, never a ghost's chair."""
        if self.rules["begins"] == "A" or self.is_ghost(seat) or self.now().rolloff or self.now().winner:
            return False
        if any(isinstance(entry, Rolled | Tallied) for entry in self.entries):
            return False
        self.entries = [entry for entry in self.entries if not isinstance(entry, TurnOf)]
        self.first, self._worked_out = seat, None
        return True

    def undo(self) -> bool:
        """Takes the latest counted roll back."""
        counted = self._counted()
        if self.now().winner or not counted:
            return False
        roll = self.entries[counted[-1]]
        assert isinstance(roll, Rolled)
        self.entries = self.entries[: counted[-1]]
        if not roll.rolloff:
            self.undone = sorted([roll, *self.undone], key=lambda one: one.origin)
        return True

    def turn(self, fact: dict[str, Any], bell: Bell | None) -> list[Rolled] | None:
        """The rolls that are counted again, none of them for a mere turn; nothing where it cannot be said."""
        now, rolls = self.now(), fact.get("rolls", 0)
        counted = self._counted()
        if "ABCD".index(fact["seat"]) not in self.order():
            return None
        if now.winner or now.rolloff or len(counted) < rolls:
            return None
        start = counted[-rolls] if rolls else len(self.entries)
        again = [entry for entry in self.entries[start:] if isinstance(entry, Rolled)]
        if not self._rolls_count(bell) and not (self.mode() == "stop" and any(roll.rang for roll in again)):
            return None
        self.entries = [*self.entries[:start], TurnOf("ABCD".index(fact["seat"])), *again]
        return again

    def _rolls_count(self, bell: Bell | None) -> bool:
        return bell is None or self.plays_on() or self._oldest_by_bell(bell)

    def called_out(self, bell: Bell | None) -> Rolled | None:
        """The latest roll, counted anew now that it was called out; nothing where none waits for that."""
        latest = self.entries[-1] if self.entries else None
        if not isinstance(latest, Rolled) or latest.outcome.asked is None or latest.rolloff:
            return None
        if bell is not None and not self.plays_on():
            return None
        anew = replace(latest, outcome=latest.outcome.asked)
        self.entries[-1] = anew
        return anew

    def confirm(self, bell: Bell | None) -> bool:
        """The OK."""
        now = self.now()
        if bell is None or now.winner or now.rolloff or self.plays_on():
            return False
        self.entries.append(Okayed())
        return True

    def face_off(self, fact: dict[str, Any]) -> bool:
        """One die for each team."""
        if not self.now().rolloff or self.rules["tie.method"] != "one_die":
            return False
        if len(fact["dice"]) != (len(self.now().tied) if self.rules["team"] == "none" else 2):
            return False
        self.clock = max(self.clock, fact["t"])
        self.entries.append(FacedOff(fact["dice"]))
        return True

    def decide(self, winner: str) -> bool:
        """The host's word."""
        if self.now().winner or winner not in self.may_win():
            return False
        self.entries.append(Decided(winner))
        return True

    def may_win(self) -> list[str]:
        """Names that the host can choose from; none where the table is a team, no ghost."""
        alone = ["ABCD"[seat] for seat in range(4) if not self.is_ghost(seat)]
        return {"pairs": ["US", "THEM"], "none": alone, "table": []}[self.rules["team"]]

    def tally(self, cards: list[dict[str, int]], line: int, bell: Bell | None) -> bool:
        """A score on paper in place of all that was counted."""
        if bell is None or self.now().winner:
            return False
        self._close_rolloff()
        self.entries.append(Tallied(cards, line))
        self.undone = []
        return True

    def reopen(self) -> bool:
        """Back to before the result was made."""
        if not self.now().winner:
            return False
        self.entries.pop()
        return True

    def bell_rang(self) -> None:
        """All that is in the list was so when the bell rang."""
        for entry in self.entries:
            entry.at_bell = True

    def bell_void(self) -> None:
        """OKs and roll-offs since are taken back."""
        self._close_rolloff()
        for entry in [*self.entries, *self.undone]:
            entry.at_bell = False
            if isinstance(entry, Rolled):
                entry.rang = False

    # what it comes to

    def is_ghost(self, seat: int) -> bool:
        """True if nobody sits there."""
        return self.seats[seat].startswith("Ghost ")

    def marked(self, seat: int) -> int | None:
        """The seat whose card gets the marks of a turn."""
        if not self.is_ghost(seat):
            return seat
        partner = (seat + 2) % 4
        return partner if self.rules["ghost_marks"] == "partner" and not self.is_ghost(partner) else None

    def card_of(self, line: int, seat: int) -> int | None:
        """The seat whose card has what was marked at a line of the log, on paper or by a roll."""
        tally = self.now().tallied
        if tally and tally.line == line:
            return None if self.is_ghost(seat) else seat
        return self.marked(seat)

    def cards(self) -> list[dict[str, int]]:
        """Points and marks of seats A to D."""
        now = self.now()
        cards = [{"points": points, "buncos": 0, "minis": 0, "one_two_three": 0} for points in now.points]
        for seat in range(4):
            if now.tallied and not self.is_ghost(seat):
                cards[seat]["buncos"] += now.tallied.cards[seat]["buncos"]
                cards[seat]["minis"] += now.tallied.cards[seat]["minis"]
            card = self.marked(seat)
            if card is None:
                continue
            cards[card]["buncos"] += now.buncos[seat]
            cards[card]["minis"] += now.minis[seat]
            cards[card]["one_two_three"] += now.ones_twos_threes[seat]
        for _, seat, mark in now.marks:
            card = self.marked(seat)
            if mark not in ("bunco", "mini") and card is not None:
                word = "wipes" if mark == "wipe" else mark
                cards[card][word] = cards[card].get(word, 0) + 1
        return cards
