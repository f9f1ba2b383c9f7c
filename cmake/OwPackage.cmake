# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` leaves behind, so that find_package(openwafer) works in another project:
#
#   include/openwafer/            the host's and the kernels' headers, all that there are: those of
#                                 the parts (ow/...) are the build's own
#   lib/openwafer/                the libraries that openwafer::openwafer is made of, the simulators
#                                 among them
#   lib/openwafer/tile/           what kernels are linked with: archive, linker script
#   lib/cmake/openwafer/          the package: targets and ow_kernel
#
# ow_package(<target>...): the targets whose libraries a program links, as openwafer::openwafer. What
# they need in turn comes along.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

# Appends to <list> the targets of this build that the target links, itself first, and to <others>
# those of others.
function(_ow_closure target list others)
  if(NOT TARGET ${target})
    return()
  endif()
  get_target_property(real ${target} ALIASED_TARGET)
  if(real)
    set(target ${real})
  endif()
  get_target_property(imported ${target} IMPORTED)
  if(imported)
    set(${others} ${${others}} ${target} PARENT_SCOPE)
    return()
  endif()
  if(target IN_LIST ${list})
    return()
  endif()
  list(APPEND ${list} ${target})
  set(links "")
  foreach(property LINK_LIBRARIES INTERFACE_LINK_LIBRARIES)
    get_target_property(found ${target} ${property})
    if(found)
      list(APPEND links ${found})
    endif()
  endforeach()
  foreach(link IN LISTS links)
    string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" link "${link}")
    _ow_closure("${link}" ${list} ${others})
  endforeach()
  set(${list} ${${list}} PARENT_SCOPE)
  set(${others} ${${others}} PARENT_SCOPE)
endfunction()

function(ow_package)
  add_library(openwafer INTERFACE)
  target_link_libraries(openwafer INTERFACE ${ARGN})
  target_include_directories(openwafer INTERFACE "$<BUILD_INTERFACE:${OW_TILE_INCLUDE_DIRS}>"
                                                 $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(openwafer INTERFACE cxx_std_17)
  # Where ow::open finds the self-test of wafers.
  target_compile_definitions(openwafer INTERFACE
    "OPENWAFER_FIRMWARE=\"$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/firmware>$<INSTALL_INTERFACE:$<INSTALL_PREFIX>/${CMAKE_INSTALL_LIBDIR}/openwafer/firmware>\"")
  add_library(openwafer::openwafer ALIAS openwafer)
  set(targets "")
  set(imports "")
  _ow_closure(openwafer targets imports)
  list(REMOVE_DUPLICATES imports)
  # How a project that finds the package gets at the libraries of others.
  set(OW_FIND "")
  foreach(import IN LISTS imports)
    if(import MATCHES "^PkgConfig::(.*)$")
      string(TOLOWER ${CMAKE_MATCH_1} module)
      string(APPEND OW_FIND "find_dependency(PkgConfig)\n"
             "pkg_check_modules(${CMAKE_MATCH_1} REQUIRED QUIET IMPORTED_TARGET ${module})\n")
    else()
      string(REGEX REPLACE "::.*" "" name ${import})
      string(APPEND OW_FIND "find_dependency(${name})\n")
    endif()
  endforeach()
  foreach(target IN LISTS targets)
    # Where headers and libraries are in this build is nobody else's business.
    get_target_property(dirs ${target} INTERFACE_INCLUDE_DIRECTORIES)
    if(dirs AND NOT target STREQUAL openwafer)
      set_target_properties(${target} PROPERTIES
        INTERFACE_INCLUDE_DIRECTORIES "$<BUILD_INTERFACE:${dirs}>")
    endif()
    set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL OFF)
    get_target_property(dirs ${target} INTERFACE_SYSTEM_INCLUDE_DIRECTORIES)
    if(dirs)
      set_target_properties(${target} PROPERTIES
        INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "$<BUILD_INTERFACE:${dirs}>")
    endif()
    # The package knows its parts by their own names below openwafer::.
    string(REGEX REPLACE "^ow_" "" name ${target})
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  endforeach()
  # All that is installed, for those who build nothing else.
  add_custom_target(openwafer_package)
  add_dependencies(openwafer_package ow_tile_library ow_firmware)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    if(NOT type STREQUAL "INTERFACE_LIBRARY")
      add_dependencies(openwafer_package ${target})
    endif()
  endforeach()
  install(TARGETS ${targets} EXPORT openwafer
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/openwafer COMPONENT openwafer)
  set(package ${CMAKE_INSTALL_LIBDIR}/cmake/openwafer)
  install(EXPORT openwafer NAMESPACE openwafer:: FILE openwaferTargets.cmake DESTINATION ${package}
          COMPONENT openwafer)
  configure_package_config_file(${OW_ROOT}/cmake/openwaferConfig.cmake.in
    ${PROJECT_BINARY_DIR}/openwaferConfig.cmake INSTALL_DESTINATION ${package}
    PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/openwaferConfigVersion.cmake
                                   COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/openwaferConfig.cmake
                ${PROJECT_BINARY_DIR}/openwaferConfigVersion.cmake ${OW_ROOT}/cmake/OwKernel.cmake
          DESTINATION ${package} COMPONENT openwafer)
  install(DIRECTORY ${OW_ROOT}/sw/include/openwafer DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
          COMPONENT openwafer)
  install(FILES ${OW_TILE_ISA_HEADER} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/openwafer/tile COMPONENT openwafer)
  install(FILES ${OW_TILE_LIBRARY} ${OW_TILE_SCRIPT}
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/openwafer/tile COMPONENT openwafer)
  install(FILES ${PROJECT_BINARY_DIR}/firmware/selftest.elf
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/openwafer/firmware COMPONENT openwafer)
endfunction()
