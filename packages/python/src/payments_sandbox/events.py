"""Verifies webhooks that a receiver gets."""

from __future__ import annotations

import hashlib
import hmac
import re
import time
from typing import Any, Mapping, Optional, Union

from .errors import WebhookRejected
from .platform import EVENT_DATA, TOLERANCE_SECONDS, WEBHOOK_HEADERS
from .records import Event, decode, parse_json


def verify_webhook(
    body: bytes,
    headers: Mapping[str, str],
    secret: str,
    *,
    tolerance_seconds: int = TOLERANCE_SECONDS,
    now: Optional[int] = None,
) -> Event[Any]:
    """Return the event of a webhook whose signature and age are right.

    :param body: The raw body. JSON that was parsed and written again has another signature.
    :param headers: The headers of the request; their names may have any case.
    :param secret: The ``webhook_secret`` of the account.
    :param now: Unix time in seconds (default: the current time).
    :raises WebhookRejected: If the webhook must not be trusted.
    """
    if not secret:
        raise WebhookRejected("missing_secret")
    if not isinstance(body, (bytes, bytearray)):
        raise WebhookRejected("unusable_body")
    signature = _header(headers, WEBHOOK_HEADERS["signature"], "signature")
    if re.fullmatch("[0-9a-f]{64}", signature) is None:
        raise WebhookRejected("malformed_signature")
    expected = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(signature, expected):
        raise WebhookRejected("signature_mismatch")
    timestamp = _header(headers, WEBHOOK_HEADERS["timestamp"], "timestamp")
    if re.fullmatch("[0-9]{1,12}", timestamp) is None:
        raise WebhookRejected("malformed_timestamp")
    if abs((int(time.time()) if now is None else now) - int(timestamp)) > tolerance_seconds:
        raise WebhookRejected("stale_timestamp")
    try:
        return read_event(body)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, ArithmeticError) as error:
        raise WebhookRejected("malformed_body") from error


def _header(headers: Mapping[str, str], name: str, short: str) -> str:
    values = {value for key, value in headers.items() if key.lower() == name.lower()}
    if len(values) != 1 or "" in values:
        raise WebhookRejected(f"missing_{short}")
    return values.pop()


def read_event(body: Union[str, bytes]) -> Event[Any]:
    """Parse the body of a webhook. The type of ``data`` is in ``platform``, such as ``CashinConfirmedData``."""
    fields = parse_json(body)
    name = fields["event"]
    data = decode(EVENT_DATA.get(name, Any), fields["data"])
    return Event(name, fields["timestamp"], fields["transaction_id"], data)
