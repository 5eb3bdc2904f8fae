! SPDX-License-Identifier: BSD-3-Clause
! Prints rank 0's clusters by eco.f90.
program levels
  use mpi
  use eco
  implicit none
  integer :: rank, depth, level, cluster, leader, ierror
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call eco_levels(MPI_COMM_WORLD, 0, depth, ierror)
  if (rank == 0) then
    do level = 0, depth - 1
      call eco_cluster(MPI_COMM_WORLD, 7, level, cluster, ierror)
      call eco_leader(MPI_COMM_WORLD, 7, level, leader, ierror)
      print '(a,i0,a,i0,a,i0)', 'level ', level, ': ', cluster, '/', leader
    end do
  end if
  call MPI_Finalize(ierror)
end program
