from pi_bunco.game.facts import SawBell
from pi_bunco.wire.messages import Envelope, Upto
from pi_bunco.wire.outbox import ASK_COMMIT_AFTER_MS, MAX_AGAIN, RESEND_AFTER_MS, Sending


def envelope(stream: str, seq: int, evening: str = "e1") -> Envelope:
    return Envelope(1, evening, stream, seq, 1, 1, 0, 1.0, 0, "boot", SawBell(seq))


def filled(*streams: tuple[str, int]) -> Sending:
    """Streams of `count` facts each, the last of which is the table's own; all since 0 ms."""
    sending = Sending()
    for stream, count in streams:
        for seq in range(1, count + 1):
            sending.add(envelope(stream, seq), 0)
    return sending


def places(envelopes: list[Envelope]) -> list[tuple[str, int]]:
    return [(one.stream, one.seq) for one in envelopes]


def own(*seqs: int) -> list[tuple[str, int]]:
    return [("s", seq) for seq in seqs]


def test_facts_go_at_once_and_once() -> None:
    sending = filled(("s", 2))
    assert places(sending.due(0)) == own(1, 2)
    assert sending.due(RESEND_AFTER_MS - 1) == []
    sending.add(envelope("s", 3), 10)
    assert places(sending.due(10)) == own(3)
    assert len(sending) == 3


def test_what_the_head_has_received_is_not_sent_again_though_it_cannot_keep_it() -> None:
    """While its disk fails 300 tables would send it all of theirs every three seconds."""
    sending = filled(("s", MAX_AGAIN + 20))
    sending.due(0)
    sending.acknowledged("s", 10, 0)
    assert sending.unreceived_ms(1000) == 1000
    sending.acknowledged("s", MAX_AGAIN + 20, 0)
    assert (sending.unreceived_ms(1000), sending.oldest_ms(1000)) == (0, 1000)
    assert sending.due(9 * RESEND_AFTER_MS) == []
    assert len(sending) == MAX_AGAIN + 20


def test_a_commit_whose_word_got_lost_is_asked_for_with_the_last_fact() -> None:
    """Acknowledgements go at quality 0."""
    sending = filled(("s", 3))
    sending.due(0)
    sending.acknowledged("s", 3, 0)
    assert sending.due(ASK_COMMIT_AFTER_MS - 1) == []
    assert places(sending.due(ASK_COMMIT_AFTER_MS)) == own(3)
    assert sending.due(ASK_COMMIT_AFTER_MS + 1) == []
    sending.acknowledged("s", 3, 3)
    assert (len(sending), sending.due(3 * ASK_COMMIT_AFTER_MS)) == (0, [])


def test_another_head_is_sent_all_that_is_not_committed_at_once() -> None:
    sending = filled(("s", 5))
    sending.due(0)
    sending.acknowledged("s", 5, 2)
    assert sending.due(RESEND_AFTER_MS) == []
    sending.head_changed()
    again = sending.due(RESEND_AFTER_MS)
    assert places(again) == own(3, 4, 5)
    assert all(one.received for one in again)
    sending.acknowledged("s", 3, 1)  # and it has lost something that was on a disk
    assert places(sending.due(RESEND_AFTER_MS + 1)) == []
    sending.acknowledged("s", 1, 1)
    assert places(sending.due(RESEND_AFTER_MS + 2)) == own(2, 3)


def test_all_that_has_gathered_goes_at_once_and_says_what_it_comes_after() -> None:
    """Trace: a table is without a link through two starts of its service; the link heals; the bell rings.

    Earlier streams went one fact a round trip: the bell came 11.4 s late.
    """
    sending = filled(("a", 200), ("b", 1), ("s", 300))
    due = sending.due(0)
    assert places(due) == places(sending.uncommitted())
    assert len(due) == 501
    after = [(one.stream, one.after) for one in due if one.after]
    assert after == [("b", Upto("a", 200)), ("s", Upto("b", 1))]


def test_a_stream_comes_after_none_of_another_evening() -> None:
    sending = Sending()
    sending.add(envelope("before", 1, "e0"), 0)
    sending.add(envelope("s", 1), 0)
    assert [one.after for one in sending.due(0)] == [None, None]


def test_without_an_answer_they_go_again_and_say_so() -> None:
    sending = filled(("s", 2))
    sending.due(0)
    assert [(one.seq, one.sent) for one in sending.due(RESEND_AFTER_MS)] == [(1, 2), (2, 2)]
    sending.acknowledged("s", 1, 1)
    assert sending.due(3 * RESEND_AFTER_MS - 1) == []
    assert [(one.seq, one.sent) for one in sending.due(3 * RESEND_AFTER_MS)] == [(2, 3)]


def test_a_fact_that_is_lost_goes_again_in_half_a_second_and_to_who_stays_silent_ever_less_often() -> None:
    sending = filled(("s", 1))
    sent = [ms for ms in range(0, 20_000, 10) if sending.due(ms)]
    assert sent == [0, 500, 1500, 3500, 7500, 11500, 15500, 19500]
    sending.reconnected()
    assert [ms for ms in range(20_000, 22_000, 10) if sending.due(ms)] == [20_000, 20_500, 21_500]


def test_after_a_reconnect_all_that_is_open_goes_again() -> None:
    sending = filled(("s", 3))
    sending.due(0)
    sending.acknowledged("s", 1, 1)
    sending.reconnected()
    assert places(sending.due(1)) == own(2, 3)


def test_unanswered_facts_are_sent_again_a_few_at_a_time() -> None:
    sending = filled(("a", 100), ("s", 100))
    assert len(sending.due(0)) == 200
    assert sending.due(1) == []
    assert places(sending.due(RESEND_AFTER_MS)) == [("a", n) for n in range(1, MAX_AGAIN + 1)]
    sending.acknowledged("a", 100, 100)
    assert places(sending.due(2 * RESEND_AFTER_MS)) == own(*range(1, MAX_AGAIN + 1))


def test_a_lower_acknowledgement_sends_again_from_there() -> None:
    sending = filled(("s", 5))
    sending.due(0)
    assert sending.acknowledged("s", 5, 5)
    assert not sending.acknowledged("s", 5, 5)
    assert sending.acknowledged("s", 2, 2)
    assert len(sending) == 3
    assert places(sending.uncommitted()) == own(3, 4, 5)
    assert places(sending.due(1)) == own(3, 4, 5)


def test_an_earlier_stream_that_the_head_has_lost_goes_before_what_is_new() -> None:
    sending = filled(("a", 2), ("s", 2))
    sending.acknowledged("a", 2, 2)
    sending.due(0)
    sending.acknowledged("a", 0, 0)
    assert places(sending.due(1)) == [("a", 1), ("a", 2)]


def test_acknowledgements_of_others_change_nothing() -> None:
    sending = filled(("s", 2))
    assert not sending.acknowledged("other", 9, 9)
    assert len(sending) == 2
    sending.acknowledged("s", 99, 99)
    assert len(sending) == 0


def test_the_age_of_the_oldest() -> None:
    sending = Sending()
    assert sending.oldest_ms(5) == 0
    sending.add(envelope("s", 1), 100)
    sending.add(envelope("s", 2), 300)
    assert sending.oldest_ms(400) == 300
    sending.acknowledged("s", 1, 1)
    assert sending.oldest_ms(400) == 100
    sending.acknowledged("s", 2, 2)
    assert sending.oldest_ms(400) == 0


def test_of_an_evening_that_is_over_only_what_arrived_is_dropped() -> None:
    sending = filled(("a", 2), ("s", 3))
    sending.add(envelope("s", 4, "e2"), 0)
    sending.acknowledged("a", 2, 2)
    sending.acknowledged("s", 2, 2)
    sending.drop("e1")
    assert len(sending) == 2
    assert sending.evenings() == ["e1", "e2"]
    assert places(sending.due(0)) == own(3, 4)
    sending.acknowledged("s", 4, 4)
    sending.drop("e1")
    assert sending.evenings() == ["e2"]
    sending.acknowledged("s", 0, 0)
    assert places(sending.due(0)) == own(4)
