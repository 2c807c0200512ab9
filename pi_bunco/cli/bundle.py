"""`pi-bunco bundle`: a folder to install from without a network."""

import argparse
from pathlib import Path

from pi_bunco.ops.install import bundle
from pi_bunco.ops.install.sources import source


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Where to, and for which machines."""
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the new folder")
    parser.add_argument(
        "--python",
        action="append",
        metavar="VERSION",
        help=f"for this Python; can be repeated (default {', '.join(bundle.PYTHONS)}: Bookworm and Trixie)",
    )
    parser.add_argument(
        "--platform",
        default=bundle.PLATFORM,
        choices=("aarch64", "x86_64"),
        help="for these machines (default: aarch64, the 64-bit Raspberry Pi OS)",
    )
    parser.add_argument(
        "--source", metavar="PROJECT", help="the project's folder or a wheel (default: what runs now)"
    )


def run(options: argparse.Namespace) -> int:
    """Makes the folder; `InstallError` says what is missing."""
    with source(options.source) as found:
        wanted = bundle.Bundle(tuple(options.python or bundle.PYTHONS), options.platform)
        files = bundle.make(wanted, found, options.out)
    size = sum(path.stat().st_size for path in files) / 1e6
    print(
        f"{options.out} holds pi-bunco {found.version} and all it needs: {len(files)} files, {size:.0f} MB."
    )
    print("On the Pi: sudo sh install.sh table --number 2 --head ADDRESS, or: sudo sh install.sh head")
    print("RPi.GPIO is not in it, as it has to be compiled; gpio = gpiod works on every Pi.")
    return 0
