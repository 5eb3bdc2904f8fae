# SPDX-License-Identifier: BSD-3-Clause
"""Three-dimensional Fourier transforms with mpi4py-fft, forth and back, which are all-to-alls."""

import sys
import time

import numpy
from mpi4py import MPI
from mpi4py_fft import PFFT, newDistArray

world = MPI.COMM_WORLD
times = int(sys.argv[1]) if len(sys.argv) > 1 else 4
fft = PFFT(world, (64, 64, 64), dtype=float)
field = newDistArray(fft, False)
field[:] = numpy.random.default_rng(world.rank).random(field.shape)
before = field.copy()
world.Barrier()
began = time.perf_counter()
for _ in range(times):
    field = fft.backward(fft.forward(field))
took = time.perf_counter() - began
off = world.reduce(float(abs(field - before).max()), MPI.MAX)
if world.rank == 0:
    assert off is not None
    print(f"off by {off:.0e}")
    print(f"took {took:.3f} s")
