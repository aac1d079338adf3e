"""Readings of many sessions for a list, with what earlier processes found."""
