"""Errors, exact JSON, and one HTTP request to a sandbox."""

import dataclasses
import http.client
import json
import typing
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from typing import Any, Dict, Iterable, Mapping, Optional, Union
from urllib.parse import urlsplit

from .platform import ANSWER_HEADERS

__tracebackhide__ = True  # pytest leaves the frames of this module out of a failure's traceback.


@dataclass(eq=False)
class SandboxError(Exception):
    """The sandbox rejected a request. ``code`` is one of ``platform.ErrorCode``."""

    status: int
    code: str
    message: str
    details: Dict[str, Any] = field(default_factory=dict)
    request_id: Optional[str] = None
    """The id of the request in the request log."""
    group: str = "business"
    retryable: bool = False
    """Whether the same request can succeed later."""

    def __str__(self) -> str:
        return f"{self.code} ({self.status}): {self.message}" + (f" {self.details}" if self.details else "")


class UnreachableError(Exception):
    """Nothing answers at the address, or the server there is not a sandbox."""


class StartError(Exception):
    """The sandbox could not be started."""


def parse_json(text: Union[str, bytes]) -> Any:
    """Parse JSON. Numbers with a fraction become exact decimals."""
    return json.loads(text, parse_float=Decimal)


def write_json(value: Any) -> str:
    """Write JSON. Decimals become numbers with exactly their digits."""
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{json.dumps(str(key))}:{write_json(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(write_json, value)) + "]"
    return json.dumps(value, allow_nan=False)


def given(fields: Mapping[str, Any], decimals: Iterable[str] = ()) -> Dict[str, Any]:
    """Return the fields that are not ``None``. Those in ``decimals`` become exact decimals, durations become text."""
    return {key: _given(key, value, decimals) for key, value in fields.items() if value is not None}


def _given(key: str, value: Any, decimals: Iterable[str]) -> Any:
    if isinstance(value, Mapping):
        return given(value, decimals)
    if isinstance(value, (list, tuple)):
        return [_given(key, item, decimals) for item in value]
    if isinstance(value, timedelta):
        return f"{value // timedelta(milliseconds=1)}ms"
    if key not in decimals:
        return value
    if isinstance(value, float):
        raise TypeError(f"{key} is a float, which is not exact; use Decimal('{value}') or '{value}'")
    return Decimal(value)


def decode(kind: Any, value: Any) -> Any:
    """Convert parsed JSON to a type of ``platform``. Unknown fields are ignored."""
    arguments = typing.get_args(kind)
    if value is None or kind is Any:
        return value
    if typing.get_origin(kind) is Union:
        return decode(next(one for one in arguments if one is not type(None)), value)
    if typing.get_origin(kind) is list:
        return [decode(arguments[0], item) for item in value]
    if kind is Decimal:
        return Decimal(value)
    if hasattr(kind, "__dataclass_fields__"):
        return kind(**{row.name: decode(row.type, value.get(row.name)) for row in dataclasses.fields(kind)})
    return value


def send(method: str, url: str, headers: Mapping[str, str], body: Union[str, bytes, None] = None) -> Any:
    """Return the JSON of the response, ``None`` without a body. Proxies of the environment are not used.

    Certificates are verified. ``SSL_CERT_FILE`` names the authorities, as ``payments-sandbox env`` prints it.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UnreachableError(f"{url} is not the URL of a sandbox; use a form such as http://127.0.0.1:4010")
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    # The longest wait of the control API takes 600 seconds.
    connection = kind(parts.hostname, parts.port, timeout=660)
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    try:
        connection.request(method, target, body.encode() if isinstance(body, str) else body, dict(headers))
        response = connection.getresponse()
        text = response.read()
    except (OSError, http.client.HTTPException) as error:
        raise UnreachableError(f"{parts.scheme}://{parts.netloc} cannot be reached: {error}") from None
    finally:
        connection.close()
    return _read(parts.netloc, response.status, response.getheader(ANSWER_HEADERS["request_id"]), text)


def _read(address: str, status: int, request_id: Optional[str], text: bytes) -> Any:
    try:
        value = None if status == 204 else parse_json(text)
    except ValueError:
        request_id = value = None
    if status < 300 and request_id is not None:
        return value
    error = value.get("error") if isinstance(value, dict) else None
    if status < 300 or not isinstance(error, dict) or "code" not in error:
        raise UnreachableError(f"the server at {address} is not a sandbox (HTTP {status})")
    more = {name: error[name] for name in ("details", "group", "retryable") if name in error}
    raise SandboxError(status, error["code"], error.get("message", ""), request_id=request_id, **more)
