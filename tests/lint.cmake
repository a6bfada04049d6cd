# SPDX-License-Identifier: Apache-2.0
# The linters as tests, label lint. A tool that is missing fails its test: `make test` installs it.
function(numatch_lint name)
  cmake_parse_arguments(LINT "SLOW;PARALLEL" "" "" ${ARGN})
  add_test(NAME lint.${name} COMMAND ${LINT_UNPARSED_ARGUMENTS})
  set_tests_properties(lint.${name} PROPERTIES LABELS lint)
  if(LINT_SLOW)
    set_tests_properties(lint.${name} PROPERTIES LABELS "lint;slow")
  endif()
  if(LINT_PARALLEL)
    cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
    set_tests_properties(lint.${name} PROPERTIES PROCESSORS ${cores})
  endif()
endfunction()

set(scripts "${CMAKE_SOURCE_DIR}/scripts")
numatch_lint(format ${scripts}/check-format)
numatch_lint(scripts ${scripts}/check-scripts)
numatch_lint(arrows ${scripts}/check-arrows)
numatch_lint(licences ${scripts}/check-licences)
numatch_lint(words ${scripts}/check-words)
# clang-tidy parses every system header anew for each file, which is slow: `make test` checks the rooms where a
# mistake with memory costs most, `make test-slow` all that is not a test, the product with the path-sensitive
# checks, too.
numatch_lint(tidy ${scripts}/check-tidy "${CMAKE_BINARY_DIR}" src/base src/pattern src/trace
             src/mapping src/mechanism src/live library examples capture PARALLEL)
numatch_lint(tidy-all ${scripts}/check-tidy "${CMAKE_BINARY_DIR}" workloads bench python/bindings PARALLEL SLOW)
numatch_lint(tidy-analyzer ${scripts}/check-tidy --analyzer "${CMAKE_BINARY_DIR}"
             src capture PARALLEL SLOW)
add_test(NAME lint.checks
         COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/scripts/checks_test.py")
set_tests_properties(lint.checks PROPERTIES LABELS lint)
add_test(NAME make_results
         COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/scripts/make_results_test.py")
