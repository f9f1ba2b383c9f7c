// SPDX-License-Identifier: Apache-2.0
// Campaigns of random defects: each set is a wafer of its own, brought up without a hint.
//
// A stuck flip-flop that the self-test cannot see is left in use; what else was found is compared
// without it then. Such a set is an escape: it counts neither as right nor as wrong, and another
// one is drawn in its place.
#include "wafer_campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <future>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "ow/base/error.h"
#include "ow/measure/repair_rules.h"
#include "ow/sim/wafer.h"
#include "ow/wafer/files.h"

namespace ow::bench {
namespace {

using Kind = wafer::TileFault::Kind;

constexpr uint64_t kMostPassedOver = 2000;  // sets of the other side, one after the other

// A set of faults and what became of it.
struct Set {
  uint64_t seed = 0;
  int count = 0;
  wafer::Faults faults;
  bool with_digits = false;

  std::string error;     // what is not as it must be; empty if all is
  size_t unseen = 0;     // stuck flip-flops that the self-test does not see
  bool noticed = false;  // though the verification of the mesh does
  std::string digits;
  uint64_t cycles = 0;
  long offered = 0;  // tiles of the rectangle, beyond the limits

  size_t flip_flops() const {
    return static_cast<size_t>(
        std::count_if(faults.tiles.begin(), faults.tiles.end(),
                      [](const wafer::TileFault& f) { return f.kind == Kind::Register; }));
  }
};

class Campaign {
 public:
  Campaign(Rows* rows, const WaferBench& bench, bool beyond)
      : rows_(rows),
        bench_(bench),
        beyond_(beyond),
        shape_(wafer::read_shape(bench.wafer)),
        registers_(wafer::mini_tile_registers()),
        mini_(bench.selftest(true)),
        wanted_(beyond ? bench.beyond : bench.sets),
        next_seed_(rows->options().seed) {
    mini_.accept_smaller = beyond;
    if (!beyond && bench.digits > 0) full_ = bench.selftest(false);
  }

  void run() {
    for (uint64_t k = 0; k < bench_.skip; ++k) draw();
    uint64_t judged = 0;
    while (judged < wanted_) {
      const size_t first = sets_.size();
      while (sets_.size() - first < wanted_ - judged) sets_.push_back(draw());
      if (first == 0) choose_digits();
      bring_up_from(first);
      for (size_t i = first; i < sets_.size(); ++i) judged += sets_[i].unseen == 0 ? 1 : 0;
    }
    report();
  }

 private:
  // The next set on this side of the repair limits, by consecutive seeds. One to seven faults, or
  // six to thirteen; lanes of one link together count as one.
  Set draw() {
    for (uint64_t passed_over = 0; passed_over < kMostPassedOver; ++passed_over) {
      Set set;
      set.seed = next_seed_++;
      set.count = beyond_ ? 6 + static_cast<int>(set.seed % 8) : 1 + static_cast<int>(set.seed % 7);
      set.faults = wafer::random_faults(shape_, set.count, isa::kMini, registers_, set.seed);
      const bool within =
          wafer::rules::repairable(shape_, set.faults.unusable(shape_),
                                   {0, 0, shape_.logical_rows(), shape_.logical_cols()});
      if (within != beyond_) return set;
    }
    throw BadInput(fmt::format("{}: none of {} sets of faults is {} the wafer's repair limits",
                               bench_.wafer, kMostPassedOver, beyond_ ? "beyond" : "within"));
  }

  // Spread over the campaign, of the sets without stuck flip-flops: those are of a tile of `mini`.
  void choose_digits() {
    const uint64_t digits = beyond_ ? 0 : bench_.digits;
    for (uint64_t k = 0; k < digits; ++k) {
      for (size_t i = k * sets_.size() / digits; i < sets_.size(); ++i) {
        if (sets_[i].with_digits || sets_[i].flip_flops() > 0) continue;
        sets_[i].with_digits = true;
        break;
      }
    }
  }

  // Workers take one set after the other; what comes out does not depend on who does.
  void bring_up_from(size_t first) {
    std::atomic<size_t> next{first};
    std::mutex mutex;
    const Progress bar = rows_->progress(beyond_ ? "beyond repair" : "within repair");
    const auto work = [&] {
      for (size_t i = next++; i < sets_.size(); i = next++) {
        Set& set = sets_[i];
        run_set(&set);
        const std::lock_guard<std::mutex> lock(mutex);
        for (const std::string& text : {set.error, set.digits}) {
          if (text.empty()) continue;
          std::fprintf(stderr, "seed %llu: %s\n", static_cast<unsigned long long>(set.seed),
                       text.c_str());
        }
        bar(static_cast<double>(++done_) / static_cast<double>(sets_.size()));
      }
    };
    std::vector<std::future<void>> workers;
    for (unsigned k = 1; k < bench_.jobs; ++k) {
      workers.push_back(std::async(std::launch::async, work));
    }
    work();
    for (auto& worker : workers) worker.get();
  }

  void run_set(Set* set) const {
    try {
      bring_up(set);
    } catch (const std::exception& e) {
      set->error = e.what();
    }
    if (!set->with_digits) return;
    try {
      set->digits = run_digits(*set);
    } catch (const std::exception& e) {
      set->digits = std::string("digits: ") + e.what();
    }
  }

  // Brings the wafer up and compares what was found with what is broken, and what was made of it
  // with what must be.
  void bring_up(Set* set) const {
    const auto device = wafer::make_mini_wafer_device(shape_, set->faults);
    const wafer::Bringup found = wafer::bring_up(*device, &device->device(), mini_);
    set->cycles = device->device().cycle();
    const wafer::Judgement judgement = wafer::judge_defects(shape_, set->faults, found.defects);
    set->unseen = judgement.unseen;
    set->noticed = !found.verification.empty();
    if (!judgement.right()) {
      set->error = fmt::format("found {}, broken {}", wafer::to_json(shape_, found.defects).dump(),
                               wafer::to_json(shape_, set->faults.expected(shape_)).dump());
    } else if (judgement.exact) {
      set->error = beyond_ ? check_refused(found, set) : check_repaired(found);
    }
  }

  static std::string check_repaired(const wafer::Bringup& found) {
    if (!found.repair.map) return "was refused: " + found.repair.reason;
    return found.verification.empty() ? "" : found.verification.front();
  }

  std::string check_refused(const wafer::Bringup& found, Set* set) const {
    const wafer::Window& w = found.largest;
    set->offered = w.tiles();
    if (found.repair.map) return "was not refused";
    if (found.repair.reason.empty()) return "was refused without a reason";
    // By the faults and the rules, not by what was found, nor by repair.
    const long largest = wafer::rules::most_tiles(shape_, set->faults.unusable(shape_));
    if (w.tiles() != largest) {
      return fmt::format("a rectangle of {} tiles was offered, one of {} works", w.tiles(),
                         largest);
    }
    if (w.rows > 0 && !found.smaller) return "the rectangle that was offered has no map";
    if (found.verification.empty()) return "";
    return "the rectangle that was offered: " + found.verification.front();
  }

  // The digits job on full tiles with the same faults; what is wrong, empty if nothing is.
  std::string run_digits(const Set& set) const {
    const jobs::RunReport report = run_wafer_job(bench_, 16, [&](GridShape) {
      std::unique_ptr<wafer::WaferDevice> device = wafer::make_wafer_device(shape_, set.faults);
      const wafer::Bringup b = wafer::bring_up(*device, &device->device(), full_);
      if (!b.succeeded()) throw DeviceFault("the wafer of full tiles was not repaired");
      return std::unique_ptr<Device>(std::move(device));
    });
    if (report.compared() == 0) return "digits: nothing was compared";
    if (report.mismatches() == 0) return "";
    if (report.different() == 0) return "digits: weights of the training differ";
    return fmt::format("digits: {} of {} activations differ", report.different(),
                       report.compared());
  }

  void report() const {
    uint64_t right = 0, escaped = 0, noticed = 0, flip_flops = 0, unseen = 0;
    uint64_t faults = 0, cycles = 0, digits_right = 0, digits_run = 0;
    nlohmann::json wrong = nlohmann::json::array();
    std::map<std::string, uint64_t> kinds;
    std::map<long, uint64_t> offered;
    for (const Set& set : sets_) {
      faults += set.faults.count();
      cycles += set.cycles;
      flip_flops += set.flip_flops();
      unseen += set.unseen;
      escaped += set.unseen > 0 ? 1 : 0;
      noticed += set.unseen > 0 && set.noticed ? 1 : 0;
      right += set.unseen == 0 && set.error.empty() ? 1 : 0;
      digits_run += set.with_digits ? 1 : 0;
      digits_right += set.with_digits && set.digits.empty() ? 1 : 0;
      if (beyond_ && set.unseen == 0) ++offered[set.offered];
      for (const std::string& text : {set.error, set.digits}) {
        if (text.empty()) continue;
        wrong.push_back({{"seed", set.seed},
                         {"faults", set.count},
                         {"file", wafer::to_json(shape_, set.faults)},
                         {"error", text}});
      }
      count_kinds(set.faults, &kinds);
    }
    nlohmann::json raw = {{"sets", wanted_},
                          {"right", right},
                          {"escaped_sets", escaped},
                          {"escaped_sets_noticed_by_verification", noticed},
                          {"stuck_flip_flops", flip_flops},
                          {"stuck_flip_flops_unseen", unseen},
                          {"faults", faults},
                          {"faults_by_kind", kinds},
                          {"cycles", cycles},
                          {"wrong", wrong}};
    for (const auto& [tiles, n] : offered) raw["offered_tiles"][std::to_string(tiles)] = n;
    rows_->add(beyond_ ? "W9" : "W8", static_cast<double>(right), raw);
    if (!beyond_) {
      rows_->add("W8.escapes", static_cast<double>(escaped),
                 {{"sets_drawn", sets_.size()},
                  {"stuck_flip_flops", flip_flops},
                  {"unseen", unseen},
                  {"noticed_by_verification", noticed}});
    }
    if (digits_run > 0) {
      rows_->add("W8.digits", static_cast<double>(digits_right), {{"wafers", digits_run}});
    }
  }

  static void count_kinds(const wafer::Faults& f, std::map<std::string, uint64_t>* kinds) {
    for (const wafer::TileFault& t : f.tiles) {
      const bool coupled = t.coupling != wafer::TileFault::Coupling::None;
      ++(*kinds)[t.kind == Kind::Memory     ? coupled ? "coupled cells" : "stuck cell"
                 : t.kind == Kind::Register ? "stuck flip-flop"
                 : t.kind == Kind::Silent   ? "silent router"
                                            : "babbling router"];
    }
    (*kinds)["wire"] += f.wires.size();
    (*kinds)["wire to a link"] += f.edges.size();
    (*kinds)["lane"] += f.lanes.size();
    (*kinds)["station"] += f.stations.size();
  }

  Rows* rows_;
  const WaferBench& bench_;
  const bool beyond_;
  const wafer::Shape shape_;
  const std::vector<wafer::Register> registers_;  // of a tile of `mini`
  wafer::BringupOptions mini_;
  wafer::BringupOptions full_;
  const uint64_t wanted_;
  uint64_t next_seed_;
  std::vector<Set> sets_;
  std::atomic<size_t> done_{0};
};

}  // namespace

void wafer_campaign(Rows* rows, const WaferBench& bench, bool beyond) {
  Campaign(rows, bench, beyond).run();
}

}  // namespace ow::bench
