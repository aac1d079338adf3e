"""Messages of commands for empty results, wrong usage, and output that fails."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from support.commands import SESSIOND, run
from support.process import isolated_environment
from support.session_lines import header, line

from sessiond.cli import main
from sessiond.cli import settings as options
from sessiond.cli.main import command_line, parse


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for name, session, text in (
        ("w", "aaa111", "Fix the parser"),
        ("w", "aaa222", "Translate the page"),
        ("v", "bbb333", "Elsewhere"),
    ):
        folder = tmp_path / f".pi/agent/sessions/--{name}--"
        folder.mkdir(parents=True, exist_ok=True)
        content = header(session, f"/{name}") + line("one", None, text)
        (folder / f"{session}.jsonl").write_text(content)
    return tmp_path


def in_gateway(home: Path) -> None:
    folder = home / ".coderclaw/agents/main/sessions"
    folder.mkdir(parents=True)
    (folder / "ccc444.jsonl").write_text(header("ccc444", "/w") + line("one", None, "Hello"))


@pytest.mark.parametrize(
    "arguments",
    [
        ["--profile", "coderclaw", "list", "--all"],
        ["list", "--profile", "coderclaw", "--all"],
        ["list", "--all", "--profile=coderclaw"],
        ["--profile", "pi", "list", "--all", "--profile", "coderclaw"],
    ],
    ids=" ".join,
)
def test_options_work_in_any_order(home: Path, arguments: list[str]):
    in_gateway(home)
    done = run(home, *arguments, cwd=home)
    assert done.stdout.split("\t")[3] == "ccc444"


def test_variables_count_for_commands(home: Path):
    in_gateway(home)
    env = isolated_environment(home, SESSIOND_PROFILE="coderclaw")
    command = [*SESSIOND, "list", "--all"]
    done = subprocess.run(command, env=env, capture_output=True, check=True, timeout=30)
    assert b"ccc444" in done.stdout


def test_commands_obey_root_and_read_only(home: Path):
    outside = run(home, "--root", str(home / "elsewhere"), "list", "--all", cwd=home)
    assert (outside.returncode, outside.stdout) == (3, "")
    refused = run(home, "--read-only", "rename", "aaa111", "Name", cwd=home)
    assert refused.returncode == 3
    assert "Name" not in run(home, "list", "--all", cwd=home).stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["list"], "3 sessions of other directories: `sessiond list --all`"),
        (["list", "--all", "--since", "2999-01-01"], "none of 3 sessions matches"),
        (["list", "--all", "--model", "gpt"], "none of 3 sessions matches"),
        (["search", "haystack"], "none of 3 sessions matches"),
        (["list", "--cwd", "/w", "--named"], "none of 2 sessions matches"),
        (["list", "--cwd", "/w", "--since", "2999-01-01"], "none of 2 sessions matches"),
        (["search", "haystack", "--cwd", "/w"], "none of 2 sessions matches"),
        (["gateway", "list"], "no gateway sessions of any agent of coderclaw"),
        (["gateway", "list", "--search", "x"], "no session matches"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_an_empty_answer_prints_its_reason(home: Path, arguments: list[str], message: str):
    done = run(home, *arguments, cwd=home)
    assert (done.returncode, done.stdout) == (1, "")
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_directory_that_cannot_be_read_is_named(tmp_path: Path):
    # A link to itself: no rights are needed to fail.
    (tmp_path / ".pi/agent").mkdir(parents=True)
    place = tmp_path / ".pi/agent/sessions"
    place.symlink_to(place)
    for arguments in (["list", "--all"], ["list"], ["search", "x"]):
        done = run(tmp_path, *arguments, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (1, "")
        (line,) = done.stderr.splitlines()
        assert str(place) in line


def test_agents_that_cannot_be_read_yet_are_named(tmp_path: Path):
    for below in (".kimi-code/sessions", ".gemini/antigravity-cli/brain"):
        (tmp_path / below).mkdir(parents=True)
    (line,) = run(tmp_path, "list", cwd=tmp_path).stderr.splitlines()
    assert line.endswith(
        "; not read yet: the sessions of Antigravity CLI (~/.gemini/antigravity-cli/brain),"
        " Kimi Code (~/.kimi-code/sessions)"
    )


def test_an_agent_without_sessions_is_named_with_those_that_have_some(tmp_path: Path):
    in_gateway(tmp_path)
    done = run(tmp_path, "list", "--all", "--profile", "pi", cwd=tmp_path)
    assert done.stderr == (
        "sessiond: pi has no sessions: ~/.pi/agent/sessions does not exist;"
        " sessions exist for coderclaw (--profile coderclaw)\n"
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ["list"],
        ["list", "--all", "--named"],
        ["list", "--all"],
        ["search", "haystack"],
        ["search", "parser"],
        ["check", "--all"],
        ["show", "nope"],
        ["gateway", "list"],
        ["gateway", "show", "nope"],
        ["search", "(", "--mode", "regex"],
    ],
    ids=" ".join,
)
def test_json_has_the_same_exit_code(home: Path, arguments: list[str]):
    plain = run(home, *arguments, cwd=home)
    assert run(home, *arguments, "--json", cwd=home).returncode == plain.returncode


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        (["shwo"], "sessiond"),
        (["show"], "sessiond show"),
        (["show", ""], "sessiond show"),
        (["show", "aaa111", "--lines", "3"], "sessiond show"),
        (["show", "@0"], "sessiond show"),
        (["show", "@" + "9" * 5000], "sessiond show"),
        (["restore", ""], "sessiond restore"),
        (["check"], "sessiond check"),
        (["check", "aaa111", "--all"], "sessiond check"),
        (["list", "--all", "--cwd", "/w"], "sessiond list"),
        (["list", "--since", "soon"], "sessiond list"),
        (["search", "(", "--mode", "regex"], "sessiond search"),
        (["gateway", "list", "--path", ""], "sessiond gateway list"),
        (["gateway", "list", "--active", "x"], "sessiond gateway list"),
        (["export", "aaa111", "-o", "x.pdf"], "sessiond export"),
        (["help", "nonsense"], "sessiond"),
        (["--profile", "vim", "list"], "sessiond"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_usage_is_code_2_and_names_the_command(
    home: Path, arguments: list[str], command: str
):
    done = run(home, *arguments, cwd=home)
    assert (done.returncode, done.stdout) == (2, "")
    usage = done.stderr.splitlines()[0]
    assert usage.startswith(f"Usage: {command} [")
    assert "Traceback" not in done.stderr


def test_an_ambiguous_id_prefix_lists_the_matching_sessions(home: Path):
    done = run(home, "show", "aaa", cwd=home)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.splitlines()[0] == ("sessiond: 2 sessions have ids that begin with aaa:")
    assert sorted(done.stderr.splitlines()[1:]) == [
        "  aaa111  Fix the parser",
        "  aaa222  Translate the page",
    ]


def test_a_short_id_names_its_session_however_few_are_listed(home: Path):
    folder = home / ".pi/agent/sessions/--w--"
    for session in ("0123456789-a", "0123456789-b"):
        (folder / f"{session}.jsonl").write_text(header(session, "/w") + line("one", None, "x"))
    (home / "w").mkdir()
    terminal = {"FORCE_COLOR": "1", "NO_COLOR": "1", "TERM": "xterm", "COLUMNS": "100"}
    env = isolated_environment(home, **terminal)
    command = [*SESSIOND, "list", "--all", "-n", "1"]
    done = subprocess.run(command, env=env, capture_output=True, check=True, timeout=60)
    short = done.stdout.decode().splitlines()[1].split()[1]
    assert run(home, "show", short, cwd=home).returncode == 0


@pytest.mark.parametrize("since", ["999999y", "0001-01-01"])
@pytest.mark.parametrize("command", [["list", "--all"], ["usage"]])
def test_a_time_long_ago_is_before_everything(home: Path, command: list[str], since: str):
    found = run(home, *command, "--since", since, cwd=home)
    assert found.returncode == (0 if command[0] == "list" else 1)
    assert "internal" not in found.stderr
    done = run(home, "delete", "--older-than", "999999y", "--all", "--yes", cwd=home)
    assert (done.returncode, "is that old" in done.stderr) == (1, True)


INTERRUPTED_AT = """
import os, signal, sys
wanted = sys.argv.pop(1)
# A shell ignores the signal in what it starts in the background.
signal.signal(signal.SIGINT, signal.default_int_handler)
class Finder:
    def find_spec(self, name, *_):
        if name == wanted:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder())
from sessiond.__main__ import main
sys.exit(main())
"""


@pytest.mark.parametrize(
    "module",
    [
        *("sessiond.cli.main", "click", "sessiond.cli.running", "sessiond.cli.commands.list"),
        *(
            "sessiond.cli.local",
            "sessiond.sessions.engine",
            "sessiond.methods.session.list",
            "rich.text",
        ),
    ],
)
def test_ctrl_c_while_modules_are_imported_prints_no_traceback(home: Path, module: str):
    command = [sys.executable, "-c", INTERRUPTED_AT, module, "list", "--all"]
    terminal = {"FORCE_COLOR": "1", "TERM": "xterm", "COLUMNS": "100"}
    env = isolated_environment(home, **terminal)
    done = subprocess.run(command, env=env, capture_output=True, check=False, timeout=60)
    assert done.returncode in (-signal.SIGINT, 130)
    assert done.stderr == b""


def test_sessions_are_counted_as_they_are_listed(home: Path):
    listed = [row.split("\t")[5] for row in run(home, "list", "--all").stdout.splitlines()]
    for number, title in enumerate(listed, 1):
        shown = run(home, "show", f"@{number}", cwd=home)
        assert shown.stdout.splitlines()[0] == title
    assert run(home, "show", "last", cwd=home).stdout.splitlines()[0] == listed[0]
    assert run(home, "show", "@4", cwd=home).returncode == 3


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
@pytest.mark.parametrize(
    "arguments",
    [["list", "--all"], ["show", "aaa111"], ["help"], ["export", "aaa111"]],
    ids=" ".join,
)
def test_output_that_cannot_be_written_is_one_line(home: Path, arguments: list[str]):
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*SESSIOND, *arguments],
            env=isolated_environment(home),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=30,
        )
    assert done.returncode == 3
    assert done.stderr == "sessiond: No space left on device: standard output\n"


@pytest.mark.parametrize(
    "arguments", [["list", "--all"], ["show", "aaa111"], ["help"]], ids=" ".join
)
def test_a_closed_pipe_is_not_a_failure(home: Path, arguments: list[str]):
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [*SESSIOND, *arguments],
            env=isolated_environment(home),
            stdout=writing,
            stderr=subprocess.PIPE,
            check=False,
            timeout=30,
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


def test_help_explains_a_command(home: Path):
    assert run(home, "help", "gateway", "list").stdout.startswith("Usage: sessiond gateway list [")
    assert "--max-message" in run(home, "help", "serve").stdout


def test_completion_offers_sessions_with_their_titles(home: Path):
    env = isolated_environment(
        home,
        _SESSIOND_COMPLETE="zsh_complete",
        COMP_WORDS="sessiond show aaa",
        COMP_CWORD="2",
    )
    done = subprocess.run(
        SESSIOND, env=env, capture_output=True, text=True, check=False, timeout=30, cwd=home
    )
    offered = done.stdout.splitlines()
    assert {tuple(offered[at + 1 : at + 3]) for at in range(0, len(offered), 3)} == {
        ("aaa111", "Fix the parser"),
        ("aaa222", "Translate the page"),
    }


def test_completion_stays_inside_the_root(home: Path):
    for root, expected in ((home, {"aaa111", "aaa222"}), (home / "none", set())):
        env = isolated_environment(
            home,
            _SESSIOND_COMPLETE="bash_complete",
            COMP_WORDS=f"sessiond --root {root} show aaa",
            COMP_CWORD="4",
        )
        done = subprocess.run(
            SESSIOND, env=env, capture_output=True, text=True, check=False, timeout=30, cwd=home
        )
        assert {line.split("\t")[1] for line in done.stdout.splitlines() if line} == expected


@pytest.mark.parametrize(
    ("typed", "key", "offered"),
    [
        # TAB lists several with their titles, and inserts the only one without.
        ("aaa", 9, ["aaa222  (Translate the page)", "aaa111  (Fix the parser)"]),
        ("aaa1", 9, ["aaa111"]),
        # Keys of bash that insert each candidate in its turn.
        ("aaa", 37, ["aaa222", "aaa111"]),
    ],
)
def test_bash_lists_titles_and_inserts_ids(home: Path, typed: str, key: int, offered: list[str]):
    script = run(home, "completion", "bash").stdout
    asked = f"""{script}
COMP_WORDS=(sessiond show {typed}) COMP_CWORD=2 COMP_TYPE={key}
_sessiond_completion {shlex.quote(str(Path(sys.executable).with_name("sessiond")))}
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    done = subprocess.run(
        ["bash", "--norc", "-c", asked],
        env=isolated_environment(home),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        cwd=home,
    )
    assert sorted(done.stdout.splitlines()) == sorted(offered), done.stderr


def test_fish_keeps_the_order_of_sessions(home: Path):
    assert "complete --keep-order --no-files" in run(home, "completion", "fish").stdout


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
def test_fish_shows_whole_descriptions(home: Path):
    directory = Path(sys.executable).parent
    words = ["fish", "-c", 'sessiond completion fish | source; complete -C "sessiond tai"']
    env = isolated_environment(home, PATH=f"{directory}:{os.environ['PATH']}")
    done = subprocess.run(words, env=env, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "tail\tPrint a branch of a session; its end, and what comes.\n"


IMPORTS = """
import sys
from sessiond.__main__ import main
try:
    code = main(sys.argv[1:])
finally:
    loaded = {name.partition(".")[0] for name in sys.modules} | set(sys.modules)
    print(json.dumps(sorted(loaded)), file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("arguments", "absent"),
    [
        (["--version"], {"click", "attrs", "asyncio"}),
        (["help"], {"attrs", "msgspec", "asyncio", "rich"}),
        (["list", "--all"], {"sessiond.rpc.server", "rich"}),
        (["show", "aaa111"], {"sessiond.rpc.server"}),
        (["search", "parser"], {"sessiond.rpc.server"}),
        # Serves, and ends at once because there is no input.
        ([], {"rich", "re2", "watchfiles", "pyjson5", "sessiond.gateway.keys"}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_commands_import_only_the_modules_they_use(
    home: Path, arguments: list[str], absent: set[str]
):
    done = run_program(home, arguments)
    assert done.returncode == 0
    assert not absent & set(json.loads(done.stderr.splitlines()[-1]))


def run_program(home: Path, arguments: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [SESSIOND[0], "-c", f"import json\n{IMPORTS}", *arguments],
        env=isolated_environment(home),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )


def test_the_log_of_a_command_is_private(home: Path):
    log = home / "log"
    done = run(home, "--log-file", str(log), "--log-level", "debug", "list", "--all", umask=0)
    assert (done.returncode, done.stderr) == (0, "")
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    nowhere = run(home, "--log-file", str(home / "none" / "log"), "list", "--all")
    assert nowhere.returncode == 3
    assert nowhere.stderr == f"sessiond: No such file or directory: {home}/none/log\n"


def test_the_traceback_of_an_internal_error_is_only_in_the_log(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
):
    def broken(_arguments: object) -> None:
        raise KeyError("unexpected")

    monkeypatch.setattr(main, "_result", broken)
    monkeypatch.setattr(main, "_drop_output", lambda: None)
    monkeypatch.setenv("SESSIOND_LOG_LEVEL", "debug")
    with caplog.at_level("DEBUG"):
        assert main.run(["list"]) == 3
    assert capsys.readouterr().err == "sessiond: internal error: KeyError: 'unexpected'\n"
    assert "Traceback" in caplog.text


def test_settings_are_passed_on_to_another_process():
    given = ["--profile=clanker", "--agent-dir=-x y", "--root=/a", "--root=/b=c", "--read-only"]
    given += ["--cache-bytes=5", "--no-catalog-cache", "--lock-timeout=1.5"]
    with command_line.make_context("sessiond", [*given, "list"]) as context:
        known = options.settings(context, {}, "pi")
    assert parse(options.arguments(known)) == parse(given)
    assert parse(given).agent_dir == "-x y"


def test_a_session_of_this_directory_has_priority(home: Path):
    """Its id begins as those of others do, or is the same."""

    def put(name: str, session: str, text: str) -> None:
        work = home / name
        work.mkdir(exist_ok=True)
        folder = home / f".pi/agent/sessions/--{str(work).lstrip('/').replace('/', '-')}--"
        folder.mkdir(exist_ok=True)
        content = header(session, str(work)) + line("u1", None, text)
        (folder / f"{session}.jsonl").write_text(content)

    for name, session in (("v", "ccc1"), ("w", "ccc2"), ("w", "ddd"), ("v", "ddd")):
        put(name, session, f"Of {name}")
    for given in ("ccc", "ddd"):
        for name in ("v", "w"):
            shown = run(home, "show", given, cwd=home / name)
            assert shown.stdout.splitlines()[0] == f"Of {name}"
    assert run(home, "show", "ccc", cwd=home).returncode == 3
    # A whole id comes before beginnings of ids.
    put("v", "ccc", "Whole")
    assert run(home, "show", "ccc", cwd=home / "w").stdout.splitlines()[0] == "Whole"
