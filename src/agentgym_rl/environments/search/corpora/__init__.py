"""Corpora: files of passages in the formats in which people have them."""

from agentgym_rl.environments.search.corpora.corpus import Corpus

__all__ = ["Corpus"]
