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
local function attach()
  vim.wait(40000, function()
    local client = clients()[1]
    return client and client.server_capabilities and vim.lsp.buf_is_attached(0, client.id)
  end, 20)
end
local function ask(method, params)
  for _, answer in pairs(vim.lsp.buf_request_sync(0, method, params, 40000) or {}) do
    return answer.result
  end
end
attach()
local document = vim.lsp.util.make_position_params(0, clients()[1].offset_encoding)
local found = { ask("textDocument/hover", document), ask("textDocument/documentSymbol", document) }
local out = io.open("session.jsonl", "a")
out:write("{damaged\\n")
out:close()
vim.wait(40000, function() return #vim.diagnostic.get(0) > 0 end, 20)
found[3] = #vim.diagnostic.get(0)
vim.lsp.stop_client(clients())
vim.wait(40000, function() return #clients() == 0 end, 20)
found[4] = vim.fn.execute("messages")
vim.cmd("edit!")
attach()
found[5] = #clients()
vim.fn.writefile({ vim.fn.json_encode(found) }, "found.json")
vim.cmd("quitall!")
"""

EMACS_ASK = r"""
(require 'eglot)
(find-file "session.jsonl")
;; A batch has no commands after which eglot would connect.
(run-hooks 'post-command-hook)
(let ((end (+ (float-time) 40)))
  (while (and (< (float-time) end) (not (eglot-current-server)))
    (accept-process-output nil 0.1)))
(let* ((server (eglot-current-server))
       (document (list :uri (concat "file://" buffer-file-name)))
       (place (list :textDocument document :position '(:line 1 :character 0)))
       (hover (jsonrpc-request server :textDocument/hover place))
       (symbols (jsonrpc-request server :textDocument/documentSymbol
                                 (list :textDocument document)))
       (end (+ (float-time) 40)))
  ;; An edit, of which some versions tell the server although it does not ask for that.
  (goto-char (point-max))
  (insert "x")
  (run-hooks 'post-command-hook)
  (write-region "{damaged\n" nil "session.jsonl" t 'quiet)
  (while (and (< (float-time) end) (not (flymake-diagnostics)))
    (accept-process-output nil 0.1))
  (princ (json-encode (list (plist-get (plist-get hover :contents) :value)
                            (plist-get (aref symbols 0) :name)
                            (mapcar #'flymake-diagnostic-text (flymake-diagnostics)))))
  (terpri)
  (with-current-buffer "*Messages*" (princ (buffer-string))))
"""


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", DOCS.read_text(), re.DOTALL)


def run(directory: Path, *command: str) -> str:
    path = f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin"
    ran = subprocess.run(
        command,
        cwd=directory,
        env={"HOME": str(directory), "PATH": path, "XDG_STATE_HOME": str(directory)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=180,
        check=False,
    )
    return ran.stdout.decode()


@pytest.mark.skipif(shutil.which("nvim") is None, reason="Neovim is not installed")
def test_neovim_shows_hover_outline_and_damage_and_restarts(tmp_path: Path):
    nvim = shutil.which("nvim") or ""
    version = re.search(r"v0\.(\d+)", run(tmp_path, nvim, "--version"))
    wanted = "vim.lsp.enable(" if version and int(version[1]) >= 11 else "start_client"
    (configuration,) = (block for block in blocks("lua") if wanted in block)
    (tmp_path / "init.lua").write_text(configuration)
    (tmp_path / "ask.lua").write_text(ASK)
    (tmp_path / "session.jsonl").write_text(header() + line("u1", None, "hello from Neovim"))
    said = run(
        tmp_path,
        *(nvim, "--headless", "-u", "init.lua", "-n", "-c", "luafile ask.lua", "-c", "qa!"),
    )
    assert (tmp_path / "found.json").exists(), said
    found = json.loads((tmp_path / "found.json").read_text())
    hover, symbols, problems, messages, restarted = found
    assert "hello from Neovim" in hover["contents"]["value"]
    assert [symbol["name"] for symbol in symbols] == ["User: hello from Neovim"]
    assert problems == 1
    assert "quit with" not in messages
    assert restarted == 1


def has_eglot() -> bool:
    emacs = shutil.which("emacs")
    if emacs is None:
        return False
    command = [emacs, "--batch", "--eval", "(progn (package-initialize) (require 'eglot))"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not has_eglot(), reason="Emacs with eglot is not installed")
def test_eglot_shows_hover_outline_and_damage(tmp_path: Path):
    (configuration,) = (block for block in blocks("elisp") if "eglot" in block)
    (tmp_path / "init.el").write_text(f"(package-initialize)\n{configuration}")
    (tmp_path / "ask.el").write_text(EMACS_ASK)
    (tmp_path / "session.jsonl").write_text(header() + line("u1", None, "hello from Emacs"))
    said = run(tmp_path, "emacs", "--batch", "-l", "init.el", "-l", "ask.el")
    (answer,) = (each for each in said.splitlines() if each.startswith('["'))
    hover, symbol, problems = json.loads(answer)
    assert "hello from Emacs" in hover
    assert symbol == "User: hello from Emacs"
    assert ["not JSON" in each for each in problems] == [True]
    assert "Error in server" not in said
