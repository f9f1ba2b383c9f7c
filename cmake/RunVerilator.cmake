# SPDX-License-Identifier: Apache-2.0
# Run by ow_verilate at build time: Verilates into ${MDIR}/gen, then writes the compilation units
# ${MDIR}/fast<i>.cpp and slow.cpp, which include what Verilator wrote. Fixed names, because the
# build must know its files before Verilator has run.

file(STRINGS ${MDIR}/args.txt args)
# Files of an earlier run that this one does not write would be compiled too.
file(GLOB old ${MDIR}/gen/*.cpp ${MDIR}/gen/*.h)
if(old)
  file(REMOVE ${old})
endif()
execute_process(COMMAND ${VERILATOR} ${args} --Mdir ${MDIR}/gen RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "verilator failed for ${PREFIX}")
endif()

# With coverage, all instances of the model share their counters (cmake/coverage/ow_coverage.h).
if(COVERAGE)
  file(GLOB sources ${MDIR}/gen/*__Syms.h ${MDIR}/gen/*Slow.cpp)
  set(patched 0)
  foreach(source IN LISTS sources)
    file(READ ${source} text)
    if(text MATCHES "> __Vcoverage\\[")
      string(REPLACE "std::atomic<uint32_t> __Vcoverage[" "static inline std::atomic<uint32_t> __Vcoverage["
             text "${text}")
    elseif(text MATCHES "VL_COVER_INSERT")
      string(REPLACE "*count32p = 0;" "" text "${text}")
      string(REGEX REPLACE "VL_COVER_INSERT\\([^;]*;"
             "if (enable) ow_cover_insert(countp, filenamep, lineno, column, pagep, commentp, linescovp);"
             text "${text}")
      string(PREPEND text "#include \"ow_coverage.h\"\n")
    else()
      continue()
    endif()
    file(WRITE ${source} "${text}")
    math(EXPR patched "${patched} + 1")
  endforeach()
  if(patched LESS 2)
    message(FATAL_ERROR "coverage of ${PREFIX}: the model does not look like Verilator 5.006's")
  endif()
endif()

file(GLOB sources RELATIVE ${MDIR}/gen ${MDIR}/gen/*.cpp)
list(SORT sources)
math(EXPR last "${SHARDS} - 1")
set(slow_text "")
foreach(i RANGE ${last})
  set(fast_text${i} "")
endforeach()
set(n 0)
foreach(source IN LISTS sources)
  set(line "#include \"gen/${source}\"\n")
  if(source MATCHES "__Slow\\.cpp$")
    string(APPEND slow_text "${line}")
  else()
    math(EXPR i "${n} % ${SHARDS}")
    string(APPEND fast_text${i} "${line}")
    math(EXPR n "${n} + 1")
  endif()
endforeach()
file(WRITE ${MDIR}/slow.cpp "${slow_text}")
foreach(i RANGE ${last})
  file(WRITE ${MDIR}/fast${i}.cpp "${fast_text${i}}")
endforeach()
