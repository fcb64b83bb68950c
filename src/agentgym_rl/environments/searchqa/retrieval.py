"""Which retriever a world asks: one a process for each index."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from agentgym_rl.environments.search.retrieval import Retriever
from agentgym_rl.environments.searchqa.cache import made_once
from agentgym_rl.environments.searchqa.options import FACTBOOK, Options


def retriever_of(options: Options) -> Retriever:
    """The retriever the options name; shared by all worlds of the process, so never closed by one of them.

    Raises:
        IndexRefused: no index lies there, or one of another version.
        ValueError: questions other than the Factbook's, and no index named.
    """
    if options.index is not None:
        return _named(options.index)
    if options.question_sources != (FACTBOOK,):
        raise ValueError(
            "environment 'searchqa': questions other than the Factbook's need an index: give index=FOLDER (made by "
            "agentgym-rl search build CORPUS --out FOLDER), or index=http://HOST:PORT of a retrieval server"
        )
    return _named(str(factbook_index()))


def factbook_index() -> Path:
    """The folder of the embedded corpus's index; makes it where it is not there yet."""
    from agentgym_rl.environments.search.index import build_index
    from agentgym_rl.environments.search.index.format import ANALYZER, VERSION
    from agentgym_rl.environments.searchqa.factbook import build

    name = f"{build.fingerprint()[:12]}-{VERSION}-{ANALYZER}".encode()
    digest = hashlib.sha256(name).hexdigest()
    corpus = build.corpus_name()
    folder = made_once(
        "factbook-index", digest, lambda target: build_index(build.read_passages(), target / "index", corpus=corpus)
    )
    return folder / "index"


@cache
def _named(where: str) -> Retriever:
    from agentgym_rl.environments.search.index import open_index

    return open_index(Path(where))
