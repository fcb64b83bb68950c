"""Which retriever a world asks: one a process for each index."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from agentgym_rl.environments.search.retrieval import Passage, Retriever
from agentgym_rl.environments.searchqa.cache import made_once
from agentgym_rl.environments.searchqa.options import FACTBOOK, Options


def retriever_of(options: Options) -> Retriever:
    """The retriever the options name; shared by all worlds of the process, so never closed by one of them.

    Without ``index`` it searches the Factbook, or, where all questions come from files whose rows bring paragraphs, those.

    Raises:
        IndexRefused: no index lies there, or one of another version.
        ValueError: no index named for questions that need one.
    """
    if options.index is not None:
        return _opened(options.index, options.retriever)
    sources = options.question_sources
    if sources == (FACTBOOK,):
        return _opened(str(factbook_index()), options.retriever)
    found = None if FACTBOOK in sources else paragraph_index(sources)
    if found is None:
        raise ValueError(
            "environment 'searchqa': these questions bring nothing to search: give index=FOLDER (made by agentgym-rl search build "
            "CORPUS --out FOLDER), or index=http://HOST:PORT of a retrieval server"
        )
    return _opened(str(found), options.retriever)


def factbook_index() -> Path:
    """The folder of the embedded corpus's index; makes it where it is not there yet."""
    from agentgym_rl.environments.searchqa.factbook import build

    return _kept("factbook", build.fingerprint(), build.read_passages(), build.corpus_name())


@cache
def paragraph_index(sources: tuple[str, ...]) -> Path | None:
    """The folder of an index over what the rows of question files bring; None where they bring nothing."""
    from agentgym_rl.environments.searchqa.files.load import paragraphs

    passages = list(paragraphs(sources))
    if not passages:
        return None
    digest = hashlib.sha256("".join(passage.id for passage in passages).encode()).hexdigest()
    return _kept("paragraphs", digest, passages, f"paragraphs-{digest[:8]}")


def _kept(name: str, content: str, passages: Iterable[Passage], corpus: str) -> Path:
    """An index in the cache under the hash of its content and of how indexes are made."""
    from agentgym_rl.environments.search.index import build_index
    from agentgym_rl.environments.search.index.analyzer import ANALYZER
    from agentgym_rl.environments.search.index.format import VERSION

    digest = hashlib.sha256(f"{content} {VERSION} {ANALYZER}".encode()).hexdigest()
    return (
        made_once(f"{name}-index", digest, lambda target: build_index(passages, target / "index", corpus=corpus)) / "index"
    )


@cache
def _opened(where: str, kind: str) -> Retriever:
    from agentgym_rl.environments.search.kinds import Kind
    from agentgym_rl.environments.search.retrievers.opening import open_retriever

    return open_retriever(where, Kind(kind))
