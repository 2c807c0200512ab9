"""The pages of the three ways: what they have one type is understood, and their pictures show each step."""

import contextlib
import importlib
import re
import shlex
import tomllib

import pytest

from hardware.test_drawings import HARDWARE, PICTURES, words
from pi_bunco.cli import SUBCOMMANDS
from pi_bunco.cli.parser import OneLineParser

TYPED = sorted(
    {
        " ".join(command.split())
        for page in HARDWARE.glob("*.md")
        for command in re.findall(
            r"`(?:sudo )?(?:\.venv/bin/)?pi-bunco (.+?)`", page.read_text("utf-8"), re.DOTALL
        )
    }
)


@pytest.mark.parametrize("typed", TYPED)
def test_a_command_of_a_page_is_one_that_there_is(typed: str) -> None:
    """With its options; a name alone stands for the command, which may ask for more."""
    name, *arguments = shlex.split(typed.replace("... ", "--out hall "))
    assert name in SUBCOMMANDS
    parser = OneLineParser(prog="pi-bunco")
    importlib.import_module(f"pi_bunco.cli.{name.replace('-', '_')}").add_arguments(parser)
    if arguments:
        with contextlib.redirect_stderr(None):
            parser.parse_args(arguments)


@pytest.mark.parametrize(("page", "pictures"), [("tonight", ("tonight", "pad")), ("shop", ("shop",))])
def test_a_page_has_a_picture_for_each_of_its_steps(page: str, pictures: tuple[str, ...]) -> None:
    text = (HARDWARE / f"{page}.md").read_text("utf-8")
    for number, picture in enumerate(pictures, 1):
        steps = text.split(f"(pictures/steps-{picture}.svg)")[1].split("![")[0]
        written = re.findall(r"^(\d)\. ", steps, re.MULTILINE)
        drawn = [word[0] for word in words(PICTURES / f"steps-{picture}.svg") if re.match(r"\d\s+\S", word)]
        numbers = [one for one in drawn if one in written]
        assert written == [str(step) for step in range(1, len(written) + 1)], number
        assert numbers == written


def test_the_number_pads_picture_has_each_name_at_its_key() -> None:
    keys = tomllib.loads((HARDWARE / "keypad.toml").read_text("utf-8"))["keys"]
    shown = words(PICTURES / "steps-pad.svg")
    signs = {"KPPLUS": "+", "KPMINUS": "-", "KPENTER": "Enter", "KPASTERISK": "*"}
    for name, (key, *_) in keys.items():
        assert shown.count(name.upper()) == 1
        assert shown[shown.index(name.upper()) - 1] == signs.get(key, key.removeprefix("KP"))
