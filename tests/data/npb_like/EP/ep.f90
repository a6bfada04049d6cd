! SPDX-License-Identifier: Apache-2.0
! Says that its result is wrong.
program ep
  stop 3
end program ep
