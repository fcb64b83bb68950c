"""A forum with Postmill's addresses: forums, submissions, comments, profiles."""

from __future__ import annotations

import html
from typing import Any, ClassVar

from .server import Request, Response
from .site import Site, route

_FORUMS = {"10039": "consoles", "10048": "gaming", "10050": "space"}
_MOON = "the-moon-saturn-and-jupiter-through-my-4-telescope-and"


class Forum(Site):
    name = "reddit"
    title = "Forum"
    accounts: ClassVar[dict[str, str]] = {"MarvelsGrantMan136": "test1234"}
    login = "/login"
    fields = ("_username", "_password")
    open_paths = r"/$|/f/\w+(/\d+/.*)?$|/forums$|/user/\w+$"

    def initial(self) -> dict[str, Any]:
        return {
            "posts": {
                1: {"forum": "gaming", "title": "A post about games", "body": "", "comments": ["first", "second"]},
                69581: {"forum": "space", "title": "The moon, Saturn and Jupiter", "body": "", "comments": []},
            },
            "biography": "nothing yet",
            "subscriptions": [],
        }

    @route("GET", "/")
    def home(self, request: Request) -> Response:
        name = self.user(request)
        mine = f'<p><a href="/user/{name}">{name}</a></p><p><a href="/submit">Submit</a></p>' if name else ""
        return self.page(self.title, f'<h1>Forum</h1>{mine}<p><a href="/forums">Forums</a></p>')

    @route("GET", "/forums")
    def forums(self, _request: Request) -> Response:
        return self.page("Forums", "".join(f'<p><a href="/f/{name}">{name}</a></p>' for name in _FORUMS.values()))

    @route("GET", r"/f/(?P<forum>\w+)")
    def forum(self, _request: Request, forum: str) -> Response:
        posts = [(id, post) for id, post in self.state["posts"].items() if post["forum"] == forum]
        listed = "".join(f'<p><a href="{_path(id, post)}">{html.escape(post["title"])}</a></p>' for id, post in posts)
        return self.page(forum, f"<h1>{forum}</h1>{listed}")

    @route("GET", r"/f/\w+/(?P<id>\d+)(/.*)?")
    def post(self, _request: Request, id: str) -> Response:
        post = self.state["posts"][int(id)]
        comments = "".join(f"<p>{html.escape(text)}</p>" for text in post["comments"])
        body = (
            '<article class="submission__inner">'
            f'<h1 class="submission__title">{html.escape(post["title"])}</h1>'
            f'<div class="submission__body">{html.escape(post["body"])}</div></article>'
            f"<section>{comments}</section>"
        )
        reply = self.form(f"/comment/{id}", '<label>Comment <textarea name="comment"></textarea></label>', "Post")
        script = f"""
          document.querySelector("#subscribe").onclick = async (event) => {{
            const answer = await fetch("/f/{post["forum"]}/subscribe.json", {{method: "POST"}});
            if ((await answer.json()).subscribed) event.target.innerText = "Unsubscribe";
          }};
        """
        return self.page(post["title"], f'{body}<button id="subscribe">Subscribe</button>{reply}', script=script)

    @route("POST", r"/f/(?P<forum>\w+)/subscribe\.json")
    def subscribe(self, _request: Request, forum: str) -> Response:
        self.state["subscriptions"].append(forum)
        return Response('{"subscribed": true}', kind="application/json")

    @route("POST", r"/comment/(?P<id>\d+)")
    def comment(self, request: Request, id: str) -> Response:
        post = self.state["posts"][int(id)]
        post["comments"].append(request.form["comment"])
        return self.to(_path(int(id), post))

    @route("GET", r"/submit(/\w+)?")
    def write(self, _request: Request) -> Response:
        forums = "".join(f'<option value="{id}">{name}</option>' for id, name in _FORUMS.items())
        fields = (
            '<label>Title <textarea name="submission[title]"></textarea></label>'
            '<label>Body <textarea name="submission[body]"></textarea></label>'
            f'<label>Forum <select name="submission[forum]">{forums}</select></label>'
        )
        return self.page("Create submission", self.form("/submit", fields, "Create submission"))

    @route("POST", "/submit")
    def submit(self, request: Request) -> Response:
        forum, id = _FORUMS[request.form["submission[forum]"]], max(self.state["posts"]) + 1
        title, text = request.form["submission[title]"], request.form["submission[body]"]
        self.state["posts"][id] = {"forum": forum, "title": title, "body": text, "comments": []}
        return self.to(f"/f/{forum}/{id}/post")

    @route("GET", r"/user/(?P<name>\w+)")
    def profile(self, _request: Request, name: str) -> Response:
        text = html.escape(self.state["biography"])
        body = f'<h1>{name}</h1><p class="user-bio__biography">{text}</p><a href="/user/{name}/edit_biography">Edit biography</a>'
        return self.page(name, body)

    @route("GET", r"/user/(?P<name>\w+)/account")
    def account(self, _request: Request, name: str) -> Response:
        return self.page("Account", f"<h1>Account of {name}</h1>")

    @route("GET", r"/user/(?P<name>\w+)/edit_biography")
    def edit_biography(self, _request: Request, name: str) -> Response:
        fields = '<label>Biography <textarea name="user_biography[biography]"></textarea></label>'
        return self.page("Edit biography", self.form(f"/user/{name}/edit_biography", fields, "Save"))

    @route("POST", r"/user/(?P<name>\w+)/edit_biography")
    def save_biography(self, request: Request, name: str) -> Response:
        self.state["biography"] = request.form["user_biography[biography]"]
        return self.to(f"/user/{name}")


def _path(id: int, post: dict[str, Any]) -> str:
    return f"/f/{post['forum']}/{id}/{_MOON if id == 69581 else 'post'}"
