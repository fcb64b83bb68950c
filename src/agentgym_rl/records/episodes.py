"""Episodes on disk: one JSON line an episode, compressed with zstandard."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path
from typing import Any

import zstandard

from agentgym_rl.records.atomic import write_atomic
from agentgym_rl.records.errors import RecordError
from agentgym_rl.records.trajectory import Segment, Trajectory, Turn

_LEVEL = 3


def write_episodes(path: Path, episodes: Iterable[Trajectory]) -> None:
    """Write ``path`` (``…jsonl.zst``) whole or not at all."""
    lines = "".join(json.dumps(to_json(episode), ensure_ascii=False, separators=(",", ":")) + "\n" for episode in episodes)
    # Half a character a model sampled may reach text as a lone surrogate, which UTF-8 proper has no bytes for.
    compressor = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True)
    write_atomic(path, compressor.compress(lines.encode("utf-8", "surrogatepass")))


def read_episodes(path: Path) -> list[Trajectory]:
    """The episodes of a file, in order. Raises :class:`RecordError` naming a file that is missing or damaged."""
    try:
        # In one go, because a stream would end without a word where a cut file ends.
        text = zstandard.ZstdDecompressor().decompress(path.read_bytes()).decode("utf-8", "surrogatepass")
        return [from_json(json.loads(line)) for line in text.split("\n") if line]
    except OSError as error:
        raise RecordError(f"{path}: not readable: {error.strerror or error}") from error
    except (zstandard.ZstdError, ValueError, TypeError, KeyError) as error:
        raise RecordError(f"{path}: damaged ({error}); put a copy back, or delete it to do without") from error


def to_json(episode: Trajectory) -> dict[str, Any]:
    """An episode as JSON values; fields at their defaults are kept, so that a line says all."""
    record = {name: getattr(episode, name) for name in _EPISODE}
    record["turns"] = [{name: getattr(turn, name) for name in _TURN} for turn in episode.turns]
    record["segments"] = [_pack(segment) for segment in episode.segments]
    return record


def from_json(record: dict[str, Any]) -> Trajectory:
    """The episode of :func:`to_json`'s record."""
    turns = [Turn(**turn) for turn in record["turns"]]
    segments = [_unpack(segment) for segment in record["segments"]]
    return Trajectory(**{**record, "turns": turns, "segments": segments})


def _pack(segment: Segment) -> dict[str, Any]:
    """Masks as 0 and 1: half the size and time of ``true`` and ``false``."""
    return {
        "token_ids": segment.token_ids,
        "action_mask": list(map(int, segment.action_mask)),
        "sampled_mask": list(map(int, segment.sampled_mask)),
        "log_probs": segment.log_probs,
        "turns": segment.turns,
    }


def _unpack(record: dict[str, Any]) -> Segment:
    masks = {name: list(map(bool, record[name])) for name in ("action_mask", "sampled_mask")}
    return Segment(**{**record, **masks})


_EPISODE = tuple(field.name for field in fields(Trajectory))
_TURN = tuple(field.name for field in fields(Turn))
