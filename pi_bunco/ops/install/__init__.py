"""Puts pi-bunco on a Pi to run unattended, takes what a host hands over, and removes it all again."""
