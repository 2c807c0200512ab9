"""The people of tonight: players with their cards, and the ghosts on the empty chairs."""

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import count, islice

from pi_bunco.game import reasons
from pi_bunco.reason import Reason

_GHOST = re.compile(r"Ghost [1-9][0-9]{0,5}")


class People:
    """Players in the order of their coming; a card is a number that outlives the names on it."""

    def __init__(self, players: Sequence[str], ghosts: Sequence[str] | None = None) -> None:
        self.present = list(players)
        self.ghosts: list[str] = []
        self.holders = list(players)
        """Per card who holds it now; who has left still does."""
        self.cards = {name: card for card, name in enumerate(players)}
        """The card of each name that holds one."""
        for ghost in ghosts if ghosts is not None else [""] * (-len(players) % 4):
            self.ghosts.append(ghost or self._free_ghost())

    @property
    def chairs(self) -> int:
        """Number of taken seats, by players and ghosts."""
        return len(self.present) + len(self.ghosts)

    def why_not_leave(self, player: str) -> Reason | None:
        """The reason why `player` cannot leave."""
        return None if player in self.present else reasons.NotPlaying(player)

    def leave(self, player: str) -> str:
        """`player` goes, the card is kept; returns the new ghost."""
        ghost = self._free_ghost()
        self.present.remove(player)
        self.ghosts.append(ghost)
        return ghost

    def leave_unseated(self, player: str) -> None:
        """`player`, who has no seat, goes; the card is kept."""
        self.present.remove(player)

    def free(self, ghost: str) -> None:
        """Somebody who is here has the seat of `ghost` from now on."""
        self.ghosts.remove(ghost)

    def why_not_arrive(self, player: str) -> Reason | None:
        """The reason why `player` cannot take a ghost's seat."""
        if player in self.present or player in self.ghosts:
            return reasons.PlayingAlready(player)
        return None if self.ghosts else reasons.EverySeatTaken((player,))

    def arrive(self, player: str) -> str:
        """`player` comes, or comes back to the old card; returns the ghost whose seat that is."""
        ghost = min(self.ghosts, key=_number)
        self.ghosts.remove(ghost)
        self._come(player)
        return ghost

    def why_not_substitute(self, out: str, new: str) -> Reason | None:
        """The reason why `new` cannot take over from `out`."""
        if out in self.ghosts:
            return reasons.GhostLeaves(out, new)
        if out not in self.present:
            return reasons.NotPlaying(out)
        if new in self.present or new in self.ghosts:
            return reasons.PlayingAlready(new)
        return reasons.HasCard(new) if new in self.cards else None

    def substitute(self, out: str, new: str) -> None:
        """`new` takes over seat, card and bag of `out`."""
        card = self.cards.pop(out)
        self.cards[new] = card
        self.holders[card] = new
        self.present[self.present.index(out)] = new

    def is_ghost(self, name: str) -> bool:
        """A seating means a ghost by `name`: `Ghost 3`, unless a player is called so."""
        return name not in self.cards and (name in self.ghosts or bool(_GHOST.fullmatch(name)))

    def sit_down(self, names: Sequence[str]) -> None:
        """`names` are on the chairs from now on: ghosts, who was here, and guests who come or come back."""
        self.ghosts = [name for name in names if self.is_ghost(name)]
        for name in names:
            if name not in self.present and name not in self.ghosts:
                self._come(name)

    def ghosts_for(self, players: Sequence[str]) -> list[str]:
        """The ghosts that fill the tables of `players`, by name."""
        return list(islice(_free_ghosts({*self.cards, *players}), -len(players) % 4))

    def _come(self, player: str) -> None:
        self.present.append(player)
        if player not in self.cards:
            self.cards[player] = len(self.holders)
            self.holders.append(player)

    def _free_ghost(self) -> str:
        return next(_free_ghosts({*self.ghosts, *self.holders}))


def _free_ghosts(taken: Collection[str]) -> Iterator[str]:
    return (name for k in count(1) if (name := f"Ghost {k}") not in taken)


def _number(ghost: str) -> tuple[int, str]:
    last = ghost.rpartition(" ")[2]
    return (int(last) if last.isdecimal() and len(last) < 7 else len(ghost) + 10**6, ghost)
