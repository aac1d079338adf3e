"""Print constraints that choose the oldest dependencies that `pyproject.toml` allows."""

import re
import tomllib
from pathlib import Path

project = tomllib.loads(Path("pyproject.toml").read_text())["project"]
optional = project["optional-dependencies"]
extras = [name for extra in ("expressions", "postgres", "zstd") for name in optional[extra]]
for requirement in [*project["dependencies"], *extras]:
    found = re.fullmatch(r"([\w-]+)(?:\[[\w,]+\])?>=([\d.]+)(;.*)?", requirement)
    assert found, f"{requirement} has no oldest version"
    name, oldest, condition = found.groups()
    print(f"{name}=={oldest}.*{condition or ''}")
