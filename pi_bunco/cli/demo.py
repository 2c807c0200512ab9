"""`pi-bunco demo`: a whole Bunco night on this machine, in front of whoever wants to see it."""

import argparse
import sys
import tempfile
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pi_bunco.cli import replay
from pi_bunco.cli.hall import browse
from pi_bunco.cli.parser import ENDS, INTERRUPTED, argument, on_signals, plain_console, print_json, say
from pi_bunco.cli.terminal import keys
from pi_bunco.errors import BuncoError
from pi_bunco.game.pot import Amount
from pi_bunco.game.prizes import results
from pi_bunco.game.replay import report
from pi_bunco.hall.demo import HOSTED_SET_S, SET_S, Demo, NightOutcome, Setting
from pi_bunco.hall.evidence import counted
from pi_bunco.hall.party import KeyTyped
from pi_bunco.play.lengths import set_seconds
from pi_bunco.rules import RuleSet
from pi_bunco.rules.load import PRESETS, load
from pi_bunco.runtime.loop import LoopInbox, Stop
from pi_bunco.web.site.server import free_place
from pi_bunco.wire.broker import LOCALHOST
from pi_bunco.words.results import ENGLISH_RESULTS

if TYPE_CHECKING:
    from rich.console import Console

DEMO_MAX_PLAYERS = 80
"""Every table is a process of its own, and the scoreboard is one message."""
STAKE_CENTS = 500
"""Cents that everybody puts into the pot of the demo."""
ALONE = "The demo plays by itself.  q: quit"
HOSTED = "You are the host, on the page or here.  Enter: the bell starts a round   e: end it   q: quit"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `pi-bunco demo`."""
    parser.epilog = (
        f"Ctrl-C ends everything; the exit status is then {INTERRUPTED}, and 1 if the result is wrong."
    )
    argument(parser, "--rules NAME", f"{', '.join(PRESETS)}, or a file: house.toml", default="classic")
    argument(parser, "--players N", f"4 to {DEMO_MAX_PLAYERS} (default 12)", type=int, default=12)
    argument(parser, "--sets N", "sets of six rounds (default 1)", type=int, default=1)
    argument(parser, "--seed S", "the lots: seats, dice, and chaos", type=int, default=1)
    text = (
        "times as fast as people (default: a set takes about two minutes, where you host six);"
        " max: as fast as it goes, without pages"
    )
    argument(parser, "--speed X|max", text)
    text = "me: tables play by themselves, you open the evening, ring and confirm, on the host's page"
    argument(parser, "--host {auto,me}", text, choices=("auto", "me"), default="auto")
    argument(parser, "--chaos", "pull plugs of tables, head and broker meanwhile")
    text = "default: mosquitto where installed"
    argument(parser, "--broker {mosquitto,nats}", text, choices=("mosquitto", "nats"))
    argument(parser, "--keep DIR", "keep journal, evening log and logs there", type=Path)
    argument(parser, "--json", "show nothing, and print one JSON object at the end")
    argument(parser, "--no-browser", "serve the pages, but open none")


def run(options: argparse.Namespace) -> int:
    """Plays a night; `BuncoError` says why it cannot."""
    setting = _setting(options)
    inbox = LoopInbox()
    with ExitStack() as stack:
        folder = _kept(options.keep) or Path(
            stack.enter_context(tempfile.TemporaryDirectory(prefix="pi-bunco-"))
        )
        # Whatever asks to end goes into the inbox, so that all is ended in its order.
        stack.enter_context(on_signals(lambda *_: inbox.put(Stop()), *ENDS))
        demo = stack.enter_context(Demo(setting, folder, inbox))
        with nullcontext(False) if options.json else keys(lambda key: inbox.put(KeyTyped(key))) as keyboard:
            if keyboard:
                say(HOSTED if setting.by_hand else ALONE)
            outcome = demo.play(
                (lambda _: None) if options.json else say, (lambda _: None) if options.no_browser else browse
            )
        if outcome is not None:
            if options.json:
                print_json(summary(setting, outcome))
            else:
                _show(setting, outcome, options.keep)
            for complaint in outcome.complaints:
                print(f"pi-bunco demo: {complaint}", file=sys.stderr)
            _stay(demo, setting, inbox)
    if outcome is None:
        print("Stopped; nothing runs any more.", file=sys.stderr)
        return INTERRUPTED
    return 1 if outcome.complaints else 0


def _setting(options: argparse.Namespace) -> Setting:
    if not 4 <= options.players <= DEMO_MAX_PLAYERS:
        raise BuncoError(f"--players {options.players} is not allowed; it must be 4 to {DEMO_MAX_PLAYERS}")
    if not 1 <= options.sets <= 99:
        raise BuncoError(f"--sets {options.sets} is not allowed; it must be 1 to 99")
    by_hand = options.host == "me"
    if by_hand and (options.json or options.speed == "max"):
        other = "--json" if options.json else "--speed max"
        raise BuncoError(f"--host me goes without {other}: you are the host, on the page")
    rules = load(options.rules)
    return Setting(
        rules=rules,
        players=options.players,
        sets=options.sets,
        seed=options.seed,
        pace=_pace(options.speed, rules, by_hand),
        by_hand=by_hand,
        chaos=options.chaos,
        broker=options.broker,
        place=None if options.json or options.speed == "max" else free_place(LOCALHOST),
    )


def _pace(speed: str | None, rules: RuleSet, by_hand: bool) -> float | None:
    if speed == "max":
        return None
    try:
        pace = set_seconds(rules) / (HOSTED_SET_S if by_hand else SET_S) if speed is None else float(speed)
    except ValueError:
        pace = 0.0
    if not 0.1 <= pace <= 1000:
        raise BuncoError(f"--speed {speed} is not allowed; it must be 0.1 to 1000 (1 is a party's), or max")
    return pace


def _kept(folder: Path | None) -> Path | None:
    """A new or empty folder; an older journal in it would be played on."""
    if folder is None:
        return None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise BuncoError(f"--keep {folder}: there is something in it; name a new folder")
    except OSError as error:
        raise BuncoError(f"--keep {folder}: {error.strerror}") from error
    return folder.resolve()


def _stay(demo: Demo, setting: Setting, inbox: LoopInbox) -> None:
    """Keeps the night's pages open for somebody at a terminal."""
    if demo.pages and not setting.by_hand and sys.stdin.isatty() and sys.stdout.isatty():
        with keys(lambda key: inbox.put(KeyTyped(key))):  # from now on Enter is heard
            say(f"The pages stay until you press Enter: {demo.pages.scoreboard}")
            demo.stay()


def summary(setting: Setting, outcome: NightOutcome) -> dict[str, Any]:
    """The object that `--json` prints."""
    found = outcome.evidence
    return {
        "rules": setting.rules.preset,
        "players": setting.players,
        "seed": setting.seed,
        "tables": setting.tables,
        "seconds": round(outcome.seconds, 3),
        "rolls": found.rolls,
        "rounds": found.rounds,
        "bells": {"start": found.starts, "end": found.ends},
        "kills": outcome.kills,
        "deaths": outcome.deaths,
        "lost": found.absent,
        "double": found.double,
        "changed": found.changed,
        "gaps": found.gaps,
        "equal": outcome.equal,
        "complaints": outcome.complaints,
        "evening": report(outcome.played),
    }


def _show(setting: Setting, outcome: NightOutcome, kept: Path | None) -> None:
    console = plain_console()
    replay.show(outcome.played, console)
    _show_pot(setting, outcome, console)
    found = outcome.evidence
    kills = ", ".join(f"{kind} {number}" for kind, number in sorted(outcome.kills.items()))
    lines = [
        f"{counted(found.rounds, 'round')}, {counted(found.rolls, 'roll')} at "
        f"{counted(setting.tables, 'table')} in {outcome.seconds:.0f} s; "
        f"bells: {found.starts} at the start, {found.ends} at the end of a round.",
        f"Facts lost: {found.absent}, double: {found.double}. A replay of the journal gives "
        f"{'the same evening' if outcome.equal else 'another evening'}.",
    ]
    if kills:
        lines.append(f"Plugs pulled: {kills}.")
    lines += dict.fromkeys(outcome.deaths)
    if kept:
        lines.append(f"Kept in {kept}; try: pi-bunco replay {kept / 'evening.jsonl'}")
    for line in lines:
        console.print(line, soft_wrap=True)


def _show_pot(setting: Setting, outcome: NightOutcome, console: "Console") -> None:
    """Shows the prizes as if everybody had put a stake into a pot."""
    pot = Amount(setting.players * STAKE_CENTS, 2).text
    ended = results(outcome.played.evening, pot)
    if ended is None or not any(award.amount for award in ended.prizes):
        return
    console.print(f"Had everybody put in {STAKE_CENTS / 100:.2f}, a pot of {pot}:")
    for award in ended.prizes:
        console.print(f"  {ENGLISH_RESULTS.line(award)}")
