"""Why a target could not do its work."""


class Unwritable(Exception):
    """The message names the file and says what to do."""
