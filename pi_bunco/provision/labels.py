"""The paper of a hall: labels for the boxes, the host's page, "Your first night", the README of its folder.

Each sheet is a page of HTML that needs nothing else; on the labels and the first night nothing is secret.
"""

import itertools
import textwrap
from collections.abc import Iterator
from typing import NamedTuple

from pi_bunco.provision.accounts import Secrets
from pi_bunco.provision.addresses import OWN_ADDRESS, TLS_PORT
from pi_bunco.provision.plan import Plan
from pi_bunco.provision.seed import rendered, wifi_code
from pi_bunco.wire.topics import HEAD, table_node

_LINE_LETTERS = 104


class Label(NamedTuple):
    """The words of one label; `code` is the text in its QR code."""

    large: str
    name: str
    folder: str
    code: str


class Chapter(NamedTuple):
    """A heading and what to do, in this order; the first step has the `number`."""

    heading: str
    number: int
    steps: tuple[str, ...]


def sheets(plan: Plan, secrets: Secrets) -> dict[str, str]:
    """All that is printed, by the names of the files.

    The labels are eight to a sheet; `host.html` is how guests get in, for the wall, and the host's PIN.
    """
    of_boxes = {"labels.html": rendered("labels.html", plan=plan, labels=labels(plan))}
    if plan.laptop:  # which shows address, PIN and what to do by itself
        return of_boxes
    host = rendered("host.html", plan=plan, secrets=secrets, wifi_code=wifi_code(plan, secrets.wifi))
    night = rendered("first-night.html", chapters=first_night(plan))
    return {"host.html": host, "first-night.html": night} | of_boxes


def labels(plan: Plan) -> Iterator[Label]:
    """A label for each Pi of the hall."""
    also = " and table 1" if plan.head_number else ""
    if not plan.laptop:
        yield Label("HEAD", f"Head{also}", HEAD, f"Bunco hall {plan.hall}: head{also}, at {plan.at}")
    for number in plan.alone:
        says = f"Bunco hall {plan.hall}: table {number}. Its head is at {plan.at}"
        yield Label(str(number), f"Table {number}", table_node(number), says)


def first_night(plan: Plan) -> Iterator[Chapter]:
    """The evening from switching on to pulling the plugs, for this hall."""
    kinds = {number: plan.plays(number) for number in range(1, plan.tables + 1)}
    text = rendered(
        "first-night",
        plan=plan,
        typed=[number for number, kind in kinds.items() if kind == "ordinary"],
        counting=bool({"gpio", "usb"} & set(kinds.values())),
        own_address=OWN_ADDRESS,
    )
    number = 1
    for part in text.split("# ")[1:]:
        heading, *steps = part.splitlines()
        yield Chapter(heading, number, tuple(steps))
        number += len(steps)


def night_text(plan: Plan) -> str:
    """The first night as plain text, numbered through."""
    lines: list[str] = []
    for chapter in first_night(plan):
        lines.append(chapter.heading)
        for number, step in zip(itertools.count(chapter.number), chapter.steps, strict=False):
            lines += textwrap.wrap(
                f"{number:4}. {step}", _LINE_LETTERS, subsequent_indent=" " * 6, break_on_hyphens=False
            )
        lines.append("")
    return "\n".join(lines)


def readme(plan: Plan) -> str:
    """The text of `README.txt`, where nothing is secret."""
    if plan.laptop:
        return rendered("README-laptop.txt", plan=plan, port=TLS_PORT)
    return rendered("README.txt", plan=plan, night=night_text(plan))
