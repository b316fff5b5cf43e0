"""The fixtures of the plugin, from the source folder."""

from payments_sandbox.plugin import sandbox, sandbox_server  # noqa: F401
