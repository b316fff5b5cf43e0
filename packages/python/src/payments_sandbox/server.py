"""Finds a sandbox by its URL, or starts one."""

import atexit
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import uuid
from contextlib import suppress
from typing import List, Mapping, Optional

from .platform import NPX, Workspace
from .sandbox import Control, Sandbox
from .wire import StartError, decode

__tracebackhide__ = True  # pytest leaves the frames of this module out of a failure's traceback.

# Runs beside the sandbox, and ends it when the test process closes the standard input, or is killed.
_HOLD = """
import json, os, sys
names = ("PAYMENTS_SANDBOX_URL", "PAYMENTS_SANDBOX_ADMIN_TOKEN")
print(json.dumps([os.environ.get(name) for name in names]), flush=True)
sys.stdin.read()
"""


class Server:
    """A running sandbox, in which tests create workspaces."""

    def __init__(self, url: str, admin_token: Optional[str], process: Optional[subprocess.Popen[str]] = None) -> None:
        # A workspace is created beside the one that the URL names.
        self.url = url.rstrip("/").split("/w/")[0]
        self.control = Control(self.url, admin_token)
        self._process = process

    def create_workspace(self) -> Sandbox:
        """Create a workspace: a sandbox of its own, with a clock that stands still."""
        name = f"pytest-{uuid.uuid4().hex[:12]}"
        sandbox = Sandbox(decode(Workspace, self.control.send("POST", "/workspaces", {"name": name})), self.control)
        sandbox.clock.freeze()
        return sandbox

    def stop(self) -> None:
        """Stop the sandbox if ``start_server`` started it."""
        process, self._process = self._process, None
        if process is None:
            return
        try:
            # Closes the standard input first, which ends the sandbox.
            process.communicate(timeout=15)
        except subprocess.TimeoutExpired:
            _signal(process, getattr(signal, "SIGKILL", signal.SIGTERM))
            process.communicate()


def find_server(environ: Mapping[str, str] = os.environ) -> Server:
    """Return the sandbox that ``PAYMENTS_SANDBOX_URL`` names; start one if it is not set."""
    url = environ.get("PAYMENTS_SANDBOX_URL", "")
    return Server(url, environ.get("PAYMENTS_SANDBOX_ADMIN_TOKEN") or None) if url else start_server(environ)


def start_server(environ: Mapping[str, str] = os.environ) -> Server:
    """Start a sandbox on a free port, in memory. It stops with this process, even if that is killed."""
    command = [*_program(environ), "exec", "--clock", "manual", "--", sys.executable, "-c", _HOLD]
    with tempfile.TemporaryFile("w+") as errors:
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env=environ,
                start_new_session=True,
            )
        except OSError as error:
            raise StartError(f"{command[0]} cannot be started: {error}") from error
        # `npx` may download the package first.
        timer = threading.Timer(120, _signal, (process, signal.SIGTERM))
        timer.start()
        line = "" if process.stdout is None else process.stdout.readline()
        timer.cancel()
        if not line.startswith("["):
            Server("", None, process).stop()
            errors.seek(0)
            advice = "set PAYMENTS_SANDBOX_URL to a running one, or PAYMENTS_SANDBOX_COMMAND to the program"
            raise StartError(f"{' '.join(command[:-4])} did not start a sandbox; {advice}: {line}{errors.read()}")
    server = Server(*json.loads(line), process)
    atexit.register(server.stop)
    return server


def _program(environ: Mapping[str, str]) -> List[str]:
    """Return the words of the command that runs the program."""
    named, path = environ.get("PAYMENTS_SANDBOX_COMMAND", ""), environ.get("PATH")
    if named:
        return [named] if os.path.isfile(named) else shlex.split(named)
    for program, *words in filter(None, (["payments-sandbox"], NPX)):
        found = shutil.which(program, path=path)
        if found is not None:
            return [found, *words]
    raise StartError(
        "there is no sandbox: PAYMENTS_SANDBOX_URL is not set, and payments-sandbox is not on PATH; "
        "install payments-sandbox, or set PAYMENTS_SANDBOX_COMMAND to the path of the program"
    )


def _signal(process: subprocess.Popen[str], number: int) -> None:
    """Signal the process and its children: ``npx`` starts the sandbox as a child."""
    with suppress(ProcessLookupError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, number)
        else:
            subprocess.run(["taskkill", "/F", "/T", "/PID", str(process.pid)], capture_output=True, check=False)
