"""The published servers that this package talks to."""

from __future__ import annotations

from agentgym_rl.environments.adapters.agentgym import kinds
from agentgym_rl.environments.adapters.agentgym.items import Range
from agentgym_rl.environments.adapters.agentgym.numbering import SCIWORLD_TASKS, babyai_ranges, counted, searchqa_ranges
from agentgym_rl.environments.adapters.agentgym.wire import Wire, asked_for, positive, whole_answer
from agentgym_rl.environments.babyai.actions import INSTRUCTIONS as BABYAI_INSTRUCTIONS
from agentgym_rl.environments.protocol import ActionFunction, Parameter
from agentgym_rl.environments.textcraft.world import TextCraft


def _tools(name: str, items: int, what: str) -> Wire:
    """The five servers with tools are alike."""
    return Wire(
        name,
        f"{what} (published AgentGym server)",
        f"{what} An action is the name of a tool and its input: NAME with Action Input: {{JSON}}. "
        "check_valid_actions with Action Input: {} lists the tools; "
        'finish with Action Input: {"answer": …} gives the answer and ends the task.',
        lambda item: {"id": item},
        (Range(0, items, name),),
        id_field="env_idx",
        create={"id": 0},
        closes=False,
        opening=whole_answer,
        sends=kinds.tool_action,
        score=lambda reward: float(reward > 0),
        won=positive,
        deterministic=False,
    )


_ALL = (
    Wire(
        "textcraft",
        "Craft a Minecraft item from its recipes (published AgentGym server)",
        TextCraft.instructions,
        lambda item: {"data_idx": item},
        (Range(0, 544, "textcraft"),),
        create={"commands": None, "goal": None},
        action_schema=TextCraft.action_schema,
        refused=("Could not execute",),
    ),
    Wire(
        "babyai",
        "BabyAI's rooms, doors and things (published AgentGym server)",
        BABYAI_INSTRUCTIONS + "\nWrite an action as the last observation lists it.",
        lambda item: {"data_idx": item},
        babyai_ranges(),
        sends=lambda action: action.replace("pick up", "pickup"),
        won=positive,
        ends_when_won=True,
        refused=("The action is not recognized",),
        admissible=kinds.babyai_admissible,
    ),
    Wire(
        "sciworld",
        "Elementary science experiments in text (published AgentGym server)",
        "Do the science task. Actions: look around; look at OBJ; look in OBJ; read OBJ; examine OBJ; open OBJ; close OBJ; activate "
        "OBJ; deactivate OBJ; connect OBJ to OBJ; disconnect OBJ; use OBJ [on OBJ]; go to LOC; pick up OBJ; put down OBJ; move "
        "OBJ to OBJ; pour OBJ into OBJ; dunk OBJ into OBJ; mix OBJ; eat OBJ; flush OBJ; focus on OBJ; inventory; task; wait; "
        "wait1. Focusing on a wrong thing fails the task.",
        lambda item: {"data_idx": item},
        counted(SCIWORLD_TASKS),
        opening=kinds.sciworld_opening,
        value="score",
        score=lambda score: min(1.0, max(0.0, score / 100)),
        won=lambda score: score >= 100,
        kept=False,
        refused=("No known action matches that input",),
    ),
    Wire(
        "searchqa",
        "Answer questions by searching Wikipedia (published AgentGym server)",
        "Answer the question. <search>words</search> looks them up; <answer>the answer</answer> gives the answer, in few words.",
        lambda item: {"id": item},
        searchqa_ranges(),
        id_field="env_idx",
        create={"id": 0},
        action_schema=(
            ActionFunction(
                "search", "Look something up.", (Parameter("query", "string", "Words"),), "<search>{query}</search>"
            ),
            ActionFunction(
                "answer", "Give the answer.", (Parameter("text", "string", "In few words"),), "<answer>{text}</answer>"
            ),
        ),
        opening=whole_answer,
    ),
    Wire(
        "webarena",
        "Tasks in a browser on self-hosted sites (published AgentGym server)",
        "Do the task in the browser. You see the page as an accessibility tree with an [id] for each element. Actions: click [id]; "
        "type [id] [text] [0 or 1 to press enter]; hover [id]; press [keys]; scroll [up or down]; new_tab; tab_focus [index]; "
        "close_tab; goto [url]; go_back; go_forward; stop [answer], which ends the task; the answer is N/A where there is none.",
        lambda item: {"seed": 0, "idx": item},
        (Range(0, 812, "webarena"),),
        id_field="env_idx",
        sends=kinds.webarena_action,
        ends=("terminated", "truncated"),
        only_at_the_end=True,
        failed_opening="TimeoutError",
        deterministic=False,
    ),
    Wire(
        "alfworld",
        "Household tasks in text (published AgentGym server)",
        "Do the household task. Write one of the available actions, such as: go to desk 1; take mug 1 from desk 1; put mug 1 in/on "
        "shelf 1; open drawer 1; close drawer 1; use desklamp 1; heat mug 1 with microwave 1; cool mug 1 with fridge 1; clean mug "
        "1 with sinkbasin 1; examine desk 1; inventory; look. Nothing happens after an action that is not available.",
        lambda item: {"game": item, "world_type": "Text"},
        (Range(0, 2420, "alfworld", "train"), Range(2420, 2620, "alfworld", "test")),
        closes=False,
        admissible=kinds.alfworld_admissible,
    ),
    Wire(
        "webshop",
        "Buy what is asked for in a web shop (published AgentGym server)",
        "Buy the product that is asked for. search[words] where there is a search bar; click[name] for a button or link.",
        lambda item: {"session_id": item},
        (Range(0, 4130, "webshop"),),
        id_field="env_idx",
        closes=False,
        action_schema=(
            ActionFunction("search", "Search.", (Parameter("words", "string", "What for"),), "search[{words}]"),
            ActionFunction("click", "Click a button or link.", (Parameter("name", "string", "Which"),), "click[{name}]"),
        ),
        opening=asked_for,
        text="state",
        admissible=kinds.webshop_admissible,
    ),
    Wire(
        "maze",
        "Find the goal of a maze (published AgentGym server)",
        "Walk to the goal. Actions: move up; move down; move left; move right. Right is the second number of a position plus 1, "
        "down the first plus 1.",
        lambda item: {"game": item},
        (Range(0, 26, "maze"),),
        prefix="/maze",
        closes=False,
        admissible=kinds.maze_admissible,
    ),
    Wire(
        "wordle",
        "Guess a word of five letters (published AgentGym server)",
        "Guess the hidden word of five letters in six attempts. Write its letters with spaces between: s h i r e. The answer has a "
        "letter for each: g, right; y, in the word at another place; b, not in the word.",
        lambda item: {"seed": item},
        (Range(0, 980, "wordle"),),
        prefix="/wordle",
        closes=False,
        sends=kinds.wordle_action,
        refused=("invalid word",),
    ),
    _tools("weather", 343, "Answer questions about the weather."),
    _tools("movie", 238, "Answer questions about films."),
    _tools("academia", 20, "Answer questions about papers and their authors."),
    _tools("todo", 155, "Answer questions about a to-do list, and change it."),
    _tools("sheet", 20, "Change a spreadsheet as asked."),
    Wire(
        "sqlgym",
        "Answer a question by one SQL query (published AgentGym server)",
        "Answer the question by one SQLite statement, in one line. It is executed, and ends the task.",
        lambda item: {"item_id": item},
        (Range(0, 9428, "sqlgym", "train"), Range(9428, 10962, "sqlgym", "test")),
        id_field="env_idx",
        closes=False,
        sends=kinds.sql_action,
        opening=asked_for,
        text="state",
    ),
)

WIRES: dict[str, Wire] = {wire.name: wire for wire in _ALL}
"""By the name after ``agentgym:``."""
