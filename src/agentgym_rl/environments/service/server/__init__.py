"""The server: environments, sessions, routes, guards."""
