"""Signals: at once where nothing is lost by it, held where something would be."""

from __future__ import annotations

import os
import signal
import sys
import threading

import pytest

from agentgym_rl.training.interrupts import Interrupts


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_at_once_outside_of_what_is_held(number: int) -> None:
    interrupts = Interrupts()
    before = signal.getsignal(number)
    with interrupts.installed():
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), number)
        assert signal.getsignal(number) is not before
    assert signal.getsignal(number) is before


def test_a_hang_up_that_is_ignored_stays_so() -> None:
    """As ``nohup`` asks for."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Interrupts().installed():
            os.kill(os.getpid(), signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_held_until_the_block_ends() -> None:
    interrupts = Interrupts()
    done = []
    with interrupts.installed(), pytest.raises(KeyboardInterrupt):  # noqa: PT012
        with interrupts.held():
            with interrupts.held():
                os.kill(os.getpid(), signal.SIGINT)
                done.append("inner")
            done.append("outer")
        done.append("not reached")
    assert done == ["inner", "outer"]


def test_a_second_signal_is_not_held() -> None:
    interrupts = Interrupts()
    done = []
    with interrupts.installed(), pytest.raises(KeyboardInterrupt), interrupts.held():  # noqa: PT012
        os.kill(os.getpid(), signal.SIGINT)
        done.append("first")
        os.kill(os.getpid(), signal.SIGTERM)
        done.append("second")
    assert done == ["first"]
    assert interrupts.broke_in


def test_a_second_signal_where_nothing_is_held_breaks_into_nothing() -> None:
    interrupts = Interrupts()
    with interrupts.installed():
        for _ in range(2):
            with pytest.raises(KeyboardInterrupt):
                os.kill(os.getpid(), signal.SIGINT)
    assert not interrupts.broke_in


def test_an_error_in_what_is_held_comes_before_the_interrupt() -> None:
    interrupts = Interrupts()
    with interrupts.installed(), pytest.raises(ZeroDivisionError), interrupts.held():  # noqa: PT012
        os.kill(os.getpid(), signal.SIGINT)
        raise ZeroDivisionError


def test_what_is_held_without_a_signal_ends_quietly() -> None:
    interrupts = Interrupts()
    with interrupts.installed(), interrupts.held():
        pass


def test_other_threads_install_nothing() -> None:
    """Python allows handlers in the main thread only; a run in another one is not to fail for that."""
    failures: list[BaseException] = []

    def run() -> None:
        try:
            with Interrupts().installed(), Interrupts().held():
                pass
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert not failures


def test_a_signal_that_a_finalizer_swallowed_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    class Finalized:
        def __del__(self) -> None:
            os.kill(os.getpid(), signal.SIGTERM)

    swallowed: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda what: swallowed.append(what.exc_type))
    interrupts = Interrupts()
    with interrupts.installed():
        interrupts.check()
        gone = Finalized()
        del gone
        assert swallowed == []  # nor complained of
        with pytest.raises(KeyboardInterrupt):
            interrupts.check()
