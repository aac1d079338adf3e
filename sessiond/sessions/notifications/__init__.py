"""Notify clients of changes that they did not make themselves."""
