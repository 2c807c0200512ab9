"""`PYTHONPATH=.:tests python -m game.independent --logs 10000`: both engines on drawn evenings."""

import argparse
import sys

from game.independent.comparing import run

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--from", dest="start", type=int, default=0, help="the first seed")
parser.add_argument("--logs", type=int, default=1000, help="how many evenings")
parser.add_argument("--show", type=int, default=5, help="how many that differ are printed, made short")
parser.add_argument("--stages", action="store_true", help="tournaments to their end, and dice for prizes")
parser.add_argument("--patterns", action="store_true", help="house rules about single rolls")
options = parser.parse_args()
seeds = range(options.start, options.start + options.logs)
count = run(seeds, options.show, stages=options.stages, patterns=options.patterns)
print(f"{options.logs} logs, {count} differ")
sys.exit(count > 0)
