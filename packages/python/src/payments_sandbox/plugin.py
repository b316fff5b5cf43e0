"""The pytest plugin: fixtures, and a report of calls and webhooks for a failed test."""

import os
import threading
import time
from typing import Any, Generator, Iterator, List

import pytest

from .platform import LoggedCall, WebhookSummary
from .sandbox import Sandbox
from .server import Server, find_server
from .wire import SandboxError, UnreachableError

_MOST_ROWS, _MOST_CHARACTERS = 20, 300


@pytest.fixture(scope="session")
def payments_sandbox_server(pytestconfig: pytest.Config) -> Iterator[Server]:
    """The sandbox of this session: the one that ``PAYMENTS_SANDBOX_URL`` names, or one that stops at the end."""
    server = find_server()
    if hasattr(pytestconfig, "workerinput"):
        threading.Thread(target=_end_with_controller, args=(os.getppid(),), daemon=True).start()
    yield server
    server.stop()


def _end_with_controller(parent: int) -> None:
    """End this pytest-xdist worker if the process that controls it was killed. By itself it ends after five seconds."""
    while os.getppid() == parent:
        time.sleep(0.2)
    os._exit(1)


@pytest.fixture
def payments_sandbox(payments_sandbox_server: Server) -> Iterator[Sandbox]:
    """A workspace for this test, with a clock that stands still. It is deleted after the test."""
    workspace = payments_sandbox_server.create_workspace()
    yield workspace
    workspace.delete()


@pytest.fixture
def sandbox(payments_sandbox: Sandbox) -> Sandbox:
    """A short name of ``payments_sandbox``."""
    return payments_sandbox


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, None]:
    """Add what the sandbox saw to the report of a failed test."""
    report = (yield).get_result()
    workspace = getattr(item, "funcargs", {}).get("payments_sandbox")
    if report.when == "call" and report.failed and isinstance(workspace, Sandbox):
        try:
            calls = workspace.requests.list()[::-1]
            events = workspace.webhooks.list()
            rows = [("request log", [_call(workspace, row) for row in calls[-_MOST_ROWS:]])]
            rows += [("webhooks", [_event(workspace, row) for row in events[-_MOST_ROWS:]])]
        except (SandboxError, UnreachableError) as error:
            rows = [("request log", [f"  cannot be read: {error}"])]
        for name, texts in rows:
            report.sections.append((f"payments-sandbox: {name}", "\n".join(texts) or "  none"))


def _call(sandbox: Sandbox, call: LoggedCall) -> str:
    path = call.path[call.path.index("/v2") :] if "/v2" in call.path else call.path
    lines = [f"  {call.method} {path} {call.status} {call.error_code or ''}".rstrip() + f" {call.request_id}"]
    if not 0 < call.status < 400:
        details = sandbox.requests.get(call.request_id)
        lines += _shortened("request", details.request_body) + _shortened("response", details.response_body)
    return "\n".join(lines + [f"    warning: {warning.message}" for warning in call.warnings])


def _event(sandbox: Sandbox, row: WebhookSummary) -> str:
    webhook = sandbox.webhooks.get(row.id)
    place = f"to {webhook.url}" if webhook.url else webhook.outcome or ""
    lines = [f"  {row.event} {row.transaction_id} {webhook.status} {place}".rstrip()]
    for one in webhook.attempts:
        answer = f"{one.outcome} {one.status or ''} {one.response_body or ''}".rstrip()
        lines.append(f"    attempt {one.number}: {answer}")
    return "\n".join(lines)


def _shortened(what: str, body: Any) -> List[str]:
    text = str(body or "")
    return [f"    {what}: {text[:_MOST_CHARACTERS]}{'…' if len(text) > _MOST_CHARACTERS else ''}"] if text else []
