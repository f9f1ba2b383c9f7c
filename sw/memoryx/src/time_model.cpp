// SPDX-License-Identifier: Apache-2.0
#include "ow/memoryx/time_model.h"

#include <algorithm>
#include <cmath>

namespace ow {
namespace {

constexpr double kMaxRate = 65536;                  // units per cycle
constexpr double kMinRate = 1.0 / 1024;             // a wavelet in 32,768 cycles
constexpr int64_t kMaxLatency = 1'000'000'000'000;  // cycles

constexpr int64_t kMaxDepth = 1024;  // wavelets: the size of an edge port's queue
constexpr size_t kMaxStages = 10;    // enough for 1,024 wafers

__extension__ using Wide = unsigned __int128;

uint64_t clamp(Wide x) { return x > UINT64_MAX ? UINT64_MAX : static_cast<uint64_t>(x); }

// amount x 1.1 in `cycles`, as a rate. Rounded up, so it is never below what the network needs.
Flow with_margin(uint64_t amount, uint64_t cycles) {
  if (amount == 0 || cycles == 0) return {};
  const Wide tenths = Wide{amount} * kTimeUnit * 11;
  const Wide over = Wide{cycles} * 10;
  return {clamp((tenths + over - 1) / over), kBalancedLatency};
}

// The keys of a part, without those of its own.
TimeOptions::FlowOptions read_flow(YamlMap* map, const char* unit) {
  TimeOptions::FlowOptions part;
  if (const auto rate = map->find(unit)) {
    part.rate = static_cast<uint64_t>(
        std::llround(rate->real(kMinRate, kMaxRate) * static_cast<double>(kTimeUnit)));
  }
  if (const auto latency = map->find("latency")) {
    part.latency = static_cast<uint64_t>(latency->integer(0, kMaxLatency));
  }
  return part;
}

void read_part(YamlMap* time, const char* key, const char* unit, TimeOptions::FlowOptions* part) {
  const auto value = time->find(key);
  if (!value) return;
  YamlMap map = value->map();
  *part = read_flow(&map, unit);
  map.close();
}

// A link of the edge, with what waits there.
void read_edge(YamlMap* time, const char* key, TimeOptions::FlowOptions* part,
               std::optional<uint64_t>* depth) {
  const auto value = time->find(key);
  if (!value) return;
  YamlMap map = value->map();
  if (const auto own = map.find("depth")) {
    *depth = static_cast<uint64_t>(own->integer(1, kMaxDepth));
  }
  *part = read_flow(&map, "bits");
  map.close();
}

void read_stages(YamlMap* time, const char* key, TimeOptions::FlowOptions* kind,
                 std::vector<TimeOptions::FlowOptions>* stages) {
  const auto value = time->find(key);
  if (!value) return;
  YamlMap map = value->map();
  *kind = read_flow(&map, "bits");
  if (const auto list = map.find("stages")) {
    for (const Yaml& stage : list->list(1, kMaxStages, "stages")) {
      YamlMap one = stage.map();
      stages->push_back(read_flow(&one, "bits"));
      one.close();
    }
  }
  map.close();
}

TimeOptions::Preset preset_of(const Yaml& value) {
  const std::string name = value.one_of({"ideal", "balanced", "wse"});
  return name == "ideal"      ? TimeOptions::Preset::Ideal
         : name == "balanced" ? TimeOptions::Preset::Balanced
                              : TimeOptions::Preset::Wse;
}

void apply(const TimeOptions::FlowOptions& part, Flow* flow) {
  if (part.rate) flow->rate = *part.rate;
  if (part.latency) flow->latency = *part.latency;
}

void apply(const TimeOptions::FlowOptions& kind,
           const std::vector<TimeOptions::FlowOptions>& stages, std::vector<Flow>* flows) {
  for (size_t k = 0; k < flows->size(); ++k) {
    apply(kind, &(*flows)[k]);
    if (k < stages.size()) apply(stages[k], &(*flows)[k]);
  }
}

uint64_t latency_of(const std::vector<Flow>& stages) {
  uint64_t sum = 0;
  for (const Flow& stage : stages) sum += stage.latency;
  return sum;
}

}  // namespace

uint64_t Flow::period(uint64_t units) const {
  if (rate == 0) return 0;
  return clamp((Wide{units} * kTimeUnit * kTimeUnit + rate - 1) / rate);
}

uint64_t Flow::cycles(uint64_t units) const {
  const Wide busy = rate == 0 ? 0 : (Wide{units} * kTimeUnit + rate - 1) / rate;
  return clamp(busy + latency);
}

bool TimeModel::modelled() const {
  const auto takes_time = [](const Flow& flow) { return flow.bounded() || flow.latency > 0; };
  return takes_time(edge) || takes_time(exit) || takes_time(store) || takes_time(samples) ||
         takes_time(optimizer) || std::any_of(broadcast.begin(), broadcast.end(), takes_time) ||
         std::any_of(reduce.begin(), reduce.end(), takes_time);
}

uint64_t TimeModel::way_in() const { return store.latency + latency_of(broadcast) + edge.latency; }

uint64_t TimeModel::way_out() const { return exit.latency + latency_of(reduce); }

uint64_t TimeModel::period_in() const {
  uint64_t most = std::max(store.period(kWaveletBits), edge.period(kWaveletBits));
  for (const Flow& stage : broadcast) most = std::max(most, stage.period(kWaveletBits));
  return most;
}

uint64_t TimeModel::period_out(bool reduces) const {
  uint64_t most = exit.period(kWaveletBits);
  if (!reduces) return most;
  for (const Flow& stage : reduce) most = std::max(most, stage.period(kWaveletBits));
  return most;
}

TimeModel wse_time(int stages) {
  TimeModel time;
  const Flow link{kWseLinkBits * kTimeUnit / kWseEdgeRows, kWseLatency};
  time.edge = time.exit = time.store = time.samples = link;
  time.store.latency = time.samples.latency = 0;  // the edge has the latency to the wafer
  time.optimizer = {link.rate / kWaveletBits, 0};
  time.broadcast.assign(static_cast<size_t>(stages), link);
  time.reduce = time.broadcast;
  return time;
}

TimeModel balanced_time(const TimeNeeds& needs, int stages) {
  TimeModel time;
  time.edge = with_margin(needs.weights * kWaveletBits, needs.weight_cycles);
  time.store = time.edge;
  time.exit = with_margin(needs.updates * kWaveletBits, needs.update_cycles);
  time.samples = with_margin(needs.samples, needs.step_cycles);
  time.optimizer = with_margin(needs.updates, needs.update_cycles);
  time.broadcast.assign(static_cast<size_t>(stages), time.edge);
  time.reduce.assign(static_cast<size_t>(stages), time.exit);
  return time;
}

TimeOptions read_time(const Yaml& value) {
  TimeOptions o;
  if (!value.is_map()) {
    o.preset = preset_of(value);
    return o;
  }
  YamlMap map = value.map();
  if (const auto preset = map.find("preset")) o.preset = preset_of(*preset);
  read_edge(&map, "edge", &o.edge, &o.edge_depth);
  read_edge(&map, "exit", &o.exit, &o.exit_depth);
  read_part(&map, "store", "bits", &o.store);
  read_part(&map, "samples", "bits", &o.samples);
  read_part(&map, "optimizer", "parameters", &o.optimizer);
  read_stages(&map, "broadcast", &o.broadcast, &o.broadcast_stages);
  read_stages(&map, "reduce", &o.reduce, &o.reduce_stages);
  map.close();
  return o;
}

TimeModel make_time(const TimeOptions& o, const TimeNeeds& needs, int stages) {
  TimeModel time;
  time.broadcast.resize(static_cast<size_t>(stages));
  time.reduce = time.broadcast;
  if (o.preset == TimeOptions::Preset::Balanced) time = balanced_time(needs, stages);
  if (o.preset == TimeOptions::Preset::Wse) time = wse_time(stages);
  apply(o.edge, &time.edge);
  apply(o.exit, &time.exit);
  apply(o.store, &time.store);
  apply(o.samples, &time.samples);
  apply(o.optimizer, &time.optimizer);
  apply(o.broadcast, o.broadcast_stages, &time.broadcast);
  apply(o.reduce, o.reduce_stages, &time.reduce);
  if (o.edge_depth) time.edge_depth = *o.edge_depth;
  if (o.exit_depth) time.exit_depth = *o.exit_depth;
  return time;
}

}  // namespace ow
