"""Record session files of real agents as the fixtures of tests/golden/agents:

    SESSIOND_AGENTS=.cache/agents PYTHONPATH=tests .venv/bin/python -m agents.record DIRECTORY

Every agent holds the conversation of conversation.py with the model server of the tests. Afterwards
only places change: the temporary home becomes /home/someone, pi's package /opt/pi.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from reference.agent import Agent, Home
from reference.pi import OLDER, PI, Release
from support.model_server import ModelServer

from real_agents.conversation import converse
from real_agents.openclaw_home import configure
from real_agents.test_older_pi import OLDEST
from real_agents.test_openclaw import KEY, PROGRAM, OpenClaw


def record_pi(release: Release, home: Path) -> str:
    """The text of the session file."""
    with ModelServer() as model:
        settings = {"retry": {"enabled": False}, "compaction": {"keepRecentTokens": 3}}
        made = Home.make(home, model.url, release, **settings)
        with Agent(made, "--system-prompt", "Be brief.", "--tools", "bash") as agent:
            agent.call("prompt", message="hello")
            agent.until("agent_end")
            converse(agent, model)
            agent.call("prompt", message="goodbye")
            agent.until("agent_end")
            path = agent.call("get_state")["sessionFile"]
        text = Path(path).read_text()
    return text.replace(str(release.directory), "/opt/pi")


def record_openclaw(home: Path) -> dict[str, str]:
    """The text of the store and of its transcript, by name."""
    with ModelServer() as model:
        agent = OpenClaw(home, model)
        configure(home, model.url)
        for text in ("hello", "run printf 'one\\ntwo'", "refuse", "go on \u2028 😀"):
            agent.run("agent", "--local", "--agent", "main", "--message", text)
        store = json.loads(agent.store.read_text())
        # What it knows of its own skills is long and no session's.
        del store[KEY]["skillsSnapshot"]
        transcript = agent.store.parent / f"{store[KEY]['sessionId']}.jsonl"
        return {
            "sessions.json": json.dumps(store, indent=2, ensure_ascii=False),
            transcript.name: transcript.read_text().replace(str(PROGRAM.parent), "/opt/openclaw"),
        }


def main() -> None:
    target = Path(sys.argv[1])
    recorded: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as temporary:
        home = Path(temporary)
        for release in (PI, OLDER, OLDEST):
            text = record_pi(release, home / release.version)
            recorded[f"pi-{release.version}.jsonl"] = text.replace(
                str(home / release.version), "/home/someone"
            )
        for name, text in record_openclaw(home / "openclaw").items():
            recorded[f"openclaw-2026.2.21/{name}"] = text.replace(
                str(home / "openclaw"), "/home/someone"
            )
    for name, text in recorded.items():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_text(text)


if __name__ == "__main__":
    main()
