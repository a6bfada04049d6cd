! SPDX-License-Identifier: Apache-2.0
program cg
  implicit none
  include 'npbparams.h'
  double precision, allocatable :: a(:)
  double precision :: sum
  integer :: i
  allocate(a(n))
  sum = 0
!$omp parallel do
  do i = 1, n
    a(i) = i
  end do
!$omp parallel do reduction(+:sum)
  do i = 1, n
    sum = sum + a(i)
  end do
  if (sum <= 0) stop 1
end program cg
