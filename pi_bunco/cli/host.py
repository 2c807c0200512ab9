"""`pi-bunco host`: a host's commands and the head's answers in sentences; the journal for hosts to read.

The commands follow from `wire.commands`; those in `SHOWING_WORDS` only show something.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from pi_bunco.cli import ask
from pi_bunco.cli.ask import HEAD_ANSWERS_WITHIN_S, add_connection, in_language, place
from pi_bunco.cli.host_arguments import add_fields, command_line, given
from pi_bunco.cli.parser import argument, check_amount, print_json
from pi_bunco.cli.replay import evening_lines, journal_of
from pi_bunco.cli.serve import add_settings
from pi_bunco.game import facts
from pi_bunco.game.prizes import Award, Results, results
from pi_bunco.game.replay import read, replay
from pi_bunco.log import journal
from pi_bunco.rules.ruleset import CONTROL
from pi_bunco.wire.arguments import arguments
from pi_bunco.wire.commands import COMMANDS, Arguments
from pi_bunco.wire.messages import WayOn
from pi_bunco.words.catalogue import language, texts
from pi_bunco.words.results import ResultWords

REFUSED = 1
"""The exit status when the head refuses."""
COMMANDS_BY_WORD = {kind.word: kind for kind in COMMANDS.values()}
SHOWING_WORDS = {
    "status": "show where the evening stands",
    "evenings": "list the evenings of this machine's journal",
    "results": "show champions, prizes and open ties",
    "review": "show what tables sent that does not count and is kept for review",
}
"""The words that only show something, and their purpose."""
REVIEWED_MAX = 200
"""The newest of each kind that are shown for review."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `pi-bunco host`; those for the broker may stand before the command or behind it."""
    add_connection(parser)
    words: Any = parser.add_subparsers(dest="word", required=True, metavar="WHAT")
    for word, kind in COMMANDS_BY_WORD.items():
        one = words.add_parser(word, help=kind.help, description=kind.__doc__)
        add_fields(one, kind)
        add_connection(one)
    shown = {
        word: words.add_parser(word, help=summary, description=f"{summary.capitalize()}.")
        for word, summary in SHOWING_WORDS.items()
    }
    argument(shown["status"], "--json", "print what the head tells everybody as JSON")
    add_connection(shown["status"])
    for word in ("evenings", "results", "review"):
        add_settings(shown[word], "data")
    for word in ("results", "review"):
        argument(shown[word], "--evening ID", "which evening (default the latest)")
    pot = "the money that was played for, such as 60.00"
    argument(shown["results"], "--pot AMOUNT", pot)
    argument(shown["results"], "--json", "print one JSON object")


def run(options: argparse.Namespace) -> int:
    """Asks and prints the answer: 1 if it is refused; `BuncoError` if there is none."""
    wait = float(getattr(options, "wait", HEAD_ANSWERS_WITHIN_S))
    match options.word:
        case "status":
            return ask.show_standing(options, wait)
        case "evenings":
            for line in evening_lines(journal_of(options)):
                print(line)
        case "results":
            _show_results(options)
        case "review":
            path = journal_of(options)
            found = [*ignored(path, options.evening), *set_aside(path)]
            _ = texts(language()).gettext
            print("\n".join(found) or _("Nothing was left out: every fact of the evening counts."))
        case word:
            return _command(COMMANDS_BY_WORD[word], options, wait)
    return 0


def _command(kind: type[Arguments], options: argparse.Namespace, wait: float) -> int:
    args = given(kind, options)
    arguments(kind.name, args, kind.word)
    answer = ask.ask(place(options), kind.name, args, wait)
    _ = texts(language()).gettext
    if answer.done:
        print("\n".join(in_language(answer.after, answer.outcomes)) or _("Done."))
        return 0
    why = " ".join(in_language(answer.why, answer.reasons))
    print(_("Refused: %(why)s") % {"why": why}, file=sys.stderr)
    for way in answer.ways:
        print(_next_command(kind, way), file=sys.stderr)
    return REFUSED


def _next_command(refused: type[Arguments], way: WayOn) -> str:
    """The command that leads on, as it is typed; empty if the head knows one that is none here."""
    kind = COMMANDS.get(way.command)
    if kind is None:
        return ""
    _ = texts(language()).gettext
    words = " ".join(command_line(kind, way.args))
    if kind is refused:
        return _("To do it all the same, add %(words)s.") % {"words": words}
    command = f"pi-bunco host {' '.join([kind.word, words]).rstrip()}"
    return _("To go on: %(command)s") % {"command": command}


def _show_results(options: argparse.Namespace) -> None:
    check_amount("--pot", options.pot, "60 or 59.50")
    path = journal_of(options)
    ended = results(replay(journal.export(path, options.evening), str(path)).evening, options.pot)
    if options.json:
        print_json(msgspec.to_builtins(ended))
    elif ended is None:
        _ = texts(language()).gettext
        print(_("The evening is not over yet: results come with its last round, or when it is closed."))
    else:
        print("\n".join(ResultLines(texts(language())).lines(ended)))


class ResultLines(ResultWords):
    """The results in one language, line by line."""

    def lines(self, ended: Results) -> Iterator[str]:
        """A sentence each, with what a host still has to do."""
        _ = self._
        if len(ended.champions) > 1:
            yield _("Champions of the night: %(names)s, equal.") % {"names": self.names(ended.champions)}
        elif ended.champions:
            yield _("Champion of the night: %(name)s.") % {"name": ended.champions[0]}
        for award in ended.prizes:
            yield f"{self.line(award)}."
            if hint := self._hint(award):
                yield f"  {hint}"
        if ended.rest and ended.rest.strip("0."):
            values = {"rest": ended.rest, "pot": ended.pot}
            yield _("%(rest)s of the pot of %(pot)s is the host's to give.") % values
        yield from self.remarks(ended)
        if ended.left:
            yield _("Left early, without a prize unless you say so: %(names)s.") % {
                "names": self.names(ended.left)
            }

    def _hint(self, award: Award) -> str:
        """The command that settles a tie or gives a prize that nobody won."""
        _, command = self._, f"pi-bunco host prize {award.category}"
        if award.tied:
            place = f" --place {award.place}" if award.place > 1 else ""
            text = (
                _("Say: %(command)s (or several names to share it).")
                if award.by == "ask"
                else _(
                    "They roll at table 1, which shows whose die is whose; or say: %(command)s (or several"
                    " names to share it)."
                )
            )
            return text % {"command": f"{command} {award.tied[0]!r}{place}"}
        if not award.winners and not award.waits_for:
            return _("To give it: %(command)s NAME.") % {"command": command}
        return ""


def ignored(path: Path, evening: str | None) -> Iterator[str]:
    """The facts of the evening that changed nothing, each with the reason."""
    wording = texts(language())
    _ = wording.gettext
    log = list(journal.export(path, evening))
    reasons = dict(replay(log, str(path)).ignored)
    found = [(n, fact) for n, fact in read(log, str(path)) if n in reasons]
    for n, fact in found[-REVIEWED_MAX:]:
        table, why = getattr(fact, "table", None), reasons[n].in_words(wording)
        dice = {"dice": fact.dice, "call": fact.call} if isinstance(fact, facts.Roll) else {}
        what = _plain({"kind": facts.kind_of(fact), **dice})
        values = {"n": n, "table": table, "what": what, "why": why}
        if table:
            yield _("No. %(n)s, table %(table)s, %(what)s does not count: %(why)s.") % values
        else:
            yield _("No. %(n)s, %(what)s does not count: %(why)s.") % values


def set_aside(path: Path) -> Iterator[str]:
    """The facts that were kept apart: of another evening, or out of the format."""
    _ = texts(language()).gettext
    for aside in journal.asides(path)[-REVIEWED_MAX:]:
        values = {"table": aside.origin.table, "what": _plain(aside.fact), "evening": aside.evening}
        yield (
            _("Table %(table)s sent %(what)s for evening %(evening)s; it is kept apart and does not count.")
            % values
        )


def _plain(fact: dict[str, Any]) -> str:
    """ "roll 1-4-6"; without anything that a terminal would obey."""
    dice, call = fact.get("dice"), fact.get("call")
    if isinstance(dice, list | tuple):
        call = "-".join(str(die)[:3] for die in dice[:3])
    what = f"{str(fact.get('kind', '?'))[:20]} {str(call or '')[:11]}".rstrip()
    return CONTROL.sub("?", what)
