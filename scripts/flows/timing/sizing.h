// SPDX-License-Identifier: Apache-2.0
// The netlist of sizing.cpp, which says how it is read and written, and its times.

#ifndef OPENWAFER_SCRIPTS_SIZING_H_
#define OPENWAFER_SCRIPTS_SIZING_H_

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <istream>
#include <sstream>
#include <string>
#include <vector>

namespace sizing {

const double kNever = 1e9;

struct Kind {
  int family = 0;
  double area = 0, slope = 0;
  bool buffer = false;
  std::vector<double> cap, parasitic;
};

struct Gate {
  int kind = 0, out = 0;
  std::vector<int> in;
  std::vector<double> share, price;  // of what the output costs, by input; the price of each
};

struct Load {
  int at, pin;  // of a gate; an end's pin is -1
};

struct End {
  int net = 0;
  double time = 0, load = 0, price = 0.01;
};

struct Net {
  int driver = -1;
  double start = 0;
  std::vector<Load> loads;
  double load = 0, arrival = 0, required = 0, price = 0;
};

class Netlist {
 public:
  std::vector<Kind> kinds;
  std::vector<std::vector<int>> families;
  std::vector<Gate> gates;
  std::vector<Net> nets;
  std::vector<End> ends;
  std::vector<int> order;  // of gates: each after those that drive it
  std::vector<int> buffers;

  void read(std::istream& in);
  void write() const;
  void write_times() const;
  void sort();
  void count_loads();
  void arrive();
  void require();

  double slope(const Net& net) const {
    return net.driver < 0 ? 0 : kinds[gates[net.driver].kind].slope;
  }
  double cap(const Load& load) const {
    return load.pin < 0 ? ends[load.at].load : kinds[gates[load.at].kind].cap[load.pin];
  }
  double price(const Load& load) const {
    return load.pin < 0 ? ends[load.at].price : gates[load.at].price[load.pin];
  }
  // What a load of a net has left of its time.
  double left(const Net& net, const Load& load) const {
    if (load.pin < 0) return ends[load.at].time - net.arrival;
    const Gate& gate = gates[load.at];
    const Kind& kind = kinds[gate.kind];
    const Net& to = nets[gate.out];
    return to.required - kind.slope * to.load - kind.parasitic[load.pin] - net.arrival;
  }
  // Not a buffer without loads.
  bool there(const Gate& gate) const {
    return !kinds[gate.kind].buffer || !nets[gate.out].loads.empty();
  }
  double area() const {
    double sum = 0;
    for (const Gate& gate : gates) sum += there(gate) ? kinds[gate.kind].area : 0;
    return sum;
  }
  // Gives a gate another drive.
  void change(Gate* gate, int kind) {
    for (size_t pin = 0; pin < gate->in.size(); ++pin) {
      nets[gate->in[pin]].load += kinds[kind].cap[pin] - kinds[gate->kind].cap[pin];
    }
    gate->kind = kind;
  }
  Gate& add_gate(int kind, int out, const std::vector<int>& in);
  Net& net(int number) {
    if (number >= static_cast<int>(nets.size())) nets.resize(number + 1);
    return nets[number];
  }

 private:
  void read_kind(std::istream& words);
};

inline Gate& Netlist::add_gate(int kind, int out, const std::vector<int>& in) {
  const int number = static_cast<int>(gates.size());
  Gate gate;
  gate.kind = kind;
  gate.out = out;
  gate.in = in;
  gate.share.assign(in.size(), 1.0 / static_cast<double>(in.size()));
  gate.price.assign(in.size(), 0);
  net(out).driver = number;
  for (size_t pin = 0; pin < in.size(); ++pin) {
    net(in[pin]).loads.push_back({number, static_cast<int>(pin)});
  }
  gates.push_back(gate);
  return gates.back();
}

inline void Netlist::read_kind(std::istream& words) {
  Kind kind;
  words >> kind.family >> kind.area >> kind.slope >> kind.buffer;
  for (double cap, parasitic; words >> cap >> parasitic;) {
    kind.cap.push_back(cap);
    kind.parasitic.push_back(parasitic);
  }
  const int number = static_cast<int>(kinds.size());
  if (kind.family >= static_cast<int>(families.size())) families.resize(kind.family + 1);
  families[kind.family].push_back(number);
  if (kind.buffer) buffers.push_back(number);
  kinds.push_back(kind);
}

inline void Netlist::read(std::istream& in) {
  std::string line, word;
  while (std::getline(in, line)) {
    std::istringstream words(line);
    words >> word;
    int number = 0;
    if (word == "kind") {
      read_kind(words);
    } else if (word == "start") {
      words >> number;
      words >> net(number).start;
    } else if (word == "end") {
      End end;
      words >> end.net >> end.time >> end.load;
      net(end.net).loads.push_back({static_cast<int>(ends.size()), -1});
      ends.push_back(end);
    } else if (word == "gate") {
      int out = 0;
      std::vector<int> inputs;
      words >> number >> out;
      for (int input; words >> input;) inputs.push_back(input);
      add_gate(number, out, inputs);
    }
  }
}

inline void Netlist::write() const {
  for (const Gate& gate : gates) {
    if (!there(gate)) continue;
    std::printf("gate %d %d", gate.kind, gate.out);
    for (int number : gate.in) std::printf(" %d", number);
    std::printf("\n");
  }
  for (const End& end : ends) std::printf("end %d\n", end.net);
}

inline void Netlist::write_times() const {
  for (size_t i = 0; i < nets.size(); ++i) {
    if (nets[i].loads.empty()) continue;
    std::printf("net %zu %.3f %.3f\n", i, nets[i].arrival, nets[i].required);
  }
}

inline void Netlist::sort() {
  std::vector<int> waits(gates.size(), 0);
  order.clear();
  for (size_t i = 0; i < gates.size(); ++i) {
    if (there(gates[i])) {
      for (int number : gates[i].in) waits[i] += nets[number].driver >= 0;
    }
    if (waits[i] == 0) order.push_back(static_cast<int>(i));
  }
  for (size_t at = 0; at < order.size(); ++at) {
    for (const Load& load : nets[gates[order[at]].out].loads) {
      if (load.pin >= 0 && --waits[load.at] == 0) order.push_back(load.at);
    }
  }
  if (order.size() != gates.size()) {
    std::fprintf(stderr, "sizing: %zu gates in loops\n", gates.size() - order.size());
    std::exit(1);
  }
}

inline void Netlist::count_loads() {
  for (Net& net : nets) {
    net.load = 0;
    for (const Load& load : net.loads) net.load += cap(load);
  }
}

inline void Netlist::arrive() {
  for (Net& net : nets) {
    if (net.driver < 0) net.arrival = net.start;
  }
  for (int i : order) {
    const Gate& gate = gates[i];
    const Kind& kind = kinds[gate.kind];
    double last = -kNever;
    for (size_t pin = 0; pin < gate.in.size(); ++pin) {
      last = std::max(last, nets[gate.in[pin]].arrival + kind.parasitic[pin]);
    }
    nets[gate.out].arrival = last + kind.slope * nets[gate.out].load;
  }
}

inline void Netlist::require() {
  for (Net& net : nets) net.required = kNever;
  for (const End& end : ends) {
    nets[end.net].required = std::min(nets[end.net].required, end.time);
  }
  for (auto i = order.rbegin(); i != order.rend(); ++i) {
    const Gate& gate = gates[*i];
    const Kind& kind = kinds[gate.kind];
    const double before = nets[gate.out].required - kind.slope * nets[gate.out].load;
    for (size_t pin = 0; pin < gate.in.size(); ++pin) {
      double& time = nets[gate.in[pin]].required;
      time = std::min(time, before - kind.parasitic[pin]);
    }
  }
}

}  // namespace sizing

#endif  // OPENWAFER_SCRIPTS_SIZING_H_
