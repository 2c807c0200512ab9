"""Rule sets drawn at random, and the evenings that are opened under them."""

from random import Random
from typing import Any

NAMES = ["Ann", "Bob", "Cat", "Dee", "Eve", "Flo", "Gus", "Hal", "Ida", "Joe", "Kim", "Lou", "Mia", "Ned"]
GUESTS = ["Zoe", "Yan", "Xia", "Walt"]
PRIZES = [
    "buncos", "wins", "minis", "losses", "score", "lowest_score", "traveling", "first_bunco", "last_bunco",
    "one_two_three", "loser_lottery", "fifty_fifty",
]  # fmt: skip
WHENS = ["fff", "ff.", "f..", "xxx", "xx.", "...", "1-2-3", "1-1-1", "2-4-6", "sum=5", "sum=12"]
MODES = ["stop", "finish_turn", "finish_lap", "first_lap"]
DIMENSIONS: dict[str, list[Any]] = {
    "scoring.match": ["one", "face"],
    "scoring.bunco": [21, 21, 5],
    "scoring.mini": [5, 5, 1, 0],
    "scoring.wipe": ["none", 1, 2, 3, 6],
    "scoring.wipe_ends": [True, False],
    "turn.mini_ends": [True, False],
    "end.points": [21, 6, 10, "none"],
    "end.points_by": ["team", "player"],
    "end.bunco": [True, True, False],
    "end.tables": ["head", "any"],
    "after_bell": MODES,
    "after_bell_head": ["none", *MODES],
    "winner.auto": [True, False],
    "tie.method": ["session", "lap", "one_die", "one_roll", "no_chance"],
    "move.tables": [
        *("losers_to_last", "down_one", "stay", "losers_round"),
        *("winners_round", "chain", "partners"),
    ],
    "evening.sets": [1, 1, 2],
    "evening.faces": [[1, 2, 3, 4, 5, 6], [6, 1], [2], [3, 3, 5]],
    "evening.break_after": [1, "none"],
    "champion": [["buncos", "wins"], ["wins", "buncos"], ["score"], ["minis", "losses"]],
    "prize_tie": ["split", "one_die", "three_dice", "ask"],
    "prize_once": [True, False],
    "traveling": ["none", True, "bunco", "mini", 1, 2, 3],
    "ghost_marks": ["nobody", "partner"],
    "tournament": [True, False],
    "card": [["wins", "losses", "buncos", "minis"]],
}  # fmt: skip


def opening(draw: Random, kinds: tuple[str, ...]) -> dict[str, Any]:
    """The fact `evening`, under drawn rules of these kinds."""
    players = NAMES[: draw.choice([4, 5, 6, 7, 8, 8, 9, 12, 12, 13])]
    ghosts = [f"Ghost {k + 1}" for k in range(-len(players) % 4)]
    chosen = draw.sample(sorted(DIMENSIONS), draw.choice([0, 2, 5, 12]))
    overrides = {key: draw.choice(DIMENSIONS[key]) for key in chosen}
    if overrides.get("traveling") not in (None, "none") and draw.random() < 0.3:
        overrides["traveling_nth"] = draw.choice([1, 2])
    overrides["evening.sets"] = draw.choice([1, 1, 1, 2])
    if draw.random() < 0.8:
        overrides["evening.faces"] = draw.choice(DIMENSIONS["evening.faces"][1:])
    if draw.random() < 0.3:
        overrides["prizes"] = _prizes(draw, PRIZES[:-2] if overrides.get("prize_once") else PRIZES)
    preset = draw.choice(["mybunco", "tournament", "classic", "gong", "bonko"])
    if "stages" in kinds:
        preset = "tournament"
        overrides |= {
            "evening.sets": 1,
            "tournament": draw.random() < 0.8,
            "evening.faces": [draw.randint(1, 6)],
        }
        if "prizes" not in overrides and draw.random() < 0.7:
            overrides["prizes"] = _prizes(draw, [*PRIZES, "grand_prize"])
        overrides["prize_once"] = draw.random() < 0.3
    if "patterns" in kinds:
        overrides["rolls"] = [_entry(draw) for _ in range(draw.choice([1, 2, 3, 5]))]
        if draw.random() < 0.5:
            overrides["champion"] = ["gold", "wins"]
            overrides["rolls"].append({"when": draw.choice(WHENS), "mark": "gold"})
            overrides["prizes"] = [{"for": "gold"}, {"for": "wipes"}, {"for": "buncos"}]
    opened: dict[str, Any] = {
        "kind": "evening", "t": 0, "rules": preset, "overrides": overrides,
        "players": players, "ghosts": ghosts, "pot": draw.choice(["60.00", "7.77", "0.05", "100.00"]),
    }  # fmt: skip
    if draw.random() < 0.5:
        opened["seed"] = draw.choice([7, "lots", draw.randint(0, 99)])
    tables = (len(players) + len(ghosts)) // 4
    if tables > 1 and draw.random() < 0.3:
        cut = draw.randint(1, tables - 1)
        opened["groups"] = [list(range(1, cut + 1)), list(range(cut + 1, tables + 1))]
    if "house" in kinds:
        _house(draw, opened)
    if "teams" in kinds:
        _teams(draw, opened)
    return opened


def _teams(draw: Random, opened: dict[str, Any]) -> None:
    """Each for themselves, or a table as a team."""
    overrides = opened["overrides"]
    overrides["team"] = draw.choice(["none", "table"])
    if overrides["team"] == "none":
        overrides["move.tables"] = draw.choice(["stay", "chain", "partners"])
        return
    overrides |= {"end.points_by": "team", "tournament": False}
    for entry in overrides.get("rolls", []):
        if entry.get("wipe") == "seat":
            entry["wipe"] = "team"


def _entry(draw: Random) -> dict[str, Any]:
    """A pattern with some of its effects."""
    effects: dict[str, list[Any]] = {
        "target": [1, 2, 3, 5, 6],
        "points": [0, 1, 7, 25, "face"],
        "turn": ["on", "pass"],
        "wipe": ["none", "seat", "team"],
        "mark": ["bunco", "mini", "wipe", "none", "gold"],
        "hands": ["bag", "none"],
        "bell": [True, False],
        "called": [True, False],
    }
    chosen = draw.sample(sorted(effects), draw.choice([1, 2, 3, 5]))
    entry = {"when": draw.choice(WHENS)} | {key: draw.choice(effects[key]) for key in chosen}
    if entry["when"] == "...":  # some roll must end a turn
        entry |= {"turn": "pass"}
    return entry


def _prizes(draw: Random, among: list[str]) -> list[dict[str, Any]]:
    """Some prizes: of amounts, of percents, or of both."""
    names = draw.sample(among, 3)
    if draw.random() < 0.4:
        seconds = draw.choice(["buncos", "wins", "losses", "score", "first_bunco", "loser_lottery"])
        places = [{"for": seconds, "place": place, "amount": "0.50"} for place in (1, 2, 3)]
        return [*places, *({"for": name} for name in names if name != seconds)]
    if draw.random() < 0.5:
        return [{"for": name, "percent": percent} for name, percent in zip(names, (50, 33, 17), strict=True)]
    return [{"for": names[0], "amount": "1.25"}, {"for": names[1]}, {"for": names[2], "percent": 100}]


HOUSE: dict[str, list[Any]] = {
    "begins": ["A", "rolled", "drawn", "drawn"],
    "ghost_turn": ["partner", "partner_twice"],
    "stake": ["2.50", "12", "none"],
    "keep": [10, 33, "none"],
    "holds": [["doormat"], ["bag", "doormat"], ["bag"]],
}
HOUSE_PRIZES: list[dict[str, Any]] = [
    {"for": "dice_lottery", "amount": "1"}, {"for": "buncos", "per_head": "0.75"}, {"for": "doormat"},
    {"for": "minis", "each": True, "amount": "0.25"}, {"for": "wins", "each": True, "gift": "a pencil"},
    {"for": "losses", "gift": "doormat"}, {"for": "traveling", "gift": "bag"}, {"for": "die", "amount": "4"},
    {"for": "gold", "each": True, "amount": "1.5"}, {"for": "score", "percent": 100}, {"for": "lowest_score"},
]  # fmt: skip


def _house(draw: Random, opened: dict[str, Any]) -> None:
    """Pots, things that are held and go over to the next night, and who begins."""
    overrides = opened["overrides"]
    overrides |= {key: draw.choice(values) for key, values in HOUSE.items() if draw.random() < 0.7}
    held = [word for word in overrides.get("holds", []) if word != "bag"]
    overrides["rolls"] = [
        *overrides.get("rolls", []),
        {"when": draw.choice(WHENS[:5]), "hands": draw.choice(["die", "doormat", "bag"])},
        {"when": draw.choice(WHENS[:5]), "mark": "gold", "called": draw.random() < 0.3},
        {"when": "6-6-6", "hands": "die"},
    ]
    things = {"bag", "die", *held, *(one.get("hands", "die") for one in overrides["rolls"])} - {"none"}
    overrides["bonus"] = [
        {"for": thing, "points": draw.choice([1, 25])} for thing in sorted(things) if draw.random() < 0.3
    ]
    known = [one for one in HOUSE_PRIZES if one["for"] != "doormat" or "doormat" in things]
    if draw.random() < 0.8:
        overrides["prizes"] = draw.sample(known, draw.choice([1, 3, 5]))
    brings = [*opened["players"][:3], "Zoe", "Somebody else"]
    opened["holders"] = {thing: draw.choice(brings) for thing in sorted(things) if draw.random() < 0.4}
    if overrides.get("stake", "none") != "none" or draw.random() < 0.2:
        del opened["pot"]
    elif draw.random() < 0.3:
        opened["pot"] = draw.choice(["100", "3", "10.5"])
