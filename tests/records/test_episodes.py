"""Episodes on disk: everything comes back, damage is named, and it is fast."""

from __future__ import annotations

import time
from dataclasses import fields
from pathlib import Path

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentgym_rl.records.episodes import read_episodes, write_episodes
from agentgym_rl.records.errors import RecordError
from agentgym_rl.records.trajectory import Segment, Trajectory, Turn

TEXT = st.text(st.characters(codec=None), max_size=20)
NUMBER = st.floats(allow_nan=False, width=64)


@st.composite
def segments(draw: st.DrawFn) -> Segment:
    length = draw(st.integers(0, 5))

    def a_list(of: st.SearchStrategy[object]) -> list[object]:
        return draw(st.lists(of, min_size=length, max_size=length))

    return Segment(
        a_list(st.integers(0, 200_000)),
        a_list(st.booleans()),
        a_list(st.booleans()),
        a_list(NUMBER),
        a_list(st.integers(-1, 99)),
    )  # type: ignore[arg-type]


TURNS = st.builds(
    Turn,
    observation=TEXT,
    message=TEXT,
    action=st.none() | TEXT,
    reward=NUMBER,
    understood=st.booleans(),
    problem=st.none() | TEXT,
    stop=st.sampled_from(["stop", "length"]),
    admissible=st.none() | st.lists(TEXT, max_size=3),
    kept=st.none() | st.lists(st.lists(st.integers(0, 9), max_size=3), max_size=3),
    state_key=st.none() | TEXT,
)
EPISODES = st.builds(
    Trajectory,
    environment=TEXT,
    task=TEXT,
    category=TEXT,
    seed=st.integers(0, 2**63),
    group=st.integers(0, 99),
    index=st.integers(0, 99),
    horizon=st.integers(1, 99),
    turns=st.lists(TURNS, max_size=3),
    segments=st.lists(segments(), max_size=2),
    score=NUMBER,
    success=st.booleans(),
    ended=st.sampled_from(["terminated", "truncated", "horizon", "context", "fault"]),
    final_observation=TEXT,
    faults=st.lists(TEXT, max_size=2),
    extras=st.dictionaries(TEXT, TEXT | st.integers(), max_size=2),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(st.lists(EPISODES, max_size=3))
def test_everything_comes_back(tmp_path: Path, episodes: list[Trajectory]) -> None:
    """Lone surrogates (half an emoji), line separators and control characters among it."""
    path = tmp_path / "3.jsonl.zst"
    write_episodes(path, episodes)
    assert read_episodes(path) == episodes


def test_every_field_is_written(tmp_path: Path) -> None:
    write_episodes(tmp_path / "a", [a_long_episode()])
    line = zstandard.decompress((tmp_path / "a").read_bytes()).decode()
    for record in (Trajectory, Turn, Segment):
        assert all(f'"{field.name}":' in line for field in fields(record))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=r"4\.jsonl\.zst: not readable: No such file"):
        read_episodes(tmp_path / "4.jsonl.zst")


@pytest.mark.parametrize("damage", ["cut", "flipped", "not compressed", "other content", "empty line"])
def test_a_damaged_file_is_named(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "4.jsonl.zst"
    write_episodes(path, [a_long_episode()])
    content = path.read_bytes()
    path.write_bytes(
        {
            "cut": content[: len(content) // 2],
            "flipped": content[:20] + bytes([content[20] ^ 255]) + content[21:],
            "not compressed": b'{"task": 1}\n',
            "other content": zstandard.compress(b'{"tusk": 1}\n'),
            "empty line": zstandard.compress(b'[]\n"x"\n'),
        }[damage]
    )
    with pytest.raises(RecordError, match=r"4\.jsonl\.zst: damaged") as raised:
        read_episodes(path)
    assert str(raised.value).startswith(str(path))


def a_long_episode(seed: int = 0) -> Trajectory:
    tokens = [(seed * 7919 + 31 * k * k) % 49152 for k in range(500)]
    sampled = [k % 10 < 2 for k in range(500)]
    log_probs = [-(token % 997) / 991 if is_sampled else 0.0 for token, is_sampled in zip(tokens, sampled, strict=True)]
    segment = Segment(tokens, [k % 10 < 5 for k in range(500)], sampled, log_probs, [k // 62 for k in range(500)])
    offered = [f"get {count} kind {kind} planks" for count in range(8) for kind in range(6)]
    turn = Turn("You crafted 4 oak planks. " * 4, "get 1 oak planks", "get 1 oak planks", admissible=offered)
    return Trajectory("textcraft", "t", "depth-1", 0, 0, seed, 8, turns=[turn] * 8, segments=[segment])


def test_a_step_of_128_episodes_takes_well_under_100_ms(tmp_path: Path) -> None:
    episodes = [a_long_episode(seed) for seed in range(128)]
    times = []
    for _ in range(5):
        begun = time.process_time()
        write_episodes(tmp_path / "a.jsonl.zst", episodes)
        times.append(time.process_time() - begun)
    assert min(times) < 0.1
