"""`python -m attack [--rubbish N] [--seed S]` with PYTHONPATH=.:tests: a provisioned hall is attacked.

What was tried is counted, with a broker as provision sets it up and with a head behind it; exit status 1 if
anything came through.
"""

import argparse
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from ._all import attack


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m attack", description=__doc__)
    parser.add_argument("--rubbish", type=int, default=2000, help="malformed packets of each kind")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="(default: the time)")
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        tally = attack(Path(folder), options.rubbish, options.seed)
    print("\n".join(tally.lines()))
    return 1 if tally.told else 0


sys.exit(main())
