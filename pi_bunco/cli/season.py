"""`pi-bunco season`: evenings added up per player, with records, attendance, dues and every die."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from pi_bunco.cli.parser import check_amount, print_json
from pi_bunco.cli.replay import from_file, journaled
from pi_bunco.config import ConfigError
from pi_bunco.game.season import Played, PlayerTotal, Season, all_dice, season, spellings, strangers
from pi_bunco.reason import joined

if TYPE_CHECKING:
    from rich.console import Console


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `pi-bunco season`."""
    parser.add_argument(
        "logs", nargs="*", type=Path, metavar="LOG", help="evening logs (JSON Lines), oldest first"
    )
    parser.add_argument("--journal", type=Path, metavar="FILE", help="all evenings of a head's journal.db")
    parser.add_argument(
        "--merge", action="append", default=[], metavar="NAME=NAME",
        help="two names of one person, the second one stays; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--apart", action="append", default=[], metavar="NAME",
        help="a name whose spellings are two persons; may be repeated",
    )  # fmt: skip
    parser.add_argument("--dues", metavar="AMOUNT", help="what everybody pays for an evening, such as 5.00")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one JSON object")
    form.add_argument("--csv", action="store_true", help="print a line for each player")


def run(options: argparse.Namespace) -> int:
    """Prints the season; `ConfigError`, `LogError` or `StoreError` say why it cannot."""
    check_amount("--dues", options.dues, "5 or 5.00")
    evenings, merges = _evenings(options), _merges(options.merge)
    for name in strangers(evenings, merges):
        print(f"Nobody is called {name}: that merge changes nothing.", file=sys.stderr)
    for one, *others in spellings(evenings, options.apart):
        if not {one, *others} & merges.keys():
            names = joined([one, *others])
            print(f"{names} count as one person; if they are not: --apart {one!r}", file=sys.stderr)
    found = season(evenings, merges, options.dues, options.apart)
    if options.json:
        print_json(msgspec.to_builtins(found))
    elif options.csv:
        from pi_bunco.web.pages.paper.sheets import as_csv

        rows = [PlayerTotal.__struct_fields__, *(msgspec.structs.astuple(one) for one in found.players)]
        sys.stdout.write(as_csv(rows))
    else:
        from rich.console import Console

        show(found, Console(highlight=False, emoji=False), dues=options.dues is not None)
    return 0


def _merges(texts: Sequence[str]) -> dict[str, str]:
    merges = {}
    for text in texts:
        old, equals, new = text.partition("=")
        if not equals or not old.strip() or not new.strip():
            raise ConfigError([f"--merge {text} should be two names, such as Bobby=Bob"])
        merges[old] = new
    return merges


def _evenings(options: argparse.Namespace) -> list[Played]:
    found = [*map(from_file, options.logs), *(journaled(options.journal) if options.journal else ())]
    if not found:
        raise ConfigError(["name evening logs, or the journal of a head with --journal"])
    return _once(found)


def _once(found: list[Played]) -> list[Played]:
    """Each evening once, as long as any copy of it is; those of logs without an id are all others."""
    longest: dict[str, Played] = {}
    for number, one in enumerate(found):
        evening = one.evening.id or f"no id, {number}"
        if evening in longest:
            print(f"Evening {evening} is there twice: it counts once.", file=sys.stderr)
        if evening not in longest or len(one.log) > len(longest[evening].log):
            longest[evening] = one
    return list(longest.values())


def show(found: Season, console: "Console", *, dues: bool) -> None:
    """Tables of the players and the records, and a sentence about the dice."""
    from rich.markup import escape
    from rich.table import Table

    title = f"A season of {len(found.evenings)} evening{'s'[: len(found.evenings) != 1]}"
    heads = ["Player", "Evenings", "Wins", "Losses", "Buncos", "Minis", "Points", "Champion", "Won"]
    table = Table(*heads, *(["Dues"] if dues else []), title=title, title_justify="left")
    for one in found.players:
        values = [one.evenings, one.wins, one.losses, one.buncos, one.minis, one.points, one.champion]
        money = [one.won, one.dues] if dues else [one.won]
        table.add_row(escape(one.name), *map(str, values), *money)
    console.print(table)
    for record in found.records:
        when = ", ".join(record.evenings)
        mark = "Buncos" if record.mark == "buncos" else record.mark
        console.print(
            f"Most {mark} in an evening: {record.value}, {', '.join(record.names)} ({when}).",
            markup=False,
        )
    for line in dice_lines(found):
        console.print(line)
    for label in found.unfinished:
        console.print(f"{label} is not over yet: its finished rounds are counted, no prizes.", markup=False)


def dice_lines(found: Season) -> list[str]:
    """Sentences about the dice."""
    if not found.dice:
        return []
    together = all_dice(found.dice)
    rolls = sum(sum(one.faces) for one in found.dice)
    if not together.biased:
        return [f"Dice: no sign of bias in {rolls:,} rolls of {len(found.dice)} dice."]
    lines = []
    for number in together.biased:
        one = found.dice[number - 1]
        faces = ", ".join(map(str, one.faces))
        lines.append(
            f"Look at die {one.die} of table {one.table}: its faces 1 to 6 fell {faces} times; "
            f"a fair die falls so unevenly once in {round(1 / max(one.likely or 0, 1e-12)):,} seasons."
        )
    return lines
