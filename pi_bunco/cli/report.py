"""`pi-bunco report`: the result sheet and the score cards of an evening as PDF, page or CSV."""

import argparse
from pathlib import Path

from pi_bunco.cli.parser import check_amount, write_output
from pi_bunco.cli.replay import from_file, journal_of, journaled
from pi_bunco.cli.serve import add_settings
from pi_bunco.config import ConfigError
from pi_bunco.errors import BuncoError
from pi_bunco.game.season import Played

FORMS = ("pdf", "html", "csv")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `pi-bunco report`."""
    parser.add_argument(
        "evening",
        metavar="EVENING|LOG",
        help="an evening's id in the journal, or an evening log (JSON Lines)",
    )
    parser.add_argument("--journal", type=Path, metavar="FILE", help="the journal.db (default this head's)")
    add_settings(parser, "data")
    parser.add_argument("--cards", action="store_true", help="the score cards in place of the results")
    parser.add_argument("--pot", metavar="AMOUNT", help="the money that was played for, such as 60.00")
    parser.add_argument("--title", default="", help="what your evenings are called")
    parser.add_argument("--date", help="the day, as it is to stand on the sheet (default the journal's)")
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="FILE", help="FILE.pdf, FILE.html or FILE.csv"
    )


def run(options: argparse.Namespace) -> int:
    """Writes the sheet; `LogError`, `StoreError`, `ConfigError` or `NoPdf` say why it cannot."""
    form = options.output.suffix.removeprefix(".").lower()
    if form not in FORMS:
        raise ConfigError([f"-o {options.output} should end in {', '.join(FORMS)}"])
    check_amount("--pot", options.pot, "60 or 59.50")
    write_output(options.output, _made(options, _logged(options), form))
    return 0


def _logged(options: argparse.Namespace) -> Played:
    """The evening: of a log where there is such a file, else of the journal."""
    path = Path(options.evening)
    if options.journal is None and (path.exists() or path.suffix == ".jsonl"):
        return from_file(path)
    return journaled(options.journal or journal_of(options), [options.evening])[0]


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
