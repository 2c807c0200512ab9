"""Where the broker was reached last, for a night on which the configured address leads nowhere."""

from collections.abc import Mapping
from typing import Any

from pi_bunco.wire.address import AddressError, BrokerAddress
from pi_bunco.wire.outbox import Outbox

_KEY = "head_at"


def remember(outbox: Outbox, configured: str, at: str) -> None:
    """The broker that is `configured` so was reached `at` HOST:PORT, "" where that tells nothing."""
    if at and outbox.kept.get(_KEY) != [configured, at]:
        outbox.keep_later(_KEY, [configured, at])


def last_reached(configured: BrokerAddress, kept: Mapping[str, Any]) -> BrokerAddress | None:
    """Where this broker was reached last, None if that is nowhere else; never where another one was."""
    match kept.get(_KEY):
        case [str() as before, str() as at] if before == str(configured) != at and not configured.unix:
            try:
                return configured.at(at)
            except AddressError:
                return None
    return None
