"""Layout seeds that no split uses: mission, grid and start equal those of an earlier seed of the level.

Made by ``scripts/babyai_duplicates.py``; a test makes it again for the benchmark's levels.
"""

from __future__ import annotations

DUPLICATES: dict[str, frozenset[int]] = {}
