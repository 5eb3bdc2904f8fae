! SPDX-License-Identifier: BSD-3-Clause
! The main collectives from Fortran, once for each of its three interfaces (USE_mpif_h, USE_mpi,
! USE_mpi_f08), with the sentinels MPI_IN_PLACE and MPI_BOTTOM. Prints `ok NAME HASH` per part on
! rank 0 and at last `all ok`; stops with an error at the first wrong result.
#if defined(USE_mpi_f08)
#define COMM type(MPI_Comm)
#define DATATYPE type(MPI_Datatype)
#define OPERATION type(MPI_Op)
#define REQUEST type(MPI_Request)
#else
#define COMM integer
#define DATATYPE integer
#define OPERATION integer
#define REQUEST integer
#endif

module results
#if defined(USE_mpi_f08)
  use mpi_f08
#if defined(EXTENSIONS)
  use mpi_f08_ext
#endif
#elif defined(USE_mpi)
  use mpi
#if defined(EXTENSIONS)
  use mpi_ext
#endif
#endif
  implicit none
#if defined(USE_mpif_h)
  include 'mpif.h'
#if defined(EXTENSIONS)
  include 'mpif-ext.h'
#endif
#endif
  integer :: me, ranks, error
  integer(8) :: hash = 17
  character(40) :: part = 'start'

contains

  subroutine expect(got, want)
    integer, intent(in) :: got(:), want(:)
    integer :: n
    do n = 1, size(got)
      if (got(n) /= want(n)) then
        print '(3a,4(i0,a))', 'FAILED in ', trim(part), ' on rank ', me, ': element ', n, &
          ' is ', got(n), ', not ', want(n), ''
        call MPI_Abort(MPI_COMM_WORLD, 1, error)
      end if
      hash = mod(hash*31 + abs(got(n)), 1000000007_8)
    end do
  end subroutine

  subroutine done()
    if (me == 0) print '(3a,i0)', 'ok ', trim(part), ' ', hash
    part = 'next'
  end subroutine

  ! A user's operation that does not commute: composition of maps x -> a x + b modulo 10007.
  subroutine compose(in, inout, length, kind_of)
    integer, intent(in) :: length
    integer, intent(in) :: in(2, *)
    integer, intent(inout) :: inout(2, *)
    DATATYPE, intent(in) :: kind_of
    integer :: n, type_size
    call MPI_Type_size(kind_of, type_size, error)
    if (type_size /= 8) call MPI_Abort(MPI_COMM_WORLD, 3, error)
    do n = 1, length
      inout(2, n) = mod(in(2, n)*inout(1, n) + inout(2, n), 10007)
      inout(1, n) = mod(in(1, n)*inout(1, n), 10007)
    end do
  end subroutine

#if defined(USE_mpi_f08)
  subroutine compose_f08(in, inout, length, kind_of)
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    type(c_ptr), value :: in, inout
    integer :: length
    DATATYPE :: kind_of
    integer, pointer :: a(:, :), b(:, :)
    call c_f_pointer(in, a, [2, length])
    call c_f_pointer(inout, b, [2, length])
    call compose(a, b, length, kind_of)
  end subroutine
#endif
end module

program collectives
  use results
  implicit none
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  call moves(MPI_COMM_WORLD, 'moves')
  call in_place(MPI_COMM_WORLD, 'in place')
  call reductions(MPI_COMM_WORLD, 'reductions')
  call own_operation()
  call bottom()
  call in_a_split()
  call not_blocking()
#if defined(EXTENSIONS)
  call persistent()
#endif
  call MPI_Barrier(MPI_COMM_WORLD, error)
  if (me == 0) print '(a)', 'all ok'
  call MPI_Finalize(error)

contains

  subroutine moves(on, name)
    COMM, intent(in) :: on
    character(*), intent(in) :: name
    integer, parameter :: n = 700
    integer :: rank, size, r, i, root, mine(n), back(n)
    integer, allocatable :: all(:), want(:), counts(:), starts(:), turned(:)
    part = name
    call MPI_Comm_rank(on, rank, error)
    call MPI_Comm_size(on, size, error)
    allocate (all(n*size), turned(n*size), counts(size), starts(size))
    want = [((r*1000 + i, i=1, n), r=0, size - 1)]
    do root = 0, size - 1
      mine = 0
      if (rank == root) mine = [(root*1000 + i, i=1, n)]
      call MPI_Bcast(mine, n, MPI_INTEGER, root, on, error)
      call expect(mine, want(root*n + 1:))
      mine = want(rank*n + 1:rank*n + n)
      all = 0
      call MPI_Gather(mine, n, MPI_INTEGER, all, n, MPI_INTEGER, root, on, error)
      if (rank == root) call expect(all, want)
      back = 0
      call MPI_Scatter(all, n, MPI_INTEGER, back, n, MPI_INTEGER, root, on, error)
      call expect(back, mine)
    end do
    all = 0
    call MPI_Allgather(mine, n, MPI_INTEGER, all, n, MPI_INTEGER, on, error)
    call expect(all, want)
    call MPI_Alltoall(all, n, MPI_INTEGER, turned, n, MPI_INTEGER, on, error)
    call expect(turned, [((mine(i), i=1, n), r=0, size - 1)])
    counts = [(mod(r, 3)*10, r=0, size - 1)]
    starts = [(n*r, r=0, size - 1)]
    all = -1
    call MPI_Allgatherv(mine, counts(rank + 1), MPI_INTEGER, all, counts, starts, MPI_INTEGER, on, &
                        error)
    do r = 0, size - 1
      call expect(all(r*n + 1:r*n + counts(r + 1)), want(r*n + 1:))
      call expect(all(r*n + counts(r + 1) + 1:r*n + n), [(-1, i=1, n)])
    end do
    call done()
  end subroutine

  ! Several at once, waited for in an array.
  subroutine not_blocking()
    integer, parameter :: n = 700
    REQUEST :: requests(4)
    integer :: i, r, mine(n), got(n), sums(n), root, place, rounds
    integer, allocatable :: all(:)
    logical :: ended
    part = 'not blocking'
    allocate (all(n*ranks))
    do root = 0, ranks - 1
      mine = [(me*1000 + i, i=1, n)]
      got = 0
      if (me == root) got = [(i, i=1, n)]
      all = 0
      call MPI_Ibcast(got, n, MPI_INTEGER, root, MPI_COMM_WORLD, requests(1), error)
      call MPI_Iallreduce(mine, sums, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, requests(2), error)
      call MPI_Iallgather(mine, n, MPI_INTEGER, all, n, MPI_INTEGER, MPI_COMM_WORLD, requests(3), &
                          error)
      call MPI_Ibarrier(MPI_COMM_WORLD, requests(4), error)
      if (mod(root, 2) == 0) then
        call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, error)
      else
        do rounds = 1, 4
          ended = .false.
          do while (.not. ended)
            call MPI_Testany(4, requests, place, ended, MPI_STATUS_IGNORE, error)
          end do
        end do
      end if
      do i = 1, 4
        if (requests(i) /= MPI_REQUEST_NULL) call MPI_Abort(MPI_COMM_WORLD, 4, error)
      end do
      call expect(got, [(i, i=1, n)])
      call expect(sums, [(ranks*i + 1000*ranks*(ranks - 1)/2, i=1, n)])
      call expect(all, [((r*1000 + i, i=1, n), r=0, ranks - 1)])
    end do
    call done()
  end subroutine

#if defined(EXTENSIONS)
  ! By the names that Open MPI 4 has for them; those of MPICH 4.0 are wrong from the second start on.
  ! Started together and one by one, in any order, with new input each time.
  subroutine persistent()
    integer, parameter :: n = 700
    REQUEST :: requests(4)
    integer :: i, r, round, over, ended, place, places(4)
    integer, asynchronous :: mine(n), got(n), sums(n)
    integer, allocatable, asynchronous :: all(:)
    part = 'persistent'
    allocate (all(n*ranks))
    call MPIX_Bcast_init(got, n, MPI_INTEGER, 1, MPI_COMM_WORLD, MPI_INFO_NULL, requests(1), error)
    call MPIX_Allreduce_init(mine, sums, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &
                             requests(2), error)
    call MPIX_Allgather_init(mine, n, MPI_INTEGER, all, n, MPI_INTEGER, MPI_COMM_WORLD, &
                             MPI_INFO_NULL, requests(3), error)
    call MPIX_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, requests(4), error)
    do round = 1, 4
      mine = [(me*1000 + round*i, i=1, n)]
      got = 0
      if (me == 1) got = [(round*i, i=1, n)]
      sums = 0
      all = 0
      if (mod(round, 2) == 0) then
        call MPI_Startall(4, requests, error)
      else
        do i = 1, 4
          call MPI_Start(requests(1 + mod(i + me, 4)), error)
        end do
      end if
      if (round < 3) then
        call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, error)
      else
        over = 0
        do while (over < 4)
          call MPI_Testsome(4, requests, ended, places, MPI_STATUSES_IGNORE, error)
          over = over + ended
        end do
      end if
      call expect(got, [(round*i, i=1, n)])
      call expect(sums, [(ranks*round*i + 1000*ranks*(ranks - 1)/2, i=1, n)])
      call expect(all, [((r*1000 + round*i, i=1, n), r=0, ranks - 1)])
      call MPI_Waitany(4, requests, place, MPI_STATUS_IGNORE, error)
      call expect([place], [MPI_UNDEFINED]) ! they are inactive
    end do
    do i = 1, 4
      if (requests(i) == MPI_REQUEST_NULL) call MPI_Abort(MPI_COMM_WORLD, 5, error)
      call MPI_Request_free(requests(i), error)
      if (requests(i) /= MPI_REQUEST_NULL) call MPI_Abort(MPI_COMM_WORLD, 6, error)
    end do
    call done()
  end subroutine
#endif

  subroutine in_place(on, name)
    COMM, intent(in) :: on
    character(*), intent(in) :: name
    integer, parameter :: n = 50
    integer :: rank, size, r, i, root, unused(1)
    integer, allocatable :: all(:), want(:)
    part = name
    call MPI_Comm_rank(on, rank, error)
    call MPI_Comm_size(on, size, error)
    unused = 0
    want = [((r*1000 + i, i=1, n), r=0, size - 1)]
    allocate (all(n*size))
    all = 0
    all(rank*n + 1:rank*n + n) = want(rank*n + 1:rank*n + n)
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_INTEGER, all, n, MPI_INTEGER, on, error)
    call expect(all, want)
    call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INTEGER, all, n, MPI_INTEGER, on, error)
    call expect(all, [((rank*1000 + i, i=1, n), r=0, size - 1)])
    all = rank + 1
    call MPI_Allreduce(MPI_IN_PLACE, all, n, MPI_INTEGER, MPI_SUM, on, error)
    call expect(all(:n), [(size*(size + 1)/2, i=1, n)])
    do root = 0, size - 1
      all = rank + 1
      if (rank == root) then
        call MPI_Reduce(MPI_IN_PLACE, all, n, MPI_INTEGER, MPI_MAX, root, on, error)
        call expect(all(:n), [(size, i=1, n)])
        all = 0
        all(root*n + 1:root*n + n) = want(root*n + 1:root*n + n)
        call MPI_Gather(MPI_IN_PLACE, n, MPI_INTEGER, all, n, MPI_INTEGER, root, on, error)
        call expect(all, want)
        call MPI_Scatter(all, n, MPI_INTEGER, MPI_IN_PLACE, n, MPI_INTEGER, root, on, error)
        call expect(all, want)
      else
        call MPI_Reduce(all, unused, n, MPI_INTEGER, MPI_MAX, root, on, error)
        all(:n) = want(rank*n + 1:rank*n + n)
        call MPI_Gather(all, n, MPI_INTEGER, unused, n, MPI_INTEGER, root, on, error)
        all = 0
        call MPI_Scatter(unused, n, MPI_INTEGER, all, n, MPI_INTEGER, root, on, error)
        call expect(all(:n), want(rank*n + 1:))
      end if
    end do
    all = rank + 1
    call MPI_Scan(MPI_IN_PLACE, all, n, MPI_INTEGER, MPI_SUM, on, error)
    call expect(all(:n), [((rank + 1)*(rank + 2)/2, i=1, n)])
    call done()
  end subroutine

  subroutine reductions(on, name)
    COMM, intent(in) :: on
    character(*), intent(in) :: name
    integer, parameter :: n = 300
    integer :: rank, size, i
    double precision :: mine(n), got(n)
    complex :: pair(2), pairs(2)
    logical :: flag, any_of, all_of
    double precision :: located(2), place(2)
    integer, allocatable :: many(:), part_of(:)
    part = name
    call MPI_Comm_rank(on, rank, error)
    call MPI_Comm_size(on, size, error)
    mine = [(dble(rank*i), i=1, n)]
    call MPI_Allreduce(mine, got, n, MPI_DOUBLE_PRECISION, MPI_SUM, on, error)
    call expect(nint(got), [(i*size*(size - 1)/2, i=1, n)])
    got = 0
    call MPI_Reduce(mine, got, n, MPI_DOUBLE_PRECISION, MPI_SUM, size - 1, on, error)
    if (rank == size - 1) call expect(nint(got), [(i*size*(size - 1)/2, i=1, n)])
    got = -1
    call MPI_Exscan(mine, got, n, MPI_DOUBLE_PRECISION, MPI_SUM, on, error)
    if (rank > 0) call expect(nint(got), [(i*rank*(rank - 1)/2, i=1, n)])
    pair = [cmplx(rank, 1), cmplx(1, -rank)]
    call MPI_Allreduce(pair, pairs, 2, MPI_COMPLEX, MPI_SUM, on, error)
    call expect(nint([real(pairs), aimag(pairs)]), &
                [size*(size - 1)/2, size, size, -size*(size - 1)/2])
    flag = rank == size - 1
    call MPI_Allreduce(flag, any_of, 1, MPI_LOGICAL, MPI_LOR, on, error)
    call MPI_Allreduce(flag, all_of, 1, MPI_LOGICAL, MPI_LAND, on, error)
    call expect([merge(1, 0, any_of), merge(1, 0, all_of)], [1, merge(1, 0, size == 1)])
    located = [dble(mod(rank + 1, size)), dble(rank)]
    call MPI_Allreduce(located, place, 1, MPI_2DOUBLE_PRECISION, MPI_MINLOC, on, error)
    call expect(nint(place), [0, size - 1])
    allocate (many(3*size), part_of(3))
    many = [(rank + i, i=1, 3*size)]
    call MPI_Reduce_scatter_block(many, part_of, 3, MPI_INTEGER, MPI_SUM, on, error)
    call expect(part_of, [(size*(size - 1)/2 + size*(3*rank + i), i=1, 3)])
    call done()
  end subroutine

  subroutine own_operation()
    OPERATION :: op
    DATATYPE :: map
    integer, parameter :: n = 40
    integer :: mine(2, n), got(2, n), want(2, n), r, i
    part = 'own operation'
    call MPI_Type_contiguous(2, MPI_INTEGER, map, error)
    call MPI_Type_commit(map, error)
#if defined(USE_mpi_f08)
    call MPI_Op_create(compose_f08, .false., op, error)
#else
    call MPI_Op_create(compose, .false., op, error)
#endif
    mine = reshape([(me + 2 + i, 3*me + i, i=1, n)], [2, n])
    call MPI_Allreduce(mine, got, n, map, op, MPI_COMM_WORLD, error)
    do r = 0, ranks - 1
      do i = 1, n
        if (r == 0) want(:, i) = [1, 0]
        want(:, i) = [mod(want(1, i)*(r + 2 + i), 10007), &
                      mod(want(2, i)*(r + 2 + i) + 3*r + i, 10007)]
      end do
    end do
    call expect(reshape(got, [2*n]), reshape(want, [2*n]))
    call MPI_Op_free(op, error)
    call MPI_Type_free(map, error)
    call done()
  end subroutine

  ! Two variables anywhere in memory, from MPI_BOTTOM.
  subroutine bottom()
    integer, asynchronous :: one
    double precision, asynchronous :: two
    integer(MPI_ADDRESS_KIND) :: at(2)
    DATATYPE :: pair
    integer :: root
    part = 'MPI_BOTTOM'
    call MPI_Get_address(one, at(1), error)
    call MPI_Get_address(two, at(2), error)
    call MPI_Type_create_struct(2, [1, 1], at, [MPI_INTEGER, MPI_DOUBLE_PRECISION], pair, error)
    call MPI_Type_commit(pair, error)
    do root = 0, ranks - 1
      one = merge(10 + root, 0, me == root)
      two = merge(20 + root, 0, me == root)
      call MPI_Bcast(MPI_BOTTOM, 1, pair, root, MPI_COMM_WORLD, error)
#if defined(USE_mpi_f08)
      if (.not. MPI_ASYNC_PROTECTS_NONBLOCKING) call MPI_F_sync_reg(one)
#else
      call MPI_Get_address(one, at(1), error) ! the compiler must think that they changed
      call MPI_Get_address(two, at(2), error)
#endif
      call expect([one, nint(two)], [10 + root, 20 + root])
    end do
    call MPI_Type_free(pair, error)
    call done()
  end subroutine

  ! All again where ranks are spread, and others have left.
  subroutine in_a_split()
    COMM :: half
    integer :: got(100), i
    REQUEST :: pending
    call MPI_Comm_split(MPI_COMM_WORLD, mod(me, 2), -me, half, error)
    call moves(half, 'moves in a split')
    call in_place(half, 'in place in a split')
    call reductions(half, 'reductions in a split')
    part = 'beside a non-blocking one'
    got = merge([(i, i=1, 100)], 0, me == 0)
    call MPI_Ibcast(got, 100, MPI_INTEGER, 0, MPI_COMM_WORLD, pending, error)
    call MPI_Barrier(half, error)
    call MPI_Wait(pending, MPI_STATUS_IGNORE, error)
    call expect(got, [(i, i=1, 100)])
    call MPI_Comm_free(half, error)
    call done()
  end subroutine
end program
