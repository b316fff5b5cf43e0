"""The typed client of the platform API: it fetches tokens and signs financial requests."""

from __future__ import annotations

import base64
import hashlib
import hmac
import threading
import time
import uuid
from typing import Any, Dict, Mapping, Optional, Tuple, Type, Union
from urllib.parse import quote, urlencode

from .errors import SandboxError
from .http import send
from .platform import CALL_HEADERS, DECIMAL_FIELDS, TOKEN_PATH, Endpoints
from .records import Call, Credentials, decode, given, write_json

_OUTDATED_TOKEN = ("TOKEN_EXPIRED", "UNAUTHORIZED")


def sign_request(
    signing_key: str, body: Union[str, bytes], *, timestamp: Optional[int] = None, nonce: Optional[str] = None
) -> Dict[str, str]:
    """Return the three headers of a signed request. ``body`` is exactly what is sent; a nonce is valid once."""
    when = str(int(time.time()) if timestamp is None else timestamp)
    once = nonce or str(uuid.uuid4())
    data = body.encode() if isinstance(body, str) else body
    signed = hmac.new(signing_key.encode(), f"{when}.{once}.".encode() + data, hashlib.sha256).hexdigest()
    return {CALL_HEADERS["signature"]: signed, CALL_HEADERS["timestamp"]: when, CALL_HEADERS["nonce"]: once}


class Client(Endpoints):
    """The platform API for one account. It can be shared by threads.

    >>> client = Client("http://127.0.0.1:4010", credentials)
    >>> client.cashin(amount="25.00", currency="BRL", external_id="order-1").transaction_id
    """

    def __init__(self, base_url: str, credentials: Credentials) -> None:
        self.base_url = base_url.rstrip("/")
        self.credentials = credentials
        self._token: Optional[str] = None
        self._lock = threading.Lock()

    def token(self) -> str:
        """Return the access token; the first call fetches it."""
        with self._lock:
            if self._token is None:
                self._token = self._fetch_token()
            return self._token

    def _fetch_token(self) -> str:
        pair = f"{self.credentials.client_id}:{self.credentials.client_secret}"
        headers = {
            "Authorization": "Basic " + base64.b64encode(pair.encode()).decode(),
            "Content-Type": "application/json",
        }
        body = '{"grant_type":"client_credentials"}'
        return str(send("POST", self.base_url + TOKEN_PATH, headers, body)["access_token"])

    def _call(self, call: Call, fields: Mapping[str, Any], result: Type[Any]) -> Any:
        token = self.token()
        try:
            answer = self._send(call, fields, token)
        except SandboxError as error:
            # The platform checks the token first, so the rejected request has done nothing.
            if error.status != 401 or error.code not in _OUTDATED_TOKEN:
                raise
            with self._lock:
                if self._token == token:
                    self._token = None
            answer = self._send(call, fields, self.token())
        return decode(result, answer["data"])

    def _send(self, call: Call, fields: Mapping[str, Any], token: str) -> Any:
        path, body, content_type = _encode(call, given(fields, DECIMAL_FIELDS))
        headers = {"Authorization": f"Bearer {token}"}
        if content_type is not None:
            headers["Content-Type"] = content_type
        if call.signed:
            headers.update(sign_request(self.credentials.signing_key, body or b""))
        if call.scenario is not None:
            headers[CALL_HEADERS["scenario"]] = call.scenario
        return send(call.method, self.base_url + path, headers, body)


def _encode(call: Call, fields: Dict[str, Any]) -> Tuple[str, Optional[bytes], Optional[str]]:
    """Return the path with its query, the body and its media type."""
    if call.input == "json":
        return call.path, write_json(fields).encode(), "application/json"
    if call.input == "multipart":
        return (call.path, *_form(fields))
    return call.path + (f"?{urlencode(fields)}" if fields else ""), None, None


def _form(fields: Dict[str, Any]) -> Tuple[bytes, str]:
    boundary = uuid.uuid4().hex
    files = fields.pop("files[]", [])
    parts = [(f'name="{name}"', str(value).encode()) for name, value in fields.items()]
    for file in files:
        head = f'name="files[]"; filename="{quote(file.name)}"\r\nContent-Type: {file.type}'
        parts.append((head, file.content))
    body = b"".join(
        f"--{boundary}\r\nContent-Disposition: form-data; {head}\r\n\r\n".encode() + content + b"\r\n"
        for head, content in parts
    )
    return body + f"--{boundary}--\r\n".encode(), f"multipart/form-data; boundary={boundary}"
