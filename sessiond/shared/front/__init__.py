"""The front of a shared daemon: finds or starts the daemon and gives it this process's streams.

`sessiond --shared` runs it in place of a daemon of its own. It imports the standard library alone,
and of that only small modules, because its start is the start that a client waits for.
"""
