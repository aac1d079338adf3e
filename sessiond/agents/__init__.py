"""Agents as rooms: a package holds everything that is true of one agent and of no other.

`registry.AGENTS` names them all. What reads sessions uses `sessions`, which answers for all agents.
"""

PACKAGES = {
    "pi": ("pi", "clanker", "indusagi", "companion"),
    "omp": ("omp",),
    "coderclaw": ("coderclaw",),
    "openclaw": ("openclaw",),
    "claude": ("claude-code",),
    "codex": ("codex",),
    "opencode": ("opencode",),
    "gemini": ("gemini-cli",),
    "qwen": ("qwen-code",),
    "copilot": ("copilot",),
}
"""The registration: the names of the agents of each package, in the order of lists and help.

The module `agent` of a package has them as `AGENTS`. `make generate` writes the names into the
contract and into the settings of VS Code.
"""

NAMES = tuple(name for names in PACKAGES.values() for name in names)
"""Their names, for the help of commands, which imports none of them."""
