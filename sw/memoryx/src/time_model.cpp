// SPDX-License-Identifier: Apache-2.0
#include "ow/memoryx/time_model.h"

#include <cmath>

namespace ow {
namespace {

constexpr double kMaxRate = 65536;                  // units a cycle
constexpr double kMinRate = 1.0 / 1024;             // a wavelet in 32,768 cycles
constexpr int64_t kMaxLatency = 1'000'000'000'000;  // cycles

constexpr int64_t kMaxDepth = 1024;  // wavelets: the room of an edge port

__extension__ using Wide = unsigned __int128;

uint64_t clamp(Wide x) { return x > UINT64_MAX ? UINT64_MAX : static_cast<uint64_t>(x); }

// amount x 1.1 in `cycles`, as a rate; rounded up, so that never less than the network needs.
Flow with_margin(uint64_t amount, uint64_t cycles) {
  if (amount == 0 || cycles == 0) return {};
  const Wide tenths = Wide{amount} * kTimeUnit * 11;
  const Wide over = Wide{cycles} * 10;
  return {clamp((tenths + over - 1) / over), kBalancedLatency};
}

// The keys of a part, without those of its own.
TimeOptions::Part read_flow(YamlMap* map, const char* unit) {
  TimeOptions::Part part;
  if (const auto rate = map->find(unit)) {
    part.rate = static_cast<uint64_t>(
        std::llround(rate->real(kMinRate, kMaxRate) * static_cast<double>(kTimeUnit)));
  }
  if (const auto latency = map->find("latency")) {
    part.latency = static_cast<uint64_t>(latency->integer(0, kMaxLatency));
  }
  return part;
}

void read_part(YamlMap* time, const char* key, const char* unit, TimeOptions::Part* part) {
  const auto value = time->find(key);
  if (!value) return;
  YamlMap map = value->map();
  *part = read_flow(&map, unit);
  map.close();
}

TimeOptions::Preset preset_of(const Yaml& value) {
  const std::string name = value.one_of({"ideal", "balanced", "wse"});
  return name == "ideal"      ? TimeOptions::Preset::Ideal
         : name == "balanced" ? TimeOptions::Preset::Balanced
                              : TimeOptions::Preset::Wse;
}

void apply(const TimeOptions::Part& part, Flow* flow) {
  if (part.rate) flow->rate = *part.rate;
  if (part.latency) flow->latency = *part.latency;
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
  for (const Flow* flow : {&edge, &store, &samples, &optimizer, &broadcast, &reduce}) {
    if (flow->bounded() || flow->latency > 0) return true;
  }
  return false;
}

TimeModel wse_time() {
  TimeModel time;
  const Flow link{kWseLinkBits * kTimeUnit / kWseEdgeRows, kWseLatency};
  time.edge = time.store = time.samples = time.broadcast = time.reduce = link;
  time.store.latency = time.samples.latency = 0;  // the way to the wafer is the edge's
  time.optimizer = {link.rate / kWaveletBits, 0};
  return time;
}

TimeModel balanced_time(const TimeNeeds& needs) {
  TimeModel time;
  time.edge = with_margin(needs.weights * kWaveletBits, needs.weight_cycles);
  time.store = time.broadcast = time.edge;
  time.samples = with_margin(needs.samples, needs.step_cycles);
  time.optimizer = with_margin(needs.updates, needs.update_cycles);
  time.reduce = with_margin(needs.gradients * kWaveletBits, needs.step_cycles);
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
  if (const auto edge = map.find("edge")) {
    YamlMap part = edge->map();
    if (const auto depth = part.find("depth")) {
      o.edge_depth = static_cast<uint64_t>(depth->integer(1, kMaxDepth));
    }
    o.edge = read_flow(&part, "bits");
    part.close();
  }
  read_part(&map, "store", "bits", &o.store);
  read_part(&map, "samples", "bits", &o.samples);
  read_part(&map, "optimizer", "parameters", &o.optimizer);
  read_part(&map, "broadcast", "bits", &o.broadcast);
  read_part(&map, "reduce", "bits", &o.reduce);
  map.close();
  return o;
}

TimeModel make_time(const TimeOptions& o, const TimeNeeds& needs) {
  TimeModel time;
  if (o.preset == TimeOptions::Preset::Balanced) time = balanced_time(needs);
  if (o.preset == TimeOptions::Preset::Wse) time = wse_time();
  apply(o.edge, &time.edge);
  apply(o.store, &time.store);
  apply(o.samples, &time.samples);
  apply(o.optimizer, &time.optimizer);
  apply(o.broadcast, &time.broadcast);
  apply(o.reduce, &time.reduce);
  if (o.edge_depth) time.edge_depth = *o.edge_depth;
  return time;
}

}  // namespace ow
