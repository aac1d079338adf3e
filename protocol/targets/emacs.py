"""Generate for the Emacs client: a table of methods, and error conditions."""

from __future__ import annotations

from typing import Any

from targets import model, reading
from targets.model import Contract, Method

PATH = "clients/emacs/sessiond-api.el"
HEAD = """\
;;; sessiond-api.el --- What the contract says of methods and errors  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Generated from protocol/sessiond_protocol/openrpc.json by protocol/generate.py.
;; Do not edit; run `make generate'.

;; Facts about the methods of the contract for the client, and a condition for every kind of error.

;;; Code:
"""
TAIL = """
(provide 'sessiond-api)
;;; sessiond-api.el ends here
"""


def outputs(document: dict[str, Any]) -> dict[str, str]:
    contract = reading.read(document)
    parts = [HEAD, _table(contract), _errors(contract)]
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
    facts = {
        "session": method.of_session,
        "appends": method.appends,
        "opens": method.opens,
        "repeatable": method.repeatable,
    }
    given = "".join(f" {name}" for name, value in facts.items() if value)
    return f"({_string(method.name)}{given})"


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


def _docstring(*lines: str) -> str:
    return "  " + _string("\n".join(lines)).replace("\n(", "\n\\(")


def _string(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
