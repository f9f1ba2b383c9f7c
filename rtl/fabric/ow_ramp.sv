// SPDX-License-Identifier: Apache-2.0
// The ramp: queues between a tile and its router. Input queues take wavelets of the colours that
// they are bound to; as many output queues send.
//
// Input: ej_i (a register of the router) is stored at the end of the cycle in the queue of its
// colour. Bit c of ej_ready_o: the queue of colour c has room for one more besides what is in ej_i
// now. A colour without a queue is never ready. Latency 1 cycle to inq_valid_o, throughput one
// wavelet per cycle. A pop gives its room two cycles later.
// Output: one wavelet per cycle in all, into the register inj_o. Queues that hold something have
// turns, round robin, if the router takes their colour in the next cycle (inj_space_i). Latency 2
// cycles from push to inj_o. A queue that can go waits for at most one wavelet of each other queue.
// If no queue can go, a push of reducer or engine into an empty queue goes there at once: latency 1
// cycle.
// Producers: three writers (reducer, engine, core) may push in one cycle, each into another queue.
// A writer may push into queue q in a cycle in which outq_ready_o[q] is high, and in the cycle
// after one. The bit promises space for two, so a writer may hold one push in a register.
// Binding: a write of cfg takes effect two cycles later. In the cycle in between no colour is
// ready, so nothing in flight is lost. A queue keeps what it holds. A colour is served by one input
// queue, the last one that was bound to it: the binding takes it from the other queue, which then
// reads as not bound. A binding that would take a colour from a queue that an instruction or a
// drain reads is an error and is not made.
// Errors, in err_* while they last or for one cycle: such a binding, in the cycle after its write;
// a wavelet for the ramp whose colour has no input queue (it stays in the router, and its colour
// waits); a push that finds no queue, a full one, or another writer (it is dropped; of two, the
// core's, else the engine's). A queue that does not exist is always ready and holds nothing; its
// binding reads 0.
//
//   NumColours   data colours, 2 to 24; a binding to a higher colour is never served
//   Queues       input queues, and output queues: 2, 4 or 8
//   QueueDepth   wavelets per queue, 4 or 8 (levels are reported in 4 bits)
//   Small        for area: all pushes go through their queue, and writers have turns by cycle_i,
//                the reticle's cycle count: the engine every second cycle, reducer and core every
//                fourth (*_turn_o; otherwise every cycle). A head that is not valid may be anything
//   cfg_*        write of a binding: addr [3] 0 input, 1 output queue, [2:0] which; data [5]
//                enable, [4:0] colour; *_bind_o reads back
//   clear_i      empties all queues. Bindings stay, and so do wavelets in the router. A reader that
//                found a wavelet before may still pop it, which takes nothing
//   inq_owned_i  input queues that a running instruction or drain reads
//   ej_owed_i    colours of which the router holds a wavelet for the ramp
//   err_*        an error, its cause (RAMP_* in ow_pkg) and its colour or queue
//   inq_*        heads of the input queues; inq_pop_i takes them, any number in one cycle
//   ctr_*_o      a wavelet came in through the ramp, or went out, in this cycle
//   idle_o       nothing can change before an input changes or something is popped. A reader that
//                pops is not idle and says so itself

`include "ow_assert.svh"

module ow_ramp
  import ow_pkg::*, ow_onehot_pkg::decode;
#(
  parameter int unsigned NumColours = FULL_NUM_COLOURS,
  parameter int unsigned Queues = NUM_QUEUES,
  parameter int unsigned QueueDepth = FULL_QUEUE_DEPTH,
  parameter bit Small = 1'b0
) (
  input  logic                       clk_i,
  input  logic                       rst_i,
  input  logic [1:0]                 cycle_i,
  input  wavelet_t                   ej_i,
  output logic [NumColours-1:0]      ej_ready_o,
  input  logic [NumColours-1:0]      ej_owed_i,
  output wavelet_t                   inj_o,
  input  logic [NumColours-1:0]      inj_space_i,
  input  logic                       cfg_we_i,
  input  logic [3:0]                 cfg_addr_i,
  input  logic [5:0]                 cfg_data_i,
  input  logic                       clear_i,
  input  logic [NUM_QUEUES-1:0]      inq_owned_i,
  output logic [NUM_QUEUES-1:0][5:0] inq_bind_o,
  output logic [NUM_QUEUES-1:0][5:0] outq_bind_o,
  output logic [NUM_QUEUES-1:0]      inq_valid_o,
  output ramp_t [NUM_QUEUES-1:0]     inq_head_o,
  input  logic [NUM_QUEUES-1:0]      inq_pop_i,
  output logic [NUM_QUEUES-1:0]      outq_ready_o,
  output logic                       eng_turn_o,
  output logic                       red_turn_o,
  output logic                       core_turn_o,
  input  logic                       eng_push_i,
  input  logic [2:0]                 eng_q_i,
  input  ramp_t                      eng_data_i,
  input  logic                       red_push_i,
  input  logic [2:0]                 red_q_i,
  input  ramp_t                      red_data_i,
  input  logic                       core_push_i,
  input  logic [2:0]                 core_q_i,
  input  ramp_t                      core_data_i,
  output logic [NUM_QUEUES-1:0][3:0] inq_level_o,
  output logic [NUM_QUEUES-1:0][3:0] outq_level_o,
  output logic                       err_valid_o,
  output logic [4:0]                 err_cause_o,
  output logic [4:0]                 err_unit_o,
  output logic                       ctr_in_o,
  output logic                       ctr_out_o,
  output logic                       idle_o
);

  localparam int unsigned PtrW = $clog2(QueueDepth);
  localparam logic [3:0] Full = 4'(QueueDepth);
  typedef logic [NumColours-1:0] colours_t;
  typedef logic [Queues-1:0] queues_t;
  typedef logic [$clog2(Queues)-1:0] queue_t;
  typedef logic [PtrW-1:0] ptr_t;

  `OW_ASSERT_INIT(queues_2_4_8, Queues == 2 || Queues == 4 || Queues == 8)
  `OW_ASSERT_INIT(depth_in_range, QueueDepth == 4 || QueueDepth == 8)
  `OW_ASSERT_INIT(colours_in_range, NumColours >= 2 && NumColours <= MAX_DATA_COLOURS)

  // Bindings: as written, and as a one-hot colour (0 if disabled).
  logic [Queues-1:0][5:0] inq_bind_q, outq_bind_q;
  colours_t in_colour_q [Queues];
  colours_t out_colour_q [Queues];
  logic cfg_we_q;
  /* verilator lint_off UNUSEDSIGNAL */ // with few queues not all bits
  logic [3:0] cfg_addr_q;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [5:0] cfg_data_q;
  // The same decoded a cycle earlier.
  queues_t cfg_one_q;
  colours_t cfg_colour_q;
  logic bind_in_q;

  // Queues.
  ptr_t [Queues-1:0] in_rp_q, out_rp_q;
  logic [Queues-1:0][3:0] in_level_q, out_level_q;
  ramp_t [Queues-1:0] in_head, out_head;  // output of the memories, valid or not
  queues_t in_valid_q, out_valid_q, out_ready_q;
  queues_t in_moved_q;  // input queues that have changed
  // Per colour: its queue has room for one, for two.
  colours_t room1_q, room2_q;
  colours_t bound_q;  // colours with an input queue
  logic overrun_q;    // a push was dropped
  logic [2:0] overrun_queue_q;
  queues_t above_q;  // round robin: queues above the last one that injected
  wavelet_t inj_q, inj_d;
  ramp_t inj_word;  // Small: the data that belong to inj_q

  always_comb begin
    inq_bind_o = '0;
    outq_bind_o = '0;
    inq_valid_o = '0;
    outq_ready_o = '1;
    inq_level_o = '0;
    outq_level_o = '0;
    inq_bind_o[Queues-1:0] = inq_bind_q;
    outq_bind_o[Queues-1:0] = outq_bind_q;
    inq_valid_o[Queues-1:0] = in_valid_q;
    outq_ready_o[Queues-1:0] = out_ready_q;
    inq_level_o[Queues-1:0] = in_level_q;
    outq_level_o[Queues-1:0] = out_level_q;
  end

  // There is a queue of this number.
  function automatic logic is_there(input logic [2:0] q);
    return {1'b0, q} < 4'(Queues);
  endfunction

  function automatic queue_t index(input queues_t one);
    logic [7:0] wide;
    wide = 8'(one);
    return queue_t'({(wide & 8'hF0) != '0, (wide & 8'hCC) != '0, (wide & 8'hAA) != '0});
  endfunction

  always_comb begin
    inq_head_o = '0;
    if (Small || in_valid_q != '0) begin
      for (int unsigned q = 0; q < Queues; q++) if (Small || in_valid_q[q]) inq_head_o[q] = in_head[q];
    end
  end

  // The binding that was written: the colour that it takes, and whether it takes it from a reader.
  logic taken_away;
  queue_t cfg_queue;
  assign cfg_queue = queue_t'(cfg_addr_q);
  colours_t bind_colour, unbind_colour;  // colours that the queue takes, and that it had
  always_comb begin
    bind_colour = '0;
    unbind_colour = '0;
    taken_away = 1'b0;
    if (bind_in_q) begin
      bind_colour = cfg_colour_q;
      for (int unsigned q = 0; q < Queues; q++) begin
        unbind_colour |= in_colour_q[q] & {NumColours{cfg_one_q[q]}};
        taken_away |= !cfg_one_q[q] && inq_owned_i[q] && (in_colour_q[q] & cfg_colour_q) != '0;
      end
    end
  end

  always_comb begin
    ej_ready_o = room1_q;
    if (ej_i.valid) ej_ready_o &= room2_q | ~(Small ? '1 : colours_t'(1) << ej_i.colour);
  end

  // Injection of held words: inj_space_i is for the next cycle, when the choice is in inj_q.
  // Small: in the cycle after a wavelet has gone none is chosen, so inj_space_i need not follow it.
  // The word is read all the same.
  queues_t inj_one, inj_pick, open;  // open: the router takes one of its colour
  wavelet_t inj_held;
  always_comb begin : choose
    automatic queues_t cand, high;
    automatic queue_t q;
    automatic ramp_t head;
    inj_held = '0;
    head = '0;
    inj_pick = '0;
    high = '0;
    q = '0;
    for (int unsigned i = 0; i < Queues; i++) open[i] = (out_colour_q[i] & inj_space_i) != '0;
    cand = out_valid_q & open;
    if (cand != '0) begin
      high = cand & above_q;
      if (high == '0) high = cand;
      inj_pick = high & (~high + queues_t'(1));
      q = index(inj_pick);
      head = out_head[q];
      inj_held = '{valid: !(Small && inj_q.valid), colour: outq_bind_q[q][4:0], ctrl: head.ctrl, data: head.data};
    end
  end
  assign inj_one = Small && inj_q.valid ? '0 : inj_pick;
  assign inj_o = Small ? wavelet_t'{valid: inj_q.valid, colour: inj_q.colour, ctrl: inj_word.ctrl,
                                    data: inj_word.data} : inj_q;

  // Errors.
  colours_t unbound;
  assign unbound = ej_owed_i & ~bound_q;
  always_comb begin
    err_valid_o = overrun_q || taken_away;
    err_cause_o = taken_away ? RAMP_TWO_QUEUES : RAMP_OVERRUN;
    err_unit_o = taken_away ? cfg_data_q[4:0] : {2'd0, overrun_queue_q};
    if (!err_valid_o && unbound != '0) begin
      err_valid_o = 1'b1;
      err_cause_o = RAMP_NO_CONSUMER;
      err_unit_o = '0;
      for (int unsigned c = NumColours; c > 0; c--) if (unbound[c-1]) err_unit_o = 5'(c - 1);
    end
  end

  // Small: the push of the writer that has its turn takes the place of the engine's.
  logic red_push, eng_push, core_push;
  logic [2:0] eng_q;
  ramp_t eng_data;
  assign eng_turn_o = !Small || !cycle_i[0];
  assign red_turn_o = !Small || cycle_i == 2'd1;
  assign core_turn_o = !Small || cycle_i == 2'd3;
  assign {red_push, core_push} = Small ? '0 : {red_push_i, core_push_i};
  assign eng_push = eng_push_i || (Small && (red_push_i || core_push_i));
  assign {eng_q, eng_data} = Small && red_turn_o ? {red_q_i, red_data_i}
                           : Small && core_turn_o ? {core_q_i, core_data_i} : {eng_q_i, eng_data_i};

  // The writers of this cycle, by the queue that takes the push. If two push to one queue, the
  // first wins. The room of the queues arrives early in the cycle, the writers late.
  queues_t room, red_in, eng_in, core_in;
  logic push_lost;
  logic [2:0] lost_queue;
  always_comb begin
    room = '0;
    red_in = '0;
    eng_in = '0;
    core_in = '0;
    push_lost = 1'b0;
    lost_queue = '0;
    if (red_push || eng_push || core_push) begin
      for (int unsigned q = 0; q < Queues; q++) begin
        room[q] = out_level_q[q] != Full || (!Small && inj_one[q]);
        red_in[q] = red_push && red_q_i == 3'(q);
        eng_in[q] = eng_push && eng_q == 3'(q) && !red_in[q];
        core_in[q] = core_push && core_q_i == 3'(q) && !red_in[q] &&
                     !(eng_push && eng_q == 3'(q));
      end
      red_in &= room;
      eng_in &= room;
      core_in &= room;
      push_lost = {red_in != '0, eng_in != '0, core_in != '0} !=
                  {red_push, eng_push, core_push};
      lost_queue = red_push && red_in == '0 ? red_q_i : Small || eng_push && eng_in == '0 ? eng_q : core_q_i;
    end
  end

  // A push of reducer or engine into an empty queue passes straight on if no held word goes, unless
  // the queue is being bound: a push after a binding must follow it. A push of the core always goes
  // through its queue, so that self-tests exercise the memory of the queue.
  queues_t straight;  // pushes into these queues may pass
  logic red_on, eng_on;
  always_comb begin : pass
    straight = !Small && inj_one == '0 ? open & ~out_valid_q : '0;
    if (cfg_we_q && cfg_addr_q[3]) straight[cfg_queue] = 1'b0;
    red_on = 1'b0;
    eng_on = 1'b0;
    inj_d = inj_held;
    if (red_push || eng_push) begin
      red_on = (red_in & straight) != '0;
      eng_on = (eng_in & straight) != '0 && !red_on;
      if (red_on) begin
        inj_d = '{valid: 1'b1, colour: outq_bind_q[queue_t'(red_q_i)][4:0], ctrl: red_data_i.ctrl,
                  data: red_data_i.data};
      end
      if (eng_on) begin
        inj_d = '{valid: 1'b1, colour: outq_bind_q[queue_t'(eng_q)][4:0], ctrl: eng_data.ctrl,
                  data: eng_data.data};
      end
    end
  end

  assign ctr_in_o = ej_i.valid;
  assign ctr_out_o = inj_q.valid;
  assign idle_o = !ej_i.valid && inj_one == '0 && !inj_q.valid && !eng_push_i && !red_push_i &&
                  !core_push_i && !cfg_we_i && !cfg_we_q && !clear_i && !overrun_q && in_moved_q == '0;

  // The queue that takes ej_i.
  queues_t ej_queue;
  always_comb begin
    ej_queue = '0;
    if (ej_i.valid) begin
      for (int unsigned q = 0; q < Queues; q++)
        ej_queue[q] = (in_colour_q[q] & (colours_t'(1) << ej_i.colour)) != '0;
    end
  end

  // ------------------------------------------------------------------------------- memories --
  // Data do not wait for whether the push is taken.
  queues_t out_push;
  ramp_t [Queues-1:0] out_wdata;
  always_comb begin
    out_push = '0;
    out_wdata = '0;
    if (Small || red_push || eng_push || core_push) begin
      for (int unsigned q = 0; q < Queues; q++) begin
        out_push[q] = (red_in[q] && !straight[q]) || (eng_in[q] && !(straight[q] && !red_on)) ||
                      core_in[q];
        out_wdata[q] = core_data_i;
        if (Small || (eng_push && eng_q == 3'(q))) out_wdata[q] = eng_data;
        if (red_push && red_q_i == 3'(q)) out_wdata[q] = red_data_i;
      end
    end
  end

  queues_t in_pop;
  assign in_pop = queues_t'(inq_pop_i) & in_valid_q;
  ow_ramp_words #(.Queues(Queues), .QueueDepth(QueueDepth), .Small(Small)) u_words (
    .clk_i, .rst_i, .in_push_i(ej_queue), .in_data_i({ej_i.ctrl, ej_i.data}), .in_valid_i(in_valid_q),
    .in_rp_i(in_rp_q), .in_level_i(in_level_q), .in_head_o(in_head), .into_i(queue_t'(eng_q)),
    .out_push_i(out_push), .out_data_i(out_wdata), .out_valid_i(out_valid_q), .out_rp_i(out_rp_q),
    .out_level_i(out_level_q), .out_head_o(out_head), .inj_i(inj_pick), .inj_o(inj_word)
  );

  // Levels of the queues that change, and the room that their colours have. Pops and pushes come
  // late, and each selects only the registers of its own queue. The room is computed without the
  // pops of this cycle, and again in the next one.
  logic in_here;  // an input queue may change
  logic [Queues-1:0][3:0] in_most, in_level_d;  // in_most: if nothing is popped
  colours_t room1_d, room2_d;
  assign in_here = ej_i.valid || in_valid_q != '0;
  always_comb begin : levels
    in_most = in_level_q;
    in_level_d = in_level_q;
    room1_d = room1_q;
    room2_d = room2_q;
    if (in_here || in_moved_q != '0 || bind_in_q) begin
      room1_d = '0;
      room2_d = '0;
      for (int unsigned q = 0; q < Queues; q++) begin
        in_most[q] = in_level_q[q] + 4'(ej_queue[q]);
        if (in_most[q] < Full) room1_d |= in_colour_q[q];
        if (in_most[q] < Full - 4'd1) room2_d |= in_colour_q[q];
        in_level_d[q] = in_pop[q] ? in_level_q[q] - 4'(!ej_queue[q]) : in_most[q];
      end
    end
  end

  // A binding of an input queue that is made.
  logic binds;
  logic [3:0] bind_level;
  colours_t bound_d;
  assign binds = bind_in_q && !taken_away;
  assign bind_level = in_most[cfg_queue];
  always_comb begin : bound
    bound_d = bound_q;
    if (binds) bound_d = (bound_q & ~unbind_colour) | bind_colour;
  end

  always_ff @(posedge clk_i) begin : step
    if (rst_i) begin
      inq_bind_q <= '0;
      outq_bind_q <= '0;
      cfg_we_q <= 1'b0;
      cfg_addr_q <= '0;
      cfg_data_q <= '0;
      cfg_one_q <= '0;
      cfg_colour_q <= '0;
      bind_in_q <= 1'b0;
      in_level_q <= '0;
      in_moved_q <= '0;
      out_level_q <= '0;
      in_valid_q <= '0;
      out_valid_q <= '0;
      out_ready_q <= '1;
      room1_q <= '0;
      room2_q <= '0;
      bound_q <= '0;
      overrun_q <= 1'b0;
      overrun_queue_q <= '0;
      above_q <= '0;
      inj_q <= '0;
      in_rp_q <= '0;
      out_rp_q <= '0;
      in_colour_q <= '{default: '0};
      out_colour_q <= '{default: '0};
    end else begin
      // Input queues.
      if (in_here) begin
        for (int unsigned q = 0; q < Queues; q++) begin
          if (in_pop[q]) in_rp_q[q] <= in_rp_q[q] + 1'b1;
          if (in_pop[q] || ej_queue[q]) begin
            in_level_q[q] <= in_level_d[q];
            in_valid_q[q] <= ej_queue[q] || in_level_q[q] > {3'd0, in_pop[q]};
          end
        end
      end
      in_moved_q <= ej_queue | in_pop;
      if (ej_i.valid || in_moved_q != '0 || bind_in_q) begin
        room1_q <= room1_d;
        room2_q <= room2_d;
      end

      // Output queues.
      for (int unsigned q = 0; q < Queues; q++) begin
        if (inj_one[q]) out_rp_q[q] <= out_rp_q[q] + 1'b1;
        if (out_push[q] || inj_one[q]) begin
          out_level_q[q] <= out_push[q] ? out_level_q[q] + 4'(!inj_one[q])
                                        : out_level_q[q] - 4'(inj_one[q]);
          out_valid_q[q] <= out_push[q] || out_level_q[q] > {3'd0, inj_one[q]};
          out_ready_q[q] <= out_push[q] ? out_level_q[q] < Full - 4'd2 + 4'(inj_one[q])
                                        : out_level_q[q] < Full - 4'd1 + 4'(inj_one[q]);
        end
      end
      if (inj_one != '0) above_q <= ~(inj_one | (inj_one - queues_t'(1)));
      if (inj_d.valid || inj_q.valid) inj_q <= inj_d;

      overrun_q <= push_lost;
      if (red_push || eng_push || core_push) overrun_queue_q <= lost_queue;

      // Bindings, a cycle after they were written.
      if (cfg_we_i || cfg_we_q) begin : bindings
        cfg_we_q <= cfg_we_i && is_there(cfg_addr_i[2:0]);
        cfg_addr_q <= cfg_addr_i;
        cfg_data_q <= cfg_data_i;
        cfg_one_q <= queues_t'(1) << queue_t'(cfg_addr_i);
        cfg_colour_q <= colours_t'(decode(cfg_data_i[5], cfg_data_i[4:0]));
        bind_in_q <= cfg_we_i && is_there(cfg_addr_i[2:0]) && !cfg_addr_i[3];
        if (cfg_we_q && cfg_addr_q[3]) begin
          outq_bind_q[cfg_queue] <= cfg_data_q;
          out_colour_q[cfg_queue] <= cfg_colour_q;
        end else if (binds) begin
          for (int unsigned q = 0; q < Queues; q++) begin
            if (cfg_one_q[q]) begin
              inq_bind_q[q] <= cfg_data_q;
              in_colour_q[q] <= bind_colour;
            end else if ((in_colour_q[q] & bind_colour) != '0) begin
              inq_bind_q[q][5] <= 1'b0;
              in_colour_q[q] <= '0;
            end
          end
          room1_q <= (room1_d & ~unbind_colour & ~bind_colour) |
                     (bind_level < Full ? bind_colour : '0);
          room2_q <= (room2_d & ~unbind_colour & ~bind_colour) |
                     (bind_level < Full - 4'd1 ? bind_colour : '0);
          bound_q <= bound_d;
        end
      end

      if (clear_i) begin : clear
        in_level_q <= '0;
        out_level_q <= '0;
        in_valid_q <= '0;
        out_valid_q <= '0;
        out_ready_q <= '1;
        inj_q <= '0;
        room1_q <= bound_d;
        room2_q <= bound_d;
      end
      // While a binding changes, nothing comes in; room is counted again afterwards.
      if (cfg_we_i && is_there(cfg_addr_i[2:0]) && !cfg_addr_i[3]) {room1_q, room2_q} <= '0;
    end
  end

  `OW_ASSERT(ejected_has_queue, !ej_i.valid || $onehot(ej_queue), "a wavelet has no queue, or two")
  `OW_ASSERT(injected_has_room, !inj_d.valid ||
             (inj_space_i & (colours_t'(1) << inj_d.colour)) != '0,
             "a wavelet is injected for which the router has no room")
  `OW_ASSERT(in_turn, ({red_push_i, eng_push_i, core_push_i} & ~{red_turn_o, eng_turn_o, core_turn_o}) ==
             '0, "a writer pushes in another one's turn")
  queues_t cleared;  // input queues to which nothing has come since they were cleared
  always_ff @(posedge clk_i) cleared <= rst_i ? '0 : clear_i ? '1 : cleared & ~ej_queue;
  `OW_ASSERT(pop_of_valid, (inq_pop_i & ~inq_valid_o & ~8'(cleared)) == '0, "pop of an empty input queue")
  for (genvar q = 0; q < Queues; q++) begin : gen_check
    `OW_ASSERT(in_level_in_range, in_level_q[q] <= Full, "an input queue overran")
    `OW_ASSERT(out_level_in_range, out_level_q[q] <= Full, "an output queue overran")
  end

endmodule
