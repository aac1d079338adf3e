"""Values for which there is no memory are refused before a library handles them."""

import resource
import subprocess
import sys

import pytest

PROGRAM = """
import json, resource, sys
from pathlib import Path

import msgspec
from sessiond.format import line_facts
from sessiond.format.context import message_view
from sessiond.jsontext import javascript, spans
from sessiond.rpc import codec

text = "y" * (30 << 20)
raw = json.dumps(text).encode()
message = json.dumps({"role": "user", "content": text}).encode()
limited = {
    "js_string": lambda: spans.js_string(text),
    "loads": lambda: spans.loads(raw),
    "stringify": lambda: javascript.stringify(raw),
    "encode": lambda: codec.encode([text]),
    "text_of": lambda: line_facts.text_of(msgspec.Raw(raw)),
    "view_message": lambda: message_view.view_message(message),
}[sys.argv[1]]
[used] = [int(line.split()[1]) for line in open("/proc/self/status") if line[:6] == "VmSize"]
resource.setrlimit(resource.RLIMIT_AS, ((used << 10) + (20 << 20),) * 2)
try:
    limited()
except MemoryError:
    print("refused")
"""
CALLS = ["js_string", "loads", "stringify", "encode", "text_of", "view_message"]


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="limits of Linux")
@pytest.mark.parametrize("call", CALLS)
def test_a_value_that_does_not_fit_into_memory_does_not_end_the_process(call: str):
    command = [sys.executable, "-c", PROGRAM, call]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (0, "refused\n"), ended.stderr
