# SPDX-License-Identifier: Apache-2.0
# Headers of other projects that nearly every file of a kind includes, compiled once for all of them.
#
# ow_precompiled(<name> HEADERS <header>... [LINK <target>...]) compiles the headers, with the options
# of the directory that it is called in and with the definitions of what is linked.
#
# ow_precompile(<name> DIRECTORIES <dir>... NEEDS <target>...): all programs and libraries below the
# directories that link one of NEEDS use them. Left out are targets with other compile options (models,
# builds for one processor or with sanitizers): g++ refuses headers that other options have made, and
# crashes on those of another level of optimization.
#
# Sources go on to include what they use: with -DOW_PRECOMPILE=OFF, and for clang-tidy (scripts/lint),
# nothing is precompiled.

option(OW_PRECOMPILE "Compile widely used headers of other projects once, not in each file" ON)

function(ow_precompiled name)
  cmake_parse_arguments(PARSE_ARGV 1 P "" "" "HEADERS;LINK")
  if(NOT OW_PRECOMPILE)
    return()
  endif()
  # CMake wants a source to compile them for.
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "// What CMake compiles headers for.\n" @ONLY)
  add_library(${name} OBJECT ${source})
  target_link_libraries(${name} PRIVATE ${P_LINK})
  target_precompile_headers(${name} PRIVATE ${P_HEADERS})
endfunction()

function(ow_precompile name)
  cmake_parse_arguments(PARSE_ARGV 1 P "" "" "DIRECTORIES;NEEDS")
  if(NOT OW_PRECOMPILE)
    return()
  endif()
  list(JOIN P_NEEDS "|" needs)
  get_target_property(options ${name} COMPILE_OPTIONS)
  foreach(dir IN LISTS P_DIRECTORIES)
    get_property(targets DIRECTORY ${dir} PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target IN LISTS targets)
      get_target_property(type ${target} TYPE)
      get_target_property(links ${target} LINK_LIBRARIES)
      get_target_property(own ${target} COMPILE_OPTIONS)
      if(type MATCHES "^(EXECUTABLE|STATIC_LIBRARY)$" AND own STREQUAL options
         AND links MATCHES "(^|;)(${needs})(;|$)")
        target_precompile_headers(${target} REUSE_FROM ${name})
      endif()
    endforeach()
    get_property(below DIRECTORY ${dir} PROPERTY SUBDIRECTORIES)
    if(below)
      ow_precompile(${name} DIRECTORIES ${below} NEEDS ${P_NEEDS})
    endif()
  endforeach()
endfunction()
