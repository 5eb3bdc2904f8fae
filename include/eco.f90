! What ECO knows of the network, for Fortran programs; see eco.h. Compile it with the program.
! Communicators are given as integers (of mpi_f08: comm%MPI_VAL). Without ECO all ranks are in one
! cluster of one level.
module eco
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: eco_levels, eco_cluster, eco_leader

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
  end interface

contains

  ! How many levels the rank has a cluster at.
  subroutine eco_levels(comm, rank, levels, ierror)
    integer, intent(in) :: comm, rank
    integer, intent(out) :: levels, ierror
    type(c_funptr) :: found
    procedure(of_rank), pointer :: call_it
    levels = 1
    ierror = 0
    found = dlsym(c_null_ptr, "eco_comm_levels_f" // c_null_char)
    if (.not. c_associated(found)) return
    call c_f_procpointer(found, call_it)
    ierror = call_it(comm, rank, levels)
  end subroutine

  ! The id of its cluster at a level (0 is the widest), the same for all ranks in it.
  subroutine eco_cluster(comm, rank, level, cluster, ierror)
    integer, intent(in) :: comm, rank, level
    integer, intent(out) :: cluster, ierror
    call ask("eco_comm_cluster_f", comm, rank, level, cluster, ierror)
  end subroutine

  ! The rank that speaks for its cluster at a level.
  subroutine eco_leader(comm, rank, level, leader, ierror)
    integer, intent(in) :: comm, rank, level
    integer, intent(out) :: leader, ierror
    call ask("eco_comm_leader_f", comm, rank, level, leader, ierror)
  end subroutine

  subroutine ask(name, comm, rank, level, answer, ierror)
    character(*), intent(in) :: name
    integer, intent(in) :: comm, rank, level
    integer, intent(out) :: answer, ierror
    type(c_funptr) :: found
    procedure(of_level), pointer :: call_it
    answer = 0
    ierror = merge(0, 1, level == 0)
    found = dlsym(c_null_ptr, name // c_null_char)
    if (.not. c_associated(found)) return
    call c_f_procpointer(found, call_it)
    ierror = call_it(comm, rank, level, answer)
  end subroutine

end module
