"""``agentgym:NAME``: worlds on the servers that AgentGym publishes (https://github.com/WooooDyy/AgentGym)."""
