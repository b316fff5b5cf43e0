"""The pytest plugin: fixtures, and a report of requests and webhooks for a failed test."""

from __future__ import annotations

from typing import Any, Iterator

import pytest

from .errors import SandboxError, UnreachableError
from .sandbox import Sandbox
from .server import Server, find_server


@pytest.fixture(scope="session")
def sandbox_server() -> Iterator[Server]:
    """The sandbox of this session: the one that ``PAYMENTS_SANDBOX_URL`` names, or one that stops at the end."""
    server = find_server()
    yield server
    server.stop()


@pytest.fixture
def sandbox(sandbox_server: Server) -> Iterator[Sandbox]:
    """A workspace for this test, with a clock that stands still. It is deleted after the test."""
    workspace = sandbox_server.create_workspace()
    yield workspace
    workspace.delete()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Add what the sandbox saw to the report of a failed test."""
    outcome: Any = yield
    report = outcome.get_result()
    workspace = getattr(item, "funcargs", {}).get("sandbox")
    if report.when != "call" or not report.failed or not isinstance(workspace, Sandbox):
        return
    try:
        report.sections.append(("payments-sandbox", _seen(workspace)))
    except (SandboxError, UnreachableError):
        pass


def _seen(sandbox: Sandbox) -> str:
    requests = sandbox.control("GET", "/requests?limit=20")["data"][::-1]
    lines = [f"{row['method']} {row['path']} {row['status']} {row.get('error_code') or ''}".rstrip() for row in requests]
    events = [f"{row['event']} of {row['transaction_id']}: {row['status']}" for row in sandbox.webhooks.list()[-20:]]
    return "\n".join([*lines, *events]) or "no requests and no events"
