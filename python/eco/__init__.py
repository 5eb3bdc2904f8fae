# SPDX-License-Identifier: BSD-3-Clause
"""The Python part of ECO: the `eco` command, its pictures and the emulated networks."""
