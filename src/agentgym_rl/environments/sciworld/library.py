"""What this package uses of the simulator's own objects, and the variables that all simulators of a process share."""

from __future__ import annotations

import os
from typing import Any


def _singleton(package: Any, name: str) -> Any:
    """The instance of a Scala ``object``."""
    return getattr(getattr(package, f"{name}$"), "MODULE$")


class Library:
    """Handles into one Java process."""

    def __init__(self, root: Any) -> None:
        scienceworld = root.scienceworld
        self.root = root
        # The simulator writes a table of its classes into the working directory, which it reads nowhere.
        table = root.java.lang.Class.forName("util.UniqueTypeID$").getDeclaredField("FILENAME_IDS")
        table.setAccessible(True)
        table.set(_singleton(root.util, "UniqueTypeID"), os.devnull)
        self.parser = _singleton(scienceworld.input, "InputParser")
        self.definitions = _singleton(scienceworld.input, "ActionDefinitions")
        self.make_interface = scienceworld.runtime.pythonapi.PythonInterface
        self._simplifier = _singleton(root.main.scala.scienceworld.runtime, "SimplifierProcessor")
        self._ids = _singleton(root.util, "UniqueIdentifier")
        self._random = _singleton(root.scala.util, "Random")
        self._random_field = root.java.lang.Class.forName("scala.util.Random").getDeclaredField("self")
        self._random_field.setAccessible(True)
        self._wrapped = _singleton(root.scala.collection.mutable, "WrappedArray")
        thing = root.java.lang.Class.forName("scienceworld.struct.EnvObject")
        self._thing_tag = _singleton(root.scala.reflect, "ClassTag").apply(thing)

    def array(self, things: Any) -> Any:
        """A Scala collection of the simulator's things as a Java array."""
        return things.toArray(self._thing_tag)

    def lines(self, array: Any) -> list[str]:
        """The texts of the elements of a Java array, in one call."""
        text = str(self._wrapped.make(array).mkString("\n"))
        return text.split("\n") if text else []

    @property
    def last_id(self) -> int:
        """The counter that numbers the simulator's things."""
        return int(self._ids.count())

    @last_id.setter
    def last_id(self, value: int) -> None:
        getattr(self._ids, "count_$eq")(value)

    def draw_from(self, random: Any) -> None:
        """Have the simulator draw its random numbers from this ``java.util.Random``."""
        self._random_field.set(self._random, random)

    def simplify(self, simplifications: str) -> None:
        """Switch on these simplifications and no others."""
        self._simplifier.parseSimplificationStr(simplifications)
