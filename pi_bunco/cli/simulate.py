"""`pi-bunco simulate`: many evenings with fair dice, and how close they come to the exact odds."""

import argparse
import json
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from threading import Event
from typing import Any

from msgspec import Struct

from pi_bunco.cli.parser import INTERRUPTED, argument, on_signals, plain_console, whole
from pi_bunco.cli.rules import RULE_SETS, add_changes
from pi_bunco.play.lengths import Length, length, plain, sentences
from pi_bunco.play.simulation import FaceSums, Simulation, Sum, Sums, cores
from pi_bunco.rules.load import changes, load, parse_settings, preset
from pi_bunco.rules.odds import BellOdds

MAX_PLAYERS = 1200
"""As many as a hall can have."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `pi-bunco simulate`."""
    parser.epilog = f"Ctrl-C prints what there is by then; the exit status is {INTERRUPTED}."
    number = whole(1, bounds=" from 1")
    players = whole(most=MAX_PLAYERS, bounds=f" from 4 to {MAX_PLAYERS}")  # fewer are told by the rules
    argument(parser, "--rules NAME", RULE_SETS, required=True)
    argument(parser, "--evenings N", "how many (default 1000)", type=number, default=1000)
    argument(parser, "--seed S", "the same seed, the same dice", type=int, default=1)
    argument(parser, "--players N", "how many play (default 12)", type=players, default=12)
    add_changes(parser, "settings")
    argument(parser, "--cores N", "how many to use (default all)", type=number, default=cores())
    argument(parser, "--json", "print one JSON object")


class Outcome(Struct, frozen=True):
    """The sums of a simulation, its seconds, and if Ctrl-C ended it early."""

    sums: Sums
    seconds: float
    interrupted: bool


def run(options: argparse.Namespace) -> int:
    """Plays and prints; `RulesError` or `FactError` where nobody could play so."""
    rules = load(options.rules, parse_settings(options.settings))
    simulation = Simulation(rules, options.players, options.seed)
    simulation.check()
    outcome = _play(simulation, options.evenings, options.cores)
    if options.json:
        print(json.dumps(report(options.rules, simulation, outcome), indent=2))
    else:
        _show(report(options.rules, simulation, outcome), length(rules, outcome.sums))
    return INTERRUPTED if outcome.interrupted else 0


def _play(simulation: Simulation, evenings: int, processes: int) -> Outcome:
    sums, pressed = Sums(), Event()
    began = time.perf_counter()
    with (
        on_signals(lambda *_: pressed.set(), signal.SIGINT),  # it ends between two parts and nowhere else
        closing(simulation.parts(evenings, processes)) as parts,
        _progress(evenings) as advance,
    ):
        for part in parts:
            sums += part
            advance(part.evenings)
            if pressed.is_set():
                break
    return Outcome(sums, time.perf_counter() - began, sums.evenings < evenings)


@contextmanager
def _progress(evenings: int) -> Iterator[Callable[[int], None]]:
    """Takes the numbers of evenings played: a bar on a terminal, elsewhere nothing."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn("evenings"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=evenings)
        yield lambda played: progress.advance(task, played)


def report(name: str, simulation: Simulation, outcome: Outcome) -> dict[str, Any]:
    """The object of `--json`; `us_rings` and `bunco_rings` are shares of the bells that a roll rang."""
    rules, sums = simulation.rules, outcome.sums
    return {
        "rules": name,
        "overrides": changes(rules, preset(rules.preset)),
        "evenings": sums.evenings,
        "interrupted": outcome.interrupted,
        "seed": simulation.seed,
        "players": simulation.players,
        "faces": {
            str(number): _face(face, simulation.bell(number)) for number, face in enumerate(sums.faces, 1)
        },
        "rolls": sums.rolls,
        "rolloffs": sums.rolloffs,
        "seconds": round(outcome.seconds, 3),
        "rolls_per_second": round(sums.rolls / outcome.seconds),
        "evening": plain(rules, length(rules, sums)),
    }


def _face(face: FaceSums, bell: BellOdds | None) -> dict[str, Any]:
    return {
        "rounds": face.rolls_to_bell.count,
        "rolls_to_bell": _estimate(face.rolls_to_bell),
        "exact": bell and bell.mean,
        "us_rings": _estimate(face.us_rings) | {"exact": bell and bell.us_rings},
        "bunco_rings": _estimate(face.bunco_rings) | {"exact": bell and bell.bunco_rings},
    }


def _estimate(observed: Sum) -> dict[str, float | None]:
    return {"mean": observed.mean, "se": observed.error}


def _show(found: dict[str, Any], lasting: Length | None) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=0)
    shares = "US\nrings %", "exact", "Bunco\nrings %", "exact"
    for name in ("face", "rounds", "rolls to\nthe bell", "exact", *shares):
        table.add_column(name, justify="right", no_wrap=True)
    for number, face in found["faces"].items():
        table.add_row(number, f"{face['rounds']:,}", *_cells(face))
    console = plain_console()
    console.print(table)
    early = " before Ctrl-C" if found["interrupted"] else ""
    summary = (
        f"{found['evenings']:,} evenings of {found['players']} players by {found['rules']}, "
        f"seed {found['seed']}{early}: {found['rolls']:,} rolls at {found['rolls_per_second']:,} a second. "
        "± is one standard error."
    )
    console.print(summary, soft_wrap=True)
    for sentence in sentences(lasting) if lasting else ():
        console.print(sentence, soft_wrap=True)
    if found["evening"] and found["evening"]["warning"]:
        console.print(found["evening"]["warning"], soft_wrap=True)


def _cells(face: dict[str, Any]) -> Iterator[str]:
    rolls, us, bunco = face["rolls_to_bell"], face["us_rings"], face["bunco_rings"]
    yield f"{_shown(rolls['mean'], '.3f')} ± {_shown(rolls['se'], '.3f')}"
    yield _shown(face["exact"], ".3f")
    for share in (us, bunco):
        yield f"{_percent(share['mean'])} ± {_percent(share['se'])}"
        yield _percent(share["exact"])


def _shown(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


def _percent(share: float | None) -> str:
    return _shown(share and share * 100, ".1f")
