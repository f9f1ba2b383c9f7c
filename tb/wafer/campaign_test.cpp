// SPDX-License-Identifier: Apache-2.0
// Campaigns of random defects: each set is a wafer of its own, brought up without a hint. And the
// digits job on a wafer with defects.
//
// A stuck flip-flop that the self-test cannot see is left in use; what else was found is compared
// without it then. Such a set is an escape: it counts neither as right nor as wrong, and another
// one is drawn in its place.
//
// OW_SEED, OW_SETS, OW_DIGITS and OW_BEYOND set the first seed, the number of sets within the
// repair limits, how many of them run the digits job, and the number of sets beyond the limits.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "options.h"
#include "ow/base/error.h"
#include "ow/check/training_job.h"
#include "ow/execute/run_job.h"
#include "ow/measure/repair_rules.h"
#include "ow/open/wafer.h"
#include "ow/sim/sim.h"
#include "ow/sim/wafer.h"
#include "ow/wafer/files.h"

namespace ow {
namespace {

const std::string kConfigs = OW_SOURCE_DIR "/configs/";
const std::string kWafer = kConfigs + "wafer-2x2.yaml";

// The digits job on `limit` images (0: all of them, and the large layer) on the device that `make`
// gives.
jobs::RunReport run_digits_job(size_t limit,
                               std::function<std::unique_ptr<Device>(GridShape)> make) {
  jobs::RunOptions run =
      golden::network_run(OW_FIRMWARE_DIR "/forward.elf", OW_FIRMWARE_DIR "/train.elf");
  run.limit = limit;
  run.make = std::move(make);
  jobs::RunParams params = jobs::read_job(kConfigs + "digits.yaml").network();
  if (limit != 0) params.large.reset();
  return jobs::run_network(params, run);
}

using Kind = wafer::TileFault::Kind;

constexpr uint64_t kMostPassedOver = 2000;  // sets of the other side, one after the other

// A set of faults and what became of it.
struct Set {
  uint64_t seed = 0;
  int count = 0;
  wafer::Faults faults;
  bool with_digits = false;

  std::string error;  // what is not as it must be; empty if all is
  size_t unseen = 0;  // stuck flip-flops that the self-test does not see
  std::string digits;

  size_t flip_flops() const {
    return static_cast<size_t>(
        std::count_if(faults.tiles.begin(), faults.tiles.end(),
                      [](const wafer::TileFault& f) { return f.kind == Kind::Register; }));
  }
};

class Campaign {
 public:
  Campaign(bool beyond, uint64_t sets, uint64_t digits)
      : beyond_(beyond),
        shape_(wafer::read_shape(kWafer)),
        registers_(wafer::mini_tile_registers()),
        mini_(wafer::selftest_options(true, false, OW_FIRMWARE_DIR)),
        wanted_(sets),
        digits_(digits),
        next_seed_(test_option("OW_SEED", 1)) {
    mini_.accept_smaller = beyond;
    if (digits > 0) full_ = wafer::selftest_options(false, false, OW_FIRMWARE_DIR);
  }

  void run() {
    uint64_t judged = 0;
    while (judged < wanted_) {
      const size_t first = sets_.size();
      while (sets_.size() - first < wanted_ - judged) sets_.push_back(draw());
      if (first == 0) choose_digits();
      bring_up_from(first);
      for (size_t i = first; i < sets_.size(); ++i) judged += sets_[i].unseen == 0 ? 1 : 0;
    }
  }

  const std::vector<Set>& sets() const { return sets_; }
  const wafer::Shape& shape() const { return shape_; }

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
    throw InternalError("no set of faults on this side of the wafer's repair limits");
  }

  // Spread over the campaign, of the sets without stuck flip-flops: those are of a tile of `mini`.
  void choose_digits() {
    for (uint64_t k = 0; k < digits_; ++k) {
      for (size_t i = k * sets_.size() / digits_; i < sets_.size(); ++i) {
        if (sets_[i].with_digits || sets_[i].flip_flops() > 0) continue;
        sets_[i].with_digits = true;
        break;
      }
    }
  }

  // Workers take one set after the other. The result does not depend on which worker does.
  void bring_up_from(size_t first) {
    std::atomic<size_t> next{first};
    const auto work = [&] {
      for (size_t i = next++; i < sets_.size(); i = next++) run_set(&sets_[i]);
    };
    std::vector<std::future<void>> workers;
    for (unsigned k = 1; k < std::thread::hardware_concurrency(); ++k) {
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
    const wafer::Judgement judgement = wafer::judge_defects(shape_, set->faults, found.defects);
    set->unseen = judgement.unseen;
    if (!judgement.right()) {
      set->error = fmt::format("found {}, broken {}", wafer::to_json(shape_, found.defects).dump(),
                               wafer::to_json(shape_, set->faults.expected(shape_)).dump());
    } else if (judgement.exact) {
      set->error = beyond_ ? check_refused(found, *set) : check_repaired(found);
    }
  }

  static std::string check_repaired(const wafer::Bringup& found) {
    if (!found.repair.map) return "was refused: " + found.repair.reason;
    return found.verification.empty() ? "" : found.verification.front();
  }

  std::string check_refused(const wafer::Bringup& found, const Set& set) const {
    const wafer::Window& w = found.largest;
    if (found.repair.map) return "was not refused";
    if (found.repair.reason.empty()) return "was refused without a reason";
    // By the faults and the rules, not by what was found, nor by repair.
    const long largest = wafer::rules::most_tiles(shape_, set.faults.unusable(shape_));
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
    const jobs::RunReport report = run_digits_job(16, [&](GridShape) {
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

  const bool beyond_;
  const wafer::Shape shape_;
  const std::vector<wafer::Register> registers_;  // of a tile of `mini`
  wafer::BringupOptions mini_;
  wafer::BringupOptions full_;
  const uint64_t wanted_;
  const uint64_t digits_;
  uint64_t next_seed_;
  std::vector<Set> sets_;
};

// What went wrong, with the faults of each set, and how many sets escaped.
uint64_t judge(const Campaign& campaign) {
  uint64_t escaped = 0;
  for (const Set& set : campaign.sets()) {
    escaped += set.unseen > 0 ? 1 : 0;
    EXPECT_EQ(set.error + set.digits, "")
        << "seed " << set.seed << ": " << wafer::to_json(campaign.shape(), set.faults).dump();
  }
  std::printf("%zu sets, %llu with a stuck flip-flop that the self-test cannot see\n",
              campaign.sets().size(), static_cast<unsigned long long>(escaped));
  return escaped;
}

TEST(WaferCampaign, SetsWithinTheLimitsAreFoundExactlyRepairedAndVerified) {
  const uint64_t sets = test_option("OW_SETS", 500);
  const uint64_t digits = test_option("OW_DIGITS", sets / 25);
  Campaign campaign(false, sets, digits);
  campaign.run();
  constexpr uint64_t kChance = 3;  // of a few sets, all may be escapes
  EXPECT_LE(judge(campaign), sets / 2 + kChance);
  const auto with_digits = std::count_if(campaign.sets().begin(), campaign.sets().end(),
                                         [](const Set& set) { return set.with_digits; });
  EXPECT_EQ(static_cast<uint64_t>(with_digits), digits);
}

TEST(WaferCampaign, SetsBeyondTheLimitsAreRefusedWithTheReasonAndTheLargestRectangle) {
  Campaign campaign(true, test_option("OW_BEYOND", 100), 0);
  campaign.run();
  judge(campaign);
}

TEST(WaferJob, TheDigitsHaveTheBitsOfGoldenOnAGridAndOnAWaferWithDefects) {
  const auto wafer_with_defects = [](GridShape) {
    wafer::WaferSource source;
    source.wafer = kWafer;
    source.defects = kConfigs + "defects-2x2.yaml";
    source.firmware = OW_FIRMWARE_DIR;
    return std::move(wafer::ready_wafer(source).device);
  };
  const jobs::RunReport flat =
      run_digits_job(0, [](GridShape grid) { return make_device(DeviceKind::Replicated, grid); });
  const jobs::RunReport wafer = run_digits_job(0, wafer_with_defects);
  for (const jobs::RunReport* run : {&flat, &wafer}) {
    EXPECT_GT(run->compared(), 0u);
    EXPECT_EQ(run->mismatches(), 0u);
    ASSERT_TRUE(run->training.has_value());
    EXPECT_GT(run->training->compared, 0u);
  }
  EXPECT_EQ(flat.right_device, wafer.right_device);
}

}  // namespace
}  // namespace ow
