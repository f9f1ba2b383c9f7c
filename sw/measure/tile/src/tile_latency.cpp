// SPDX-License-Identifier: Apache-2.0
// Latencies and threads.
#include "ow/device/sim_control.h"
#include "ow/sim/single_tile.h"
#include "tile_measure.h"

namespace ow::bench {

void TileRows::instruction_latency() {
  // Latency: the retire port says when the instruction left decode and what the reads of the beat
  // counter after it gave. A read in cycle c that shows k more beats means that the first was
  // issued in cycle c - k + 1 at the latest.
  {
    const auto observed = make_observed_tile(false);
    TileRunner tile(observed->device(), options_.firmware);
    Space space(tile);
    constexpr uint32_t kN = 512;
    const Vec x = data_.values(Type::F16, kN);
    const Vec y = data_.values(Type::F16, kN);
    const uint32_t xa = space.take(2 * kN);
    const uint32_t ya = space.take(2 * kN, 16);
    tile.write(xa, Type::F16, x);
    tile.write(ya, Type::F16, y);
    Call call;
    call.function = OW_TB_LATENCY;
    const uint32_t a = data_.value(Type::F16);
    call.args = {control(0, 1, kNone, 1, kScalar), a};
    call.dsrs = {vector(0, Type::F16, ya, kN), vector(1, Type::F16, xa, kN)};
    const uint32_t pc = tile.image().symbol("ow_tb_latency");
    uint64_t decode = 0;
    std::vector<std::pair<uint64_t, uint32_t>> reads;
    observed->observe([&](const Retire& r, uint64_t cycle) {
      if (r.pc == pc) decode = cycle;
      if (decode != 0 && r.pc > pc && r.pc <= pc + 32 && r.rd_we) {
        reads.emplace_back(cycle, r.rd_data);
      }
    });
    tile.prepare(call, 0);
    const uint32_t before = static_cast<uint32_t>(read_counters(tile.control(), 0, 0)[kCtrBeats]);
    tile.start(0);
    tile.wait("axpy");
    tile.finish(call, 0);
    check("axpy", tile.read(ya, Type::F16, kN), golden::axpy(Type::F16, a, x, y));
    uint64_t first = 0;
    for (const auto& [cycle, value] : reads) {
      if (value != before) {
        // The core goes on in the cycle after the one in which the register was read.
        first = cycle + 1 - (value - before) + 1;
        break;
      }
    }
    if (first == 0 || decode == 0) throw DeviceFault("axpy: no beat was seen");
    figure("tile.instruction_latency", static_cast<double>(first - decode),
           {{"retired", static_cast<double>(decode)}, {"first_beat", static_cast<double>(first)}});
  }
  {
    constexpr uint32_t kRounds = 8;
    constexpr uint32_t kEach = 64;
    constexpr uint32_t kN = 12 * kEach * kRounds;
    Space space(tile());
    const Vec x = data_.values(Type::F16, kN);
    const Vec y = data_.values(Type::F16, kN);
    const uint32_t a = data_.value(Type::F16);
    const uint32_t xa = space.take(2 * kN);
    const uint32_t ya = space.take(2 * kN, 16);
    tile().write(xa, Type::F16, x);
    tile().write(ya, Type::F16, y);
    Call call;
    call.function = OW_TB_BACK_TO_BACK;
    call.args = {kRounds, a};
    for (uint32_t t = 0; t < 12; ++t) {
      // Thread t walks its own part of the vectors, 64 elements an instruction.
      const uint32_t at = t * kEach * kRounds * 2;
      call.dsrs.push_back(memory(2 * t, Type::F16, ya + at, {{kEach, 2}}, kSaveAddress));
      call.dsrs.push_back(memory(2 * t + 1, Type::F16, xa + at, {{kEach, 2}}, kSaveAddress));
    }
    const CallResult r = tile().call(call);
    check("axpys back to back", tile().read(ya, Type::F16, kN), golden::axpy(Type::F16, a, x, y));
    const double each = static_cast<double>(r.cycles) / (12 * kRounds);
    timing("96 axpys of 64, back to back", kN, r.cycles, kN / kLanes);
    figure("tile.axpy_back_to_back", each,
           {{"cycles", static_cast<double>(r.cycles)}, {"axpys", 12 * kRounds}});
  }
}

void TileRows::task_latency() {
  // Latency: a wavelet that is on the west edge's wires in cycle c is at the ramp in cycle c + 1 (a
  // hop is one cycle).
  {
    const auto observed = make_observed_tile(false);
    TileRunner tile(observed->device(), options_.firmware);
    const uint32_t pc = tile.read_word(kRegTaskEntry + 4 * OW_TB_INQ_TASK);
    uint64_t first = 0;
    observed->observe([&](const Retire& r, uint64_t cycle) {
      if (r.pc == pc && first == 0) first = cycle;
    });
    tile.device().sim()->record_edges(true);
    tile.send({{TileRunner::kColourTask, false, 7}});
    tile.wait("data task");
    uint64_t edge = 0;
    for (const EdgeEvent& e : tile.device().sim()->edge_log()) {
      if (e.in && e.wavelet.colour == TileRunner::kColourTask) edge = e.cycle;
    }
    if (first == 0 || edge == 0) throw DeviceFault("data task: the task did not run");
    figure(
        "tile.task_latency", static_cast<double>(first - (edge + 1)),
        {{"edge", static_cast<double>(edge)}, {"first_instruction", static_cast<double>(first)}});
  }
  {
    const auto observed = make_observed_tile(false);
    TileRunner tile(observed->device(), options_.firmware);
    constexpr uint32_t kWavelets = 512;
    const uint32_t pc = tile.read_word(kRegTaskEntry + 4 * OW_TB_INQ_TASK);
    uint64_t first = 0;
    uint64_t last = 0;
    observed->observe([&](const Retire& r, uint64_t cycle) {
      if (r.pc != pc) return;
      if (first == 0) first = cycle;
      last = cycle;
    });
    const uint32_t word = tile.image().symbol("ow_tb_task_sum");
    const uint32_t before = tile.read_word(word);
    std::vector<Wavelet> stream;
    uint32_t sum = before;
    for (uint32_t k = 0; k < kWavelets; ++k) {
      stream.push_back({TileRunner::kColourTask, false, 3 * k + 1});
      sum += 3 * k + 1;
    }
    tile.send(stream);
    tile.wait("data task");
    check("data task", {tile.read_word(word)}, {sum});
    figure("tile.task_rate", static_cast<double>(last - first) / (kWavelets - 1),
           {{"wavelets", kWavelets}, {"cycles", static_cast<double>(last - first)}});
  }
}

void TileRows::neighbour_latency() {
  TileRunner tile(make_device(DeviceKind::Replicated, GridShape{1, 2}), options_.firmware);
  constexpr uint32_t kWords = 8;
  Space space(tile);
  const uint32_t at = space.take(4 * kWords);
  const Vec x = data_.any(Type::I32, kWords);
  tile.write(at, Type::I32, x, 0);
  Call receive;
  receive.function = OW_TB_INSTRUCTION;
  receive.args = {control(0, 1, kNone, 0), 0};
  receive.dsrs = {vector(0, Type::I32, at, kWords), fabric_in(1, Type::I32, OW_TB_INQ, kWords)};
  receive.insn = instruction_word(Op::Mov, Type::I32);
  Call send = receive;
  send.dsrs = {fabric_out(0, Type::I32, OW_TB_OUTQ, kWords), vector(1, Type::I32, at, kWords)};
  tile.prepare(receive, 1);
  tile.prepare(send, 0);
  tile.start(1);
  tile.wait("words to the neighbour");  // the receiver waits for the fabric
  tile.start(0);
  tile.wait("words to the neighbour");
  const CallResult sent = tile.finish(send, 0);
  const CallResult received = tile.finish(receive, 1);
  check("words to the neighbour", tile.read(at, Type::I32, kWords, 1), x);
  // Both cycle counts are the wafer's. The reads of the count stand before the sender's call of the
  // instruction and after the receiver's return from it.
  figure("tile.neighbour_latency", static_cast<double>(received.end - sent.begin),
         {{"send_begin", static_cast<double>(sent.begin)},
          {"send_end", static_cast<double>(sent.end)},
          {"receive_end", static_cast<double>(received.end)}});
}

void TileRows::thread_costs() {
  constexpr uint32_t kN = 6144;
  Space space(tile());
  const Vec x = data_.values(Type::F16, kN);
  const uint32_t a = data_.value(Type::F16);
  const uint32_t xa = space.take(2 * kN);
  const uint32_t ya = space.take(2 * kN, 16);
  const uint32_t wa = space.take(32);
  tile().write(xa, Type::F16, x);
  const auto fresh = [&] {
    const Vec y = data_.values(Type::F16, kN);
    tile().write(ya, Type::F16, y);
    return golden::axpy(Type::F16, a, x, y);
  };
  // One thread waits for the fabric.
  uint64_t alone = 0;
  uint64_t beside = 0;
  for (const bool waiting : {false, true}) {
    const Vec want = fresh();
    Call call;
    call.function = waiting ? OW_TB_BESIDE : OW_TB_INSTRUCTION;
    call.insn = instruction_word(Op::Fma, Type::F16);
    const uint32_t ctl = control(0, 1, kNone, 0, kScalar);
    call.dsrs = {vector(0, Type::F16, ya, kN), vector(1, Type::F16, xa, kN)};
    if (waiting) {
      call.args = {control(2, 3, kNone, 1), ctl, a};
      call.dsrs.push_back(vector(2, Type::F32, wa, 4));
      call.dsrs.push_back(fabric_in(3, Type::F32, OW_TB_INQ, 4));
    } else {
      call.args = {ctl, a};
    }
    (waiting ? beside : alone) = tile().call(call).cycles;
    check("beside a waiting thread", tile().read(ya, Type::F16, kN), want);
  }
  std::vector<Wavelet> release;
  for (uint32_t k = 0; k < 4; ++k) release.push_back({TileRunner::kColourIn, false, k + 5});
  tile().send(release);
  tile().wait("a waiting thread");
  check("waiting thread", tile().read(wa, Type::F32, 4), {5, 6, 7, 8});
  figure("tile.waiting_thread_loss", static_cast<double>(beside) - static_cast<double>(alone),
         {{"alone", static_cast<double>(alone)}, {"beside", static_cast<double>(beside)}});

  // The same beats on one thread and on twelve.
  uint64_t cycles[2] = {0, 0};
  for (const uint32_t threads : {1u, 12u}) {
    const Vec want = fresh();
    Call call;
    call.function = OW_TB_LAUNCH_MANY;
    call.args = {threads, a};
    call.dones = ~0u;
    const uint32_t each = kN / threads;
    for (uint32_t t = 0; t < threads; ++t) {
      call.dsrs.push_back(vector(2 * t, Type::F16, ya + 2 * each * t, each));
      call.dsrs.push_back(vector(2 * t + 1, Type::F16, xa + 2 * each * t, each));
    }
    cycles[threads == 1 ? 0 : 1] = tile().call(call).cycles;
    check("microthreads", tile().read(ya, Type::F16, kN), want);
  }
  figure("tile.microthreads_loss", static_cast<double>(cycles[1]) - static_cast<double>(cycles[0]),
         {{"one", static_cast<double>(cycles[0])}, {"twelve", static_cast<double>(cycles[1])}});
}

}  // namespace ow::bench
