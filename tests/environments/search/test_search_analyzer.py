"""Text becomes terms."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentgym_rl.environments.search.index.analyzer import LONGEST_WORD, terms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The capitals of Cyprus", ["capit", "cyprus"]),
        ("snake_case and x-ray", ["snake", "case", "x", "ray"]),
        ("in Iceland it is .is, not .com", ["iceland", "com", ".is"]),
        ("naïve CAFÉ Straße STRASSE", ["naiv", "cafe", "strass", "strass"]),
        ("1,000 km²", ["1", "000", "km2"]),
        ("東京", ["東京"]),
        ("東京都", ["東京", "京都"]),
        ("円", ["円"]),
        ("abc東京def", ["abc", "東京", "def"]),
        ("दिल्ली", ["दिल्ली"]),
        ("москвы", ["москвы"]),
        ("the of and", []),
        ("", []),
        ("\ud800\udfff!?", []),
    ],
)
def test_terms(text, expected):
    assert terms(text) == expected


def test_accents_and_their_composition_make_no_difference():
    assert terms("re\u0301sume\u0301") == terms("r\u00e9sum\u00e9") == terms("resume")


def test_a_long_word_is_cut_and_a_long_text_without_spaces_is_not():
    assert terms("a" * 1000) == ["a" * LONGEST_WORD]
    assert len(terms("東京" * 1000)) == 1999


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text())
def test_any_text_has_terms_that_a_file_can_hold(text):
    for term in terms(text):
        assert term
        assert b"\n" not in term.encode()


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text())
def test_a_word_has_the_same_terms_alone_and_among_others(text):
    assert sorted(terms(f"{text} zebra {text}")) == sorted(terms(text) * 2 + ["zebra"])
