"""What a server counts, in Prometheus' text format, and what it logs."""

from __future__ import annotations

import logging

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from agentgym_rl.environments.service.protocol.problem import Code

log = logging.getLogger("agentgym_rl.service")

SECONDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0)


class Metrics:
    """A registry of its own, so that several servers in a process don't mix."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._open = Gauge("agentgym_sessions", "Open sessions", registry=self._registry)
        self._acted = Counter(
            "agentgym_acts", "Resets and steps carried out", ["environment", "act"], registry=self._registry
        )
        self._faults = Counter("agentgym_faults", "Faults of worlds", ["environment", "code"], registry=self._registry)
        self._expired = Counter(
            "agentgym_expired_sessions",
            "Sessions closed at the end of their lease",
            ["environment"],
            registry=self._registry,
        )
        self._replaced = Gauge("agentgym_replaced_workers", "Worker processes that were replaced", registry=self._registry)
        self._seconds = Histogram(
            "agentgym_request_seconds", "Time to answer", ["operation"], buckets=SECONDS, registry=self._registry
        )
        self._answers = Counter("agentgym_answers", "Answers", ["operation", "status"], registry=self._registry)

    def sessions(self, count: int) -> None:
        """So many sessions are open now."""
        self._open.set(count)

    def acted(self, environment: str, act: str) -> None:
        """A world was reset or stepped."""
        self._acted.labels(environment, act).inc()

    def fault(self, environment: str, code: Code, session: str, cause: str) -> None:
        """A world failed."""
        self._faults.labels(environment, str(code)).inc()
        log.warning("fault", extra={"environment": environment, "code": str(code), "session": session, "cause": cause})

    def expired(self, environment: str, session: str) -> None:
        """A session was closed at the end of its lease."""
        self._expired.labels(environment).inc()
        log.info("session expired", extra={"environment": environment, "session": session})

    def answered(self, operation: str, status: int, seconds: float) -> None:
        """A request was answered."""
        self._seconds.labels(operation).observe(seconds)
        self._answers.labels(operation, str(status)).inc()
        if log.isEnabledFor(logging.DEBUG):
            extra = {"operation": operation, "status": status, "milliseconds": round(seconds * 1000, 3)}
            log.debug("answered", extra=extra)

    def text(self, replaced_workers: int) -> bytes:
        """All of it."""
        self._replaced.set(replaced_workers)
        return generate_latest(self._registry)
