"""A stripboard: where its strips are cut, what sits in which hole, and whether that is the circuit.

A hole is (row, column), both from 1, seen from the component side; each row is one copper strip. Pure.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

Hole = tuple[int, int]
Net = Mapping[str, Iterable[str]]
"""The pins, as `R1.1`, that each net joins, by the net's name."""


@dataclass(frozen=True)
class Placed:
    """A part on the board: its name, its value, what it looks like, and the hole of each of its pins."""

    name: str
    value: str
    kind: str
    pins: Mapping[str, Hole]


@dataclass
class Stripboard:
    """A board of `rows` strips with `columns` holes each."""

    name: str
    title: str
    rows: int
    columns: int
    parts: list[Placed] = field(default_factory=list)
    cuts: set[Hole] = field(default_factory=set)
    links: list[tuple[Hole, Hole]] = field(default_factory=list)

    def put(self, name: str, value: str, kind: str, **pins: Hole) -> None:
        """Puts a part into holes; a pin `_1` is called `1`."""
        self.parts.append(Placed(name, value, kind, {pin.lstrip("_"): hole for pin, hole in pins.items()}))

    def pad(self, name: str, hole: Hole) -> None:
        """A hole to which a wire from elsewhere is soldered."""
        self.put(name, "", "pad", _1=hole)

    def terminals(self, hole: Hole, names: Iterable[str]) -> None:
        """Screw terminals down one column, two rows each; two make one block."""
        row, column = hole
        for place, name in enumerate(names):
            self.put(name, "", "terminal", _1=(row + 2 * place, column))

    def cut(self, column: int, *rows: int) -> None:
        """Cuts these strips at one column."""
        self.cuts |= {(row, column) for row in rows}

    def link(self, begin: Hole, end: Hole) -> None:
        """An insulated wire between two holes, on the component side."""
        self.links.append((begin, end))

    def pins(self) -> dict[str, Hole]:
        """The hole of each pin of each part."""
        return {f"{part.name}.{pin}": hole for part in self.parts for pin, hole in part.pins.items()}

    def piece(self, hole: Hole) -> Hole:
        """The first hole of the piece of strip on which the hole is."""
        row, column = hole
        while column > 1 and (row, column - 1) not in self.cuts:
            column -= 1
        return row, column

    def joined(self) -> dict[Hole, Hole]:
        """For each piece of strip one that stands for all that links join to it."""
        leader: dict[Hole, Hole] = {}

        def of(piece: Hole) -> Hole:
            while leader.get(piece, piece) != piece:
                piece = leader[piece]
            return piece

        for begin, end in self.links:
            leader[of(self.piece(begin))] = of(self.piece(end))
        holes = [*self.pins().values(), *(end for link in self.links for end in link)]
        return {self.piece(hole): of(self.piece(hole)) for hole in holes}


def problems(board: Stripboard, nets: Net) -> Iterator[str]:
    """Differences from the circuit, and all that cannot be built; nothing if the board is right."""
    pins, joined = board.pins(), board.joined()
    wanted = {pin: net for net, members in nets.items() for pin in members}
    yield from (f"{pin} is on the board only" for pin in pins.keys() - wanted.keys())
    yield from (f"{pin} is in the circuit only" for pin in wanted.keys() - pins.keys())
    ends = [*pins.values(), *(hole for link in board.links for hole in link)]
    yield from (f"hole {hole} is used {count} times" for hole, count in Counter(ends).items() if count > 1)
    yield from (f"hole {hole} is cut and used" for hole in set(ends) & board.cuts)
    for row, column in [*ends, *board.cuts]:
        if not (1 <= row <= board.rows and 1 <= column <= board.columns):
            yield f"hole {(row, column)} is not on the board"
    copper: dict[Hole, set[str]] = {}
    for pin, hole in pins.items():
        copper.setdefault(joined[board.piece(hole)], set()).add(wanted.get(pin, pin))
    yield from (f"{' and '.join(sorted(met))} touch" for met in copper.values() if len(met) > 1)
    pieces = Counter(net for met in copper.values() for net in met)
    yield from (f"{net} is in {count} pieces" for net, count in pieces.items() if count > 1)
    for begin, end in board.links:
        if board.piece(begin) == board.piece(end):
            yield f"the link from {begin} to {end} joins nothing"
