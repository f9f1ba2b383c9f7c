# SPDX-License-Identifier: Apache-2.0
# ow_kernel(<name> <source>... [FOR <target>...] [DEFINES <name>[=<value>]...] [INCLUDES <dir>...]
#           [OPTIONS <flag>...] [STACK <bytes>] [SRAM <bytes>] [OUTPUT_DIRECTORY <dir>])
#
# Builds <dir>/<name>.elf, firmware for tiles, from C and assembly sources: with the start-up code,
# the linker script, what it calls of the kernel library (openwafer/tile/kernels.h) and of libgcc.
# <dir> is the current binary directory unless OUTPUT_DIRECTORY says otherwise. The target is
# <name>_kernel and belongs to `all`.
#
#   FOR      host programs that load it: they are built after it, and find it as
#            OW_KERNEL_DIR "/<name>.elf"
#   STACK    bytes of the stack, a multiple of 16; 1024 by default. A function whose frame alone is
#            larger is an error
#   SRAM     bytes of the tile's memory; those of a full tile by default
#
# Sources are freestanding C11, compiled with -Os unless OPTIONS say otherwise. A C float that would
# become an integer by itself is an error: the kernel library takes bits (openwafer/tile/scalar.h).
# So is a pointer, which is no number of a descriptor.
#
# The includer sets OW_TILE_INCLUDE_DIRS (headers), OW_TILE_LIBRARY (archive), OW_TILE_SCRIPT (linker
# script) and OW_FULL_SRAM_BYTES: the build of Openwafer its own, the installed package those beside
# it and what the build had.

find_program(OW_RISCV_CC NAMES riscv64-unknown-elf-gcc riscv32-unknown-elf-gcc riscv64-elf-gcc
             DOC "GCC for the core of a tile")
if(NOT OW_RISCV_CC)
  message(FATAL_ERROR "riscv64-unknown-elf-gcc is not installed: run scripts/bootstrap, or install "
                      "Debian's gcc-riscv64-unknown-elf and binutils-riscv64-unknown-elf")
endif()

set(OW_TILE_FLAGS -march=rv32im_zicsr_zifencei -mabi=ilp32 -std=c11 -ffreestanding -fno-common -g
    -Wall -Wextra -Werror=float-conversion -Werror=int-conversion)

# libgcc by its plain name: compilers do not find their rv32im library once Zicsr is in -march.
execute_process(COMMAND ${OW_RISCV_CC} -march=rv32im -mabi=ilp32 -print-libgcc-file-name
                OUTPUT_VARIABLE OW_TILE_LIBGCC OUTPUT_STRIP_TRAILING_WHITESPACE)
set(OW_TILE_LINK_FLAGS -nostdlib)
# Older binutils do not know this warning, and none of them needs it: SRAM is writable code.
set(_ow_probe ${CMAKE_BINARY_DIR}/CMakeFiles/ow_probe)
file(CONFIGURE OUTPUT ${_ow_probe}.c CONTENT
     "float ow_probe(float a, float b); float ow_probe(float a, float b) { return a * b; }\n")
foreach(_ow_flag -Wl,--no-warn-rwx-segments "")
  execute_process(COMMAND ${OW_RISCV_CC} ${OW_TILE_FLAGS} -nostdlib ${_ow_flag} -Wl,-eow_probe
                          -o ${_ow_probe}.elf ${_ow_probe}.c ${OW_TILE_LIBGCC}
                  RESULT_VARIABLE _ow_status OUTPUT_QUIET ERROR_VARIABLE _ow_errors)
  if(_ow_status EQUAL 0)
    list(APPEND OW_TILE_LINK_FLAGS ${_ow_flag})
    break()
  endif()
endforeach()
if(NOT _ow_status EQUAL 0)
  message(FATAL_ERROR "${OW_RISCV_CC} cannot link for rv32im, ilp32:\n${_ow_errors}")
endif()

# _ow_tile_object(<variable> <name> <source> <flag>...): an object file of the source, <name>.o in
# the current binary directory; its path is appended to the variable.
function(_ow_tile_object variable name source)
  get_filename_component(source ${source} ABSOLUTE)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.o)
  get_filename_component(dir ${object} DIRECTORY)
  file(MAKE_DIRECTORY ${dir})
  list(TRANSFORM OW_TILE_INCLUDE_DIRS PREPEND -I OUTPUT_VARIABLE includes)
  add_custom_command(
    OUTPUT ${object}
    COMMAND ${OW_RISCV_CC} ${OW_TILE_FLAGS} ${ARGN} ${includes} -MD -MQ ${object}
            -MF ${object}.d -c -o ${object} ${source}
    DEPENDS ${source} ${OW_TILE_ISA_HEADER}
    DEPFILE ${object}.d
    COMMENT "Building tile object ${name}"
    VERBATIM)
  set(${variable} ${${variable}} ${object} PARENT_SCOPE)
endfunction()

function(ow_kernel name)
  cmake_parse_arguments(PARSE_ARGV 1 K "" "STACK;SRAM;OUTPUT_DIRECTORY"
                        "FOR;DEFINES;INCLUDES;OPTIONS")
  if(NOT K_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "ow_kernel(${name}): no sources")
  endif()
  if(NOT K_OUTPUT_DIRECTORY)
    set(K_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  endif()
  if(NOT K_STACK)
    set(K_STACK 1024)
  endif()
  if(NOT K_SRAM)
    set(K_SRAM ${OW_FULL_SRAM_BYTES})
  endif()
  foreach(option STACK SRAM)
    set(bytes "${K_${option}}")
    set(rest 1)
    if(bytes MATCHES "^[0-9]+$")
      math(EXPR rest "${bytes} % 16")
    endif()
    if(rest OR bytes LESS 64)
      message(FATAL_ERROR "ow_kernel(${name}): ${option} ${bytes}: must be a multiple of 16 from 64")
    endif()
  endforeach()
  list(TRANSFORM K_DEFINES PREPEND -D)
  list(TRANSFORM K_INCLUDES PREPEND -I)
  set(objects "")
  foreach(source IN LISTS K_UNPARSED_ARGUMENTS)
    # With its folder: sources of one name may lie in several.
    get_filename_component(stem ${source} ABSOLUTE)
    string(REGEX MATCH "[^/]*/[^/]*$" stem ${stem})
    _ow_tile_object(objects ${name}.dir/${stem} ${source} -Os -Werror=stack-usage=${K_STACK}
                    ${K_DEFINES} ${K_INCLUDES} ${K_OPTIONS})
  endforeach()
  file(MAKE_DIRECTORY ${K_OUTPUT_DIRECTORY})
  set(elf ${K_OUTPUT_DIRECTORY}/${name}.elf)
  add_custom_command(
    OUTPUT ${elf}
    COMMAND ${OW_RISCV_CC} ${OW_TILE_FLAGS} ${OW_TILE_LINK_FLAGS} -T${OW_TILE_SCRIPT}
            -Wl,--defsym=OW_STACK_BYTES=${K_STACK} -Wl,--defsym=OW_SRAM_BYTES=${K_SRAM}
            -o ${elf} ${objects} ${OW_TILE_LIBRARY} ${OW_TILE_LIBGCC}
    DEPENDS ${objects} ${OW_TILE_SCRIPT} ${OW_TILE_LIBRARY}
    COMMENT "Building firmware ${name}.elf"
    VERBATIM)
  add_custom_target(${name}_kernel ALL DEPENDS ${elf})
  set_target_properties(${name}_kernel PROPERTIES OW_ELF ${elf})
  if(TARGET ow_tile_library)
    add_dependencies(${name}_kernel ow_tile_library ow_isa_headers)
  endif()
  foreach(target IN LISTS K_FOR)
    add_dependencies(${target} ${name}_kernel)
    target_compile_definitions(${target} PRIVATE OW_KERNEL_DIR="${K_OUTPUT_DIRECTORY}")
  endforeach()
endfunction()
