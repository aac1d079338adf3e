"""The session layer of CoderClaw and OpenClaw: their stores, keys, rules and transcripts."""
