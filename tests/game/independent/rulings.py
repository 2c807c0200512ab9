"""The rulings that the conformance kit knows, each with the mistake that breaks it in this engine."""

import tomllib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Ruling:
    """A ruling, and the mistake that breaks it: in the text of `module`, `old` becomes `new`.

    A log that has none of the texts `needs` is not touched.
    """

    name: str
    sentence: str
    module: str
    old: str
    new: str
    needs: tuple[str, ...] = ("",)


def _read() -> list[Ruling]:
    found = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))["ruling"]
    return [Ruling(**{**one, "needs": tuple(one.get("needs", [""]))}) for one in found]


RULINGS = _read()
