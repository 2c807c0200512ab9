"""The circuits as nets: which pins of which parts are joined, from `pins.toml` and the dice box's `board.py`.

Written from the circuit drawings, not from the stripboards, which are compared with it.
"""

from header import PICO, dice_box, leds, lines, pico
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
    }


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
        found[f"{line.name} Pi"] = [f"IN{number}.1", f"R1.{number}.1", f"R2.{number}.1"]
        found[f"{line.name} base"] = [f"R1.{number}.2", f"Q{number}.B"]
        found[f"{line.name} coil"] = [f"Q{number}.C", f"K{number}.16", f"D{number}.A"]
        found["V"] += [f"K{number}.1", f"D{number}.K"]
        found["G"] += [f"Q{number}.E", f"R2.{number}.2"]
        found[f"{line.name} COM"] = [f"K{number}.4", f"COM{number}.1"]
        found[f"{line.name} NO"] = [f"K{number}.8", f"NO{number}.1"]
        found |= {f"K{number} free {pin}": [f"K{number}.{pin}"] for pin in (6, 9, 11, 13)}
    return found


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
