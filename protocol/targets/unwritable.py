"""The error of a target that cannot generate its files."""


class Unwritable(Exception):
    """The files cannot be generated; the message names the file and the remedy."""
