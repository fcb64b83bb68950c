"""Task files of both forms; what can't be used is refused with the file, the task's id and the field."""

import pytest
from stub_sites.task_lists import original, verified, written

from agentgym_rl.environments.web.webarena.errors import TaskFileError
from agentgym_rl.environments.web.webarena.task_file import read_task_file

_ANSWER = {
    "evaluator": "AgentResponseEvaluator",
    "results_schema": {"type": "null"},
    "expected": {"task_type": "navigate", "status": "SUCCESS", "retrieved_data": None},
}


def _changed(task, **parts):
    for path, value in parts.items():
        *places, last = path.split("__")
        found = task
        for place in places:
            found = found[int(place) if place.isdecimal() else place]
        found[last] = value
    return task


def _plain():
    return original(44, ["gitlab"], url="__GITLAB__/x", pages=[("last", "", {"must_include": ["x"]})])


@pytest.mark.parametrize(
    ("task", "message"),
    [
        (_changed(_plain(), sites=["gitlab", "ebay"]), "task 44: sites.1: unknown site 'ebay'; known: shopping"),
        (_changed(_plain(), colour="red"), "task 44: colour: unknown field"),
        (_changed(_plain(), eval__eval_types=["looks_nice"]), "task 44: eval.eval_types.0: input should be 'string_match'"),
        (_changed(_plain(), eval__eval_types=["string_match"]), "task 44: eval: string_match has nothing to compare with"),
        (_changed(_plain(), eval__reference_answers={"some": "x"}), "task 44: eval.reference_answers.some: unknown field"),
        (_changed(_plain(), eval__program_html__0__locator="func:rm('x')"), "program_html.0.locator: unknown function 'rm'"),
        (_changed(_plain(), eval__program_html__0__locator="fetch('x')"), "program_html.0.locator: a locator is a DOM"),
        (_changed(_plain(), eval__program_html__0__url="http://x"), "program_html.0.url: neither 'last' nor an address"),
        (_changed(_plain(), eval__program_html__0__required_contents={}), "needs exact_match or must_include"),
        (_changed(_plain(), start_url="http://x"), "task 44: start_url: begins with no site's placeholder"),
        (_changed(_plain(), task_id="44"), "task 44: task_id: input should be a valid integer"),
        ({"sites": ["map"]}, "entry 1: task_id: is missing"),
        ("x", "entry 1: a task is an object, not str"),
        (
            verified(7, ["map"], {**_ANSWER, "evaluator": "Guess"}),
            "task 7: eval.0: input tag 'Guess' found using 'evaluator' does not match",
        ),
        (verified(7, ["map"], {**_ANSWER, "weight": 2}), "eval.0.AgentResponseEvaluator.weight: unknown field"),
        (verified(7, ["moon"], _ANSWER), "task 7: sites.0: unknown site 'moon'"),
    ],
)
def test_what_is_refused(tmp_path, task, message):
    path = tmp_path / "some.json"
    written(path, [task])
    with pytest.raises(TaskFileError) as refused:
        read_task_file(path)
    assert str(refused.value).startswith(f"{path}: ")
    assert message.lower() in str(refused.value).lower()
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [("{", "can't be read as JSON"), ("{}", "a task file is a list of tasks"), ("[]", "a task file is a list of tasks")],
)
def test_what_is_no_task_file(tmp_path, text, message):
    path = tmp_path / "some.json"
    path.write_text(text)
    with pytest.raises(TaskFileError, match=message):
        read_task_file(path)
    with pytest.raises(TaskFileError, match=r"nowhere\.json: can't be read"):
        read_task_file(tmp_path / "nowhere.json")


def test_an_id_that_occurs_twice(tmp_path):
    path = tmp_path / "some.json"
    written(path, [_plain(), _plain()])
    with pytest.raises(TaskFileError, match="task 44: task_id: occurs twice"):
        read_task_file(path)


def test_both_forms_are_read(tmp_path):
    path = tmp_path / "some.json"
    written(path, [_plain(), verified(7, ["map", "wikipedia"], _ANSWER)])
    one, other = read_task_file(path)
    assert (one.starts, other.starts, other.kind) == (("__GITLAB__",), ("__MAP__",), "NAVIGATE")
    two = original(1, ["map", "gitlab"], start="__MAP__ |AND| __GITLAB__/x", url="__MAP__")
    written(path, [two])
    assert read_task_file(path)[0].starts == ("__MAP__", "__GITLAB__/x")
