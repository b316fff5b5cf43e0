"""The pytest plugin: fixtures, and a report of requests and events for a failed test."""

from contextlib import suppress
from typing import Any, Generator, Iterator

import pytest

from .sandbox import Sandbox
from .server import Server, find_server
from .wire import SandboxError, UnreachableError


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
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, None]:
    """Add what the sandbox saw to the report of a failed test."""
    report = (yield).get_result()
    workspace = getattr(item, "funcargs", {}).get("sandbox")
    if report.when == "call" and report.failed and isinstance(workspace, Sandbox):
        with suppress(SandboxError, UnreachableError):
            report.sections.append(("payments-sandbox", _seen(workspace)))


def _seen(sandbox: Sandbox) -> str:
    requests = reversed(sandbox.control.send("GET", "/requests", query={"limit": 20})["data"])
    lines = [f"{row['method']} {row['path']} {row['status']} {row['error_code'] or ''}".rstrip() for row in requests]
    lines += [f"{row.event} of {row.transaction_id}: {row.outcome or row.status}" for row in sandbox.webhooks.list()]
    return "\n".join(lines) or "no requests and no events"
