"""Frames of other origins: a page's own document can't be walked into them, so each is read by itself and put in its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agentgym_rl.environments.web.browser.world import DocumentGone, IsolatedWorld

Row = Sequence[Any]
"""An element, as ``page.js`` returns it."""
FOREIGN = 4
"""Flag of a row: a frame of another origin."""
_DEEPEST = 4
_MOST = 20
"""Frames of a page that are read, and frames within frames."""
_DEPTH, _LEFT, _TOP, _WIDTH, _HEIGHT, _FLAGS = 0, 5, 6, 7, 8, 9


@dataclass(frozen=True, slots=True)
class Inner:
    """Such a frame: element ``number`` of the document around it."""

    context: int
    """The id of its isolated world."""
    around: Inner | None
    """The frame that it is in; None: the page."""
    number: int

    @property
    def level(self) -> int:
        return 1 if self.around is None else self.around.level + 1


Origin = tuple[Inner | None, int]
"""Where an element is: in which frame (None: the page), and its number there."""


class Reader:
    """Reads a page and its frames as one, and calls functions of ``page.js`` by the numbers given then."""

    def __init__(self, world: IsolatedWorld) -> None:
        self._world = world
        self._origins: list[Origin] | None = None
        """Of the elements read last; None: all are in the page itself."""

    async def read(self, function: str, options: dict[str, Any]) -> Any:
        """What ``observe`` or ``observeWhenQuiet`` returns, with the rows of such frames. Raises: DocumentGone."""
        seen = await self._world.call(function, options)
        self._origins = None
        if any(row[_FLAGS] & FOREIGN for row in seen["rows"]):
            found: list[tuple[Row, Origin]] = []
            await self._gather(seen["rows"], None, options, found, [_MOST])
            page = seen["rows"][0]
            shown = [
                (row, origin) for row, origin in found if options["whole"] or _in_sight(row, page[_WIDTH], page[_HEIGHT])
            ]
            seen["rows"] = [row for row, _ in shown]
            self._origins = [origin for _, origin in shown]
        return seen

    async def call(self, function: str, id: int, *arguments: Any) -> Any:
        """A function of ``page.js`` about the element of that number. Raises: DocumentGone: its frame's too."""
        inner, number = self._origin(id)
        answer = await self._world.call(function, number, *arguments, context=inner.context if inner else None)
        if function == "locate":
            return await self._in_page(answer, inner)
        return answer

    def _origin(self, id: int) -> Origin:
        if self._origins is None:
            return None, id
        return self._origins[id - 1] if 1 <= id <= len(self._origins) else (None, 0)

    async def _gather(
        self,
        rows: Sequence[Row],
        inner: Inner | None,
        options: dict[str, Any],
        found: list[tuple[Row, Origin]],
        left: list[int],
    ) -> None:
        """Appends the rows, each frame's after the frame; ``left``: how many frames may still be read."""
        for number, row in enumerate(rows, 1):
            found.append((row, (inner, number)))
            if row[_FLAGS] & FOREIGN and left[0] > 0 and (inner is None or inner.level < _DEEPEST):
                left[0] -= 1
                try:
                    await self._enter(row, number, inner, options, found, left)
                except DocumentGone:  # it is another document by now, or none
                    continue

    async def _enter(
        self,
        frame: Row,
        number: int,
        around: Inner | None,
        options: dict[str, Any],
        found: list[tuple[Row, Origin]],
        left: list[int],
    ) -> None:
        outside = around.context if around else None
        context = await self._world.enter(number, outside)
        at = await self._world.call("inset", number, context=outside)
        if context is None or at is None:
            return
        inner = Inner(context, around, number)
        seen = await self._world.call("observe", options, context=context)
        rows: list[tuple[Row, Origin]] = []
        await self._gather(seen["rows"], inner, options, rows, left)
        for row, origin in rows[1:]:  # the first is the document itself
            moved = list(row)  # once for each document around it
            moved[_DEPTH] += frame[_DEPTH]
            moved[_LEFT] += at["x"]
            moved[_TOP] += at["y"]
            found.append((moved, origin))

    async def _in_page(self, answer: Any, inner: Inner | None) -> Any:
        """What ``locate`` said, with the place in the page; what lies over the frames is found, too."""
        answer = dict(answer)
        while inner is not None and "x" in answer:
            outside = inner.around.context if inner.around else None
            at = await self._world.call("inset", inner.number, context=outside)
            if at is None:
                return {"problem": "stale"}
            answer["x"] += at["x"]
            answer["y"] += at["y"]
            cover = await self._world.call("over", inner.number, answer["x"], answer["y"], context=outside)
            inner = inner.around
            if cover:
                answer = {"problem": "covered", "by": cover}
        if cover := answer.get("by"):
            answer["by"] = self._words(cover, inner)
        return answer

    def _words(self, cover: dict[str, Any], inner: Inner | None) -> str:
        """What covers an element, with its number in the view."""
        if not cover["number"]:
            return str(cover["words"])
        origins = self._origins
        origin = (inner, cover["number"])
        if origins is None:
            return f"[{cover['number']}] {cover['words']}"
        return f"[{origins.index(origin) + 1}] {cover['words']}" if origin in origins else str(cover["words"])


def _in_sight(row: Row, width: float, height: float) -> bool:
    """Whether any of it is in the page's viewport."""
    left, top = row[_LEFT], row[_TOP]
    return bool(left < width and top < height and left + row[_WIDTH] > 0 and top + row[_HEIGHT] > 0)
