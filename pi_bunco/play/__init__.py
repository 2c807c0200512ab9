"""Play without people: fair dice, whole evenings, virtual players."""
