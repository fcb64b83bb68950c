"""Transcripts show what happened and nothing a model wrote gets at the terminal."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from agentgym_rl.evaluation.transcript import printable, side_by_side, transcript
from agentgym_rl.records.trajectory import Trajectory, Turn


def episode(*turns: Turn, **fields: object) -> Trajectory:
    return Trajectory("toy", "t-1", "easy", 1, 1, 0, 8, turns=list(turns), **fields)  # type: ignore[arg-type]


def test_an_episode_reads_from_top_to_bottom() -> None:
    shown = transcript(
        episode(
            Turn("You see a door.", "I open it.\nopen", "open"),
            Turn("It is open.", "???", None, understood=False, problem="no action found"),
            Turn("no action found", "fly", "fly", understood=False),
            score=0.5,
            ended="horizon",
            final_observation="You can't.",
        )
    )
    assert shown.splitlines() == [
        "task t-1 (easy, toy)",
        "You see a door.",
        "… I open it.",
        "  open",
        "> open",
        "It is open.",
        "? ???",
        "  no action found",
        "no action found",
        "? fly",
        "You can't.",
        "= no success, score 0.5, 3 turns: out of turns",
    ]


def test_long_lines_are_cut_at_blanks_and_words_kept_whole() -> None:
    words = "one two three four five six seven eight nine ten"
    lines = transcript(episode(Turn(words, words, words)), width=20).splitlines()
    assert all(cell_len(line) <= 20 for line in lines)
    assert " ".join(lines).count("seven") == 2
    assert " ".join(line.strip("> ") for line in lines).count(words) == 2


def test_control_characters_are_shown_not_sent() -> None:
    assert printable("a\x1b[31mb\r\u202ec\ud83d\n") == "a\\x1b[31mb\\r\\u202ec\\ud83d\n"


@given(st.text(st.characters(), max_size=80), st.integers(24, 60))
def test_any_text_fits_its_columns(text: str, width: int) -> None:
    one = episode(Turn(text, text, text), Turn(text, text, None, problem=text), final_observation=text)
    assert all(cell_len(line) <= width for line in transcript(one, width).splitlines())
    both = side_by_side(one, one, width=2 * width + 3)
    assert all(line.count("│") >= 1 for line in both.split("\n"))
    both.encode()
    assert all(character.isprintable() or character in "\n " or character.isspace() for character in transcript(one, width))


def test_no_escape_reaches_the_terminal() -> None:
    bad = "\x1b[2J\x07"
    shown = transcript(episode(Turn(bad, bad, bad), Turn(bad, bad, None, problem=bad), final_observation=bad, faults=[bad]))
    assert "\x1b" not in shown
    assert shown.count("\\x1b[2J\\x07") == 7


def test_side_by_side_shows_both_to_the_end() -> None:
    short, long = episode(Turn("a", "x", "x"), success=True, ended="terminated"), episode(*[Turn("b", "y", "y")] * 4)
    lines = side_by_side(short, long, width=81).splitlines()
    assert lines[0].split() == ["before", "│", "after"]
    assert "success" in lines[5].split("│")[0]
    assert lines[-1].split("│")[1].strip() == "turns"
    assert {line.index("│") for line in lines} == {40}
