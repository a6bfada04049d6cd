! SPDX-License-Identifier: Apache-2.0
! A loop in Fortran whose accesses can be counted; called from C, which names the arrays.
subroutine add_vectors(n, a, b) bind(c)
  use iso_c_binding
  integer(c_int), value :: n
  real(c_double), intent(out) :: a(n)
  real(c_double), intent(in) :: b(n)
  integer :: i
  do i = 1, n
    a(i) = 2 * b(i)
  end do
end subroutine

program sums
  use iso_c_binding
  implicit none
  interface
    subroutine annotate(kind, a0, a1, a2, text, bytes) bind(c, name="numatch_annotate_v1")
      use iso_c_binding
      integer(c_int64_t), value :: kind, a0, a1, a2, bytes
      character(kind=c_char), intent(in) :: text(*)
    end subroutine
    subroutine add_vectors(n, a, b) bind(c)
      use iso_c_binding
      integer(c_int), value :: n
      real(c_double), intent(out) :: a(n)
      real(c_double), intent(in) :: b(n)
    end subroutine
  end interface
  integer, parameter :: n = 1000
  real(c_double), allocatable, target :: a(:), b(:)
  integer(c_int64_t) :: where
  allocate(a(n), b(n))
  where = transfer(c_loc(a), where)
  call annotate(68_c_int64_t, where, int(8 * n, c_int64_t), 0_c_int64_t, "a", 1_c_int64_t)
  where = transfer(c_loc(b), where)
  call annotate(68_c_int64_t, where, int(8 * n, c_int64_t), 0_c_int64_t, "b", 1_c_int64_t)
  b = 1.5
  call add_vectors(n, a, b)
  print '(f6.1)', a(n)
end program
