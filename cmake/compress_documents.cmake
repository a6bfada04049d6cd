# SPDX-License-Identifier: Apache-2.0
# Debian wants man pages and the changelog compressed, the same bytes every time.
file(GLOB_RECURSE pages "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*.1"
     "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/changelog")
list(FILTER pages INCLUDE REGEX "/man1/|/doc/numatch/changelog$")
if(pages)
  execute_process(COMMAND gzip -9nf ${pages} COMMAND_ERROR_IS_FATAL ANY)
endif()
