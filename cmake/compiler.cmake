# SPDX-License-Identifier: Apache-2.0
# How the compiler is called: a compiler cache where there is one, and the sanitizers on request.

find_program(NUMATCH_CCACHE ccache)
if(NUMATCH_CCACHE)
  foreach(language C CXX)
    if(NOT CMAKE_${language}_COMPILER_LAUNCHER)
      set(CMAKE_${language}_COMPILER_LAUNCHER "${NUMATCH_CCACHE}")
    endif()
  endforeach()
endif()

# Without the capture parts and the workloads: they live inside QEMU or inside the observed program,
# where a sanitizer's own run-time has no place.
set(NUMATCH_SANITIZE "" CACHE STRING "Sanitizers for -fsanitize=, e.g. address,undefined")
if(NUMATCH_SANITIZE)
  set(NUMATCH_PARTS src library examples tests)
  add_compile_options(-fsanitize=${NUMATCH_SANITIZE} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${NUMATCH_SANITIZE})
  if(NUMATCH_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(NUMATCH_SANITIZE_WARNINGS -Wno-tsan)  # gcc's sanitizer does not follow the recorder's fences
  endif()
elseif(SKBUILD)
  set(NUMATCH_PARTS src python)  # `pip install .`
else()
  set(NUMATCH_PARTS src library examples capture workloads python tests bench)
endif()
