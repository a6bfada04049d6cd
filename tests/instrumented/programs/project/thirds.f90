! SPDX-License-Identifier: Apache-2.0
subroutine third(values, n) bind(c)
  use iso_c_binding
  integer(c_int), value :: n
  integer(c_long), intent(inout) :: values(n)
  integer :: i
  do i = 1, n
    values(i) = values(i) / 3
  end do
end subroutine
