# SPDX-License-Identifier: BSD-3-Clause
"""The lowest eigenvalue of Poisson's equation with PETSc: inverse iteration, and in it conjugate
gradients, with sums of one number in each step."""

import sys
import time

import petsc4py

petsc4py.init(sys.argv)
from petsc4py import PETSc  # noqa: E402

grid = PETSc.DMDA().create([60, 60], stencil_width=1)
matrix = grid.createMatrix()
row, column = PETSc.Mat.Stencil(), PETSc.Mat.Stencil()
(left, right), (low, high) = grid.getRanges()
for y in range(low, high):
    for x in range(left, right):
        row.index = (x, y)
        for at, value in (((x, y), 4.0), ((x - 1, y), -1.0), ((x + 1, y), -1.0),
                          ((x, y - 1), -1.0), ((x, y + 1), -1.0)):  # fmt: skip
            if all(0 <= each < 60 for each in at):
                column.index = at
                matrix.setValueStencil(row, column, value)
matrix.assemble()
solution, goal = matrix.createVecs()
goal.set(1.0)
solver = PETSc.KSP().create()
solver.setOperators(matrix)
solver.getPC().setType("jacobi")
solver.setType("cg")
solver.setTolerances(rtol=1e-8)
solver.setFromOptions()
began = time.perf_counter()
iterations, lowest = 0, 0.0
for _ in range(5):
    solver.solve(goal, solution)
    iterations += solver.getIterationNumber()
    lowest = goal.norm() / solution.norm()
    solution.copy(goal)
    goal.normalize()
took = time.perf_counter() - began
PETSc.Sys.Print(f"{iterations} iterations, eigenvalue {lowest:.6f}")
PETSc.Sys.Print(f"took {took:.3f} s")
