"""The directories of Oh My Pi, a fork of pi whose files are pi's with a title before the header.

Oh My Pi 18.2.3: `src/session/session-paths.ts`, and `src/dirs.ts` of `@oh-my-pi/pi-utils`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

import attrs

from sessiond.agents.pi.agent import PiAgent, encode_cwd
from sessiond.files import disk
from sessiond.runtime.home import absolute

_SEPARATORS = re.compile(r"[/\\:]")
_PROFILE = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


@attrs.frozen
class OmpAgent(PiAgent):
    """Oh My Pi, with directories named by what is below the home or the temporary directory."""

    @property
    def agent_dir_variable(self) -> str:
        """The variable of pi, which Oh My Pi honours, too; it does not lead `agent_dir` away."""
        return "PI_CODING_AGENT_DIR"

    def agent_dir(self, env: Mapping[str, str]) -> str:
        profile = env.get("OMP_PROFILE", env.get("PI_PROFILE", ""))
        below = f"/profiles/{profile}" if _PROFILE.fullmatch(profile) else ""
        if data := env.get("XDG_DATA_HOME"):
            # Used once Oh My Pi has moved there.
            place = absolute(f"{data}/omp{below}", env)
            if disk.isdir(place):
                return place
        config = env.get("PI_CONFIG_DIR") or ".omp"
        return absolute(f"~/{config}{below}/agent", env)

    def session_dir(self, env: Mapping[str, str]) -> str | None:  # noqa: ARG002
        return None

    def configured_dir(self, env: Mapping[str, str], agent_dir: str, cwd: str | None) -> str | None:  # noqa: ARG002
        return None

    def directory_of(self, cwd: str, env: Mapping[str, str]) -> str:
        for prefix, base in (("", absolute("~", env)), ("-tmp", env.get("TMPDIR") or "/tmp")):  # noqa: S108 - as the program
            if cwd == base or cwd.startswith(f"{base.rstrip('/')}/"):
                return f"{prefix}-{_SEPARATORS.sub('-', cwd[len(base) :].lstrip('/'))}"
        return encode_cwd(os.path.normpath(cwd))

    @property
    def resume_words(self) -> tuple[str, ...]:
        return self.name, "--resume", "{file}"


OMP = OmpAgent("omp")
AGENTS = (OMP,)
