"""Cutting a mini-batch into micro-batches of whole episodes that fit a number of tokens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from torch import Tensor

from agentgym_rl.training.batching.batch import Batch
from agentgym_rl.training.batching.tree import TokenTree


@dataclass(slots=True)
class Wanted:
    """Tokens for which something is computed. Entry ``i`` stands at ``tokens[i]`` of episode ``rows[i]`` of the micro-batch
    on the token axis, its id is ``ids[i]``, and the state before it is at row ``parents[i]`` of the tree."""

    rows: list[int] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    ids: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    kept: list[list[int] | None] = field(default_factory=list)
    """The ids a token was drawn among; None: the whole vocabulary."""

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(slots=True)
class MicroBatch:
    """Whole episodes in one tree."""

    episodes: list[int] = field(default_factory=list)
    """Rows of the batch."""
    tree: TokenTree = field(default_factory=TokenTree)
    wanted: dict[str, Wanted] = field(default_factory=dict)


def micro_batches(
    batch: Batch, episodes: Sequence[int], wanted: Mapping[str, Tensor], max_tokens: int, *, share: bool = True
) -> Iterator[MicroBatch]:
    """Micro-batches of ``episodes`` (rows of ``batch``), with the places of the ``wanted`` tokens.

    ``wanted``: under each name a mask ``[episodes of the batch, tokens]``. What no wanted token depends on is not computed;
    an episode without wanted tokens is left out. An episode is never cut: one with more than ``max_tokens`` is a micro-batch of
    its own. ``share=False`` computes every token of every episode: what a padded batch would, without its padding.
    """
    chosen = [row for row in episodes if any(bool(mask[row].any()) for mask in wanted.values())]
    chosen.sort(key=lambda row: (int(batch.groups[row]), batch.token_ids[row]))
    current = MicroBatch(wanted={name: Wanted() for name in wanted})
    for row in chosen:
        pieces = _pieces(batch, row, wanted)
        extra = sum(current.tree.missing(ids) if share else len(ids) for _, ids, _ in pieces)
        if current.episodes and len(current.tree) + extra > max_tokens:
            yield current
            current = MicroBatch(wanted={name: Wanted() for name in wanted})
        _add(current, batch, row, pieces, share=share)
    if current.episodes:
        yield current


Piece = tuple[int, list[int], dict[str, list[int]]]
"""A segment with wanted tokens: where it starts on the token axis, the ids to compute, the wanted offsets by name."""


def _pieces(batch: Batch, row: int, wanted: Mapping[str, Tensor]) -> list[Piece]:
    pieces: list[Piece] = []
    starts = batch.segment_starts[row]
    places = {name: mask[row].nonzero()[:, 0].tolist() for name, mask in wanted.items()}
    for start, stop in zip(starts, [*starts[1:], len(batch.token_ids[row])], strict=True):
        offsets = {name: [place - start for place in some if start <= place < stop] for name, some in places.items()}
        last = max((some[-1] for some in offsets.values() if some), default=0)
        if last:
            pieces.append((start, batch.token_ids[row][start : start + last], offsets))
    return pieces


def _add(micro: MicroBatch, batch: Batch, row: int, pieces: Sequence[Piece], *, share: bool) -> None:
    number = len(micro.episodes)
    micro.episodes.append(row)
    sampled = batch.sampled_mask[row].tolist()
    order = (batch.sampled_mask[row].cumsum(0) - 1).tolist()
    for start, ids, offsets in pieces:
        tree_rows = micro.tree.add(ids, share=share)
        for name, some in offsets.items():
            entries = micro.wanted[name]
            for offset in some:
                place = start + offset
                entries.rows.append(number)
                entries.tokens.append(place)
                entries.ids.append(batch.token_ids[row][place])
                entries.parents.append(tree_rows[offset - 1])
                entries.kept.append(batch.kept[row][order[place]] if sampled[place] else None)
