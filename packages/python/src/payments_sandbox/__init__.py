"""Tests against payments-sandbox: a pytest plugin and a typed client, with the standard library only."""

from .client import Client, WebhookRejected, sign_request, verify_webhook
from .platform import Credential, Upload
from .sandbox import Sandbox
from .server import Server, find_server, start_server
from .wire import SandboxError, StartError, UnreachableError

__all__ = ["Client", "Credential", "Sandbox", "SandboxError", "Server", "StartError", "UnreachableError", "Upload"]
__all__ += ["WebhookRejected", "find_server", "sign_request", "start_server", "verify_webhook"]
