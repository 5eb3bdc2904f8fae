# SPDX-License-Identifier: BSD-3-Clause
"""Molecular dynamics of liquid argon with replicated data, as CHARMM does it.

Every rank knows all positions, owns a slice of the atoms and computes a share of the pair
interactions. A step is: move the own atoms, gather-to-all of the positions, forces of the own
pairs on all atoms, reduce-to-all of the forces. Lennard-Jones units: argon's length, energy and
mass are 1. The program knows nothing about how its collectives are done.

    mpirun -n 8 python md.py --atoms 4000 --steps 10
"""

import argparse
import json
import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from mpi4py import MPI
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

DENSITY = 0.7
CUTOFF = 2.5
SKIN = 0.3  # pairs up to CUTOFF + SKIN are listed; the list holds until an atom moved SKIN / 2
REPORT = 5  # steps between two reductions of the energies
PRIME = 2147483647

# One of every two opposite neighbour cells, so that a pair is seen once; the cell itself first.
HALF_STENCIL = [(0, 0, 0)] + [
    (dx, dy, dz)
    for dx in (-1, 0, 1)
    for dy in (-1, 0, 1)
    for dz in (-1, 0, 1)
    if (dx, dy, dz) > (0, 0, 0)
]


class Communication:
    """Counts the seconds that this rank spends in collectives, by operation."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def __call__(self, call: Callable[..., Any], *arguments: Any, **options: Any) -> None:
        start = time.perf_counter()
        call(*arguments, **options)
        name = call.__name__.lower()
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start


def lattice(atoms: int) -> tuple[Floats, float]:
    """Positions on a simple cubic lattice (spread evenly over its sites) and the box's side."""
    side = 1
    while side**3 < atoms:
        side += 1
    box = (atoms / DENSITY) ** (1 / 3)
    site = np.arange(atoms) * side**3 // atoms
    grid = np.stack([site // side**2, site // side % side, site % side], axis=1)
    return (grid + 0.5) * (box / side), box


def velocities(atoms: int) -> Floats:
    """Pseudo-random velocities: no net momentum, temperature 1; the same on all ranks."""
    seed = np.arange(1, 3 * atoms + 1, dtype=np.int64) * 48271 % PRIME
    seed = seed * seed % PRIME * 69621 % PRIME
    velocity = (seed / PRIME - 0.5).reshape(atoms, 3)
    velocity -= velocity.mean(axis=0)
    return velocity * np.sqrt(3 * atoms / max((velocity**2).sum(), 1e-300))


def nearest(distance: Floats, box: float) -> Floats:
    """The distance to the nearest of the periodic images."""
    return distance - box * np.rint(distance / box)


def candidates(own: slice, position: Floats, box: float) -> tuple[Ints, Ints]:
    """Pairs of an own atom with any other that may be near: of neighbouring cells, each once."""
    atoms = len(position)
    first = np.arange(own.start, own.stop)
    cells = int(box / (CUTOFF + SKIN))
    if cells < 3:  # too small for a stencil: all pairs
        i, j = np.meshgrid(first, np.arange(atoms), indexing="ij")
        return i[j > i], j[j > i]
    place = np.floor(position * (cells / box)).astype(np.int64) % cells
    cell = (place[:, 0] * cells + place[:, 1]) * cells + place[:, 2]
    order = np.argsort(cell, kind="stable")
    count = np.bincount(cell, minlength=cells**3)
    rank_in_cell = np.arange(atoms) - (np.cumsum(count) - count)[cell[order]]
    members = np.full((cells**3, int(count.max())), -1, dtype=np.int64)
    members[cell[order], rank_in_cell] = order

    around = (place[own, None, :] + np.array(HALF_STENCIL)) % cells
    near = members[(around[..., 0] * cells + around[..., 1]) * cells + around[..., 2]]
    wanted = near >= 0
    wanted[:, 0] &= near[:, 0] > first[:, None]
    i = np.broadcast_to(first[:, None, None], near.shape)
    return i[wanted], near[wanted]


class Forces:
    """This rank's share of the pair forces, with a list of near pairs that is renewed at need."""

    def __init__(self, own: slice, box: float) -> None:
        self.own, self.box = own, box
        self.listed_at: Floats | None = None
        self.pairs: tuple[Ints, Ints] = (np.empty(0, np.int64), np.empty(0, np.int64))

    def _list(self, position: Floats) -> None:
        i, j = candidates(self.own, position, self.box)
        apart = (nearest(position[i] - position[j], self.box) ** 2).sum(axis=1)
        near = apart < (CUTOFF + SKIN) ** 2
        self.pairs = i[near], j[near]
        self.listed_at = position.copy()

    def __call__(self, position: Floats) -> tuple[Floats, float]:
        """Forces on all atoms by the own pairs, and these pairs' energy."""
        if self.listed_at is None or (
            (nearest(position - self.listed_at, self.box) ** 2).sum(axis=1).max() > (SKIN / 2) ** 2
        ):
            self._list(position)
        i, j = self.pairs
        apart = nearest(position[i] - position[j], self.box)
        square = (apart**2).sum(axis=1)
        near = square < CUTOFF**2
        i, j, apart, square = i[near], j[near], apart[near], square[near]
        sixth = 1 / square**3
        pull = (24 * (2 * sixth**2 - sixth) / square)[:, None] * apart
        force = np.empty_like(position)
        for axis in range(3):
            force[:, axis] = np.bincount(i, pull[:, axis], len(position))
            force[:, axis] -= np.bincount(j, pull[:, axis], len(position))
        at_cutoff = 4 * (CUTOFF**-12 - CUTOFF**-6)
        return force, float((4 * (sixth**2 - sixth) - at_cutoff).sum())


def simulate(world: MPI.Comm, atoms: int, steps: int, timestep: float) -> dict[str, Any]:
    """Run; what the figures are on rank 0, with meaningless energies on the others."""
    rank, size = world.Get_rank(), world.Get_size()
    bounds = [atoms * r // size for r in range(size + 1)]
    own = slice(bounds[rank], bounds[rank + 1])
    counts = [3 * (b - a) for a, b in pairwise(bounds)]
    starts = [3 * b for b in bounds[:-1]]
    timed = Communication()

    world.Barrier()
    begin = time.perf_counter()
    parameters = np.array([timestep if rank == 0 else 0.0])
    timed(world.Bcast, parameters, root=0)
    position, box = lattice(atoms)
    velocity = velocities(atoms)[own]
    forces = Forces(own, box)
    partial, potential = forces(position)
    force = np.empty_like(position)
    timed(world.Allreduce, partial, force, op=MPI.SUM)

    energy = np.zeros(2)
    trace: list[float] = []

    def report() -> None:
        mine = np.array([potential, 0.5 * float((velocity**2).sum())])
        timed(world.Reduce, mine, energy, op=MPI.SUM, root=0)
        trace.append(float(energy.sum()) / atoms)

    report()
    for step in range(1, steps + 1):
        dt = parameters[0]
        velocity += 0.5 * dt * force[own]
        moved = (position[own] + dt * velocity) % box
        timed(world.Allgatherv, moved, [position, counts, starts, MPI.DOUBLE])
        partial, potential = forces(position)
        timed(world.Allreduce, partial, force, op=MPI.SUM)
        velocity += 0.5 * dt * force[own]
        if step % REPORT == 0 or step == steps:
            report()
            timed(world.Bcast, parameters, root=0)
    total = time.perf_counter() - begin

    slowest = np.empty(2)
    world.Allreduce(np.array([total, sum(timed.seconds.values())]), slowest, op=MPI.MAX)
    return {
        "atoms": atoms,
        "ranks": size,
        "steps": steps,
        "total_s": slowest[0],
        "communication_s": slowest[1],
        "energy_start": trace[0],
        "energy": trace[-1],
        "drift": max(abs(e - trace[0]) for e in trace),
        "operations_s": timed.seconds,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--atoms", type=int, default=4000)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--timestep", type=float, default=0.004)
    parser.add_argument("--json", action="store_true", help="print one line of JSON")
    options = parser.parse_args()
    if options.atoms < 100 or options.steps < 0:  # the box must hold two cutoffs
        parser.error("--atoms must be at least 100 and --steps at least 0")

    result = simulate(MPI.COMM_WORLD, options.atoms, options.steps, options.timestep)
    if MPI.COMM_WORLD.Get_rank() != 0:
        return
    if options.json:
        print(json.dumps(result))
        return
    print(f"{result['atoms']} atoms, {result['ranks']} ranks, {result['steps']} steps")
    print(f"energy per atom {result['energy']:.9f}, drift {result['drift']:.1e}")
    print(f"total {result['total_s']:.3f} s, communication {result['communication_s']:.3f} s")
    for name, seconds in result["operations_s"].items():
        print(f"  {name:<11} {seconds:.3f} s (rank 0)")


if __name__ == "__main__":
    main()
