! SPDX-License-Identifier: BSD-3-Clause
! What ECO knows of the network, for Fortran programs; see eco.h. Compile it with the program.
! Communicators are given as integers (of mpi_f08: comm%MPI_VAL). Without ECO all ranks are in one
! cluster of one level, and messages go straight from each source to each destination.
module eco
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: eco_levels, eco_cluster, eco_leader, eco_multicast

  include "mpif.h"

  interface
    function dlsym(handle, name) bind(c, name="dlsym") result(address)
      import :: c_ptr, c_funptr, c_char
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: name(*)
      type(c_funptr) :: address
    end function
  end interface

  abstract interface
    function of_rank(comm, rank, answer) bind(c) result(code)
      import :: c_int
      integer(c_int), value :: comm, rank
      integer(c_int), intent(out) :: answer
      integer(c_int) :: code
    end function
    function of_level(comm, rank, level, answer) bind(c) result(code)
      import :: c_int
      integer(c_int), value :: comm, rank, level
      integer(c_int), intent(out) :: answer
      integer(c_int) :: code
    end function
    function of_messages(count, sources, bytes, degrees, destinations, buffers, comm, taken) &
        bind(c) result(code)
      import :: c_int, c_intptr_t, c_ptr
      integer(c_int), value :: count, comm
      integer(c_int), intent(in) :: sources(*), degrees(*), destinations(*)
      integer(c_intptr_t), intent(in) :: bytes(*)
      type(c_ptr), intent(in) :: buffers(*)
      integer(c_int), intent(out) :: taken
      integer(c_int) :: code
    end function
  end interface

contains

  ! How many levels the rank has a cluster at.
  subroutine eco_levels(comm, rank, levels, ierror)
    integer, intent(in) :: comm, rank
    integer, intent(out) :: levels, ierror
    type(c_funptr) :: found
    procedure(of_rank), pointer :: call_it
    levels = 1
    found = dlsym(c_null_ptr, "eco_comm_levels_f" // c_null_char)
    if (.not. c_associated(found)) then
      ierror = check_rank(comm, rank)
      return
    end if
    call c_f_procpointer(found, call_it)
    ierror = call_it(comm, rank, levels)
  end subroutine

  ! The id of its cluster at a level (0 is the widest), the same for all ranks in it.
  subroutine eco_cluster(comm, rank, level, cluster, ierror)
    integer, intent(in) :: comm, rank, level
    integer, intent(out) :: cluster, ierror
    call ask("eco_comm_cluster_f", comm, rank, level, cluster, ierror)
  end subroutine

  ! The leader of its cluster at a level: the rank that sends and receives for it.
  subroutine eco_leader(comm, rank, level, leader, ierror)
    integer, intent(in) :: comm, rank, level
    integer, intent(out) :: leader, ierror
    call ask("eco_comm_leader_f", comm, rank, level, leader, ierror)
  end subroutine

  integer function check_rank(comm, rank) result(ierror)
    integer, intent(in) :: comm, rank
    integer :: ranks
    call MPI_Comm_size(comm, ranks, ierror)
    if (rank < 0 .or. rank >= ranks) ierror = MPI_ERR_RANK
  end function

  subroutine ask(name, comm, rank, level, answer, ierror)
    character(*), intent(in) :: name
    integer, intent(in) :: comm, rank, level
    integer, intent(out) :: answer, ierror
    type(c_funptr) :: found
    procedure(of_level), pointer :: call_it
    answer = 0
    found = dlsym(c_null_ptr, name // c_null_char)
    if (.not. c_associated(found)) then
      ierror = merge(check_rank(comm, rank), MPI_ERR_ARG, level == 0)
      return
    end if
    call c_f_procpointer(found, call_it)
    ierror = call_it(comm, rank, level, answer)
  end subroutine

  ! Several messages at once: ECO_Multicast of eco.h. buffers(m) is c_loc of message m's at its
  ! source and its destinations.
  subroutine eco_multicast(count, sources, bytes, degrees, destinations, buffers, comm, ierror)
    integer, intent(in) :: count, sources(*), degrees(*), destinations(*), comm
    integer(MPI_ADDRESS_KIND), intent(in) :: bytes(*)
    type(c_ptr), intent(in) :: buffers(*)
    integer, intent(out) :: ierror
    integer :: taken
    type(c_funptr) :: found
    procedure(of_messages), pointer :: call_it
    found = dlsym(c_null_ptr, "eco_multicast_f" // c_null_char)
    if (c_associated(found)) then
      call c_f_procpointer(found, call_it)
      ierror = call_it(count, sources, bytes, degrees, destinations, buffers, comm, taken)
      if (taken /= 0 .or. ierror /= MPI_SUCCESS) return
    end if
    call straight(count, sources, bytes, degrees, destinations, buffers, comm, ierror)
  end subroutine

  subroutine straight(count, sources, bytes, degrees, destinations, buffers, comm, ierror)
    integer, intent(in) :: count, sources(*), degrees(*), destinations(*), comm
    integer(MPI_ADDRESS_KIND), intent(in) :: bytes(*)
    type(c_ptr), intent(in) :: buffers(*)
    integer, intent(out) :: ierror
    integer :: ranks, me, own, waiting, m, d, first
    integer, allocatable :: requests(:)
    character(kind=c_char), pointer, contiguous :: data(:)
    call MPI_Comm_size(comm, ranks, ierror)
    call MPI_Comm_rank(comm, me, ierror)
    ierror = merge(MPI_ERR_COUNT, MPI_SUCCESS, count < 0)
    first = 0
    do m = 1, count
      if (sources(m) < 0 .or. sources(m) >= ranks) ierror = MPI_ERR_RANK
      if (bytes(m) < 0 .or. bytes(m) > huge(me) .or. degrees(m) < 0) ierror = MPI_ERR_COUNT
      if (ierror /= MPI_SUCCESS) exit
      do d = first + 1, first + degrees(m)
        if (destinations(d) < 0 .or. destinations(d) >= ranks) ierror = MPI_ERR_RANK
        if (destinations(d) == sources(m)) ierror = MPI_ERR_ARG
        if (any(destinations(first + 1:d - 1) == destinations(d))) ierror = MPI_ERR_ARG
      end do
      first = first + degrees(m)
    end do
    if (ierror /= MPI_SUCCESS) then
      call MPI_Comm_call_errhandler(comm, ierror, d)
      return
    end if
    allocate (requests(first))
    call MPI_Comm_dup(comm, own, ierror)
    waiting = 0
    first = 0
    do m = 1, count
      do d = first + 1, first + degrees(m)
        if (me /= sources(m) .and. me /= destinations(d)) cycle
        waiting = waiting + 1
        call c_f_pointer(buffers(m), data, [bytes(m)])
        if (me == sources(m)) then
          call MPI_Isend(data, int(bytes(m)), MPI_BYTE, destinations(d), 0, own, &
                         requests(waiting), ierror)
        else
          call MPI_Irecv(data, int(bytes(m)), MPI_BYTE, sources(m), 0, own, &
                         requests(waiting), ierror)
        end if
      end do
      first = first + degrees(m)
    end do
    call MPI_Waitall(waiting, requests, MPI_STATUSES_IGNORE, ierror)
    call MPI_Comm_free(own, ierror)
  end subroutine

end module
