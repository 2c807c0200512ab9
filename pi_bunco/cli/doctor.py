"""`pi-bunco doctor`: what stops a night on this machine and in its hall, and how to mend it."""

import argparse
import os
from pathlib import Path

from pi_bunco.cli.parser import argument, print_json
from pi_bunco.cli.serve import BROKER_SETTINGS, add_settings
from pi_bunco.config import settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options that the services run with, where they are not in the file of settings; and the form."""
    parser.epilog = (
        "Exit status: 0 if nothing stops a night, 1 if something does, 2 if the options are wrong. The object"
        ' of --json is {"ok": true, "findings": [{"check", "level", "text", "mend"}]}; a level is fault,'
        " warning, skipped or ok, and ok is false where there is a fault."
    )
    devices = ("dice", "panel", "lights", "bell", "gpio", "encoding", "display")
    add_settings(parser, *BROKER_SETTINGS, "data", "number", *devices)
    argument(parser, "--json", "print what was found as one JSON object")
    text = "also write FILE, such as report.tar.gz, for a bug report, without secrets"
    argument(parser, "--bundle FILE", text, type=Path)
    argument(parser, "--with-names", "leave the players' names in the bundle instead of numbers")


def run(options: argparse.Namespace) -> int:
    """Examines; 0 if nothing stops a night, 1 if something does. `ConfigError` on bad options."""
    from pi_bunco.doctor import bundle, examine, findings, stores
    from pi_bunco.doctor.machine_state import Machine

    given = {key: value for key, value in vars(options).items() if key in settings()}
    machine = Machine()
    settled = stores.read_settings(given, getattr(options, "config", None), machine)
    at = stores.home(given.get("data"), settled.config.data, machine.places.state)
    subject = examine.Subject(machine, settled, at, root=os.geteuid() == 0)
    found = examine.examine(subject)
    if options.bundle:
        bundle.write(options.bundle, bundle.collect(subject, found, options.with_names))
    if options.json:
        print_json(findings.plain(found))
    else:
        print("\n".join(findings.lines(found)))
        if options.bundle:
            print(f"{options.bundle} is written; look into it before you send it on.")
    return int(findings.faulty(found))
