"""`PYTHONPATH=.:tests python -m game.independent --logs 10000`: both engines on drawn evenings."""

import argparse
import sys

from game.independent.comparing import run

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--from", dest="start", type=int, default=0, help="the first seed")
parser.add_argument("--logs", type=int, default=1000, help="how many evenings")
parser.add_argument("--show", type=int, default=5, help="how many that differ are printed, made short")
parser.add_argument("kinds", nargs="*", help="stages, patterns, house: what is drawn besides (drawn_logs.py)")
options = parser.parse_args()
seeds = range(options.start, options.start + options.logs)
count = run(seeds, options.show, *options.kinds)
print(f"{options.logs} logs, {count} differ")
sys.exit(count > 0)
