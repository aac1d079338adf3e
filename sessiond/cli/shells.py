"""Completion that shows titles in bash, and keeps the order of sessions in fish."""

from __future__ import annotations

from typing import Any

from click.shell_completion import BashComplete, CompletionItem, FishComplete, add_completion_class

_TITLE = 60
"""Characters of a title that are shown."""

_BASH = r"""
%(complete_func)s() {
    local line type value title
    local -a values=() titles=()
    while IFS= read -r line; do
        IFS=$'\t' read -r type value title <<< "$line"
        case $type in
            dir) compopt -o dirnames ;;
            file) compopt -o default ;;
            plain) values+=("$value") titles+=("$title") ;;
        esac
    done < <(env COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD="$COMP_CWORD" \
        %(complete_var)s=bash_complete "$1")
    COMPREPLY=("${values[@]}")
    # Titles are for a list of several (TAB, and TAB again). Other keys insert what is offered.
    if ((${#values[@]} > 1)) && ((COMP_TYPE == 9 || COMP_TYPE == 63)); then
        local -i each
        for each in "${!values[@]}"; do
            [[ -z ${titles[each]} ]] || COMPREPLY[each]="${values[each]}  (${titles[each]})"
        done
    fi
}

complete -o nosort -F %(complete_func)s %(prog_name)s
"""


class _Bash(BashComplete):
    source_template = _BASH

    def format_completion(self, item: CompletionItem[Any]) -> str:
        return f"{item.type}\t{item.value}\t{(item.help or '')[:_TITLE]}"


class _Fish(FishComplete):
    source_template = FishComplete.source_template.replace(
        "complete --no-files",
        "complete --keep-order --no-files",
        # Descriptions have commas, too.
    ).replace('string split ","', 'string split --max 1 ","')


def offer() -> None:
    """Let `click` use these instead of its own."""
    add_completion_class(_Bash, "bash")
    add_completion_class(_Fish, "fish")
