"""The plans of single directories together equal the plan of all of them."""

import os
import tempfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessiond.files.watch.plan import make_plan
from sessiond.files.watch.plans import Plans


@pytest.fixture(scope="module")
def root():
    with tempfile.TemporaryDirectory() as made:
        path = os.path.realpath(made)
        for name in ("a/b/c", "a/d", "e"):
            os.makedirs(f"{path}/{name}")
        os.symlink(f"{path}/a", f"{path}/link")
        yield path


NAMES = [
    "",
    "a",
    "a/b",
    "a/b/c",
    "a/d",
    "e",
    "link",
    "link/b",
    "a/new",
    "a/new/x",
    "new",
    "link/new",
]
ASKED = st.tuples(st.sampled_from(NAMES), st.booleans())
EVENTS = st.frozensets(
    st.tuples(
        st.booleans(),
        st.builds(
            os.path.join, st.sampled_from(NAMES), st.sampled_from(["", "s.jsonl", "new", "c"])
        ),
    ),
    max_size=5,
)


@given(st.lists(ASKED, max_size=12), EVENTS)
def test_the_plans_of_single_directories_are_the_plan_of_all(root, changes, events):
    """Each of `changes` adds a directory, or removes it if it is there."""
    plans = Plans()
    for name, recursive in changes:
        asked = os.path.join(root, name), recursive
        if asked not in plans:
            plans.add(asked, make_plan((asked,)))
            continue
        before = set(make_plan(set(plans)).directories)
        gone = plans.remove(asked)
        assert set(gone) == before - set(make_plan(set(plans)).directories)
    whole = make_plan(set(plans))
    assert plans.directories == len(whole.names)
    named = {(gone, os.path.join(root, path).rstrip("/")) for gone, path in events}
    changed, stale = plans.interpret(named)
    assert (changed, bool(stale)) == whole.interpret(named)
    assert stale <= set(plans)
    assert plans.outdated() == set()
