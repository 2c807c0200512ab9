"""The object of `replay --json`, from the lines of a log."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from game.independent.evening import Evening
from game.independent.money import money
from game.independent.prizes import standing_word
from game.independent.rounds import Round
from game.independent.standings import cards
from game.independent.taking import take
from game.independent.ties import Tie
from game.independent.tournament import Place

NOTHING: dict[str, Any] = {
    "rules": None, "state": "setup", "rounds": [], "next_seating": None, "standings": {}, "traveler": None,
    "ranking": [], "stage": None, "tournament": None, "results": None, "ignored": [],
}  # fmt: skip
STANDINGS = ("wins", "losses", "buncos", "minis", "points")


def replayed(lines: Iterable[str]) -> dict[str, Any]:
    """The report on a log."""
    evening: Evening | None = None
    ignored: list[int] = []
    for number, text in enumerate(lines, 1):
        fact = json.loads(text)
        if evening is None:
            if fact["kind"] == "evening":
                evening = Evening(fact)
            continue
        if take(evening, fact, number) is not None:
            ignored.append(number)
    if evening is None:
        return NOTHING
    return {**report(evening), "ignored": ignored}


def report(evening: Evening) -> dict[str, Any]:
    """The evening as one object."""
    people, counted = evening.people, evening.cards()
    chairs = evening.chairs()
    seats = None if chairs is None else people.on_chairs(chairs)
    if evening.running is not None:
        seats = [table.seats for table in evening.running.tables]
    ground = evening.ground()
    ranked = ground.ranked("champion", range(len(people.names)))
    return {
        "rules": evening.opened["rules"],
        "state": state(evening),
        "rounds": [_round(round_) for round_ in evening.rounds],
        "next_seating": seats,
        "standings": {
            name: {key: counted[person][key] for key in (*STANDINGS, *words(evening.rules))}
            for person, name in enumerate(people.names)
        },
        "traveler": evening.handed("bag"),
        "ranking": [[people.names[person] for person in equal] for equal in ranked],
        "stage": evening.stage(),
        "tournament": _tournament(evening),
        "results": _results(evening) if evening.results_stand() else None,
    }


def words(rules: dict[str, Any]) -> list[str]:
    """The words of marks that the card, the ranking or a prize names."""
    named = [*rules["card"], *rules["champion"], *(prize["for"] for prize in rules["prizes"])]
    marked = ["wipes", *(one.get("mark") for one in rules["rolls"])]
    return [word for word in named if word in marked and word not in ("bunco", "mini", "none", "wipe")]


def state(evening: Evening) -> str:
    """The state of the evening."""
    if evening.closed or (evening.running is None and evening.over()):
        return "finished"
    if evening.running is not None:
        return "after_bell" if evening.running.bell is not None else "round_open"
    if evening.in_break:
        return "break"
    return "between_rounds" if evening.rounds else "setup"


def _round(round_: Round) -> dict[str, Any]:
    bell = round_.bell
    return {
        "set": round_.set,
        "round": round_.place,
        "face": round_.target,
        "bell": None if bell is None else {"t": bell.t, "by": bell.by, "player": bell.player},
        "tables": [
            {
                "table": table.number,
                "seats": table.seats,
                "points": table.now().totals(),
                "winner": round_.winner(table.number),
                "rolloffs": table.now().rolloffs,
                "ignored": table.ignored,
                "cards": [
                    {"player": name, **{key: card[key] for key in ("points", "buncos", "minis")}}
                    for name, card in zip(table.seats, table.cards(), strict=True)
                ],
            }
            for table in round_.tables
        ],
    }


def _tie(evening: Evening, tie: Tie) -> dict[str, Any]:
    now = evening.standing(tie)
    names = evening.people.names
    return {
        "purpose": tie.purpose, "players": [names[person] for person in now.still], "dice": tie.dice,
        "lowest": tie.lowest, "group": tie.group,
        "thrown": {names[person]: [value] for person, value in now.thrown.items()}, "goes": now.again,
    }  # fmt: skip


def _tournament(evening: Evening) -> dict[str, Any] | None:
    stages = evening.stages
    if stages is None:
        return None
    names = evening.people.names
    return {
        "next": evening.next_stage(),
        "semi_final": [_place(names, place) for place in stages.now.places],
        "final": [_place(names, place) for place in stages.now.finalists],
        "ties": [_tie(evening, contest.tie) for contest in stages.now.contests if contest.is_open()],
        "order": [None if place.person is None else names[place.person] for place in stages.order()],
        "throws": len(stages.now.rolled),
    }


def _place(names: list[str], place: Place) -> dict[str, Any]:
    return {
        "by": place.by, "group": place.group,
        "player": None if place.person is None else names[place.person],
        "ghost": None if place.ghost is None else f"Ghost {-place.ghost}",
    }  # fmt: skip


def _teams(evening: Evening) -> Iterator[dict[str, Any]]:
    """The tables in their rank, where each is a team."""
    count = max((len(round_.tables) for round_ in evening.rounds), default=0)
    if evening.rules["team"] != "table" or not count:
        return
    keys = [*dict.fromkeys([*STANDINGS, *words(evening.rules)])]
    persons = range(len(evening.people.names))
    summed: list[dict[str, int]] = [dict.fromkeys(keys, 0) for _ in range(count)]
    for round_ in evening.rounds:
        found = cards(len(persons), [round_])
        for number, chairs in enumerate(round_.chairs):
            for person in chairs:
                for key in keys if person >= 0 else []:
                    summed[number][key] += found[person][key]
    named = [
        evening.teams[number] if number < len(evening.teams) else f"Table {number + 1}"
        for number in range(count)
    ]
    by = ["points" if key == "score" else key for key in evening.rules["champion"]]
    worth = [tuple(marks.get(key, 0) for key in by) for marks in summed]
    for number in sorted(range(count), key=lambda number: worth[number], reverse=True):
        place = 1 + sum(one > worth[number] for one in worth)
        yield {"name": named[number], "place": place, "marks": summed[number]}


def _results(evening: Evening) -> dict[str, Any]:
    ground, names = evening.ground(), evening.people.names
    prizes, declared = evening.prizes(), evening.rules["prizes"]
    paid = money(evening, prizes)
    found = []
    for prize, part, said in zip(prizes, paid.parts, declared, strict=True):
        entry: dict[str, Any] = {"for": prize.what, "winners": [names[person] for person in prize.winners]}
        if part.amount is not None:
            entry["amount"] = str(part.amount)
        if part.shares:
            parts = [str(share) for share in part.shares]
            entry["each"] = str(min(part.shares))
            entry |= {"shares": parts} if len(set(parts)) > 1 else {}
        if prize.tie is not None and not prize.winners:
            entry["tied"] = [names[person] for person in prize.tied]
        award = said.get("gift") or said.get("award")
        for key, value in (("by", prize.by), ("waits_for", prize.waits_for), ("award", award)):
            entry |= {key: value} if value is not None else {}
        entry |= {"counts": part.counts} if part.counts else {}
        entry |= {"place": prize.place} if prize.place > 1 else {}
        entry |= {"lapsed": True} if prize.lapsed else {}
        found.append(entry)
    word = standing_word(evening.words.get(("champion", 1), []), "champion", ground)
    best = ground.ranked("champion", ground.eligible)[:1]
    champions = word.winners if word is not None else best[0] if best and evening.rounds else []
    grand, holds = evening.grand(), evening.rules["holds"]
    return {
        "champions": [names[person] for person in champions],
        "prizes": found,
        "pot": None if paid.pot is None else str(paid.pot),
        "keep": None if paid.keep is None else str(paid.keep),
        "rest": None if paid.rest is None else str(paid.rest),
        "grand_prize": None if grand is None else names[grand],
        "left": [name for person, name in enumerate(names) if person not in evening.people.there],
        "holders": {thing: name for thing in holds if (name := evening.keeper(thing))} or None,
        **({"short": str(paid.short)} if paid.short else {}),
        "teams": list(_teams(evening)) or None,
    }
