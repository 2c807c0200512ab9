"""`pi-bunco host results`: champions, prizes and open ties, from the journal of this machine."""

import argparse
import re
from collections.abc import Iterator

import msgspec

from pi_bunco.cli import host_evenings
from pi_bunco.cli.output import print_json
from pi_bunco.config import ConfigError
from pi_bunco.game.prizes import Award, Results, results, shortage, who, worth
from pi_bunco.game.replay import replay
from pi_bunco.game.terms import TITLES, together
from pi_bunco.log import journal
from pi_bunco.rules.ruleset import AMOUNT


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Where the journal is, which evening, and the pot where the evening names none."""
    host_evenings.add_arguments(parser)
    parser.add_argument("--evening", metavar="ID", help="which evening (default the latest)")
    parser.add_argument("--pot", metavar="AMOUNT", help="the money that was played for, such as 60.00")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(options: argparse.Namespace, _wait: float) -> int:
    """Prints them; `StoreError` if there is no journal or evening, `ConfigError` if the pot is no amount."""
    if options.pot is not None and not re.match(AMOUNT, options.pot):
        raise ConfigError([f"--pot {options.pot} should be an amount such as 60 or 59.50"])
    path = host_evenings.path_of(options)
    evening = replay(journal.export(path, options.evening), str(path)).evening
    ended = results(evening, options.pot)
    if options.json:
        print_json(msgspec.to_builtins(ended))
    elif ended is None:
        print("The evening is not over yet: results come with its last round, or when it is closed.")
    else:
        print("\n".join(lines(ended)))
    return 0


def lines(ended: Results) -> Iterator[str]:
    """The results, a sentence each, with what a host still has to do."""
    if ended.champions:
        equal = ", equal" if len(ended.champions) > 1 else ""
        yield f"Champion{'s' if equal else ''} of the night: {together(ended.champions)}{equal}."
    for award in ended.prizes:
        value = worth(award)
        yield f"{TITLES[award.category]}: {who(award)}{f', {value}' if value else ''}."
        if hint := _hint(award):
            yield f"  {hint}"
    if ended.rest and ended.rest.strip("0."):
        yield f"{ended.rest} of the pot of {ended.pot} is the host's to give."
    if short := shortage(ended):
        yield f"The pot of {ended.pot} is {short} short of the prizes: add that, or agree on less."
    if ended.left:
        yield f"Left early, without a prize unless you say so: {together(ended.left)}."


def _hint(award: Award) -> str:
    """How to settle a tie or to give a prize that nobody won."""
    if award.tied:
        first = award.tied[0]
        roll = "They roll at table 1, which shows whose die is whose; or say" if award.by != "ask" else "Say"
        return f"{roll}: pi-bunco host prize {award.category} {first!r} (or several names to share it)."
    if not award.winners and not award.waits_for:
        return f"To give it: pi-bunco host prize {award.category} NAME."
    return ""
