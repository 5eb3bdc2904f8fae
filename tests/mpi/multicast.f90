! SPDX-License-Identifier: BSD-3-Clause
! Ranks 0 and 1 each send a message to all others by eco_multicast.
program multicast
  use mpi
  use eco
  use, intrinsic :: iso_c_binding
  implicit none
  integer, parameter :: words = 500
  integer :: rank, ranks, ierror, m, r, total
  integer, target :: room(words, 2)
  integer, allocatable :: destinations(:)
  type(c_ptr) :: buffers(2)
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  allocate (destinations(2 * (ranks - 1)))
  total = 0
  room = -1
  do m = 1, 2
    buffers(m) = c_loc(room(1, m))
    if (rank == m - 1) room(:, m) = 7 * m
    do r = 0, ranks - 1
      if (r == m - 1) cycle
      total = total + 1
      destinations(total) = r
    end do
  end do
  call eco_multicast(2, [0, 1], [integer(MPI_ADDRESS_KIND) :: 4 * words, 4 * words], &
                     [ranks - 1, ranks - 1], destinations, buffers, MPI_COMM_WORLD, ierror)
  if (ierror /= MPI_SUCCESS .or. any(room(:, 1) /= 7) .or. any(room(:, 2) /= 14)) then
    print '(a,i0)', 'wrong on rank ', rank
    call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
  end if
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  if (rank == 0) print '(a)', 'all ok'
  call MPI_Finalize(ierror)
end program
