"""The plans of single directories together equal the plan of all of them."""

import os
import shutil
import tempfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessiond.files.watch import plans as module
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
    assert plans.moved() == set()


CHANGES = {
    "the directory above is moved": lambda root: os.rename(f"{root}/a/b", f"{root}/a/other"),
    "another is moved in its place": lambda root: (
        os.rename(f"{root}/a", f"{root}/was"),
        os.makedirs(f"{root}/a/b/c"),
    ),
    "a link gets another target": lambda root: (
        os.unlink(f"{root}/link"),
        os.symlink(f"{root}/e", f"{root}/link"),
    ),
    "a directory above becomes a link": lambda root: (
        os.rename(f"{root}/a/b", f"{root}/e/b"),
        os.makedirs(f"{root}/e/new/c"),
        os.symlink(f"{root}/e/new", f"{root}/a/b"),
    ),
    "a missing one appears": lambda root: os.makedirs(f"{root}/new/x"),
    "the directory above is removed": lambda root: shutil.rmtree(f"{root}/a"),
}
SEVERAL = ["a/b/c", "a/d", "e", "link", "link/b", "new/x"]


TOLD = {
    "the directory above is moved": ["link/b"],
    "a directory above becomes a link": ["link/b"],
    "the directory above is removed": ["a/d", "link/b"],
}


@pytest.mark.parametrize("case", CHANGES)
def test_the_short_check_finds_what_no_event_tells(case, tmp_path):
    root = str(tmp_path)
    for name in ("a/b/c", "a/d", "e"):
        os.makedirs(f"{root}/{name}")
    os.symlink(f"{root}/a", f"{root}/link")
    plans = Plans()
    for name in SEVERAL:
        asked = f"{root}/{name}", False
        plans.add(asked, make_plan((asked,)))
    assert plans.moved() == set()
    CHANGES[case](root)
    outdated = plans.outdated()
    assert outdated
    # A watched directory that is itself moved or removed causes an event.
    told = {(f"{root}/{name}", False) for name in TOLD.get(case, ())}
    assert plans.moved() | told == outdated | told
    for asked in outdated:
        plans.remove(asked)
        plans.add(asked, make_plan((asked,)))
    assert plans.moved() == plans.outdated() == set()


def test_the_short_check_examines_the_directory_of_many_once(tmp_path, monkeypatch):
    plans = Plans()
    for number in range(300):
        asked = str(tmp_path / "all" / str(number)), False
        os.makedirs(asked[0])
        plans.add(asked, make_plan((asked,)))
    examined = []
    really = module.disk.stat
    monkeypatch.setattr(module.disk, "stat", lambda path: examined.append(path) or really(path))
    assert plans.moved() == set()
    assert examined == [str(tmp_path / "all")]
    for asked in tuple(plans):
        plans.remove(asked)
    assert plans.moved() == set()
    assert len(examined) == 1
