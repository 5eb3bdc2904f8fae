"""The lab: emulated networks of several hosts on one machine."""
