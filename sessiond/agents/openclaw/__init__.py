"""OpenClaw: the database in which it keeps the sessions of an agent, which is only ever read.

A transcript in it is shown as a file: the database takes the place of a directory, and
`<database>/<session id>.jsonl` that of a session file. No file can have that path.
"""
