// SPDX-License-Identifier: Apache-2.0
// Stands in for rtl/common/ow_pkg.sv in proofs of blocks that move links as a whole and look at no
// part of them: a link of two bits. What holds of these holds of each pair of bits of a real one.
package ow_pkg;

  typedef logic [1:0] link_t;

endpackage
