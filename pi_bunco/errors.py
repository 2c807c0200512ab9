"""The one error tree: every error of ours is a `BuncoError` and the natural built-in as well."""

from collections.abc import Sequence


class BuncoError(Exception):
    """Something that the caller can mend; the text is a sentence for a host."""


class RulesError(BuncoError, ValueError):
    """A rule set does not hold; `problems` has one sentence for each mistake, all of them at once."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))


class FactError(BuncoError, ValueError):
    """A fact is malformed or names what does not exist; the text says what was expected."""


class LogError(BuncoError, ValueError):
    """An evening log cannot be read; the text names the file, the line and what was expected."""
