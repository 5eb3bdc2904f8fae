# SPDX-License-Identifier: BSD-3-Clause
"""Every rank's message to the two after it, by eco_topology.multicast; then wrong arguments."""

import sys

from mpi4py import MPI

sys.path.insert(0, sys.argv[1])
import eco_topology

comm = MPI.COMM_WORLD
me, ranks = comm.rank, comm.size
messages = [(r, 1000 + r, sorted({(r + 1) % ranks, (r + 2) % ranks} - {r})) for r in range(ranks)]
buffers = [
    bytearray([r] * size) if r == me else bytearray(size) if me in to else None
    for r, size, to in messages
]
eco_topology.multicast(comm, messages, buffers)
for (source, size, to), data in zip(messages, buffers, strict=True):
    if me in to:
        assert bytes(data) == bytes([source] * size)
for wrong in ((0, 1, [0]), (0, -1, [1]), (0, 1, [ranks]), (0, 1, [1, 1])):
    try:
        eco_topology.multicast(comm, [wrong], [bytearray(1)])
    except ValueError as error:
        assert "message 0" in str(error)
    else:
        raise AssertionError(wrong)
comm.Barrier()
if me == 0:
    print("all ok")
