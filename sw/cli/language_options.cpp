// SPDX-License-Identifier: Apache-2.0
#include "language_options.h"

#include <fmt/format.h>

#include <cstdio>

#include "ow/base/error.h"
#include "ow/check/golden_ring.h"
#include "ow/import/model_folder.h"
#include "ow/open/machine.h"
#include "ow/runtime/machine.h"
#include "ow/serve/grid_ring.h"

namespace ow::cli {
namespace {

LanguageRegion region_of(const LanguageOptions& o, const LanguageModel& model) {
  if (o.region.empty()) return usual_region(model);
  LanguageRegion region;
  char rest = 0;
  if (std::sscanf(o.region.c_str(), "%4dx%4d%c", &region.rows, &region.columns, &rest) != 2) {
    throw BadInput(fmt::format("--region: '{}' is not ROWSxCOLUMNS, as 2x2", o.region));
  }
  return region;
}

// A run with such a file is repeated from the words at the edges of one machine.
void check_repeated(const LanguageOptions& o) {
  const MachineSpec spec = parse_machine(o.device, "--device " + o.device);
  if (spec.record_file.empty() && spec.save_file.empty() && spec.restore_file.empty()) return;
  constexpr char kNot[] = ": not with record=, save= or restore=";
  if (o.load == "direct") throw BadInput(fmt::format("--load direct{}", kNot));
  if (o.wafers > 1) throw BadInput(fmt::format("--num-wafers {}{}", o.wafers, kNot));
}

}  // namespace

void add_language_options(CLI::App* command, LanguageOptions* o) {
  command->add_option("--model", o->model, "Folder of the model, as Hugging Face has them")
      ->type_name("DIR")
      ->required();
  command->add_option("--device", o->device, "What computes: golden, or a machine as in ow run")
      ->type_name("DEVICE");
  command
      ->add_option("--region", o->region,
                   "Tiles that hold a block, which decides the order of sums (else by the "
                   "model's shape)")
      ->type_name("RxC");
  command
      ->add_option("--num-wafers,--wafers", o->wafers,
                   "So many simulated machines in a ring, each with a part of the blocks")
      ->type_name("N")
      ->check(whole_number(1, 1024));
  command
      ->add_option(
          "--load", o->load,
          "How weights come into a machine: through its ports, or direct into the memories "
          "of a simulated one, in no cycle")
      ->check(CLI::IsMember({"ports", "direct"}));
  command->add_option("--type", o->type, "Type of all weights (else what the folder says)")
      ->check(CLI::IsMember({"binary16", "bfloat16"}));
}

std::vector<File> language_files(const LanguageOptions& o) {
  std::vector<File> files;
  for (const char* name : {"config.json", "generation_config.json", "model.safetensors",
                           "tokenizer.json", "tokenizer.model"}) {
    files.push_back({"--model", o.model + "/" + name});
  }
  return files;
}

Language read_language(const LanguageOptions& o, const ModelSettings& settings) {
  const HalfType type = o.type.empty()         ? settings.type
                        : o.type == "binary16" ? HalfType::Binary16
                                               : HalfType::Bfloat16;
  Language language;
  language.model = read_model_folder(o.model, type);
  language.region = region_of(o, language.model);
  return language;
}

std::unique_ptr<serve::TokenRing> open_ring(const LanguageOptions& o, const Language& language,
                                            int slots) {
  const auto [rows, columns] = language.region;
  if (o.device == "golden") {
    if (o.wafers > 1) throw BadInput("--num-wafers: golden is no machine");
    return std::make_unique<golden::GoldenRing>(language.model, rows, columns, slots);
  }
  const bool direct = o.load == "direct";
  check_repeated(o);
  std::vector<Runtime> wafers;
  for (int n = 0; n < o.wafers; ++n) wafers.push_back(ow::open(o.device));
  for (const Runtime& wafer : wafers) copy_directly(wafer, direct);
  auto ring = std::make_unique<serve::GridRing>(
      wafers, language.model, jobs::LanguageOptions{{rows, columns}, slots, 0}, OW_FIRMWARE_DIR);
  for (const Runtime& wafer : wafers) copy_directly(wafer, false);
  return ring;
}

}  // namespace ow::cli
