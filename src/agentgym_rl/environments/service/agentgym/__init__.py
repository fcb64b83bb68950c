"""This package's worlds in the wire format that AgentGym publishes, for clients that speak it."""
