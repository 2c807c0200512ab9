"""Has pip-audit look up every pinned dependency: a known hole fails, what could not be looked up is said."""

import json
import subprocess
import sys
from pathlib import Path

COMMAND = ["pip-audit", "-r", "constraints.lock", "--no-deps", "--disable-pip", "-f", "json"]


def main() -> int:
    """Looks them up; 1 if any has a known hole."""
    asked = subprocess.run(
        [str(Path(sys.executable).with_name(COMMAND[0])), *COMMAND[1:], "--progress-spinner", "off"],
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        found = json.loads(asked.stdout)["dependencies"]
    except (ValueError, KeyError):
        print(
            f"audit: nothing could be looked up: {(asked.stderr.strip().splitlines() or ['no answer'])[-1]}"
        )
        return 0
    holes = [(one, hole) for one in found for hole in one.get("vulns", ())]
    for one, hole in holes:
        print(f"audit: {one['name']} {one['version']} has {hole['id']}; mended in {hole['fix_versions']}")
    skipped = sum("skip_reason" in one for one in found)
    print(f"audit: {len(found) - skipped} dependencies looked up, {skipped} unknown to it here")
    return int(bool(holes))


if __name__ == "__main__":
    raise SystemExit(main())
