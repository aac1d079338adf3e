"""Where npm's pi 0.73.1 and the version we follow, 1.5.2, part: the one table, and its rules.

A comparison with the reference may depart from plain equality only for a reason in this table.
"""

from __future__ import annotations

from reference.pair import Entry, Rules

DIFFERENCES = {
    "file creation": (
        "0.73.1 writes the file with the first assistant message, 1.5.2 with the first user or"
        " assistant message: until pi's file is there, ours is compared with what pi holds in"
        " memory, and sessions pi has not written are left out of its lists"
    ),
    "opening a file without assistant message": (
        "0.73.1 writes header and entries twice on the next append: no file is opened again,"
        " forked or exchanged before it holds an assistant message"
    ),
    "fromId of a branch summary": (
        "0.73.1 stores the target, 1.5.2 the leaf left behind (both `root` for null): pi's is"
        " replaced by the leaf the sequence was on"
    ),
    "compaction that keeps nothing": (
        "0.73.1 leaves firstKeptEntryId out, 1.5.2 writes the entry's own id: put into pi's"
    ),
    "labels in a branched session": (
        "0.73.1 orphans what hangs below a label, 1.5.2 re-chains: only paths are branched off"
        " whose labels stand at their end"
    ),
    "names with line breaks": (
        "0.73.1 keeps them, 1.5.2 makes runs of CR and LF one space: pi is given the space"
    ),
    "byte order mark": (
        "1.5.2 refuses a file that begins with one, the daemon reads it as 0.73.1 does: no difference"
    ),
    "null content": (
        "0.73.1 passes null and missing content of user, assistant and toolResult messages and"
        " null content of custom messages into the context, 1.5.2 makes it []: so is pi's; and"
        " a file with null content in a user or assistant message is not listed by pi at all"
    ),
    "other directories' sessions in a custom directory": (
        "0.73.1 lists every working directory, 1.5.2 only the asked one: pi's list is filtered"
    ),
    "number spelling": (
        "the reference re-serialises (1e21 becomes 1e+21, big integers lose digits, a doubled"
        " member goes), the daemon keeps what was sent: sequences with such values compare files"
        " as JavaScript would read them, the others byte by byte"
    ),
    "settings in version 1 headers": (
        "pi ignores provider, modelId and thinkingLevel of a header, the daemon starts with them:"
        " model and level are compared only where an entry sets them"
    ),
    "unparsable header time": (
        "pi lists such a session with an invalid date, which JSON cannot hold: not compared"
    ),
}


def follow_entry(entry: Entry, from_ids: dict[str, str]) -> Entry:
    if entry["type"] == "branch_summary" and entry["summary"] in from_ids:
        return {**entry, "fromId": from_ids[entry["summary"]]}
    if entry["type"] == "compaction" and "firstKeptEntryId" not in entry:
        followed: Entry = {}
        for name, value in entry.items():
            followed[name] = value
            if name == "summary":
                followed["firstKeptEntryId"] = entry["id"]
        return followed
    return entry


def follow_message(message: Entry, from_ids: dict[str, str]) -> Entry:
    if message["role"] == "branchSummary" and message["summary"] in from_ids:
        return {**message, "fromId": from_ids[message["summary"]]}
    emptied = {"user", "assistant", "toolResult", "custom"}
    if message["role"] in emptied and message.get("content") is None:
        return {**message, "content": []}
    return message


RULES = Rules(entry=follow_entry, message=follow_message)
