"""Read the database in which OpenClaw keeps the sessions of an agent, and never change it.

A transcript in it is shown as a file: the database takes the place of a directory, and
`<database>/<session id>.jsonl` that of a session file. No file can have that path.
"""
