"""Evenings drawn at random: as people play them, with all that hosts and bad links do besides."""

import json
import random
from typing import Any

from game.independent.drawn_rules import GUESTS, opening
from game.independent.evening import Evening
from game.independent.rounds import Round
from game.independent.taking import take
from game.independent.ties import Tie
from game.independent.tournament import Stages


class Drawn:
    """One log in the making; the plain engine is asked how things stand, so that most facts make sense."""

    def __init__(self, seed: int, *kinds: str) -> None:
        self.random = random.Random(seed)
        self.t = 0
        self.wild = self.random.choice([0.0, 0.03, 0.1, 0.3])
        self.late = self.random.choice([0.0, 0.1, 0.4])
        self.mending = self.random.choice([0.03, 0.1, 0.3])
        self.house = "house" in kinds
        opened = opening(self.random, kinds)
        self.evening = Evening(opened)
        self.teams = "teams" in kinds
        self.alone = opened["overrides"].get("team") == "none"
        self.sides = ["US", "THEM", *("ABCD" if "teams" in kinds else "")]
        self.facts: list[dict[str, Any]] = [opened]
        self.put("seating", tables=self.chairs(opened["players"] + opened["ghosts"]))

    def put(self, kind: str, **fields: Any) -> bool:
        """Adds a fact, and says whether the plain engine takes it."""
        fact = {"kind": kind, "t": max(fields.pop("t", self.t), 0), **fields}
        running = self.evening.running
        if running and self.random.random() < 0.02 and kind not in ("prize", "seating"):
            fact["epoch"] = running.epoch + self.random.choice([0, 0, 0, -1, 1]) or 1
        self.facts.append(fact)
        return take(self.evening, fact, len(self.facts)) is None

    def chairs(self, names: list[str]) -> list[list[str]]:
        """A drawn seating."""
        names = self.random.sample(names, len(names))
        return [names[at : at + 4] for at in range(0, len(names), 4)]

    def play(self, longest: int) -> list[str]:
        """The lines of the log."""
        while len(self.facts) < longest:
            self.t += self.random.choice([0, 1, 300, 900, 2500])
            running = self.evening.running
            if self.random.random() < self.wild:
                self.anything()
            elif running is None:
                if not self.between():
                    break
            elif running.bell is None:
                self.in_round(running)
            else:
                self.after_bell(running)
        return [json.dumps(fact, separators=(",", ":")) for fact in self.facts]

    def faces(self, number: int) -> list[int]:
        """One die each."""
        return [self.random.randint(1, 6) for _ in range(number)]

    # the round

    def table(self, running: Round | None = None) -> int:
        """One of the tables, the head table most often."""
        count = len(running.tables if running else self.evening.seating())
        return int(self.random.choice([1, *range(1, count + 1)]))

    def roll(self, table: int) -> None:
        """A throw or a roll by hand, sometimes late, sometimes as that table needs it."""
        draw = self.random
        running = self.evening.running
        if self.evening.over():
            return
        target = running.target if running else draw.randint(1, 6)
        fields: dict[str, Any] = {"table": table}
        if draw.random() < 0.75:
            face = draw.randint(1, 6)
            fields["dice"] = draw.choice([
                [draw.randint(1, 6) for _ in range(3)], [draw.randint(1, 6) for _ in range(3)],
                [target, draw.randint(1, 6), face], [face] * 3, [target] * 3, [1, 2, 3],
            ][: draw.choice([1, 3, 6])])  # fmt: skip
        else:
            fields["call"] = draw.choice(["one", "two", "mini", "bunco", "miss", "miss", "miss", "wipe"])
            if fields["call"] == "mini" and draw.random() < 0.5:
                fields["face"] = draw.randint(1, 6)
            if self.evening.rules["rolls"] and draw.random() < 0.4:
                fields = {"table": table, "call": draw.choice(self.evening.rules["rolls"])["when"]}
        if self.evening.rules["rolls"] and draw.random() < 0.3:
            fields["called"] = True
        if draw.random() < self.late:
            fields["t"] = self.t - draw.randint(0, 4000)
        before = running and running.bell
        self.put("roll", **fields)
        self.rung(before)

    def rung(self, before: Any) -> None:
        """Most bells are followed by their time."""
        running = self.evening.running
        if running and running.bell and not before and self.random.random() < 0.8:
            self.put("bell", t=running.bell.t + self.random.choice([0, 40, 40, 300, 2000, -50]))

    def mend(self, running: Round) -> None:
        """The acts of a host or a table when something went wrong."""
        draw = self.random
        table, before = self.table(running), running.bell
        what = draw.choice(
            ["undo", "undo", "undo", "turn", "turn", "decide", "tally", "bell_void", "reopen", "roll"]
        )
        if what == "undo":
            for _ in range(draw.choice([1, 1, 2, 3])):
                self.put("undo", table=table)
        elif what == "turn":
            self.put("turn", table=table, seat=draw.choice("ABCD"), rolls=draw.choice([0, 0, 1, 1, 2, 3]))
            self.rung(before)
        elif what == "decide":
            self.put("decide", table=table, winner=draw.choice(self.sides))
        elif what == "tally":
            self.put("tally", table=table, cards=[self.card() for _ in range(4)])
        elif what == "roll":
            self.roll(table)
        elif what == "reopen":
            self.put("reopen", table=table)
        elif before or draw.random() < 0.1:
            self.put(what)

    def card(self) -> dict[str, int]:
        """A seat's score on paper."""
        draw = self.random
        return {
            "points": draw.choice([0, 3, 5, 9, 21]),
            "buncos": draw.choice([0, 0, 1]),
            "minis": draw.choice([0, 1]),
        }

    def in_round(self, running: Round) -> None:
        """Before the bell."""
        if self.random.random() < self.mending:
            self.mend(running)
        elif self.house and self.random.random() < 0.1:
            self.in_house(running)
        elif self.random.random() < 0.95:
            self.roll(self.table(running))
        elif self.put("round_close", by=self.random.choice(["host", "time"])):
            self.rung(None)

    def in_house(self, running: Round) -> None:
        """Facts of the first turn, of payments, and of dice that are called out."""
        draw, before, table = self.random, running.bell, self.table(running)
        chance = draw.random()
        if chance < 0.2:
            self.pays()
        elif chance < 0.5:
            self.put("begins", table=table, seat=draw.choice("ABCD"))
        else:
            self.put("confirm", table=table)
            self.rung(before)

    def pays(self) -> None:
        """Somebody has paid the stake, or has not."""
        names = [*self.evening.people.names, "Nobody"]
        self.put("paid", player=self.random.choice(names), paid=self.random.random() < 0.8)

    def after_bell(self, running: Round) -> None:
        """Late rolls, the rest of the lap, OKs, roll-offs."""
        draw = self.random
        table = draw.choice(running.tables)
        now = table.now()
        if draw.random() < self.mending * 1.5:
            self.mend(running)
        elif draw.random() < 0.2:
            self.roll(table.number)
        elif now.winner:
            return
        elif now.rolloff and table.rules["tie.method"] == "one_die":
            self.put("faceoff", table=table.number, dice=self.faces(len(now.tied) if self.alone else 2))
        elif now.rolloff or table.plays_on():
            self.roll(table.number)
        else:
            self.put("confirm", table=table.number)

    # between rounds

    def between(self) -> bool:
        """True if the evening goes on."""
        draw, evening = self.random, self.evening
        chance = draw.random()
        if evening.over():
            return self.after_all()
        stages = evening.stages
        if stages and evening.stage() != "groups" and draw.random() < 0.8:
            self.in_stages(stages)
        elif chance < 0.7:
            if self.put("round_open") and self.house and (running := evening.running):
                for number in range(1, len(running.tables) + 1):
                    self.put("begins", table=number, seat=draw.choice("ABCD"))
                self.pays()
        elif chance < 0.85:
            self.people()
        elif chance < 0.9:
            self.put("reopen", table=self.table())
        elif chance < 0.93:
            self.word()
        else:
            self.put(draw.choice(["pause", "resume"]))
        return True

    def after_all(self) -> bool:
        """Dice and words for prizes, once nothing more is played; whether the evening goes on."""
        draw, evening = self.random, self.evening
        self.number_ties()
        chance = draw.random()
        if self.house and draw.random() < 0.2:
            self.pays()
        elif chance < 0.2:
            self.word()
        elif chance < 0.25:
            self.undo_tie()
        elif chance < 0.3:
            self.open_dice()
        elif chance < 0.6 and (ties := [tie for tie in evening.standing_ties() if evening.is_open(tie)]):
            tie = draw.choice(ties)
            if draw.random() < 0.5 and not evening.closed:
                self.throw(1, draw.choice([[draw.randint(1, 6) for _ in range(3)], [1, 1, 1]]))
            else:
                self.rolled(tie, evening.throws.dice(tie))
        elif chance < 0.65:
            self.people()
        elif chance < 0.75 and not evening.closed:
            self.put("reopen", table=self.table())
        elif evening.closed:
            return draw.random() < 0.6 and self.put("evening_reopen")
        else:
            return draw.random() < 0.6 and self.put("evening_close")
        return True

    def word(self) -> None:
        """The host's word on a prize."""
        draw, names = self.random, self.evening.people.names
        to = draw.choice([names[0], draw.choice(names), draw.sample(names, 2), "Nobody", []])
        prize = draw.choice([{"for": "champion"}, {"for": "wins"}, *self.evening.rules["prizes"]])
        about: dict[str, Any] = {"for": prize["for"]}
        if prize.get("place", 1) > 1 or draw.random() < 0.1:
            about["place"] = prize.get("place", 1)
        if (ties := self.evening.standing_ties()) and draw.random() < 0.5:
            tie = draw.choice(ties)
            about = {"for": tie.purpose, "place": tie.place} | self.named(tie)
            if tie.group:
                about["group"] = tie.group
            to = draw.choice([to, draw.choice(self.among(tie))])
        elif self.evening.throws.numbers and draw.random() < 0.3:
            about["tie"] = draw.choice([1, *self.evening.throws.numbers])
        self.put("prize", **about, to=to)

    def number_ties(self) -> None:
        """Some of the ties that stand get a number, now and then a wrong one is told of."""
        draw, evening = self.random, self.evening
        numbers = evening.throws.numbers
        for tie in [one for one in evening.standing_ties() if one.key() not in numbers.values()]:
            if draw.random() < 0.5:
                players = [evening.people.names[person] for person in sorted(tie.persons)]
                about = {"for": tie.purpose, "place": tie.place, "stage": tie.stage, "group": tie.group}
                wrong = draw.random() < 0.1
                self.put(
                    "tie", id=len(numbers) + draw.choice([1, 1, 1, 0]) or 1, dice=1, players=players[wrong:],
                    rounds=tie.rounds + draw.choice([0, 0, 0, 1] if wrong else [0]),
                    **{key: value for key, value in about.items() if value is not None},
                )  # fmt: skip

    def among(self, tie: Tie) -> list[str]:
        """The names of those who are still in a tie."""
        return [self.evening.people.names[person] for person in self.evening.standing(tie).still]

    def named(self, tie: Tie) -> dict[str, int]:
        """The number of a tie, for half of what is about it."""
        found = [number for number, key in self.evening.throws.numbers.items() if key == tie.key()]
        return {"tie": found[0]} if found and self.random.random() < 0.5 else {}

    def undo_tie(self) -> None:
        """The latest throw for a tie, or for one that stands no more, is taken back."""
        if self.evening.throws.numbers:
            self.put("undo", table=1, tie=self.random.choice([1, *self.evening.throws.numbers]))

    def open_dice(self) -> None:
        """A tie about which the host is asked is rolled off at the table."""
        for tie in self.evening.standing_ties():
            about = {"for": tie.purpose, "place": tie.place, "dice": {}} | self.named(tie)
            self.put("rolloff", **about)

    def throw(self, table: int, dice: list[int]) -> None:
        """Three dice between rounds, now and then from before."""
        t = self.t - self.random.choice([0, 0, 0, 0, 5000])
        ties = self.evening.standing_ties()
        about = self.named(self.random.choice(ties)) if ties and self.random.random() < 0.5 else {}
        self.put("roll", table=table, dice=dice, t=t, **about)

    def rolled(self, tie: Tie, dice: int) -> None:
        """The host says what some of those rolled, sometimes more than they may."""
        draw, among = self.random, self.among(tie)
        thrown = self.evening.standing(tie).thrown
        left = [name for name in among if self.evening.people.person(name) not in thrown]
        names = draw.choice([left, left, left[:1], draw.sample(among, draw.randint(1, len(among)))])
        faces = {name: [draw.choice([1, 6, draw.randint(1, 6)]) for _ in range(dice)] for name in names}
        about: dict[str, Any] = {"for": tie.purpose, "dice": faces} | (
            {"group": tie.group} if tie.group else {}
        )
        about |= ({"place": tie.place} if tie.place > 1 else {}) | self.named(tie)
        if faces:
            self.put("rolloff", **about)

    def in_stages(self, stages: Stages) -> None:
        """Facts that a tournament waits for between its rounds."""
        draw = self.random
        self.number_ties()
        chance = draw.random()
        ties = [contest.tie for contest in stages.now.contests if contest.is_open()]
        thrower = stages.thrower()
        if chance < 0.12:
            self.people()
        elif chance < 0.17:
            self.put("undo", table=self.table())
        elif chance < 0.2:
            self.put("reopen", table=self.table())
        elif chance < 0.23:
            self.undo_tie()
        elif chance < 0.28:
            self.word()
        elif ties and chance < 0.6:
            self.rolled(draw.choice(ties), 1)
        elif ties:
            self.throw(self.evening.table_of(draw.choice(ties)), [draw.randint(1, 6) for _ in range(3)])
        elif thrower is not None:
            triple = [draw.randint(1, 6)] * 3
            dice = draw.choice([triple, [draw.randint(1, 6) for _ in range(3)], [1, 2, 2]])
            if draw.random() < 0.7:
                self.throw(1, dice)
            else:
                self.put("rolloff", **{"for": "final", "dice": {self.evening.people.names[thrower]: dice}})
        else:
            self.confirm_stage()

    def confirm_stage(self) -> None:
        """The host's word, with the drawn seats, with none or with others."""
        draw, coming = self.random, self.evening.next_stage()
        stage = coming or draw.choice(["semi_final", "order", "final", "done"])
        seats = self.evening.stage_seats(stage) if coming else None
        tables = draw.choice([seats, seats, None, self.evening.seating()])
        self.put("stage", stage=stage, **({"tables": tables} if tables else {}))

    def people(self) -> None:
        """Somebody comes, goes, is replaced, or all sit down anew."""
        draw, evening = self.random, self.evening
        anybody = [*evening.people.names, *draw.sample(GUESTS, 2)]
        if evening.stages and draw.random() < 0.6:
            places = [*evening.stages.now.places, *evening.stages.now.finalists]
            placed = [evening.people.names[one.person] for one in places if one.person is not None]
            anybody = placed or anybody
        what = draw.choice(["leave", "leave", "arrive", "substitute", "seating"])
        if what == "substitute":
            self.put(what, out=draw.choice(anybody), **{"in": draw.choice(anybody)})
        elif what == "seating":
            self.seat_all()
        else:
            self.put(what, player=draw.choice(anybody))

    def seat_all(self) -> None:
        """New chairs for those who are there, at as many tables as they need or as there are."""
        draw, evening = self.random, self.evening
        names = [evening.people.names[person] for person in sorted(evening.people.there)] + draw.sample(
            GUESTS, draw.choice([0, 0, 1])
        )
        if draw.random() < 0.1:
            names = names[1:]
        if not names:
            return
        need = -(-len(set(names)) // 4)
        count = draw.choice([need, need, len(evening.seating())])
        ghosts = [f"Ghost {k + 1}" for k in range(max(count * 4 - len(names), -len(names) % 4))]
        self.put("seating", tables=self.chairs(names + ghosts), **self.team_names(count))

    def team_names(self, tables: int) -> dict[str, list[str]]:
        """Names of the tables, now and then one too few."""
        names = ["Owls", "Rooks", "Wrens", "Larks", "Table 1"][: tables - (self.random.random() < 0.1)]
        return {"teams": names} if self.teams and self.random.random() < 0.7 else {}

    def anything(self) -> None:
        """A fact whatever the state is."""
        draw = self.random
        tables = len(self.evening.seating())
        table = draw.randint(1, tables)
        kind = draw.choice([
            "round_open", "roll", "undo", "turn", "bell", "round_close", "confirm", "faceoff", "decide",
            "bell_void", "round_cancel", "reopen", "pause", "resume", "bypass", "restore", "hand",
            "bell_seen", "tally", "people", "close",
        ])  # fmt: skip
        if kind == "roll":
            self.roll(table)
        elif kind == "people":
            self.people()
        elif kind == "close":
            self.put(draw.choice(["evening_close", "evening_reopen"]))
        else:
            self.put(kind, **self.fields(kind, table))

    def fields(self, kind: str, table: int) -> dict[str, Any]:
        """The fields of such a fact."""
        draw = self.random
        more: dict[str, dict[str, Any]] = {
            "turn": {"seat": draw.choice("ABCD"), "rolls": draw.choice([0, 1, 2])},
            "faceoff": {"dice": [draw.randint(1, 6), draw.randint(1, 6)]},
            "decide": {"winner": draw.choice(self.sides)},
            "hand": {"allowed": True},
            "tally": {"cards": [self.card() for _ in range(4)]},
        }
        bare = ("round_open", "bell", "round_close", "bell_void", "round_cancel", "pause", "resume")
        return ({} if kind in bare else {"table": table}) | more.get(kind, {})


def drawn(seed: int, *kinds: str, longest: int = 160) -> list[str]:
    """The lines of the log of this seed.

    `stages`: tournaments to their end, and dice for prizes; `patterns`: house rules about single rolls;
    `house`: pots, things that are held, who begins; `teams`: each for themselves, or tables that are teams.
    """
    return Drawn(seed, *kinds).play(longest)
