"""Findings: how bad, a sentence for a host, and the mend. Pure."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal

from msgspec import Struct, to_builtins

Level = Literal["fault", "warning", "skipped", "ok"]
SELF = "This machine"
"""The subject of a sentence that the machine can also report of itself to the others, see `reported`."""
_LEVELS: dict[Level, tuple[str, str, str]] = {
    "fault": ("This stops a night:", "fault", "faults"),
    "warning": ("This should be looked at before the next night:", "warning", "warnings"),
    "skipped": ("This was not checked:", "not checked", "not checked"),
    "ok": ("This is fine:", "fine", "fine"),
}
"""The title of each level, the most urgent first, and the words for one and for several."""


class Finding(Struct, frozen=True):
    """The result of a check; `text` is a sentence, `mend` says what to do, empty where fine."""

    check: str
    level: Level
    text: str
    mend: str = ""


def fault(check: str, text: str, mend: str) -> Finding:
    """A finding that stops a night, and the mend."""
    return Finding(check, "fault", text, mend)


def warning(check: str, text: str, mend: str = "") -> Finding:
    """A finding to look at before the next night."""
    return Finding(check, "warning", text, mend)


def fine(check: str, text: str) -> Finding:
    """A check that found nothing wrong."""
    return Finding(check, "ok", text)


def skipped(check: str, why: str) -> Finding:
    """A check that cannot be made here, for a reason."""
    return Finding(check, "skipped", f"skipped: {why}")


def reported(finding: Finding, who: str = "") -> str:
    """A finding about this machine as one sentence for the others: of `who`, or beginning with the verb."""
    text = (
        f"{who} {finding.text.removeprefix(SELF).lstrip()}" if finding.text.startswith(SELF) else finding.text
    )
    return f"{text} {finding.mend}".strip()


def guarded(check: str, look: Callable[[], Iterable[Finding]]) -> list[Finding]:
    """The findings of a check; that it fails is one too, and no reason to leave out the others."""
    try:
        return list(look())
    except Exception as error:  # noqa: BLE001 - a machine may say what nobody has seen: it is told
        text = f"{SELF} could not be examined for this ({check}): {type(error).__name__}: {error}."
        return [Finding(check, "warning", text, "Please report this, with pi-bunco doctor --bundle.")]


def faulty(findings: Iterable[Finding]) -> bool:
    """True if anything stops a night."""
    return any(finding.level == "fault" for finding in findings)


def lines(findings: Iterable[Finding]) -> Iterator[str]:
    """The findings as text, the most urgent first, and the count of each kind."""
    listed = list(findings)
    counts = []
    for level, (title, one, many) in _LEVELS.items():
        found = [finding for finding in listed if finding.level == level]
        if not found:
            continue
        counts.append(f"{len(found)} {one if len(found) == 1 else many}")
        yield title
        for finding in found:
            yield f"  {finding.check}: {finding.text}"
            if finding.mend and level != "ok":
                yield f"    -> {finding.mend}"
        yield ""
    yield f"{', '.join(counts)}."


def plain(findings: Iterable[Finding]) -> dict[str, Any]:
    """The findings as one JSON object."""
    listed = list(findings)
    return {"ok": not faulty(listed), "findings": to_builtins(listed)}
