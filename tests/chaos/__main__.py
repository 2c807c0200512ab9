"""Evenings full of trouble: `PYTHONPATH=tests python -m chaos [--kills N] [--seed S] [--rules NAME]`.

Real processes and dice boxes; exit status 1 if a throw was lost, doubled or misjudged, or a bell was wrong.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from pi_bunco.rules import PRESETS

from ._evening import KINDS, Setting, play
from ._ledger import Verdict


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m chaos", description=__doc__)
    parser.add_argument(
        "--kills", type=int, default=100, help="end when N processes were killed", metavar="N"
    )
    parser.add_argument("--seed", type=int, default=int(time.time()), help="(default: the time)")
    parser.add_argument("--rules", choices=PRESETS, help="a preset (default: all in turn)")
    parser.add_argument("--broker", choices=KINDS, default="mosquitto")
    parser.add_argument("--points", type=int, help="end a round, if not those of the preset")
    parser.add_argument("--each", type=int, default=30, help="kills in an evening, at most")
    parser.add_argument("--keep", type=Path, help="a folder in which the files of all evenings stay")
    options = parser.parse_args()
    total = Verdict()
    for setting in _settings(options):
        if total.kills >= options.kills:
            break
        with TemporaryDirectory() as passing:
            folder = options.keep / f"{setting.rules}-{setting.seed}" if options.keep else Path(passing)
            verdict = play(setting, folder)
        print(f"{setting.rules:10} {setting.broker:9} seed {setting.seed}: {verdict}", flush=True)
        total.add(verdict)
    print(f"all: {total}")
    return 1 if total.complaints or total.late else 0


def _settings(options: argparse.Namespace) -> Iterator[Setting]:
    seed = options.seed
    while True:
        for rules in [options.rules] if options.rules else PRESETS:
            yield Setting(rules, options.broker, seed, options.each, points=options.points)
            seed += 1


sys.exit(main())
