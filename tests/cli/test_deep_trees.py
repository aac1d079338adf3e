"""The drawing of a tree that branches at each step: as long as the tree, not its square."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from sessiond.cli.commands.tree import rows


def comb(size: int) -> dict[str, Any]:
    """Entries that each have a branch of one entry beside the next one."""
    nodes: dict[str, Any] = {}
    for number in range(size):
        nodes[f"t{number}"] = {"id": f"t{number}", "children": []}
        below = [f"t{number}", f"s{number + 1}"] if number + 1 < size else [f"t{number}"]
        nodes[f"s{number}"] = {"id": f"s{number}", "children": below}
    return nodes


def draw(nodes: dict[str, Any]) -> list[tuple[str, str, bool]]:
    return [
        (row.node["id"], row.guides, row.continues) for row in rows(["s0"], nodes, lambda _: True)
    ]


def test_a_comb_continues_at_the_left_with_the_id_of_its_parent():
    nodes = comb(100)
    drawn = draw(nodes)
    assert sorted(each[0] for each in drawn if not each[2]) == sorted(nodes)
    assert max(len(guides) for _, guides, _ in drawn) == 60
    assert [each for each in drawn if each[2]] == [
        (f"s{number}", "", True) for number in (20, 40, 60, 80)
    ]
    after = {first[0]: second[0] for first, second in pairwise(drawn) if first[2]}
    assert all(child in nodes[parent]["children"] for parent, child in after.items())


def test_a_drawing_of_a_comb_is_linear():
    small, large = (
        sum(len(each[0]) + len(each[1]) for each in draw(comb(size))) for size in (1000, 4000)
    )
    assert large < 4.5 * small
