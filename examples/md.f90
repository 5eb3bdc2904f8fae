! SPDX-License-Identifier: BSD-3-Clause
! Molecular dynamics of liquid argon with replicated data: md.c in Fortran with mpi_f08, same
! physics and same figures. Every rank knows all positions, owns a slice of the atoms and computes
! a share of the pair interactions; gather-to-all of positions, reduce-to-all of forces.
!
!     mpirun -n 8 ./md-fortran --atoms 4000 --steps 10
program md
  use, intrinsic :: iso_fortran_env, only: dp => real64, long => int64, error_unit
  use mpi_f08
  implicit none
  real(dp), parameter :: density = 0.7_dp, cutoff = 2.5_dp, skin = 0.3_dp
  integer, parameter :: report_every = 5
  integer :: atoms = 4000, steps = 10, ranks, me, first, last, pair_count = 0, step, r
  logical :: json = .false.
  real(dp) :: dt = 0.004_dp, box, begin, potential, energy, energy_start, off = 0
  real(dp) :: in_collectives = 0, mine(2), slowest(2)
  real(dp), allocatable :: position(:, :), force(:, :), partial(:, :), velocity(:, :)
  real(dp), allocatable :: moved(:, :), listed_at(:, :)
  integer, allocatable :: counts(:), starts(:), pairs(:, :)

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, me)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call read_options()
  allocate (counts(ranks), starts(ranks), pairs(2, 1024))
  do r = 1, ranks
    starts(r) = 3*int(int(atoms, long)*(r - 1)/ranks)
    counts(r) = 3*int(int(atoms, long)*r/ranks) - starts(r)
  end do
  first = starts(me + 1)/3 + 1
  last = first - 1 + counts(me + 1)/3
  allocate (position(3, atoms), force(3, atoms), partial(3, atoms), listed_at(3, atoms))
  allocate (velocity(3, first:last), moved(3, first:last))
  listed_at = -1 - skin ! nothing listed yet: all have moved

  call MPI_Barrier(MPI_COMM_WORLD)
  begin = MPI_Wtime()
  if (me /= 0) dt = 0
  call share_timestep()
  call place_on_lattice()
  call draw_velocities()
  call compute_forces()
  call sum_forces()
  energy_start = total_energy()
  energy = energy_start
  do step = 1, steps
    velocity = velocity + 0.5_dp*dt*force(:, first:last)
    moved = modulo(position(:, first:last) + dt*velocity, box)
    call gather_positions()
    call compute_forces()
    call sum_forces()
    velocity = velocity + 0.5_dp*dt*force(:, first:last)
    if (mod(step, report_every) == 0 .or. step == steps) then
      energy = total_energy()
      off = max(off, abs(energy - energy_start))
      call share_timestep()
    end if
  end do
  mine = [MPI_Wtime() - begin, in_collectives]
  call MPI_Allreduce(mine, slowest, 2, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
  if (me == 0) call print_results()
  call MPI_Finalize()

contains

  subroutine read_options()
    character(64) :: word, value
    integer :: a, status
    a = 1
    do while (a <= command_argument_count())
      call get_command_argument(a, word)
      call get_command_argument(a + 1, value)
      status = 0
      select case (word)
      case ('--json')
        json = .true.
        a = a - 1
      case ('--atoms')
        read (value, *, iostat=status) atoms
      case ('--steps')
        read (value, *, iostat=status) steps
      case ('--timestep')
        read (value, *, iostat=status) dt
      case default
        status = 1
      end select
      if (status /= 0 .or. atoms < 100 .or. steps < 0) then
        if (me == 0) write (error_unit, '(a)') &
          'usage: md-fortran [--atoms N, at least 100] [--steps S] [--timestep T] [--json]'
        call MPI_Finalize()
        stop 2
      end if
      a = a + 2
    end do
  end subroutine

  subroutine share_timestep()
    real(dp) :: start
    start = MPI_Wtime()
    call MPI_Bcast(dt, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD)
    in_collectives = in_collectives + MPI_Wtime() - start
  end subroutine

  subroutine gather_positions()
    real(dp) :: start
    start = MPI_Wtime()
    call MPI_Allgatherv(moved, counts(me + 1), MPI_DOUBLE_PRECISION, position, counts, starts, &
                        MPI_DOUBLE_PRECISION, MPI_COMM_WORLD)
    in_collectives = in_collectives + MPI_Wtime() - start
  end subroutine

  subroutine sum_forces()
    real(dp) :: start
    start = MPI_Wtime()
    call MPI_Allreduce(partial, force, 3*atoms, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    in_collectives = in_collectives + MPI_Wtime() - start
  end subroutine

  ! Energy per atom, on rank 0.
  real(dp) function total_energy()
    real(dp) :: start, own(2), all(2)
    own = [potential, 0.5_dp*sum(velocity**2)]
    all = 0
    start = MPI_Wtime()
    call MPI_Reduce(own, all, 2, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD)
    in_collectives = in_collectives + MPI_Wtime() - start
    total_energy = sum(all)/atoms
  end function

  ! A simple cubic lattice, the atoms spread evenly over its sites.
  subroutine place_on_lattice()
    integer(long) :: side, site
    integer :: i
    side = 1
    do while (side**3 < atoms)
      side = side + 1
    end do
    box = (atoms/density)**(1/3.0_dp)
    do i = 1, atoms
      site = (i - 1)*side**3/atoms
      position(:, i) = ([site/side**2, mod(site/side, side), mod(site, side)] + 0.5_dp)*(box/side)
    end do
  end subroutine

  elemental real(dp) function pseudo_random(n)
    integer, intent(in) :: n
    integer(long), parameter :: prime = 2147483647
    integer(long) :: seed
    seed = mod(n*48271_long, prime)
    pseudo_random = real(mod(mod(seed*seed, prime)*69621, prime), dp)/prime - 0.5_dp
  end function

  ! Pseudo-random velocities: no net momentum, temperature 1, whatever the number of ranks.
  subroutine draw_velocities()
    real(dp) :: all(3, atoms)
    integer :: n
    all = reshape([(pseudo_random(n), n=1, 3*atoms)], [3, atoms])
    all = all - spread(sum(all, dim=2)/atoms, 2, atoms)
    velocity = all(:, first:last)*sqrt(3.0_dp*atoms/sum(all**2))
  end subroutine

  ! The way to the nearest of the periodic images.
  pure function apart(a, b) result(d)
    real(dp), intent(in) :: a(3), b(3)
    real(dp) :: d(3)
    d = a - b
    d = d - box*anint(d/box)
  end function

  subroutine add_if_near(i, j)
    integer, intent(in) :: i, j
    integer, allocatable :: larger(:, :)
    if (sum(apart(position(:, i), position(:, j))**2) >= (cutoff + skin)**2) return
    if (pair_count == size(pairs, 2)) then
      allocate (larger(2, 2*pair_count))
      larger(:, :pair_count) = pairs
      call move_alloc(larger, pairs)
    end if
    pair_count = pair_count + 1
    pairs(:, pair_count) = [i, j]
  end subroutine

  ! List the pairs of an own atom with atoms of the neighbouring cells; of two opposite neighbours
  ! only one is visited, so that a pair is seen once.
  subroutine list_pairs()
    integer, allocatable :: head(:, :, :)
    integer :: next(atoms), cells, i, j, n, c(3)
    pair_count = 0
    listed_at = position
    cells = int(box/(cutoff + skin))
    if (cells < 3) then ! too small for a stencil
      do i = first, last
        do j = i + 1, atoms
          call add_if_near(i, j)
        end do
      end do
      return
    end if
    allocate (head(0:cells - 1, 0:cells - 1, 0:cells - 1), source=0)
    do i = 1, atoms
      c = modulo(floor(position(:, i)*(cells/box)), cells)
      next(i) = head(c(1), c(2), c(3))
      head(c(1), c(2), c(3)) = i
    end do
    do i = first, last
      do n = 13, 26 ! 13 is the cell itself
        c = floor(position(:, i)*(cells/box)) + [n/9, mod(n/3, 3), mod(n, 3)] - 1
        c = modulo(c, cells)
        j = head(c(1), c(2), c(3))
        do while (j > 0)
          if (n /= 13 .or. j > i) call add_if_near(i, j)
          j = next(j)
        end do
      end do
    end do
  end subroutine

  ! Forces on all atoms by the own pairs, into partial; these pairs' energy into potential.
  subroutine compute_forces()
    integer :: i, j, n
    real(dp) :: d(3), square, sixth, at_cutoff
    do i = 1, atoms
      if (sum(apart(position(:, i), listed_at(:, i))**2) > (skin/2)**2) then
        call list_pairs()
        exit
      end if
    end do
    at_cutoff = 4*(cutoff**(-12) - cutoff**(-6))
    partial = 0
    potential = 0
    do n = 1, pair_count
      i = pairs(1, n)
      j = pairs(2, n)
      d = apart(position(:, i), position(:, j))
      square = sum(d**2)
      if (square >= cutoff**2) cycle
      sixth = 1/square**3
      d = d*(24*(2*sixth**2 - sixth)/square)
      partial(:, i) = partial(:, i) + d
      partial(:, j) = partial(:, j) - d
      potential = potential + 4*(sixth**2 - sixth) - at_cutoff
    end do
  end subroutine

  subroutine print_results()
    if (json) then
      print '(3(a,i0),4(a,f16.9),a,es9.3,a)', '{"atoms": ', atoms, ', "ranks": ', ranks, &
        ', "steps": ', steps, ', "total_s": ', slowest(1), ', "communication_s": ', slowest(2), &
        ', "energy_start": ', energy_start, ', "energy": ', energy, ', "drift": ', off, '}'
    else
      print '(3(i0,a))', atoms, ' atoms, ', ranks, ' ranks, ', steps, ' steps'
      print '(a,f12.9,a,es7.1)', 'energy per atom ', energy, ', drift ', off
      print '(2(a,f8.3),a)', 'total', slowest(1), ' s, communication', slowest(2), ' s'
    end if
  end subroutine
end program
