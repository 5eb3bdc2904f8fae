# SPDX-License-Identifier: BSD-3-Clause
"""What bench/papers/wu.py is made of."""
