"""Environments as a service: the wire protocol, the server, the client and the pool of servers."""
