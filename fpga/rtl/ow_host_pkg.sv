// SPDX-License-Identifier: Apache-2.0
// Functions of the host's byte stream (docs/fpga.md); its numbers are those of sw/isa/host.yaml.
package ow_host_pkg;

  import ow_isa_pkg::*;

  function automatic logic [31:0] crc32_byte(input logic [31:0] crc, input logic [7:0] data);
    logic [31:0] x;
    x = crc ^ {24'd0, data};
    for (int unsigned i = 0; i < 8; i++) x = {1'b0, x[31:1]} ^ (x[0] ? HOST_CRC_POLYNOMIAL : 32'd0);
    return x;
  endfunction

  function automatic logic is_special(input logic [7:0] data);
    return data == HOST_FLAG || data == HOST_ESCAPE;
  endfunction

endpackage
