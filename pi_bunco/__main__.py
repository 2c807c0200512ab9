"""`python -m pi_bunco` is the command `pi-bunco`."""

from pi_bunco.cli import main

raise SystemExit(main())
