"""The cockpit of ECO: the `eco` command, its pictures and the emulated networks."""

__version__ = "0.1.0"
