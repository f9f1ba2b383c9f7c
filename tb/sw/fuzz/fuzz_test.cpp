// SPDX-License-Identifier: Apache-2.0
// 300 mutants of valid files for each parser (or as many as OW_FUZZ_SECONDS has time for): each is
// read, or refused in one line; nothing crashes or hangs. Built with the checks of addresses and of
// undefined behaviour. A failure names the mutant, which stays in a file.
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "mutants.h"
#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/base/json.h"
#include "ow/base/rng.h"
#include "ow/base/yaml.h"
#include "ow/compile/job.h"
#include "ow/device/wafer_faults.h"
#include "ow/dft/netlist.h"
#include "ow/runtime/elf.h"
#include "ow/tensor/csv.h"
#include "ow/tensor/dataset.h"
#include "ow/tensor/idx.h"
#include "ow/tensor/safetensors.h"
#include "ow/wafer/files.h"
#include "ow/wafer/repair.h"
#include "run_mutants.h"

namespace ow {
namespace {

constexpr const char* kExports = OW_KERNELS_DIR "/exports.elf";

std::string config(const std::string& name) {
  return read_text(std::string(OW_SOURCE_DIR "/configs/") + name);
}

// Every kind of value that the reader of YAML knows.
void read_any(const Yaml& value) {
  if (value.is_null()) return;
  if (value.is_list()) {
    for (const Yaml& item : value.list(0, 1000)) read_any(item);
    return;
  }
  if (value.is_map()) {
    YamlMap map(value);
    for (const auto& [key, item] : map.items()) read_any(item);
    map.close();
    return;
  }
  for (const auto& take : std::vector<std::function<void()>>{
           [&] { value.integer(0, 1000); }, [&] { value.real(0, 1, true); }, [&] { value.flag(); },
           [&] {
             value.one_of({"a", "b", "csv"});
           },
           [&] { value.integers(1, 3, 0, 9); }, [&] { value.map(); }, [&] { value.list(2, 2); }}) {
    try {
      take();
    } catch (const BadInput&) {
    }
  }
  value.text();
}

TEST(Fuzz, Yaml) {
  run("yaml", {".yaml",
               {config("digits.yaml"), config("targets.yaml"), config("wafer-2x2.yaml"),
                "a: {b: [1, 'x', \"y\"], c: ~}\nd: true\ne: -1.5e3\nf: a\n"},
               text,
               [](const std::string& path) { read_any(Yaml::read(path)); }});
}

TEST(Fuzz, ParametersOfAJob) {
  const std::string other =
      "data:\n  file: x\n  format: idx\n  labels: y\n  scale: 2\n  range: [0, 1]\n"
      "network:\n  layers: [5, 4, 3]\n  type: bfloat16\n  activations: [relu, none]\n"
      "  bias: [true, false]\n  weights: w\ngrid:\n  rows: 1\n  columns: 2\n";
  run("params",
      {".yaml",
       {config("digits.yaml"), config("digits-2x2.yaml"), other,
        read_text(OW_SOURCE_DIR "/tb/sw/fuzz/inference-time.yaml")},
       text,
       [](const std::string& path) { jobs::job_of(jobs::read_job(path, false).network()); }});
}

TEST(Fuzz, Defects) {
  const wafer::Shape shape{2, 2, 2, 2, 1, 1};
  const std::string other =
      "tiles:\n"
      "  - {reticle: [0, 0], tile: [0, 1], fault: memory, bank: 3, row: 1, bit: 2, coupling: hold, "
      "aggressor: [5, 6], when: 1, stuck: 0}\n"
      "  - {reticle: [0, 0], tile: [0, 0], fault: memory, bank: 3, row: 1, bit: 2, coupling: "
      "invert, aggressor: [5, 6], when: 1}\n"
      "  - {reticle: [1, 0], tile: [0, 1], fault: register, register: a, bit: 3, stuck: 1}\n"
      "edges:\n  - {reticle: [0, 1], edge: west, tile: [1, 0], slot: 2, direction: in, bit: 7, "
      "stuck: 1}\n";
  // What was read is the same when it has been written and read again.
  run("defects",
      {".yaml", {config("defects-2x2.yaml"), other}, text, [shape](const std::string& path) {
         const wafer::Faults faults = wafer::read_faults(path, shape);
         wafer::judge_defects(shape, faults, faults.expected(shape));
         const std::string written = wafer::to_json(shape, faults).dump();
         const std::string again = path + ".again";
         write_file(again, written);
         EXPECT_EQ(wafer::to_json(shape, wafer::read_faults(again, shape)).dump(), written);
         std::filesystem::remove(again);
       }});
  const std::vector<wafer::Register> registers = {{"a", 4, 16, 16}};
  for (uint64_t k = 0; k < 50; ++k) {
    wafer::random_faults(shape, 5, isa::kMini, registers, k).check(shape);
  }
}

TEST(Fuzz, Json) {
  run("json", {".json",
               {R"({"a": [1, 2.5, "x", null, true], "b": {"c": {}, "d": -1e5}})", "[[[[1]]]]",
                std::string(70, '[').substr(0, 60) + std::string(60, ']')},
               text,
               [](const std::string& path) { read_json(path); }});
}

TEST(Fuzz, Safetensors) {
  const std::string path = testing::TempDir() + "ow_fuzz_good.safetensors";
  std::vector<std::string> valid;
  save_weights(path, HalfType::Binary16, {{"a", {2, 3}, true}, {"b", {2}}},
               {{"a", {1, 2, 3, 4, 5, 6}}, {"b", {0.5f, 1}}});
  valid.push_back(read_text(path));
  write_safetensors(path, {{"inputs", {TensorType::F32, {2, 3}, std::vector<uint8_t>(24, 0x3F)}},
                           {"labels", {TensorType::U8, {2}, {0, 1}}},
                           {"none", {TensorType::F64, {0}, {}}}});
  valid.push_back(read_text(path));
  std::remove(path.c_str());
  run("safetensors", {".safetensors", valid, header_mutant, [](const std::string& file) {
                        const Tensors tensors = read_safetensors(file);
                        for (const auto& [name, t] : tensors) {
                          for (size_t k = 0; k < t.elements(); ++k) t.value(k);
                        }
                        // The other way to read it gives the same.
                        const SafetensorsFile parts(file);
                        EXPECT_EQ(parts.tensors().size(), tensors.size());
                        for (size_t k = 0; k < parts.tensors().size(); ++k) {
                          const TensorHead& head = parts.tensors()[k];
                          std::vector<uint8_t> bytes(head.bytes());
                          parts.read(k, 0, bytes.size(), bytes.data());
                          EXPECT_EQ(bytes, tensors.at(head.name).bytes);
                        }
                      }});
}

// A checkpoint of a network's weights, in one of its types.
TEST(Fuzz, Weights) {
  const std::vector<WeightSpec> specs = {{"a", {2, 3}, true}, {"b", {2}}};
  const std::string path = testing::TempDir() + "ow_fuzz_good_weights.safetensors";
  std::vector<std::string> valid;
  for (const TensorType type : {TensorType::F16, TensorType::F32, TensorType::F64}) {
    const size_t bytes = type == TensorType::F16 ? 2 : type == TensorType::F32 ? 4 : 8;
    write_safetensors(path, {{"a", {type, {2, 3}, std::vector<uint8_t>(6 * bytes, 0x3F)}},
                             {"a_mask", {TensorType::U8, {2, 3}, std::vector<uint8_t>(6, 1)}},
                             {"b", {TensorType::F32, {2}, std::vector<uint8_t>(8, 0x3F)}},
                             {kCheckpointSums, {TensorType::U32, {1}, {0, 0, 0, 0}}}});
    valid.push_back(read_text(path));
  }
  std::remove(path.c_str());
  run("weights_file", {".safetensors", valid, header_mutant, [&](const std::string& file) {
                         load_weights(file, HalfType::Binary16, specs);
                       }});
}

std::string idx_file(uint8_t type, const std::vector<uint8_t>& shape, size_t bytes) {
  std::string s = {0, 0, static_cast<char>(type), static_cast<char>(shape.size())};
  for (const uint8_t n : shape) s += std::string(3, '\0') + static_cast<char>(n);
  return s + std::string(bytes, 'x');
}

TEST(Fuzz, Idx) {
  run("idx", {".idx",
              {idx_file(0x08, {2, 3}, 6), idx_file(0x0B, {4}, 8), idx_file(0x0D, {2, 2}, 16),
               idx_file(0x0E, {1, 0}, 0)},
              binary(16),
              [](const std::string& path) { read_idx(path, 1 << 20); }});
}

TEST(Fuzz, Csv) {
  run("csv", {".csv",
              {"1,2,3\n4,5.5,-6e1\n", "1\r\n2\r\n", "0,0\n1,1\n2,2\n3,3\n"},
              text,
              [](const std::string& path) { read_csv(path, 4, 4); }});
}

TEST(Fuzz, Samples) {
  // Each format through the reader of samples, and packed files.
  const std::string csv = "1,2,3,0\n4,5.5,-6e1,1\n";
  run("samples_csv", {".csv", {csv, "1,2,3\n4,5,6\n"}, text, [](const std::string& path) {
                        DataSource source;
                        source.file = path;
                        source.range = {-100, 100};
                        const Dataset data = load_dataset(source, HalfType::Binary16, 3, 2);
                        Dataset one;
                        one.add(data, 0);
                        one.activations(HalfType::Bfloat16, 0, 1);
                        source.samples = 2;
                        load_dataset(source, HalfType::Binary16, 3, 2);
                      }});
  run("values_csv", {".csv", {"1,2,3,0.5,-1\n4,5.5,-6e1,1,2\n"}, text, [](const std::string& path) {
                       DataSource source;
                       source.file = path;
                       source.targets = true;
                       const Dataset data = load_dataset(source, HalfType::Binary16, 3, 2);
                       Dataset one;
                       one.add(data, 0);
                     }});
  const std::string labels = testing::TempDir() + "ow_fuzz_labels.idx";
  write_file(labels, idx_file(0x08, {2}, 0) + std::string("\0\1", 2));
  run("samples_idx",
      {".idx", {idx_file(0x08, {2, 3}, 6)}, binary(16), [&](const std::string& path) {
         DataSource source;
         source.file = path;
         source.format = DataFormat::Idx;
         source.labels = labels;
         load_dataset(source, HalfType::Binary16, 3, 2);
       }});
  std::remove(labels.c_str());
  for (const char* name : {"a.csv", "a.idx.gz", "a.safetensors"}) data_format(name);
  EXPECT_THROW(data_format("a.txt"), BadInput);
}

TEST(Fuzz, SamplesOfTensors) {
  const std::string path = testing::TempDir() + "ow_fuzz_samples.safetensors";
  write_safetensors(path, {{"inputs", {TensorType::U8, {2, 3}, {1, 2, 3, 4, 5, 6}}},
                           {"labels", {TensorType::U8, {2}, {0, 1}}}});
  const std::string good = read_text(path);
  std::remove(path.c_str());
  run("samples_tensors", {".safetensors", {good}, text, [](const std::string& file) {
                            DataSource source;
                            source.file = file;
                            source.format = DataFormat::Safetensors;
                            load_dataset(source, HalfType::Binary16, 3, 2);
                          }});
  write_safetensors(path, {{"inputs", {TensorType::U8, {2, 3}, {1, 2, 3, 4, 5, 6}}},
                           {"targets", {TensorType::U8, {2, 2}, {0, 1, 2, 3}}}});
  const std::string values = read_text(path);
  std::remove(path.c_str());
  run("values_tensors", {".safetensors", {values}, text, [](const std::string& file) {
                           DataSource source;
                           source.file = file;
                           source.format = DataFormat::Safetensors;
                           source.targets = true;
                           load_dataset(source, HalfType::Binary16, 3, 2);
                         }});
}

TEST(Fuzz, SamplesThatDoNotFit) {
  DataSource source;
  source.file = testing::TempDir() + "ow_fuzz_wrong.safetensors";
  source.format = DataFormat::Safetensors;
  const Tensor good{TensorType::U8, {2, 3}, {1, 2, 3, 4, 5, 6}};
  const Tensor nan{TensorType::F16, {1, 3}, {0, 0x7E, 0, 0, 0, 0}};
  const Tensor three{TensorType::U8, {3}, {0, 1, 0}};
  const std::vector<Tensors> wrong = {{{"inputs", nan}},
                                      {{"inputs", good}, {"labels", three}},
                                      {{"labels", three}},
                                      {{"inputs", good}, {"others", three}},
                                      {{"inputs", three}}};
  for (const Tensors& tensors : wrong) {
    write_safetensors(source.file, tensors);
    EXPECT_THROW(load_dataset(source, HalfType::Binary16, 3, 2), BadInput);
  }
  write_safetensors(source.file, {{"inputs", good}});
  EXPECT_EQ(load_dataset(source, HalfType::Binary16, 3, 2).samples(), 2u);
  source.targets = true;
  write_safetensors(source.file, {{"inputs", good}, {"targets", three}});
  EXPECT_THROW(load_dataset(source, HalfType::Binary16, 3, 2), BadInput);
  std::remove(source.file.c_str());
}

TEST(Fuzz, PackedFiles) {
  const std::string path = testing::TempDir() + "ow_fuzz_packed.gz";
  gzFile file = gzopen(path.c_str(), "wb");
  for (int k = 0; k < 1000; ++k) gzprintf(file, "%d,%d\n", k, k * k);
  gzclose(file);
  const std::string good = read_text(path);
  std::remove(path.c_str());
  run("packed",
      {".gz", {good, good + good}, binary(32), [](const std::string& p) { read_bytes(p, 24000); }});
  write_file(path, "x");
  check_writable(path);
  check_writable("");
  EXPECT_THROW(write_file("/nonexistent/x", ""), BadInput);
  EXPECT_THROW(check_writable("/nonexistent/x"), BadInput);
  EXPECT_THROW(write_file(testing::TempDir(), ""), BadInput);
  EXPECT_EQ(beside("a/b", "/c") + beside("a/b", "c") + beside("b", "c"), "/ca/cc");
  EXPECT_THROW(read_bytes(OW_SOURCE_DIR "/README.md", 10), BadInput);
  std::remove(path.c_str());
}

// Where the notes of exports and launches are.
std::vector<size_t> notes(const std::string& s) {
  static const std::string kOwner("openwafer\0", 10);
  std::vector<size_t> at;
  for (size_t k = s.find(kOwner); k != std::string::npos; k = s.find(kOwner, k + 1))
    at.push_back(k);
  return at;
}

// What the program of the exports claims, beyond what any tile has.
TEST(Fuzz, AnElfWhoseClaimCannotBe) {
  const std::string claimed("\x0a\0\0\0\x1f\0\0\0\x0b\0\0\0\x0d\0\0\0", 16);
  std::string elf = read_text(kExports);
  const size_t at = elf.find(claimed);
  ASSERT_NE(at, std::string::npos);
  elf[at + 4] = '\x7f';
  const std::string path = testing::TempDir() + "ow_fuzz_claim.elf";
  write_file(path, elf);
  EXPECT_THROW(read_elf(path, 49152), BadInput);
  std::remove(path.c_str());
}

TEST(Fuzz, Elf) {
  std::vector<std::string> valid;
  for (const char* file :
       {OW_FIRMWARE_DIR "/add_stream.elf", OW_FIRMWARE_DIR "/column_sum.elf", kExports, kExports,
        OW_KERNELS_DIR "/prints.elf", OW_KERNELS_DIR "/tasks_3_6.elf"}) {
    valid.push_back(read_text(file));
  }
  constexpr size_t kHead = 52 + 3 * 32;  // the file's header and the program headers
  const auto within = [](Rng* rng, std::string* s, size_t begin, size_t size) {
    std::string part = s->substr(begin, size);
    const size_t before = part.size();
    binary(before)(rng, &part);
    s->replace(begin, before, part);
  };
  const auto mutate = [&](Rng* rng, std::string* s) {
    const std::vector<size_t> places = notes(*s);
    constexpr size_t kNote = 64;  // from the owner's name on: a descriptor
    constexpr size_t kBefore = 12;
    constexpr size_t kTail = 1600;  // the table of sections
    switch (rng->below(4)) {
      case 0:
        return binary(kHead)(rng, s);
      case 1:
        if (s->size() > kTail) return within(rng, s, s->size() - kTail, kTail);
        break;
      default:
        if (places.empty() || s->size() < kHead) break;
        const size_t at = places[rng->below(places.size())] - kBefore;
        if (rng->below(4) != 0) return within(rng, s, at, kNote);
        // The descriptor of one in the place of another's: two of a name.
        const std::string note = s->substr(at, kNote);
        s->replace(places[rng->below(places.size())] - kBefore, note.size(), note);
        return;
    }
    binary(kHead)(rng, s);
  };
  const auto read = [](const std::string& path) {
    const ElfImage image = read_elf(path, 49152);
    for (uint32_t pc = 0; pc < 4096; pc += 68) {
      image.describe(pc);
      image.loaded_word(pc);
    }
    image.first_named_task();
    image.format_string(0);
    image.format_string(image.formats_begin);
    image.find("ow_heap");
    image.find("none");
    for (const ElfExport& e : image.exports()) {
      if (image.exported(e.name).bytes() == 0) throw InternalError("an export without bytes");
      e.shape();
    }
    for (const ElfLaunch& l : image.launches()) image.launch(l.name);
    EXPECT_THROW(image.symbol("none at all"), BadInput);
    EXPECT_THROW(image.exported("none at all"), BadInput);
  };
  run("elf", {".elf", valid, mutate, read});
  // Each field of the header that has a meaning of its own, once wrong.
  const std::string path = testing::TempDir() + "ow_fuzz_header.elf";
  const std::pair<size_t, char> fields[] = {{0, 'x'}, {4, 2},  {5, 2},  {16, 3}, {18, 62},
                                            {24, 1},  {36, 1}, {42, 0}, {44, 0}, {28, 127}};
  for (const auto& [at, value] : fields) {
    std::string wrong = valid[0];
    wrong[at] = value;
    write_file(path, wrong);
    try {
      read_elf(path, 49152);
    } catch (const BadInput&) {
    }
  }
  for (const uint32_t sram : {64u, 256u}) {
    write_file(path, valid[0]);
    EXPECT_THROW(read_elf(path, sram), BadInput);
  }
  std::remove(path.c_str());
}

TEST(Fuzz, RepairMap) {
  const wafer::Shape shape{2, 2, 2, 2, 1, 1};
  const wafer::Faults faults = wafer::read_faults(OW_SOURCE_DIR "/configs/defects-2x2.yaml", shape);
  const wafer::Defects defects = faults.expected(shape);
  const wafer::Repair repair = wafer::repair_wafer(shape, defects);
  ASSERT_TRUE(repair.map);
  const std::string part =
      wafer::to_json(*wafer::repair_window(shape, defects, {1, 1, 2, 3}).map).dump(1);
  run("map",
      {".json", {wafer::to_json(*repair.map).dump(1), part}, text, [&](const std::string& path) {
         wafer::map_from_json(read_json(path), path);
       }});
  // Not of the parser, but in its file.
  wafer::to_json(shape, defects);
  wafer::svg(shape, defects, &*repair.map, "a wafer");
  const std::string path = testing::TempDir() + "ow_fuzz_shape.yaml";
  run("shape", {".yaml", {config("wafer-2x2.yaml")}, text, [](const std::string& file) {
                  wafer::read_shape(file);
                }});
}

TEST(Fuzz, Netlist) {
  std::string bank = "bank 4 2 3";
  for (int k = 0; k < 8 + 2; ++k) bank += " 4";
  for (int k = 0; k < 64; ++k) bank += " =1";
  for (int k = 0; k < 64; ++k) bank += " " + std::to_string(40 + k);
  const std::string good =
      "openwafer-netlist 1\nconfig SramBytes 8192\nnets 110\nname 2 a\nname 3 b\nblock core\n"
      "input p 2 3 4\ngate AND 5 2 3\ngate NOT 6 5\nblock engine\ngate MUX 7 2 5 6\n"
      "gate AOI4 8 2 3 4 =1\ndff 9 8\n" +
      bank + "\noutput q 7 9 =0\n";
  run("netlist", {".txt", {good}, text, [](const std::string& path) {
                    const faults::Netlist n = faults::Netlist::read_file(path);
                    for (const faults::Fault& f : faults::sample_faults(
                             n, std::min<uint64_t>(5, faults::fault_count(n)), 1)) {
                      faults::describe(n, f);
                    }
                    for (uint64_t k = 0; k < faults::fault_count(n); ++k) faults::fault_at(n, k);
                    n.port("q");
                  }});
}

}  // namespace
}  // namespace ow
