"""What every service stands on, and nothing of Bunco: loop, clock, store, writer, systemd, warnings."""
