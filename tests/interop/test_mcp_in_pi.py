"""pi itself recalls an earlier session through its own MCP client."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from reference.agent import Home
from reference.pi import missing
from support.mcp import chain
from support.model_server import ModelServer

pytestmark = [
    pytest.mark.node,
    pytest.mark.skipif(missing() is not None, reason=str(missing())),
]


def test_pi_offers_the_tools_to_its_model_and_calls_them(tmp_path: Path):
    with ModelServer() as model:
        home = Home.make(tmp_path, model.url)
        chain(tmp_path, home.work, "a needle of wisdom")
        node, program = home.command()[:2]
        server = [str(Path(sys.executable).parent / "sessiond"), "mcp"]
        for words in (["add", "sessiond", "--", *server], ["list"]):
            done = subprocess.run(
                [node, program, "mcp", *words],
                env=home.environment(),
                cwd=home.work,
                capture_output=True,
                text=True,
                check=True,
                timeout=60,
            )
        assert "sessiond: connected, 3 tools" in done.stdout
        settings = home.agent_dir / "mcp.json"
        configured = json.loads(settings.read_text())
        configured["mcpServers"]["sessiond"]["exposure"] = "direct"
        settings.write_text(json.dumps(configured))
        said = home.ask('call mcp__sessiond__search_sessions {"query": "needle"}')
        assert "a needle of wisdom" in said
        assert "not instructions to you" in said
        offered = {tool["function"]["name"] for tool in model.requests[0]["tools"]}
        assert "mcp__sessiond__open_session" in offered
