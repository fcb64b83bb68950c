"""Packing episodes into token trees: prefixes that they share are computed once, with exactly the same loss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from agentgym_rl.agents.models.tree_attention import Run


@dataclass(slots=True)
class TokenTree:
    """Distinct token prefixes in one row. A new sequence adds one run: what it does not share with those before it."""

    token_ids: list[int] = field(default_factory=list)
    positions: list[int] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    _children: dict[tuple[int, int], int] = field(default_factory=dict)
    """(parent row, token id) → row; -1 is the root."""

    def __len__(self) -> int:
        return len(self.token_ids)

    def missing(self, ids: Sequence[int]) -> int:
        """How many rows ``ids`` would add."""
        row = -1
        for known, token in enumerate(ids):
            following = self._children.get((row, token))
            if following is None:
                return len(ids) - known
            row = following
        return 0

    def add(self, ids: Sequence[int], *, share: bool = True) -> list[int]:
        """The row of each token of ``ids``; adds those that are missing (all of them unless ``share``)."""
        rows: list[int] = []
        row = -1
        first_new = len(self)
        for token in ids:
            following = self._children.get((row, token)) if share else None
            if following is None:
                following = len(self.token_ids)
                self.token_ids.append(token)
                self.positions.append(len(rows))
                if share:
                    self._children[row, token] = following
            rows.append(following)
            row = following
        if len(self) > first_new:
            shared = len(ids) - (len(self) - first_new)
            path = np.array(rows[:shared], dtype=np.int64)
            self.runs.append(Run(first_new, path, np.arange(first_new, len(self), dtype=np.int64)))
        return rows
