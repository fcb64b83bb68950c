"""What a model is told of the actions, and which strings are passed on to the simulator."""

from __future__ import annotations

from agentgym_rl.environments.protocol import ActionFunction, ActionSchema, Parameter

LONGEST = 300
"""Characters of an action that is passed on; the simulator's take a third of it at most."""
NOT_OFFERED = frozenset({"reset task"})
"""It takes back what the score counts, and not what was done."""


def _thing(name: str = "thing", what: str = "As it is called in an observation.") -> Parameter:
    return Parameter(name, "string", what)


def _one(verb: str, description: str, name: str | None = None) -> ActionFunction:
    return ActionFunction(name or verb.replace(" ", "_"), description, (_thing(),), f"{verb} {{thing}}")


def _two(verb: str, word: str, description: str) -> ActionFunction:
    parameters = (_thing(), _thing("other", "Another thing."))
    return ActionFunction(verb, description, parameters, f"{verb} {{thing}} {word} {{other}}")


SCHEMA: ActionSchema = (
    ActionFunction("look_around", "See where you are.", template="look around"),
    _one("look at", "See a thing closely."),
    _one("look in", "See what is in a thing."),
    ActionFunction("inventory", "See what you carry.", template="inventory"),
    ActionFunction("go_to", "Go to a place next to this one.", (_thing("place", "The place."),), "go to {place}"),
    _one("open", "Open a door or a container."),
    _one("close", "Close a door or a container."),
    _one("pick up", "Take a thing into the inventory."),
    _one("put down", "Put down what you carry."),
    _two("move", "to", "Put a thing into or onto another."),
    _two("pour", "into", "Pour a liquid, or what is in a container, into another."),
    _two("dunk", "into", "Dip a container into a liquid."),
    _one("mix", "Mix what is in a container."),
    _one("focus on", "Say that a thing is what the task asks for. The wrong one ends the task."),
    _one("activate", "Switch a device on."),
    _one("deactivate", "Switch a device off."),
    _two("use", "on", "Use a tool, such as a thermometer, on a thing."),
    _two("connect", "to", "Connect two electrical contacts."),
    _one("disconnect", "Take a thing out of a circuit."),
    _one("read", "Read a text."),
    _one("eat", "Eat something."),
    _one("flush", "Flush a toilet."),
    ActionFunction("wait", "Let eleven moves of time pass.", template="wait"),
    ActionFunction("wait1", "Let two moves of time pass.", template="wait1"),
    ActionFunction("task", "See the task again.", template="task"),
    ActionFunction("choose", "Answer a question for a number.", (Parameter("number", "integer", "Yours."),), "{number}"),
)

INSTRUCTIONS = """\
You are in a house with a kitchen, a workshop, a greenhouse and other rooms, and have an experiment to do. Each action is one line:
look around; look at X; look in X; inventory; task; read X
go to PLACE (a place next to this one; its door must be open); open X; close X
pick up X; put down X; move X to Y; pour X into Y; dunk X into Y; mix X (what is in a container); eat X; flush X
activate X; deactivate X; use X on Y; connect X to Y; disconnect X
focus on X (say that X is what the task asks for: only when you are sure, a wrong one ends the task)
wait (eleven moves of time); wait1 (two)
Where your words could mean several things you are asked for a number: answer with that alone."""


def clean(action: str) -> str | None:
    """The action as the simulator gets it: in lower case, with single spaces, without a final full stop; None: not passed on."""
    text = " ".join(action[: LONGEST + 1].lower().split()).removesuffix(".").rstrip()
    return text if text and len(action.strip()) <= LONGEST and text.isprintable() and text not in NOT_OFFERED else None
