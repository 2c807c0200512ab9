"""The dice box at seven GPIO lines (firmware/README.md): faces on a shared bus, a strobe per die.

Each face is told twice, by other wires the second time, and each face wire rises alone at the start of a
throw: a wire that is loose, shorted or swapped is a fault with a name and never a wrong roll.
"""

import math
from collections import deque
from collections.abc import Iterable, Iterator, Mapping

from pi_bunco.devices.gpio.decoding import Change
from pi_bunco.devices.protocols import DICE, DiceEvent, DieState
from pi_bunco.devices.throws import reasons, strobes
from pi_bunco.devices.throws.filtered_lines import FilteredLines
from pi_bunco.devices.throws.throw_rule import LIMIT_MS, Throws
from pi_bunco.reason import Reason

QUIET_MS = 100.0
"""A die that waits to be told is strobed within that of the last strobe (20 by the protocol)."""
GRACE_MS = 1000.0
"""Three dice that settled at the last moment are told within that."""
LATE_STROBE_MS = 2000.0
"""A strobe within that after a throw was closed belongs to it."""
NO_STROBE_MS = 1500.0
"""While `rolling` stays high, a throw is over when nothing was strobed for that long."""
RISES_KEPT = 32
STROBES = ("strobe1", "strobe2", "strobe3")
BUS = (*strobes.BITS, *STROBES, "rolling")


class BusDice(FilteredLines):
    """The box's seven lines; `places` says of each where it is to be found.

    `rolling` tells that some die tumbles, not which: a throw opens with it, and ends when it is low, all
    three dice have been told, and no other strobe can be under way; of each die the last face counts. If
    anything that was strobed meanwhile is no face, the throw is void.
    """

    def __init__(self, places: Mapping[str, str] | None = None) -> None:
        super().__init__(BUS)
        self._places = places or {}
        self._throws = Throws()
        self._strobes = strobes.Strobes()
        self._proof = strobes.Proof()
        self._begun_before = False
        self._rises: dict[str, deque[float]] = {name: deque(maxlen=RISES_KEPT) for name in BUS}
        self._faces: dict[int, strobes.StrobedFace] = {}
        self._bad: list[strobes.BadStrobe] = []
        self._fell: float | None = None
        self._closed = -math.inf
        self._stuck = False

    def change(self, change: Change) -> Iterator[DiceEvent]:
        """The events that follow from a change; the proof of dice that roll already was missed."""
        self._begun_before |= change.already and change.name == "rolling"
        yield from super().change(change)

    @property
    def _rolls(self) -> bool:
        return self.filters["rolling"].on

    def _ended_by(self, at: float) -> bool:
        return self._throws.open and not self._rolls and self._fell is not None and self._fell <= at

    def _dues(self) -> list[float]:
        dues = self._strobes.dues()
        if (opened := self._throws.opened) is not None:
            dues.append(opened + LIMIT_MS + GRACE_MS)
            if (end := self._end(opened)) is not None:
                dues.append(end)
        return dues

    def _end(self, opened: float) -> float | None:
        """Time (ms) at which the throw ends unless something changes before."""
        last = max(self._strobes.last, opened)
        if self._strobes.busy or (self._rolls and not self._stuck):
            return None
        if self._stuck:
            return last + NO_STROBE_MS
        fell = opened if self._fell is None else self._fell
        if self._bad:
            return max(last, fell) + QUIET_MS
        if len(self._faces) < len(DICE):
            return None
        if self._fell is not None and min(face.at for face in self._faces.values()) > fell:
            return last  # every die was told after all had settled: there is nothing to wait for
        return max(last, fell) + QUIET_MS

    def _became(self, name: str, on: bool, began: float) -> Iterator[DiceEvent]:
        if name == "rolling":
            yield from self._rolling(on, began)
        elif name in strobes.BITS:
            self._proof.became(name, on, began)
            if self._throws.open and (dice := self._strobes.high):
                self._bad.append(strobes.BadStrobe(dice, reasons.UnderStrobe((name,))))
        else:
            die = int(name[-1])
            if on:
                self._try_proof()
            strobe = self._strobes.rise(die, began) if on else self._strobes.fall(die, began)
            if strobe is not None:
                yield from self._strobed(strobe, began)
        if on:
            self._rises[name].append(began)

    def _try_proof(self) -> None:
        """Checks that each face wire has risen alone before the first strobe of a throw."""
        if self._throws.open and not self._proof.tried:
            self._proof.tried = True
            if not self._begun_before and (blame := self._proof.blame()) is not None:
                self._bad.append(strobes.BadStrobe((), blame))

    def _rolling(self, on: bool, began: float) -> Iterator[DiceEvent]:
        if on:
            if self._throws.open:
                yield from self._rose_again(began)
            yield from self._open(began)
            return
        self._fell, self._stuck = began, False
        for die in DICE if not self._throws.open else ():
            if self._states.get(die) == "fault":
                yield from self.state(die, "ok")

    def _rose_again(self, began: float) -> Iterator[DiceEvent]:
        """Starts anew for dice that tumble again, or seem to; faces of before never mix with later ones."""
        whole = len(self._faces) == len(DICE) and not self._strobes.busy
        if whole and not self._bad:
            yield from self._finish(began)
        elif self._fell is not None and began - self._fell < strobes.PAIR_MS:
            self._bad.append(strobes.BadStrobe((), reasons.LostContact(("rolling",))))
        elif self._bad:
            yield from self._finish(began)
        elif self._fell is not None:
            yield from self._unheard(began)

    def _happens(self, now: float) -> Iterator[DiceEvent]:
        levels = {bit: self.filters[bit].on for bit in strobes.BITS}
        for bad in self._strobes.happens(now, levels):
            yield from self._strobed(bad, now)
        opened = self._throws.opened
        if opened is None:
            return
        if (end := self._end(opened)) is not None and end <= now:
            yield from self._finish(now)
        elif now >= opened + LIMIT_MS + GRACE_MS:
            yield from self._give_up(opened + LIMIT_MS)

    def _strobed(self, strobe: strobes.StrobedFace | strobes.BadStrobe, at: float) -> Iterator[DiceEvent]:
        """Takes a face, or an invalid one, for the open throw or one that it opens."""
        late = at - max(self._closed, self._fell or self._closed) < LATE_STROBE_MS
        if not self._throws.open and not self._stuck and (self._rolls or late):
            return
        yield from self._open(strobe.at if isinstance(strobe, strobes.StrobedFace) else at)
        self._proof.tried = True
        if isinstance(strobe, strobes.BadStrobe):
            self._bad.append(strobe)
        else:
            self._faces[strobe.die] = strobe

    def _open(self, at: float) -> Iterator[DiceEvent]:
        if not self._throws.open:
            self._fell = None
            self._proof.begin(at)
            for die in DICE:
                yield from self._throws.tumbled(die, at)

    def _finish(self, now: float) -> Iterator[DiceEvent]:
        """Ends the throw: all three settled, the last of them when `rolling` fell, or something was wrong."""
        if self._begun_before:
            yield from self._throws.void(reasons.ThrownUnread(), now)
            self._forget(now)
            return
        if (blame := self._blame()) is not None:
            dice = {die for bad in self._bad for die in bad.dice} or set(DICE)
            yield from self._void(sorted(dice), "fault", blame, now)
            return
        settled = max(face.at for face in self._faces.values())
        if self._fell is not None:
            settled = min(settled, self._fell)
        if settled > (self._throws.opened or settled) + LIMIT_MS:
            yield from self._throws.void(reasons.SettledTooLate(), settled)
        for die, face in sorted(self._faces.items()):
            yield from self.state(die, "ok")
            yield from self._throws.settled(die, face.face, settled)
        self._forget(now)

    def _blame(self) -> reasons.Blame | None:
        """The fault of the throw, as exactly as its lines tell; None if there is none."""
        rises = {name: at for name, at in self._rises.items() if at}
        if self._stuck:
            return reasons.StayedHigh(("rolling",))
        if not self._bad:
            if not self._rises["rolling"]:
                return reasons.NeverRose(("rolling",))
            return strobes.touching(rises, 2, ("rolling",))
        named = strobes.touching(rises, 1, ("rolling", *STROBES))
        if not self._proof.values:  # the strobes alone make two wires that touch of two faces
            return named or self._bad[0].blame
        named = named or strobes.constant([*self._proof.values, *self._strobes.values])
        return named or max((bad.blame for bad in self._bad), key=lambda blame: len(blame.wires))

    def _give_up(self, at: float) -> Iterator[DiceEvent]:
        missing = [die for die in DICE if die not in self._faces]
        if self._rolls and self._fell is None:
            self._stuck = True
            yield from self._void(DICE, "fault", reasons.StayedHigh(("rolling",)), at)
        elif missing and not self._bad:
            yield from self._unheard(at)
        elif (blame := self._blame() if self._bad else None) is not None:
            dice = {die for bad in self._bad for die in bad.dice}
            yield from self._void(sorted(dice), "fault", blame, at)
        else:
            yield from self._throws.void(reasons.SettledTooLate(), at)
            self._forget(at + GRACE_MS)

    def _unheard(self, at: float) -> Iterator[DiceEvent]:
        missing = [die for die in DICE if die not in self._faces]
        lines = tuple(f"strobe{die}" for die in missing)
        if high := tuple(line for line in lines if self.filters[line].on):
            yield from self._void(missing, "fault", reasons.StayedHigh(high), at)
            return
        lines = tuple(line for line in lines if not self._rises[line]) or lines
        lines += () if self._rises["rolling"] else ("rolling",)
        yield from self._void(missing, "unheard", reasons.NeverRose(lines), at)

    def _void(
        self, dice: Iterable[int], state: DieState, blame: reasons.Blame, at: float
    ) -> Iterator[DiceEvent]:
        listed = tuple(dice)
        places = [f"{wire}: {self._places[wire]}" for wire in blame.wires if wire in self._places]
        why = f"{blame.english()} ({', '.join(places)})" if places else blame.english()
        for die in listed:
            yield from self.state(die, state, why)
        match listed:
            case [die]:
                void: Reason = reasons.WiresOfDie(die, blame)
            case [one, other]:
                void = reasons.WiresOfTwo(one, other, blame)
            case _:
                void = reasons.WiresOfDice(blame)
        yield from self._throws.void(void, at)
        self._forget(at)

    def _forget(self, now: float) -> None:
        self._closed = now
        self._begun_before = False
        self._bad.clear()
        self._faces.clear()
        self._strobes.clear()
        for rises in self._rises.values():
            rises.clear()
