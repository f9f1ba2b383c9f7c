# SPDX-License-Identifier: Apache-2.0
# Writes OW_DESIGN_HASH into a header: one hash of RECIPE and the contents of FILES. Run with cmake -P.
set(hashes "${RECIPE}")
foreach(file IN LISTS FILES)
  file(SHA256 ${file} hash)
  string(APPEND hashes ${hash})
endforeach()
string(SHA256 hash ${hashes})
file(WRITE ${OUT} "#define OW_DESIGN_HASH \"${hash}\"\n")
