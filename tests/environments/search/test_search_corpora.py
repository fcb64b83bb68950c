"""Corpora in every format, and what is said of those that are malformed."""

from __future__ import annotations

import bz2
import gzip

import pyarrow
import pytest
from pyarrow import parquet

from agentgym_rl.environments.search.corpora import Corpus, jsonl
from agentgym_rl.environments.search.errors import CorpusError
from agentgym_rl.environments.search.retrieval import Passage

ROWS = [{"id": "0", "contents": '"Cyprus"\nIts capital is Nicosia.'}, {"id": 1, "title": "東京", "text": "首都"}]
PASSAGES = [Passage("0", '"Cyprus"\nIts capital is Nicosia.'), Passage("1", "東京\n首都")]


def test_passages_have_title_and_text():
    assert (PASSAGES[0].title, PASSAGES[0].text) == ("Cyprus", "Its capital is Nicosia.")
    assert (Passage("0", "one line").title, Passage("0", "one line").text) == ("one line", "")


def test_json_lines(write_jsonl):
    corpus = Corpus(write_jsonl(ROWS, "wiki-18.jsonl"))
    assert list(corpus) == PASSAGES
    assert list(corpus) == PASSAGES, "a corpus can be read twice"
    assert (corpus.name, corpus.fraction, corpus.bad) == ("wiki-18", 1.0, 0)


@pytest.mark.parametrize(
    ("suffix", "pack"),
    [
        ("gz", gzip.compress),
        ("bz2", bz2.compress),
        ("gz", lambda all: b"".join(map(gzip.compress, (all[:9], all[9:])))),
    ],
)
def test_packed(write_jsonl, suffix, pack):
    path = write_jsonl(ROWS)
    packed = path.with_name(f"corpus.jsonl.{suffix}")
    packed.write_bytes(pack(path.read_bytes()))
    corpus = Corpus(packed)
    assert list(corpus) == PASSAGES
    assert (corpus.name, corpus.fraction) == ("corpus", 1.0)


def test_windows_line_ends_byte_order_mark_and_empty_lines(tmp_path):
    path = tmp_path / "corpus.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"id": "0", "contents": "a"}\r\n\r\n  \n{"id": "1", "contents": "b"}')
    assert [passage.id for passage in Corpus(path)] == ["0", "1"]


def test_parquet(tmp_path):
    parquet.write_table(
        pyarrow.table({"id": [0, 1], "contents": ["a\nb", "c"], "more": [None, 2.5]}), tmp_path / "c.parquet"
    )
    assert list(Corpus(tmp_path / "c.parquet")) == [Passage("0", "a\nb"), Passage("1", "c")]
    parquet.write_table(pyarrow.table({"id": ["x"], "title": ["a"], "text": ["b"]}), tmp_path / "t.parquet")
    assert list(Corpus(tmp_path / "t.parquet")) == [Passage("x", "a\nb")]


def test_a_folder_is_read_in_the_order_of_names(write_jsonl, tmp_path):
    write_jsonl(ROWS[1:], "b.jsonl")
    write_jsonl(ROWS[:1], "a.jsonl")
    (tmp_path / "README.md").touch()
    assert list(Corpus(tmp_path)) == PASSAGES
    assert Corpus(tmp_path).name == tmp_path.name


BAD = [
    (b'{"id": "2"', "not JSON: Expecting ',' delimiter at column 11"),
    (b"\xff\xfe", "not UTF-8 at byte 1"),
    (b"[" * 100_000, "not JSON that can be read"),
    (b'{"id": ' + b"9" * 10_000 + b', "contents": "a"}', "not JSON that can be read"),
    (b"[1]", "a list, not an object with id and contents"),
    (b"null", "null, not an object with id and contents"),
    (b'{"contents": "a"}', 'no "id"'),
    (b'{"id": "", "contents": "a"}', 'no "id"'),
    (b'{"id": true, "contents": "a"}', '"id" is true or false, not a string or a whole number'),
    (b'{"id": 1.5, "contents": "a"}', '"id" is a number, not a string or a whole number'),
    (b'{"id": "2"}', 'no "contents", nor "title" and "text"'),
    (b'{"id": "2", "title": "a", "text": 3}', 'no "contents", nor "title" and "text"'),
    (b'{"id": "2", "contents": ["a"]}', '"contents" is a list, not a string'),
    (b'{"id": "2", "contents": " \\n"}', '"contents" is empty'),
]


@pytest.mark.parametrize(("line", "reason"), BAD, ids=[reason for _, reason in BAD])
def test_a_malformed_line_is_named(write_jsonl, line, reason):
    path = write_jsonl([ROWS[0], line, ROWS[1]])
    with pytest.raises(CorpusError) as raised:
        list(Corpus(path))
    assert str(raised.value) == f"{path}, line 2: {reason}"
    corpus = Corpus(path, skip_bad=True)
    assert list(corpus) == PASSAGES
    assert (corpus.bad, corpus.first_bad) == (1, f"{path}, line 2: {reason}")


def test_a_line_too_long_to_hold_is_passed_over(write_jsonl, monkeypatch):
    monkeypatch.setattr(jsonl, "LONGEST_LINE", 1 << 20)
    path = write_jsonl([ROWS[0], {"id": "2", "contents": "a" * (3 << 20)}, ROWS[1]])
    corpus = Corpus(path, skip_bad=True)
    assert list(corpus) == PASSAGES
    assert corpus.first_bad == f"{path}, line 2: longer than 1 MiB"


def test_a_malformed_row_of_parquet_is_named(tmp_path):
    path = tmp_path / "c.parquet"
    parquet.write_table(pyarrow.table({"id": ["0", None], "contents": ["a", "b"]}), path)
    with pytest.raises(CorpusError, match=r'c\.parquet, row 2: no "id"'):
        list(Corpus(path))
    parquet.write_table(pyarrow.table({"text": ["a"]}), path)
    with pytest.raises(CorpusError, match="columns text; needed are id and contents, or id, title and text"):
        list(Corpus(path))
    path.write_bytes(b"PAR1 this is none")
    with pytest.raises(CorpusError, match=r"c\.parquet: can't be read: "):
        list(Corpus(path, skip_bad=True))


@pytest.mark.parametrize(("suffix", "pack"), [("gz", gzip.compress), ("bz2", bz2.compress)])
def test_what_is_packed_and_damaged_cannot_be_gone_past(tmp_path, suffix, pack):
    path = tmp_path / f"corpus.jsonl.{suffix}"
    whole = pack(b"".join(b'{"id": "%d", "contents": "a"}\n' % number for number in range(1000)))
    for damaged in (whole[: len(whole) // 2], b"no archive at all"):
        path.write_bytes(damaged)
        with pytest.raises(CorpusError, match=rf"corpus\.jsonl\.{suffix}.*: can't be read: "):
            list(Corpus(path, skip_bad=True))


def test_no_corpus(tmp_path):
    with pytest.raises(CorpusError, match="no such file; a corpus is a file of passages"):
        Corpus(tmp_path / "none.jsonl")
    with pytest.raises(CorpusError, match=r"no corpus in this folder; a file of it ends in \.jsonl"):
        Corpus(tmp_path)
    (tmp_path / "corpus.csv").touch()
    with pytest.raises(CorpusError, match=r"not a format of corpora: it must end in \.jsonl"):
        Corpus(tmp_path / "corpus.csv")
