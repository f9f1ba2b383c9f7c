// SPDX-License-Identifier: Apache-2.0
#include "language_options.h"

#include <fmt/format.h>

#include <cstdio>

#include "machine_files.h"
#include "ow/base/error.h"
#include "ow/check/golden_ring.h"
#include "ow/import/model_folder.h"
#include "ow/open/ranks.h"
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

// A ring of several machines lacks some options. A run that is recorded or saved is repeated from
// the words at the edges of one machine.
void check_machines(const LanguageOptions& o, const MachineSpec& spec) {
  constexpr char kNot[] = ": not with record=, save= or restore=";
  const bool repeated = !(spec.record_file + spec.save_file + spec.restore_file).empty();
  if (repeated && o.load == "direct") throw BadInput(fmt::format("--load direct{}", kNot));
  if (o.wafers == 1) return;
  if (repeated) throw BadInput(fmt::format("--num-wafers {}{}", o.wafers, kNot));
  if (spec.split > 1) throw BadInput(fmt::format("--num-wafers {}: not with split=", o.wafers));
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

std::optional<LanguageMachine> find_machine(Context* context, const LanguageOptions& o,
                                            int* status) {
  LanguageMachine machine;
  machine.spec = parse_machine(o.device, "--device " + o.device);
  check_machines(o, machine.spec);
  machine.options.firmware = OW_FIRMWARE_DIR;
  machine.options.sim.record_file = machine.spec.record_file;
  if (machine.spec.split > 1) {
    machine.options.sim.ranks = join_ranks(machine.spec.split, machine.spec.name, status);
    if (!machine.options.sim.ranks) {
      context->write_nothing();
      return std::nullopt;
    }
  }
  MachineFiles files = files_of(machine.spec);
  for (const char* name : {"config.json", "generation_config.json", "model.safetensors",
                           "tokenizer.json", "tokenizer.model"}) {
    files.read.push_back({"--model", o.model + "/" + name});
  }
  context->check_files(files.read, files.written);
  return machine;
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

LanguageDevice open_device(const LanguageOptions& o, const LanguageMachine& machine,
                           const Language& language, int slots) {
  const auto [rows, columns] = language.region;
  LanguageDevice device;
  if (o.device == "golden") {
    if (o.wafers > 1) throw BadInput("--num-wafers: golden is no machine");
    device.ring = std::make_unique<golden::GoldenRing>(language.model, rows, columns, slots);
    return device;
  }
  const bool direct = o.load == "direct";
  for (int n = 0; n < o.wafers; ++n) {
    device.machines.push_back(make_runtime(Machine(machine.spec, machine.options).device()));
  }
  for (const Runtime& wafer : device.machines) copy_directly(wafer, direct);
  device.ring = std::make_unique<serve::GridRing>(device.machines, language.model,
                                                  jobs::LanguageOptions{{rows, columns}, slots, 0},
                                                  OW_FIRMWARE_DIR);
  for (const Runtime& wafer : device.machines) copy_directly(wafer, false);
  return device;
}

void LanguageDevice::end_recording() const {
  for (const Runtime& machine : machines) machine.end_recording();
}

}  // namespace ow::cli
