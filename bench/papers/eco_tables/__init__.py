# SPDX-License-Identifier: BSD-3-Clause
"""What eco.py is made of: Fig. 1, the runs, the tables, the report."""
