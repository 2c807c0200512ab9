"""`pi-bunco replay`: an evening as tables for people or one object for programs; evenings to read."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import msgspec

from pi_bunco.cli.parser import argument, plain_console, print_json
from pi_bunco.cli.serve import settled
from pi_bunco.errors import LogError
from pi_bunco.game.prizes import Results, results
from pi_bunco.game.reasons import STAGE_WORDS
from pi_bunco.game.replay import MAX_LINE_BYTES, Replay, replay, report
from pi_bunco.game.season import Played
from pi_bunco.log import journal
from pi_bunco.reason import joined
from pi_bunco.runtime.clock import date
from pi_bunco.runtime.writer import load_kept
from pi_bunco.words.results import ENGLISH_RESULTS, RANG_BY

if TYPE_CHECKING:
    from rich.console import Console


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The log and the form of the output."""
    argument(parser, "log LOG", "the evening log (JSON Lines), - for standard input")
    argument(parser, "--json", "print one JSON object")


def run(options: argparse.Namespace) -> int:
    """Prints the evening; raises `LogError` before anything is printed if the log is broken."""
    played = _replay(options.log)
    if options.json:
        print_json(report(played))
        return 0
    show(played, plain_console())
    return 0


def _replay(log: str) -> Replay:
    if log == "-":
        return replay(_lines(sys.stdin.buffer), "standard input")
    try:
        with Path(log).open("rb") as file:
            return replay(_lines(file), log)
    except OSError as error:
        raise LogError(f"{log}: {error.strerror}") from error


def _lines(file: IO[bytes]) -> Iterator[bytes]:
    """Lines of a file; of one that is too long, as /dev/zero, no more than it takes to see that."""
    return iter(lambda: file.readline(MAX_LINE_BYTES + 1), b"")


def show(played: Replay, console: "Console") -> None:
    """A table for each round, the standings, and what did not count."""
    evening = report(played)
    if evening["rules"] is None:
        console.print("The log holds no evening.")
        return
    for round_ in evening["rounds"]:
        _show_round(round_, console)
    _show_standings(evening, console)
    _show_results(results(played.evening), console)
    if evening["traveler"]:
        console.print(f"{evening['traveler']} holds the traveling bag.")
    stage = f", {STAGE_WORDS[evening['stage']]}" if evening["stage"] else ""
    console.print(f"Rules: {evening['name']}{stage}, {evening['state'].replace('_', ' ')}.")
    for entry in evening["ignored"]:
        console.print(f"Line {entry['line']} changed nothing: {entry['why']}.")


def _show_round(round_: dict[str, Any], console: "Console") -> None:
    from rich.table import Table

    count = len(round_["tables"][0]["points"])
    heads = {1: ["Team", ""], 2: ["US", "", "THEM", ""], 4: ["A", "", "B", "", "C", "", "D", ""]}[count]
    table = Table(
        "Table", *heads, "Result", title=f"Set {round_['set']}, round {round_['round']}",
        caption=_bell(round_["bell"]), title_justify="left", caption_justify="left",
    )  # fmt: skip
    for one in round_["tables"]:
        sides = [
            ("\n".join(map(_card, one["cards"][side::count])), str(one["points"][side]))
            for side in range(count)
        ]
        rolloffs = f" after {one['rolloffs']} roll-off{'s'[: one['rolloffs'] > 1]}" if one["rolloffs"] else ""
        table.add_row(
            str(one["table"]), *(text for side in sides for text in side),
            f"{one['winner']} wins{rolloffs}" if one["winner"] else "",
        )  # fmt: skip
    console.print(table)


def _card(card: dict[str, Any]) -> str:
    marks = [
        f"{card[mark]} {mark}" if card[mark] > 1 else mark[:-1] for mark in ("buncos", "minis") if card[mark]
    ]
    return ", ".join([f"{card['player']} {card['points']}", *marks])


def _bell(bell: dict[str, Any] | None) -> str:
    if bell is None:
        return "The bell did not ring."
    at = f"{bell['t'] // 60000}:{bell['t'] // 1000 % 60:02}"
    if did := RANG_BY.get(bell["by"]):
        return f"The bell at {at}: {bell['player']} {did}."
    return f"The bell at {at}: {'the time was over' if bell['by'] == 'time' else 'by the host'}."


def _show_standings(evening: dict[str, Any], console: "Console") -> None:
    from rich.table import Table

    table = Table(
        "", "Player", "Wins", "Losses", "Buncos", "Minis", "Points", title="Standings", title_justify="left"
    )
    place = 1
    for level in evening["ranking"]:
        for name in level:
            tally = evening["standings"][name]
            table.add_row(f"{place}.", name, *(str(number) for number in tally.values()))
        place += len(level)
    console.print(table)


def _show_results(ended: Results | None, console: "Console") -> None:
    if ended is None:
        return
    if ended.champions:
        console.print(f"Champion: {joined(ended.champions)}")
    for award in ended.prizes:
        console.print(ENGLISH_RESULTS.line(award))
    if ended.rest and any(digit not in "0." for digit in ended.rest):
        console.print(f"{ended.rest} of the pot are the host's to give.")
    for remark in ENGLISH_RESULTS.remarks(ended):
        console.print(remark)


# Evenings to read: an evening log in a file, or an evening of a journal.


def journaled(path: Path, ids: Sequence[str] = ()) -> list[Played]:
    """The evenings of a journal by their `ids`, all of them where none is named, the oldest first.

    Raises `StoreError` if there is no journal, no such evening, or damage.
    """
    opened = _opened(journal.journal_at(path))
    known = ids or [one.id for one in journal.evenings(path)]
    replays = ((id, replay(journal.export(path, id), id)) for id in known)
    return [
        Played(id, found.evening, found.log, opened.get(id, "").partition(",")[0]) for id, found in replays
    ]


def from_file(path: Path) -> Played:
    """The evening of an evening log; raises `LogError`."""
    found = _replay(str(path))
    return Played(str(path), found.evening, found.log)


def _opened(path: Path) -> dict[str, str]:
    """Date and time at which each evening of a journal was opened, as far as they are known."""
    kept = load_kept(path, journal.SCHEMA).items()
    word = f"{journal.OPENED} "
    return {
        key.removeprefix(word): date(at)
        for key, at in kept
        if key.startswith(word) and isinstance(at, int | float)
    }


def journal_of(options: argparse.Namespace) -> Path:
    """The journal of the head's data; `StoreError` if there is none, `ConfigError` if `--data` is missing."""
    return journal.journal_at(Path(settled(options, "data").data or "") / "journal.db")


def evening_lines(path: Path) -> Iterator[str]:
    """Each evening, the oldest first: id, when it was opened, rule set, facts, players."""
    opened = _opened(path)
    for evening in journal.evenings(path):
        first: dict[str, Any] = msgspec.json.decode(next(journal.export(path, evening.id)))
        when, players = opened.get(evening.id, "date unknown"), first.get("players", ())
        yield (
            f"{evening.id}  {when}  {first.get('name') or first.get('rules', '?')}  {evening.length} facts"
            f"  {len(players)} players: {', '.join(players)}"
        )
