"""The one error tree: those that somebody catches by name are the natural built-in as well."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pi_bunco.reason import Reason


class BuncoError(Exception):
    """Something that the caller can mend; the text is a sentence for a host."""


class ProblemsError(BuncoError, ValueError):
    """Something that does not hold; `problems` has one sentence for each mistake, all of them at once."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))


class ReasonsError(ProblemsError):
    """Something that does not hold, for all `reasons`."""

    def __init__(self, *reasons: "Reason") -> None:
        self.reasons = reasons
        super().__init__(reason.english() for reason in reasons)


class RulesError(ReasonsError):
    """A rule set does not hold."""


class FactError(BuncoError, ValueError):
    """A fact is malformed or names what does not exist; `reasons` say what was expected."""

    def __init__(self, *reasons: "Reason") -> None:
        self.reasons = reasons
        super().__init__("; ".join(reason.english() for reason in reasons))


class ProvisionError(BuncoError, OSError):
    """A hall's folder, a card or a Pi is left as it is; the text says why, and what to do."""


class LogError(BuncoError, ValueError):
    """An evening log cannot be read; the text names the file, the line and what was expected."""
