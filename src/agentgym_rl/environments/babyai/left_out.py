"""Layout seeds that no split uses.

Made by ``scripts/babyai_left_out.py`` with MiniGrid 3.2.0.
"""

from __future__ import annotations

LEFT_OUT: dict[str, frozenset[int]] = {}
