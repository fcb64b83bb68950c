"""Building: sharded, stopped, refused."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from multiprocessing import get_context
from pathlib import Path

import pytest

from agentgym_rl.environments.search.errors import CorpusError, IndexRefused
from agentgym_rl.environments.search.index import build, build_index, merge, open_index, shards
from agentgym_rl.environments.search.retrieval import Passage
from agentgym_rl.environments.search.unfinished import LOCK
from agentgym_rl.records.lock import FolderLock


@pytest.fixture
def many():
    return [
        Passage(str(number), f"Number {number}\n" + f"word{number % 7} thing " * (number % 5 + 1)) for number in range(40)
    ]


@pytest.fixture
def small_shards(monkeypatch):
    monkeypatch.setattr(shards, "SHARD_PASSAGES", 8)


def content(index):
    return {str(file.relative_to(index)): file.read_bytes() for file in sorted(index.rglob("*")) if file.is_file()}


def scores(index):
    return {name: found for name, found in content(index).items() if name.startswith("bm25")}


def stopping(passages, after):
    yield from passages[:after]
    raise KeyboardInterrupt


def test_shards_and_ranges_change_nothing(many, tmp_path, monkeypatch):
    build_index(iter(many), tmp_path / "whole", corpus="many")
    monkeypatch.setattr(shards, "SHARD_PASSAGES", 7)
    monkeypatch.setattr(merge, "RANGE_POSTINGS", 8)
    build_index(iter(many), tmp_path / "cut", corpus="many")
    assert len(list((tmp_path / "cut" / "shards").iterdir())) == 6
    assert scores(tmp_path / "cut") == scores(tmp_path / "whole")
    with closing(open_index(tmp_path / "cut")) as cut, closing(open_index(tmp_path / "whole")) as whole:
        assert cut.retrieve(["word3", "number 17"], 40) == whole.retrieve(["word3", "number 17"], 40)


def test_a_shard_ends_at_its_size_too(many, tmp_path, monkeypatch):
    monkeypatch.setattr(shards, "SHARD_BYTES", 200)
    build_index(many, tmp_path / "index", corpus="many")
    assert len(list((tmp_path / "index" / "shards").iterdir())) > 5


@pytest.mark.usefixtures("small_shards")
def test_a_stopped_build_goes_on_where_it_was(many, tmp_path, monkeypatch):
    build_index(many, tmp_path / "whole", corpus="many")
    with pytest.raises(KeyboardInterrupt):
        build_index(stopping(many, 30), tmp_path / "index", corpus="many")
    assert not (tmp_path / "index").exists()
    written = []
    write = build.write_shard
    monkeypatch.setattr(build, "write_shard", lambda at, *rest: (written.append(at.name), write(at, *rest)))
    build_index(many, tmp_path / "index", corpus="many")
    assert written == ["00003", "00004"]
    assert content(tmp_path / "index") == content(tmp_path / "whole")
    assert not (tmp_path / "index.partial").exists()


@pytest.mark.usefixtures("small_shards")
def test_passages_that_changed_in_between_are_counted_anew(many, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        build_index(stopping(many, 30), tmp_path / "index", corpus="many")
    changed = [Passage("0", "Other\nwords"), *many[1:15]]
    build_index(changed, tmp_path / "index", corpus="many")
    build_index(changed, tmp_path / "whole", corpus="many")
    assert content(tmp_path / "index") == content(tmp_path / "whole")


KILLED = """
import os, signal, sys
from pathlib import Path
from agentgym_rl.environments.search.index import build, build_index, merge, shards
from agentgym_rl.environments.search.retrieval import Passage
shards.SHARD_PASSAGES = 8
many = [Passage(str(n), f"Number {n}\\n" + f"word{n % 7} thing " * (n % 5 + 1)) for n in range(40)]
def die(*_): os.kill(os.getpid(), signal.SIGKILL)
if sys.argv[2] == "counting":
    shards.counts.write_counts, write, left = (
        lambda *rest: write(*rest) if left.pop() else die()), shards.counts.write_counts, [False, True, True]
elif sys.argv[2] == "scoring":
    merge._parameters = die
else:
    build.remove_counts = die
build_index(many, Path(sys.argv[1]), corpus="many")
"""


@pytest.mark.usefixtures("small_shards")
@pytest.mark.parametrize("when", ["counting", "scoring", "tidying"])
def test_a_killed_build_goes_on(many, tmp_path, when):
    command = [sys.executable, "-c", KILLED, str(tmp_path / "index"), when]
    assert subprocess.run(command, timeout=300, check=False).returncode == -signal.SIGKILL
    assert (tmp_path / "index.partial").is_dir()
    build_index(many, tmp_path / "index", corpus="many")
    build_index(many, tmp_path / "whole", corpus="many")
    assert content(tmp_path / "index") == content(tmp_path / "whole")


def test_progress_is_told(many, tmp_path):
    told = []
    build_index(many, tmp_path / "index", corpus="many", progress=lambda *one: told.append(one))
    assert told == [("reading", 40), ("scoring", 40)]


def test_a_corpus_without_passages(tmp_path):
    with pytest.raises(CorpusError, match="nothing: there is no passage in it"):
        build_index([], tmp_path / "index", corpus="nothing")
    assert not (tmp_path / "index").exists()


def test_a_corpus_without_words(tmp_path):
    build_index([Passage("0", "the\nof and"), Passage("1", "\ud800")], tmp_path / "index", corpus="void")
    with closing(open_index(tmp_path / "index")) as retriever:
        assert retriever.retrieve(["the", "word"], 3) == [[], []]


def test_nothing_is_overwritten(index, passages, tmp_path):
    with pytest.raises(IndexRefused, match="there is an index already, of places sha256:"):
        build_index(passages, index, corpus="places")
    (tmp_path / "notes.txt").touch()
    with pytest.raises(IndexRefused, match="there is something else already"):
        build_index(passages, tmp_path, corpus="places")
    (tmp_path / "empty").mkdir()
    build_index(passages, tmp_path / "empty", corpus="places")


def test_the_beginning_of_another_index_is_refused_by_name(many, passages, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        build_index(stopping(many, 30), tmp_path / "index", corpus="many")
    with pytest.raises(IndexRefused, match="unfinished index of corpus 'many', not 'places'"):
        build_index(passages, tmp_path / "index", corpus="places")


def test_two_cannot_build_one_index(passages, tmp_path):
    lock = FolderLock(tmp_path / "index.partial" / LOCK)
    lock.acquire()
    try:
        with pytest.raises(IndexRefused, match=f"process {os.getpid()} is building an index into it"):
            build_index(passages, tmp_path / "index", corpus="places")
    finally:
        lock.release()


def test_a_place_that_cannot_be_written(passages, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(IndexRefused, match=r"Not a directory; what is done is kept in .*index\.partial"):
        build_index(passages, tmp_path / "file" / "index", corpus="places")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"version": 0}, "index with version 0, but this program reads version 1; build it again"),
        ({"analyzer": "klingon"}, "index with analyzer klingon, but this program reads analyzer english-1"),
        ({"kind": "cake"}, "not the description of a search index"),
        ({"postings": 1}, "damaged index of places: bm25 has not the size that index.json says"),
        ({"shards": 2}, "damaged index of places: .*No such file"),
        ({"surprise": 1}, "damaged"),
    ],
)
def test_other_indexes_are_refused(passages, tmp_path, changed, message):
    build_index(passages, tmp_path / "index", corpus="places")
    path = tmp_path / "index" / "index.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changed))
    with pytest.raises(IndexRefused, match=message):
        open_index(tmp_path / "index")


@pytest.mark.parametrize("name", ["shards/00000/passages.jsonl", "bm25/data.csc.index.npy", "shards/00000/offsets.npy"])
def test_cut_files_are_refused(passages, tmp_path, name):
    build_index(passages, tmp_path / "index", corpus="places")
    path = tmp_path / "index" / name
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(IndexRefused, match="damaged index of places: "):
        open_index(tmp_path / "index")


def test_no_index(tmp_path):
    with pytest.raises(IndexRefused, match="no index there; make one with: agentgym-rl search build"):
        open_index(tmp_path)
    (tmp_path / "index.json").write_text("{")
    with pytest.raises(IndexRefused, match=r"index\.json: can't be read"):
        open_index(tmp_path)


def found_by(index: Path, query: str) -> list[str]:
    with closing(open_index(index)) as retriever:
        return [hit.passage.id for hit in retriever.retrieve([query], 3)[0]]


def test_several_processes_open_it_at_once(index):
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        found = [pool.submit(found_by, index, "capital of Norway") for _ in range(4)]
        assert {tuple(one.result(300)) for one in found} == {tuple(found_by(index, "capital of Norway"))}
