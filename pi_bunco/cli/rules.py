"""`pi-bunco rules`: the rule sets, every dimension of one, and what to expect in its rounds."""

import argparse
import json
from collections.abc import Iterator
from itertools import groupby
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import msgspec

from pi_bunco.cli.parser import argument, plain_console
from pi_bunco.config import ConfigError
from pi_bunco.rules.load import (
    EXAMPLES,
    PRESETS,
    allowed,
    changes,
    dimensions,
    load,
    parse_settings,
    preset,
    title,
)
from pi_bunco.rules.odds import TABLES, BellOdds, Odds, in_words, odds
from pi_bunco.rules.ruleset import RuleSet
from pi_bunco.words.rules_in_words import MEANINGS, pattern, purpose, summary, time_limit

if TYPE_CHECKING:
    from rich.table import Table

TARGETS = range(1, 7)
RULE_SETS = f"{', '.join(PRESETS)}, or a file such as house.toml"
"""The values of an option that chooses a rule set."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `pi-bunco rules`."""
    argument(parser, "name NAME", RULE_SETS, nargs="?")
    add_changes(parser, "settings")
    form = parser.add_mutually_exclusive_group()
    argument(form, "--json", "print JSON")
    argument(form, "--toml", "print a file of your own to edit")


def add_changes(parser: argparse.ArgumentParser, dest: str) -> None:
    """`--set KEY=VALUE`, as often as wanted, for `rules.load.parse_settings`."""
    text = "change a dimension, for example end.points=21; may be repeated"
    argument(parser, "--set KEY=VALUE", text, dest=dest, action="append", default=[])


def run(options: argparse.Namespace) -> int:
    """Shows all rule sets, or one; `RulesError` for what does not hold."""
    if options.name is None:
        if options.settings or options.toml:
            word = "--set" if options.settings else "--toml"
            raise ConfigError([f"{word} needs a rule set to start from: pi-bunco rules gong {word} ..."])
        if options.json:
            _print_json({"presets": [describe(name, preset(name)) for name in PRESETS]})
        else:
            _list()
        return 0
    rules = load(options.name, parse_settings(options.settings))
    if options.toml:
        print(toml(rules), end="")
    elif options.json:
        _print_json(describe(options.name, rules))
    else:
        _show(rules)
    return 0


def describe(name: str, rules: RuleSet) -> dict[str, Any]:
    """A rule set with its odds as plain values, as `--json` prints it (wire/README.md)."""
    from pi_bunco.play.lengths import estimate, plain  # plays some evenings, which only some callers need

    return {
        "rules": name,
        "name": title(rules),
        "source": rules.source,
        "description": summary(rules),
        "preset": rules.preset,
        "dimensions": {key: msgspec.to_builtins(rules.dimension(key)) for key in dimensions()},
        "changed": list(changes(rules, preset(rules.preset))),
        "faces": {str(face): _expected(odds(rules, face)) for face in TARGETS},
        "evening": plain(rules, estimate(rules)),
    }


def _expected(chances: Odds) -> dict[str, Any]:
    bell = chances.bell
    rolls = (
        {"mean": bell.mean, "sd": bell.sd, "p5": bell.p5, "p50": bell.p50, "p95": bell.p95} if bell else None
    )
    return {
        "rolls_to_bell": rolls,
        "points_per_turn": chances.points_per_turn,
        "rolls_per_turn": chances.rolls_per_turn,
        "us_rings": bell and bell.us_rings,
        "bunco_rings": bell and bell.bunco_rings,
    }


def _print_json(table: dict[str, Any]) -> None:
    print(json.dumps(table, indent=2, ensure_ascii=False))


def toml(rules: RuleSet) -> str:
    """A complete file of `rules` for a host to edit; `read` makes the same rule set of it."""
    lines = [
        f"# {title(rules)}: {summary(rules)}",
        "",
        "# what to start from",
        *_comment(" or ".join(PRESETS)),
    ]
    lines.append(f'preset = "{rules.preset}"')
    # In TOML a key that stands below a [table] belongs to it, so the plain ones come first.
    for table, keys in groupby(sorted(dimensions(), key=_table), _table):
        lines += ["", f"[{table}]"] if table else []
        for key in keys:
            value = _toml_value(msgspec.to_builtins(rules.dimension(key)))
            lines += ["", f"# {MEANINGS[key]}", *_comment(allowed(key))]
            lines.append(f"{key.rpartition('.')[2]} = {value}")
    return "\n".join(lines) + "\n"


def _comment(text: str) -> list[str]:
    return wrap(text, 100, initial_indent="#   ", subsequent_indent="#   ")


def _table(key: str) -> str:
    return key.rpartition(".")[0]


def _toml_value(value: Any) -> str:
    match value:
        case None:
            return '"none"'
        case str():  # JSON's strings are TOML's but for one character
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case dict():
            return f"{{ {', '.join(f'{key} = {_toml_value(one)}' for key, one in value.items())} }}"
        case [dict(), *_] as tables:
            return "[\n" + "".join(f"  {_toml_value(one)},\n" for one in tables) + "]"
        case list() | tuple():
            return f"[{', '.join(_toml_value(one) for one in value)}]"
        case _:
            return json.dumps(value)


def _list() -> None:
    table = _columns("rule set", "a round", "what it is")
    for name in PRESETS:
        rules = preset(name)
        means = [bell.mean for bell in _bells(rules)]
        length = " to\n".join(dict.fromkeys([in_words(max(means)), in_words(min(means))]))
        table.add_row(name, length, f"{rules.description}\n{rules.source}")
    console = plain_console()
    console.print(table)
    console.print(f"House rules that were published: {', '.join(EXAMPLES)}.", soft_wrap=True)
    console.print("More on one of them: pi-bunco rules NAME. A file of your own: pi-bunco rules NAME --toml")


def _bells(rules: RuleSet) -> list[BellOdds]:
    return [bell for face in TARGETS if (bell := odds(rules, face).bell)]


def _show(rules: RuleSet) -> None:
    from pi_bunco.play.lengths import estimate, mend, sentences

    console = plain_console()
    console.print(f"{title(rules)}: {summary(rules)}", f"Source: {rules.source}", "", sep="\n")
    console.print(_dimensions(rules))
    console.print(_chances(rules))
    for remark in _remarks(rules):
        console.print(remark)
    if found := estimate(rules):
        console.print(f"Twelve players, as {found.evenings} evenings went:", soft_wrap=True)
        for sentence in sentences(found):
            console.print(sentence, soft_wrap=True)
        if warning := mend(rules, found):
            console.print(warning, soft_wrap=True)


def _dimensions(rules: RuleSet) -> "Table":
    base = preset(rules.preset)
    changed = changes(rules, base)
    table = _columns("dimension", "value", "meaning")
    for key in dimensions():
        value = _in_short(rules.dimension(key))
        if key in changed:
            value += f"\n* {base.preset}: {_in_short(base.dimension(key))}"
        table.add_row(key, value, MEANINGS[key], style="bold" if key in changed else None)
    return table


def _in_short(value: Any) -> str:
    match msgspec.to_builtins(value):
        case None | [] | ():
            return "none"
        case bool(flag):
            return "true" if flag else "false"
        case [{"when": _}, *_]:
            return "\n".join(map(pattern, value))
        case [{"points": _}, *_] as bonuses:
            return "\n".join(f"{bonus['points']} for {bonus['for']}" for bonus in bonuses)
        case [dict(), *_] as prizes:
            return "\n".join(_prize(prize) for prize in prizes)
        case [*words]:
            return ", ".join(map(str, words))
        case plain:
            return str(plain)


def _prize(prize: dict[str, Any]) -> str:
    percent = f"{prize['percent']} % " if "percent" in prize else ""
    amount = f"{prize['amount']} " if "amount" in prize else ""
    amount += f"{prize['per_head']} a head " if "per_head" in prize else ""
    gift = f": {prize['gift']}" if "gift" in prize else ""
    won_by = f"each of the {prize['for']}" if "each" in prize else purpose(prize["for"])
    return f"{percent}{amount}{won_by}{gift}"


def _chances(rules: RuleSet) -> "Table":
    """The odds of the six rounds, equal ones in one row."""
    table = _columns(
        "round", "to the bell", "5-95 %", "points\na turn", "rolls\na turn", "US\nrings", "by a\nBunco"
    )
    for chances, faces in groupby(TARGETS, lambda face: odds(rules, face)):
        alike = [str(face) for face in faces]
        bell = chances.bell
        table.add_row(
            "-".join(dict.fromkeys([alike[0], alike[-1]])),
            in_words(bell.mean) if bell else "no bell by dice",
            f"{bell.p5}-{bell.p95}" if bell else "",
            f"{chances.points_per_turn:.2f}",
            f"{chances.rolls_per_turn:.2f}",
            f"{bell.us_rings:.1%}" if bell else "",
            f"{bell.bunco_rings:.1%}" if bell else "",
        )
    return table


def _remarks(rules: RuleSet) -> Iterator[str]:
    end, bells = rules.end, _bells(rules)
    if end.points is None and bells:
        mean = bells[0].mean
        yield f"No points end a round, so that it lasts {mean:.0f} head rolls on average, until a Bunco."
    if not bells:
        yield "Nothing that is rolled rings the bell: the host does."
    if end.points is None:
        yield "To end it at 21 points: --set end.points=21"
    if end.limit_s:
        yield f"A round is over after {time_limit(end)} at the latest; the odds leave that out."
    if end.tables == "any" and bells:
        yield f"Any table may ring: the odds are those of {TABLES} tables that roll at the same pace."


def _columns(*names: str) -> "Table":
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for name in names:
        table.add_column(name, no_wrap=name in ("rule set", "a round", "dimension", "to the bell"))
    return table
