"""Questions in the public formats, and what is said of files that are broken."""

import gzip
import json

import pytest

import agentgym_rl
from agentgym_rl.environments.errors import UnknownTask
from agentgym_rl.environments.searchqa.files import sets
from agentgym_rl.environments.searchqa.files.errors import QuestionFileError
from agentgym_rl.environments.searchqa.files.find import files_of, part_of
from agentgym_rl.environments.searchqa.files.load import load, paragraphs
from agentgym_rl.environments.searchqa.files.read import read_items

SQUAD = {
    "version": "1.1",
    "data": [
        {
            "title": "River_Osk",
            "paragraphs": [
                {
                    "context": "The Osk is 312 km long.",
                    "qas": [
                        {"id": "a", "question": "How long is the Osk?", "answers": [{"text": "312 km", "answer_start": 11}]},
                        {"id": "b", "question": "Why?", "is_impossible": True, "answers": []},
                    ],
                }
            ],
        }
    ],
}
HOTPOT = {
    "_id": "5a",
    "question": "Which river is longer, Osk or Lenn?",
    "answer": "Osk",
    "type": "comparison",
    "level": "medium",
    "supporting_facts": [["Osk", 0], ["Lenn", 0]],
    "context": [["Osk", ["The Osk is 312 km long.", " It is calm."]], ["Lenn", ["The Lenn is 20 km long."]]],
}
MUSIQUE = {
    "id": "2hop__1_2",
    "question": "Who founded the capital of Ardania?",
    "answer": "Mira Sand",
    "answer_aliases": ["Sand"],
    "answerable": True,
    "paragraphs": [{"idx": 0, "title": "Port Vell", "paragraph_text": "Founded by Mira Sand.", "is_supporting": True}],
    "question_decomposition": [],
}
FANOUT = {
    "id": "f1",
    "question": "In which years were the first two mayors of Port Vell born?",
    "answer": {"A": 1901, "B": 1920},
    "decomposition": [
        {"id": "f2", "question": "Who was the first mayor?", "decomposition": [], "answer": "A", "depends_on": []},
        {"id": "f3", "question": "Was A tall?", "decomposition": [], "answer": True, "depends_on": ["f2"]},
        {"id": "f4", "question": "Who were the mayors?", "decomposition": [], "answer": ["A", "B"], "depends_on": []},
        {"id": "f5", "question": "When was A born?", "decomposition": [], "answer": 1901, "depends_on": ["f2"]},
    ],
}
SEARCH_R1 = {
    "id": "test_0",
    "question": "who sings it?",
    "golden_answers": ["Ann"],
    "data_source": "nq",
    "prompt": [{"role": "user", "content": "Answer ... who sings it?"}],
    "reward_model": {"style": "rule", "ground_truth": {"target": ["Ann", "Ann B"]}},
    "extra_info": {"split": "test", "index": 0},
}


def write(path, content, kind="json"):
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "jsonl":
        text = "".join(json.dumps(row) + "\n" for row in content)
    else:
        text = content if isinstance(content, str) else json.dumps(content)
    if path.name.endswith(".gz"):
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8")
    return path


def asked(path):
    return [(item.text, item.answers) for item in read_items(path)]


@pytest.mark.parametrize("name", ["test.jsonl", "test.jsonl.gz"])
def test_flashrag(tmp_path, name):
    rows = [{"id": "test_0", "question": "who  sings\nit?", "golden_answers": ["Ann", " Ann ", ""]}]
    assert asked(write(tmp_path / name, rows, "jsonl")) == [("who sings it?", ("Ann",))]


def test_search_r1_parquet(tmp_path):
    import pyarrow
    import pyarrow.parquet

    rows = [SEARCH_R1, {**SEARCH_R1, "question": "and where?", "data_source": "hotpotqa"}]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "test.parquet")
    assert asked(tmp_path / "test.parquet")[0] == ("who sings it?", ("Ann", "Ann B"))
    loaded = load([str(tmp_path / "test.parquet")])
    assert [(one.category, one.split) for one in loaded.questions] == [("NQ", "test"), ("HotpotQA", "test")]


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("NQ-open.dev.jsonl", '{"question": "who", "answer": ["Ann", "B"]}\n', [("who", ("Ann", "B"))]),
        (
            "wikipedia-dev.json",
            {
                "Data": [
                    {
                        "Question": "who",
                        "Answer": {"Value": "Ann", "Aliases": ["Annie", "Ann"], "NormalizedAliases": ["ann"]},
                    }
                ]
            },
            [("who", ("Ann", "Annie"))],
        ),
        (
            "popqa.tsv",
            'id\tsubj\tprop\tobj\tquestion\tpossible_answers\n1\tA\tb\tc\twho is A?\t"[""singer"", ""artist""]"\n',
            [("who is A?", ("singer", "artist"))],
        ),
        ("hotpot_dev_distractor_v1.json", [HOTPOT], [("Which river is longer, Osk or Lenn?", ("Osk",))]),
        (
            "musique_ans_v1.0_dev.jsonl",
            json.dumps(MUSIQUE) + "\n" + json.dumps({**MUSIQUE, "answerable": False}) + "\n",
            [("Who founded the capital of Ardania?", ("Mira Sand", "Sand"))],
        ),
        ("Bamboogle.csv", "Question,Answer\nWho was it?,Ann\n", [("Who was it?", ("Ann",))]),
        ("dev-v1.1.json", SQUAD, [("How long is the Osk?", ("312 km",))]),
        (
            "fanout-final-dev.json",
            [FANOUT],
            [("Who was the first mayor?", ("A",)), ("Was A tall?", ("yes",)), ("When was A born?", ("1901",))],
        ),
    ],
)
def test_original_releases(tmp_path, name, content, expected):
    assert asked(write(tmp_path / name, content)) == expected


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", '{"question": "who", "golden_answers": ["x"]}\n{"question": \n', "line 2: no JSON"),
        ("a.jsonl", "[1]\n", "line 1: not a JSON object but list"),
        ("a.jsonl", '\n{"golden_answers": ["x"]}\n', "line 2: it has no question"),
        ("a.jsonl", '{"question": "who", "golden_answers": []}\n', "line 1: it has no answers"),
        ("a.jsonl", '{"question": "who", "golden_answers": ["", " "]}\n', "line 1: its answers are empty"),
        ("a.jsonl", '{"question": "who", "golden_answers": [["x"]]}\n', "line 1: its answers are no texts"),
        ("a.jsonl", '{"text": "who"}\n', "line 1: no known format: its keys are text"),
        ("a.json", '[{"question": "a", "answer": "b"},\n {"question": "c"}]', "row 2: it has no answers"),
        ("a.json", '[{"question": "a",\n', "line 2: no JSON"),
        ("a.json", "3", "neither a JSON list nor an object with one under 'data' or 'Data'"),
        ("a.tsv", "question\tpossible_answers\nwho\t[oops\n", "line 2: possible_answers is no JSON list"),
        ("a.parquet", "no parquet", "no Parquet that can be read"),
        ("a.txt", "x", "its name ends with none of .jsonl"),
        ("a.jsonl.gz", None, "can't be read"),
    ],
)
def test_a_broken_file_is_named_with_line_and_reason(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(b"\x1f\x8bbroken" if content is None else content.encode())
    with pytest.raises(QuestionFileError) as caught:
        list(read_items(path))
    assert str(caught.value).startswith(str(path))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_text_that_is_no_utf_8_is_an_error(tmp_path):
    (tmp_path / "a.jsonl").write_bytes(b'{"question": "\xff\xfe"}\n')
    with pytest.raises(QuestionFileError, match="can't be read"):
        list(read_items(tmp_path / "a.jsonl"))


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("hotpot_dev_distractor_v1.json", "dev"),
        ("train-v2.0.json", "train"),
        ("NQ-open.efficientqa.test.1.1.jsonl", "test"),
        ("validation.jsonl", "dev"),
        ("training_notes.json", "all"),
        ("Bamboogle.csv", "all"),
        ("latest.jsonl", "all"),
    ],
)
def test_what_names_say_of_parts(name, part):
    assert part_of(name) == part


@pytest.mark.parametrize(
    ("name", "category"),
    [
        ("nq", "NQ"),
        ("NQ-open.dev.jsonl", "NQ"),
        ("natural-questions", "NQ"),
        ("2WikiMultihopQA", "2Wiki"),
        ("hotpot_train_v1.1.json", "HotpotQA"),
        ("fanout-final-dev.json", "FanOutQA"),
        ("popQA.tsv", "PopQA"),
        ("unqualified.json", None),
    ],
)
def test_what_names_say_of_sets(name, category):
    assert sets.category_of(name) == category


def rows(count, prefix):
    return [{"id": f"x_{n}", "question": f"{prefix} number {n}?", "golden_answers": [f"{prefix} {n}"]} for n in range(count)]


def test_splits_share_no_question(tmp_path):
    write(tmp_path / "nq/train.jsonl", [*rows(200, "train"), *rows(3, "dev"), *rows(3, "test")], "jsonl")
    write(tmp_path / "nq/dev.jsonl", [*rows(5, "dev"), *rows(2, "test")], "jsonl")
    write(
        tmp_path / "nq/test.jsonl", [*rows(4, "test"), {"question": "TEST, number 0", "golden_answers": ["other"]}], "jsonl"
    )
    found = load([str(tmp_path / "nq")])
    texts = {split: [one.text for one in found.questions if one.split == split] for split in ("train", "validation", "test")}
    assert {split: len(some) for split, some in texts.items()} == {"train": 200, "validation": 5, "test": 5}
    assert all(text.startswith("train") for text in texts["train"])
    assert len(found.rows["NQ", True]) == 206
    assert found.rows["NQ", True][203:] == found.rows["NQ", False][:3]


def test_a_set_without_test_file_is_tested_on_dev(tmp_path):
    write(tmp_path / "hotpotqa/dev.jsonl", rows(5, "dev"), "jsonl")
    write(tmp_path / "hotpotqa/train.jsonl", rows(400, "train"), "jsonl")
    found = load([str(tmp_path)])
    splits = [one.split for one in found.questions]
    assert splits.count("test") == 5
    assert 5 < splits.count("validation") < 40
    assert [one.text for one in found.questions if one.id in found.rows["HotpotQA", True]].__len__() == 400
    order = {one.id: one.text for one in found.questions}
    assert [order[id] for id in found.rows["HotpotQA", True]] == [row["question"] for row in rows(400, "train")]


def test_a_file_that_names_no_part_is_cut_by_content(tmp_path):
    path = write(tmp_path / "mine.jsonl", rows(400, "mine"), "jsonl")
    splits = [one.split for one in load([str(path)]).questions]
    assert 20 < splits.count("test") < 60
    assert 5 < splits.count("validation") < 40
    assert {one.category for one in load([str(path)]).questions} == {"mine"}


def test_ids_follow_from_content(tmp_path):
    first = write(tmp_path / "a/nq/test.jsonl", rows(3, "x"), "jsonl")
    second = write(tmp_path / "b/nq/test.jsonl", [{**row, "id": "other"} for row in reversed(rows(3, "x"))], "jsonl")
    ids = [[one.id for one in load([str(path)]).questions] for path in (first, second)]
    assert ids[0] == ids[1][::-1]
    assert ids[0][0] == "NQ/a7058b37b55e"


def test_a_named_set_lies_in_the_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("AGENTGYM_RL_CACHE", str(tmp_path))
    with pytest.raises(QuestionFileError) as caught:
        agentgym_rl.tasks("searchqa", "test", questions="popqa")
    where = tmp_path / "searchqa/questions/popqa"
    assert str(caught.value) == (
        f"{where}: there is no such file or folder; put the set's files there (FlashRAG's JSONL, Search-R1's Parquet or the "
        "original release), or give questions=PATH"
    )
    write(where / "test.jsonl", rows(3, "pop"), "jsonl")
    assert [file.category for file in files_of("PopQA")] == ["PopQA"]
    assert len(load(["popqa"]).questions) == 3


def test_a_name_that_is_neither_set_nor_path(tmp_path):
    with pytest.raises(QuestionFileError, match="'nqq' is no set either; known: factbook, nq, triviaqa"):
        agentgym_rl.tasks("searchqa", "test", questions="nqq")
    with pytest.raises(QuestionFileError, match="holds no question file"):
        load([str(tmp_path)])


@pytest.fixture
def published(tmp_path, monkeypatch):
    """Sets of two or three questions, numbered as the published ones are."""
    small = (("NQ", 2, False), ("HotpotQA", 3, False), ("NQ", 4, True))
    monkeypatch.setattr(sets, "PUBLISHED", small)
    write(tmp_path / "nq/test.jsonl", rows(2, "nq"), "jsonl")
    write(tmp_path / "hotpotqa/dev.jsonl", rows(3, "hotpot"), "jsonl")
    write(tmp_path / "nq/train.jsonl", rows(4, "train"), "jsonl")
    return {"questions": str(tmp_path)}


@pytest.mark.parametrize(
    ("number", "split", "text"),
    [
        (0, "test", "nq number 0?"),
        (1, "test", "nq number 1?"),
        (4, "test", "hotpot number 2?"),
        (7, "train", "train number 2?"),
    ],
)
def test_published_items_are_resolved(published, small_index, number, split, text):
    tasks = agentgym_rl.tasks("searchqa", split, **published)
    task = tasks[f"agentgym:{number}"]
    assert f"agentgym:{number}" in tasks
    with agentgym_rl.make("searchqa", index=small_index, **published) as world:
        assert world.reset(options={"task": f"agentgym:{number}"})[0] == f"Question: {text}"
        assert world.task == task


def test_published_items_that_there_are_not(published):
    tasks = agentgym_rl.tasks("searchqa", "test", **published)
    with pytest.raises(UnknownTask, match="agentgym:9: the published items end at 8"):
        tasks.get("agentgym:9")
    assert tasks.get("agentgym:x") is None


def test_published_items_need_the_published_files():
    with pytest.raises(UnknownTask, match="agentgym:29190 is row 0 of the test part of HotpotQA, which has 7405 questions"):
        agentgym_rl.tasks("searchqa", "test").get("agentgym:29190")


def test_the_published_ranges():
    starts = {
        0: "NQ",
        3610: "TriviaQA",
        14923: "PopQA",
        29190: "HotpotQA",
        36595: "2Wiki",
        49171: "MuSiQue",
        51588: "Bamboogle",
    }
    assert {number: sets.place_of(number) for number in starts} == {n: (name, False, 0) for n, name in starts.items()}
    assert sets.place_of(51713) == ("NQ", True, 0)
    assert sets.place_of(221327) == ("HotpotQA", True, 90446)
    assert sets.place_of(221328) is None


def test_questions_with_paragraphs_bring_their_corpus(tmp_path, monkeypatch):
    monkeypatch.setenv("AGENTGYM_RL_CACHE", str(tmp_path / "cache"))
    write(tmp_path / "q/hotpot_dev_distractor_v1.json", [HOTPOT])
    write(tmp_path / "q/squad_dev.json", SQUAD)
    write(tmp_path / "q/musique_dev.jsonl", [MUSIQUE], "jsonl")
    settings = {"questions": str(tmp_path / "q"), "topk": 1}
    assert [passage.title for passage in paragraphs([settings["questions"]])] == ["Osk", "Lenn", "Port Vell", "River Osk"]
    with agentgym_rl.make("searchqa", **settings) as world:
        task = agentgym_rl.tasks("searchqa", "test", **settings).filter("MuSiQue")[0]
        world.reset(options={"task": task})
        assert "Founded by Mira Sand." in world.step("search[Port Vell founded]")[0]
        assert "answer[Mira Sand]" in world.admissible_actions()
        assert world.expert_action() is None
        assert world.step("answer[Sand]")[1] == 1.0


def test_doctor_says_which_sets_are_there(tmp_path, monkeypatch):
    from agentgym_rl.cli.doctor import _question_sets
    from agentgym_rl.cli.machine import question_sets

    monkeypatch.setenv("AGENTGYM_RL_CACHE", str(tmp_path))
    folder = tmp_path / "searchqa/questions"
    assert question_sets() == {"folder": str(folder), "sets": {name: [] for name in sets.CATEGORY}}
    assert _question_sets(question_sets()) == (
        f"the Factbook's questions; 0 of 7 sets: put files of nq, triviaqa, popqa, hotpotqa, 2wikimultihopqa, musique, bamboogle "
        f"into {folder}/SET"
    )
    for name in ("nq", "popqa"):
        write(folder / name / "test.jsonl", rows(1, name), "jsonl")
    assert "2 of 7 sets (nq, popqa): put files of triviaqa, hotpotqa," in _question_sets(question_sets())
    assert question_sets()["sets"]["nq"] == ["test.jsonl"]
