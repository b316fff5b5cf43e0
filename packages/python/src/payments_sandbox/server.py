"""Finds a sandbox by its URL, or starts one."""

from __future__ import annotations

import atexit
import json
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
import uuid
from typing import IO, List, Mapping, Optional

from .errors import StartError
from .sandbox import Sandbox, control

START_SECONDS = 120
"""Longest start; ``npx`` may download the package first."""


def start_command(environ: Mapping[str, str] = os.environ) -> List[str]:
    """Return the words of the command that runs the program."""
    named = environ.get("PAYMENTS_SANDBOX_COMMAND", "")
    if named:
        return [named] if os.path.isfile(named) else shlex.split(named)
    found = shutil.which("payments-sandbox", path=environ.get("PATH"))
    if found is not None:
        return [found]
    npx = shutil.which("npx", path=environ.get("PATH"))
    if npx is None:
        raise StartError(
            "there is no sandbox: PAYMENTS_SANDBOX_URL is not set, and neither payments-sandbox nor npx is on PATH; "
            "install payments-sandbox, or set PAYMENTS_SANDBOX_COMMAND to the path of the program"
        )
    return [npx, "--yes", "payments-sandbox"]


class Server:
    """A running sandbox, in which tests create workspaces."""

    def __init__(self, url: str, admin_token: Optional[str], process: Optional[subprocess.Popen[str]] = None) -> None:
        # A workspace is created beside the one that the URL names.
        self.url = url.rstrip("/").split("/w/")[0]
        self.admin_token = admin_token
        self.process = process
        """The process that was started; ``None`` if the sandbox was running before."""

    def create_workspace(self, name: Optional[str] = None) -> Sandbox:
        """Create a workspace: a sandbox of its own, with a clock that stands still."""
        fields = {"name": name or f"pytest-{uuid.uuid4().hex[:12]}"}
        created = control(self.url, self.admin_token, "POST", "/workspaces", fields)
        token = created.get("admin_token") or self.admin_token
        sandbox = Sandbox(created["base_url"], created["name"], token, created["accounts"], self.url, self.admin_token)
        sandbox.clock.freeze()
        return sandbox

    def workspaces(self) -> List[str]:
        """Return the names of all workspaces."""
        return [row["name"] for row in control(self.url, self.admin_token, "GET", "/workspaces")["data"]]

    def stop(self) -> None:
        """Stop the sandbox if this object started it."""
        process, self.process = self.process, None
        if process is None:
            return
        atexit.unregister(self.stop)
        _signal(process, signal.SIGTERM)
        try:
            process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            _signal(process, getattr(signal, "SIGKILL", signal.SIGTERM))
            process.wait()
        if process.stdout is not None:
            process.stdout.close()


def _signal(process: subprocess.Popen[str], number: int) -> None:
    """Signal the process and its children: ``npx`` starts the sandbox as a child."""
    if hasattr(os, "killpg"):
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            pass
    else:
        subprocess.run(["taskkill", "/F", "/T", "/PID", str(process.pid)], capture_output=True, check=False)


def find_server(environ: Mapping[str, str] = os.environ) -> Server:
    """Return the sandbox that ``PAYMENTS_SANDBOX_URL`` names; start one if it is not set."""
    url = environ.get("PAYMENTS_SANDBOX_URL", "")
    return Server(url, environ.get("PAYMENTS_SANDBOX_ADMIN_TOKEN") or None) if url else start_server(environ)


def start_server(environ: Mapping[str, str] = os.environ) -> Server:
    """Start a sandbox on a free port, in memory. It stops with this process at the latest."""
    command = [*start_command(environ), "start", "--port", "0", "--clock", "manual", "--json"]
    with tempfile.TemporaryFile("w+") as errors:
        try:
            process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=errors, text=True, env=dict(environ), start_new_session=True
            )
        except OSError as error:
            raise StartError(f"{command[0]} cannot be started: {error}") from error
        server = Server("", None, process)
        atexit.register(server.stop)
        line = _first_line(process)
        try:
            ready = json.loads(line)
        except ValueError:
            server.stop()
            errors.seek(0)
            raise StartError(f"{' '.join(command)} did not start a sandbox: {line}{errors.read()}") from None
    server.url = ready["base_url"]
    server.admin_token = ready.get("admin_token")
    return server


def _first_line(process: subprocess.Popen[str]) -> str:
    """Return the first line of output; end a process that prints none in time."""
    out: Optional[IO[str]] = process.stdout
    timer = threading.Timer(START_SECONDS, lambda: _signal(process, signal.SIGTERM))
    timer.start()
    try:
        return "" if out is None else out.readline()
    finally:
        timer.cancel()
