"""A damaged byte anywhere in a line of another agent hides nothing else, and is never an error."""

from __future__ import annotations

import json

import pytest
from support import claude_lines, codex_lines
from support.claude_lines import answer, call, line, result, said, text, user

from sessiond.agents.claude.lines import ClaudeTranslator
from sessiond.agents.codex.lines import CodexTranslator
from sessiond.format.load import load

CLAUDE = (
    user(1, None, [text("Look é."), {"type": "image", "source": {"data": "AA=="}}])
    + answer(2, 1, "m1", call("c1", "Edit", file_path="a", old_string="x", new_string="y"))
    + user(3, 2, [result("c1", [text("done")])])
    + said("system", 4, 3, subtype="compact_boundary", compactMetadata={"preTokens": 7})
    + user(5, 4, "Summary.", isCompactSummary=True)
    + line("custom-title", customTitle="Bears")
    + line("cost-state", totalCostUSD=0.5, modelUsage={"m": {"inputTokens": 1, "costUSD": 0.5}})
    + line("last-prompt", leafUuid=claude_lines.uuid(3))
    + user(6, 3, "Last é.")
)
CODEX = (
    codex_lines.Rollout()
    .meta(forked_from_id=codex_lines.FORK)
    .meta()
    .turn()
    .item("custom_tool_call", name="apply_patch", call_id="c2", input="*** Begin Patch\n")
    .item("function_call_output", call_id="c2", output={"content": "é", "success": False})
    .line("compacted", {"message": "s"})
    .event("thread_rolled_back", num_turns=1)
    .text
)


@pytest.mark.parametrize(
    ("content", "agent"), [(CLAUDE, "claude"), (CODEX, "codex")], ids=["claude", "codex"]
)
def test_a_damaged_byte_is_no_error_and_hides_no_other_line(content: str, agent: str):
    whole = content.encode()
    lines = whole.splitlines()
    for number, damaged in enumerate(lines):
        for at in range(len(damaged)):
            hurt = damaged[:at] + b"\xb4" + damaged[at + 1 :]
            translator = (
                ClaudeTranslator(claude_lines.SESSION)
                if agent == "claude"
                else CodexTranslator(codex_lines.THREAD, lambda *_: [], lambda _: None)
            )
            made: list[bytes] = []
            for other, one in enumerate(lines):
                made += translator.translate(hurt if other == number else one)
            if number:
                # Without its first line a rollout has no header.
                loaded = load(b"\n".join([*made, b""]))
                assert loaded.header is not None, (number, at)
                assert number == len(lines) - 1 or loaded.entries, (number, at)
            for each in made:
                if each.startswith(b'{"type":"message"'):
                    json.loads(each.decode())
