"""CoderClaw, and what OpenClaw has in common with it."""
