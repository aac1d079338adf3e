"""The configurations of docs/editors.md in the real editors, without a screen."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.session_lines import header, line

DOCS = Path(__file__).parents[2] / "docs" / "editors.md"

ASK = """
vim.cmd("edit session.jsonl")
vim.api.nvim_win_set_cursor(0, { 2, 0 })
local clients = vim.lsp.get_clients or vim.lsp.get_active_clients
vim.wait(40000, function()
  local client = clients()[1]
  return client and client.server_capabilities and vim.lsp.buf_is_attached(0, client.id)
end, 20)
local function ask(method, params)
  for _, answer in pairs(vim.lsp.buf_request_sync(0, method, params, 40000) or {}) do
    return answer.result
  end
end
local document = vim.lsp.util.make_position_params()
local found = { ask("textDocument/hover", document), ask("textDocument/documentSymbol", document) }
vim.fn.writefile({ vim.fn.json_encode(found) }, "found.json")
vim.cmd("quitall!")
"""


@pytest.mark.skipif(shutil.which("nvim") is None, reason="Neovim is not installed")
def test_neovim_shows_hover_and_outline(tmp_path: Path):
    blocks = re.findall(r"```lua\n(.*?)```", DOCS.read_text(), re.DOTALL)
    (configuration,) = (block for block in blocks if '"lsp"' in block)
    (tmp_path / "init.lua").write_text(configuration)
    (tmp_path / "ask.lua").write_text(ASK)
    (tmp_path / "session.jsonl").write_text(header() + line("u1", None, "hello from Neovim"))
    command = ["nvim", "--headless", "-u", "init.lua", "-n", "-c", "luafile ask.lua", "-c", "qa!"]
    path = f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin"
    ran = subprocess.run(
        command,
        cwd=tmp_path,
        env={"HOME": str(tmp_path), "PATH": path, "XDG_STATE_HOME": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=55,
        check=False,
    )
    assert (tmp_path / "found.json").exists(), ran.stderr.decode()
    hover, symbols = json.loads((tmp_path / "found.json").read_text())
    assert "hello from Neovim" in hover["contents"]["value"]
    assert [symbol["name"] for symbol in symbols] == ["User: hello from Neovim"]
