"""Trees hold every sequence once; micro-batches hold every wanted token once."""

from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st

from agentgym_rl.records.trajectory import Segment, Trajectory, Turn
from agentgym_rl.training.batching.batch import Batch, make_batch
from agentgym_rl.training.batching.micro_batch import micro_batches
from agentgym_rl.training.batching.tree import TokenTree

SEQUENCES = st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=7), min_size=1, max_size=8)


@given(sequences=SEQUENCES, share=st.booleans())
def test_every_row_of_a_tree_has_its_ancestors(sequences: list[list[int]], share: bool) -> None:
    tree = TokenTree()
    prefixes: set[tuple[int, ...]] = set()
    for ids in sequences:
        fresh = len({tuple(ids[:end]) for end in range(1, len(ids) + 1)} - prefixes)
        assert tree.missing(ids) == (fresh if share else len(ids))
        before = len(tree)
        rows = tree.add(ids, share=share)
        prefixes |= {tuple(ids[:end]) for end in range(1, len(ids) + 1)}
        assert len(tree) - before == (fresh if share else len(ids))
        assert [tree.token_ids[row] for row in rows] == ids
        assert [tree.positions[row] for row in rows] == list(range(len(ids)))
    assert len(tree) == (len(prefixes) if share else sum(map(len, sequences)))
    row = 0
    for run in tree.runs:  # contiguous and in order; each row's path has one token for each position before it
        assert run.row == row
        assert run.own.tolist() == list(range(row, row + len(run.own)))
        assert [tree.positions[slot] for slot in run.path] == list(range(len(run.path)))
        assert tree.positions[row] == len(run.path)
        row += len(run.own)
    assert row == len(tree)


@st.composite
def batches(draw: st.DrawFn) -> Batch:
    trajectories = []
    for index in range(draw(st.integers(1, 6))):
        turns, segments, number = [], [], 0
        for _ in range(draw(st.integers(1, 3))):
            made = Segment()
            for _ in range(draw(st.integers(1, 3))):
                for turn, length in ((-1, draw(st.integers(1, 3))), (number, draw(st.integers(1, 3)))):
                    for _ in range(length):
                        made.token_ids.append(draw(st.integers(0, 2)))
                        made.action_mask.append(turn >= 0)
                        made.sampled_mask.append(turn >= 0 and draw(st.booleans()))
                        made.log_probs.append(0.0)
                        made.turns.append(turn)
                turns.append(Turn("", "", "a"))
                number += 1
            segments.append(made)
        group = draw(st.integers(0, 1))
        trajectories.append(Trajectory("toy", "t", "c", 0, group, index, 9, turns=turns, segments=segments))
    return make_batch(trajectories)


@given(batch=batches(), max_tokens=st.integers(1, 60), share=st.booleans(), data=st.data())
def test_every_wanted_token_is_there_once(batch: Batch, max_tokens: int, share: bool, data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.sampled_from(range(len(batch))), unique=True))
    chosen = torch.zeros_like(batch.action_mask)
    chosen[rows] = batch.sampled_mask[rows]
    wanted = {"policy": chosen, "value": chosen & (batch.turns == 0)}
    found: dict[str, list[tuple[int, int]]] = {"policy": [], "value": []}
    for micro in micro_batches(batch, rows, wanted, max_tokens, share=share):
        assert len(micro.tree) <= max_tokens or len(micro.episodes) == 1
        for name, entries in micro.wanted.items():
            for row, place, token, parent in zip(entries.rows, entries.tokens, entries.ids, entries.parents, strict=True):
                episode = micro.episodes[row]
                found[name].append((episode, place))
                assert token == batch.token_ids[episode][place]
                start = max(start for start in batch.segment_starts[episode] if start <= place)
                assert micro.tree.token_ids[parent] == batch.token_ids[episode][place - 1]
                assert micro.tree.positions[parent] == place - 1 - start
    for name, mask in wanted.items():
        assert sorted(found[name]) == [(row, place) for row, place in mask.nonzero().tolist()]


@given(batch=batches())
def test_what_nothing_depends_on_is_not_computed(batch: Batch) -> None:
    wanted = {"policy": batch.sampled_mask & (batch.turns == 0)}
    total = sum(len(micro.tree) for micro in micro_batches(batch, range(len(batch)), wanted, 10**6))
    needed: set[tuple[int, ...]] = set()
    for row, place in wanted["policy"].nonzero().tolist():
        start = max(start for start in batch.segment_starts[row] if start <= place)
        ids = batch.token_ids[row][start:place]
        needed |= {tuple(ids[:end]) for end in range(1, len(ids) + 1)}
    assert total == len(needed)
