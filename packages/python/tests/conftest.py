"""Loads the plugin from the source folder, as an installed package would be loaded."""

pytest_plugins = ["payments_sandbox.plugin", "pytester"]
