"""A workspace of a sandbox: triggers, clock, scenarios, webhooks and inboxes for one test."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Dict, List, Mapping, Optional, Union, cast
from urllib.parse import quote, urlencode

from .client import Client, read_event
from .platform import CALL_HEADERS, CHAOS_PRESETS, DECIMAL_FIELDS, EVENT_DATA, Action, Advanced, Calls, Chaos
from .platform import ChaosCalls, Credential, Duration, Events, InboxMessage, LoggedCall, RequestCalls, Run, Scenario
from .platform import Triggered, Webhook, WebhookSummary, Workspace, WorkspaceCalls
from .wire import SandboxError, decode, given, send, write_json

__tracebackhide__ = True  # pytest leaves the frames of this module out of a failure's traceback.

_NEWEST: Any = object()
"""The default of an id, so that ``None``, a lookup that found nothing, is not taken for the newest object."""


@dataclass(frozen=True)
class Control:
    """The control API of one workspace."""

    url: str
    admin_token: Optional[str]

    def send(self, method: str, path: str, body: Any = None, *, query: Optional[Mapping[str, Any]] = None) -> Any:
        """Send a request. ``path`` begins after ``/_sandbox``; a ``body`` that is text is sent as YAML."""
        headers = {} if self.admin_token is None else {CALL_HEADERS["admin_token"]: self.admin_token}
        if body is not None:
            headers["Content-Type"] = "application/yaml" if isinstance(body, str) else "application/json"
        text = body if body is None or isinstance(body, str) else write_json(body)
        target = f"{path}?{urlencode(given(query))}" if query else path
        return send(method, f"{self.url}/_sandbox{target}", headers, text)


class _Part(Calls):
    """Sends the calls that ``platform`` has as methods."""

    control: Control

    def _request(self, method: str, path: str, input: str, fields: Mapping[str, Any], result: Any) -> Any:
        sent = given(fields, DECIMAL_FIELDS)
        body, query = (sent, None) if input == "json" else (None, sent)
        return decode(result, self.control.send(method, path, body, query=query))


class Sandbox(_Part, WorkspaceCalls):
    """A sandbox of its own: database, clock, accounts, webhooks. The fixture ``payments_sandbox`` is one for each test."""

    def __init__(self, workspace: Workspace, parent: Control) -> None:
        self.workspace = workspace.name
        self.url = workspace.base_url
        """The base URL for your code."""
        self.control = Control(workspace.base_url, workspace.admin_token or parent.admin_token)
        self.credentials: Dict[str, Credential] = {row.username: row.credentials[0] for row in workspace.accounts}
        """By username. The accounts are ``merchant`` and ``customer``."""
        self.clock = Clock(self.control)
        self.webhooks = Webhooks(self.control)
        self.scenarios = Scenarios(self.control)
        self.requests = Requests(self.control)
        self.chaos = ChaosSettings(self.control)
        self._parent = parent
        self._clients: Dict[str, Client] = {}

    def client(self, username: str = "merchant") -> Client:
        """Return the client of an account. It fetches one token and reuses it."""
        if username not in self.credentials:
            self.credentials[username] = self.account(username).credentials[0]
        return self._clients.setdefault(username, Client(self.url, self.credentials[username]))

    def reset(self) -> None:
        """Return to the state right after the workspace was created. The clock stands still again."""
        self.control.send("POST", "/reset")
        self.clock.freeze()

    def environment(self, username: str = "merchant") -> Dict[str, str]:
        """Return the variables that lead another process to this workspace."""
        credential = self.client(username).credential
        secrets = {key: value for key, value in vars(credential).items() if key not in ("postback_url", "active")}
        values = {**secrets, "url": self.url, "account": username, "admin_token": self.control.admin_token}
        return {f"PAYMENTS_SANDBOX_{name.upper()}": value for name, value in given(values).items()}

    def trigger(self, action: Action, id: str = _NEWEST, **parameters: Any) -> Triggered:
        """Trigger an action, such as ``cashin.pay``.

        :param id: The object, by its id or ``external_id`` (default: the newest one that allows the action).
        :param parameters: Those of the action. ``create=True`` creates a suitable object first, from ``fields``.
        """
        if id is not _NEWEST and not isinstance(id, str):
            raise TypeError(f"{action} needs the id of an object as text, and was given {id!r}")
        chosen = {} if id is _NEWEST else {"id": id}
        body = given({**parameters, "action": action, **chosen}, ("amount",))
        return decode(Triggered, self.control.send("POST", "/trigger", body))

    def set_webhook_url(self, url: Optional[str], username: str = "merchant") -> None:
        """Send the webhooks of an account to this URL; ``None`` sends none."""
        path = f"/credentials/{quote(self.client(username).credential.client_id)}"
        self.control.send("PATCH", path, {"postback_url": url})

    def inbox(self, name: str = "tests") -> Inbox:
        """Return a receiver of webhooks within the sandbox, for code that has none of its own."""
        return Inbox(self.control, name)

    def delete(self) -> None:
        """Delete the workspace with everything in it."""
        self._parent.send("DELETE", f"/workspaces/{self.workspace}")


@dataclass(frozen=True)
class Clock:
    """The clock of the workspace. It stands still until it is advanced."""

    _control: Control

    def now(self) -> datetime:
        """Return the time of the workspace."""
        return datetime.fromisoformat(self._control.send("GET", "/clock")["now"].replace("Z", "+00:00"))

    def advance(self, by: Duration) -> Advanced:
        """Advance the clock. Returns when everything that was due has run, webhooks and their responses included."""
        return decode(Advanced, self._control.send("POST", "/clock/advance", given({"by": by})))

    def advance_until_idle(self) -> Advanced:
        """Advance the clock until all scheduled jobs have run."""
        return decode(Advanced, self._control.send("POST", "/clock/advance", {"until": "idle"}))

    def freeze(self) -> None:
        """Let time pass only by an advance."""
        self._control.send("PUT", "/clock", {"mode": "manual"})

    def resume(self) -> None:
        """Let time pass at normal speed."""
        self._control.send("PUT", "/clock", {"mode": "realtime"})


@dataclass(frozen=True)
class Webhooks(Events):
    """The events of the workspace and their delivery."""

    _control: Control

    def _wait_for(
        self,
        event: str,
        *,
        transaction_id: Optional[str] = None,
        external_id: Optional[str] = None,
        timeout: Duration = "5s",
    ) -> Webhook[Any]:
        if event not in EVENT_DATA:
            raise TypeError(f"there is no event {event!r}; the events are {', '.join(EVENT_DATA)}")
        wanted = {"transaction_id": transaction_id, "external_id": external_id}
        query = {**wanted, "event": event, "status": "settled", "timeout": timeout}
        try:
            found = self._control.send("GET", "/webhooks/wait", query=query)
        except SandboxError as error:
            if error.code == "WAIT_TIMEOUT":
                error.message = self._explained(event, wanted, error)
            raise
        webhook = self._webhook(found)
        if webhook.status == "failed" and webhook.url is not None:
            last = webhook.attempts[-1].detail if webhook.attempts else "nothing was sent"
            message = f"{event} could not be delivered to {webhook.url}: {last}"
            raise SandboxError(409, "WEBHOOK_FAILED", message, {"id": webhook.id})
        return webhook

    def list(self) -> List[WebhookSummary]:
        """Return the newest events with their delivery, in order of occurrence."""
        rows = self._control.send("GET", "/webhooks", query={"limit": 100})["data"]
        return [decode(WebhookSummary, row) for row in reversed(rows)]

    def get(self, id: str) -> Webhook[Any]:
        """Return an event with its exact body and all attempts."""
        return self._webhook(self._control.send("GET", f"/webhooks/{quote(id)}"))

    @staticmethod
    def _webhook(found: Mapping[str, Any]) -> Webhook[Any]:
        return cast("Webhook[Any]", decode(Webhook, {**found, "data": read_event(found["body"]).data}))

    def _explained(self, event: str, wanted: Mapping[str, Any], error: SandboxError) -> str:
        """Name the events that happened instead."""
        rows = [f"{row.event} ({row.outcome or row.status}) of {row.transaction_id}" for row in self.list()[-20:]]
        about = "".join(f" of {key} {value}" for key, value in given(wanted).items())
        happened = f"events: {', '.join(rows)}" if rows else "there were no events"
        return f"waited {error.details.get('waited_ms')} ms for {event}{about}; {happened}"


@dataclass(frozen=True)
class Requests(_Part, RequestCalls):
    """The request log: the calls of your code, and expectations about them."""

    control: Control

    def expect(self, *, times: Optional[int] = None, **call: Any) -> int:
        """Return the number of calls that match; without ``times`` at least one must. Parameters as in ``verify``.

        :raises SandboxError: ``CONFLICT``, whose message says how similar calls differ.
        """
        matched = self.verify(times=times, **call).matched
        return matched if matched > 0 or times is not None else self.verify(times=1, **call).matched

    def unexpected(self) -> List[LoggedCall]:
        """Return the calls that were rejected with a 4xx, newest first."""
        return [call for call in self.list() if 400 <= call.status < 500]

    def warnings(self) -> List[LoggedCall]:
        """Return the calls that are accepted but probably mistakes, newest first."""
        return self.list(warnings="true")


@dataclass(frozen=True)
class ChaosSettings(_Part, ChaosCalls):
    """Random faults of calls and webhooks, the same for the same seed."""

    control: Control

    def preset(self, name: str) -> Chaos:
        """Inject the faults of a preset: ``gentle``, ``rough`` or ``off``."""
        if name not in CHAOS_PRESETS:
            raise TypeError(f"there is no preset {name!r}; the presets are {', '.join(CHAOS_PRESETS)}")
        return self.set(**CHAOS_PRESETS[name])


@dataclass(frozen=True)
class Scenarios:
    """Scenarios: run them, or arm them so that they affect the requests of your code."""

    _control: Control

    def arm(self, name: str, *, times: Optional[int] = None, account: Optional[str] = None) -> None:
        """Let the scenario affect the requests that match its ``on``."""
        self._control.send("POST", f"/scenarios/{quote(name)}/arm", given({"times": times, "account": account}))

    def disarm(self, name: str) -> None:
        """Let the scenario affect no further requests."""
        self._control.send("DELETE", f"/scenarios/{quote(name)}/arm")

    def upload(self, scenario: Union[str, Mapping[str, Any]]) -> Scenario:
        """Upload a scenario: YAML, or its fields."""
        return decode(Scenario, self._control.send("POST", "/scenarios", scenario))

    def run(self, name: str, id: Optional[str] = None, *, params: Optional[Mapping[str, Any]] = None) -> Run:
        """Run a scenario to its end; the clock advances from step to step. Check ``status`` of the result."""
        body = given({"id": id, "params": params, "fast_forward": True})
        return decode(Run, self._control.send("POST", f"/scenarios/{quote(name)}/run", body))


class Inbox:
    """A receiver of webhooks within the sandbox. Set ``url`` as ``postback_url``."""

    def __init__(self, control: Control, name: str) -> None:
        self._control = control
        self._path = f"/inbox/{quote(name)}"
        self.url = f"{control.url}/_sandbox{self._path}"

    def messages(self) -> List[InboxMessage]:
        """Return the webhooks that were received, oldest first."""
        return [decode(InboxMessage, row) for row in self._control.send("GET", self._path)["data"]]

    def respond(self, *statuses: int) -> None:
        """Set the next responses by their statuses; the last one repeats."""
        self._control.send("PUT", self._path, {"responses": [{"status": status} for status in statuses]})

    def clear(self) -> None:
        """Delete the messages and the responses."""
        self._control.send("DELETE", self._path)
