"""Pages on which things are found behind tabs, sections, branches and menus."""

from __future__ import annotations

from agentgym_rl.environments.web.browser import Element
from agentgym_rl.environments.web.miniwob.oracles.registry import Situation, oracle


def next_tab(now: Situation) -> Element | None:
    """The tab after the one that is open, or the first."""
    tabs = now.all("tab")
    at = [number for number, tab in enumerate(tabs) if tab.properties.get("expanded") or tab.properties.get("selected")]
    return tabs[(at[-1] + 1) % len(tabs) if at else 0] if tabs else None


@oracle("click-tab")
def click_tab(now: Situation) -> str | None:
    return now.click(now.find("tab", now.part(r"Click on (.*)\.")))


@oracle(
    "click-tab-2",
    "click-tab-2-easy",
    "click-tab-2-medium",
    "click-tab-2-hard",
    "click-collapsible-2",
    "click-collapsible-2-nodelay",
)
def behind_tabs(now: Situation) -> str | None:
    """The link where it shows, else the next tab or section."""
    return now.click(link(now, now.quoted[0]) or next_tab(now))


def link(now: Situation, name: str) -> Element | None:
    """Something to click of that name."""
    return next((one for one in now.elements if one.name == name and one.role in ("generic", "link")), None)


@oracle("click-link")
def click_link(now: Situation) -> str | None:
    return now.click(link(now, now.quoted[0]))


@oracle("click-collapsible", "click-collapsible-nodelay")
def click_collapsible(now: Situation) -> str | None:
    section = now.find("tab")
    if section is not None and not section.properties.get("expanded"):
        return now.click(section)
    return now.button("Submit")


@oracle("click-menu")
def click_menu(now: Situation) -> str | None:
    """Down the path that the goal names."""
    return down(now, now.part(r"Select (.*)").split(">"))


ICONS = {
    "disk": "Save",
    "seek-start": "Prev",
    "stop": "Stop",
    "play": "Play",
    "seek-end": "Next",
    "zoomin": "Zoom In",
    "zoomout": "Zoom Out",
}
"""What the items of the menu with these icons are called."""


@oracle("click-menu-2")
def click_menu_2(now: Situation) -> str | None:
    if not now.all("menuitem"):
        return now.button("Menu")
    name = now.quoted[-1] if len(now.quoted) > 1 else ICONS[now.part(r"icon-(\S+)$")]
    return down(now, [name] if now.find("menuitem", name) else ["Playback", name])


def down(now: Situation, path: list[str]) -> str | None:
    """Clicks the last item of a path of menus where it shows; else the mouse opens the deepest one that shows."""
    for name in reversed(path):
        if item := now.find("menuitem", name):
            return now.click(item) if name == path[-1] else f"hover [{item.id}]"
    return None


@oracle("navigate-tree")
def navigate_tree(now: Situation) -> str | None:
    """The item where it shows, else the first folder that is still closed."""
    item = next((one for one in now.elements if one.name == now.quoted[0]), None)
    closed = next((one for one in now.elements if "expandable-hitarea" in one.name.split()), None)
    return now.click(item or closed)
