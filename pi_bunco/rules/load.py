"""Rule sets from presets, a host's own TOML files and single overrides, with every mistake named at once."""

import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from pi_bunco import validator
from pi_bunco.errors import ProblemsError, RulesError
from pi_bunco.reason import N_, InEnglish, Reason
from pi_bunco.rules import reasons, ruleset
from pi_bunco.rules.patterns import score
from pi_bunco.validator import Declared, hint

PRESETS = ("mybunco", "tournament", "classic", "gong", "bonko")
SINGLE_MOVES = ("stay", "chain", "partners")
"""Ways to move where each plays alone: they split all pairs, or nobody has won one."""
COUNTED = ("buncos", "wins", "losses", "minis", "wipes")
HOUSE_RULES = N_("house rules on %(rules)s")
"""The title of rules that have no name of their own."""
_TEXTS = ("preset", "source")
_NAMES = ("name", "description")
EXAMPLES = {path.stem: path for path in sorted(Path(__file__).with_name("examples").glob("*.toml"))}
"""House rules that were published, by name: files to play by or to start from."""
_FOLDER = Path(__file__).with_name("presets")


@cache
def dimensions() -> Mapping[str, Any]:
    """The name of every dimension with its type, in the order of RULES.md."""
    return {key: kind for key, kind in validator.keys(ruleset.RuleSet) if key not in _TEXTS}


def allowed(name: str) -> str:
    """Values of the dimension `name` as a phrase: `"team" or "player"`."""
    return validator.expected(dimensions()[name], _PATTERNS)


_PATTERNS = {
    ruleset.AMOUNT: 'an amount like 12 or "12.50"',
    ruleset.WORD: 'words such as "buncos", "wins", "losses", "minis", "score", "wipes"',
    ruleset.WHEN: '"fff", "ff.", "f..", "xxx", "xx.", "1-2-3" (three faces), "sum=5", "..."',
}


@cache
def preset(name: str) -> ruleset.RuleSet:
    """The published rule set `name`; `RulesError` if there is none."""
    if name not in PRESETS:
        raise RulesError(reasons.NoSuchRules(name, hint(name, [*PRESETS, *EXAMPLES])))
    table = tomllib.loads((_FOLDER / f"{name}.toml").read_text("utf-8"))
    texts = {"preset": name, "source": table.pop("source")}
    return _build(texts, *_checked(table))


def override(rules: ruleset.RuleSet, overrides: Mapping[str, Any]) -> ruleset.RuleSet:
    """`rules` with the dimensions of `overrides` changed; keys `end.points` or nested tables.

    A description does not outlive what it describes. Raises `RulesError` with a reason for every mistake.
    """
    if not overrides:
        return rules
    values, problems = _checked(overrides)
    before = {key: rules.dimension(key) for key in dimensions()}
    merged = before | values
    for key, other in (("end.minutes", "end.seconds"), ("end.seconds", "end.minutes")):
        if values.get(key) is not None and other not in values:
            merged[other] = None
    if "description" not in values and any(merged[key] != before[key] for key in before if key != "name"):
        merged["description"] = None
    return _build({key: getattr(rules, key) for key in _TEXTS}, merged, problems)


def load(name: str, overrides: Mapping[str, Any] | None = None) -> ruleset.RuleSet:
    """The rule set of a preset, of an example or of a TOML file's path, with `overrides` on top.

    A file starts from the preset that its key `preset` names. Raises `RulesError`.
    """
    path = EXAMPLES.get(name, Path(name))
    if path.suffix != ".toml":
        return override(preset(name), overrides or {})
    return override(read(path), overrides or {})


def read(path: Path) -> ruleset.RuleSet:
    """The rule set of a host's own file; `RulesError` names the file and all that is wrong in it."""
    try:
        table = validator.read(path)
    except ProblemsError as error:
        raise RulesError(*map(InEnglish, error.problems)) from error
    base = table.pop("preset", None)
    problems: list[Reason] = []
    if not isinstance(base, str):
        problems.append(reasons.PresetMissing(PRESETS))
    elif base not in PRESETS:
        problems.append(reasons.NoSuchBase(base, hint(base, PRESETS)))
    try:
        rules = override(preset(PRESETS[0] if problems else base), table)
        if face := undecided(rules):
            problems.append(reasons.TieUnbroken(face))
    except RulesError as error:
        problems += error.reasons
    if problems:
        raise RulesError(*(reasons.InFile(str(path), problem) for problem in problems))
    return rules


def undecided(rules: ruleset.RuleSet) -> int | None:
    """The face of a round in which no throw ever breaks a tie; None where there is none."""
    faces = rules.evening.faces if rules.rolls else ()
    return next((face for face in faces if score(rules, face).undecided(rules.tie.method)), None)


def parse_setting(text: str) -> tuple[str, Any]:
    """`KEY=VALUE` as key and value; VALUE is a TOML value, a bare word is a string. Raises `RulesError`."""
    key, equals, value = (part.strip() for part in text.partition("="))
    if not equals or not key:
        raise RulesError(reasons.NoKeyAndValue(repr(text)))
    try:
        table = tomllib.loads(f"value = {value}")
    except (tomllib.TOMLDecodeError, RecursionError):
        return key, value
    return key, table["value"] if len(table) == 1 else value


def parse_settings(texts: Iterable[str]) -> dict[str, Any]:
    """Every `KEY=VALUE` of `texts`, later ones winning; `RulesError` names all that are none."""
    settings: dict[str, Any] = {}
    problems: list[Reason] = []
    for text in texts:
        try:
            key, value = parse_setting(text)
        except RulesError as error:
            problems += error.reasons
        else:
            settings[key] = value
    if problems:
        raise RulesError(*problems)
    return settings


def changes(rules: ruleset.RuleSet, base: ruleset.RuleSet) -> dict[str, Any]:
    """The dimensions in which `rules` differs from `base`, as plain values for an `evening` fact."""
    differing = [key for key in dimensions() if rules.dimension(key) != base.dimension(key)]
    absent = [key for key in _NAMES if rules.dimension(key) is None]
    return {key: msgspec.to_builtins(rules.dimension(key)) for key in differing if key not in absent}


@cache
def title(rules: ruleset.RuleSet) -> str:
    """The rule set's name on status, page and log: its own, or where it has none the preset's."""
    if rules.name:
        return rules.name
    changed = changes(rules, preset(rules.preset)).keys() - {*_NAMES}
    return HOUSE_RULES % {"rules": rules.preset} if changed else rules.preset


def _checked(table: Mapping[str, Any]) -> tuple[dict[str, Any], list[Reason]]:
    declared = Declared(N_("a dimension"), dimensions(), allowed, _plain)
    return declared.check(validator.flat(table, dimensions()))


def _plain(key: str, value: Any) -> Any:
    """The value as JSON has it: TOML has no null, so that the word "none" stands for it there."""
    if key == "prizes" and isinstance(value, list | tuple):
        return [_prize(one) if isinstance(one, Mapping) else one for one in value]
    if key == "stake":
        value = _amount(value)
    if key == "traveling" and isinstance(value, bool):
        return "bunco" if value else None  # as logs before version 0.2 say it
    if value not in ("none", None) or key == "team":
        return value
    return [] if key in ("prizes", "rolls", "holds", "bonus") else None


_FORMER_PRIZES = {
    "most buncos": "buncos",
    "most wins": "wins",
    "most losses": "losses",
    "most minis": "minis",
    "highest score": "score",
    "lowest score": "lowest_score",
    "grand prize": "grand_prize",
}
"""Names of prizes in logs before version 0.2."""


def _prize(plain: Mapping[str, Any]) -> dict[str, Any]:
    """A prize with its amount as text, and with present names where an earlier log has others."""
    prize = dict(plain)
    if "category" in prize and "for" not in prize:
        former = prize.pop("category")
        prize["for"] = _FORMER_PRIZES.get(former, former) if isinstance(former, str) else former
    if "award" in prize:  # as logs before version 0.2 say it
        prize.setdefault("gift", prize.pop("award"))
    for key in ("amount", "per_head"):
        prize |= {key: _amount(prize[key])} if key in prize else {}
    return prize


def _amount(plain: Any) -> Any:
    return str(plain) if isinstance(plain, int | float) and not isinstance(plain, bool) else plain


# Reads the type before there are threads: msgspec 0.22 crashes where two of them do so at once.
msgspec.json.Decoder(ruleset.RuleSet)


def _wrong_places(prizes: Sequence[ruleset.Prize]) -> Iterator[Reason]:
    """Prizes that are listed twice, or whose places are not 1, 2 and so on."""
    following: Counter[str] = Counter()
    for prize in prizes:
        kind, place = prize.category, prize.place
        following[kind] += 1
        if place < following[kind]:
            yield reasons.PrizeTwice(kind, place)
        elif place > following[kind]:
            yield reasons.PlaceLeftOut(kind, place, following[kind])
        elif place > 1 and kind in ("traveling", "grand_prize"):
            yield reasons.OnePlaceOnly(kind)


def _unknown(key: str, words: Iterable[str], known: Sequence[str]) -> Iterator[Reason]:
    return (reasons.NothingCounts(word, hint(word, known), key) for word in words if word not in known)


def _build(texts: Mapping[str, str], values: Mapping[str, Any], problems: list[Reason]) -> ruleset.RuleSet:
    if found := [*problems, *_contradictions(values)]:
        raise RulesError(*found)
    rules = msgspec.convert({**texts, **validator.nested(values)}, ruleset.RuleSet)
    endless = [face for face in rules.evening.faces if rules.rolls and score(rules, face).endless]
    if endless:
        raise RulesError(reasons.TurnWithoutEnd(endless[0]))
    return rules


def _contradictions(values: Mapping[str, Any]) -> Iterator[Reason]:
    """Dimensions that do not go together."""
    prizes = values.get("prizes") or ()
    if any(sum(map(bool, (prize.percent is not None, prize.amount, prize.per_head))) > 1 for prize in prizes):
        yield reasons.ShareOrAmount()
    shares = [prize.percent for prize in prizes if prize.percent is not None]
    if shares and sum(shares) != 100:
        yield reasons.SharesOff(sum(shares))
    if values.get("end.minutes") and values.get("end.seconds"):
        yield reasons.MinutesOrSeconds()
    yield from _wrong_teams(values)
    if values.get("traveling_nth") and values.get("traveling") is None:
        yield reasons.NothingHandsOn()
    yield from _wrong_places(prizes)
    yield from _wrong_words(values)


def _wrong_teams(values: Mapping[str, Any]) -> Iterator[Reason]:
    """Dimensions that cannot be where people do not play in pairs."""
    team, moves = values.get("team"), values.get("move.tables")
    if team == "none" and moves not in SINGLE_MOVES:
        yield reasons.MovesOfSingles(SINGLE_MOVES, str(moves))
    if team != "table":
        return
    if values.get("end.points_by") == "player":
        yield reasons.TableCountsTotal()
    if any(one.wipe == "seat" for one in values.get("rolls") or ()):
        yield reasons.TableWipesAll()
    if values.get("tournament"):
        yield reasons.TournamentOfPlayers()


def _wrong_words(values: Mapping[str, Any]) -> Iterator[Reason]:
    """Words that nothing counts, or that the game has another meaning for."""
    prizes, rolls, holds = (values.get(key) or () for key in ("prizes", "rolls", "holds"))
    for one in rolls:
        if one.mark in ruleset.NO_WORDS - {"bunco", "mini", "wipe", "none"}:
            yield reasons.MarkTaken(one.mark)
        if one.hands in ruleset.NO_WORDS - {ruleset.BAG, "none"}:
            yield reasons.ThingTaken(one.hands)
    words = {one.mark for one in rolls if one.mark} - ruleset.NO_WORDS
    things = {*({one.hands for one in rolls if one.hands} - ruleset.NO_WORDS), *holds} - {ruleset.BAG}
    for key in ("card", "champion"):
        yield from _unknown(key, values.get(key) or (), [*ruleset.CARD_MARKS, *words])
    categories = [prize.category for prize in prizes]
    yield from _unknown("prizes", categories, [*ruleset.KINDS_OF_PRIZES, *words, *things])
    yield from _unknown("bonus", [one.thing for one in values.get("bonus") or ()], [ruleset.BAG, *things])
    for one in prizes:
        many = one.place > 1 or one.percent or one.per_head
        if one.each and (one.category not in (*COUNTED, *words) or many):
            yield reasons.GivenOnce(one.category, COUNTED)
    for word in holds:
        if word in ruleset.NO_WORDS - {ruleset.BAG}:
            yield reasons.HoldTaken(word)
    yield from map(reasons.MarkAndThing, words & things)
    for one in prizes:
        if one.place > 1 and one.category in things:
            yield reasons.OnePlaceOnly(one.category)
