"""The original evaluators, each kind on each site that uses it, in a real browser: right runs score 1, wrong ones 0."""

import pytest
from stub_sites.playing import played
from stub_sites.task_lists import original, written

_SHOP, _ADMIN, _FORUM, _FORGE, _MAP = "__SHOPPING__", "__SHOPPING_ADMIN__", "__REDDIT__", "__GITLAB__", "__MAP__"
_STATUS = "document.querySelector('[name=\"product[status]\"').value"
_CONTACT = "document.querySelector('[title=\"What’s on your mind?\"').value"
_POST = "func:reddit_get_post_url('__last_url__')"
_ROLE = "func:gitlab_get_project_memeber_role(__page__, 'abisubramanya27')"

TASKS = {
    "shopping, string": original(1, ["shopping"], answers={"must_include": ["54.00"]}),
    "shopping, url": original(2, ["shopping"], url=f"{_SHOP}/catalogsearch/result/?q=lamp"),
    "shopping, whole last page": original(
        3, ["shopping"], pages=[("last", "", {"must_include": ["jaw bruxism", "mouth guard"]})]
    ),
    "shopping, expression": original(
        4,
        ["shopping"],
        pages=[
            (
                f"{_SHOP}/wishlist/",
                "document.querySelector('.products-grid.wishlist').outerText",
                {"must_include": ["Floor Lamp"]},
            )
        ],
    ),
    "shopping, newest order": original(
        5,
        ["shopping"],
        pages=[
            (
                "func:shopping_get_latest_order_url()",
                'document.querySelector(".order-details-items.ordered").outerText',
                {"must_include": ["B00J8RZL7I"]},
            )
        ],
    ),
    "shopping, newest review": original(
        6,
        ["shopping"],
        pages=[
            ("last", "func:shopping_get_sku_latest_review_rating('B00J8RZL7I')", {"must_include": ["100"]}),
            ("last", "func:shopping_get_sku_latest_review_author('B00J8RZL7I')", {"must_include": ["Emma Lopez"]}),
        ],
    ),
    "shopping, url and draft": original(
        7, ["shopping"], url=f"{_SHOP}/contact", pages=[("last", _CONTACT, {"must_include": ["refund", "180"]})]
    ),
    "shopping_admin, string": original(8, ["shopping_admin"], answers={"exact_match": "Quest Lumaflex™ Band"}),
    "shopping_admin, url": original(9, ["shopping_admin"], url=f"{_ADMIN}/customer/index/"),
    "shopping_admin, expression": original(
        10, ["shopping_admin"], pages=[(f"{_ADMIN}/catalog/product/edit/id/78/", _STATUS, {"exact_match": "2"})]
    ),
    "shopping_admin, url and filter": original(
        11,
        ["shopping_admin"],
        url=f"{_ADMIN}/sales/order/",
        pages=[
            (
                "last",
                'document.querySelector("div.admin__data-grid-filters-current").outerText',
                {"must_include": ["Suspected Fraud"]},
            )
        ],
    ),
    "reddit, expression": original(
        12,
        ["reddit"],
        pages=[
            (
                f"{_FORUM}/user/MarvelsGrantMan136",
                'document.querySelector(".user-bio__biography").outerText',
                {"exact_match": "I am a robot"},
            )
        ],
    ),
    "reddit, whole page": original(
        13,
        ["reddit"],
        start=f"{_FORUM}/f/gaming/1/post",
        pages=[(f"{_FORUM}/f/gaming/1/-", "", {"must_include": ["don't panic"]})],
    ),
    "reddit, url and post": original(
        14,
        ["reddit"],
        url=f"{_FORUM}/f/consoles",
        pages=[(_POST, "document.querySelector('.submission__inner').outerText", {"must_include": ["which console"]})],
    ),
    "reddit, string of one character": original(15, ["reddit"], answers={"must_include": ["2"]}),
    "gitlab, url": original(16, ["gitlab"], url=f"{_FORGE}/dashboard/todos"),
    "gitlab, role": original(
        17, ["gitlab"], pages=[(f"{_FORGE}/byteblaze/dotfiles/-/project_members", _ROLE, {"must_include": ["Guest"]})]
    ),
    "gitlab, string and url": original(
        18, ["gitlab"], answers={"exact_match": "open"}, url=f"{_FORGE}/byteblaze/dotfiles/-/issues/1"
    ),
    "gitlab, url and expression": original(
        19,
        ["gitlab"],
        url=f"{_FORGE}/byteblaze/dotfiles/-/issues",
        pages=[("last", 'document.querySelector("#content-body").outerText', {"must_include": ["Slow start"]})],
    ),
    "map, string": original(20, ["map"], answers={"must_include": ["13km"]}),
    "map, url": original(21, ["map"], url=f"{_MAP}/search?query=restaurants%20near%20CMU%20ArtPark%20Lab"),
    "map, expression": original(
        22,
        ["map"],
        pages=[
            ("last", 'document.querySelector("div#content select.routing_engines").selectedIndex', {"exact_match": "1"}),
            ("last", "document.querySelector('[name=\"route_to\"').value", {"must_include": ["Independence Hall"]}),
        ],
    ),
    "shopping and reddit": original(
        23,
        ["shopping", "reddit"],
        start=f"{_SHOP} |AND| {_FORUM}/submit",
        url=f"{_FORUM}/f/gaming",
        pages=[(_POST, "document.querySelector('.submission__body').outerText", {"must_include": ["$54.00"]})],
    ),
    "gitlab, impossible": original(24, ["gitlab"], answers={"fuzzy_match": "N/A"}, note="there is no such project"),
}
_REVIEW = ["click [link 'Floor Lamp']", "click [option '5 stars']"]
_POSTING = [
    "type [textbox 'Title'] [which console] [0]",
    "click [option 'consoles']",
    "click [button 'Create submission']",
    "stop []",
]
_DIRECTIONS = [
    "click [link 'Find directions between two points']",
    "click [option 'Car (OSRM)']",
    "type [textbox 'From'] [Pittsburgh] [0]",
    "type [textbox 'To'] [Independence Hall] [0]",
    "click [button 'Go']",
]
RIGHT = {
    "shopping, string": ["stop [It costs $54.00]"],
    "shopping, url": ["type [textbox 'Search'] [lamp] [1]", "stop []"],
    "shopping, whole last page": ["click [link 'Dental Night Guard']", "stop []"],
    "shopping, expression": ["click [link 'Floor Lamp']", "click [button 'Add to Wish List']", "stop []"],
    "shopping, newest order": ["click [link 'Floor Lamp']", "click [button 'Buy now']", "stop []"],
    "shopping, newest review": [
        *_REVIEW,
        "type [textbox 'Nickname'] [Emma Lopez] [0]",
        "click [button 'Submit Review']",
        "stop []",
    ],
    "shopping, url and draft": [
        "goto [http://onestopmarket.com/contact]",
        "type [textbox 'What\\'s on your mind?'] [A refund of 180, please] [0]",
        "stop []",
    ],
    "shopping_admin, string": ["click [link 'Bestsellers']", "stop [Quest Lumaflex™ Band]"],
    "shopping_admin, url": ["click [link 'All Customers']", "stop []"],
    "shopping_admin, expression": [
        "click [link 'Teton Pullover Hoodie']",
        "click [option 'Disabled']",
        "click [button 'Save']",
        "stop []",
    ],
    "shopping_admin, url and filter": [
        "click [link 'Orders']",
        "click [option 'Suspected Fraud']",
        "click [button 'Apply Filters']",
        "stop []",
    ],
    "reddit, expression": [
        "click [link 'MarvelsGrantMan136']",
        "click [link 'Edit biography']",
        "type [textbox 'Biography'] [I am a robot] [0]",
        "click [button 'Save']",
        "stop []",
    ],
    "reddit, whole page": ["type [textbox 'Comment'] [don't panic] [0]", "click [button 'Post']", "stop []"],
    "reddit, url and post": ["click [link 'Submit']", *_POSTING],
    "reddit, string of one character": ["stop [There are 2 of them]"],
    "gitlab, url": ["click [link 'To-Do List']", "stop []"],
    "gitlab, role": ["click [link 'Project members']", "click [button 'Invite']", "stop []"],
    "gitlab, string and url": ["click [link 'Issues']", "click [link 'Better contrast']", "stop [Open]"],
    "gitlab, url and expression": [
        "click [link 'New issue']",
        "type [textbox 'Title'] [Slow start] [0]",
        "click [button 'Create issue']",
        "stop []",
    ],
    "map, string": [*_DIRECTIONS, "stop [13km]"],
    "map, url": ["type [textbox 'Search'] [restaurants near CMU ArtPark Lab] [1]", "stop []"],
    "map, expression": [*_DIRECTIONS, "stop []"],
    "shopping and reddit": [
        "click [link 'Floor Lamp']",
        "tab_focus [1]",
        "type [textbox 'Title'] [a lamp] [0]",
        "type [textbox 'Body'] [it costs $54.00] [0]",
        "click [option 'gaming']",
        "click [button 'Create submission']",
        "stop []",
    ],
    "gitlab, impossible": ["stop [N/A]"],
}
WRONG = {
    "shopping, string": ["stop [It costs $19.99]"],
    "shopping, url": ["type [textbox 'Search'] [guard] [1]", "stop []"],
    "shopping, whole last page": ["click [link 'Floor Lamp']", "stop []"],
    "shopping, expression": ["click [link 'Dental Night Guard']", "click [button 'Add to Wish List']", "stop []"],
    "shopping, newest order": ["click [link 'Dental Night Guard']", "click [button 'Buy now']", "stop []"],
    "shopping, newest review": [
        *_REVIEW,
        "type [textbox 'Nickname'] [Emma] [0]",
        "click [button 'Submit Review']",
        "stop []",
    ],
    "shopping, url and draft": ["goto [http://onestopmarket.com/contact]", "stop []"],
    "shopping_admin, string": ["stop [Sprite Ball]"],
    "shopping_admin, url": ["click [link 'Orders']", "stop []"],
    "shopping_admin, expression": [
        "click [link 'Teton Pullover Hoodie']",
        "click [option 'Disabled']",
        "stop []",
    ],
    "shopping_admin, url and filter": ["click [link 'Orders']", "click [option 'Suspected Fraud']", "stop []"],
    "reddit, expression": [
        "click [link 'MarvelsGrantMan136']",
        "click [link 'Edit biography']",
        "type [textbox 'Biography'] [I am a freelancer] [0]",
        "click [button 'Save']",
        "stop []",
    ],
    "reddit, whole page": ["type [textbox 'Comment'] [don't panic] [0]", "stop []"],
    "reddit, url and post": [
        "click [link 'Submit']",
        "type [textbox 'Title'] [which console] [0]",
        "click [option 'gaming']",
        "click [button 'Create submission']",
        "stop []",
    ],
    "reddit, string of one character": ["stop [There are 12 of them]"],
    "gitlab, url": ["stop []"],
    "gitlab, role": [
        "click [link 'Project members']",
        "click [option 'Developer']",
        "click [button 'Invite']",
        "stop []",
    ],
    "gitlab, string and url": ["click [link 'Issues']", "click [link 'Broken link']", "stop [Open]"],
    "gitlab, url and expression": ["click [link 'Issues']", "stop []"],
    "map, string": [*_DIRECTIONS, "stop [12km]"],
    "map, url": ["type [textbox 'Search'] [restaurants] [1]", "stop []"],
    "map, expression": [line for line in _DIRECTIONS if "Car" not in line] + ["stop []"],
    "shopping and reddit": ["tab_focus [1]", *_POSTING],
    "gitlab, impossible": ["stop [14]"],
}
_QUICK = ("shopping, string", "gitlab, url", "reddit, expression", "map, expression")
CASES = [pytest.param(name, marks=[] if name in _QUICK else pytest.mark.slow) for name in TASKS]


@pytest.fixture
def world(make, tmp_path):
    return make(evaluators="original", task_file=written(tmp_path / "mine.json", list(TASKS.values())))


@pytest.mark.parametrize("name", CASES)
def test_right_runs_score_1_and_wrong_ones_0(world, sites, name):
    task = f"mine-{TASKS[name]['task_id']}"
    earned, info, _ = played(world, task, WRONG[name])
    assert (earned, info["score"], info["success"], world.running) == (0.0, 0.0, False, False)
    assert info["why_not"]
    for site in sites.values():
        site.state = site.initial()
    earned, info, _ = played(world, task, RIGHT[name])
    assert (earned, info["score"], info["success"], info["why_not"]) == (1.0, 1.0, True, [])
