"""What was found: how bad it is, a sentence for a host, and how to mend it. Pure."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal

from msgspec import Struct, to_builtins

Level = Literal["fault", "warning", "skipped", "ok"]
SELF = "This machine"
"""Who a sentence is about that the machine can also say of itself to the others, see `reported`."""
_TITLES: dict[Level, str] = {
    "fault": "This stops a night:",
    "warning": "This should be looked at before the next night:",
    "skipped": "This was not checked:",
}
_COUNTED: dict[Level, tuple[str, str]] = {
    "fault": ("fault", "faults"),
    "warning": ("warning", "warnings"),
    "skipped": ("not checked", "not checked"),
    "ok": ("fine", "fine"),
}


class Finding(Struct, frozen=True):
    """What a check found; `text` is a sentence, `mend` one or more that say what to do, empty where fine."""

    check: str
    level: Level
    text: str
    mend: str = ""


def sentence(text: str) -> str:
    """The text with an end, as errors have none."""
    return text if text.endswith((".", "?", "!")) else f"{text}."


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
    """What a check finds; that it fails is a finding too, and no reason to leave out the others."""
    try:
        return list(look())
    except Exception as error:  # noqa: BLE001 - a machine may say what nobody has seen: it is told
        text = f"{SELF} could not be examined for this ({check}): {type(error).__name__}: {error}."
        return [Finding(check, "warning", text, "Please report this, with pi-bunco doctor --bundle.")]


def faulty(findings: Iterable[Finding]) -> bool:
    """Whether anything stops a night."""
    return any(finding.level == "fault" for finding in findings)


def lines(findings: Iterable[Finding]) -> Iterator[str]:
    """The findings as text, the most urgent first, and how many of each there are."""
    listed = list(findings)
    for level, title in _TITLES.items():
        if found := [finding for finding in listed if finding.level == level]:
            yield title
            yield from (line for finding in found for line in _lines(finding))
            yield ""
    if fine := [finding for finding in listed if finding.level == "ok"]:
        yield "This is fine:"
        yield from (f"  {finding.check}: {finding.text}" for finding in fine)
        yield ""
    counts = {level: sum(finding.level == level for finding in listed) for level in _COUNTED}
    yield f"{', '.join(_counted(level, count) for level, count in counts.items() if count)}."


def _lines(finding: Finding) -> Iterator[str]:
    yield f"  {finding.check}: {finding.text}"
    if finding.mend:
        yield f"    -> {finding.mend}"


def _counted(level: Level, count: int) -> str:
    one, many = _COUNTED[level]
    return f"{count} {one if count == 1 else many}"


def plain(findings: Iterable[Finding]) -> dict[str, Any]:
    """The findings as one JSON object."""
    listed = list(findings)
    return {"ok": not faulty(listed), "findings": to_builtins(listed)}
