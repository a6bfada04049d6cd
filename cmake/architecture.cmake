# SPDX-License-Identifier: Apache-2.0
# The trace encoder and the capture run-times assume a 64-bit little-endian machine with the
# store ordering or fences that were checked for these processors.
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
  message(FATAL_ERROR
    "numatch: ${CMAKE_SYSTEM_PROCESSOR} is not supported yet; supported: x86_64. "
    "Traces and profiles can be captured on x86_64 and copied.")
endif()
