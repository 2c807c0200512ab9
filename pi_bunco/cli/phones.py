"""`pi-bunco phones`: the tables that phones play, all in one process."""

import argparse
from pathlib import Path

from pi_bunco.cli.serve import BROKER_SETTINGS, add_settings, folder, serve, settled
from pi_bunco.config import Config
from pi_bunco.runtime.serving import Shell


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `pi-bunco phones`."""
    add_settings(parser, *BROKER_SETTINGS, "data", "phones", "phones_at")


def run(options: argparse.Namespace) -> int:
    """Serves until SIGTERM; `ConfigError` or `SocketError` says which setting cannot be."""
    config = settled(options, "broker.address", "data", "phones_at")
    data = folder(config)
    name = f"phones {config.phones or 'of no table'}, broker {config.address('phones')}"
    return serve(lambda: _shell(config, data), name)


def _shell(config: Config, data: Path) -> Shell:
    from pi_bunco.runtime.clock import SystemClock
    from pi_bunco.table.phones.service import PhonesService, PhonesSettings

    phones, as_needed = phone_tables(config.phones)
    settings = PhonesSettings(
        config.address("phones"),
        data,
        config.phones_at or "",
        tuple(phones),
        as_needed,
        config.hall,
        data.absolute().parent / "web",  # where the page kept them before they had a process
    )
    return PhonesService(settings, SystemClock())


def phone_tables(text: str) -> tuple[list[int], bool]:
    """The numbers of phone tables, and whether only as many of them are wanted as play."""
    numbers: set[int] = set()
    for part in filter(None, text.split(",")):
        first, dots, last = part.partition("..")
        numbers.update(range(int(first), int(last if dots else first) + 1))
    return sorted(numbers), ".." in text
