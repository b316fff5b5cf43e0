"""The fixtures of the plugin, from the source folder."""

from payments_sandbox.plugin import payments_sandbox, payments_sandbox_server, sandbox  # noqa: F401
