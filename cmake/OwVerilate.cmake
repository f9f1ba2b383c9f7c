# SPDX-License-Identifier: Apache-2.0
# ow_verilate(<lib> TOP <module> FILES <.f lists or .sv files>...
#             [PARAMS Name=Value ...] [DEFINES NAME[=Value] ...] [PREFIX V<name>] [SHARDS <n>]
#             [TRACE] [NO_ASSERT] [CHECKS] [FAST] [TIMING])
#
# Makes a static library <lib> of the Verilated <module>; its header is <PREFIX>.h (default
# V<module>). Paths are relative to the top of the source tree. A file list holds one file a line,
# `#` and `//` comments, +incdir+DIR, and -f LIST; files named twice are read once, in the order of
# first mention. rtl/common is always searched for include files.
#
# SHARDS is the number of compilation units (default 1: small blocks compile fastest whole). TRACE compiles
# FST tracing in. NO_ASSERT leaves assertions out, as -DOW_ASSERT=OFF does for all models. CHECKS binds
# the checkers of channels: beside each list files*.f it reads checks*.f, where there is one.
# -DOW_CHECKS=ON does so for all models: a build for looking closely at what `ow run` and the jobs' tests
# do, for it costs time.
#
# TIMING is for models with delays: their processes are coroutines of C++20, and the caller
# asks the model for the time of the next event. A module without a timescale counts femtoseconds.
#
# FAST is for models that jobs run for minutes: -O2, what runs once in a unit of its own with -O0, and the
# profile. All others are to be built soon rather than to run fast: with -Og they compile in two thirds of
# the time that -O1 takes.
#
# With OW_COVERAGE (line: statements and branches; toggle: signals, too) every model counts what it
# executes; scripts/coverage builds, runs and merges.
#
# OW_PROFILE=collect: models count which way they went, in OW_PROFILE_DIR, for a build with
# OW_PROFILE=use, whose models are compiled for that (scripts/profile does both). What a profile says
# of another model than the one that is compiled is left out by g++, which costs time and no bit.
#
# Nothing is Verilated or compiled again unless an RTL file, a list or an argument changed.

find_program(OW_VERILATOR verilator)
if(NOT OW_VERILATOR)
  message(FATAL_ERROR "verilator is not installed: run scripts/bootstrap")
endif()
execute_process(COMMAND ${OW_VERILATOR} --version OUTPUT_VARIABLE _ow_version
                OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT _ow_version MATCHES "^Verilator ([0-9]+)\\.([0-9]+)")
  message(FATAL_ERROR "cannot read the version of ${OW_VERILATOR}: '${_ow_version}'")
endif()
set(OW_VERILATOR_VERSION "${CMAKE_MATCH_1}.${CMAKE_MATCH_2}")
if(OW_VERILATOR_VERSION VERSION_LESS 5.006)
  message(FATAL_ERROR "Verilator ${OW_VERILATOR_VERSION} is too old: Openwafer needs 5.006 or newer")
endif()
execute_process(COMMAND ${OW_VERILATOR} --getenv VERILATOR_ROOT OUTPUT_VARIABLE OW_VERILATOR_ROOT
                OUTPUT_STRIP_TRAILING_WHITESPACE)
set(_ow_vinc ${OW_VERILATOR_ROOT}/include)
if(NOT EXISTS ${_ow_vinc}/verilated.cpp)
  message(FATAL_ERROR "no verilated.cpp under ${OW_VERILATOR_ROOT}/include: Verilator's runtime is missing")
endif()

# Verilator's runtime, built once for all models. A model that stops, by an assertion of the RTL or by
# what Verilator finds, does not abort: verilated_stop.cpp throws.
set(_ow_stop ${OW_ROOT}/sw/device/sim/src/verilated_stop)
add_library(ow_verilated STATIC ${_ow_vinc}/verilated.cpp ${_ow_vinc}/verilated_threads.cpp
                                ${_ow_stop}.cpp)
target_include_directories(ow_verilated SYSTEM PUBLIC ${_ow_vinc} ${_ow_vinc}/vltstd
                                               PRIVATE ${OW_ROOT}/sw/include)
target_compile_definitions(ow_verilated PRIVATE VL_USER_STOP VL_USER_FATAL)
target_compile_options(ow_verilated PRIVATE -w -include ${_ow_stop}.h)
target_link_libraries(ow_verilated PUBLIC Threads::Threads)
add_library(ow_verilated_timing STATIC EXCLUDE_FROM_ALL ${_ow_vinc}/verilated_timing.cpp)
target_compile_options(ow_verilated_timing PRIVATE -w)
set_target_properties(ow_verilated_timing PROPERTIES CXX_STANDARD 20)
target_link_libraries(ow_verilated_timing PUBLIC ow_verilated)
add_library(ow_verilated_fst STATIC EXCLUDE_FROM_ALL ${_ow_vinc}/verilated_fst_c.cpp)
target_compile_options(ow_verilated_fst PRIVATE -w)
target_link_libraries(ow_verilated_fst PUBLIC ow_verilated ZLIB::ZLIB)

set(OW_COVERAGE "" CACHE STRING "Coverage of the RTL in all models: line, toggle or empty (scripts/coverage)")
if(OW_COVERAGE AND NOT OW_COVERAGE MATCHES "^(line|toggle)$")
  message(FATAL_ERROR "OW_COVERAGE=${OW_COVERAGE}: must be line, toggle or empty")
endif()
if(OW_COVERAGE)
  add_library(ow_coverage STATIC ${OW_ROOT}/cmake/coverage/ow_coverage.cpp)
  target_include_directories(ow_coverage PUBLIC ${OW_ROOT}/cmake/coverage)
endif()

set(OW_PROFILE "" CACHE STRING "Models compiled by a profile: collect, use or empty (scripts/profile)")
set(OW_PROFILE_DIR ${CMAKE_BINARY_DIR}/profile CACHE PATH "Where the profile of the models is")
if(OW_PROFILE AND NOT OW_PROFILE MATCHES "^(collect|use)$")
  message(FATAL_ERROR "OW_PROFILE=${OW_PROFILE}: must be collect, use or empty")
endif()
if(OW_PROFILE AND NOT (CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12))
  message(FATAL_ERROR "OW_PROFILE=${OW_PROFILE}: only with g++ 12 or newer")
endif()

# Compiles the model <lib> for counting, or by what was counted. A profile is named by the object's path
# in its build tree and finds functions by their number, so that one tree may use another's. Without the
# compiler cache, which does not see profiles that are named so.
function(_ow_profile lib sources)
  set(options --param=profile-func-internal-id=1 -fprofile-prefix-path=${CMAKE_BINARY_DIR})
  if(OW_PROFILE STREQUAL "collect")
    # Counters are plain words, so a program that collects runs one thread.
    list(APPEND options -fprofile-generate=${OW_PROFILE_DIR} -fprofile-update=single)
    target_link_options(${lib} PUBLIC -fprofile-generate)
  else()
    # Lines are not compared, whose file is in the other tree.
    list(APPEND options -fprofile-use=${OW_PROFILE_DIR} -Wno-coverage-mismatch)
    file(GLOB profiles CONFIGURE_DEPENDS "${OW_PROFILE_DIR}/*#${lib}.dir#*.gcda")
    set_property(SOURCE ${sources} APPEND PROPERTY OBJECT_DEPENDS ${profiles})
  endif()
  target_compile_options(${lib} PRIVATE ${options})
  set_target_properties(${lib} PROPERTIES CXX_COMPILER_LAUNCHER "")
endfunction()

# Reads file lists: appends absolute paths of sources to <files> and directories to <incdirs>.
function(_ow_read_list path _files _incdirs _lists)
  set(out_files "${${_files}}")
  set(out_incdirs "${${_incdirs}}")
  set(out_lists "${${_lists}}")
  get_filename_component(path "${path}" ABSOLUTE BASE_DIR ${OW_ROOT})
  if(NOT EXISTS ${path})
    message(FATAL_ERROR "ow_verilate: no file ${path}")
  endif()
  if(path MATCHES "\\.f$")
    list(APPEND out_lists ${path})
    file(STRINGS ${path} lines)
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "(#|//).*$" "" line "${line}")
      string(STRIP "${line}" line)
      if(line STREQUAL "")
        continue()
      elseif(line MATCHES "^\\+incdir\\+(.+)$")
        list(APPEND out_incdirs ${OW_ROOT}/${CMAKE_MATCH_1})
      elseif(line MATCHES "^-f[ \t]+(.+)$")
        _ow_read_list(${CMAKE_MATCH_1} out_files out_incdirs out_lists)
      else()
        _ow_read_list(${line} out_files out_incdirs out_lists)
      endif()
    endforeach()
  else()
    list(APPEND out_files ${path})
  endif()
  set(${_files} "${out_files}" PARENT_SCOPE)
  set(${_incdirs} "${out_incdirs}" PARENT_SCOPE)
  set(${_lists} "${out_lists}" PARENT_SCOPE)
endfunction()

option(OW_CHECKS "Bind the checkers of channels in all models, not only in those of block tests" OFF)

function(ow_verilate lib)
  cmake_parse_arguments(PARSE_ARGV 1 V "TRACE;NO_ASSERT;CHECKS;FAST;TIMING" "TOP;PREFIX;SHARDS"
                        "FILES;PARAMS;DEFINES")
  if(V_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "ow_verilate(${lib}): unknown arguments ${V_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT V_TOP OR NOT V_FILES)
    message(FATAL_ERROR "ow_verilate(${lib}): TOP and FILES are needed")
  endif()
  if(NOT V_PREFIX)
    set(V_PREFIX V${V_TOP})
  endif()
  if(NOT V_SHARDS)
    set(V_SHARDS 1)
  endif()

  set(files "")
  set(incdirs ${OW_ROOT}/rtl/common)
  set(lists "")
  foreach(path IN LISTS V_FILES)
    _ow_read_list(${path} files incdirs lists)
  endforeach()
  if(V_CHECKS OR OW_CHECKS)
    foreach(path IN LISTS lists)
      string(REGEX REPLACE "/files([^/]*)\\.f$" "/checks\\1.f" checks "${path}")
      if(NOT checks STREQUAL path AND EXISTS ${checks})
        _ow_read_list(${checks} files incdirs lists)
      endif()
    endforeach()
  endif()
  list(REMOVE_DUPLICATES files)
  list(REMOVE_DUPLICATES incdirs)
  list(REMOVE_DUPLICATES lists)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${lists})
  set(headers "")
  foreach(dir IN LISTS incdirs)
    file(GLOB found CONFIGURE_DEPENDS ${dir}/*.svh ${dir}/*.vh)
    list(APPEND headers ${found})
  endforeach()

  set(args --cc --top-module ${V_TOP} --prefix ${V_PREFIX} -Wall --threads 1 -O3
      --x-assign fast --x-initial fast --output-split 20000)
  if(V_TIMING)
    list(APPEND args --timing --timescale 1fs/1fs)
  else()
    # The design has no delays, and newer versions ask for a decision.
    list(APPEND args --no-timing)
  endif()
  if(OW_VERILATOR_VERSION VERSION_GREATER 5.006)
    # New versions bring new warnings: users see them, and builds go on. A parameter that a module
    # refuses is a warning to Verilator as well.
    list(APPEND args -Wno-fatal -Werror-USERERROR -Werror-USERFATAL)
  endif()
  if(OW_ASSERT AND NOT V_NO_ASSERT)
    list(APPEND args --assert)
  endif()
  set(trace 0)
  if(V_TRACE)
    list(APPEND args --trace-fst --trace-structs)
    set(trace 1)
  endif()
  if(OW_COVERAGE)
    # A split process would count after the variables that it looks at have changed.
    list(APPEND args --coverage-line -fno-split -fno-reorder -Wno-UNOPTFLAT)
  endif()
  if(OW_COVERAGE STREQUAL "toggle")
    list(APPEND args --coverage-toggle)
  endif()
  # Relative to the top of the source tree, where Verilator runs: the model's messages name files so.
  set(relative "")
  foreach(path IN LISTS incdirs)
    file(RELATIVE_PATH path ${OW_ROOT} ${path})
    list(APPEND args +incdir+${path})
  endforeach()
  foreach(path IN LISTS files)
    file(RELATIVE_PATH path ${OW_ROOT} ${path})
    list(APPEND relative ${path})
  endforeach()
  foreach(param IN LISTS V_PARAMS)
    list(APPEND args -G${param})
  endforeach()
  foreach(define IN LISTS V_DEFINES)
    list(APPEND args +define+${define})
  endforeach()
  list(APPEND args ${relative})

  # The arguments stand in a file, so that a changed argument is a changed dependency.
  set(mdir ${CMAKE_CURRENT_BINARY_DIR}/${lib}.dir)
  set(gen ${mdir}/gen)
  string(REPLACE ";" "\n" text "${args}")
  file(MAKE_DIRECTORY ${gen})
  file(CONFIGURE OUTPUT ${mdir}/args.txt CONTENT "${text}\n" @ONLY)

  set(units "")
  math(EXPR last "${V_SHARDS} - 1")
  foreach(i RANGE ${last})
    list(APPEND units ${mdir}/unit${i}.cpp)
  endforeach()
  set(slow "")
  if(V_FAST)
    set(slow ${mdir}/slow.cpp)
    # Reset and constructors run once: they are not worth the optimiser's time.
    set_source_files_properties(${slow} PROPERTIES COMPILE_OPTIONS "-O0")
  endif()
  add_custom_command(
    OUTPUT ${units} ${slow}
    BYPRODUCTS ${gen}/${V_PREFIX}.h
    COMMAND ${CMAKE_COMMAND} -DVERILATOR=${OW_VERILATOR} -DPREFIX=${V_PREFIX} -DMDIR=${mdir}
            -DSHARDS=${V_SHARDS} -DSLOW=${slow} -DCOVERAGE=${OW_COVERAGE} -P ${OW_ROOT}/cmake/RunVerilator.cmake
    DEPENDS ${files} ${headers} ${lists} ${mdir}/args.txt ${OW_ROOT}/cmake/RunVerilator.cmake
    WORKING_DIRECTORY ${OW_ROOT}
    COMMENT "Verilating ${V_TOP} (${lib})"
    VERBATIM)
  # What Verilator writes, without compiling it.
  add_custom_target(${lib}_sources DEPENDS ${units} ${slow})
  add_library(${lib} STATIC EXCLUDE_FROM_ALL ${units} ${slow})
  add_dependencies(${lib} ${lib}_sources)
  # A model is a few functions of tens of thousands of assignments to members of one structure: for each
  # use of a member g++ walks back over up to 1,000 of them. With 20 the code is no larger, and large
  # units compile in two thirds of the time. Memory that it would look through again and again for what is
  # not in use is all in use: from 500 MB on is soon enough.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${lib} PRIVATE --param=sccvn-max-alias-queries-per-access=20
                                          --param=ggc-min-heapsize=500000)
  endif()
  # Messages name no path of this machine, because some of the models are installed.
  target_compile_options(${lib} PRIVATE -w -ffile-prefix-map=${mdir}/=)
  if(NOT V_FAST)
    target_compile_options(${lib} PRIVATE -Og)
  elseif(OW_PROFILE)
    _ow_profile(${lib} "${units}")
  endif()
  target_compile_definitions(${lib} PUBLIC VM_TRACE=${trace} VM_TRACE_FST=${trace} VM_COVERAGE=0)
  target_include_directories(${lib} SYSTEM PUBLIC ${gen})
  if(V_TIMING)
    set_target_properties(${lib} PROPERTIES CXX_STANDARD 20)
    target_link_libraries(${lib} PUBLIC ow_verilated_timing)
  endif()
  if(OW_COVERAGE)
    target_link_libraries(${lib} PUBLIC ow_coverage)
  endif()
  if(V_TRACE)
    target_link_libraries(${lib} PUBLIC ow_verilated_fst)
  else()
    target_link_libraries(${lib} PUBLIC ow_verilated)
  endif()
endfunction()
