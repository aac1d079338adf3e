"""Generate for the Emacs client: a function per method, a table of methods, error conditions."""

from __future__ import annotations

import re
import textwrap
from typing import Any

from targets import model, reading
from targets.model import Contract, Method

PATH = "clients/emacs/sessiond-api.el"
CONNECTION = {"initialize", "initialized", "shutdown", "exit", "$/cancelRequest"}
"""Methods that only the connection itself sends; they get no function."""
WIDTH = 76
HEAD = """\
;;; sessiond-api.el --- Methods of sessiond  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Generated from protocol/sessiond_protocol/openrpc.json by protocol/generate.py.
;; Do not edit; run `make generate'.

;; Every method of the contract as a function that waits for the answer, a table of facts about the
;; methods for the client, and a condition for every kind of error.

;;; Code:

(declare-function sessiond-request "sessiond-client" (target method &optional params))
"""
TAIL = """
(provide 'sessiond-api)

;; Some summaries of the contract are no imperatives.
;; Local Variables:
;; checkdoc-verb-check-experimental-flag: nil
;; End:
;;; sessiond-api.el ends here
"""


def outputs(document: dict[str, Any]) -> dict[str, str]:
    contract = reading.read(document)
    parts = [HEAD, _table(contract), _notifications(contract), _errors(contract)]
    parts += [_function(each) for each in contract.requests if each.name not in CONNECTION]
    return {PATH: "\n".join(parts) + TAIL}


def _table(contract: Contract) -> str:
    rows = "\n    ".join(_facts(each) for each in contract.requests)
    doc = _docstring(
        "Facts about each method: (NAME . FACTS).",
        "Members of FACTS: `session', it takes a session handle; `appends', an id",
        "chosen by the client makes a retry safe; `opens', it answers a new handle;",
        "`repeatable', it may be sent again if the daemon ended before it answered.",
    )
    return f"(defconst sessiond-api-methods\n  '({rows})\n{doc})\n"


def _facts(method: Method) -> str:
    takes_session = method.takes("session")
    facts = {
        "session": takes_session,
        "appends": method.appends,
        "opens": method.result == model.Ref("SessionState") and not takes_session,
        "repeatable": method.repeatable,
    }
    given = "".join(f" {name}" for name, value in facts.items() if value)
    return f"({_string(method.name)}{given})"


def _notifications(contract: Contract) -> str:
    rows = "\n    ".join(_string(each.name) for each in contract.notifications)
    doc = _docstring("Notifications that the daemon may send.")
    return f"(defconst sessiond-api-notifications\n  '({rows})\n{doc})\n"


def _errors(contract: Contract) -> str:
    kinds = [error for error in contract.errors.values() if error.retryable is not None]
    rows = "\n    ".join(f"({_string(each.name)} . {_condition(each.name)})" for each in kinds)
    doc = _docstring("Conditions by kind of error; each is a `sessiond-error'.")
    defined = "\n".join(
        f"(define-error '{_condition(each.name)} {_string(each.name)} 'sessiond-error)"
        for each in kinds
    )
    general = [error for error in contract.errors.values() if error.retryable is None]
    codes = "\n    ".join(f"({each.code} . {_condition(each.name)})" for each in general)
    defined_by_code = "\n".join(
        f"(define-error '{_condition(each.name)} {_string(each.name)} 'sessiond-error)"
        for each in general
    )
    codes_doc = _docstring("Conditions by code, for errors of JSON-RPC, which have no kind.")
    return (
        '(define-error \'sessiond-error "Sessiond")\n'
        f"{defined}\n{defined_by_code}\n\n"
        f"(defconst sessiond-api-conditions\n  '({rows})\n{doc})\n\n"
        f"(defconst sessiond-api-codes\n  '({codes})\n{codes_doc})\n"
    )


def _condition(kind: str) -> str:
    return "-".join(("sessiond", *model.words(kind)))


def _function(method: Method) -> str:
    target = "session" if method.takes("session") else "client"
    members = [each for each in method.members if each.name != "session"]
    arguments = f"{target} &rest params" if members else target
    what = "an open session" if target == "session" else "a client"
    first, *more = _summary(method)
    body = f"{target.upper()} is {what}; what is sent is `{method.name}'."
    lines = [first, *more, *_wrapped(body)]
    if members:
        lines.append("PARAMS are keywords with values:")
    for member in members:
        required = "" if member.required else "optional; "
        lines += _wrapped(f":{member.name}  {required}{_plain(member.doc)}".rstrip("; "), "    ")
    sent = f"{target} {_string(method.name)}{' params' if members else ''}"
    return (
        f"(defun sessiond-api-{'-'.join(method.words)} ({arguments})\n"
        f"{_docstring(*lines)}\n  (sessiond-request {sent}))\n"
    )


def _summary(method: Method) -> list[str]:
    """Begin with a whole sentence: if the summary is too long for a line, with a short one."""
    text = _plain(method.doc)
    if len(text) <= WIDTH:
        return [text if text.endswith(".") else f"{text}."]
    first, _, rest = text.partition("; ")
    if not rest or len(first) >= WIDTH:
        return [f"Call `{method.name}'.", *_wrapped(text)]
    return [f"{first}.", *_wrapped(rest[:1].upper() + rest[1:])]


def _plain(doc: str) -> str:
    """Quote code and separate sentences by the conventions of Emacs."""
    text = " ".join(doc.split())
    parts = text.split("`")
    for index in range(1, len(parts) - 1, 2):
        code = parts[index]
        parts[index] = f"`{code}'" if " " not in code and '"' not in code else code
    return re.sub(r"([.!?]) (?=[A-Z`])", r"\1  ", "".join(parts))


def _wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
        fix_sentence_endings=True,
    )


def _docstring(*lines: str) -> str:
    return "  " + _string("\n".join(lines)).replace("\n(", "\n\\(")


def _string(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
