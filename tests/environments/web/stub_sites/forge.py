"""A code forge with GitLab's addresses: to-dos, a project, its members, its issues."""

from __future__ import annotations

import html
import json
from typing import Any, ClassVar

from .server import Request, Response
from .site import Site, route

_ROLES = {"10": "Guest", "30": "Developer"}
_ACCOUNTS = {"5": "abisubramanya27"}


class Forge(Site):
    name = "gitlab"
    title = "GitLab"
    accounts: ClassVar[dict[str, str]] = {"byteblaze": "hello1234"}
    login = "/users/sign_in"
    fields = ("user[login]", "user[password]")

    def initial(self) -> dict[str, Any]:
        return {"members": {"byteblaze": "Owner"}, "issues": ["Better contrast", "Broken link"], "followed": []}

    @route("GET", "/")
    def home(self, _request: Request) -> Response:
        links = {
            "To-Do List": "/dashboard/todos",
            "Project members": "/byteblaze/dotfiles/-/project_members",
            "Issues": "/byteblaze/dotfiles/-/issues",
            "New issue": "/byteblaze/dotfiles/-/issues/new",
            "convexegg": "/convexegg",
            "yjlou": "/yjlou",
        }
        listed = "".join(f'<p><a href="{path}">{name}</a></p>' for name, path in links.items())
        return self.page("Projects", f"<h1>Projects</h1><p>Stars: 14</p>{listed}")

    @route("GET", "/-/profile")
    def profile(self, request: Request) -> Response:
        return self.page("Edit Profile", f"<h1>{self.user(request)}</h1>")

    @route("GET", "/dashboard/todos")
    def todos(self, _request: Request) -> Response:
        return self.page("To-Do List", "<h1>To-Do List</h1><p>Review a merge request</p>")

    @route("GET", "/byteblaze/dotfiles/-/project_members")
    def members(self, _request: Request) -> Response:
        rows = "".join(
            f'<tr><td data-label="Account"><span class="gl-avatar-labeled-sublabel">@{name}</span></td>'
            f'<td class="col-max-role"><span>{role}</span></td></tr>'
            for name, role in self.state["members"].items()
        )
        people = "".join(f'<option value="{id}">{name}</option>' for id, name in _ACCOUNTS.items())
        roles = "".join(f'<option value="{level}">{name}</option>' for level, name in _ROLES.items())
        body = (
            f"<h1>Members</h1><table>{rows}</table>"
            f'<label>Person <select id="person">{people}</select></label><label>Role <select id="role">{roles}</select></label>'
            '<button id="invite">Invite</button>'
        )
        script = """
          document.querySelector("#invite").onclick = async () => {
            const [user_id, access_level] = ["person", "role"].map(id => Number(document.getElementById(id).value));
            await fetch("/api/v4/projects/193/members", {method: "POST", headers: {"Content-Type": "application/json"},
              body: JSON.stringify({user_id, access_level})});
            location.reload();
          };
        """
        return self.page("Members", body, script=script)

    @route("POST", "/api/v4/projects/193/members")
    def invite(self, request: Request) -> Response:
        asked = json.loads(request.body)
        self.state["members"][_ACCOUNTS[str(asked["user_id"])]] = _ROLES[str(asked["access_level"])]
        return Response('{"status": "success"}', 201, kind="application/json")

    @route("GET", "/(?P<name>convexegg|yjlou)")
    def person(self, _request: Request, name: str) -> Response:
        return self.page(name, f"<h1>{name}</h1>{self.form(f'/users/{name}/follow.json', '', 'Follow')}")

    @route("POST", r"/users/(?P<name>\w+)/follow\.json")
    def follow(self, _request: Request, name: str) -> Response:
        self.state["followed"].append(name)
        return self.to(f"/{name}")

    @route("GET", "/byteblaze/dotfiles/-/issues")
    def issues(self, _request: Request) -> Response:
        titles = enumerate(self.state["issues"], 1)
        listed = "".join(
            f'<p><a href="/byteblaze/dotfiles/-/issues/{id}">{html.escape(title)}</a></p>' for id, title in titles
        )
        return self.page("Issues", f"<h1>Issues</h1>{listed}")

    @route("GET", "/byteblaze/dotfiles/-/issues/new")
    def new_issue(self, _request: Request) -> Response:
        fields = '<label>Title <input name="issue[title]"></label>'
        return self.page("New issue", self.form("/byteblaze/dotfiles/-/issues", fields, "Create issue"))

    @route("POST", "/byteblaze/dotfiles/-/issues")
    def create_issue(self, request: Request) -> Response:
        self.state["issues"].append(request.form["issue[title]"])
        return self.to(f"/byteblaze/dotfiles/-/issues/{len(self.state['issues'])}")

    @route("GET", r"/byteblaze/dotfiles/-/issues/(?P<number>\d+)")
    def issue(self, _request: Request, number: str) -> Response:
        title = html.escape(self.state["issues"][int(number) - 1])
        return self.page(title, f'<div id="content-body"><h1>{title}</h1><p>Open</p></div>')
