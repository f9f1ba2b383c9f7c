// SPDX-License-Identifier: Apache-2.0
// `ow bench wafer`: the digits job on a wafer, and campaigns of random defects.
#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "bench.h"
#include "ow/error.h"
#include "ow/text_file.h"
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
  uint64_t skip = 0;      // sets of W8 and W9 to pass over
  unsigned jobs = 1;      // sets at the same time
  size_t limit = 0;       // images of W1
  std::string mbist;      // W6: report of mbist_test
  std::string faults;     // W7: report of ow faults
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
    return ready_wafer({o.wafer, o.defects, "", "", {}});
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

// What became of one set of faults.
struct Outcome {
  std::string error;  // what is not as it must be; empty if all is
  std::string digits;
  bool digits_run = false;
  uint64_t cycles = 0;
  long offered = 0;  // tiles of the rectangle, beyond the limits
};

// Brings a wafer with these faults up and compares what was found with what is broken, and what was
// made of it with what must be.
void campaign_case(const wafer::Shape& shape, const wafer::Faults& faults,
                   const wafer::BringupOptions& options, bool beyond, Outcome* out) {
  const auto device = wafer::make_mini_wafer_device(shape, faults);
  const wafer::Bringup found = wafer::bring_up(*device, &device->device(), options);
  out->cycles = device->device().cycle();
  const wafer::Defects expected = faults.expected(shape);
  if (wafer::to_json(shape, found.defects) != wafer::to_json(shape, expected)) {
    out->error = fmt::format("found {}, broken {}", wafer::to_json(shape, found.defects).dump(),
                             wafer::to_json(shape, expected).dump());
    return;
  }
  if (beyond) {
    const wafer::Window& w = found.largest;
    out->offered = w.tiles();
    if (found.repair.map) {
      out->error = "was not refused";
    } else if (found.repair.reason.empty()) {
      out->error = "was refused without a reason";
    } else if (!(w == wafer::largest_rectangle(shape, expected))) {
      out->error = "another rectangle was offered";
    } else if (w.rows > 0 && !found.smaller) {
      out->error = "the rectangle that was offered has no map";
    } else if (!found.verification.empty()) {
      out->error = "the rectangle that was offered: " + found.verification.front();
    }
  } else if (!found.repair.map) {
    out->error = "was refused: " + found.repair.reason;
  } else if (!found.verification.empty()) {
    out->error = found.verification.front();
  }
}

// The digits job on full tiles with the same faults; what is wrong, empty if nothing is.
std::string campaign_digits(const WaferOptions& o, const wafer::Shape& shape,
                            const wafer::Faults& faults, const wafer::BringupOptions& options) {
  const jobs::RunReport report = run_job(o, 16, [&](GridShape) {
    auto device = wafer::make_wafer_device(shape, faults);
    const wafer::Bringup b = wafer::bring_up(*device, &device->device(), options);
    if (!b.good()) throw DeviceFault("the wafer of full tiles was not repaired");
    return std::unique_ptr<Device>(dynamic_cast<Device*>(device.release()));
  });
  if (report.compared() == 0) return "digits: nothing was compared";
  if (report.different() == 0) return "";
  return fmt::format("digits: {} of {} activations differ", report.different(), report.compared());
}

// `wanted` fault sets on the same side of the repair limits, by consecutive seeds.
void campaign(BenchRows* rows, const WaferOptions& o, const BenchOptions& bench, bool beyond) {
  const wafer::Shape shape = wafer::read_shape(o.wafer);
  const uint64_t digits = beyond ? 0 : o.digits;
  wafer::BringupOptions mini = selftest_options(true, false);
  mini.accept_smaller = beyond;
  const wafer::BringupOptions full =
      digits == 0 ? wafer::BringupOptions() : selftest_options(false, false);
  struct Set {
    uint64_t seed;
    int count;
    wafer::Faults faults;
  };
  const uint64_t wanted = beyond ? o.beyond : o.sets;
  std::vector<Set> sets;
  uint64_t skipped = 0, passed_over = 0;
  constexpr uint64_t kMostPassedOver = 2000;  // one after the other
  for (uint64_t seed = bench.seed; sets.size() < wanted; ++seed) {
    // One to seven faults, or six to thirteen; lanes of one link together count as one.
    const int count = beyond ? 6 + static_cast<int>(seed % 8) : 1 + static_cast<int>(seed % 7);
    Set set{seed, count, wafer::random_faults(shape, count, 8192 / 64, seed)};
    const wafer::Defects expected = set.faults.expected(shape);
    if (wafer::repair_wafer(shape, expected).map.has_value() == beyond) {
      if (++passed_over == kMostPassedOver) {
        throw BadInput(fmt::format("{}: none of {} sets of faults is {} the wafer's repair limits",
                                   o.wafer, passed_over, beyond ? "beyond" : "within"));
      }
      continue;
    }
    passed_over = 0;
    if (skipped < o.skip) {
      ++skipped;
      continue;
    }
    sets.push_back(std::move(set));
  }

  // Workers take one set after the other; what comes out does not depend on who does.
  std::vector<Outcome> outcomes(sets.size());
  std::atomic<size_t> next{0}, done{0};
  std::mutex mutex;
  Progress bar(beyond ? "beyond repair" : "within repair", wanted);
  const auto work = [&] {
    for (size_t i = next++; i < sets.size(); i = next++) {
      Outcome& out = outcomes[i];
      try {
        campaign_case(shape, sets[i].faults, mini, beyond, &out);
        // Spread over the campaign.
        const uint64_t before = i * digits / sets.size(), after = (i + 1) * digits / sets.size();
        if (after > before) {
          out.digits_run = true;
          out.digits = campaign_digits(o, shape, sets[i].faults, full);
        }
      } catch (const std::exception& e) {
        (out.digits_run ? out.digits : out.error) = e.what();
      }
      const std::lock_guard<std::mutex> lock(mutex);
      for (const std::string& text : {out.error, out.digits}) {
        if (!text.empty()) {
          std::fprintf(stderr, "seed %llu: %s\n", static_cast<unsigned long long>(sets[i].seed),
                       text.c_str());
        }
      }
      bar.update(++done);
    }
  };
  std::vector<std::future<void>> workers;
  for (unsigned k = 1; k < o.jobs; ++k) workers.push_back(std::async(std::launch::async, work));
  work();
  for (auto& worker : workers) worker.get();

  uint64_t right = 0, faults_in_all = 0, digits_right = 0, digits_run = 0, cycles = 0;
  nlohmann::json wrong = nlohmann::json::array();
  std::map<std::string, uint64_t> kinds;
  std::map<long, uint64_t> offered;
  for (size_t i = 0; i < sets.size(); ++i) {
    const Outcome& out = outcomes[i];
    const wafer::Faults& f = sets[i].faults;
    faults_in_all += f.count();
    cycles += out.cycles;
    right += out.error.empty() ? 1 : 0;
    digits_run += out.digits_run ? 1 : 0;
    digits_right += out.digits_run && out.digits.empty() ? 1 : 0;
    if (beyond) ++offered[out.offered];
    for (const std::string& text : {out.error, out.digits}) {
      if (text.empty()) continue;
      wrong.push_back({{"seed", sets[i].seed}, {"faults", sets[i].count}, {"error", text}});
    }
    for (const wafer::TileFault& t : f.tiles) {
      using Kind = wafer::TileFault::Kind;
      const bool coupled = t.coupling != wafer::TileFault::Coupling::None;
      ++kinds[t.kind == Kind::Memory     ? coupled ? "coupled cells" : "stuck cell"
              : t.kind == Kind::Register ? "register"
              : t.kind == Kind::Silent   ? "silent router"
                                         : "babbling router"];
    }
    kinds["wire"] += f.wires.size();
    kinds["wire to a link"] += f.edges.size();
    kinds["lane"] += f.lanes.size();
    kinds["station"] += f.stations.size();
  }
  nlohmann::json raw = {{"sets", sets.size()},     {"right", right},   {"faults", faults_in_all},
                        {"faults_by_kind", kinds}, {"cycles", cycles}, {"wrong", wrong}};
  for (const auto& [tiles, n] : offered) raw["offered_tiles"][std::to_string(tiles)] = n;
  rows->add(beyond ? "W9" : "W8", static_cast<double>(right), raw);
  if (digits_run > 0) {
    rows->add("W8.digits", static_cast<double>(digits_right), {{"wafers", digits_run}});
  }
}

// What the test of the memory self-test has recorded: GoogleTest's report of mbist_test.
nlohmann::json mbist_report(const std::string& path) {
  const nlohmann::json report = nlohmann::json::parse(read_text(path), nullptr, false);
  try {
    for (const auto& suite : report.at("testsuites")) {
      for (const auto& test : suite.at("testsuite")) {
        if (test.contains("found")) {
          return {{"found", std::stoi(test["found"].get<std::string>())},
                  {"test", test.at("name")}};
        }
      }
    }
  } catch (const std::exception&) {
  }
  throw BadInput(fmt::format("--mbist {}: no report of mbist_test", path));
}
#endif

}  // namespace

void add_bench_wafer(CLI::App& sub, Benches& benches) {
  auto options = std::make_shared<WaferOptions>();
  benches["wafer"] = [options](Context& context, const BenchOptions& bench) {
#ifdef OW_HAVE_WAFER_FULL
    BenchRows rows("wafer", bench, context);
    nlohmann::json mbist, faults, reticle;
    if (!options->mbist.empty()) mbist = mbist_report(options->mbist);
    if (!options->faults.empty()) faults = read_report("--faults", options->faults, "percent");
    if (!options->reticle.empty()) {
      reticle = read_report("--reticle-gates", options->reticle, "percent");
    }
    // Bad files are refused before anything takes time.
    const wafer::Shape shape = wafer::read_shape(options->wafer);
    if (rows.wants("W1")) wafer::read_faults(options->defects, shape);
    if (rows.wants("W1")) digits(&rows, *options);
    if (!mbist.is_null() && rows.wants("W6")) {
      const double found = mbist["found"].get<double>();
      rows.add("W6", found, std::move(mbist));
    }
    if (!faults.is_null() && rows.wants("W7")) {
      const double percent = faults["percent"].get<double>();
      rows.add("W7", percent, std::move(faults));
    }
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
  const auto count = [&sub](const char* name, auto& value, const char* what, uint64_t low) {
    sub.add_option(name, value, what)->check(whole_number(low, 1000000));
  };
  count("--wafer-images", options->limit, "wafer: only so many images in W1", 1);
  count("--wafer-sets", options->sets, "wafer: sets of faults of W8 (500)", 1);
  count("--wafer-skip", options->skip, "wafer: pass over the first N sets of W8 and W9", 0);
  sub.add_option("--wafer-jobs", options->jobs, "wafer: sets at the same time (1)")
      ->check(CLI::Range(1, 256));
  count("--wafer-digits", options->digits, "wafer: of them with the digits job (20)", 0);
  sub.add_option("--mbist", options->mbist, "wafer: report of mbist_test --gtest_output=json (W6)")
      ->type_name("FILE");
  sub.add_option("--faults", options->faults, "wafer: report of `ow faults --json` (W7)")
      ->type_name("FILE");
  sub.add_option("--reticle-gates", options->reticle,
                 "wafer: report of scripts/gates --reticle (W15)")
      ->type_name("FILE");
  count("--wafer-beyond", options->beyond, "wafer: sets of faults of W9 (100)", 1);
}

}  // namespace ow::cli
