// SPDX-License-Identifier: Apache-2.0
// `ow bench wafer`: the digits job on a wafer, and campaigns of random defects.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "bench.h"
#include "ow/error.h"
#ifdef OW_HAVE_WAFER_FULL
#include "ow/jobs/digits.h"
#include "ow/wafer/files.h"
#include "wafer.h"
#endif

namespace ow::cli {
namespace {

struct WaferOptions {
  std::string wafer = OW_SOURCE_DIR "/configs/wafer-2x2.yaml";
  std::string defects = OW_SOURCE_DIR "/configs/defects-2x2.yaml";
  std::string params = OW_SOURCE_DIR "/configs/digits.yaml";
  uint64_t sets = 500;    // W8
  uint64_t digits = 20;   // of them with the digits job
  uint64_t beyond = 100;  // W9
  size_t limit = 0;       // images of W1
  std::string reticle;    // W15: report of scripts/gates --reticle
};

#ifdef OW_HAVE_WAFER_FULL
jobs::RunReport run_job(const WaferOptions& o, size_t limit,
                        std::function<std::unique_ptr<Device>(GridShape)> make) {
  jobs::RunOptions run;
  run.firmware = OW_FIRMWARE_DIR "/stream_layer.elf";
  run.limit = limit;
  run.make = std::move(make);
  jobs::RunParams params = jobs::load_params(o.params);
  if (limit != 0) params.large.reset();
  return jobs::run_digits(params, run);
}

void digits(BenchRows* rows, const WaferOptions& o) {
  const jobs::RunReport flat = run_job(o, o.limit, nullptr);
  const jobs::RunReport wafer = run_job(o, o.limit, [&o](GridShape) {
    wafer::Shape shape;
    auto device = ready_wafer({o.wafer, o.defects, ""}, &shape);
    return std::unique_ptr<Device>(dynamic_cast<Device*>(device.release()));
  });
  // Every activation of every layer is compared with golden in both runs.
  rows->add("W1", static_cast<double>(flat.bits_different() + wafer.bits_different()),
            {{"images", wafer.held_out},
             {"activations_compared_flat", flat.compared()},
             {"activations_compared_wafer", wafer.compared()},
             {"right_flat", flat.right_device},
             {"right_wafer", wafer.right_device},
             {"cycles_flat", flat.sim_cycles},
             {"cycles_wafer", wafer.sim_cycles}});
}

// Brings a wafer with these faults up and says what is not as it must be; empty if all is.
std::string campaign_case(const wafer::Shape& shape, const wafer::Faults& faults,
                          const wafer::BringupOptions& options, bool beyond) {
  const auto device = wafer::make_mini_wafer_device(shape, faults);
  const wafer::Bringup found = wafer::bring_up(*device, &device->device(), options);
  const wafer::Defects expected = faults.expected(shape);
  if (wafer::to_json(shape, found.defects) != wafer::to_json(shape, expected)) {
    return fmt::format("found {}, broken {}", wafer::to_json(shape, found.defects).dump(),
                       wafer::to_json(shape, expected).dump());
  }
  if (beyond) {
    if (found.repair.map) return "was not refused";
    if (found.repair.reason.empty()) return "was refused without a reason";
    const wafer::Window& w = found.largest;
    const wafer::Window best = wafer::largest_rectangle(shape, expected);
    if (!(w == best)) return "another rectangle was offered";
    if (w.rows > 0 && !wafer::repair_window(shape, expected, w).map) return "cannot be repaired";
    return "";
  }
  if (!found.repair.map) return "was refused: " + found.repair.reason;
  if (!found.verification.empty()) return found.verification.front();
  return "";
}

// `wanted` fault sets on the same side of the repair limits, by consecutive seeds.
void campaign(BenchRows* rows, const WaferOptions& o, const BenchOptions& bench, bool beyond) {
  const wafer::Shape shape = wafer::read_shape(o.wafer);
  constexpr uint32_t kSram = 8192;
  wafer::BringupOptions options;
  options.sram_bytes = kSram;
  options.selftest = read_elf(OW_FIRMWARE_DIR "/selftest.elf", kSram);
  {
    const auto one = wafer::make_mini_wafer_device({1, 1, 1, 1, 0, 0});
    options.signature = wafer::good_signature(*one, options.selftest);
  }
  const uint64_t wanted = beyond ? o.beyond : o.sets;
  Progress bar(beyond ? "beyond repair" : "within repair", wanted);
  uint64_t right = 0, done = 0, faults_in_all = 0, digits_right = 0, digits_run = 0;
  nlohmann::json wrong = nlohmann::json::array();
  for (uint64_t seed = bench.seed; done < wanted; ++seed) {
    const int count = beyond ? 6 + static_cast<int>(seed % 8) : 1 + static_cast<int>(seed % 7);
    const wafer::Faults faults =
        wafer::random_faults(shape, count, static_cast<int>(kSram / 64), seed);
    const wafer::Defects expected = faults.expected(shape);
    if (wafer::repair_wafer(shape, expected).map.has_value() == beyond) continue;
    const std::string error = campaign_case(shape, faults, options, beyond);
    ++done;
    faults_in_all += faults.count();
    if (error.empty()) {
      ++right;
    } else {
      wrong.push_back({{"seed", seed}, {"faults", count}, {"error", error}});
      std::fprintf(stderr, "seed %llu: %s\n", static_cast<unsigned long long>(seed), error.c_str());
    }
    if (!beyond && digits_run < o.digits) {
      // The job on full tiles with the same faults.
      const jobs::RunReport report = run_job(o, 16, [&](GridShape) {
        auto device = wafer::make_wafer_device(shape, faults);
        const wafer::Bringup b = bring_up_wafer(*device, OW_FIRMWARE_DIR "/selftest.elf", false);
        if (!b.good()) throw DeviceFault(fmt::format("seed {}: not repaired", seed));
        return std::unique_ptr<Device>(dynamic_cast<Device*>(device.release()));
      });
      ++digits_run;
      digits_right += report.different() == 0 && report.compared() > 0 ? 1 : 0;
    }
    bar.update(done);
  }
  const nlohmann::json raw = {
      {"sets", done}, {"right", right}, {"faults", faults_in_all}, {"wrong", wrong}};
  rows->add(beyond ? "W9" : "W8", static_cast<double>(right), raw);
  if (!beyond && digits_run > 0) {
    rows->add("W8.digits", static_cast<double>(digits_right), {{"wafers", digits_run}});
  }
}
#endif

}  // namespace

void add_bench_wafer(CLI::App& sub, Benches& benches) {
  auto options = std::make_shared<WaferOptions>();
  benches["wafer"] = [options](Context& context, const BenchOptions& bench) {
#ifdef OW_HAVE_WAFER_FULL
    BenchRows rows("wafer", bench, context);
    nlohmann::json reticle;
    if (!options->reticle.empty()) {
      reticle = read_report("--reticle-gates", options->reticle, "percent");
    }
    if (rows.wants("W1")) digits(&rows, *options);
    if (rows.wants("W8")) campaign(&rows, *options, bench, false);
    if (rows.wants("W9")) campaign(&rows, *options, bench, true);
    if (!reticle.is_null() && rows.wants("W15")) {
      const double percent = reticle["percent"].get<double>();
      rows.add("W15", percent, std::move(reticle));
    }
    return rows.finish();
#else
    (void)context;
    (void)bench;
    throw BadInput("bench wafer: this build has no simulated wafer");
    return 2;
#endif
  };
  sub.add_option("--wafer", options->wafer, "wafer: configuration")->type_name("FILE");
  sub.add_option("--wafer-defects", options->defects, "wafer: faults of W1")->type_name("FILE");
  sub.add_option("--wafer-images", options->limit, "wafer: only so many images in W1");
  sub.add_option("--wafer-sets", options->sets, "wafer: sets of faults of W8 (500)");
  sub.add_option("--wafer-digits", options->digits, "wafer: of them with the digits job (20)");
  sub.add_option("--reticle-gates", options->reticle,
                 "wafer: report of scripts/gates --reticle (W15)")
      ->type_name("FILE");
  sub.add_option("--wafer-beyond", options->beyond, "wafer: sets of faults of W9 (100)");
}

}  // namespace ow::cli
