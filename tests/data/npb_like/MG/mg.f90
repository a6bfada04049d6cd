! SPDX-License-Identifier: Apache-2.0
! Does not compile.
program mg
  implicit none
  include 'npbparams.h'
  missing = n
end program mg
