"""The wire contract of sessiond: methods, entries, notifications and errors as attrs classes."""

PROTOCOL_VERSION = "1"
