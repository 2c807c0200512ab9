"""Making a hall ready on the host's laptop: passwords, certificates, a file for each Pi, and labels."""
