"""The facts of a table: put into its outbox, applied to its prediction, saved or not yet."""

from typing import Any

from pi_bunco.devices.protocols import ThrowMark
from pi_bunco.game import facts
from pi_bunco.reason import Reason
from pi_bunco.runtime.writer import Record
from pi_bunco.table.effects import ForgetThrow, TableEffect, TableOptions
from pi_bunco.table.prediction import NewerFact, Prediction
from pi_bunco.table.reasons import DoesNotCount, NoEveningHere, RollBeforeRound
from pi_bunco.table.rounds import Rounds, RungBell
from pi_bunco.table.uplink import Uplink
from pi_bunco.wire import messages
from pi_bunco.wire.outbox import Outbox, Saved


class FactRecord:
    """Records facts; a `mark` names the throw or tap behind one, which counts once however often it comes."""

    def __init__(
        self, options: TableOptions, outbox: Outbox, prediction: Prediction, rounds: Rounds, uplink: Uplink
    ) -> None:
        self._options = options
        self._outbox = outbox
        self._prediction = prediction
        self._rounds = rounds
        self._uplink = uplink
        self._unsaved: dict[tuple[str, int], ThrowMark | None] = {}

    @property
    def saved(self) -> bool:
        """Every fact is on a disk, this table's or the head's."""
        return not self._unsaved

    def take_up(self, view: messages.View) -> None:
        """Goes on where an earlier start of the service ended, in the round of the stored view."""
        self._rounds.take_up(view.evening, view.epoch, self._outbox.kept.get("rounds"))
        kept = [one for one in self._outbox.envelopes(view.evening) if one.epoch == view.epoch]
        streams = (stream for stream, _ in self._outbox.streams(view.evening))
        self._prediction.take_up(streams, map(self._fact, kept))

    def tell(
        self,
        fact: facts.TableFact,
        at: float,
        now: float,
        *,
        kept: dict[str, Any] | None = None,
        epoch: int | None = None,
        mark: ThrowMark | None = None,
        err: float | None = 0.0,
    ) -> Reason | None:
        """Records a fact of this table, made `at` (ms of the clock), its `t`; why it does not count, if so.

        `kept` is stored together with it; `err` is by how much `at` may be wrong, None if nobody knows.
        Raises `WireError`, recording nothing, for a fact that a head would drop.
        """
        view = self._prediction.view
        if view is None:
            return NoEveningHere()
        measured = self._uplink.evening_clock(at, now)
        bound = err if measured is None else measured[1]
        if measured and bound is not None:
            bound = None if err is None else round(bound + err, 2)
        envelope = self._outbox.append(
            evening=view.evening, epoch=view.epoch if epoch is None else epoch,
            t=measured[0] if measured else None, err=bound, up=max(int(at), 0),
            boot=self._options.boot, fact=fact, mark=mark, kept=kept,
        )  # fmt: skip
        self._unsaved[envelope.stream, envelope.seq] = mark
        if envelope.epoch != view.epoch:
            return RollBeforeRound()
        why = self._prediction.tell(self._fact(envelope))
        return DoesNotCount(why) if why else None

    def repeated(self, mark: ThrowMark | None) -> list[TableEffect] | None:
        """The effects of a throw or tap that is in the outbox: it is forgotten once it is on disk.

        None if it is not there.
        """
        if mark is None or not self._outbox.has(mark):
            return None
        return [] if mark in self._unsaved.values() else [ForgetThrow(mark)]

    def on_disk(self, records: tuple[Record, ...]) -> list[TableEffect]:
        """These are on this table's disk."""
        saved = [one.envelope for one in records if isinstance(one, Saved)]
        for one in saved:
            self._unsaved.pop((one.stream, one.seq), None)
        return [ForgetThrow(ThrowMark(*one.mark)) for one in saved if one.mark]

    def acknowledged(self, ack: messages.Ack) -> list[TableEffect]:
        """The head has these, some of them on its disk."""
        self._outbox.acknowledged(ack.stream, ack.received, ack.committed)
        done = [one for one in self._unsaved if one[0] == ack.stream and one[1] <= ack.committed]
        marks = [self._unsaved.pop(one) for one in done]
        return [ForgetThrow(mark) for mark in marks if mark is not None]

    def untold_bell(self) -> RungBell | None:
        """A bell that this table knows of and the head was not told so: with it all rolls are told."""
        view, table = self._prediction.view, self._prediction.table
        if view is None or table is None or table.bell_t is None:
            return None
        bell: RungBell = [view.evening, view.epoch, table.bell_t]
        return bell if self._outbox.kept.get("bell_seen") != bell else None

    def _fact(self, envelope: messages.Envelope) -> NewerFact:
        """The fact as it will be in the log; one without a measured time is judged by its place."""
        t, table = envelope.t, self._prediction.table
        if t is None and table is not None:
            after_bell = table.bell_t is not None and self.untold_bell() is None
            t = table.bell_t + 1 if after_bell and table.bell_t is not None else table.latest
        fact = facts.fact_at(envelope.fact, self._options.number, t or 0)
        return NewerFact(envelope.stream, envelope.seq, fact)
