// SPDX-License-Identifier: Apache-2.0
// Buffers and drives of a mapped netlist as a whole, over the borders of its blocks: what sizing.py
// asks for. Delays are linear in loads, as in our library; OpenSTA has the last word on them.
//
//   sizing ROUNDS MEND [verbose] < netlist > sized
//
// What each net computes stays: a cell may only become the same cell of another drive, and a buffer
// may only come between a net and some of its loads.
//
// Each end of a path has a price, NAND2 for a FO4, which rises while the path is too long and falls
// while it has time left. The price goes back to what the end waits for, in equal parts where paths
// are equally long; it is moved there bit by bit, or two paths would take turns. At its prices
// (Lagrangian relaxation),
// - a cell takes the drive at which its area, its delay, and what its inputs cost those that drive
//   them are least,
// - a net takes a buffer before those of its loads that can wait, if its area and the time of those
//   is less than what the others gain.
// The best round is kept. With MEND (1), drives and buffers on paths that are still too long are
// then mended, each by the times that it has; and what has time left becomes smaller one by one.
//
// Input, a line each; times are FO4, loads inputs of the smallest inverter, areas NAND2:
//   kind FAMILY AREA SLOPE IS_BUFFER {CAP PARASITIC}...   a cell; cells of a family differ in drive
//   start NET TIME            what no gate drives, and when it is there
//   end NET TIME LOAD         what must be there at TIME
//   gate KIND OUT IN...       KIND counts the lines of kinds, nets are numbers
// A register is an end, and a gate that a start of time 0 drives.
// Output: `gate KIND OUT IN...` in the input's order, then the buffers; `end NET` in the same way;
// `sum AREA OVER SUM`: NAND2, FO4 by which the longest path is too long, and all of them; and
// `net NET ARRIVAL REQUIRED`: when it is there and has to be, of those that something waits for.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "buffering.h"
#include "sizing.h"

namespace sizing {
namespace {

// An end's price (kLeast at least): the most of the longest path. Other paths that are too long
// have less of it, a third for each kFade FO4 that they are shorter, or for each kFar of what the
// longest is over, if that is more.
const double kMost = 30, kFade = 3, kFar = 0.2;
const double kSoft = 0.4;  // FO4 within which paths are as long as each other
const double kMove = 0.2;  // of a price's way to what it waits for now, a round
// What a round is judged by: NAND2 for a FO4 of the longest path, and of each one too long.
const double kWorst = 400, kEach = 2;
const double kSteps[] = {4, 2, 1, 0.5, 0.2, 0.1};  // FO4 that mending brings at least, by pass
const double kWorth[] = {20, 80};  // .. and NAND2 that each of them may cost, by round

class Sizing {
 public:
  Sizing(Netlist* netlist, bool verbose) : n_(*netlist), verbose_(verbose) {}

  // Rounds at prices that move less and less.
  void run(int rounds) {
    n_.sort();
    n_.count_loads();
    for (int round = 0; round < rounds; ++round) {
      n_.arrive();
      price(0.3 * (1 - 0.8 * round / rounds));
      choose();
      n_.count_loads();
    }
    if (verbose_) report("sized");
  }

  // The best of some rounds.
  void settle(int rounds) {
    double least = kNever;
    std::vector<int> best;
    for (const Gate& gate : n_.gates) best.push_back(gate.kind);
    for (int round = 0; round < rounds; ++round) {
      n_.arrive();
      if (judge() < least) {
        least = judge();
        for (size_t i = 0; i < best.size(); ++i) best[i] = n_.gates[i].kind;
      }
      price(0.06);
      choose();
      n_.count_loads();
    }
    for (size_t i = 0; i < best.size(); ++i) n_.gates[i].kind = best[i];
    n_.count_loads();
    if (verbose_) report("settled");
  }

  // Buffers and other drives on paths that are too long, by the times of all that they meet: what
  // brings most first, and a slice of all gates at a time. Prices only come near to this, since all
  // that is on a path moves at once by them.
  void mend() {
    for (const double worth : kWorth) {
      for (const double least : kSteps) {
        for (size_t slice = 0; slice < kParts; ++slice) {
          if (!late()) return;
          mend(slice, least, worth);
        }
      }
      if (verbose_) report("mended");
    }
  }

  // Smaller drives where the time of the gate's paths allows it, a slice of all gates at a time.
  void shrink() {
    for (int pass = 0; pass < kSlices; ++pass) {
      n_.arrive();
      n_.require();
      for (size_t i = pass % kSlices; i < n_.gates.size(); i += kSlices) shrink(&n_.gates[i]);
      n_.count_loads();
    }
    if (verbose_) report("shrunk");
  }

  void sum() {
    n_.arrive();
    const Late late = count();
    std::printf("sum %.1f %.3f %.1f\n", n_.area(), late.worst, late.sum);
  }

  void report(const char* what) {
    n_.arrive();
    const Late late = count();
    std::fprintf(stderr, "%s: %zu gates, area %.0f, over %.2f, late %d, sum %.0f\n", what,
                 n_.gates.size(), n_.area(), late.worst, late.ends, late.sum);
  }

 private:
  static constexpr int kSlices = 64;
  static constexpr size_t kParts = 16;
  struct Late {
    double worst = -kNever, sum = 0;
    int ends = 0;
  };

  Late count() const {
    Late late;
    for (const End& end : n_.ends) {
      const double over = n_.nets[end.net].arrival - end.time;
      late.worst = std::max(late.worst, over);
      late.sum += std::max(0.0, over);
      late.ends += over > 0;
    }
    return late;
  }

  double judge() const {
    const Late late = count();
    return n_.area() + kWorst * std::max(0.0, late.worst) + kEach * late.sum;
  }

  void price(double rate) {
    const double worst = std::max(0.0, count().worst);
    const double fade = std::max(kFade, kFar * worst);
    for (Net& net : n_.nets) net.price = 0;
    for (End& end : n_.ends) {
      const double over = n_.nets[end.net].arrival - end.time;
      const double most = kMost * std::exp((over - worst) / fade);
      end.price *= std::exp(std::clamp(rate * over, -1.0, 1.0));
      end.price = std::clamp(end.price, kLeast, std::max(most, kLeast));
      n_.nets[end.net].price += end.price;
    }
    for (auto i = n_.order.rbegin(); i != n_.order.rend(); ++i) price(&n_.gates[*i]);
  }

  void price(Gate* gate) {
    const Kind& kind = n_.kinds[gate->kind];
    const Net& out = n_.nets[gate->out];
    const double last = out.arrival - kind.slope * out.load;
    double sum = 0;
    for (size_t pin = 0; pin < gate->in.size(); ++pin) {
      const double early = last - n_.nets[gate->in[pin]].arrival - kind.parasitic[pin];
      gate->price[pin] = std::exp(-early / kSoft);
      sum += gate->price[pin];
    }
    for (size_t pin = 0; pin < gate->in.size(); ++pin) {
      gate->share[pin] += kMove * (gate->price[pin] / sum - gate->share[pin]);
      gate->price[pin] = out.price * gate->share[pin];
      n_.nets[gate->in[pin]].price += gate->price[pin];
    }
  }

  void choose() {
    for (auto i = n_.order.rbegin(); i != n_.order.rend(); ++i) {
      Gate& gate = n_.gates[*i];
      const std::vector<int>& family = n_.families[n_.kinds[gate.kind].family];
      if (family.size() < 2) continue;
      const Net& out = n_.nets[gate.out];
      double least = kNever;
      int best = gate.kind;
      for (int k : family) {
        const Kind& kind = n_.kinds[k];
        double cost = kind.area + out.price * kind.slope * out.load;
        for (size_t pin = 0; pin < gate.in.size(); ++pin) {
          const Net& in = n_.nets[gate.in[pin]];
          cost += in.price * n_.slope(in) * kind.cap[pin] + gate.price[pin] * kind.parasitic[pin];
        }
        if (cost < least) {
          least = cost;
          best = k;
        }
      }
      if (best != gate.kind) n_.change(&gate, best);
    }
  }

  bool late() {
    n_.arrive();
    n_.require();
    return count().worst > kSpare;
  }

  void mend(size_t slice, double least, double worth) {
    Buffering(&n_).pass_by(slice, kParts, least / 4);
    late();
    Buffering(&n_).mend(slice, kParts, least, worth);
    late();
    for (size_t i = slice; i < n_.gates.size(); i += kParts) {
      const Net& out = n_.nets[n_.gates[i].out];
      if (out.required < out.arrival - kSpare) mend(&n_.gates[i], least, worth);
    }
    n_.count_loads();
  }

  void mend(Gate* gate, double least, double worth) {
    const Kind& now = n_.kinds[gate->kind];
    const Net& out = n_.nets[gate->out];
    const double before = out.required - out.arrival;
    double most = 0;
    int best = gate->kind;
    for (int k : n_.families[now.family]) {
      const Kind& kind = n_.kinds[k];
      double arrival = -kNever, left = 0;
      for (size_t pin = 0; pin < gate->in.size(); ++pin) {
        const Net& in = n_.nets[gate->in[pin]];
        const double later = n_.slope(in) * (kind.cap[pin] - now.cap[pin]);
        arrival = std::max(arrival, in.arrival + later + kind.parasitic[pin]);
        if (later <= 0) continue;
        for (const Load& load : in.loads) {
          if (load.pin < 0 || &n_.gates[load.at] != gate) {
            left = std::min(left, n_.left(in, load) - later);
          }
        }
      }
      left = std::min(left, out.required - arrival - kind.slope * out.load);
      const double gain = left - before, cost = (kind.area - now.area) / worth;
      if (gain > least && gain > cost && gain - cost > most) {
        most = gain - cost;
        best = k;
      }
    }
    if (best != gate->kind) n_.change(gate, best);
  }

  void shrink(Gate* gate) {
    const Kind& now = n_.kinds[gate->kind];
    const Net& out = n_.nets[gate->out];
    // A slice has gates that follow each other: each may take its share of the time left.
    const double left = (out.required - out.arrival) / 4;
    int best = gate->kind;
    for (int k : n_.families[now.family]) {
      const Kind& kind = n_.kinds[k];
      double more = (kind.slope - now.slope) * out.load;
      bool heavier = false;
      for (size_t pin = 0; pin < gate->in.size(); ++pin) {
        more = std::max(more, more + kind.parasitic[pin] - now.parasitic[pin]);
        heavier |= kind.cap[pin] > now.cap[pin];
      }
      if (!heavier && kind.area < n_.kinds[best].area && more < left) best = k;
    }
    if (best != gate->kind) n_.change(gate, best);
  }

  Netlist& n_;
  bool verbose_;
};

}  // namespace
}  // namespace sizing

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 20;
  sizing::Netlist netlist;
  std::ios::sync_with_stdio(false);
  netlist.read(std::cin);
  sizing::Sizing sizes(&netlist, argc > 3);
  sizing::Buffering(&netlist).widen();
  sizes.run(2 * rounds);
  for (int pass = 0; pass < 6; ++pass) {
    sizing::Buffering(&netlist).run();
    sizes.run(rounds);
  }
  sizes.settle(2 * rounds);
  if (argc > 2 && std::atoi(argv[2]) != 0) sizes.mend();
  sizes.shrink();
  netlist.write();
  sizes.sum();
  netlist.require();
  netlist.write_times();
  return 0;
}
