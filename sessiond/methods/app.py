"""The names by which methods import what they work on."""

from sessiond.methods.client import Client as App
from sessiond.methods.client import Gateway
from sessiond.methods.handlers import Handler, Handlers, looking, moment, reading, telling, turn

__all__ = [
    "App",
    "Gateway",
    "Handler",
    "Handlers",
    "looking",
    "moment",
    "reading",
    "telling",
    "turn",
]
