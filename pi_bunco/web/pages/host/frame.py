"""What stands around every page of the host."""

from typing import Any

from pi_bunco.web.pages.host.checks import bad
from pi_bunco.web.pages.host.model import HostFrame
from pi_bunco.web.pages.shared import heading
from pi_bunco.web.site.evening_now import EveningNow
from pi_bunco.web.site.notices import Notice


def frame(now: EveningNow, tab: Any, notice: Notice | None = None) -> HostFrame:
    """What stands around every page of the host."""
    return HostFrame(
        heading=heading.heading(now),
        tab=tab,
        faults=len(bad(now)),
        hosts=now.hosts,
        notice=notice,
        silent_s=now.head.silent_s,
        round=heading.round_id(now.evening),
    )
