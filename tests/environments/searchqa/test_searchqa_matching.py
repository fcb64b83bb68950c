"""Answers are judged as in SQuAD and Search-R1."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym_rl.environments.searchqa.matching import exact_match, normalise, sub_match, token_f1


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("The  Beatles!", "beatles"),
        ("An apple, a day", "apple day"),
        ("Theatre", "theatre"),
        ("U.S.A.", "usa"),
        ("a-b", "ab"),
        ("Ħumāt ad-Diyār", "ħumāt addiyār"),
        ("the", ""),
        ("", ""),
    ],
)
def test_normalisation(text, normal):
    assert normalise(text) == normal


@pytest.mark.parametrize(
    ("answer", "golden", "exact", "sub", "f1"),
    [
        ("the Port Vell.", ["Port Vell"], True, True, 1.0),
        ("Vell", ["Port Vell", "Vell"], True, True, 1.0),
        ("It is Port Vell", ["Port Vell"], False, True, 2 * (2 / 4) * 1 / (2 / 4 + 1)),
        ("Port", ["Port Vell"], False, False, 2 * 1 * 0.5 / 1.5),
        ("", ["Port Vell"], False, False, 0.0),
        ("the", ["The"], False, False, 0.0),
        ("anything", ["the"], False, False, 0.0),
        ("anything", [], False, False, 0.0),
        ("yes it is", ["yes"], False, True, 0.0),
        ("yes", ["yes"], True, True, 1.0),
    ],
)
def test_measures(answer, golden, exact, sub, f1):
    assert exact_match(answer, golden) is exact
    assert sub_match(answer, golden) is sub
    assert token_f1(answer, golden) == pytest.approx(f1)


@given(st.text(), st.lists(st.text(), max_size=3))
def test_measures_agree_on_any_text(answer, golden):
    assert 0 <= token_f1(answer, golden) <= 1
    if exact_match(answer, golden):
        assert sub_match(answer, golden)
        assert token_f1(answer, golden) == 1
