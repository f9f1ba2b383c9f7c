# SPDX-License-Identifier: Apache-2.0
# A kind of layer is a folder of sw/layers. Each library takes its own file of every folder:
#
#   kind.cpp            names, options, shapes        ow_graph
#   lower.cpp           what the tiles do with it     ow_compile
#   golden/golden.cpp   what it must compute          ow_golden
#   tile.h              code of the tiles             firmware that includes it
#
# ow_layer_sources(<out> <file> <header> <type> <table>): the files of that name, and a source that
# defines `const std::vector<const <type>*>& <table>()` with what each folder's function
# <folder>_<table> returns. `header` declares type and table.
function(ow_layer_sources out file header type table)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/sw/layers/*/${file})
  string(REGEX REPLACE "::[^:]*$" "" namespace ${type})
  string(REGEX REPLACE ".*::" "" plain ${type})
  set(declarations "")
  set(entries "")
  foreach(source IN LISTS sources)
    file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR}/sw/layers ${source})
    string(REGEX REPLACE "/.*" "" name ${name})
    string(APPEND declarations "const ${plain}& ${name}_${table}();\n")
    string(APPEND entries " &${name}_${table}(),")
  endforeach()
  string(CONCAT text "// Made by the build from the folders of sw/layers.\n#include \"${header}\"\nnamespace ${namespace} {\n"
           "${declarations}"
           "const std::vector<const ${plain}*>& ${table}() {\n"
           "  static const std::vector<const ${plain}*> all = {${entries}};\n  return all;\n}\n}\n")
  set(generated ${OW_GENERATED_DIR}/ow/layers/${table}.cpp)
  file(CONFIGURE OUTPUT ${generated} CONTENT "${text}" @ONLY)
  set(${out} ${sources} ${generated} PARENT_SCOPE)
endfunction()
