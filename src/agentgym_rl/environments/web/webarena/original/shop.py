"""What the shop's own interface (Magento REST) knows that no page shows: the latest order, the latest review."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote, urlencode

from agentgym_rl.environments.errors import EnvironmentFault
from agentgym_rl.environments.web.webarena.accounts import Account
from agentgym_rl.environments.web.webarena.http import Unreachable, ask
from agentgym_rl.environments.web.webarena.original.functions import Call

_LATEST = urlencode(
    {
        "searchCriteria[sortOrders][0][field]": "created_at",
        "searchCriteria[sortOrders][0][direction]": "DESC",
        "searchCriteria[pageSize]": "1",
    }
)


class Shop:
    """The shopping site at ``url``, asked as its administrator.

    Raises (each method):
        EnvironmentFault: the site does not answer, or refuses the administrator.
    """

    def __init__(self, url: str, administrator: Account) -> None:
        self._url = url
        self._administrator = administrator

    def latest_order_address(self) -> str:
        """The page of the newest order; the list of orders where there is none."""
        orders = self._get(f"orders?{_LATEST}").get("items") or []
        if not orders:
            return f"{self._url}/sales/order/history/"
        return f"{self._url}/sales/order/view/order_id/{int(orders[0]['increment_id'])}/"

    def read(self, call: Call) -> str:
        """The author or the rating of the newest review of an article; empty where it has none."""
        reviews = self._get(f"products/{quote(call.arguments[0], safe='')}/reviews")
        if not reviews:
            return ""
        if call.name == "shopping_get_sku_latest_review_author":
            return str(reviews[-1]["nickname"])
        return str(reviews[-1]["ratings"][0]["percent"])

    def _get(self, path: str) -> Any:
        return self._ask(f"rest/V1/{path}", headers={"Authorization": f"Bearer {self._token()}"})

    def _token(self) -> str:
        account = {"username": self._administrator.username, "password": self._administrator.password}
        return str(self._ask("rest/default/V1/integration/admin/token", body=account))

    def _ask(self, path: str, **request: Any) -> Any:
        try:
            return json.loads(ask(f"{self._url}/{path}", **request))
        except Unreachable as error:
            raise EnvironmentFault(f"webarena: shopping at {self._url}: {path.partition('?')[0]}: {error}") from error
        except ValueError as error:
            raise EnvironmentFault(f"webarena: shopping at {self._url}: {path.partition('?')[0]} gives no JSON") from error
