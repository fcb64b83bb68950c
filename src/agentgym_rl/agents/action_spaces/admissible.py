"""Messages restricted to the admissible actions of a state."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from agentgym_rl.agents.action_spaces.trie import TokenTrie
from agentgym_rl.agents.chat.renderer import ChatRenderer
from agentgym_rl.agents.formats.protocol import ActionFormat

REMEMBERED_ACTIONS = 1 << 16
"""Actions whose token ids are kept; an action takes well under a kilobyte."""
REMEMBERED_STATES = 256
"""Lists of actions whose trees are kept: the episodes of a group meet the same ones."""


class Choices:
    """The admissible actions of one state as token sequences."""

    __slots__ = ("_actions", "longest", "trie")

    def __init__(self, actions: dict[tuple[int, ...], str]) -> None:
        self._actions = actions
        self.trie = TokenTrie.build(actions)
        self.longest = max(map(len, actions))
        """Tokens of the longest sequence."""

    def action_of(self, ids: Sequence[int]) -> str:
        """The action whose sequence ``ids`` is. KeyError for anything else."""
        return self._actions[tuple(ids)]


class AdmissibleSpace:
    """Turns lists of admissible actions into :class:`Choices`.

    Each action is written in the format, encoded alone and closed by the renderer's end of turn, so that ``ball 1`` is no
    prefix of ``ball 10``. Encoded actions and whole states are remembered.
    """

    def __init__(self, renderer: ChatRenderer, action_format: ActionFormat) -> None:
        self._renderer = renderer
        self._format = action_format
        self._encode = lru_cache(REMEMBERED_ACTIONS)(self._encode_action)
        self._choices = lru_cache(REMEMBERED_STATES)(self._make_choices)

    def choices(self, actions: Sequence[str]) -> Choices:
        """The choices of a state. ValueError when ``actions`` is empty, or when two of them are the same token ids."""
        return self._choices(tuple(actions))

    def _encode_action(self, action: str) -> tuple[int, ...]:
        return (*self._renderer.encode_message(self._format.write(action)), *self._renderer.end_of_turn)

    def _make_choices(self, actions: tuple[str, ...]) -> Choices:
        sequences: dict[tuple[int, ...], str] = {}
        for action in actions:
            known = sequences.setdefault(self._encode(action), action)
            if known != action:
                raise ValueError(
                    f"the actions {known!r} and {action!r} are the same to this tokenizer: use agent.action_space=free"
                )
        if not sequences:
            raise ValueError("the world lists no admissible actions: use agent.action_space=free")
        return Choices(sequences)
