# SPDX-License-Identifier: BSD-3-Clause
"""Prints rank 0's view of all ranks by eco_topology.py."""

import sys

from mpi4py import MPI

sys.path.insert(0, sys.argv[1])
import eco_topology

comm = MPI.COMM_WORLD
if comm.rank == 0:
    for rank in range(comm.size):
        print(rank, eco_topology.clusters(comm, rank))
    print("nearest", eco_topology.nearest(comm, 2))
