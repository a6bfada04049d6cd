# SPDX-License-Identifier: Apache-2.0
# The kernel module's sources: in the package numatch for `numatch module build`, and in a package of their
# own, numatch-dkms, that builds them for each kernel. `cpack --config CPackModule.cmake` makes that one.
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  return()  # it knows the page tables of x86-64
endif()
set(module_files FILES_MATCHING PATTERN "*.c" PATTERN "*.h" PATTERN "Kbuild" PATTERN "Makefile")
install(DIRECTORY "${CMAKE_SOURCE_DIR}/kernel/" DESTINATION "${CMAKE_INSTALL_DATADIR}/numatch/module"
        ${module_files})

# Below the prefix /usr.
set(sources "src/numatch-${PROJECT_VERSION}")
set(dkms "${CMAKE_BINARY_DIR}/dkms")
foreach(file dkms.conf postinst prerm)
  configure_file("${CMAKE_SOURCE_DIR}/packaging/dkms/${file}.in" "${dkms}/${file}" @ONLY
                 FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                  WORLD_READ WORLD_EXECUTE)
endforeach()
install(DIRECTORY "${CMAKE_SOURCE_DIR}/kernel/" DESTINATION "${sources}" COMPONENT dkms EXCLUDE_FROM_ALL
        ${module_files})
install(FILES "${dkms}/dkms.conf" DESTINATION "${sources}" COMPONENT dkms EXCLUDE_FROM_ALL)
install(FILES "${CMAKE_SOURCE_DIR}/packaging/dkms/copyright" DESTINATION share/doc/numatch-dkms
        COMPONENT dkms EXCLUDE_FROM_ALL)
install(FILES "${CMAKE_SOURCE_DIR}/CHANGELOG.md" DESTINATION share/doc/numatch-dkms RENAME changelog
        COMPONENT dkms EXCLUDE_FROM_ALL)
configure_file("${CMAKE_SOURCE_DIR}/packaging/dkms/cpack.cmake.in" "${CMAKE_BINARY_DIR}/CPackModule.cmake"
               @ONLY)
