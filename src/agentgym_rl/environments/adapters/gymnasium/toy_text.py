"""Gymnasium's toy-text environments in words: what their numbers mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def frozen_lake(env: Any, observation: Any) -> str:
    """The map with ``@`` for the player."""
    rows = [[cell.decode() for cell in row] for row in env.desc.tolist()]
    row, column = divmod(int(observation), len(rows[0]))
    here = {"F": "", "S": "", "H": " You have fallen into a hole.", "G": " You have reached the goal."}[rows[row][column]]
    rows[row][column] = "@"
    return f"{_drawn(rows)}\nYou are at row {row}, column {column}.{here}"


def cliff_walking(env: Any, observation: Any) -> str:
    """The map with ``@`` for the player."""
    height, width = env.shape
    rows = [["."] * width for _ in range(height)]
    rows[-1] = ["S", *"C" * (width - 2), "G"]
    row, column = divmod(int(observation), width)
    reached = " You have reached the goal." if rows[row][column] == "G" else ""
    rows[row][column] = "@"
    return f"{_drawn(rows)}\nYou are at row {row}, column {column}.{reached}"


def taxi(env: Any, observation: Any) -> str:
    """The map as Gymnasium draws it with ``T`` for the taxi, and where the passenger is and wants to go."""
    row, column, passenger, destination = env.decode(int(observation))
    rows = [[cell.decode() for cell in line] for line in env.desc.tolist()]
    rows[row + 1][2 * column + 1] = "T"
    stands = ("R", "G", "Y", "B")
    waiting = f"waits at {_place(env, stands, passenger)}" if passenger < len(stands) else "is in the taxi"
    return (
        f"{_drawn(rows)}\nThe taxi is at row {row}, column {column}. The passenger {waiting} and wants to go to "
        f"{_place(env, stands, destination)}."
    )


def blackjack(_env: Any, observation: Any) -> str:
    """The hand's sum, the dealer's card."""
    total, dealer, ace = map(int, observation)
    with_ace = ", an ace counting 11" if ace else ""
    return f"Your hand is {total}{with_ace}. The dealer shows {'an ace' if dealer == 1 else f'a {dealer}'}."


def _drawn(rows: Sequence[Sequence[str]]) -> str:
    return "\n".join("".join(row) for row in rows)


def _place(env: Any, stands: Sequence[str], number: int) -> str:
    row, column = env.locs[number]
    return f"{stands[number]} (row {row}, column {column})"
