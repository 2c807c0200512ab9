"""The command `pi-bunco`; every subcommand is a module of its own, imported when it is called."""

import gc
import importlib
import io
import os
import sys

from pi_bunco import __version__
from pi_bunco.cli.parser import INTERRUPTED, OneLineParser
from pi_bunco.errors import BuncoError

SUBCOMMANDS = {
    "hall": "run a Bunco night on this machine, with phones as tables",
    "demo": "play a whole Bunco night on this machine, in front of you",
    "head": "run the head service: referee, bell, journal",
    "table": "run the service of one table",
    "phones": "run the tables that phones play, all in one",
    "web": "serve the pages: scoreboard, players, host, phones as tables",
    "host": "tell the head what the host wants, or ask how things stand",
    "bell": "test the bell, after a press of its button, or silence it",
    "check": "try every button, die, light and relay of this machine",
    "pair": "find the Bluetooth dice of a table by shaking them",
    "flash-box": "put MicroPython and the dice box's firmware onto a Pico",
    "pins": "show what is wired to which pin of the header",
    "adopt": "take over what provision made for this Pi, from its boot partition",
    "join": "ask the head of a hall to take this Pi in as a table",
    "authority": "give a Pi that joins its account at the broker; the head's page asks for it",
    "update": "take the newer version that the head of the hall hands out",
    "provision": "write what the cards of a hall's Pis need, on the host's laptop",
    "doctor": "say what would stop a night, and how to mend it",
    "backup": "save all that the services of this machine know in one file",
    "restore": "put what a backup holds back in its place",
    "export": "write an evening of the journal as an evening log",
    "replay": "play an evening log again and print the evening",
    "report": "make the result sheet and the score cards of an evening: PDF, page or CSV",
    "rules": "show the rule sets, their dimensions and odds",
    "season": "add evenings up: players, records, dues, and whether the dice are fair",
    "schema": "print the formats of log, messages and commands: JSON Schema, AsyncAPI",
    "conform": "try any implementation of the rules on the golden logs, and name the ruling that it breaks",
    "simulate": "play many evenings with fair dice",
}


FILES = {
    **dict.fromkeys(("backup", "restore", "export"), "backup"),
    **dict.fromkeys(("season", "report"), "evenings"),
    **dict.fromkeys(("schema", "conform"), "formats"),
    **dict.fromkeys(("table", "phones"), "table"),
    **dict.fromkeys(("adopt", "authority", "update"), "installed"),
}
"""The files with several commands: there `add_NAME` and `run_NAME` are of the command NAME."""
PIP_NAMES = {"luma": "luma.oled"}
"""Names at pip, by module, of packages that only some commands need, where they differ."""


def main(arguments: list[str] | None = None) -> int:
    """Runs one command and returns its exit status: 2 after bad input, with the reason on standard error."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a name that the terminal cannot show is no reason to fail
    parser = OneLineParser(prog="pi-bunco", description="Runs a Bunco night.")
    parser.add_argument("--version", action="version", version=f"pi-bunco {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    wanted = [name for name in arguments[:1] if name in SUBCOMMANDS]
    for name in wanted or SUBCOMMANDS:  # a parser takes its time, and the command that runs needs one
        command = commands.add_parser(name, help=SUBCOMMANDS[name], description=SUBCOMMANDS[name])
        if wanted:  # only the command that runs is imported, so that --help is quick
            gc.disable()  # what is loaded stays: to look through it again and again takes time
            try:
                module = importlib.import_module(f"pi_bunco.cli.{FILES.get(name, name.replace('-', '_'))}")
            except ModuleNotFoundError as error:
                if (error.name or "pi_bunco").startswith("pi_bunco"):
                    raise
                package = (error.name or "?").partition(".")[0]
                mend = f"pip install {PIP_NAMES.get(package, package)} brings it"
                print(
                    f"pi-bunco {name}: the Python package {package} is not installed; {mend}", file=sys.stderr
                )
                return 2
            finally:
                gc.freeze()
                gc.enable()
            add, run = (f"add_{name}", f"run_{name}") if name in FILES else ("add_arguments", "run")
            getattr(module, add)(command)
            command.set_defaults(run=getattr(module, run))
    options, strange = parser.parse_known_args(arguments)
    if strange:  # told by the command that was meant, not by the one of all commands
        parser.prog = " ".join(filter(None, ("pi-bunco", options.command, getattr(options, "word", None))))
        parser.error(f"unrecognized arguments: {' '.join(strange)}")
    try:
        return int(options.run(options))
    except BuncoError as error:
        print(f"pi-bunco {options.command}: {error}", file=sys.stderr)
        return 2
    except UnicodeEncodeError:  # in a title or a name; a file may be called anything
        wrong = [ascii(one) for one in arguments if any("\ud800" <= sign <= "\udfff" for sign in one)]
        print(f"pi-bunco {options.command}: {', '.join(wrong) or 'a text'} is not UTF-8", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # the reader, a pager for example, has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
