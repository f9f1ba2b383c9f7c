// SPDX-License-Identifier: Apache-2.0
// Replaces rtl/common/ow_pkg.sv in proofs of blocks that move links as a whole and look at no part
// of them. A link has two bits here. What holds for these holds for each pair of bits of a real
// link.
package ow_pkg;

  import ow_isa_pkg::tile_fuse_t;
  import ow_isa_pkg::row_fuse_t;
  export ow_isa_pkg::tile_fuse_t;
  export ow_isa_pkg::row_fuse_t;

  typedef logic [1:0] link_t;

endpackage
