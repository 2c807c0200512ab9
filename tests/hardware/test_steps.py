"""The pictures of what is wired and not soldered, against the pins and the circuits."""

import itertools
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "hardware"))

import sounder_steps  # noqa: E402  (a program's folder, not a package)

from hardware.test_drawings import PICTURES, pins, rows, words  # noqa: E402

# As the circuit has it (sounders.svg), with the contacts open.
NETS = (
    {"battery plus", "F1 in"},
    {"F1 out", "S0 in"},
    {"S0 out", "F2 in", "K4 30"},
    {"F2 out", "S1 in"},
    {"S1 out", "armed", "K1 COM1", "K2 COM2", "K3 15"},
    {"K1 NO1", "bell plus"},
    {"K2 NO2", "4.7 Ω in"},
    {"4.7 Ω out", "converter 22"},
    {"converter 14", "K3 A1"},
    {"converter 16", "K3 A2"},
    {"K3 18", "K4 86"},
    {"K4 87", "horn plus"},
    {"minus", "battery minus", "bell minus", "converter 2", "K4 85", "horn minus"},
)
Piece = tuple[tuple[float, float], tuple[float, float]]


def named(end: str) -> str:
    """The terminal; a bar is one, wherever a wire comes to it."""
    bar = end.rpartition(" ")[0]
    return bar if bar in sounder_steps.BARS else end


def pieces(wire: Any) -> list[Piece]:
    ends = [sounder_steps.terminal(end) for end in wire.ends]
    return list(itertools.pairwise([ends[0], *wire.corners, ends[1]]))


def test_the_12_v_box_is_wired_as_its_circuit_says() -> None:
    found = [{named(end) for end in wire.ends} for wire in sounder_steps.WIRES]
    joined: list[set[str]] = []
    for net in found:
        meets = [one for one in joined if one & net]
        joined = [one for one in joined if not one & net] + [set().union(net, *meets)]
    assert {frozenset(one) for one in joined} == {frozenset(one) for one in NETS}


def test_the_lever_connectors_that_are_bought_take_all_wires() -> None:
    ends = [end.rpartition(" ")[0] for wire in sounder_steps.WIRES for end in wire.ends]
    (row,) = (row for row in rows() if row["part"].startswith("lever connector"))
    assert int(row["horn"]) == len(sounder_steps.BARS)
    assert all(2 <= ends.count(bar) <= 5 for bar in sounder_steps.BARS)


def test_all_that_the_horns_current_and_the_fuse_f1_alone_stand_behind_is_thick() -> None:
    heavy = {"battery", "F1", "S0", "K4 30", "K4 87", "horn", "F2 in"}
    for wire in sounder_steps.WIRES:
        through = any(end in heavy or end.rpartition(" ")[0] in heavy for end in wire.ends)
        assert wire.thick is through, wire
        minus = wire.ends[1] == "K3 A2" or any("minus" in end for end in wire.ends)
        assert (wire.colour == "black") is minus, wire


def test_in_the_picture_no_wire_crosses_another_net() -> None:
    nets = {end: number for number, net in enumerate(NETS) for end in net}
    drawn = [(nets[named(wire.ends[0])], piece) for wire in sounder_steps.WIRES for piece in pieces(wire)]
    drawn += [(nets[name], bar) for name, bar in sounder_steps.BARS.items()]
    for (net, one), (other, two) in itertools.combinations(drawn, 2):
        assert one[0][0] == one[1][0] or one[0][1] == one[1][1], one
        assert net == other or not meet(one, two), (one, two)


def meet(one: Piece, two: Piece) -> bool:
    """True if two pieces, upright or level, touch."""
    return all(
        max(min(a[i], b[i]) for a, b in (one, two)) <= min(max(a[i], b[i]) for a, b in (one, two))
        for i in (0, 1)
    )


def test_a_diode_lies_across_what_it_protects_with_its_ring_at_plus() -> None:
    for name, (_, (plus, minus), path) in sounder_steps.DIODES.items():
        assert path[0][1] < path[-1][1], name  # the ring is drawn at the upper end
        for end, place in ((plus, path[0]), (minus, path[-1])):
            touching = [
                wire for wire in sounder_steps.WIRES for piece in pieces(wire) if meet(piece, (place, place))
            ]
            assert end in {one for wire in touching for one in wire.ends}, (name, end)


def test_every_step_of_the_box_adds_something_and_the_battery_comes_last() -> None:
    steps = [wire.step for wire in sounder_steps.WIRES]
    assert sorted(set(steps)) == list(range(1, len(sounder_steps.SOUNDER_STEPS) + 1))
    assert {wire.step for wire in sounder_steps.WIRES if "battery" in " ".join(wire.ends)} == {max(steps)}


@pytest.mark.parametrize("group", ["panel", "lights", "display", "bell", "horn", "bell_button", "dice"])
def test_every_wire_has_its_step_at_the_header(group: str) -> None:
    said = words(PICTURES / "steps-header.svg")
    for name, line in pins(group).items():
        short = name.replace("panel.", "").replace("_", " ").replace(".", " ")
        says = f"{short}, {line['wire']}"
        pin = line["pin"]
        assert said.count(f"{says}  {pin}" if pin % 2 else f"{pin}  {says}") == 1, name


def test_every_button_has_its_wire_in_the_picture_from_behind() -> None:
    said = words(PICTURES / "steps-panel.svg")
    table = tomllib.loads((ROOT / "hardware/pins.toml").read_text("utf-8"))["panel"]
    for number, (name, line) in enumerate(table.items(), 1):
        assert said.count(f"{line['wire']}: {number}") == 1
        assert said.count(name.upper()) == 4
