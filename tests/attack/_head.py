"""Attacks on a head in a round, behind a provisioned broker."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cli.processes import Service, run
from pi_bunco.wire.commands import COMMANDS
from provision.halls import HALL
from provision.test_access_services import settings

from ._broker import NODES, UP, Siege
from ._intruder import Intruder, intruder

NO_HOSTS = ("table1", "table2", "table7", "probe")
SAME = 50
"""So often a command is said again with the same id."""
PEOPLE = [f"P{number}" for number in range(8)]


class Court:
    """A head that runs, and a host who asks it."""

    def __init__(self, at: Siege, data: Path) -> None:
        self.at, self.data = at, data
        self.config = settings(at.broker, "head")
        self.service = self.started()
        self.host = Intruder(at.way("host-ann"))
        self.host.ask(f"{HALL}/host-ann/down/answer")

    def started(self) -> Service:
        """The head, which has said that it is ready."""
        service = Service("head", "--config", self.config, "--data", self.data)
        service.ready()
        return service

    def asked(self, id: str, command: str, **args: Any) -> dict[str, Any]:
        """The answer to a command of the host."""
        self.host.say(f"{HALL}/host-ann/up/command", told(id, command, args))
        return self.answer(id)

    def answer(self, id: str) -> dict[str, Any]:
        """The next answer to the host with that id."""
        while (found := json.loads(self.host.heard.get(timeout=60.0)[1]))["id"] != id:
            pass
        answer: dict[str, Any] = found
        return answer

    def journaled(self) -> list[dict[str, Any]]:
        """All facts of the evening so far."""
        return [json.loads(line) for line in run("export", "--data", self.data).stdout.splitlines()]

    def close(self) -> None:
        """The end of both."""
        self.host.leave()
        self.service.terminate()
        self.service.__exit__(None, None, None)


def told(id: str, command: str, args: dict[str, Any], not_after: float | None = None) -> bytes:
    """A command as it goes over the wire."""
    return json.dumps(
        {"id": id, "command": command, "args": args, "by": "x", "not_after": not_after}
    ).encode()


def a_round_is_attacked(at: Siege, rubbish: int, seed: int) -> None:
    """A round of two tables, of which nothing may change but by the host's word."""
    court = Court(at, at.broker.folder / "data")
    try:
        for number, (command, args) in enumerate(_opening()):
            answer = court.asked(f"open{number}", command, **args)
            assert answer["done"], answer
        before = court.journaled()
        _who_is_no_host_gives_commands(court)
        _commands_come_late(court)
        _facts_are_forged(court)
        _rubbish_is_said(court, rubbish, seed)
        changed = court.journaled()[len(before) :]
        at.tally.note("anything of these in the journal", bool(changed), f"{changed[:3]}")
        _the_same_again(court)
        _the_head_starts_again(court)
    finally:
        court.close()


def _opening() -> Iterator[tuple[str, dict[str, Any]]]:
    yield "evening_open", {"rules": "classic", "players": PEOPLE, "sets": 1, "seed": 1}
    yield "seats_draw", {}
    yield "round_start", {"bypass": [1, 2]}


def _who_is_no_host_gives_commands(court: Court) -> None:
    arguments: dict[str, dict[str, Any]] = {
        "evening_open": {"rules": "classic", "players": PEOPLE},
        "undo": {"table": 1, "n": 4},
        **{name: {"table": 1} for name in ("confirm", "bypass", "light", "restore")},
    }
    for account in NO_HOSTS:
        with intruder(court.at.way(account)) as one:
            one.ask(f"{HALL}/{account}/down/answer")
            for command in COMMANDS:
                if (account, command) == ("probe", "who"):
                    continue
                args = arguments.get(command, {})
                one.say(f"{HALL}/{account}/up/command", told(f"{account}-{command}", command, args))
                done = json.loads(one.heard.get(timeout=60.0)[1])["done"]
                court.at.tally.note("command of who is no host", done, f"{command} of {account}")
                one.say(f"{HALL}/host-ann/up/command", told(f"as-ann-{account}", command, args))
    court.at.tally.many("command in a host's name", len(NO_HOSTS) * len(COMMANDS))


def _commands_come_late(court: Court) -> None:
    """Past their time."""
    for number, command in enumerate(("round_end", "bell_test", "round_cancel", "evening_close")):
        court.host.say(f"{HALL}/host-ann/up/command", told(f"late{number}", command, {}, 0.0))
        late = court.answer(f"late{number}")
        court.at.tally.note("command after its time", late["done"], command)


def _facts_are_forged(court: Court) -> None:
    """Of another table, of the head, of no table, of another evening; and bells."""
    evening = next(one for one in court.journaled() if one["kind"] == "evening")["id"]
    with intruder(court.at.way("table7")) as seven, intruder(court.at.way("host-cli")) as cli:
        for number, kind in enumerate(
            ("roll", "round_close", "bell", "decide", "confirm", "evening_close", "hand")
        ):
            fact = {"kind": kind, "table": 2, "dice": [1, 1, 1], "source": "dice", "t": 1, "winner": "US"}
            envelope = {
                "v": 1,
                "evening": evening,
                "stream": f"f{number}",
                "seq": 1,
                "sent": 1,
                "epoch": 1,
                "t": 5000,
                "err": 1,
                "up": 1,
                "boot": "x",
                "fact": fact,
            }
            for one in (seven, cli):
                for node in NODES:
                    one.say(f"{HALL}/{node}/up/fact", json.dumps(envelope).encode())
                bell = {
                    "evening": evening,
                    "epoch": 1,
                    "signal": "end",
                    "t": 1,
                    "not_after": 2**31,
                    "cause": "x",
                }
                one.flush([one.say(f"{HALL}/all/bell", json.dumps(bell).encode())])
                court.at.tally.many("forged fact or bell", len(NODES) + 1)


def _rubbish_is_said(court: Court, count: int, seed: int) -> None:
    """A table of the evening says what is nothing, on every topic that it has; the head must go on."""
    chance = random.Random(seed)
    with intruder(court.at.way("table2")) as two:
        sent = []
        for _ in range(count):
            topic = f"{HALL}/table2/up/{chance.choice(UP)}"
            sent.append(two.say(topic, _nonsense(chance), chance.random() < 0.1))
        two.flush(sent)
        two.flush([two.say(f"{HALL}/table2/up/{leaf}", b"", True) for leaf in UP])
    court.at.tally.many("malformed message to the head", count)
    answer = court.asked("after", "resume")
    court.at.tally.note("malformed message to the head", answer["done"], "a round was resumed that ran")
    court.at.tally.note(
        "malformed message to the head", court.service.process.poll() is not None, "it has gone"
    )


def _nonsense(chance: random.Random) -> bytes:
    kind = chance.randrange(5)
    if kind == 0:
        return chance.randbytes(chance.randrange(200))
    if kind == 1:
        return b"[" * chance.randrange(1, 5000)
    whole: dict[str, Any] = {
        "v": 1,
        "evening": "x",
        "stream": "a",
        "seq": 2**60,
        "sent": -1,
        "epoch": "y",
        "t": 1e308,
        "state": "online",
        "id": "k" * chance.randrange(100),
        "command": "round_end",
        "args": {"x": [{}] * 9},
        "n": -1,
        "from": 0,
        "fact": {"kind": "roll", "dice": [7, 0, None], "source": "\x00"},
        "entries": [{"n": 1, "fact": {}, "mac": ""}],
    }
    if kind == 2:
        return json.dumps({key: whole[key] for key in whole if chance.random() < 0.6}).encode()
    data = bytearray(json.dumps(whole).encode())
    for _ in range(chance.randrange(1, 9)):
        data[chance.randrange(len(data))] = chance.randrange(256)
    return bytes(data) if kind == 3 else bytes(data) * chance.randrange(1, 12)


def _the_same_again(court: Court) -> None:
    """One command, said over and over: it is done once, and answered each time alike."""
    for _ in range(SAME):  # while it waits for the bell and the disk
        court.host.say(f"{HALL}/host-ann/up/command", told("end", "round_end", {}))
    answers = [court.answer("end"), *(court.asked("end", "round_end") for _ in range(SAME))]
    kinds = [one["kind"] for one in court.journaled()]
    court.at.tally.many("command with an id that was used", 2 * SAME - 1)
    court.at.tally.note(
        "command with an id that was used", any(one != answers[0] for one in answers), "answers"
    )
    for kind in ("round_close", "bell"):
        twice = kinds.count(kind) != 1
        court.at.tally.note("command with an id that was used", twice, f"{kinds.count(kind)} of {kind}")


def _the_head_starts_again(court: Court) -> None:
    """With commands that the broker kept for it, and a table that claims to have a longer log."""
    before = court.journaled()
    evening = before[0]["id"]
    with intruder(court.at.way("table2")) as liar:
        liar.ask(f"{HALL}/table2/down/+")
        replica = {"evening": evening, "no": 99, "branches": 9, "length": 999, "mac": "0" * 32}
        birth = {
            "state": "online",
            "session": "s",
            "version": "1",
            "boot": "b",
            "epoch": 1,
            "t": 2**31,
            "streams": [],
            "replica": replica,
        }
        liar.say(f"{HALL}/table2/up/status", json.dumps(birth).encode(), True)
        court.service.terminate()
        court.service.__exit__(None, None, None)
        for account in ("host-ann", "web", "table2"):
            with intruder(court.at.way(account)) as one:
                kept = told(f"kept-{account}", "evening_close", {"unfinished": True})
                one.flush([one.say(f"{HALL}/{account}/up/command", kept, True)])
        court.at.tally.many("command that the broker kept", 3)
        court.service = court.started()
        forged = [{"n": n, "fact": {"kind": "round_cancel", "t": 1}, "mac": "0" * 32} for n in range(1, 999)]
        liar.say(f"{HALL}/table2/up/log", json.dumps({"evening": evening, "entries": forged}).encode())
        court.host = Intruder(court.at.way("host-ann"))  # the last one was thrown out by whoever came as ann
        court.host.ask(f"{HALL}/host-ann/down/answer")
        answer = court.asked("again", "end-of-all")
        court.at.tally.note("lie to a head that starts", answer["done"], "an unknown command")
    after = court.journaled()
    court.at.tally.note("lie to a head that starts", after != before, f"{after[len(before) :][:3]}")
