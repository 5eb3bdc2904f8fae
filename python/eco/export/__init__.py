# SPDX-License-Identifier: BSD-3-Clause
"""`eco export`: the measured network in the files of schedulers, launchers and MPI libraries.

One module for each consumer; `formats.py` is the table of them. Data flows from the profile to a
`Network` (the hosts that are asked for, with their switches and order) to a `Document`.
"""
