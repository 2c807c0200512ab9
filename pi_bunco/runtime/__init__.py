"""The ground of every service, and nothing of Bunco: loop, clock, store, writer, systemd, warnings."""
