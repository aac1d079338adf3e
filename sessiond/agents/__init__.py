"""Agents as rooms: a package holds everything that is true of one agent and of no other.

`registry.AGENTS` names them all. What reads sessions uses `sessions`, which answers for all agents.
"""

NAMES = (
    "pi",
    "clanker",
    "indusagi",
    "companion",
    "coderclaw",
    "openclaw",
    "claude-code",
    "codex",
    "opencode",
)
"""Their names, for the help of commands, which imports none of them."""
