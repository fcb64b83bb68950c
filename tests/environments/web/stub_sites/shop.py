"""A shop with Magento's addresses: search, articles, wish list, orders, reviews, a contact form, its REST interface."""

from __future__ import annotations

import html
import json
from typing import Any, ClassVar
from urllib.parse import quote

from .server import Request, Response
from .site import Site, route

_ADMINISTRATOR = {"username": "admin", "password": "admin1234"}
_ROOTS = "Hawaiian Bamboo Orchid Roots #zc50 - by Discount Hawaiian Gifts"
_TOKEN = "administrators-token"


class Shop(Site):
    name = "shopping"
    title = "One Stop Market"
    accounts: ClassVar[dict[str, str]] = {"emma.lopez@gmail.com": "Password.123"}
    login = "/customer/account/login/"
    fields = ("login[username]", "login[password]")
    open_paths = r"(?!/customer/account/$|/wishlist|/sales)"

    def initial(self) -> dict[str, Any]:
        return {
            "articles": {
                "101": {"sku": "B101", "page": "dental-night-guard", "name": "Dental Night Guard", "price": "$19.99"},
                "73063": {"sku": "B00J8RZL7I", "page": "floor-lamp", "name": "Floor Lamp", "price": "$54.00"},
                "22787": {"sku": "B103", "page": "orchid-roots", "name": _ROOTS, "price": "$7.50"},
                "104": {"sku": "B104", "page": "laundry-detergent", "name": "Tide Laundry Detergent", "price": "$11.00"},
            },
            "wishes": [],
            "orders": [],
            "reviews": {},
            "messages": [],
        }

    @route("GET", "/")
    def home(self, _request: Request) -> Response:
        return self.page(self.title, self._search_form() + self._list(self.state["articles"]))

    @route("GET", "/customer/account/login")
    def health(self, _request: Request) -> Response:
        return self.login_page()

    @route("GET", "/customer/account/")
    def account(self, request: Request) -> Response:
        return self.page("My Account", f"<h1>My Account</h1><p>{self.user(request)}</p>")

    @route("GET", "/catalogsearch/result/?")
    def search(self, request: Request) -> Response:
        wanted = request.query.get("q", "").lower()
        found = {id: one for id, one in self.state["articles"].items() if wanted in one["name"].lower()}
        return self.page(f"Search results for: '{wanted}'", self._search_form() + self._list(found))

    @route("GET", r"/(?P<page>[a-z-]+)\.html")
    def article(self, _request: Request, page: str) -> Response:
        id, one = next((id, one) for id, one in self.state["articles"].items() if one["page"] == page)
        buttons = self.form("/wishlist/index/add/", f'<input type="hidden" name="product" value="{id}">', "Add to Wish List")
        buttons += self.form(f"/checkout/order/product/{id}/", "", "Buy now")
        stars = "".join(f'<option value="{15 + number}">{number} stars</option>' for number in range(1, 6))
        review = f'<label>Rating <select name="ratings[4]">{stars}</select></label>'
        review += '<label>Nickname <input name="nickname"></label><label>Summary <input name="title"></label>'
        review += '<label>Review <textarea name="detail"></textarea></label>'
        buttons += self.form(f"/review/product/post/id/{id}/", review, "Submit Review")
        text = "<p>Helps with jaw bruxism: a mouth guard for the night.</p>" if id == "101" else ""
        return self.page(one["name"], f"<h1>{one['name']}</h1><p>{one['price']}</p><p>SKU {one['sku']}</p>{text}{buttons}")

    @route("POST", "/wishlist/index/add/")
    def wish(self, request: Request) -> Response:
        id = request.form["product"]
        self.state["wishes"].append(id)
        said = f"{self.state['articles'][id]['name']} has been added to your wish list."
        return self.to("/wishlist/", 302, ("Set-Cookie", f"mage-messages={quote(said)}; Path=/"))

    @route("GET", "/wishlist/")
    def wishes(self, _request: Request) -> Response:
        names = [self.state["articles"][id]["name"] for id in self.state["wishes"]]
        shown = "".join(f"<li>{name}</li>" for name in names) or "<li>nothing yet</li>"
        return self.page("My Wish List", f'<h1>My Wish List</h1><ol class="products-grid wishlist">{shown}</ol>')

    @route("POST", r"/checkout/order/product/(?P<id>\d+)/")
    def buy(self, _request: Request, id: str) -> Response:
        self.state["orders"].append(id)
        return self.to("/checkout/onepage/success/")

    @route("GET", "/checkout/onepage/success/")
    def bought(self, _request: Request) -> Response:
        return self.page("Thank you", "<h1>Thank you for your purchase!</h1>")

    @route("GET", "/sales/order/history/")
    def history(self, _request: Request) -> Response:
        return self.page("My Orders", "<h1>My Orders</h1>" + "".join(f"<p>{id}</p>" for id in self.state["orders"]))

    @route("GET", r"/sales/order/view/order_id/(?P<number>\d+)/")
    def order(self, _request: Request, number: str) -> Response:
        article = self.state["articles"][self.state["orders"][int(number) - 1]]
        body = f'<h1>Order {number}</h1><div class="order-details-items ordered">{article["name"]} {article["sku"]}</div>'
        return self.page(f"Order {number}", body)

    @route("POST", r"/review/product/post/id/(?P<id>\d+)/")
    def review(self, request: Request, id: str) -> Response:
        sku = self.state["articles"][id]["sku"]
        percent = 20 * (int(request.form["ratings[4]"]) - 15)
        written = {"nickname": request.form["nickname"], "ratings": [{"percent": percent}], "detail": request.form["detail"]}
        self.state["reviews"].setdefault(sku, []).append(written)
        return self.to("/")

    @route("GET", "/contact/?")
    def contact(self, request: Request) -> Response:
        user = html.escape(self.user(request) or "")
        body = (
            f'<label>Name <input name="name" value="Emma Lopez"></label><label>Email <input name="email" value="{user}"></label>'
            '<label>What\'s on your mind? <textarea name="comment" title="What’s on your mind?"></textarea></label>'
            '<input type="password" name="secret" value="hidden" style="display:none">'
        )
        form = self.form("/contact/index/post/", body, "Submit", attributes='id="contact-form"')
        return self.page("Contact Us", f"<h1>Contact Us</h1>{form}")

    @route("POST", "/contact/index/post/")
    def contacted(self, request: Request) -> Response:
        self.state["messages"].append(request.form["comment"])
        return self.to("/contact/")

    @route("POST", "/rest/default/V1/integration/admin/token")
    def token(self, request: Request) -> Response:
        if json.loads(request.body) != _ADMINISTRATOR:
            return Response("{}", 401, kind="application/json")
        return _json(_TOKEN)

    @route("GET", "/rest/V1/orders")
    def newest_order(self, request: Request) -> Response:
        if request.headers.get("authorization") != f"Bearer {_TOKEN}":
            return Response("{}", 401, kind="application/json")
        count = len(self.state["orders"])
        return _json({"items": [{"increment_id": f"{count:09}"}] if count else []})

    @route("GET", "/rest/V1/products/(?P<sku>[^/]+)/reviews")
    def reviews(self, _request: Request, sku: str) -> Response:
        return _json(self.state["reviews"].get(sku, []))

    def _search_form(self) -> str:
        return '<form action="/catalogsearch/result/"><label>Search <input name="q"></label><button>Search</button></form>'

    def _list(self, articles: dict[str, Any]) -> str:
        return "".join(f'<p><a href="/{one["page"]}.html">{one["name"]}</a> {one["price"]}</p>' for one in articles.values())


def _json(value: Any) -> Response:
    return Response(json.dumps(value), kind="application/json")
