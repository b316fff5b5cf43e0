"""Tests against payments-sandbox: a pytest plugin and a typed client, with the standard library only.

>>> def test_a_charge_is_paid(sandbox):
...     charge = sandbox.client().cashin(amount="25.00", currency="BRL", external_id="order-1")
...     sandbox.trigger("cashin.pay", charge.transaction_id)
...     webhook = sandbox.webhooks.wait_for("cashin.confirmed", external_id="order-1")
...     assert webhook.data.amount_net == Decimal("24.75")
"""

from .client import Client, sign_request
from .errors import SandboxError, StartError, UnreachableError, WebhookRejected
from .events import verify_webhook
from .records import Credentials, Event, Upload, Webhook
from .sandbox import Sandbox
from .server import Server, find_server, start_server

__all__ = [
    "Client",
    "Credentials",
    "Event",
    "Sandbox",
    "SandboxError",
    "Server",
    "StartError",
    "UnreachableError",
    "Upload",
    "Webhook",
    "WebhookRejected",
    "find_server",
    "sign_request",
    "start_server",
    "verify_webhook",
]
