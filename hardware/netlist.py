"""The circuits as nets: which pins of which parts are joined, from `pins.toml` and the dice box's `board.py`.

Written from the circuit drawings, not from the stripboards, which are compared with it.
"""

import re
from collections import Counter

from header import FIVE_VOLTS, GROUND, PICO, THREE_VOLTS, dice_box, leds, lines, pico
from lights import OUTPUTS

Nets = dict[str, list[str]]


def nets() -> dict[str, Nets]:
    """The nets of each board by its name."""
    return {
        "input": input_board(),
        "lights": lights_board(),
        "relays": relay_board(),
        "dice-box": dice_board(),
        "die": die_board(),
        "divider": divider_board(),
        "bell-board": bell_board(),
        "dice-board": dice_board_of_one(),
        "table-hat": table_hat(),
    }


def merged(*several: Nets) -> Nets:
    """Nets of one name as one."""
    found: Nets = {}
    for nets in several:
        for name, pins in nets.items():
            found[name] = [*found.get(name, []), *pins]
    return found


def input_board() -> Nets:
    """A channel for each button: R1 and R2 in its line, R3 up, C1 down, D1 and D2 to either side."""
    found: Nets = {"V": ["V.1"], "G": ["G.1", "panel G.1", "button G.1"]}
    for number, line in enumerate(lines("panel", "bell_button"), 1):
        middle = ("R1.{}.2", "R2.{}.1", "R3.{}.1", "C1.{}.1", "D1.{}.A", "D2.{}.K")
        found[f"{line.short} outside"] = [f"panel {number}.1", f"R1.{number}.1"]
        found[f"{line.short} middle"] = [pin.format(number) for pin in middle]
        found[f"{line.short} Pi"] = [f"R2.{number}.2", f"Pi {number}.1"]
        found["V"] += [f"R3.{number}.2", f"D1.{number}.K"]
        found["G"] += [f"C1.{number}.2", f"D2.{number}.A"]
    return found


def lights_board() -> Nets:
    """Two registers in a chain; at each output that is used a resistor and the wire to an LED."""
    names = leds()
    found: Nets = {"V": ["V.1"], "G": ["G.1", "LEDs.1"], "chain": ["IC1.9", "IC2.14"]}
    for name, pin in (("data", 14), ("clock", 11), ("latch", 12)):
        chips = [1] if name == "data" else [1, 2]
        found[name] = [f"R {name}.2", *(f"IC{chip}.{pin}" for chip in chips)]
        found[f"{name} Pi"] = [f"{name}.1", f"R {name}.1"]
    for chip in (1, 2):
        found["V"] += [f"IC{chip}.16", f"IC{chip}.10", f"C{chip}.1"]
        found["G"] += [f"IC{chip}.8", f"IC{chip}.13", f"C{chip}.2"]
        for place, (_, pin) in enumerate(OUTPUTS, 8 * (chip - 1)):
            if place < len(names):
                found[f"output {names[place]}"] = [f"IC{chip}.{pin}", f"R {names[place]}.1"]
                found[f"LED {names[place]}"] = [f"R {names[place]}.2", f"{names[place]}.1"]
            else:
                found[f"free {pin}"] = [f"IC{chip}.{pin}"]
    found["end of the chain"] = ["IC2.9"]
    return found


def relay_board() -> Nets:
    """A transistor for each relay; the relay's second contact and the contact at rest stay free."""
    found: Nets = {"V": ["V.1"], "G": ["G.1"]}
    for number, line in enumerate(lines("bell", "horn"), 1):
        ends = {f"{line.name} {end}": [f"{place}{number}.1"] for end, place in _RELAY_ENDS.items()}
        found = merged(found, relay(line.name, number), ends)
    return found


_RELAY_ENDS = {"Pi": "IN", "COM": "COM", "NO": "NO"}


def relay(name: str, number: int) -> Nets:
    """The parts that switch one relay from a line of the Pi, without the terminals."""
    free = {f"K{number} free {pin}": [f"K{number}.{pin}"] for pin in (6, 9, 11, 13)}
    return free | {
        f"{name} Pi": [f"R1.{number}.1", f"R2.{number}.1"],
        f"{name} base": [f"R1.{number}.2", f"Q{number}.B"],
        f"{name} coil": [f"Q{number}.C", f"K{number}.16", f"D{number}.A"],
        "V": [f"K{number}.1", f"D{number}.K"],
        "G": [f"Q{number}.E", f"R2.{number}.2"],
        f"{name} COM": [f"K{number}.4"],
        f"{name} NO": [f"K{number}.8"],
    }


def dice_board() -> Nets:
    """The Pico: resistors in the lines to the Pi, a diode in its supply, wires to dice and buttons."""
    board, ground = pico(), (3, 8, 13, 18, 23, 28, 33, 38)
    found: Nets = {"G": ["G.1", "ROLL G.1", *(f"Pico.{pin}" for pin in ground)]}
    used = set(ground)
    for line in lines("dice"):
        pin = PICO[dice_box()[line.name]]
        used.add(pin)
        found[f"{line.short} Pico"] = [f"Pico.{pin}", f"R {line.short}.1"]
        found[f"{line.short} Pi"] = [f"R {line.short}.2", f"{line.short}.1"]
    for die, pins in enumerate(board["LEDS"], 1):
        found["G"].append(f"die {die} G.1")
        for group, gp in zip("C12S", pins, strict=True):
            used.add(PICO[gp])
            found[f"die {die} {group}"] = [f"Pico.{PICO[gp]}", f"die {die} {group}.1"]
    for name, gp in (("ROLL", board["ROLL"]), ("DIM", board["DIM"])):
        used.add(PICO[gp])
        found[name] = [f"Pico.{PICO[gp]}", f"{name}.1"]
    found["VSYS"], found["5 V"] = ["Pico.39", "D1.K"], ["D1.A", "5 V.1"]
    return found | {f"Pico free {pin}": [f"Pico.{pin}"] for pin in range(1, 41) if pin not in {*used, 39}}


def die_board() -> Nets:
    """Seven LEDs, each with a resistor to ground; the LEDs of a group hang on one wire."""
    groups = {
        "C": ["centre"],
        "1": ["top left", "bottom right"],
        "2": ["top right", "bottom left"],
        "S": ["left", "right"],
    }
    found: Nets = {"G": ["G.1"]}
    for group, spots in groups.items():
        found[group] = [f"{group}.1", *(f"{spot}.A" for spot in spots)]
        for spot in spots:
            found[f"{spot} cathode"] = [f"{spot}.K", f"R {spot}.1"]
            found["G"].append(f"R {spot}.2")
    return found


def divider_board() -> Nets:
    """Four dividers for one classic die."""
    found: Nets = {"G": ["G.1", "die G.1"]}
    for group in ("centre", "diagonal1", "diagonal2", "sides"):
        found[f"{group} die"] = [f"die {group}.1", f"R1 {group}.1"]
        found[f"{group} Pi"] = [f"R1 {group}.2", f"R2 {group}.1", f"{group}.1"]
        found["G"].append(f"R2 {group}.2")
    return found


def bell_board() -> Nets:
    """The relay of one sounder, and in its 12 V a fuse, a key, and a second relay that a timer opens.

    The timer (U1, a CMOS 555) begins when K1 gives it 12 V and opens K2 after five seconds, however long
    K1 stays closed; it is ready again as soon as K1 has opened. No wire leads from the 12 V to the Pi.
    """
    found = merged(
        relay("bell", 1),
        {"V": ["Pi.1"], "bell Pi": ["Pi.2"], "G": ["Pi.3"]},
        {"12 V": ["12 V.1", "F1.1"], "fused": ["F1.2", "key.1"], "bell COM": ["key.2"]},
        {"bell NO": ["K2.4", "K2.1", "D2.K", "U1.8", "U1.4", "C3.1", "R5.1", "R3.1", "R4.1", "D3.K", "D4.K"]},
        {"minus": ["12 V.2", "bell.2", "D5.A", "U1.1", "Q2.E", "C1.2", "C2.2", "C3.2", "C4.2", "R5.2"]},
        {"timing": ["U1.6", "U1.7", "R3.2", "C1.1", "D3.A"], "start": ["U1.2", "R4.2", "C2.1", "D4.A"]},
        {"level": ["U1.5", "C4.1"], "on": ["U1.3", "R6.1"], "base": ["R6.2", "Q2.B"]},
        {"coil": ["Q2.C", "K2.16", "D2.A"], "sounder": ["K2.8", "bell.1", "D5.K"]},
        {f"K2 free {pin}": [f"K2.{pin}"] for pin in (6, 9, 11, 13)},
    )
    return {{"bell COM": "armed", "bell NO": "fed"}.get(name, name): pins for name, pins in found.items()}


def dice_board_of_one() -> Nets:
    """The dice box on one board: Pico, three dice, brightness; its cables by their plugs."""
    found = without_terminals(dice_board())
    for number in (1, 2, 3):
        for net, pins in without_terminals(die_board()).items():
            name = "G" if net == "G" else f"die {number} {net}"
            found = merged(found, {name: [f"{_spot(number, pin)}" for pin in pins]})
    cable = [f"{line.short} Pi" for line in lines("dice")]
    plug = {net: [f"Pi.{pole}"] for pole, net in enumerate([*cable, "G", "5 V"], 1)}
    buttons = {"ROLL": ["ROLL.1"], "DIM": ["DIM.1", "DIM.2"], "G": ["ROLL.2", "DIM.3", "DIM.4"]}
    return merged(found, plug, buttons)


def _spot(die: int, pin: str) -> str:
    """The pin of a die's part among three dice: `left.A` is `L1 left.A`, `R left.1` is `R1 left.1`."""
    return f"R{die} {pin[2:]}" if pin.startswith("R ") else f"L{die} {pin}"


def without_terminals(nets: Nets) -> Nets:
    """The nets without what a stripboard has for its wires: pins of parts that have but one."""
    pins = [pin for members in nets.values() for pin in members]
    several = Counter(pin.rpartition(".")[0] for pin in pins)
    left = {
        net: [pin for pin in members if several[pin.rpartition(".")[0]] > 1] for net, members in nets.items()
    }
    return {net: members for net, members in left.items() if members}


def table_hat() -> Nets:
    """Inputs, lights and the dice's guards at the Pi's header; display, bell and horn by their plugs."""
    names = {"V": "3.3 V", "G": "G", "5 V": "5 V"}
    header = {names[kind]: [f"Pi.{pin}" for pin in pins] for kind, pins in _SUPPLIES.items()}
    inputs = {
        net: [_clamp(pin) for pin in members if not re.fullmatch(r"D2\.\d+\.K", pin)]
        for net, members in without_terminals(input_board()).items()
    }
    chips = without_terminals(lights_board())
    found = merged(header, {names.get(net, net): pins for net, pins in merged(inputs, chips).items()})
    for group in (("panel", "bell_button"), ("lights",)):
        found = merged(found, {f"{line.short} Pi": [f"Pi.{line.pin}"] for line in lines(*group)})
    buttons = [f"{line.short} outside" for line in lines("panel")]
    dice = [f"{line.short} box" for line in lines("dice")]
    for line in lines("dice"):
        guard = {f"{line.short} box": [f"R {line.short}.1"], f"{line.short} Pi": [f"R {line.short}.2"]}
        found = merged(found, guard, {f"{line.short} Pi": [f"Pi.{line.pin}"]})
    for line in lines("display", "bell", "horn"):
        found = merged(found, {line.short: [f"Pi.{line.pin}"]})
    lights = [f"LED {name}" for name in leds()]
    plugs = {
        "panel": [*buttons, "G"],
        "button": ["bell_button outside", "G"],
        "dice": [*dice, "G", "5 V out"],
        "display": ["3.3 V", "G", "scl", "sda"],
        "bell": ["5 V out", "bell", "horn", "G"],
        "lights": [*lights, "G", "G"],
    }
    for plug, poles in plugs.items():
        found = merged(found, *({net: [f"{plug}.{pole}"]} for pole, net in enumerate(poles, 1)))
    eeprom = {
        "3.3 V": ["U1.8", "R5.2", "R6.2", "R7.2", "C4.1"],
        "G": ["U1.1", "U1.2", "U1.3", "U1.4", "C4.2", "WP.2"],
        "ID_SD": ["Pi.27", "U1.5", "R5.1"],
        "ID_SC": ["Pi.28", "U1.6", "R6.1"],
        "write protect": ["U1.7", "R7.1", "WP.1"],
    }
    found = merged(found, eeprom, {"5 V": ["F1.1"], "5 V out": ["F1.2"]})
    used = {pin for pins in found.values() for pin in pins}
    free = {f"Pi free {pin}": [f"Pi.{pin}"] for pin in range(1, 41) if f"Pi.{pin}" not in used}
    return found | free


_SUPPLIES = {"V": sorted(THREE_VOLTS), "5 V": sorted(FIVE_VOLTS), "G": sorted(GROUND)}


def _clamp(pin: str) -> str:
    """Both diodes of a channel are one part: its ends are A (ground) and K (3.3 V), its middle M."""
    which = re.fullmatch(r"D([12])\.(\d+)\.([AK])", pin)
    if which is None:
        return pin
    diode, channel, end = which.groups()
    return f"D.{channel}.{'M' if (diode, end) == ('1', 'A') else end}"
