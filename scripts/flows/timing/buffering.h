// SPDX-License-Identifier: Apache-2.0
// The buffers of sizing.cpp: by the prices of its rounds, and by the times of paths that those left
// too long.

#ifndef OPENWAFER_SCRIPTS_BUFFERING_H_
#define OPENWAFER_SCRIPTS_BUFFERING_H_

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "sizing.h"

namespace sizing {

const double kLeast = 1e-5;  // an end's least price
const double kWide = 60;     // loads of a buffer in a net that has very many
const double kSpare = 0.7;   // what is mended: paths that are too long by more

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

  // Inserts buffers in a slice of the nets on paths that are too long, by the times of the netlist:
  // where a buffer makes the net's longest path shorter by `least` FO4, at `worth` NAND2 at most.
  void mend(size_t first, size_t step, double least, double worth) {
    const size_t nets = n_.nets.size();
    bool some = false;
    for (size_t i = first; i < nets; i += step) {
      const Net& net = n_.nets[i];
      if (net.driver >= 0 && !net.loads.empty() && net.required < net.arrival - kSpare) {
        some |= mend(static_cast<int>(i), least, worth);
      }
    }
    if (some) n_.sort();
    if (some) n_.count_loads();
  }

  // In a slice of the buffers on such paths: moves loads to the buffer's input if that is faster.
  void pass_by(size_t first, size_t step, double least) {
    bool some = false;
    for (size_t i = first; i < n_.gates.size(); i += step) {
      if (!n_.kinds[n_.gates[i].kind].buffer) continue;
      const Net& out = n_.nets[n_.gates[i].out];
      if (!out.loads.empty() && out.required < out.arrival - kSpare) {
        some |= pass_by(static_cast<int>(i), least);
      }
    }
    if (some) n_.sort();
    if (some) n_.count_loads();
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

  // Buffers drive parts of a net's load, kWide each. Loads that can wait longest are together.
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

  // The buffer that helps the net's longest path most.
  bool mend(int number, double least, double worth) {
    const Net& net = n_.nets[number];
    std::vector<std::pair<double, Load>> loads;
    for (const Load& load : net.loads) loads.emplace_back(n_.left(net, load), load);
    std::stable_sort(loads.begin(), loads.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    const double now = loads.back().first, push = n_.slope(net);
    Choice best;
    double behind = 0, most = 0;
    for (size_t k = 1; k <= loads.size(); ++k) {
      behind += n_.cap(loads[k - 1].second);
      for (int b : n_.buffers) {
        const Kind& kind = n_.kinds[b];
        const double sooner = push * (behind - kind.cap[0]);
        double left = loads[k - 1].first + sooner - kind.parasitic[0] - kind.slope * behind;
        if (k < loads.size()) left = std::min(left, now + sooner);
        const double gain = std::min(left, 0.0) - now;
        if (gain > least && gain * worth > kind.area && gain - kind.area / worth > most) {
          most = gain - kind.area / worth;
          best = {gain, b, k};
        }
      }
    }
    if (best.buffer < 0) return false;
    n_.nets[number].loads.clear();
    insert(number, best, loads);
    return true;
  }

  // The most urgent loads of a buffer, as many as help its longest path most; without loads there
  // is no buffer.
  bool pass_by(int buffer, double least) {
    const Kind& kind = n_.kinds[n_.gates[buffer].kind];
    Net& out = n_.nets[n_.gates[buffer].out];
    Net& in = n_.nets[n_.gates[buffer].in[0]];
    double others = 0;
    for (const Load& load : in.loads) {
      if (load.pin < 0 || load.at != buffer) others = std::min(others, n_.left(in, load));
    }
    std::stable_sort(out.loads.begin(), out.loads.end(), [&](const Load& a, const Load& b) {
      return n_.left(out, a) < n_.left(out, b);
    });
    const double now = n_.left(out, out.loads[0]), push = n_.slope(in);
    const double moved = now + out.arrival - in.arrival;
    double most = least, load = 0;
    size_t best = 0;
    for (size_t k = 1; k <= out.loads.size(); ++k) {
      load += n_.cap(out.loads[k - 1]);
      const bool all = k == out.loads.size();
      const double later = push * (all ? load - kind.cap[0] : load);
      double left = std::min(others, moved) - later;
      if (!all) left = std::min(left, n_.left(out, out.loads[k]) + kind.slope * load - later);
      const double gain = std::min(left, 0.0) - now;
      if (gain > most) {
        most = gain;
        best = k;
      }
    }
    if (best == 0) return false;
    const auto end = out.loads.begin() + static_cast<std::ptrdiff_t>(best);
    for (auto at = out.loads.begin(); at != end; ++at) {
      (at->pin < 0 ? n_.ends[at->at].net : n_.gates[at->at].in[at->pin]) = n_.gates[buffer].in[0];
      in.loads.push_back(*at);
    }
    out.loads.erase(out.loads.begin(), end);
    if (out.loads.empty()) {
      in.loads.erase(std::find_if(in.loads.begin(), in.loads.end(), [&](const Load& one) {
        return one.pin >= 0 && one.at == buffer;
      }));
    }
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

}  // namespace sizing

#endif  // OPENWAFER_SCRIPTS_BUFFERING_H_
