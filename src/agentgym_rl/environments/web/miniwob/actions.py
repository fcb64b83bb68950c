"""The actions of this world: those of the browser that make sense on one page."""

from __future__ import annotations

from agentgym_rl.environments.web.browser import read_command
from agentgym_rl.environments.web.browser.grammar import ACTION_SCHEMA as ALL

VERBS = ("click", "type", "hover", "press", "scroll", "stop")
ACTION_SCHEMA = tuple(function for function in ALL if function.name in VERBS)
GRAMMAR = (
    "click [id]; type [id] [text] [1 to press Enter after it, else 0]; hover [id]; press [key, as Enter or Control+a]; "
    "scroll [down] or scroll [up]; stop"
)
INSTRUCTIONS = (
    "Do what the goal says on a small web page. It is shown as lines of elements, each with its number, role and name. "
    f"Actions: {GRAMMAR}. The episode ends by itself when the goal is reached or missed; stop gives up."
)


def is_action(text: str) -> bool:
    """Whether this world reads it."""
    command = read_command(text)
    return command is not None and command.verb in VERBS
