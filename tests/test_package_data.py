"""All that is kept of the package is installed: each file is Python or named in `package-data`."""

import subprocess
import tomllib
from fnmatch import fnmatch
from glob import glob
from pathlib import Path

ROOT = Path(__file__).parents[1]
NOT_INSTALLED = ("*.md", "*.po", "words/locale/babel.cfg", "web/pictures/*")
"""For those who work on the package."""


def test_every_kept_file_is_installed() -> None:
    git = ["git", "-C", str(ROOT), "ls-files", "pi_bunco"]
    kept = subprocess.run(git, check=True, capture_output=True, text=True).stdout.splitlines()
    code = {Path(path).parent for path in kept if path.endswith(".py")}
    assert {str(folder) for folder in code if f"{folder.as_posix()}/__init__.py" not in kept} == set()
    data = {path.removeprefix("pi_bunco/") for path in kept if not path.endswith(".py")}
    wanted = {path for path in data if not any(fnmatch(path, pattern) for pattern in NOT_INSTALLED)}
    setup = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]
    patterns = setup["package-data"]["pi_bunco"]
    found = {
        path for pattern in patterns for path in glob(pattern, root_dir=ROOT / "pi_bunco", recursive=True)
    }
    assert {path for path in wanted if path not in found} == set()
    assert {path for path in found if (ROOT / "pi_bunco" / path).is_file()} - data == set()
