"""The sessions of the recipes in the docs: a week of work in three projects, with two agents."""

from __future__ import annotations

import json
import os
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sessions
from sessions import Session, call
from support.made_up_secrets import made_up_secrets

NOW = datetime(2026, 11, 25, 12, tzinfo=UTC)
"""The present of the commands: a Wednesday."""

DAY, HOUR = 24 * 3600.0, 3600.0
KEY = dict(made_up_secrets("Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2Yz3" * 2, "0123456789abcdef"))


def write_all(home: Path) -> None:
    """Write sessions below a home directory whose projects are `~/shop`, `~/parser`, `~/site`."""
    for name in ("shop", "parser", "site"):
        (home / name).mkdir()
    empty = Session("01aca111-0000-7000-8000-00000000000e", str(home / "site"), 5 * DAY)
    with pytest.MonkeyPatch.context() as patch:
        # The ages of made-up sessions are those at this time.
        patch.setattr(sessions.time, "time", NOW.timestamp)
        for each in (_shop(home), _parser(home, 10), _parser(home, 9), _site(home), empty):
            each.write(home)
    _claude(home)


def _shop(home: Path) -> Session:
    """The demo's session with two branches, of last Tuesday, with a label before its fork."""
    session = sessions.shop()
    session.cwd, session.age = str(home / "shop"), DAY
    why = next(line["id"] for line in session.lines if "two steps" in json.dumps(line))
    session.add("label", targetId=why, label="found")
    return session


def _parser(home: Path, month: int) -> Session:
    session = sessions.parser()
    session.id, session.cwd = session.id.replace("c6", f"{month:02}", 1), str(home / "parser")
    session.age = (NOW - datetime(2026, month, 20, 12, tzinfo=UTC)).total_seconds()
    if month == 10:
        session.model = sessions.SONNET
        session.user("And the exponent?")
        session.answer("It is read by `float`, too.", cost=0.02)
    return session


def _site(home: Path) -> Session:
    """A key was used, and later a wrong turn taken."""
    session = Session("01a98f20-5d17-7b60-8a09-6c1be0d94f35", str(home / "site"), 3 * HOUR)
    session.user("Translate the landing page into French.")
    asked = call(2, "bash", command=f"curl -H 'x-api-key: {KEY['Anthropic key']}' api.example.com")
    session.answer("I ask for the words of the brand.", asked, cost=0.004)
    session.result(asked, "Acheter, Panier")
    edited = call(1, "edit", path="index.html", edits=[{"oldText": "Buy", "newText": "Acheter"}])
    session.answer("I translate the buttons first.", edited, cost=0.006)
    session.result(edited, "Edited index.html.")
    session.answer("Done; the button says « Acheter » now.", cost=0.006)
    session.user("Rewrite the page in Rust.")
    session.answer("I begin with a web server.", cost=0.009)
    return session


def _claude(home: Path) -> None:
    """A session of Claude Code, in the directory of the shop."""
    name = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
    cwd = str(home / "shop")
    folder = home / ".claude/projects" / cwd.replace("/", "-").replace("_", "-").replace(".", "-")
    folder.mkdir(parents=True)
    common = {"sessionId": name, "cwd": cwd, "version": "2.1.0"}
    common["timestamp"] = "2026-11-25T11:00:00.000Z"
    asked = {"role": "user", "content": "Why is the stock table locked for so long?"}
    said = "The transaction in checkout.py also sends the receipt."
    answered = {"role": "assistant", "model": "claude-sonnet-4-5", "id": "msg_1", "type": "message"}
    answered |= {"content": [{"type": "text", "text": said}], "stop_reason": "end_turn"}
    answered |= {"usage": {"input_tokens": 900, "output_tokens": 40}}
    lines = [
        {"type": "user", "uuid": "u1", "parentUuid": None, "message": asked, **common},
        {"type": "assistant", "uuid": "u2", "parentUuid": "u1", "message": answered, **common},
    ]
    file = folder / f"{name}.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    written = (NOW - timedelta(hours=1)).timestamp()
    os.utime(file, (written, written))


_PRESENT = f"""\
import sys
from datetime import UTC, datetime

from sessiond.cli import astext

# Before any command imports it.
astext.now = lambda: datetime.fromtimestamp({NOW.timestamp()}, UTC)

from sessiond.__main__ import main

sys.exit(main())
"""


def install_programs(home: Path) -> Path:
    """Put `sessiond`, agents, and an `ssh` to a machine called `box` into a directory; returns it.

    An agent prints the first line of how it was called.
    """
    programs = home.with_name("programs")
    there = home.with_name("box")
    for folder in (programs, there / "site", there / "shop"):
        folder.mkdir(parents=True)
    (programs / "at_present.py").write_text(_PRESENT)
    scripts = {
        "sessiond": f'exec {sys.executable} {programs / "at_present.py"} "$@"',
        "pi": 'echo "(pi continues the copy)"',
        "claude": 'echo "(Claude Code begins)"',
        "browser": 'echo "(the browser shows the page)"',
        "ssh": '[ "$1" = -T ] && shift; [ "$1" = -- ] && shift; [ "$1" = box ] || exit 7; shift;'
        f' cd {there}; HOME={there} exec sh -c "$*"',
    }
    for name, script in scripts.items():
        (programs / name).write_text(f"#!/bin/sh\n{script}\n")
        (programs / name).chmod(0o755)
    return programs
