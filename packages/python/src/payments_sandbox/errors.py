"""The errors that this package raises."""

from __future__ import annotations

from typing import Any, Dict, Optional


class SandboxError(Exception):
    """The sandbox rejected a request. ``code`` is one of ``platform.ErrorCode``."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        details: Optional[Dict[str, Any]] = None,
        request_id: Optional[str] = None,
        group: str = "business",
        retryable: bool = False,
    ) -> None:
        super().__init__(f"{code} ({status}): {message}" + (f" {details}" if details else ""))
        self.status = status
        self.code = code
        self.message = message
        self.details = details or {}
        self.request_id = request_id
        """The id of the request in the request log."""
        self.group = group
        self.retryable = retryable
        """Whether the same request can succeed later."""


class UnreachableError(Exception):
    """Nothing answers at the address, or the server there is not a sandbox."""


class StartError(Exception):
    """The sandbox could not be started."""


class WebhookRejected(Exception):
    """A webhook must not be trusted. Respond with 401. ``reason`` is such as ``signature_mismatch``."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"the webhook was rejected: {reason}")
        self.reason = reason
