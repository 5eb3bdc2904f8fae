# SPDX-License-Identifier: BSD-3-Clause
"""`eco doctor`: what keeps ECO or MPI from working well on these hosts, and what to do about it."""
