"""An engine without a model: messages come from a function or a list. For tests and for measuring the rollout itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agentgym_rl.agents.action_spaces.trie import TokenTrie
from agentgym_rl.agents.chat.renderer import ChatRenderer
from agentgym_rl.agents.engines.protocol import SampleRequest, SampleResult

Script = Callable[[int, Sequence[int]], str | int] | Sequence[str | int]
"""Session and context → a message's text, or where a trie restricts it, which of the choices to take at every fork
(counted from 0, modulo their number); or these as a list that every session goes through from its beginning."""


class ScriptedEngine:
    """A :class:`~agentgym_rl.agents.engines.protocol.TokenEngine` that samples what ``script`` says.

    A text is encoded and closed by the renderer, and cut at the request's token limit. Log-probs are 0: every message was
    certain. ``requests`` keeps what was asked, in order.
    """

    def __init__(self, renderer: ChatRenderer, script: Script) -> None:
        self._renderer = renderer
        self._script = script
        self._opened = 0
        self._turns: dict[int, int] = {}
        self.requests: list[SampleRequest] = []

    @property
    def sessions(self) -> frozenset[int]:
        """Sessions that are open."""
        return frozenset(self._turns)

    def open(self, group: int) -> int:  # noqa: ARG002
        self._opened += 1
        self._turns[self._opened] = 0
        return self._opened

    def close(self, session: int) -> None:
        self._turns.pop(session, None)

    async def sample(self, request: SampleRequest) -> SampleResult:
        """Raises IndexError when a list of messages is used up."""
        self.requests.append(request)
        turn = self._turns[request.session]
        self._turns[request.session] = turn + 1
        said = self._script(request.session, request.context) if callable(self._script) else self._script[turn]
        if request.allowed is not None:
            return _follow(request.allowed, said) if isinstance(said, int) else self._choose(request.allowed, said)
        if isinstance(said, int):
            raise TypeError(f"the script said {said}, but nothing restricts the message: a text is needed")
        ids = [*self._renderer.encode_message(said), *self._renderer.end_of_turn]
        limit = request.sampling.max_tokens
        cut = ids[:limit]
        return SampleResult(cut, [True] * len(cut), [0.0] * len(cut), "stop" if len(ids) <= limit else "length")

    def _choose(self, allowed: TokenTrie, said: str) -> SampleResult:
        """The trie's sequence that is ``said``. ValueError where there is none."""
        result = SampleResult()
        node = allowed
        for token in [*self._renderer.encode_message(said), *self._renderer.end_of_turn]:
            if token not in node.children:
                raise ValueError(f"the script said {said!r}, which is not among the admissible actions")
            _append(result, token, sampled=len(node.children) > 1)
            node = node.children[token]
        return result


def _follow(allowed: TokenTrie, choice: int) -> SampleResult:
    result = SampleResult()
    node = allowed
    while node.children:
        tokens = node.choices()
        token = tokens[choice % len(tokens)]
        _append(result, token, sampled=len(tokens) > 1)
        node = node.children[token]
    return result


def _append(result: SampleResult, token: int, *, sampled: bool) -> None:
    result.token_ids.append(token)
    result.sampled.append(sampled)
    result.log_probs.append(0.0)
