# SPDX-License-Identifier: Apache-2.0
# Programs of this build that record themselves: compiled through build/bin/numatch-cc and its kin.

# numatch_instrumented_executable(NAME source... [COMPILER clang-19] [OPTIONS option...]
#                                 [LIBRARIES option...] [OUTPUT path])
# Builds NAME in the current binary folder, or at OUTPUT, with `make all`. C, C++ and Fortran sources
# are told apart by their suffix. OPTIONS go to compiler and linker (default: -O2), LIBRARIES to the
# linker only. COMPILER: instead of gcc, g++ and gfortran.
function(numatch_instrumented_executable name)
  cmake_parse_arguments(PROGRAM "" "COMPILER;OUTPUT" "OPTIONS;LIBRARIES" ${ARGN})
  if(NOT TARGET numatch_rt)
    message(FATAL_ERROR "numatch_instrumented_executable: capture/ comes first")
  endif()
  if(NOT DEFINED PROGRAM_OPTIONS)
    set(PROGRAM_OPTIONS -O2)
  endif()
  if(NOT PROGRAM_OUTPUT)
    set(PROGRAM_OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/${name}")
  endif()
  set(linker numatch-cc)
  set(objects "")
  foreach(source IN LISTS PROGRAM_UNPARSED_ARGUMENTS)
    get_filename_component(source "${source}" ABSOLUTE)
    get_filename_component(stem "${source}" NAME)
    if(source MATCHES "\\.(cpp|cc|cxx)$")
      set(driver numatch-c++)
      set(linker numatch-c++)
    elseif(source MATCHES "\\.[fF](90|95|03|08)?$")
      set(driver numatch-fc)
      set(linker numatch-fc)
    else()
      set(driver numatch-cc)
    endif()
    set(object "${CMAKE_CURRENT_BINARY_DIR}/${name}.dir/${stem}.o")
    file(MAKE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/${name}.dir")
    set(depfile "")
    if(NOT driver STREQUAL numatch-fc)
      set(depfile DEPFILE "${object}.d")
      set(depflags -MD -MF "${object}.d")
    else()
      set(depflags "")
    endif()
    numatch_instrumenting_compiler(environment ${driver} "${PROGRAM_COMPILER}")
    add_custom_command(OUTPUT "${object}"
      COMMAND ${environment} "${CMAKE_BINARY_DIR}/bin/${driver}" ${PROGRAM_OPTIONS} ${depflags}
              -c "${source}" -o "${object}"
      DEPENDS "${source}" "${CMAKE_SOURCE_DIR}/capture/instrumented/numatch-cc" ${depfile} VERBATIM)
    list(APPEND objects "${object}")
  endforeach()
  numatch_instrumenting_compiler(environment ${linker} "${PROGRAM_COMPILER}")
  set(runtime numatch_rt)
  if(TARGET numatch_rt_lto)
    list(APPEND runtime numatch_rt_lto)
  endif()
  get_filename_component(folder "${PROGRAM_OUTPUT}" DIRECTORY)
  file(MAKE_DIRECTORY "${folder}")
  add_custom_command(OUTPUT "${PROGRAM_OUTPUT}"
    COMMAND ${environment} "${CMAKE_BINARY_DIR}/bin/${linker}" ${PROGRAM_OPTIONS} ${objects}
            ${PROGRAM_LIBRARIES} -o "${PROGRAM_OUTPUT}"
    DEPENDS ${objects} ${runtime} "${CMAKE_SOURCE_DIR}/capture/instrumented/wraps" VERBATIM)
  add_custom_target(${name} ALL DEPENDS "${PROGRAM_OUTPUT}")
endfunction()

# `cmake -E env` with the variable by which a wrapper is told its compiler; empty for the default.
function(numatch_instrumenting_compiler result driver compiler)
  if(NOT compiler)
    set(${result} "" PARENT_SCOPE)
    return()
  endif()
  if(driver STREQUAL numatch-c++)
    string(REGEX REPLACE "^clang" "clang++" compiler "${compiler}")
    set(variable NUMATCH_CXX)
  elseif(driver STREQUAL numatch-fc)
    set(variable NUMATCH_FC)
  else()
    set(variable NUMATCH_CC)
  endif()
  set(${result} "${CMAKE_COMMAND}" -E env "${variable}=${compiler}" PARENT_SCOPE)
endfunction()
