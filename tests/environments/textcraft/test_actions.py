import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym_rl.environments.textcraft.actions import CraftCommand, Get, LookAtInventory, read_action


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("get 2 oak log", Get(2, "oak log")),
        ("  GET  2\toak_log \n", Get(2, "oak log")),
        ("get 2 minecraft:oak_log", Get(2, "oak log")),
        ("get 2 oak log.", Get(2, "oak log")),
        ("get 0 coal", Get(0, "coal")),
        ("get 999999 coal", Get(999999, "coal")),
        ("inventory", LookAtInventory()),
        ("Inventory", LookAtInventory()),
        ("craft 4 stick using 2 oak planks", CraftCommand("stick", (("oak planks", 2),))),
        ("craft stick using 2 oak planks", CraftCommand("stick", (("oak planks", 2),))),
        ("craft 1 bed using 3 wool , 3 oak planks", CraftCommand("bed", (("wool", 3), ("oak planks", 3)))),
        ("craft 1 bed using 1 wool, 2 wool", CraftCommand("bed", (("wool", 3),))),
    ],
)
def test_read(text, command):
    assert read_action(text) == command


@pytest.mark.parametrize(
    "text",
    [
        "",
        "get",
        "get oak log",
        "get two oak log",
        "get -1 coal",
        "get 1.5 coal",
        "get 1000000 coal",
        "get ٣ coal",
        "get 2 oak log and 1 coal",
        "get 2 oak log; inventory",
        "inventory please",
        "craft stick",
        "craft 4 stick using",
        "craft 4 stick using oak planks",
        "craft 4 stick using 2 oak planks,",
        "craft using 2 oak planks",
        "please get 2 oak log",
        "get 2 " + "a" * 1000,
    ],
)
def test_not_read(text):
    assert read_action(text) is None


@given(st.text())
def test_any_text_is_read_or_not(text):
    read_action(text)


@given(
    st.integers(0, 999999),
    st.lists(st.sampled_from(["oak", "log", "red"]), min_size=1, max_size=3),
    st.text(" \t\n", min_size=1),
)
def test_white_space_and_case_do_not_matter(count, words, gap):
    name = " ".join(words)
    assert read_action(gap.join(["", "Get", str(count), *map(str.upper, words), ""])) == Get(count, name)
