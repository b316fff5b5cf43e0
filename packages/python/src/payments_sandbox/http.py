"""One HTTP request to a sandbox: its JSON, or its error."""

from __future__ import annotations

import http.client
from typing import Any, Dict, Mapping, Optional, Union
from urllib.parse import urlsplit

from .errors import SandboxError, UnreachableError
from .platform import ANSWER_HEADERS
from .records import parse_json

LONGEST_SECONDS = 660
"""Longer than the longest wait of the control API."""


def send(method: str, url: str, headers: Mapping[str, str], body: Union[str, bytes, None] = None) -> Any:
    """Return the JSON of the response, ``None`` without a body. Proxies of the environment are not used.

    Certificates are verified; ``SSL_CERT_FILE`` names the authorities, as ``payments-sandbox env`` prints it.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or parts.hostname is None:
        raise UnreachableError(f"{url} is not the URL of a sandbox; use a form such as http://127.0.0.1:4010")
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname, parts.port, timeout=LONGEST_SECONDS)
    data = body.encode() if isinstance(body, str) else body
    try:
        connection.request(method, parts.path + (f"?{parts.query}" if parts.query else ""), data, dict(headers))
        response = connection.getresponse()
        text = response.read()
    except (OSError, http.client.HTTPException) as error:
        raise UnreachableError(f"nothing answers at {parts.scheme}://{parts.netloc}: {error}") from error
    finally:
        connection.close()
    return _read(url, response.status, response.getheader(ANSWER_HEADERS["request_id"]), text)


def _read(url: str, status: int, request_id: Optional[str], text: bytes) -> Any:
    if status == 204:
        return None
    try:
        value = parse_json(text)
    except ValueError:
        value = None
    if status < 300 and request_id is not None:
        return value
    error = value.get("error") if isinstance(value, dict) else None
    if status < 300 or not isinstance(error, dict) or "code" not in error:
        raise UnreachableError(f"the server at {url} is not a sandbox (HTTP {status})")
    raise _error(status, error, request_id)


def _error(status: int, fields: Dict[str, Any], request_id: Optional[str]) -> SandboxError:
    return SandboxError(
        status,
        fields["code"],
        fields.get("message", ""),
        fields.get("details"),
        request_id,
        fields.get("group", "business"),
        fields.get("retryable", False),
    )
