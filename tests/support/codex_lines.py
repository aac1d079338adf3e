"""Lines of a rollout of Codex, of the shape that version 0.169.0 writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

THREAD = "01a20fc3-2eb8-7fe0-9b84-504d566b5361"
FORK = "01a20fc6-46c2-74c2-882c-11887e2db2ca"
CWD = "/work/robots"


class Rollout:
    """Builds lines with ordinals, as in a paginated thread."""

    def __init__(self, ordinal: int = 0) -> None:
        self.text = ""
        self._ordinal = ordinal

    def line(self, kind: str, payload: dict[str, Any]) -> Rollout:
        at = f"2026-03-04T05:00:{self._ordinal % 60:02}.000Z"
        line = {"timestamp": at, "ordinal": self._ordinal, "type": kind, "payload": payload}
        self.text += json.dumps(line, ensure_ascii=False) + "\n"
        self._ordinal += 1
        return self

    def meta(self, thread: str = THREAD, **more: Any) -> Rollout:
        payload = {
            "id": thread,
            "timestamp": "2026-03-04T05:00:00.000Z",
            "cwd": CWD,
            "model_provider": "openai",
            "base_instructions": {"text": "many words"},
            "history_mode": "paginated",
        }
        return self.line("session_meta", payload | more)

    def item(self, kind: str, **members: Any) -> Rollout:
        return self.line("response_item", {"type": kind, **members})

    def event(self, kind: str, **members: Any) -> Rollout:
        return self.line("event_msg", {"type": kind, **members})

    def prompt(self, text: str, kind: str = "user.text") -> Rollout:
        return self.item(
            "message",
            role="user",
            content=[{"type": "input_text", "text": text}],
            internal_chat_message_metadata_passthrough={"content_item_kinds": [kind]},
        )

    def said(self, text: str) -> Rollout:
        content = [{"type": "output_text", "text": text}]
        return self.item("message", id="msg_1", role="assistant", content=content)

    def tokens(self) -> Rollout:
        usage = {
            "input_tokens": 100,
            "cached_input_tokens": 40,
            "cache_write_input_tokens": 0,
            "output_tokens": 20,
            "reasoning_output_tokens": 5,
            "total_tokens": 120,
        }
        return self.line("token_usage_record", {"response_id": f"r{self._ordinal}", "usage": usage})

    def turn(self) -> Rollout:
        """A question, a look with a tool, and the answer; two requests."""
        return (
            self.event("task_started", turn_id="t")
            .prompt("<environment_context>\n", "environments.environment_context")
            .line("world_state", {"full": True})
            .line("turn_context", {"model": "gpt-9", "cwd": CWD})
            .prompt("Where is the teddy bear?")
            .event("item_completed", item={"type": "UserMessage"})
            .item(
                "reasoning", id="rs_1", summary=[{"type": "summary_text", "text": "Look around."}]
            )
            .item(
                "function_call",
                name="exec_command",
                arguments='{"cmd": "ls sofa"}',
                call_id="c1",
            )
            .tokens()
            .item("function_call_output", call_id="c1", output="teddy")
            .event("token_count", info={"total_token_usage": {"total_tokens": 120}})
            .said("Under the sofa.")
            .tokens()
            .event("task_complete", last_agent_message="Under the sofa.")
        )


def lay(home: Path, text: str, thread: str = THREAD, below: str = "sessions/2026/03/04") -> Path:
    """Write a rollout where Codex keeps it."""
    file = home / ".codex" / below / f"rollout-2026-03-04T05-00-00-{thread}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file
