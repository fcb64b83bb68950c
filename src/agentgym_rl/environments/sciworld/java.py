"""One Java process with the ScienceWorld simulator, shared by every environment of this Python process."""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from agentgym_rl.environments.errors import EnvironmentFault, MissingExtra
from agentgym_rl.environments.sciworld.connection import bridge
from agentgym_rl.environments.sciworld.library import Library

HEAP_MIB = 1024
"""Most memory of the Java heap. 64 simulators at a time need less than half."""
START_SECONDS = 60.0
CALL_SECONDS = 120.0
"""Longest wait for Java to start and for one call. Whatever passes this hangs."""

_OPTIONS = (
    f"-Xmx{HEAP_MIB}m",
    "-Xss4m",
    "-XX:+UseSerialGC",  # the simulator has one thread at a time
    "-XX:+ExitOnOutOfMemoryError",
    # The simulator lists objects in the order of their identity hashes, which Java draws at random. With a constant hash the
    # order is that in which they were made, so that the same actions give the same text.
    "-XX:+IgnoreUnrecognizedVMOptions",
    "-XX:+UnlockExperimentalVMOptions",
    "-XX:hashCode=2",
)


WAY_OUT = (
    "install a runtime, 8 or later, such as the package default-jre-headless (Debian, Ubuntu) or java-17-openjdk-headless "
    "(Fedora)"
)


def java_program() -> str | None:
    """Path of the Java program: that of ``JAVA_HOME``, else the one on ``PATH``; None: there is none."""
    home = os.environ.get("JAVA_HOME")
    return (shutil.which("java", path=str(Path(home, "bin"))) if home else None) or shutil.which("java")


def find_java() -> str:
    """Path of the Java program.

    Raises:
        MissingExtra: there is none.
    """
    found = java_program()
    if found is None:
        raise MissingExtra(f"environment 'sciworld' needs Java, and there is no java on PATH or in JAVA_HOME: {WAY_OUT}")
    return found


@cache
def class_path() -> str:
    """Where the simulator and the bridge to it are.

    Raises:
        MissingExtra: their Python packages are not installed.
    """
    try:
        from py4j.java_gateway import find_jar_path
        from scienceworld.constants import JAR_PATH
    except ModuleNotFoundError as error:
        message = f"environment 'sciworld' needs {error.name}: pip install 'agentgym-rl[sciworld]'"
        raise MissingExtra(message, name=error.name) from error
    return os.pathsep.join((find_jar_path(), JAR_PATH))


class Java:
    """The process and the bridge to it.

    It reads its standard input and ends when that closes, which the system does for a Python process that ends in any
    way, SIGKILL included. A key that only the two know keeps other users of the machine out.
    """

    def __init__(self) -> None:
        """Starts it and waits until it answers.

        Raises:
            EnvironmentFault: it does not start.
            MissingExtra: Java or a package is not installed.
        """
        command = [find_java(), *_OPTIONS, "-cp", class_path(), "py4j.GatewayServer"]
        self.process = subprocess.Popen(
            [*command, "--die-on-broken-pipe", "--enable-auth", "0"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=os.sep,
            start_new_session=True,  # Ctrl-C is for Python, which then closes what it opened
        )
        self.gone: str | None = None
        """Why it can't be used any more."""
        self.current: object = None
        """The simulator whose values the shared variables of the Java process have."""
        port, key = self._first_words()
        self._gateway = bridge(port, key, CALL_SECONDS)
        with self.calling("start"):
            root = self._gateway.jvm
            # The simulator prints a lot, and nobody reads it.
            nowhere = root.java.io.FileOutputStream(os.devnull)
            root.java.lang.System.setOut(root.java.io.PrintStream(nowhere))
            self.library = Library(root)

    def _first_words(self) -> tuple[int, str]:
        """The port and the key, which it prints when it is ready."""
        assert self.process.stdout is not None
        watch = threading.Timer(START_SECONDS, self.process.kill)
        watch.daemon = True
        watch.start()
        port, key = self.process.stdout.readline(), self.process.stdout.readline()
        watch.cancel()
        if not port.strip().isdigit():
            self.kill("it did not start")
            raise EnvironmentFault(f"sciworld: Java ({find_java()}) does not start the simulator")
        return int(port), key.decode().rstrip("\r\n")

    @contextmanager
    def calling(self, what: str) -> Iterator[None]:
        """Makes faults of what goes wrong in a call; Java is given up when it does not answer.

        Raises:
            EnvironmentFault: Java is gone, hangs, or threw an exception.
        """
        from py4j.protocol import Py4JError, Py4JJavaError, Py4JNetworkError

        if self.gone is not None:
            raise EnvironmentFault(f"sciworld: the simulator's Java process is gone: {self.gone}")
        try:
            yield
            self._gateway.let_go()
        except Py4JJavaError as error:
            reason = " ".join(str(error.java_exception).split())[:200]
            raise EnvironmentFault(f"sciworld: the simulator failed at {what}: {reason}") from error
        except (Py4JNetworkError, Py4JError, OSError) as error:
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(1)
            code = self.process.poll()
            self.kill("it does not answer" if code is None else f"it ended with exit code {code}")
            raise EnvironmentFault(f"sciworld: the simulator's Java process is gone during {what}: {self.gone}") from error

    def kill(self, cause: str) -> None:
        """Ends it at once. Idempotent."""
        if self.gone is None:
            self.gone = cause
            self.process.kill()
            self.process.wait()
            self._forget()

    def _forget(self) -> None:
        """Closes this side's ends of the pipes."""
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            with suppress(OSError):
                pipe.close()


class _Shared:
    """The process that is shared, and how many use it."""

    lock = threading.RLock()
    """Held around every call of every simulator: they share variables inside Java."""
    java: Java | None = None
    users = 0


def lock() -> threading.RLock:
    """Held around every call of every simulator."""
    return _Shared.lock


def borrow() -> Java:
    """The shared process, started if it isn't running; each caller gives it back once.

    Raises:
        EnvironmentFault: it does not start.
    """
    with _Shared.lock:
        if _Shared.java is None or _Shared.java.gone is not None:
            _Shared.java, _Shared.users = Java(), 0
        _Shared.users += 1
        return _Shared.java


def give_back(java: Java) -> None:
    """The last one to do so ends the process."""
    with _Shared.lock:
        if java is _Shared.java:
            _Shared.users -= 1
            if _Shared.users == 0:
                java.kill("it is closed")
                _Shared.java = None


def _forget_in_child() -> None:
    """A forked process uses none of its parent's, and must not keep its pipe open."""
    if _Shared.java is not None:
        _Shared.java.gone = "it belongs to the process that this one was forked from"
        _Shared.java._forget()
    _Shared.lock, _Shared.java, _Shared.users = threading.RLock(), None, 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_in_child)
logging.getLogger("py4j").setLevel(logging.CRITICAL)  # what goes wrong is told as faults
