"""The bridge to a Java process, over a single connection that sends without delay."""

from __future__ import annotations

from collections import deque
from typing import Any


def bridge(port: int, key: str, timeout: float) -> Any:
    """A py4j gateway to the Java process that listens at ``port`` and knows ``key``; a call waits ``timeout`` seconds.

    Two things differ from py4j's own. Java writes long answers in pieces and by default holds a piece back until the one
    before is acknowledged, 40 ms later: most of the time that listing the admissible actions would take. And Java objects
    that Python has dropped are let go of between calls, by :meth:`let_go`, where py4j does so in the middle of others.
    """
    from py4j.java_gateway import GatewayClient, GatewayParameters, JavaGateway

    class Client(GatewayClient):
        def __init__(self, parameters: GatewayParameters) -> None:
            super().__init__(gateway_parameters=parameters)  # type: ignore[no-untyped-call]
            self.dropped: deque[str] = deque()

        def _should_retry(self, retry: bool, connection: Any, error: Any = None) -> bool:  # noqa: ARG002 - py4j's signature
            raise error  # py4j would send the action again, or log this and lose the cause

        def garbage_collect_object(self, target_id: str, **_: Any) -> None:
            self.dropped.append(target_id)

    class Gateway(JavaGateway):
        def __init__(self, parameters: GatewayParameters) -> None:
            super().__init__(gateway_parameters=parameters)  # type: ignore[no-untyped-call]

        def _create_gateway_client(self) -> Client:
            return Client(self.gateway_parameters)

        def let_go(self) -> None:
            """Has Java forget the objects that Python has dropped."""
            client = self._gateway_client
            while client.dropped:
                GatewayClient.garbage_collect_object(client, client.dropped.popleft())

    gateway: Any = Gateway(GatewayParameters(port=port, auth_token=key, auto_convert=False, read_timeout=timeout))
    server = gateway.java_gateway_server
    for connection in _field(gateway, server, "py4j.GatewayServer", "connections").toArray():
        _field(gateway, connection, "py4j.GatewayConnection", "socket").setTcpNoDelay(True)
    return gateway


def _field(gateway: Any, thing: Any, of: str, name: str) -> Any:
    field = gateway.jvm.java.lang.Class.forName(of).getDeclaredField(name)
    field.setAccessible(True)
    return field.get(thing)
