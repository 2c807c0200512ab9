"""`pi-bunco table`: the service of one table; `phones`: all tables that phones play, in one."""

import argparse
import sys
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from msgspec import structs

from pi_bunco.cli.parser import argument
from pi_bunco.cli.serve import BROKER_SETTINGS, add_settings, doctor, folder, hardware, serve, settled
from pi_bunco.config import Config, ConfigError
from pi_bunco.devices.protocols import DeviceError
from pi_bunco.runtime.clock import Clock
from pi_bunco.runtime.serving import Shell

if TYPE_CHECKING:
    from pi_bunco.devices.protocols import LightState, Put, ThreeFaces, ThrowMark
    from pi_bunco.table.service import Devices

MAX = "max"


def add_table(parser: argparse.ArgumentParser) -> None:
    """The arguments of `pi-bunco table`."""
    add_settings(parser, "number", *BROKER_SETTINGS, "data", "dice", "panel", "lights", "gpio")
    text = (
        "virtual dice and panel obey standard input (roll 1 4 6, press ok, hold undo),"
        " and the lights are described on standard error"
    )
    argument(parser, "--stdin", text)
    argument(parser, "--pace X", f"smart players are X times as fast as people, or {MAX}: at once")
    argument(parser, "--seed S", "what the smart players' luck depends on")
    argument(parser, "--forgets P", "how likely smart players forget the OK of a round, 0 to 1")


def run_table(options: argparse.Namespace) -> int:
    """Serves until SIGTERM; `ConfigError` or `DeviceError` says which setting cannot be.

    A device or a card that cannot be used now is a fault that is shown.
    """
    config = settled(options, "number", "broker.address", "data")
    _check(config, options)
    data = folder(config)
    address = config.address(f"table{config.number}")
    name = f"table {config.number}, broker {address}"
    return serve(lambda: _shell(config, options, data), name, doctor(data))


def _check(config: Config, options: argparse.Namespace) -> None:
    problems = []
    smart = _smart(config)
    panel = config.panel or ("smart" if smart else "virtual")
    if smart != (panel == "smart"):
        problems.append("smart players need both: --dice smart and --panel smart")
    if options.stdin and (config.dice not in ("virtual", "none") or panel != "virtual"):
        problems.append("--stdin needs virtual dice, or none, and a virtual panel")
    if options.pace is not None and (pace := _pace(options.pace)) is not None and not 0 < pace <= 1e6:
        problems.append(
            f"--pace {options.pace} is not allowed; it must be a number above 0 (1 is human) or {MAX}"
        )
    if options.forgets is not None and not 0 <= _number(options.forgets) <= 1:
        problems.append(f"--forgets {options.forgets} is not allowed; it must be a number from 0 to 1")
    for name in ("pace", "seed", "forgets"):
        given, name = getattr(options, name), f"--{name}"
        if given is not None and not smart:
            problems.append(f"{name} is for smart players: --dice smart")
    if problems:
        raise ConfigError(problems)


def _smart(config: Config) -> bool:
    return config.dice.partition(":")[0] == "smart"


def _pace(text: str) -> float | None:
    """The pace as a multiple of people's, None for at once; -1 where the text is neither."""
    return None if text == MAX else _number(text)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return -1.0


def _shell(config: Config, options: argparse.Namespace, data: Path) -> Shell:
    from pi_bunco.runtime.clock import SystemClock
    from pi_bunco.table import service

    clock, number = SystemClock(), config.number or 0

    def devices(put: "Put", mark: "ThrowMark | None") -> "Devices":
        if _smart(config):
            return _smart_devices(config, options, put, clock)
        return (
            _stdin_devices(config, put, clock) if options.stdin else _real_devices(config, put, clock, mark)
        )

    if config.language != "en":
        import pi_bunco.head.reasons  # noqa: F401 (what the head says on a display is known by its code)
    settings = service.TableSettings(
        config.address(f"table{number}"), data, number, config.hall, config.dice != "none", config.language
    )
    return service.TableService(settings, clock, devices)


def _real_devices(config: Config, put: "Put", clock: Clock, mark: "ThrowMark | None") -> "Devices":
    from pi_bunco.devices.kinds import DICE_KINDS, DISPLAY_KINDS, LIGHTS_KINDS, PANEL_KINDS, Setup
    from pi_bunco.devices.lights.display import Together
    from pi_bunco.devices.retrying import Retrying
    from pi_bunco.table.service import Devices

    setup, retrying = Setup(hardware(config, clock), put, mark), Retrying(clock)
    if config.dice.startswith("recorded:"):  # its file is a setting, which is right or wrong
        dice = DICE_KINDS.open(config.dice, setup)
    else:
        dice = retrying.open("the dice", lambda: DICE_KINDS.open(config.dice, setup), put)
    panel = retrying.open("the panel", lambda: PANEL_KINDS.open(config.panel or "virtual", setup))
    lights = retrying.open("the lights", lambda: LIGHTS_KINDS.open(config.lights, setup))
    if config.display != "none":
        shown = retrying.open("the display", lambda: DISPLAY_KINDS.open(config.display, setup))
        lights = Together(lights, shown)
    return Devices(dice, panel, lights, retrying.look)


def _smart_devices(config: Config, options: argparse.Namespace, put: "Put", clock: Clock) -> "Devices":
    from pi_bunco.play.players import AT_ONCE, Habits, SmartTable
    from pi_bunco.table.service import Devices

    seed = options.seed or config.dice.partition(":")[2]
    random = Random(f"{seed}/{config.number}") if seed else Random()
    pace = _pace(options.pace or "1")
    habits = AT_ONCE if pace is None else Habits().faster(pace)
    habits = structs.replace(habits, forgets=float(options.forgets or 0))
    table = SmartTable(put, clock, random, habits)
    return Devices(table, table, table)


def _stdin_devices(config: Config, put: "Put", clock: Clock) -> "Devices":
    from pi_bunco.cli.terminal import typed_lines
    from pi_bunco.devices.dice.ordinary import NoDice
    from pi_bunco.devices.virtual import TypedMoves, VirtualDice, VirtualPanel
    from pi_bunco.table.service import Devices

    panel = VirtualPanel(put, clock)
    dice = NoDice(put, clock) if config.dice == "none" else VirtualDice(put, clock)

    def refuse(_faces: "ThreeFaces") -> None:
        raise DeviceError("this table has ordinary dice: press the button of what was rolled")

    moves = TypedMoves(dice.roll if isinstance(dice, VirtualDice) else refuse, panel.press, panel.hold)

    def obey(line: str | None) -> None:
        try:
            moves.obey(line or "")
        except DeviceError as error:
            print(error, file=sys.stderr, flush=True)

    typed_lines(obey)
    return Devices(dice, panel, ToldLights())


class ToldLights:
    """Lights as a line of text on standard error whenever they change."""

    def show(self, state: "LightState") -> None:
        """Tells what they show."""
        print(f"lights: {described(state)}", file=sys.stderr, flush=True)

    def close(self) -> None:
        """Nothing to turn off."""


def described(state: "LightState") -> str:
    """The lights in words, each apart by a comma, and then what the display says."""
    on = {
        "looking for the head": not state.online,
        f"round {state.round}": state.round,
        f"turn {state.turn}": state.turn,
        str(state.next): state.next,
        "roll-off": state.rolloff,
        "press ok": state.ok_blinks,
        "not saved": not state.saved,
        "refused": state.refused,
        "fault": state.fault,
    }
    words = ", ".join(word for word, lit in on.items() if lit)
    return " | ".join(line for line in (words, *state.message.split("\n")) if line)


def add_phones(parser: argparse.ArgumentParser) -> None:
    """The arguments of `pi-bunco phones`."""
    add_settings(parser, *BROKER_SETTINGS, "data", "phones", "phones_at")


def run_phones(options: argparse.Namespace) -> int:
    """Serves until SIGTERM; `BuncoError` says which setting cannot be."""
    config = settled(options, "broker.address", "data", "phones_at")
    data = folder(config)
    name = f"phones {config.phones or 'of no table'}, broker {config.address('phones')}"
    return serve(lambda: _phones_shell(config, data), name)


def _phones_shell(config: Config, data: Path) -> Shell:
    from pi_bunco.runtime.clock import SystemClock
    from pi_bunco.table.phones.phones_service import PhonesService, PhonesSettings

    phones, as_needed = phone_tables(config.phones)
    settings = PhonesSettings(
        config.address("phones"),
        data,
        config.phones_at or "",
        tuple(phones),
        as_needed,
        config.hall,
    )
    return PhonesService(settings, SystemClock())


def phone_tables(text: str) -> tuple[list[int], bool]:
    """The numbers of phone tables, and whether only as many of them are wanted as play."""
    numbers: set[int] = set()
    for part in filter(None, text.split(",")):
        first, dots, last = part.partition("..")
        numbers.update(range(int(first), int(last if dots else first) + 1))
    return sorted(numbers), ".." in text
