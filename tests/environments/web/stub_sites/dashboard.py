"""The shop's dashboard with Magento's addresses: best sellers, customers, articles to edit, an order grid that loads its rows."""

from __future__ import annotations

import json
from typing import Any, ClassVar

from .server import Request, Response
from .site import Site, route

_STATUSES = {"1": "Enabled", "2": "Disabled"}


class Dashboard(Site):
    name = "shopping_admin"
    title = "Luma admin"
    base = "/admin"
    accounts: ClassVar[dict[str, str]] = {"admin": "admin1234"}
    login = "/"
    fields = ("login[username]", "login[password]")

    def initial(self) -> dict[str, Any]:
        return {
            "articles": {"78": {"name": "Teton Pullover Hoodie", "status": "1", "price": "70.00"}},
            "orders": [("000000299", "Suspected Fraud"), ("000000300", "Pending")],
        }

    def refused(self) -> Response:
        """Magento shows the form in place of the page."""
        return self.login_page()

    @route("GET", "/(dashboard/?)?")
    def dashboard(self, request: Request) -> Response:
        if self.user(request) is None:
            return self.login_page()
        links = {
            "Bestsellers": "/reports/report_sales/bestsellers/",
            "All Customers": "/customer/index/",
            "Orders": "/sales/order/",
            "Sales report": "/reports/report_sales/sales/",
            "Teton Pullover Hoodie": "/catalog/product/edit/id/78/",
        }
        listed = "".join(f'<p><a href="{self.base}{path}">{name}</a></p>' for name, path in links.items())
        return self.page("Dashboard", f"<h1>Dashboard</h1>{listed}")

    @route("GET", "/reports/report_sales/bestsellers/")
    def best_sellers(self, _request: Request) -> Response:
        rows = "<tr><td>2022</td><td>Quest Lumaflex™ Band</td><td>5</td></tr><tr><td>2022</td><td>Sprite Ball</td><td>3</td></tr>"
        return self.page("Bestsellers Report", f"<h1>Bestsellers Report</h1><table>{rows}</table>")

    @route("GET", r"/reports/report_sales/sales/(filter/.*)?")
    def sales(self, _request: Request) -> Response:
        body = (
            '<h1>Sales Report</h1><label>From <input id="from"></label><label>To <input id="to"></label>'
            '<button id="show">Show Report</button>'
        )
        script = """
          document.querySelector("#show").onclick = () => {
            const [from, to] = ["from", "to"].map(id => document.getElementById(id).value);
            const query = new URLSearchParams({report_type: "created_at_order", from, to});
            location.href = "/admin/reports/report_sales/sales/filter/" + btoa(query) + "/";
          };
        """
        return self.page("Sales Report", body, script=script)

    @route("GET", "/customer/index/")
    def customers(self, _request: Request) -> Response:
        return self.page("Customers", "<h1>Customers</h1><p>Emma Lopez</p>")

    @route("GET", r"/catalog/product/edit/id/(?P<id>\d+)/")
    def edit(self, _request: Request, id: str) -> Response:
        one = self.state["articles"][id]
        options = "".join(
            f'<option value="{value}"{" selected" if value == one["status"] else ""}>{name}</option>'
            for value, name in _STATUSES.items()
        )
        fields = (
            f'<label>Enable Product <select name="product[status]">{options}</select></label>'
            f'<label>Price <input name="product[price]" value="{one["price"]}"></label>'
        )
        path = f"/catalog/product/save/id/{id}/type/configurable/store/0/set/9/back/edit"
        return self.page(one["name"], f"<h1>{one['name']}</h1>{self.form(path, fields, 'Save')}")

    @route("POST", r"/catalog/product/save/id/(?P<id>\d+)/type/configurable/store/0/set/9/back/edit")
    def save(self, request: Request, id: str) -> Response:
        one = self.state["articles"][id]
        one.update(status=request.form["product[status]"], price=request.form["product[price]"])
        return self.to(f"/catalog/product/edit/id/{id}/")

    @route("GET", "/sales/order/")
    def orders(self, _request: Request) -> Response:
        body = (
            '<h1>Orders</h1><label>Status <select id="status"><option value="">Any</option><option value="fraud">Suspected Fraud'
            '</option></select></label><button id="apply">Apply Filters</button>'
            '<div class="admin__data-grid-filters-current"></div><div id="rows"></div>'
        )
        script = """
          const load = async () => {
            const status = document.querySelector("#status");
            const query = new URLSearchParams({namespace: "sales_order_grid", search: "", "filters[placeholder]": "true",
              keywordUpdated: "false", isAjax: "true"});
            if (status.value) query.set("filters[status]", status.value);
            const answer = await fetch("/admin/mui/index/render/?" + query);
            const rows = (await answer.json()).items;
            document.querySelector("#rows").innerText = rows.map(row => row.join(" ")).join("\\n");
            document.querySelector(".admin__data-grid-filters-current").innerText =
              status.value ? "Status: " + status.selectedOptions[0].text : "";
          };
          document.querySelector("#apply").onclick = load;
          load();
        """
        return self.page("Orders", body, script=script)

    @route("GET", "/mui/index/render/")
    def rows(self, request: Request) -> Response:
        wanted = "Suspected Fraud" if request.query.get("filters[status]") == "fraud" else ""
        found = [order for order in self.state["orders"] if wanted in order[1]]
        return Response(json.dumps({"items": found}), kind="application/json")
