// SPDX-License-Identifier: Apache-2.0
// A carry chain of 16 bits (generate or propagate and carry), whose carry in is used first and, in
// the test of scripts/flows/timing/timing, comes last.
module late_input (
    input  logic        late_i,
    input  logic [15:0] generate_i,
    input  logic [15:0] propagate_i,
    output logic        y_o
);
  always_comb begin
    y_o = late_i;
    for (int unsigned i = 0; i < 16; i++) y_o = generate_i[i] | (propagate_i[i] & y_o);
  end
endmodule
