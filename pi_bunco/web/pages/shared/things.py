"""Things that somebody holds until they are handed on: the traveling bag, or a thing of the house's own."""

from pi_bunco.game.evening import Evening
from pi_bunco.web.pages.shared.model import Holding
from pi_bunco.web.pages.shared.names import all_calls, short
from pi_bunco.web.site.evening_now import EveningNow, shared_by_round


@shared_by_round
def holdings(now: EveningNow) -> tuple[Holding, ...]:
    """Holders of the things now; what nobody has got yet is left out."""
    rules, calls = now.evening.rules, all_calls(now)
    found = []
    for thing in rules.things if rules else ():
        if holder := now.evening.holder(thing):
            before = _before(now.evening, thing, holder)
            call, from_ = short(holder, calls), short(before or "", calls)
            found.append(Holding(thing, holder, call, from_, moved=before is not None))
    return tuple(found)


def _before(evening: Evening, thing: str, holder: str) -> str | None:
    """The holder until the last round, "" for nobody; None where that round did not hand it on."""
    if not evening.rounds or evening.rounds[-1].handed(thing) is None:
        return None
    cards = (round_.handed(thing) for round_ in reversed(evening.rounds[:-1]))
    handed = next((evening.people.holders[card] for card in cards if card is not None), None)
    before = handed or evening.brought.get(thing) or ""
    return None if before == holder else before
