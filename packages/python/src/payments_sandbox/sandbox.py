"""A workspace of a sandbox: triggers, clock, scenarios, webhooks and inboxes for one test."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union
from urllib.parse import quote, urlencode

from .client import Client
from .errors import SandboxError
from .events import read_event
from .http import send
from .platform import CALL_HEADERS, Action, Events
from .records import (
    Advanced,
    Amount,
    Credentials,
    Duration,
    Message,
    Run,
    Triggered,
    Webhook,
    decode,
    duration,
    exact,
    given,
    write_json,
)


def control(url: str, admin_token: Optional[str], method: str, path: str, body: Any = None, text: str = "") -> Any:
    """Send a request to the control API. ``text`` is YAML that is sent instead of JSON."""
    headers = {} if admin_token is None else {CALL_HEADERS["admin_token"]: admin_token}
    if text or body is not None:
        headers["Content-Type"] = "application/yaml" if text else "application/json"
    return send(method, f"{url}/_sandbox{path}", headers, text or (None if body is None else write_json(body)))


class Sandbox:
    """A sandbox of its own: database, clock, accounts, webhooks. The fixture ``sandbox`` is one for each test."""

    def __init__(
        self,
        url: str,
        workspace: str,
        admin_token: Optional[str],
        accounts: Sequence[Mapping[str, Any]],
        server_url: str,
        server_token: Optional[str],
    ) -> None:
        self.url = url
        """The base URL for your code."""
        self.workspace = workspace
        self._admin_token = admin_token
        self._server = (server_url, server_token)
        self._clients: Dict[str, Client] = {}
        self.accounts = {row["username"]: _credentials(row) for row in accounts}
        """Credentials by username; ``merchant`` is the first account."""
        self.clock = Clock(self)
        self.webhooks = Webhooks(self)
        self.scenarios = Scenarios(self)

    def client(self, username: str = "merchant") -> Client:
        """Return the client of an account. It fetches one token and reuses it."""
        if username not in self._clients:
            self._clients[username] = Client(self.url, self.accounts[username])
        return self._clients[username]

    def environment(self, username: str = "merchant") -> Dict[str, str]:
        """Return the variables that lead another process to this workspace."""
        account = self.accounts[username]
        variables = {
            "URL": self.url,
            "ACCOUNT": username,
            "CLIENT_ID": account.client_id,
            "CLIENT_SECRET": account.client_secret,
            "SIGNING_KEY": account.signing_key,
            "WEBHOOK_SECRET": account.webhook_secret,
            "ADMIN_TOKEN": self._admin_token,
        }
        return {f"PAYMENTS_SANDBOX_{name}": value for name, value in variables.items() if value is not None}

    def control(self, method: str, path: str, body: Any = None) -> Any:
        """Send any request of the control API. ``path`` begins after ``/_sandbox``, such as ``/ledger``."""
        return control(self.url, self._admin_token, method, path, body)

    def trigger(
        self,
        action: Action,
        id: Optional[str] = None,
        *,
        create: bool = False,
        fields: Optional[Mapping[str, Any]] = None,
        amount: Optional[Amount] = None,
        **parameters: Any,
    ) -> Triggered:
        """Trigger an action, such as ``cashin.pay``.

        :param id: The object, by its id or ``external_id`` (default: the newest one that allows the action).
        :param create: Creates a suitable object first; ``fields`` sets what it is made of.
        """
        named = {"action": action, "id": id, "create": create or None, "fields": fields}
        body = given({**named, "amount": exact("amount", amount), **parameters})
        return decode(Triggered, self.control("POST", "/trigger", body))

    def set_webhook_url(self, url: Optional[str], username: str = "merchant") -> None:
        """Send the webhooks of an account to this URL; ``None`` sends none."""
        path = f"/credentials/{quote(self.accounts[username].client_id)}"
        self.control("PATCH", path, {"postback_url": url})

    def inbox(self, name: str = "tests") -> Inbox:
        """Return a receiver of webhooks within the sandbox, for code that has none of its own."""
        return Inbox(self, name)

    def reset(self) -> None:
        """Return to the state right after the creation of the workspace."""
        self.control("POST", "/reset")
        self.clock.freeze()

    def delete(self) -> None:
        """Delete the workspace with everything in it."""
        control(*self._server, "DELETE", f"/workspaces/{self.workspace}")


def _credentials(row: Mapping[str, Any]) -> Credentials:
    first = row["credentials"][0]
    names = ("client_id", "client_secret", "signing_key", "webhook_secret")
    return Credentials(row["username"], *(first[name] for name in names))


class Clock:
    """The clock of the workspace. It stands still until it is advanced."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def now(self) -> datetime:
        """Return the time of the workspace."""
        return datetime.fromisoformat(self._sandbox.control("GET", "/clock")["now"].replace("Z", "+00:00"))

    def advance(self, by: Duration) -> Advanced:
        """Advance the clock. Returns when everything that was due has run, webhooks and their responses included."""
        return self._advance({"by": duration(by)})

    def advance_to(self, moment: datetime) -> Advanced:
        """Advance the clock to a moment, which needs a time zone."""
        return self._advance({"to": moment.isoformat()})

    def advance_until_idle(self) -> Advanced:
        """Advance the clock until all scheduled jobs have run."""
        return self._advance({"until": "idle"})

    def freeze(self) -> None:
        """Let time pass only by an advance."""
        self._sandbox.control("PUT", "/clock", {"mode": "manual"})

    def resume(self) -> None:
        """Let time pass at normal speed."""
        self._sandbox.control("PUT", "/clock", {"mode": "realtime"})

    def _advance(self, target: Mapping[str, Any]) -> Advanced:
        return decode(Advanced, self._sandbox.control("POST", "/clock/advance", target))


class Webhooks(Events):
    """The events of the workspace and their delivery."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def _wait_for(
        self,
        event: str,
        *,
        transaction_id: Optional[str] = None,
        external_id: Optional[str] = None,
        timeout: Duration = "5s",
    ) -> Webhook[Any]:
        wanted = given({"event": event, "transaction_id": transaction_id, "external_id": external_id})
        query = urlencode({**wanted, "status": "settled", "timeout": duration(timeout)})
        try:
            found = self._sandbox.control("GET", f"/webhooks/wait?{query}")
        except SandboxError as error:
            raise self._explained(error, wanted) from None
        if found["status"] == "failed" and found["url"] is not None:
            last = found["attempts"][-1]["detail"] if found["attempts"] else "nothing was sent"
            message = f"{event} could not be delivered to {found['url']}: {last}"
            raise SandboxError(409, "WEBHOOK_FAILED", message, {"attempts": found["attempts"]})
        return decode(Webhook, {**found, "data": read_event(found["body"]).data})

    def list(self) -> List[Dict[str, Any]]:
        """Return the newest events with their delivery, in order of occurrence."""
        rows: List[Dict[str, Any]] = self._sandbox.control("GET", "/webhooks?limit=100")["data"]
        return rows[::-1]

    def _explained(self, error: SandboxError, wanted: Mapping[str, Any]) -> SandboxError:
        """Name the events that happened instead."""
        if error.code != "WAIT_TIMEOUT":
            return error
        rows = [f"{row['event']} ({row['status']}) of {row['transaction_id']}" for row in self.list()[-20:]]
        about = "".join(f" of {key} {value}" for key, value in wanted.items() if key != "event")
        happened = f"events: {', '.join(rows)}" if rows else "there were no events"
        message = f"waited {error.details.get('waited_ms')} ms for {wanted['event']}{about}; {happened}"
        return SandboxError(error.status, error.code, message, error.details, error.request_id)


class Scenarios:
    """Scenarios: run them, or arm them so that they affect the requests of your code."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def arm(self, name: str, *, times: Optional[int] = None, account: Optional[str] = None) -> None:
        """Let the scenario affect the requests that match its ``on``."""
        self._sandbox.control("POST", f"/scenarios/{quote(name)}/arm", given({"times": times, "account": account}))

    def disarm(self, name: str) -> None:
        """Let the scenario affect no further requests."""
        self._sandbox.control("DELETE", f"/scenarios/{quote(name)}/arm")

    def upload(self, scenario: Union[str, Mapping[str, Any]]) -> str:
        """Upload a scenario, as YAML text or as a mapping, and return its name."""
        if isinstance(scenario, str):
            return str(control(self._sandbox.url, self._sandbox._admin_token, "POST", "/scenarios", text=scenario)["name"])
        return str(self._sandbox.control("POST", "/scenarios", scenario)["name"])

    def run(self, name: str, id: Optional[str] = None, *, params: Optional[Mapping[str, Any]] = None) -> Run:
        """Run a scenario to its end, with the clock advancing from step to step. Check ``status`` of the result."""
        body = given({"id": id, "params": params, "fast_forward": True})
        return decode(Run, self._sandbox.control("POST", f"/scenarios/{quote(name)}/run", body))


class Inbox:
    """A receiver of webhooks within the sandbox. Set ``url`` as ``postback_url``."""

    def __init__(self, sandbox: Sandbox, name: str) -> None:
        self._sandbox = sandbox
        self._path = f"/inbox/{quote(name)}"
        self.url = f"{sandbox.url}/_sandbox{self._path}"

    def messages(self) -> List[Message]:
        """Return the webhooks that were received, oldest first."""
        return [decode(Message, row) for row in self._sandbox.control("GET", self._path)["data"]]

    def respond(self, *statuses: int) -> None:
        """Set the statuses of the next responses; the last one repeats."""
        self._sandbox.control("PUT", self._path, {"responses": [{"status": status} for status in statuses]})
