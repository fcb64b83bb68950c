"""The client: worlds on servers, in the synchronous and the asynchronous form, and pools of servers."""
