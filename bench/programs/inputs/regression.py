# SPDX-License-Identifier: BSD-3-Clause
"""Training over all ranks with mpi4py and NumPy: the data is scattered, gradients are summed."""

import sys
import time

import numpy
from mpi4py import MPI

world = MPI.COMM_WORLD
steps = int(sys.argv[1]) if len(sys.argv) > 1 else 40
rows, columns = 200, 2000
began = time.perf_counter()
draw = numpy.random.default_rng(1)
weights = numpy.zeros(columns)
own = numpy.empty((rows, columns), dtype=numpy.float32)
everything = None
if world.rank == 0:
    everything = draw.normal(size=(world.size, rows, columns)).astype(numpy.float32)
world.Scatter(everything, own)
goals = (own.sum(axis=1) > 0).astype(float)
for step in range(steps):
    errors = 1 / (1 + numpy.exp(-own @ weights)) - goals
    gradient = own.T @ errors / (rows * world.size)
    world.Allreduce(MPI.IN_PLACE, gradient)
    weights -= 0.5 * gradient
    if step % 10 == 9:
        world.Bcast(weights)
right = world.reduce(int(((own @ weights > 0) == (goals > 0)).sum()))
if world.rank == 0:
    print(f"right {right} of {rows * world.size}, weights {numpy.abs(weights).sum():.6f}")
    print(f"took {time.perf_counter() - began:.3f} s")
