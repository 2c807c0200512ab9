"""A command line that cannot be read is answered in one line, and what cannot be in a sentence."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from pi_bunco.cli import main
from pi_bunco.cli.head import check_bell_log

Said = pytest.CaptureFixture[str]

UNREADABLE = {
    "": ": COMMAND is missing; pi-bunco --help says more",
    "hots": ": hots is not known; did you mean host? pi-bunco --help says more",
    "bell ring": " bell: test|off: ring is not known; there are off, test; ",
    "host": " host: WHAT is missing; pi-bunco host --help says more",
    "report 1": " report: --output is missing; pi-bunco report --help says more",
    "report": " report: EVENING|LOG and --output are missing; pi-bunco report --help says more",
    "backup x -o y": " backup: -o y is not understood here; pi-bunco backup --help says more",
    "web --phones 4,5": " web: --phones: the page runs no tables any more: start pi-bunco phones with --",
    "simulate --rules": " simulate: --rules: a value is missing; pi-bunco simulate --help says more",
    "\x1b[31m": r": \x1b[31m is not known; there are hall, demo, ",
    "host opne --broker h": " host: opne is not known; did you mean open? ",
    "host turn 1\x1b A --broker h": r" host turn: TABLE: 1\x1b should be a whole number; ",
    "host start --bypath 2 --broker h": " host start: --bypath 2 is not understood here; ",
    "host start --bypass two --broker h": " host start: --bypass: two should be a whole number; ",
    "host hand 2 maybe --broker h": " host hand: ALLOWED: maybe should be on or off; ",
    "host leave --broker h": " host leave: PLAYER is missing; pi-bunco host leave --help says more",
    "host tally 1 1/2/3/4 1 1 1 --broker h": " host tally: CARDS: 1/2/3/4 should be points or points/",
    "simulate": " simulate: --rules is missing; ",
    "simulate --rules gong --evenings 0": " simulate: --evenings: 0 should be a whole number from 1; ",
    "simulate --rules gong --seed x": " simulate: --seed: invalid int value: 'x'; ",
    "simulate --rules gong --players 99999999": " simulate: --players: 99999999 should be a whole number",
}
REFUSED = {
    "head": "--broker is missing",
    "head --broker nobody:at:home --data {}": "'nobody:at:home' is no broker address: HOST:PORT or",
    "head --broker h --data {}/file/data": "cannot be made: Not a directory",
    "head --broker h --data {} --bell gong": "--bell gong is not allowed; it must be gpio, sound, sound:",
    "head --broker h --data {} --bell virtual:{}/no/file": "cannot be written: No such file or directory",
    "head --broker h --data {} --bell gpio --no-bell-limits": "--no-bell-limits is for a virtual bell only",
    "head --broker h --data {} --auto-confirm soon": "--auto-confirm soon is not allowed; it must be the sec",
    "head --broker h --data {} --config {}/none.toml": "none.toml cannot be read: No such file or directory",
    "head --broker h --data {} --user u --password-file {}/none": "none cannot be read",
    "head --broker h --data {} --ca {}/file": "file: ",
    "head --broker h --data {} --cert {}/file": "three files: ca, cert and key",
    "table --broker h --data {}": "--number is missing",
    "table --broker h --data {} --number 0": "--number 0 is not allowed; it must be the table's number",
    "table --broker h --data {} --number 1 --dice recorded:{}/none": "none cannot be read",
    "table --broker h --data {} --number 1 --panel smart": "smart players need both",
    "table --broker h --data {} --number 1 --dice smart --panel virtual": "smart players need both",
    "table --broker h --data {} --number 1 --dice smart --pace slow": "--pace slow is not allowed",
    "table --broker h --data {} --number 1 --dice smart --pace nan": "--pace nan is not allowed",
    "table --broker h --data {} --number 1 --pace 2": "--pace is for smart players",
    "table --broker h --data {} --number 1 --seed 2": "--seed is for smart players",
    "table --broker h --data {} --number 1 --stdin --dice smart": "--stdin needs virtual dice, or none",
    "host status": "--broker is missing",
    "host open --broker h": "say who plays",
    "host open --broker h --players a --players-file b": "say who plays",
    "host open --broker h --players-file /none": "--players-file /none cannot be read",
    "host open --broker h --players a --set x": "should be KEY=VALUE",
    "host open --broker h --players a --rules /none.toml": "/none.toml cannot be read: No such file",
    "host draw --broker h --user 'Ann B'": "--user Ann B is not allowed",
    "host draw --broker h --hall ../x": "--hall ../x is not allowed",
    "host decide 2 ME --broker h": "decide: winner should be THEM, US, A, B, C or D, not ME.",
    "host turn 2 E --broker h": "turn: seat should be A, B, C or D, not E.",
    "host bypass 0 --broker h": "bypass: table should be a whole number from 1 to 1000, not 0.",
    "host open --players Ann,Bob, --pot much --broker h": "open: players no. 3 should be a name of visible "
    "letters, without control characters, at most 80 characters, not ''.\n"
    'open: pot should be an amount as a text, such as "60" or "59.50", not much.',
    "host rolloff x Ann=7 Bob=3-4-9 --broker h": "rolloff: dice of Ann no. 1 should be a whole number from 1 "
    "to 6, not 7.\nrolloff: dice of Bob no. 3 should be a whole number from 1 to 6, not 9.",
    "host seats Ann,Bob,Cat --broker h": "seats: tables no. 1 should be a list of 4 names, not a list of 3. "
    "An empty chair is a ghost's: name it, such as Ghost 1.",
    "demo --players 3": "--players 3 is not allowed; it must be 4 to 80",
    "demo --sets 0": "--sets 0 is not allowed",
    "demo --speed 0": "--speed 0 is not allowed; it must be 0.1 to 1000",
    "demo --speed nan": "--speed nan is not allowed",
    "demo --speed fast": "--speed fast is not allowed",
    "demo --rules clasic": 'there is no rule set "clasic"',
    "demo --host me --json": "--host me goes without --json",
    "demo --host me --speed max": "--host me goes without --speed max",
    "simulate --rules gongg": 'there is no rule set "gongg"; did you mean gong?',
    "simulate --rules gong --players 3": "at least 4 players are needed, not 3",
    "simulate --rules gong --set end.point=3": "end.point is not a dimension; did you mean end.points?",
    "rules gnog": 'there is no rule set "gnog"; did you mean gong?',
    "rules missing.toml": "missing.toml cannot be read: No such file or directory",
    "rules gong --set end.points": "'end.points' should be KEY=VALUE, for example end.points=21",
    "rules gong --set end.tables=every": 'end.tables = "every" is not allowed; it must be "any" or "head"',
    "rules --toml": "--toml needs a rule set to start from: pi-bunco rules gong --toml ...",
    "rules --set a=1": "--set needs a rule set to start from: pi-bunco rules gong --set ...",
    "check": "nothing is wired by this config",
    "check --bell gpio --gpio mock": "skipped: without --data it is not known whether",
    "check --panel gpio --gpio gpiod:/dev/none": "cannot be used on this machine",
    "check --dice cards": "--dice cards is not allowed",
    "bell test --bell gpio --gpio mock": "--data is missing",
    "bell test --bell gpio --data {} --gpio gpiod:/dev/none": "cannot be used",
    "pins --display tv": "--display tv is not allowed",
    "doctor --dice foo": "--dice foo is not allowed",
    "doctor --config /none": "the config file /none cannot be read: there is none",
    "report log -o sheet.doc": "-o sheet.doc should end in pdf, html, csv",
    "report log --pot lots -o sheet.csv": "--pot lots should be an amount such as 60 or 59.50",
    "report log --journal nowhere.db -o sheet.csv": "there is no journal nowhere.db",
    "season": "name evening logs",
}


@pytest.mark.parametrize("words", UNREADABLE, ids=repr)
def test_unreadable_file_is_reported_in_one_line(words: str, capsys: Said) -> None:
    with pytest.raises(SystemExit) as caught:
        main(words.split())
    out, told = capsys.readouterr()
    assert (caught.value.code, out, told.count("\n")) == (2, "", 1)
    assert told.startswith(f"pi-bunco{UNREADABLE[words]}")


@pytest.mark.parametrize("words", REFUSED)
def test_a_wrong_value_is_told_in_a_sentence(words: str, tmp_path: Path, capsys: Said) -> None:
    (tmp_path / "file").write_text("x")
    assert main(shlex.split(words.replace("{}", str(tmp_path)))) == 2
    out, told = capsys.readouterr()
    assert out == ""
    assert told.startswith(f"pi-bunco {words.split()[0]}: ")
    assert REFUSED[words] in told


def test_the_loudness_of_a_bell_is_no_file_of_its_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    check_bell_log("sound:60")
    assert list(tmp_path.iterdir()) == []
    check_bell_log("virtual:rings")
    assert [file.name for file in tmp_path.iterdir()] == ["rings"]


@pytest.mark.process
def test_the_help_loads_nothing_that_only_a_command_needs() -> None:
    program = "import sys; from pi_bunco.cli import main; sys.exit('msgspec' in sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)
