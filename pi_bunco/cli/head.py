"""`pi-bunco head`: the service that referees, rings and journals."""

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from pi_bunco.cli.parser import argument
from pi_bunco.cli.serve import BROKER_SETTINGS, add_settings, doctor, folder, hardware, serve, settled
from pi_bunco.config import Config, ConfigError, credential
from pi_bunco.runtime.serving import Shell
from pi_bunco.wire.topics import HEAD, PROBE

if TYPE_CHECKING:
    from pi_bunco.devices.protocols import Panel


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `pi-bunco head`."""
    add_settings(parser, *BROKER_SETTINGS, "data", "bell", "gpio", "auto_confirm")
    text, never = "let a virtual bell ring as often as it likes", {"action": "store_const", "const": "false"}
    argument(parser, "--no-bell-limits", text, dest="bell_limits", default=argparse.SUPPRESS, **never)
    text = "the hall's log key, as provision made it (default: one of the head's own, in its data)"
    argument(parser, "--log-key FILE", text, type=Path)


def run(options: argparse.Namespace) -> int:
    """Serves until SIGTERM; `BuncoError` says why it cannot.

    A bell or a card that cannot be used now is a fault that is shown.
    """
    config = settled(options, "broker.address", "data")
    address = config.address(HEAD)
    data = folder(config)
    if not config.bell_limits and not config.bell.startswith("virtual"):
        raise ConfigError(["--no-bell-limits is for a virtual bell only: a real one needs its limits"])
    name = f"head, broker {address}"
    return serve(lambda: _service(config, data, options.log_key), name, doctor(data, "The head's Pi"))


def _service(config: Config, data: Path, log_key: Path | None) -> Shell:
    from pi_bunco.devices.bell.host_button import open_button
    from pi_bunco.devices.kinds import BELL_KINDS, Setup
    from pi_bunco.devices.retrying import Retrying
    from pi_bunco.head import service
    from pi_bunco.runtime.clock import SystemClock

    clock = SystemClock()
    header, retrying = hardware(config, clock), Retrying(clock)
    check_bell_log(config.bell)
    runtime = os.environ.get("RUNTIME_DIRECTORY", "").partition(":")[0]  # in memory, made by systemd
    settings = service.HeadSettings(
        broker=config.address(HEAD),
        data=data,
        hall=config.hall,
        auto_confirm=config.auto_confirm * 1000,
        limits=config.bell_limits,
        runtime=Path(runtime) if runtime else None,
        probe=config.address(PROBE),
        log_key=log_key or credential("log-key"),
    )
    bell = retrying.open("the bell", lambda: BELL_KINDS.open(config.bell, Setup(header)))

    def button(put: Callable[[bool], None]) -> "Panel":
        return retrying.open("the bell button", lambda: open_button(header, put))

    try:
        return service.HeadService(
            settings, clock, bell, button if config.bell == "gpio" else None, retrying.look
        )
    except BaseException:
        bell.close()
        raise


def check_bell_log(bell: str) -> None:
    """A log that cannot be written is told now, not by the first ring; raises `ConfigError`."""
    kind, _, file = bell.partition(":")
    try:
        if kind == "virtual" and file:
            Path(file).open("ab").close()
    except OSError as error:
        raise ConfigError([f"bell = {bell}: {file} cannot be written: {error.strerror}"]) from error
