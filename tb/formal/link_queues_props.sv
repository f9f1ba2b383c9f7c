// SPDX-License-Identifier: Apache-2.0
// Properties of ow_link_queues' choice. Anything may arrive where there is room, and any queues may
// be served. An input of the first cycle chooses the queue that is watched.
//
// A queue that holds something and may be served in every cycle is served after a bounded number of
// others. For data: each other data colour once, and the control plane once before each three of
// them. For the control plane: 7 (three of data, its other queue, three of data). The choice is
// always one queue that holds something and may be served.
//
// `make formal` proves that no bad_* output is ever high and that every seen_* output can be.
module link_queues_props #(
  parameter int unsigned NumColours = 4,
  localparam int unsigned N = NumColours + 2,
  localparam int unsigned IdxW = $clog2(N)
) (
  input  logic            clk_i,
  input  logic [IdxW-1:0] who_i,
  input  logic            keep_i,
  input  logic [IdxW-1:0] arrive_i,
  input  logic            command_i,
  input  logic [N-1:0]    first_i,
  input  logic [IdxW-1:0] then_i,
  input  logic            go_i,
  output logic            bad_data_late_o,
  output logic            bad_control_late_o,
  output logic            bad_choice_o,
  output logic            seen_data_last_o,    // served at the last moment
  output logic            seen_control_last_o
);

  localparam int unsigned Depth = 2;
  localparam int unsigned MostData = NumColours - 1 + 1 + (NumColours - 1) / 3;
  localparam int unsigned MostControl = 7;

  logic up_q;  // 0 in the first cycle, which is the reset
  initial up_q = 1'b0;
  always_ff @(posedge clk_i) up_q <= 1'b1;

  logic [N-1:0] held, one, may, late;
  logic [N-1:0][1:0] level_q;
  logic any, go, keep;
  assign go = up_q && go_i && any;
  assign keep = up_q && keep_i && 32'(arrive_i) < N && 32'(level_q[arrive_i]) < Depth;
  assign late = N'(1) << then_i;
  ow_link_queues #(.NumColours(NumColours), .Depth(Depth)) u_queues (
    .clk_i, .rst_i(!up_q), .arrive_idx_i(arrive_i), .arrive_command_i(command_i), .keep_i(keep),
    .write_at_o(), .first_i, .then_i(late), .held_o(held), .fence_o(), .any_o(any), .one_o(one),
    .command_o(), .read_at_o(), .go_i(go)
  );

  logic [IdxW-1:0] who_q;
  logic [4:0] late_q;  // others that were served
  logic waits, control;
  always_comb for (int unsigned c = 0; c < N; c++) may[c] = level_q[c] != '0 && first_i[c];
  assign waits = up_q && may[who_q];
  assign control = 32'(who_q) >= NumColours;
  always_ff @(posedge clk_i) begin
    if (!up_q) who_q <= 32'(who_i) < N ? who_i : '0;
    late_q <= waits && !(go && one[who_q]) ? late_q + 5'(go && late_q != '1) : '0;
    for (int unsigned c = 0; c < N; c++) begin
      level_q[c] <= up_q ? level_q[c] + 2'(keep && 32'(arrive_i) == c) - 2'(go && one[c]) : '0;
    end
  end

  logic passed;  // another one is served
  assign passed = waits && go && !one[who_q];
  assign bad_data_late_o = passed && !control && 32'(late_q) == MostData;
  assign bad_control_late_o = passed && control && 32'(late_q) == MostControl;
  always_comb begin
    bad_choice_o = up_q && (any != (one != '0) || !$onehot0(one) || (waits && !any));
    for (int unsigned c = 0; c < N; c++) begin
      if (held[c] != (level_q[c] != '0)) bad_choice_o = up_q;
      if (one[c] && !may[c] && (may != '0 || level_q[c] == '0 || !late[c])) bad_choice_o = up_q;
    end
  end
  assign seen_data_last_o = waits && go && one[who_q] && !control && 32'(late_q) == MostData;
  assign seen_control_last_o = waits && go && one[who_q] && control && 32'(late_q) == MostControl;

endmodule
