"""From the dice box to the journal, with all of it dying anywhere: a throw counts once, in its place.

The box keeps a throw until the table has it on disk (or knows that the head has), the table until the head
has committed it; the head tells throws apart by their marks, and facts by their places.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from memory import MEMORY
from pi_bunco.devices.protocols import ThrowMark
from pi_bunco.wire.messages import Envelope, Upto
from table.bench import ONE, Bench
from thorough import times

Place = tuple[str, int]


class HeadModel:
    """Applies each stream in order, passes over marks that it has, and commits later."""

    def __init__(self) -> None:
        self.log: list[Envelope] = []
        self.taken: dict[str, int] = {}
        self.committed: dict[str, int] = {}
        self.waiting: dict[Place, Envelope] = {}

    def take(self, one: Envelope) -> None:
        self.waiting[one.stream, one.seq] = one
        while found := self.waiting.pop((one.stream, self.taken.get(one.stream, 0) + 1), None):
            if found.mark not in [entry.mark for entry in self.log]:
                self.log.append(found)
            self.taken[one.stream] = found.seq

    def commit(self) -> None:
        self.committed = dict(self.taken)
        self.on_disk = len(self.log)

    on_disk = 0

    def restart(self) -> None:
        self.log = self.log[: self.on_disk]
        self.taken = dict(self.committed)
        self.waiting = {}


class Link(RuleBasedStateMachine):
    @initialize()
    def begin(self) -> None:
        self.folder = TemporaryDirectory(dir=MEMORY)
        self.bench = Bench(Path(self.folder.name))
        self.head = HeadModel()
        self.box: list[ThrowMark] = []
        self.thrown: list[ThrowMark] = []
        self.forgotten: set[ThrowMark] = set()
        self.bench.connect()
        self.bench.open()
        self.bench.save()
        self.bench.take()
        self.online = True

    # The box.

    @rule(count=st.integers(1, 3))
    def throw(self, count: int) -> None:
        for _ in range(count):
            mark = ThrowMark("a7c1", 6 * (len(self.thrown) + 1))
            self.thrown.append(mark)
            self.box.append(mark)
            self.bench.now += 1
            self.report(mark)

    def report(self, mark: ThrowMark) -> None:
        self.bench.throw(ONE, mark)
        self.forget()

    def forget(self) -> None:
        """The box forgets a throw, and all before it, once it is told to."""
        for mark in self.bench.released:
            self.forgotten |= {one for one in self.box if one.seq <= mark.seq}
            self.box = [one for one in self.box if one.seq > mark.seq]
        self.bench.released.clear()

    @rule()
    def say_again(self) -> None:
        for mark in list(self.box):
            self.report(mark)

    # The table.

    @rule()
    def save(self) -> None:
        self.bench.save()
        self.forget()

    @rule()
    def table_dies(self) -> None:
        self.bench.kill(500)
        self.online = False
        self.bench.take()
        self.connect()
        self.say_again()

    # The network.

    @rule(lost=st.booleans())
    def deliver(self, lost: bool) -> None:
        """What is under way arrives, or is lost with its link."""
        if lost:
            self.bench.take()
            self.bench.disconnect()
            self.online = False
            self.connect()
            return
        for one in self.bench.take():
            self.head.take(one)
        self.acknowledge()

    def acknowledge(self) -> None:
        for stream, _ in self.bench.outbox.streams(self.bench.evening):
            self.bench.ack(self.head.taken.get(stream, 0), self.head.committed.get(stream, 0), stream)
        self.forget()

    @rule()
    def connect(self) -> None:
        if not self.online:
            self.bench.connect()
            self.online = True
            self.tell_state()
            self.acknowledge()

    def tell_state(self) -> None:
        """The view up to the last fact of the table that the head has taken."""
        last = self.head.log[-1] if self.head.log else None
        self.bench.upto = Upto(last.stream, self.head.taken[last.stream]) if last else None
        self.bench.view()

    @rule(ms=st.sampled_from([50, 3000]))
    def wait(self, ms: int) -> None:
        self.bench.run(ms, step=ms)

    # The head.

    @rule()
    def head_commits(self) -> None:
        self.head.commit()
        self.acknowledge()

    @rule()
    def head_dies(self) -> None:
        self.bench.take()
        self.bench.head("lost")
        self.head.restart()
        self.bench.session += "x"
        self.bench.head()
        self.acknowledge()

    @invariant()
    def nothing_counts_twice(self) -> None:
        marks = [one.mark for one in self.head.log]
        assert len(marks) == len(set(marks))

    def teardown(self) -> None:
        """Once all of it works, each throw that was made is in the log, in the order in which they were."""
        self.connect()
        self.say_again()
        for _ in range(2 * len(self.thrown) + 3):
            self.bench.save()
            self.deliver(lost=False)
            self.head_commits()
            if not self.box and not len(self.bench.outbox):
                break
            self.bench.run(3000, step=3000)
        assert self.box == []
        assert [one.mark for one in self.head.log] == [tuple(mark) for mark in self.thrown]
        assert len(self.bench.outbox) == 0
        self.bench.outbox.close()
        self.folder.cleanup()


def test_every_throw_counts_once_in_its_place() -> None:
    run_state_machine_as_test(Link, settings=settings(max_examples=times(30), stateful_step_count=25))
