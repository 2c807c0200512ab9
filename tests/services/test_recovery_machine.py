"""A throw that the hall has acknowledged counts exactly once, whatever one card, table or head does.

A state machine over the real head and tables in memory: heads that die and lose or cut their card, brokers
that forget, tables that die, come late, or lose their replica. In the end everybody is back.
"""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from memory import MEMORY
from pi_bunco.log.journal import SCHEMA
from pi_bunco.runtime.store import connect
from services.evidence import check
from services.hall import ONE, Hall
from services.in_a_round import forget
from thorough import times

TABLES = 3
numbers = st.integers(1, TABLES)
MS = st.sampled_from([0, 5, 20, 100, 700, 3000])


class Recoveries(RuleBasedStateMachine):
    """Three tables in a round in which every throw scores one point and the turn goes on."""

    @initialize()
    def begin(self) -> None:
        self.folder = TemporaryDirectory(dir=MEMORY)
        self.hall = Hall(Path(self.folder.name), TABLES, auto_confirm=1000)
        self.hall.open(4 * TABLES, "mybunco")
        self.hall.do("round_start")
        self.hall.wait(2000)
        self.thrown = dict.fromkeys(range(1, TABLES + 1), 0)

    @rule(number=numbers, ms=MS)
    def a_throw(self, number: int, ms: int) -> None:
        table = self.hall.tables[number]
        if not table.dead:
            table.throw(ONE)
            self.thrown[number] += 1
            self.hall.wait(30)  # the table has saved it
        self.hall.wait(ms)

    @rule(broker=st.booleans(), ms=MS)
    def the_head_dies(self, broker: bool, ms: int) -> None:
        self._end_head(broker)
        self.hall.wait(ms)
        self.hall.start_head()
        self.hall.wait(ms)

    @rule(broker=st.booleans(), ms=MS)
    def the_head_loses_its_card(self, broker: bool, ms: int) -> None:
        """Of two replicas at least one has to be there, or nobody has the evening."""
        if sum(self._has_replica(table) for table in self.hall.tables.values()) < 2:
            return
        self.hall.lose_head()
        if broker:
            self._broker_forgets()
        self.hall.start_head()
        self.hall.wait(ms)

    @rule(broker=st.booleans(), cut=st.integers(1, 6))
    def the_heads_card_lied(self, broker: bool, cut: int) -> None:
        """The last facts that it had confirmed are not there, in a journal that is sound."""
        self._end_head(broker)
        connection = connect(self.hall.folder / "journal.db", SCHEMA)
        connection.execute("DELETE FROM facts WHERE n > 3 AND n > (SELECT max(n) FROM facts) - ?", (cut,))
        connection.close()
        self.hall.start_head()
        self.hall.wait(100)

    @rule(number=numbers, ms=MS)
    def a_table_dies(self, number: int, ms: int) -> None:
        if not self.hall.tables[number].dead:
            self.hall.kill(self.hall.tables[number])
        self.hall.wait(ms)

    @rule(number=numbers, ms=MS)
    def a_table_is_back(self, number: int, ms: int) -> None:
        if self.hall.tables[number].dead:
            self.hall.start_table(number)
        self.hall.wait(ms)

    @rule(number=numbers, after=st.integers(0, 20))
    def a_replica_is_cut(self, number: int, after: int) -> None:
        forget(self.hall.tables[number], after)
        self.hall.wait(5)

    @invariant()
    def nothing_counts_twice(self) -> None:
        if not hasattr(self, "hall"):
            return
        round_ = self.hall.evening.round
        for table in round_.tables if round_ else ():
            assert sum(table.points) <= self.thrown[table.number]
        assert len(self.hall.rings) == len(set(self.hall.rings))

    def teardown(self) -> None:
        if not hasattr(self, "hall"):
            return
        try:
            self._end()
        finally:
            self.folder.cleanup()

    def _end(self) -> None:
        hall = self.hall
        for number in range(1, TABLES + 1):
            if hall.tables[number].dead:
                hall.start_table(number)
        hall.wait(40_000)
        round_ = hall.evening.round
        assert round_ is not None
        assert {table.number: sum(table.points) for table in round_.tables} == self.thrown
        macs = [one.mac for one in hall.head.referee.log.entries]
        evening = hall.evening.id
        for table in hall.tables.values():
            assert table.replica is not None
            assert [one.mac for one in table.replica.read(evening)] == macs
        hall.do("round_end")
        for number in range(1, TABLES + 1):
            hall.do("decide", table=number, winner="US")
        hall.wait(2000)
        check(hall)

    def _end_head(self, broker: bool) -> None:
        self.hall.kill(self.hall.head)
        if broker:
            self._broker_forgets()

    def _broker_forgets(self) -> None:
        self.hall.network.retained.clear()
        for table in self.hall.tables.values():
            if not table.dead:
                self.hall.cut(table)
                self.hall.later(300, lambda one=table: None if one.dead else self.hall.heal(one))  # type: ignore[misc]

    def _has_replica(self, table: Any) -> bool:
        best = table.replica.best() if table.replica and not table.dead else None
        return best is not None and best.rank.length >= 3


TestRecoveries = Recoveries.TestCase
TestRecoveries.settings = settings(max_examples=times(25), stateful_step_count=25, deadline=None)
