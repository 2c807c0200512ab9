"""Evenings that were played: added up per player, with records and dues; the sheets of one."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from pi_bunco.cli.parser import argument, check_amount, plain_console, print_json, write_output
from pi_bunco.cli.replay import from_file, journal_of, journaled
from pi_bunco.cli.serve import add_settings
from pi_bunco.config import ConfigError
from pi_bunco.errors import BuncoError
from pi_bunco.game.season import Played, PlayerTotal, Season, all_dice, season, spellings, strangers
from pi_bunco.reason import joined

if TYPE_CHECKING:
    from rich.console import Console


def add_season(parser: argparse.ArgumentParser) -> None:
    """The arguments of `pi-bunco season`."""
    argument(parser, "logs LOG", "evening logs (JSON Lines), oldest first", nargs="*", type=Path)
    argument(parser, "--journal FILE", "all evenings of a head's journal.db", type=Path)
    text = "two names of one person, the second one stays; may be repeated"
    argument(parser, "--merge NAME=NAME", text, action="append", default=[])
    text = "a name whose spellings are two persons; may be repeated"
    argument(parser, "--apart NAME", text, action="append", default=[])
    argument(parser, "--dues AMOUNT", "what everybody pays for an evening, such as 5.00")
    form = parser.add_mutually_exclusive_group()
    argument(form, "--json", "print one JSON object")
    argument(form, "--csv", "print a line for each player")


def run_season(options: argparse.Namespace) -> int:
    """Prints the season; `ConfigError`, `LogError` or `StoreError` say why it cannot."""
    check_amount("--dues", options.dues, "5 or 5.00")
    found = [*map(from_file, options.logs), *(journaled(options.journal) if options.journal else ())]
    if not found:
        raise ConfigError(["name evening logs, or the journal of a head with --journal"])
    evenings, merges = _once(found), _merges(options.merge)
    for name in strangers(evenings, merges):
        print(f"Nobody is called {name}: that merge changes nothing.", file=sys.stderr)
    for one, *others in spellings(evenings, options.apart):
        if not {one, *others} & merges.keys():
            names = joined([one, *others])
            print(f"{names} count as one person; if they are not: --apart {one!r}", file=sys.stderr)
    added = season(evenings, merges, options.dues, options.apart)
    if options.json:
        print_json(msgspec.to_builtins(added))
    elif options.csv:
        from pi_bunco.web.pages.paper.sheets import as_csv

        rows = [PlayerTotal.__struct_fields__, *(msgspec.structs.astuple(one) for one in added.players)]
        sys.stdout.write(as_csv(rows))
    else:
        show(added, plain_console(), dues=options.dues is not None)
    return 0


def _merges(texts: Sequence[str]) -> dict[str, str]:
    merges = {}
    for text in texts:
        old, equals, new = text.partition("=")
        if not equals or not old.strip() or not new.strip():
            raise ConfigError([f"--merge {text} should be two names, such as Bobby=Bob"])
        merges[old] = new
    return merges


def _once(found: list[Played]) -> list[Played]:
    """Each evening once, as long as any copy of it is; all logs without an id are different evenings."""
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
    from rich.table import Table

    title = f"A season of {len(found.evenings)} evening{'s'[: len(found.evenings) != 1]}"
    heads = ["Player", "Evenings", "Wins", "Losses", "Buncos", "Minis", "Points", "Champion", "Won"]
    table = Table(*heads, *(["Dues"] if dues else []), title=title, title_justify="left")
    for one in found.players:
        values = [one.evenings, one.wins, one.losses, one.buncos, one.minis, one.points, one.champion]
        money = [one.won, one.dues] if dues else [one.won]
        table.add_row(one.name, *map(str, values), *money)
    console.print(table)
    for record in found.records:
        when = ", ".join(record.evenings)
        mark = "Buncos" if record.mark == "buncos" else record.mark
        console.print(f"Most {mark} in an evening: {record.value}, {', '.join(record.names)} ({when}).")
    for line in dice_lines(found):
        console.print(line)
    for label in found.unfinished:
        console.print(f"{label} is not over yet: its finished rounds are counted, no prizes.")


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


FORMS = ("pdf", "html", "csv")


def add_report(parser: argparse.ArgumentParser) -> None:
    """The arguments of `pi-bunco report`."""
    argument(parser, "evening EVENING|LOG", "an evening's id in the journal, or an evening log (JSON Lines)")
    argument(parser, "--journal FILE", "the journal.db (default this head's)", type=Path)
    add_settings(parser, "data")
    argument(parser, "--cards", "the score cards in place of the results")
    argument(parser, "--pot AMOUNT", "the money that was played for, such as 60.00")
    argument(parser, "--title TITLE", "what your evenings are called", default="")
    argument(parser, "--date DATE", "the day, as it is to stand on the sheet (default the journal's)")
    argument(parser, "-o, --output FILE", "FILE.pdf, FILE.html or FILE.csv", type=Path, required=True)


def run_report(options: argparse.Namespace) -> int:
    """Writes the sheet; `BuncoError` says why it cannot."""
    form = options.output.suffix.removeprefix(".").lower()
    if form not in FORMS:
        raise ConfigError([f"-o {options.output} should end in {', '.join(FORMS)}"])
    check_amount("--pot", options.pot, "60 or 59.50")
    path = Path(options.evening)
    if options.journal is None and (path.exists() or path.suffix == ".jsonl"):
        evening = from_file(path)
    else:
        (evening,) = journaled(options.journal or journal_of(options), [options.evening])
    write_output(options.output, _made(options, evening, form))
    return 0


def _made(options: argparse.Namespace, evening: Played, form: str) -> bytes:
    from pi_bunco.game.sheet import result_sheet, score_cards
    from pi_bunco.web.pages.paper import sheets
    from pi_bunco.words.catalogue import language

    rules = evening.evening.rules
    date = evening.day if options.date is None else options.date
    if options.cards and rules:
        cards = score_cards(evening.evening)
        if form == "csv":
            return sheets.cards_table(cards).encode()
        page = sheets.cards_page(cards, rules.card, date, language())
    else:
        sheet = result_sheet(evening.evening, evening.log, title=options.title, date=date, pot=options.pot)
        if sheet is None:
            raise BuncoError(
                "the evening is not over yet: its results come with its last round, or when it is closed"
            )
        if form == "csv":
            return sheets.result_table(sheet).encode()
        page = sheets.result_page(sheet, language())
    return sheets.pdf(page) if form == "pdf" else page.encode()
