// SPDX-License-Identifier: Apache-2.0
// Buffers and drives of a mapped netlist as a whole, over the borders of its blocks: what sizing.py
// asks for. Delays are linear in loads, as in our library; OpenSTA has the last word on them.
//
//   sizing ROUNDS [verbose] < netlist > sized
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
// The best round is kept; then what has time left becomes smaller one by one.
//
// Input, a line each; times are FO4, loads inputs of the smallest inverter, areas NAND2:
//   kind FAMILY AREA SLOPE IS_BUFFER {CAP PARASITIC}...   a cell; cells of a family differ in drive
//   start NET TIME            what no gate drives, and when it is there
//   end NET TIME LOAD         what must be there at TIME
//   gate KIND OUT IN...       KIND counts the lines of kinds, nets are numbers
// A register is a gate behind a start of time 0, and an end.
// Output: `gate KIND OUT IN...` in the input's order, the buffers behind them, `end NET` likewise,
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

#include "sizing.h"

namespace sizing {
namespace {

// An end's price: the least, and the most of the longest path. Other paths that are too long have
// less of it, a third for each kFade FO4 that they are shorter, or for each kFar of what the
// longest is over, if that is more.
const double kLeast = 1e-5, kMost = 30, kFade = 3, kFar = 0.2;
const double kWide = 60;   // loads behind a buffer of a net that has very many
const double kSoft = 0.4;  // FO4 within which paths are as long as each other
const double kMove = 0.2;  // of a price's way to what it waits for now, a round
// What a round is judged by: NAND2 for a FO4 of the longest path, and of each one too long.
const double kWorst = 400, kEach = 2;

// Puts buffers before some loads of nets.
class Buffering {
 public:
  explicit Buffering(Netlist* netlist) : n_(*netlist) {}

  // Trees for nets of very many loads, before there are prices.
  void widen() {
    if (n_.buffers.empty()) return;
    n_.sort();
    for (Net& net : n_.nets) net.load = 0;
    n_.arrive();
    n_.require();
    n_.count_loads();
    for (size_t i = 0; i < n_.nets.size(); ++i) {
      if (n_.nets[i].driver >= 0) split(static_cast<int>(i));
    }
  }

  // At the prices of the last round; returns the number of buffers.
  int run() {
    const size_t before = n_.gates.size();
    const size_t nets = n_.nets.size();
    for (size_t i = 0; i < nets; ++i) {
      while (n_.nets[i].price > kLeast && n_.nets[i].loads.size() > 1 &&
             look(static_cast<int>(i))) {
      }
    }
    n_.sort();
    n_.count_loads();
    return static_cast<int>(n_.gates.size() - before);
  }

 private:
  struct Choice {
    double gain = 0;
    int buffer = -1;
    size_t loads = 0;
  };

  // Parts of kWide of a net's load stand behind buffers; those that can wait longest are together.
  void split(int number) {
    if (n_.nets[number].load <= 2 * kWide) return;
    std::vector<std::pair<double, Load>> loads;
    for (const Load& load : n_.nets[number].loads) {
      loads.emplace_back(
          load.pin < 0 ? n_.ends[load.at].time : n_.nets[n_.gates[load.at].out].required, load);
    }
    std::stable_sort(loads.begin(), loads.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    Choice part{0, n_.buffers[n_.buffers.size() / 2], 0};
    double load = 0;
    std::vector<std::pair<double, Load>> some;
    n_.nets[number].loads.clear();
    for (const auto& one : loads) {
      some.push_back(one);
      load += n_.cap(one.second);
      if (load < kWide) continue;
      part.loads = some.size();
      insert(number, part, some);
      n_.nets.back().load = load;
      some.clear();
      load = 0;
    }
    for (const auto& one : some) n_.nets[number].loads.push_back(one.second);  // cannot wait
    n_.nets[number].load = 0;
    for (const Load& one : n_.nets[number].loads) n_.nets[number].load += n_.cap(one);
    split(number);
  }

  // The best buffer before those loads that pay least for a delay, of any number.
  bool look(int number) {
    std::vector<std::pair<double, Load>> loads;
    for (const Load& load : n_.nets[number].loads) {
      loads.emplace_back(n_.price(load) / std::max(n_.cap(load), 0.1), load);
    }
    std::stable_sort(loads.begin(), loads.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    const double push = n_.nets[number].price * n_.slope(n_.nets[number]);
    Choice best;
    double behind = 0, paid = 0;
    for (size_t k = 1; k <= loads.size(); ++k) {
      behind += n_.cap(loads[k - 1].second);
      paid += n_.price(loads[k - 1].second);
      for (int b : n_.buffers) {
        const Kind& kind = n_.kinds[b];
        const double gain = push * (behind - kind.cap[0]) - kind.area -
                            paid * (kind.parasitic[0] + kind.slope * behind);
        if (gain > best.gain) best = {gain, b, k};
      }
    }
    if (best.buffer < 0) return false;
    double price = 0;
    for (size_t i = 0; i < best.loads; ++i) price += n_.price(loads[i].second);
    n_.nets[number].loads.clear();
    insert(number, best, loads);
    n_.gates.back().price[0] = price;
    return true;
  }

  void insert(int number, const Choice& choice, const std::vector<std::pair<double, Load>>& loads) {
    const int out = static_cast<int>(n_.nets.size());
    n_.net(out);
    for (size_t i = 0; i < loads.size(); ++i) {
      const Load& load = loads[i].second;
      const int at = i < choice.loads ? out : number;
      n_.nets[at].loads.push_back(load);
      (load.pin < 0 ? n_.ends[load.at].net : n_.gates[load.at].in[load.pin]) = at;
    }
    n_.add_gate(choice.buffer, out, {number});
  }

  Netlist& n_;
};

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
    std::vector<int> best(n_.gates.size());
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
  sizing::Sizing sizes(&netlist, argc > 2);
  sizing::Buffering(&netlist).widen();
  sizes.run(2 * rounds);
  for (int pass = 0; pass < 6; ++pass) {
    sizing::Buffering(&netlist).run();
    sizes.run(rounds);
  }
  sizes.settle(2 * rounds);
  sizes.shrink();
  netlist.write();
  sizes.sum();
  netlist.require();
  netlist.write_times();
  return 0;
}
