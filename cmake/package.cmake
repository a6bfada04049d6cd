# SPDX-License-Identifier: Apache-2.0
# `make deb`: a Debian package of what `make install` installs.
set(doc "${CMAKE_INSTALL_DATADIR}/doc/numatch")
install(FILES "${CMAKE_SOURCE_DIR}/packaging/copyright" "${CMAKE_SOURCE_DIR}/README.md"
        DESTINATION "${doc}")
install(FILES "${CMAKE_SOURCE_DIR}/CHANGELOG.md" DESTINATION "${doc}" RENAME changelog)
install(DIRECTORY "${CMAKE_SOURCE_DIR}/docs" DESTINATION "${doc}" FILES_MATCHING PATTERN "*.md")
# The service is installed switched off, and without a configuration.
install(FILES "${CMAKE_SOURCE_DIR}/packaging/service.toml" DESTINATION "${doc}/examples")
install(FILES "${CMAKE_SOURCE_DIR}/packaging/numatch.service" DESTINATION lib/systemd/system)

# Packing and installing take what `product` has built; they do not build the tests.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY TRUE)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME numatch)
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
# Whoever builds the package answers for it, as Debian's own tools have it; example.org is nobody's.
if(DEFINED ENV{DEBEMAIL})
  set(name "$ENV{DEBFULLNAME}")
  if(name STREQUAL "")
    set(name "numatch")
  endif()
  set(CPACK_PACKAGE_CONTACT "${name} <$ENV{DEBEMAIL}>")
else()
  set(CPACK_PACKAGE_CONTACT "numatch <numatch@example.org>")
endif()
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "find out how threads share memory and where they belong")
set(CPACK_PACKAGE_DESCRIPTION
"numatch records the memory accesses of a parallel program that nobody changed,
 works out which threads share memory, and says where each thread and each page
 should live on a NUMA machine, with a report as text, JSON or HTML.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_SOURCE_DIR}/cmake/compress_documents.cmake")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
# The libraries come from what the programs link; a library without a dependency file stops the packing.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# The shared library: who links it depends on this package, and the loader's cache learns of it.
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA "${CMAKE_SOURCE_DIR}/packaging/triggers")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS qemu-user)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "python3") # the suite debian makes its input with it
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "gcc, clang-19, lld-19, gfortran")
include(CPack)
