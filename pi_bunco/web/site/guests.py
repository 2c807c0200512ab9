"""The people of the hall: who is to come, who is here; in a store of their own, never in an evening's log."""

import secrets
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from pi_bunco.game.opening import same
from pi_bunco.runtime.store import Schema
from pi_bunco.runtime.writer import Erase, Reports, SqlStatement, Store, load_kept

GuestState = Literal["coming", "late", "here", "stands_in", "left"]
MOST_ASKING = 200
"""People who have told a name that the host does not know; more is somebody's joke."""
MOST_TAPS = 10_000
"""Taps of helpers that are known again."""
SCHEMA = Schema(
    "the list of people",
    0x42756E50,
    1,
    "CREATE TABLE guests (id TEXT PRIMARY KEY, place INTEGER NOT NULL, value BLOB NOT NULL) STRICT;",
)
WRITE = "INSERT INTO guests VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value"
FORGET = "DELETE FROM guests WHERE id = ?"


class CameOn(Struct, frozen=True):
    """An evening on which somebody came: the Unix time (s) of its last word of them; did they owe."""

    at: int
    owed: bool = False


class HallGuest(Struct, frozen=True):
    """Somebody of the hall, and how it is with them tonight.

    Of the hall: `name`, `spelt` (other spellings that this person told), `visits`. Of tonight: `state`, None
    for who is not expected; `at` is when who is late comes, `since` the Unix time (s) of the state; `asks`:
    the name was told at the door, and the host has not taken it yet; `paid` is None where nobody told it,
    `team` and `wish` (with whom to sit) are of a roster.
    """

    id: str
    name: str
    state: GuestState | None = "coming"
    at: str = ""
    since: int = 0
    asks: bool = False
    spelt: tuple[str, ...] = ()
    visits: tuple[CameOn, ...] = ()
    team: str = ""
    wish: str = ""
    paid: bool | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The name as it stands on the list, and as else it was told."""
        return self.name, *self.spelt

    @property
    def owes(self) -> bool:
        """Tonight's money, or that of an evening before, is not paid."""
        return self.paid is False or any(visit.owed for visit in self.visits)


class GuestBook(Store):
    """All people of the hall, by id, in the order in which they were first named."""

    def __init__(self, path: Path, reports: Reports) -> None:
        """Reads the list; `DamagedError` or `StoreError` if it cannot be read."""
        super().__init__(path, SCHEMA, load_kept(path, SCHEMA), reports)
        found = self._rows("SELECT place, value FROM guests ORDER BY place") if path.exists() else []
        people = [msgspec.json.decode(value, type=HallGuest) for _, value in found]
        self.people: dict[str, HallGuest] = {guest.id: guest for guest in people}
        self._taps: dict[str, None] = {}
        self._last = max((place for place, _ in found), default=0)
        self._ids = {same(name): guest.id for guest in people for name in guest.names}

    def of(self, name: str) -> HallGuest | None:
        """The guest of that name, however it is spelt."""
        return self.people.get(self._ids.get(same(name), ""))

    def tonight(self) -> tuple[HallGuest, ...]:
        """Guests who are expected, or were there."""
        return tuple(guest for guest in self.people.values() if guest.state)

    def absent(self) -> tuple[HallGuest, ...]:
        """Guests of the hall who are not expected tonight."""
        return tuple(guest for guest in self.people.values() if not guest.state)

    def arrive(self, name: str, now: int, known: bool = False) -> HallGuest | None:
        """Somebody says at the door to be here; `known` by the evening. None while too many have asked."""
        guest = self.of(name)
        asks = not known and (guest is None or guest.state is None)
        if guest is not None and guest.state == "here":
            return guest
        if asks and sum(one.asks for one in self.people.values()) >= MOST_ASKING:
            return None
        if guest is not None:
            return self._put(replace(guest, state="here", since=now, asks=guest.asks or asks))
        return self._put(HallGuest(secrets.token_hex(6), name, "here", since=now, asks=asks))

    def mark(self, id: str, state: GuestState, now: int) -> HallGuest:
        """The host says how it is."""
        guest = self.people[id]
        return guest if guest.state == state else self._put(replace(guest, state=state, since=now))

    def take(self, id: str) -> HallGuest | None:
        """The host takes somebody who asked."""
        guest = self.people.get(id)
        return self._put(replace(guest, asks=False)) if guest else None

    def merge(self, id: str, into: str, now: int) -> HallGuest | None:
        """Makes somebody who asked a person of the list, spelt in another way."""
        other, guest = self.people.get(id), self.people.get(into)
        if other is None or guest is None or other is guest:
            return None
        self.forget(id)
        visits = tuple(sorted((*guest.visits, *other.visits), key=lambda visit: visit.at))
        spelt = (*guest.spelt, *other.names)
        return self._put(replace(guest, spelt=spelt, state=other.state, since=now, visits=visits))

    def forget(self, id: str) -> None:
        """Deletes all that is kept of somebody."""
        if guest := self.people.pop(id, None):
            for name in guest.names:
                del self._ids[same(name)]
            self.writer.put(SqlStatement(FORGET, (id,)), Erase())

    def listed(self, names: Iterable[str], late: Mapping[str, str], now: int) -> None:
        """The host's list is this one: who is new comes or is late, who is not on it is not expected."""
        wanted = list(names)
        keys = set(map(same, wanted))
        for guest in list(self.people.values()):
            known = not keys.isdisjoint(map(same, guest.names))
            if not known and not guest.asks and guest.state in ("coming", "late"):
                self._put(replace(guest, state=None, at=""))
        for name in wanted:
            known_as, at = self.of(name), late.get(name, "")
            state: GuestState = "late" if at else "coming"
            if known_as is None:
                self._put(HallGuest(secrets.token_hex(6), name, state, at, now))
                continue
            if known_as.state in ("here", "stands_in", "left"):
                state = known_as.state
            if (known_as.asks, known_as.state, known_as.at) != (False, state, at):
                self._put(replace(known_as, asks=False, state=state, at=at))

    def not_expected(self, id: str) -> None:
        """Somebody who did not come belongs to the hall, but not to tonight."""
        self._put(replace(self.people[id], state=None, at=""))

    def pay(self, id: str) -> None:
        """Somebody pays tonight's money, and what was left of evenings before."""
        guest = self.people[id]
        visits = tuple(replace(visit, owed=False) for visit in guest.visits)
        if guest.paid is not True or visits != guest.visits:
            self._put(replace(guest, paid=True, visits=visits))

    def new_tap(self) -> str:
        """A name for the taps of one page of a helper."""
        return secrets.token_hex(8)

    def has_taken(self, tap: str) -> bool:
        """True for a tap that has done its work: a phone sends it again after a cut. A restart forgets."""
        return tap in self._taps

    def note_tap(self, tap: str) -> None:
        """This tap has done its work."""
        self._taps[tap] = None
        if len(self._taps) > MOST_TAPS:
            del self._taps[next(iter(self._taps))]

    def sign_up(self, name: str, team: str, wish: str, paid: bool | None, now: int) -> None:
        """Somebody of a roster; nobody who is here is sent away, and what was paid stays so."""
        guest = self.of(name) or HallGuest(secrets.token_hex(6), name, "coming", since=now)
        signed = replace(
            guest,
            state=guest.state or "coming",
            asks=False,
            team=team or guest.team,
            wish=wish or guest.wish,
            paid=guest.paid or (guest.paid if paid is None else paid),
        )
        if signed != self.people.get(signed.id):
            self._put(signed)

    def evening_over(self) -> None:
        """Notes who came, expects again whoever was expected, and forgets those who only asked."""
        for guest in self.tonight():
            visits = guest.visits
            if guest.asks and not visits:
                self.forget(guest.id)
                continue
            if guest.state in ("here", "stands_in", "left") and not guest.asks:
                visits = (*visits, CameOn(guest.since, guest.paid is False))
            state: GuestState | None = None if guest.asks else "coming"
            over = replace(guest, state=state, at="", asks=False, visits=visits, team="", wish="", paid=None)
            if over != guest:
                self._put(over)

    def forget_strangers(self) -> None:
        """Deletes whoever is not expected and never came: of a list that was wrong, as a rule."""
        for guest in self.absent():
            if not guest.visits:
                self.forget(guest.id)

    def _put(self, guest: HallGuest) -> HallGuest:
        if guest.id not in self.people:
            self._last += 1
        self.people[guest.id] = guest
        self._ids |= {same(name): guest.id for name in guest.names}
        self.writer.put(SqlStatement(WRITE, (guest.id, self._last, msgspec.json.encode(guest))))
        return guest
