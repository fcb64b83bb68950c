"""Tasks of the published re-audited list on the stub sites, scored by webarena-verified itself: right runs 1, wrong ones 0."""

import pytest
from stub_sites.playing import played

pytestmark = pytest.mark.slow

_CONTACT = "goto [http://onestopmarket.com/contact/]"
_REFUND = "I need a refund. Order: 000000180. Amount: 12.99. Reason: It broke after three days of use."
_DRAFT = f"type [textbox 'What\\'s on your mind?'] [{_REFUND}] [0]"
_BIO = ["click [link 'MarvelsGrantMan136']", "click [link 'Edit biography']"]
_REVIEW = ["click [link 'Floor Lamp']", "click [option '5 stars']", "type [textbox 'Nickname'] [Emma Lopez] [0]"]
_ASK = "type [textbox 'Title'] [what is the recommended console to buy these days?] [0]"
_MOON = ["goto [http://reddit.com/f/space]", "click [link 'The moon, Saturn and Jupiter']"]
_REPORT = ["click [link 'Sales report']", "type [textbox 'From'] [02/01/2023] [0]"]

RUNS = {
    "0: an answer": (
        ["click [link 'Bestsellers']", "stop [Quest Lumaflex™ Band]"],
        ["click [link 'Bestsellers']", "stop [Sprite Ball]"],
    ),
    "44: a page opened": (["click [link 'To-Do List']", "stop []"], ["stop []"]),
    "157: a page gone to": (
        ["goto [http://luma.com/admin/customer/index/]", "stop []"],
        ["click [link 'Orders']", "stop []"],
    ),
    "399: any request of the episode": (
        [
            *_BIO,
            "type [textbox 'Biography'] [I am a robot] [0]",
            "click [button 'Save']",
            "goto [http://reddit.com]",
            "stop []",
        ],
        [*_BIO, "type [textbox 'Biography'] [I am human] [0]", "click [button 'Save']", "stop []"],
    ),
    "377: query parameters": (
        ["type [textbox 'Search'] [restaurants near CMU ArtPark Lab] [1]", "stop []"],
        ["type [textbox 'Search'] [restaurants near CMU] [1]", "stop []"],
    ),
    "453: an address by a pattern": (
        ["click [link 'Teton Pullover Hoodie']", "click [option 'Disabled']", "click [button 'Save']", "stop []"],
        ["click [link 'Teton Pullover Hoodie']", "click [button 'Save']", "stop []"],
    ),
    "481: data in JSON": (
        ["click [link 'Project members']", "click [button 'Invite']", "stop []"],
        ["click [link 'Project members']", "click [option 'Developer']", "click [button 'Invite']", "stop []"],
    ),
    "466: a form sent": (
        [
            "click [link 'Hawaiian Bamboo Orchid Roots #zc50 - by Discount Hawaiian Gifts']",
            "click [button 'Add to Wish List']",
            "stop []",
        ],
        ["click [link 'Floor Lamp']", "click [button 'Add to Wish List']", "stop []"],
    ),
    "511: cookies of an answer": (
        ["click [link 'Tide Laundry Detergent']", "click [button 'Add to Wish List']", "stop []"],
        ["click [link 'Floor Lamp']", "click [button 'Add to Wish List']", "stop []"],
    ),
    "528: a form not sent": ([_CONTACT, _DRAFT, "stop []"], [_CONTACT, _DRAFT, "click [button 'Submit']", "stop []"]),
    "585: several fields": (
        [
            *_REVIEW,
            "type [textbox 'Summary'] [Good purchase] [0]",
            "type [textbox 'Review'] [I like it] [0]",
            "click [button 'Submit Review']",
            "stop []",
        ],
        [*_REVIEW, "click [button 'Submit Review']", "stop []"],
    ),
    "595: headers and content of an answer": (
        [*_MOON, "click [button 'Subscribe']", "stop []"],
        [*_MOON, "stop []"],
    ),
    "600: one of two addresses": (
        ["click [link 'Submit']", _ASK, "click [option 'consoles']", "click [button 'Create submission']", "stop []"],
        ["click [link 'Submit']", _ASK, "click [option 'gaming']", "click [button 'Create submission']", "stop []"],
    ),
    "533: two requests": (
        [
            "click [link 'convexegg']",
            "click [button 'Follow']",
            "goto [http://gitlab.com/yjlou]",
            "click [button 'Follow']",
            "stop []",
        ],
        ["click [link 'convexegg']", "click [button 'Follow']", "stop []"],
    ),
    "704: parameters in Base64": (
        [*_REPORT, "type [textbox 'To'] [02/28/2023] [0]", "click [button 'Show Report']", "stop []"],
        [*_REPORT, "type [textbox 'To'] [03/15/2023] [0]", "click [button 'Show Report']", "stop []"],
    ),
    "118: the last page": (
        ["click [link 'Dental Night Guard']", "stop []"],
        ["click [link 'Dental Night Guard']", "goto [http://onestopmarket.com/floor-lamp.html]", "stop []"],
    ),
    "22: nothing found": (["stop [NOT_FOUND_ERROR]"], ["stop [Rita]"]),
    "805: not allowed": (["stop [ACTION_NOT_ALLOWED_ERROR]"], ["stop []"]),
    "7: a list of objects": (
        ['stop [[{"name": "Pittsburgh International Airport", "state": "Pennsylvania", "postcode": "15231"}]]'],
        ["stop [Pittsburgh International Airport]"],
    ),
}


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.usefixtures("package")
def test_right_runs_score_1_and_wrong_ones_0(make, sites, name):
    task = f"verified-{name.partition(':')[0]}"
    right, wrong = RUNS[name]
    world = make()
    earned, info, _ = played(world, task, wrong)
    assert (earned, info["score"], info["success"]) == (0.0, 0.0, False)
    for site in sites.values():
        site.state = site.initial()
    earned, info, _ = played(world, task, right)
    assert (earned, info["success"]) == (1.0, True), info["why_not"]
