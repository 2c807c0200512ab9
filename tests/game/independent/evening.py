"""The evening: all that is known after the facts so far."""

from dataclasses import dataclass, field
from typing import Any

from game.independent.moving import Chairs
from game.independent.people import People, ghost_number
from game.independent.prizes import Ground, Place, Prize, Word, decided
from game.independent.rounds import Round, Since
from game.independent.ruleset import ruleset, things
from game.independent.standings import Card, buncos, cards, handed_to
from game.independent.ties import Standing, Throws, Tie
from game.independent.tournament import Place as StagePlace
from game.independent.tournament import Stages, drawn_tables


@dataclass
class Began:
    """The seats of a stage that began after `after` rounds."""

    name: str
    after: int
    chairs: list[Chairs]
    since: Since = field(default_factory=Since)


Fact = dict[str, Any]
Why = str | None


class Evening:
    """All that is known after the facts so far."""

    def __init__(self, opened: Fact) -> None:
        self.opened = opened
        self.rules = ruleset(opened["rules"], opened.get("overrides") or {})
        seed = opened.get("seed")
        self.seed = str(opened.get("id", "") if seed is None else seed)
        self.people = People([name for name in opened["players"] if ghost_number(name) is None])
        self.epoch = 0
        self.line = 0
        self.seated: list[Chairs] | None = None
        self.since = self.new_since()
        self.groups: list[list[int]] | None = opened.get("groups")
        self.rounds: list[Round] = []
        self.running: Round | None = None
        self.rang_line: int | None = None
        self.began: list[Began] = []
        self.in_break = False
        self.closed = False
        self.final_t = 0
        self.throws = Throws()
        self.words: dict[Place, list[Word]] = {}
        brought: dict[str, str] = opened.get("holders") or {}
        self.brought = {thing: name for thing, name in brought.items() if thing in things(self.rules)}
        self.paid: set[int] = set()
        self.teams: list[str] = []
        self.stages = Stages(self.seed, self.throws) if self.rules["tournament"] else None

    # how it stands

    def new_since(self) -> Since:
        """Nothing has happened on the chairs; ghosts of a pair are kept apart."""
        return Since(apart=self.rules["team"] == "pairs")

    def faces(self) -> list[int]:
        """The target faces of a set."""
        return list(self.rules["evening.faces"])

    def group_rounds(self) -> int:
        """The number of rounds in the sets."""
        return int(self.rules["evening.sets"]) * len(self.faces())

    def stage(self) -> str | None:
        """The stage of a tournament."""
        return None if self.stages is None else self.stages.now.stage

    def rounds_left(self) -> bool:
        """True if another round follows before anything else."""
        if self.stage() in (None, "groups"):
            return len(self.rounds) < self.group_rounds()
        if self.stage() != "semi_final":
            return False
        return len(self.rounds) < self.began[0].after + len(self.faces())

    def over(self) -> bool:
        """True if all rounds of the evening, and of a tournament its final, have been played."""
        if self.rules["tournament"]:
            return self.stage() == "done"
        return not self.rounds_left() and self.running is None

    def results_stand(self) -> bool:
        """True if prizes are to be given."""
        return self.closed or self.over()

    def chairs(self) -> list[Chairs] | None:
        """The chairs of now, or of the next round."""
        if self.running is not None:
            return self.running.chairs
        if self.began and self.began[-1].after == len(self.rounds):
            return self.began[-1].since.seats(self.began[-1].chairs)
        if self.rounds:
            return self.rounds[-1].seats_after()
        return None if self.seated is None else self.since.seats(self.seated)

    def latest(self) -> Since:
        """The note that takes the next change of the chairs."""
        if self.began and self.began[-1].after == len(self.rounds):
            return self.began[-1].since
        return self.rounds[-1].since if self.rounds else self.since

    def cards(self) -> list[Card]:
        """The cards of all; at the end with the points for what somebody holds."""
        found = cards(len(self.people.names), self.rounds)
        for bonus in self.rules["bonus"] if self.over() else []:
            person = self.people.person(self.handed(bonus["for"]) or "")
            if person is not None:
                found[person]["points"] += bonus["points"]
        return found

    def handed(self, thing: str) -> str | None:
        """The holder of a thing by the rolls, or who brought it."""
        rounds = [*self.rounds, *([self.running] if self.running is not None else [])]
        person = handed_to(rounds, thing, self.rules["traveling_nth"] if thing == "bag" else None)
        return self.brought.get(thing) if person is None else self.people.names[person]

    def keeper(self, thing: str) -> str | None:
        """The keeper of a thing until the next night: at the close the one who won it as a prize."""
        if self.closed and self.over() and self.running is None and thing in self.rules["holds"]:
            for prize, said in zip(self.prizes(), self.rules["prizes"], strict=True):
                if said.get("gift") == thing and len(prize.winners) == 1:
                    return self.people.names[prize.winners[0]]
        return self.handed(thing)

    # for those who take facts

    def place_is_open(self) -> bool:
        """True if a place in the next stage is rolled for."""
        stages = self.stages
        return stages is not None and any(contest.is_open() for contest in stages.now.contests)

    def grouped(self, tables: int) -> bool:
        """True if the groups are of these tables."""
        numbers = [number for group in self.groups or [] for number in group]
        return sorted(numbers) == list(range(1, tables + 1))

    # ties

    def ground(self) -> Ground:
        """The ground on which prizes are decided."""
        return Ground(
            self.rules, self.people.names, sorted(self.people.there), self.cards(), buncos(self.rounds),
            {thing: self.handed(thing) for thing in ("bag", *things(self.rules))},
            self.grand(), self.seed, len(self.rounds),
        )  # fmt: skip

    def prizes(self) -> list[Prize]:
        """All prizes as they stand."""
        return decided(self.ground(), self.words, self.throws)

    def champion_tie(self) -> Tie | None:
        """The best of all where several are equal."""
        ground = self.ground()
        ranked = ground.ranked("champion", ground.eligible)
        if not ranked or len(ranked[0]) == 1:
            return None
        return Tie("champion", ranked[0], len(self.rounds), 0)

    def know(self) -> None:
        """Tells the stages how all stands."""
        if self.stages is not None:
            semi = self.rounds[self.began[0].after :] if self.began else []
            rounds = semi or self.rounds
            self.stages.cards = cards(len(self.people.names), rounds)
            self.stages.there, self.stages.names = self.people.there, self.people.names

    def seat_found(self) -> None:
        """Seats the person found for a place on the ghost's chair."""
        assert self.stages is not None
        if self.stages.seated:
            self.stages.barrier()
        for ghost, person in self.stages.seated:
            self.latest().changes.append((ghost, person))
        self.stages.seated = []

    def grand(self) -> int | None:
        """The winner of the grand prize."""
        return self.stages.now.winner if self.stages is not None and self.stage() == "done" else None

    def standing_ties(self) -> list[Tie]:
        """All ties that stand now, those of a stage first."""
        ties: list[Tie] = []
        if self.running is None and not self.closed and self.stages is not None:
            ties += [contest.tie for contest in self.stages.now.contests if contest.is_open()]
        if self.results_stand():
            ties += [prize.tie for prize in self.prizes() if prize.tie is not None]
            champion = self.champion_tie()
            ties += [champion] if champion is not None else []
        return ties

    def is_open(self, tie: Tie) -> bool:
        """True if it is rolled for; the host's word settles a prize."""
        if tie.stage is None and any(prize.tie == tie and prize.winners for prize in self.prizes()):
            return False
        return self.standing(tie).winner() is None

    def standing(self, tie: Tie) -> Standing:
        """The standing of a tie."""
        contest = self.stages.contest(tie.key()) if self.stages is not None and tie.stage else None
        return contest.now if contest is not None else self.throws.standing(tie)

    def table_of(self, tie: Tie) -> int:
        """The table at which a tie is rolled."""
        if tie.stage == "groups" and self.grouped(len(self.chairs() or [])) and self.groups:
            return min(self.groups[(tie.group or 1) - 1])
        return 1

    # a tournament's stages

    def next_stage(self) -> str | None:
        """The stage that can begin now."""
        stages = self.stages
        if stages is None or self.running is not None or self.rounds_left() or self.place_is_open():
            return None
        after = {"qualification": "semi_final", "semi_final": "order", "order": "final", "final": "done"}
        coming = after.get(stages.now.stage)
        return None if coming == "done" and stages.now.winner is None else coming

    def seating(self) -> list[list[str]]:
        """The names on the chairs; one empty table before there are any."""
        return self.people.on_chairs(self.chairs() or [[]])

    def stage_seats(self, wanted: str) -> list[list[str]]:
        """The tables of a stage; none where everybody keeps the chair."""
        assert self.stages is not None
        self.know()
        names = self.people.names
        if wanted == "semi_final":
            persons = [place.person for place in self.stages.now.places if place.person is not None]
            return drawn_tables([names[person] for person in persons], self.seed)
        if wanted != "order":
            return []
        places = [*self.stages.now.finalists, StagePlace("drawn"), StagePlace("wild_card")]
        return [[
            f"Ghost {at}" if person is None else names[person]
            for at, person in enumerate(self.stages.final_table(places), 1)
        ]]  # fmt: skip
