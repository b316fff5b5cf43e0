"""The typed client of the platform API, the signature of requests, and the verification of webhooks."""

import base64
import hashlib
import hmac
import re
import threading
import time
import uuid
from typing import Any, Dict, Mapping, Optional, Tuple, Type, Union
from urllib.parse import quote, urlencode

from .platform import CALL_HEADERS, DECIMAL_FIELDS, EVENT_DATA, TOKEN_PATH, TOLERANCE_SECONDS, WEBHOOK_HEADERS
from .platform import Call, Credential, Endpoints, Event
from .wire import SandboxError, decode, given, parse_json, send, write_json

__tracebackhide__ = True  # pytest leaves the frames of this module out of a failure's traceback.


def sign_request(
    signing_key: str, body: bytes, *, timestamp: Optional[int] = None, nonce: Optional[str] = None
) -> Dict[str, str]:
    """Return the three headers of a signed request. ``body`` is exactly what is sent; a nonce is valid once."""
    when = str(int(time.time()) if timestamp is None else timestamp)
    once = nonce or str(uuid.uuid4())
    signature = _hmac(signing_key, f"{when}.{once}.".encode() + body)
    return {CALL_HEADERS["signature"]: signature, CALL_HEADERS["timestamp"]: when, CALL_HEADERS["nonce"]: once}


def _hmac(key: str, data: bytes) -> str:
    return hmac.new(key.encode(), data, hashlib.sha256).hexdigest()


class Client(Endpoints):
    """The platform API for one account, with a method for each endpoint. Threads can share it."""

    def __init__(self, base_url: str, credential: Credential) -> None:
        self.base_url = base_url.rstrip("/")
        self.credential = credential
        self._token: Optional[str] = None
        self._lock = threading.Lock()

    def token(self) -> str:
        """Return the access token; the first call fetches it."""
        with self._lock:
            if self._token is None:
                pair = f"{self.credential.client_id}:{self.credential.client_secret}"
                basic = {"Authorization": "Basic " + base64.b64encode(pair.encode()).decode()}
                headers = {**basic, "Content-Type": "application/json"}
                body = '{"grant_type":"client_credentials"}'
                self._token = str(send("POST", self.base_url + TOKEN_PATH, headers, body)["access_token"])
            return self._token

    def _call(self, call: Call, fields: Mapping[str, Any], result: Type[Any]) -> Any:
        request = _encode(call, given(fields, DECIMAL_FIELDS))
        token = self.token()
        try:
            answer = self._send(call, request, token)
        except SandboxError as error:
            # The platform checks the token first, so the rejected request has done nothing.
            if error.status != 401 or error.code not in ("TOKEN_EXPIRED", "UNAUTHORIZED"):
                raise
            with self._lock:
                if self._token == token:
                    self._token = None
            answer = self._send(call, request, self.token())
        return decode(result, answer["data"])

    def _send(self, call: Call, request: Tuple[str, Optional[bytes], Dict[str, str]], token: str) -> Any:
        path, body, media_type = request
        headers = {**media_type, "Authorization": f"Bearer {token}"}
        if call.signed:
            headers.update(sign_request(self.credential.signing_key, body or b""))
        if call.scenario is not None:
            headers[CALL_HEADERS["scenario"]] = call.scenario
        return send(call.method, self.base_url + path, headers, body)


def _encode(call: Call, fields: Dict[str, Any]) -> Tuple[str, Optional[bytes], Dict[str, str]]:
    """Return the path with its query, the body and its headers."""
    if call.input == "json":
        return call.path, write_json(fields).encode(), {"Content-Type": "application/json"}
    if call.input != "multipart":
        return call.path + (f"?{urlencode(fields)}" if fields else ""), None, {}
    boundary = uuid.uuid4().hex
    files = fields.pop("files[]", [])
    parts = [(f'"{name}"', str(value).encode()) for name, value in fields.items()]
    parts += [(f'"files[]"; filename="{quote(one.name)}"\r\nContent-Type: {one.type}', one.content) for one in files]
    head = f"--{boundary}\r\nContent-Disposition: form-data; name="
    body = b"".join(f"{head}{name}\r\n\r\n".encode() + content + b"\r\n" for name, content in parts)
    body += f"--{boundary}--\r\n".encode()
    return call.path, body, {"Content-Type": f"multipart/form-data; boundary={boundary}"}


class WebhookRejected(Exception):
    """A webhook must not be trusted: respond with 401. ``reason`` is a word such as ``signature_mismatch``."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"the webhook was rejected: {reason}")
        self.reason = reason


def verify_webhook(
    body: bytes, headers: Mapping[str, str], secret: str, *,
    tolerance_seconds: int = TOLERANCE_SECONDS, now: Optional[int] = None,
) -> Event[Any]:
    """Return the event of a webhook whose signature and age are right.

    :param body: The raw body. JSON that was parsed and written again has another signature.
    :param headers: The headers of the request; their names can have any case.
    :param secret: The ``webhook_secret`` of the account.
    :param now: Unix time in seconds (default: the current time).
    :raises WebhookRejected: If the webhook must not be trusted.
    :raises TypeError: If ``body`` or ``secret`` has a wrong type, whatever was sent.
    """
    if not isinstance(body, (bytes, bytearray)):
        raise TypeError(f"body must be the raw bytes of the request, not {type(body).__name__}")
    if not isinstance(secret, str):
        raise TypeError(f"secret must be the webhook_secret as text, not {type(secret).__name__}")
    if secret == "":
        raise WebhookRejected("missing_secret")
    signature = _header(headers, "signature", "[0-9a-f]{64}")
    if not hmac.compare_digest(signature, _hmac(secret, body)):
        raise WebhookRejected("signature_mismatch")
    timestamp = int(_header(headers, "timestamp", "[0-9]{1,12}"))
    if abs((int(time.time()) if now is None else now) - timestamp) > tolerance_seconds:
        raise WebhookRejected("stale_timestamp")
    try:
        return read_event(body)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, ArithmeticError) as error:
        raise WebhookRejected("malformed_body") from error


def _header(headers: Mapping[str, str], name: str, pattern: str) -> str:
    values = {value for key, value in headers.items() if key.lower() == WEBHOOK_HEADERS[name].lower()}
    if len(values) != 1 or "" in values:
        raise WebhookRejected(f"missing_{name}")
    value = values.pop()
    if re.fullmatch(pattern, value) is None:
        raise WebhookRejected(f"malformed_{name}")
    return value


def read_event(body: Union[str, bytes]) -> Event[Any]:
    """Parse the body of a webhook. The type of ``data`` is in ``platform``, such as ``CashinConfirmedData``."""
    fields = parse_json(body)
    data = decode(EVENT_DATA.get(fields["event"], Any), fields["data"])
    return Event(fields["event"], fields["timestamp"], fields["transaction_id"], data)
