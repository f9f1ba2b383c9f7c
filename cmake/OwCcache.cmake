# SPDX-License-Identifier: Apache-2.0
# ccache makes a rebuild after a change of branch, or of a shared build tree, a matter of seconds. It is used
# if it compiles a file here and now: it does not where its folder cannot be written, for example.
#
# What precompiled headers define it finds in them; __TIME__ nothing here uses.
find_program(OW_CCACHE ccache)
if(NOT OW_CCACHE OR DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  return()
endif()
set(_ow_launcher env CCACHE_SLOPPINESS=pch_defines,time_macros ${OW_CCACHE})
set(_ow_probe ${CMAKE_BINARY_DIR}/CMakeFiles/ow_ccache)
# The time makes it a file that the cache does not have: it must write.
string(TIMESTAMP _ow_now "%s%f")
file(WRITE ${_ow_probe}.cpp "int ow_probe_${_ow_now};\n")
execute_process(COMMAND ${_ow_launcher} ${CMAKE_CXX_COMPILER} -c -o ${_ow_probe}.o ${_ow_probe}.cpp
                RESULT_VARIABLE _ow_status OUTPUT_VARIABLE _ow_output ERROR_VARIABLE _ow_output)
if(_ow_status EQUAL 0)
  set(CMAKE_C_COMPILER_LAUNCHER ${OW_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${_ow_launcher})
else()
  string(REGEX REPLACE "\n.*" "" _ow_output "${_ow_output}")
  message(STATUS "${OW_CCACHE} does not work here, and is left out: ${_ow_output}")
endif()
