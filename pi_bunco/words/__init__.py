"""What anything is called, in every language."""
