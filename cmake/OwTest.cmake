# SPDX-License-Identifier: Apache-2.0
# Tests, every day's and the night's. The target `everyday` builds what `make test` runs, `nightly` what
# `make test-all` runs beyond it: those tests have the label `nightly`, and `all` leaves their programs out.
#
# ow_test(<target> [NIGHTLY] [SHARDS <n>] [CASES <pattern>...] [NIGHTLY_CASES <pattern>...]
#         [DRAWS <pattern>...] [PART <name>] [PREFIX <text>] [TIMEOUT <seconds>] [COST <n>] [SERIAL])
#
# The GoogleTest program <target> is one test of CTest, with all of its cases.
#
#   SHARDS         runs them as so many tests, <target>.0 and so on: for a program that runs for long, so
#                  that every processor has some. Cases then run beside each other
#   CASES          runs these alone (patterns of GoogleTest)
#   NIGHTLY_CASES  cases that only the night runs, as <target>.nightly
#   DRAWS          cases that draw at random: every day a part of their draws, as <target>.draws at night
#                  all of them (tb/harness/draws.h). Nightly tests have OW_NIGHTLY=1 in their environment
#   PART           of the night: rtl, sw, fpga, long, documents, bench or fuzz (a label, and the target nightly-<name>).
#                  By default that of the directory, OW_NIGHTLY_PART
#   PREFIX         what catalogues put before the names of its cases, if another program has them too
#   COST           CTest begins tests with a high cost first
#
# ow_test_sizes(<target> [SHARDS <n>] SOURCES <source>... LINK <target>... OTHER <target>...
#               [OTHER_SOURCES <source>...])
#
# A block of which there are several sizes: <target> has the cases of the full one and is linked with LINK;
# <target>_sizes, at night, has those of all sizes, OTHER_SOURCES too, and is linked with OTHER. Sources are compiled once
# for each, with OW_OTHER_SIZES=0 and 1.
#
# ow_command_test(<name> COMMAND <command>... [NIGHTLY] [NEEDS <target>...] [PART ..] [TIMEOUT ..] [COST ..]
#                 [SERIAL])
#
# Any other program that ends with 0; NEEDS are the targets that it uses.
#
# tests.txt in the build tree has a line a program, for tb/catalog_test.cpp: everyday or nightly, the prefix
# (- for none), the path, and its sources.

add_custom_target(everyday)
add_custom_target(nightly)
foreach(part rtl sw fpga long campaigns documents bench fuzz)
  add_custom_target(nightly-${part})
  add_dependencies(nightly nightly-${part})
endforeach()

function(_ow_test_properties name set)
  cmake_parse_arguments(PARSE_ARGV 2 T "SERIAL" "PART;TIMEOUT;COST" "ENVIRONMENT")
  set(labels "")
  if(set STREQUAL "nightly")
    set(labels nightly ${T_PART})
    list(APPEND T_ENVIRONMENT OW_NIGHTLY=1)
  endif()
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 600)
    if(set STREQUAL "nightly")
      set(T_TIMEOUT 3600)
    endif()
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${T_TIMEOUT} LABELS "${labels}" ENVIRONMENT "${T_ENVIRONMENT}")
  if(T_COST)
    set_tests_properties(${name} PROPERTIES COST ${T_COST})
  endif()
  if(T_SERIAL)
    set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)
  endif()
endfunction()

# Sets T_PART and `properties`, the arguments of _ow_test_properties, from the T_ options of the caller.
macro(_ow_test_options)
  if(NOT T_PART)
    set(T_PART ${OW_NIGHTLY_PART})
  endif()
  set(properties PART ${T_PART})
  foreach(option TIMEOUT COST)
    if(T_${option})
      list(APPEND properties ${option} ${T_${option}})
    endif()
  endforeach()
  if(T_SERIAL)
    list(APPEND properties SERIAL)
  endif()
endmacro()

function(ow_test target)
  cmake_parse_arguments(PARSE_ARGV 1 T "NIGHTLY;SERIAL" "SHARDS;PART;PREFIX;TIMEOUT;COST" "CASES;NIGHTLY_CASES;DRAWS")
  if(T_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "ow_test(${target}): unknown arguments ${T_UNPARSED_ARGUMENTS}")
  endif()
  _ow_test_options()
  set(set everyday)
  if(T_NIGHTLY)
    set(set nightly)
    set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
  else()
    add_dependencies(everyday ${target})
  endif()
  if(T_NIGHTLY OR T_NIGHTLY_CASES OR T_DRAWS)
    add_dependencies(nightly-${T_PART} ${target})
  endif()
  set(command ${target})
  if(T_CASES)
    list(JOIN T_CASES ":" cases)
    set(command ${target} "--gtest_filter=${cases}")
  elseif(T_NIGHTLY_CASES)
    list(JOIN T_NIGHTLY_CASES ":" cases)
    set(command ${target} "--gtest_filter=-${cases}")
    add_test(NAME ${target}.nightly COMMAND ${target} "--gtest_filter=${cases}")
    _ow_test_properties(${target}.nightly nightly ${properties} TIMEOUT 7200)
  endif()
  if(T_DRAWS)
    list(JOIN T_DRAWS ":" cases)
    add_test(NAME ${target}.draws COMMAND ${target} "--gtest_filter=${cases}")
    _ow_test_properties(${target}.draws nightly ${properties} TIMEOUT 7200)
  endif()
  if(T_SHARDS)
    math(EXPR last "${T_SHARDS} - 1")
    foreach(shard RANGE ${last})
      add_test(NAME ${target}.${shard} COMMAND ${command})
      _ow_test_properties(${target}.${shard} ${set} ${properties}
                          ENVIRONMENT GTEST_TOTAL_SHARDS=${T_SHARDS} GTEST_SHARD_INDEX=${shard})
    endforeach()
  else()
    add_test(NAME ${target} COMMAND ${command})
    _ow_test_properties(${target} ${set} ${properties})
  endif()
  if(NOT T_PREFIX)
    set(T_PREFIX -)
  endif()
  get_target_property(listed ${target} SOURCES)
  set(sources "")
  foreach(source IN LISTS listed)
    if(source MATCHES "_test\\.cpp$")
      get_filename_component(source ${source} ABSOLUTE)
      string(APPEND sources " ${source}")
    endif()
  endforeach()
  set_property(GLOBAL APPEND_STRING PROPERTY OW_TESTS "${set} ${T_PREFIX} $<TARGET_FILE:${target}>${sources}\n")
endfunction()

function(ow_test_sizes target)
  cmake_parse_arguments(PARSE_ARGV 1 S "" "SHARDS" "SOURCES;LINK;OTHER;OTHER_SOURCES")
  add_executable(${target} ${S_SOURCES})
  target_compile_definitions(${target} PRIVATE OW_OTHER_SIZES=0)
  target_link_libraries(${target} PRIVATE ${S_LINK})
  add_executable(${target}_sizes ${S_SOURCES} ${S_OTHER_SOURCES})
  target_compile_definitions(${target}_sizes PRIVATE OW_OTHER_SIZES=1)
  target_link_libraries(${target}_sizes PRIVATE ${S_LINK} ${S_OTHER})
  foreach(one ${target} ${target}_sizes)
    target_include_directories(${one} PRIVATE ${OW_ROOT}/sw/include ${OW_ROOT}/tb/harness)
  endforeach()
  ow_test(${target} SHARDS ${S_SHARDS})
  ow_test(${target}_sizes NIGHTLY SHARDS ${S_SHARDS})
endfunction()

function(ow_command_test name)
  cmake_parse_arguments(PARSE_ARGV 1 T "NIGHTLY;SERIAL" "PART;TIMEOUT;COST" "COMMAND;NEEDS")
  add_test(NAME ${name} COMMAND ${T_COMMAND})
  set(set everyday)
  if(T_NIGHTLY)
    set(set nightly)
  endif()
  _ow_test_options()
  _ow_test_properties(${name} ${set} ${properties})
  if(T_NEEDS AND T_NIGHTLY)
    add_dependencies(nightly-${T_PART} ${T_NEEDS})
  elseif(T_NEEDS)
    add_dependencies(everyday ${T_NEEDS})
  endif()
endfunction()

# Writes tests.txt, after all tests.
function(ow_write_tests)
  get_property(tests GLOBAL PROPERTY OW_TESTS)
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/tests.txt CONTENT "${tests}")
endfunction()
