"""Plain values that the other modules share, and the conversion of JSON to and from them."""

from __future__ import annotations

import dataclasses
import json
import typing
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from functools import lru_cache
from typing import Any, Dict, Generic, Iterable, List, Mapping, Optional, Tuple, Type, TypeVar, Union

Amount = Union[Decimal, str, int]
"""An exact amount. A ``float`` is rejected, because it is not exact."""

Duration = Union[timedelta, str, int]
"""A ``timedelta``, a number of seconds, or text such as ``10m``."""

Data = TypeVar("Data")


@dataclass(frozen=True)
class ErrorInfo:
    """A row of the catalogue of errors."""

    status: int
    group: str
    retryable: bool
    message: str


@dataclass(frozen=True)
class Call:
    """How an endpoint is called."""

    method: str
    path: str
    input: str
    signed: bool
    scenario: Optional[str]


@dataclass(frozen=True)
class Upload:
    """A file that is attached to a reply to a dispute."""

    name: str
    content: bytes
    type: str


@dataclass(frozen=True)
class Credentials:
    """The secrets of an account of the sandbox."""

    username: str
    client_id: str
    client_secret: str
    signing_key: str
    webhook_secret: str


@dataclass(frozen=True)
class Event(Generic[Data]):
    """An event as the platform sends it in a webhook."""

    event: str
    timestamp: str
    transaction_id: str
    data: Data


@dataclass(frozen=True)
class Webhook(Generic[Data]):
    """An event with its delivery. ``body`` is the exact text that was sent."""

    id: str
    event: str
    transaction_id: str
    external_id: Optional[str]
    url: Optional[str]
    status: str
    body: str
    attempts: List[Any]
    data: Data


@dataclass(frozen=True)
class Message:
    """A webhook that an inbox received. ``raw`` is the exact text."""

    headers: Dict[str, str]
    raw: str
    signature_valid: Optional[bool]
    received_at: str


@dataclass(frozen=True)
class Triggered:
    """The result of an action: the changed object, and the ``id`` and ``event`` of each event."""

    action: str
    object: Dict[str, Any]
    events: List[Any]


@dataclass(frozen=True)
class Advanced:
    """The result of an advance of the clock. If not ``complete``, receivers have not responded yet."""

    now: str
    complete: bool
    ran: List[Any]


@dataclass(frozen=True)
class Run:
    """A run of a scenario; ``status`` is ``running``, ``passed``, ``failed`` or ``canceled``."""

    id: str
    scenario: str
    status: str
    steps: List[Any]
    vars: Dict[str, Any]


def parse_json(text: Union[str, bytes]) -> Any:
    """Parse JSON. Numbers with a fraction become exact decimals."""
    return json.loads(text, parse_float=Decimal)


def write_json(value: Any) -> str:
    """Write JSON. Decimals become numbers with exactly their digits."""
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise ValueError(f"{value} is not an amount; use a finite decimal such as Decimal('25.00')")
        return format(value, "f")
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{json.dumps(str(key))}:{write_json(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(write_json(item) for item in value) + "]"
    return json.dumps(value, allow_nan=False)


def exact(name: str, value: Any) -> Any:
    """Return the amount as a decimal; raise ``TypeError`` for a ``float``."""
    if isinstance(value, float):
        raise TypeError(f"{name} is a float, which is not exact; use Decimal('{value}') or '{value}'")
    return Decimal(value) if isinstance(value, str) else value


def given(fields: Mapping[str, Any], decimals: Iterable[str] = ()) -> Dict[str, Any]:
    """Return the fields that are not ``None``, with exact amounts."""
    return {key: _given(key, value, decimals) for key, value in fields.items() if value is not None}


def _given(key: str, value: Any, decimals: Iterable[str]) -> Any:
    if isinstance(value, Mapping):
        return given(value, decimals)
    if isinstance(value, (list, tuple)):
        return [_given(key, item, decimals) for item in value]
    return exact(key, value) if key in decimals else value


def duration(value: Duration) -> Union[str, int]:
    """Return the duration in the form that the control API accepts."""
    return f"{value // timedelta(milliseconds=1)}ms" if isinstance(value, timedelta) else value


def decode(kind: Any, value: Any) -> Any:
    """Convert parsed JSON to a type of ``platform``. Unknown fields are ignored."""
    if value is None or kind is Any:
        return value
    arguments = typing.get_args(kind)
    if typing.get_origin(kind) is Union:
        return decode(next(one for one in arguments if one is not type(None)), value)
    if typing.get_origin(kind) is list:
        return [decode(arguments[0], item) for item in value]
    if kind is Decimal:
        return Decimal(str(value))
    if dataclasses.is_dataclass(kind):
        return kind(**{name: decode(hint, value.get(name)) for name, hint in _hints(kind)})  # type: ignore[operator]
    return value


@lru_cache(maxsize=None)
def _hints(kind: Type[Any]) -> Tuple[Tuple[str, Any], ...]:
    return tuple(typing.get_type_hints(kind).items())
