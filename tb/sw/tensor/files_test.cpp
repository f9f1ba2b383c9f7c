// SPDX-License-Identifier: Apache-2.0
// Files of tensors, networks and samples: what is read, and how what is wrong is refused.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>

#include "messages.h"
#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/base/rng.h"
#include "ow/tensor/csv.h"
#include "ow/tensor/dataset.h"
#include "ow/tensor/idx.h"
#include "ow/tensor/network.h"
#include "ow/tensor/safetensors.h"
#include "temporary_file.h"
#include "weight_specs.h"

namespace ow {
namespace {

std::string safetensors(const std::string& header, const std::string& data) {
  std::string file;
  for (size_t k = 0; k < 8; ++k) file += static_cast<char>(header.size() >> (8 * k));
  return file + header + data;
}

std::string wrong_tensors(const std::string& contents) {
  const std::string path = temporary_file("bad.safetensors", contents);
  return refusal_of([&] { read_safetensors(path); });
}

TEST(Safetensors, WhatIsWrittenIsReadAgain) {
  Tensors tensors;
  tensors["a"] = {TensorType::F16, {2, 3}, std::vector<uint8_t>(12, 7)};
  tensors["b.c"] = {TensorType::F32, {}, {0, 0, 0x80, 0x3F}};
  tensors["empty"] = {TensorType::I64, {0, 5}, {}};
  const std::string path = temporary_path("good.safetensors");
  write_safetensors(path, tensors);
  const Tensors read = read_safetensors(path);
  ASSERT_EQ(read.size(), 3u);
  EXPECT_EQ(read.at("a").bytes, tensors["a"].bytes);
  EXPECT_EQ(read.at("a").shape, tensors["a"].shape);
  EXPECT_EQ(read.at("b.c").value(0), 1.0);
  EXPECT_EQ(read.at("empty").elements(), 0u);
  // Another writer's file: metadata, and the tensors in another order than their bytes.
  const std::string other =
      safetensors(R"({"__metadata__": {"by": "hand"}, "z": {"dtype": "U8", "shape": [1], )"
                  R"("data_offsets": [2, 3]}, "y": {"dtype": "I16", "shape": [1], )"
                  R"("data_offsets": [0, 2]}})",
                  "\xFE\xFF\x05");
  EXPECT_EQ(read_safetensors(temporary_file("other.safetensors", other)).at("y").value(0), -2);
}

TEST(Safetensors, RefusesWhatDoesNotFit) {
  const auto one = [](const std::string& dtype, const std::string& shape,
                      const std::string& offsets) {
    return safetensors("{\"t\": {\"dtype\": \"" + dtype + "\", \"shape\": " + shape +
                           ", \"data_offsets\": " + offsets + "}}",
                       "12345678");
  };
  EXPECT_EQ(wrong_tensors(one("F32", "[2]", "[0, 8]")), "");
  expect_in("4 bytes are no safetensors file", wrong_tensors("abcd"));
  expect_in("cut short: a header of", wrong_tensors(safetensors("{}", "").substr(0, 9)));
  expect_in("(header):1: is not JSON", wrong_tensors(safetensors("{", "")));
  expect_in("must be a JSON object", wrong_tensors(safetensors("[]", "")));
  expect_in("dtype must be F16", wrong_tensors(one("F8", "[2]", "[0, 8]")));
  expect_in("shape must be a list of whole", wrong_tensors(one("F32", "[-2]", "[0, 8]")));
  expect_in("F32 of shape [3] does not take the 8 bytes",
            wrong_tensors(one("F32", "[3]", "[0, 8]")));
  expect_in("does not take",
            wrong_tensors(one("F32", "[4294967296, 4294967296, 4294967296]", "[0, 8]")));
  for (const char* shape : {"[1000]", "[2, 1000]", "[1000, 2]"}) {
    expect_in("does not take the 4 bytes", wrong_tensors(one("F32", shape, "[0, 4]")));
    expect_in("does not take the 8 bytes", wrong_tensors(one("F32", shape, "[0, 8]")));
  }
  expect_in("must be two numbers that rise", wrong_tensors(one("F32", "[2]", "[8, 0]")));
  expect_in("ends at byte 12 of the data, of which there are 8: the file is cut short",
            wrong_tensors(one("F32", "[3]", "[0, 12]")));
  expect_in("begins at byte 4 of the data, not at 0", wrong_tensors(one("F32", "[1]", "[4, 8]")));
  expect_in("4 bytes behind the last tensor", wrong_tensors(one("F32", "[1]", "[0, 4]")));
  expect_in("nothing else", wrong_tensors(safetensors("{\"t\": {\"dtype\": \"U8\"}}", "")));
  EXPECT_EQ(wrong_tensors(safetensors("{\"__metadata__\": {\"by\": \"hand\"}}", "")), "");
  for (const std::string notes : {"5", "null", "[]", "{\"by\": 5}", "{\"by\": {}}"}) {
    expect_in("__metadata__ must be a map of strings",
              wrong_tensors(safetensors("{\"__metadata__\": " + notes + "}", "")));
  }
  expect_in("key 't' stands there twice", wrong_tensors(safetensors("{\"t\": {}, \"t\": {}}", "")));
}

TEST(Idx, ReadsItsTypesAndRefusesTheRest) {
  const std::string images(
      "\0\0\x08\x02\0\0\0\x02\0\0\0\x03"
      "abcdef",
      18);
  const Tensor t = read_idx(temporary_file("good.idx", images), 100);
  EXPECT_EQ(t.shape, (std::vector<uint64_t>{2, 3}));
  EXPECT_EQ(t.value(5), 'f');
  const std::string numbers("\0\0\x0B\x01\0\0\0\x02\xFF\xFE\x01\0", 12);
  const Tensor n = read_idx(temporary_file("numbers.idx", numbers), 100);
  EXPECT_EQ(n.value(0), -2);
  EXPECT_EQ(n.value(1), 256);
  const auto wrong = [](const std::string& contents) {
    const std::string path = temporary_file("bad.idx", contents);
    return refusal_of([&] { read_idx(path, 100); });
  };
  expect_in("is no IDX file", wrong("abc"));
  expect_in("type 0x07", wrong(std::string("\0\0\x07\x01\0\0\0\0", 8)));
  expect_in("0 dimensions", wrong(std::string("\0\0\x08\0", 4)));
  expect_in("cut short in its dimensions", wrong(images.substr(0, 9)));
  expect_in("does not take the 5 bytes", wrong(images.substr(0, 17)));
  expect_in("does not take", wrong(std::string("\0\0\x08\x03\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"
                                               "\xFF\xFF\xFF"
                                               "a",
                                               17)));
  expect_in("the limit", wrong(std::string(200, 'x')));
}

TEST(Csv, NamesLineAndColumn) {
  const Table t = read_csv(temporary_file("good.csv", "1,2.5\r\n-3e2,0\n"), 10, 10);
  EXPECT_EQ(t.rows(), 2u);
  EXPECT_EQ(t.at(1, 0), -300);
  const auto wrong = [](const std::string& contents) {
    const std::string path = temporary_file("bad.csv", contents);
    return refusal_of([&] { read_csv(path, 2, 3); });
  };
  expect_in(":2: column 2 is no number", wrong("1,2\n1,x\n"));
  expect_in(":1: column 1 is no number", wrong("a,b\n"));
  expect_in(":1: column 1 is no number: 'nan'", wrong("nan\n"));
  expect_in(":1: column 1 is no number: '1e999'", wrong("1e999\n"));
  expect_in(":2: 1 columns, not 2", wrong("1,2\n1\n"));
  expect_in(":2: more than 2 columns", wrong("1,2\n1,2,3\n"));
  expect_in(":1: more than 3 columns", wrong("1,2,3,4\n"));
  expect_in("more than 2 rows", wrong("1\n2\n3\n"));
  expect_in(":2: the last row has no end of line: the file is truncated", wrong("1\n2"));
}

// As spreadsheets, numpy.savetxt, R and C programs write it.
TEST(Csv, ReadsNumbersAsOtherProgramsWriteThem) {
  const auto values = [](const std::string& contents) {
    const Table t = read_csv(temporary_file("other.csv", contents), 2, 3);
    EXPECT_EQ(t.rows(), 2u) << contents;
    return t.values;
  };
  const std::vector<double> want = {1, 2, -3, 0.5};
  EXPECT_EQ(values("\xef\xbb\xbf"
                   "1,2\n-3,0.5\n"),
            want)
      << "a byte order mark";
  EXPECT_EQ(values("1, 2\n-3 ,\t0.5\n"), want) << "blanks";
  EXPECT_EQ(values("  1.000e+00,  2.000e+00\n -3.000e+00,  5.000e-01\n"), want);
  EXPECT_EQ(values("1,2\n-3,0.5\n\n"), want) << "an empty line at the end";
  EXPECT_EQ(values("1,2\r\n-3,0.5\r\n\r\n  \n"), want);
  EXPECT_EQ(values("+1,+2\n-3,+5e-1\n"), want) << "signs";
  EXPECT_EQ(values("\"1\",\"2\"\n\" -3\", \"0.5\" \n"), want) << "quotes";
  EXPECT_EQ(values("1e-400,0\n-1e-999,0\n"), (std::vector<double>{0, 0, -0.0, 0})) << "tiny";
}

TEST(Csv, SaysWhatItSeesInsteadOfANumber) {
  const auto wrong = [](const std::string& contents) {
    const std::string path = temporary_file("bad.csv", contents);
    return refusal_of([&] { read_csv(path, 2, 3); });
  };
  expect_in(":1: column 1 is no number: 'petal length (cm)'", wrong("petal length (cm),x\n"));
  expect_in(":1: column 1 is no number: '1;2' (commas stand between columns)", wrong("1;2\n"));
  expect_in(":1: column 1 is no number: '1?2' (commas stand between columns)", wrong("1\t2\n"));
  expect_in(":1: column 2 is empty", wrong("1,\n"));
  expect_in(":1: column 2 is empty", wrong("1, ,2\n"));
  expect_in(":2: is empty", wrong("1\n\n2\n"));
  expect_in(": is UTF-16 text: must be UTF-8", wrong(std::string("\xff\xfe"
                                                                 "1\0\n\0",
                                                                 6)));
  expect_in(": its lines end with CR alone", wrong("1,2\r3,4\r"));
  EXPECT_EQ(read_csv(temporary_file("blank.csv", "\n \n"), 2, 3).rows(), 0u);
}

// What never ends is refused, and a line that does not before much of it is read.
TEST(Csv, HasALimitOfBytes) {
  const auto wrong = [](const std::string& path) {
    return refusal_of([&] { read_csv(path, 100'000'000, 64); });
  };
  EXPECT_EQ(wrong("/dev/zero"), "/dev/zero: holds a line of more than 67108864 bytes, the limit");
  const std::string path = temporary_path("large.csv");
  write_file(path, "1,2\n");
  // A hole at its end takes no room.
  ASSERT_EQ(truncate(path.c_str(), (off_t{1} << 32) + 1), 0);
  expect_in("holds a line of more than", wrong(path));
  unlink(path.c_str());
}

std::string wrong_data(const DataSource& source, int features = 64) {
  return refusal_of([&] { load_dataset(source, HalfType::Binary16, features, 10); });
}

// Fails if an error is in a library's words.
TEST(Dataset, ReadsTheDigitsOfTheRepository) {
  DataSource source;
  source.file = OW_SOURCE_DIR "/data/optdigits/digits.csv.gz";
  source.samples = 1797;
  source.scale = 16;
  source.range = {0, 16};
  const Dataset digits = load_dataset(source, HalfType::Binary16, 64, 10);
  ASSERT_EQ(digits.samples(), 1797u);
  EXPECT_EQ(digits.labels[0], 0);
  EXPECT_EQ(digits.sample(0)[2], 5.0f / 16);
  EXPECT_EQ(digits.activations(HalfType::Binary16, 0, 1).at(2, 0),
            to_half(HalfType::Binary16, 5.0 / 16));
  source.samples = 1798;
  expect_in("1797 samples, not 1798: the file is truncated", wrong_data(source));
  source.samples = 1796;
  expect_in("more than 1796 rows", wrong_data(source));
  source.samples = 0;
  source.range = {0, 15};
  expect_in(": 16 is not in 0..15", wrong_data(source));
  expect_in(":1: more than 64 columns", wrong_data(source, 63));
  expect_in("65 columns, the network has 66 inputs", wrong_data(source, 66));
  source.range.reset();
  const std::string text = read_bytes(source.file, 1 << 20);
  source.file = temporary_file("cut.csv", text.substr(0, text.size() / 2));
  expect_in("truncated", wrong_data(source));
  source.file = temporary_file("none.csv", "");
  expect_in("holds no samples", wrong_data(source));
}

TEST(Dataset, TheSameSamplesFromEveryFormat) {
  DataSource csv, idx, tensors;
  csv.file = temporary_file("same.csv", "1,2,3,4,0\n5,6,7,8,9\n");
  idx.format = DataFormat::Idx;
  idx.file =
      temporary_file("same.idx", std::string("\0\0\x08\x03\0\0\0\x02\0\0\0\x02\0\0\0\x02", 16) +
                                     "\x01\x02\x03\x04\x05\x06\x07\x08");
  idx.labels = temporary_file("labels.idx", std::string("\0\0\x08\x01\0\0\0\x02\0\x09", 10));
  tensors.format = DataFormat::Safetensors;
  tensors.file = temporary_path("same.safetensors");
  write_safetensors(tensors.file, {{"inputs", {TensorType::U8, {2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}}},
                                   {"labels", {TensorType::I16, {2}, {0, 0, 9, 0}}}});
  const Dataset a = load_dataset(csv, HalfType::Binary16, 4, 10);
  for (const DataSource& source : {idx, tensors}) {
    const Dataset b = load_dataset(source, HalfType::Binary16, 4, 10);
    EXPECT_EQ(a.values, b.values);
    EXPECT_EQ(a.labels, b.labels);
  }
  expect_in("class 9 is not in 0..8",
            refusal_of([&] { load_dataset(idx, HalfType::Binary16, 4, 9); }));
  expect_in("the network has 5 inputs",
            refusal_of([&] { load_dataset(idx, HalfType::Binary16, 5, 10); }));
  idx.labels.clear();
  EXPECT_TRUE(load_dataset(idx, HalfType::Binary16, 4, 10).labels.empty());
}

// A value divided or rounded to an infinity would go through the network as one.
TEST(Dataset, ValuesFitTheNetworksType) {
  const auto wrong = [](const std::string& rows, HalfType type, double scale, bool targets) {
    DataSource source;
    source.file = temporary_file("large.csv", rows);
    source.scale = scale;
    source.targets = targets;
    return refusal_of([&] { load_dataset(source, type, 2, 1); });
  };
  const HalfType half = HalfType::Binary16, brain = HalfType::Bfloat16;
  EXPECT_EQ(wrong("1,65519\n", half, 1, false), "");
  expect_in("large.csv:2: column 2: 65520 is beyond binary16, whose limit is 65504",
            wrong("1,2\n1,65520\n", half, 1, false));
  EXPECT_EQ(wrong("1,65520\n", brain, 1, false), "");
  EXPECT_EQ(wrong("1,1e6\n", half, 100, false), "") << "what is divided counts";
  expect_in("column 1: 1 divided by 1e-300 is beyond binary16",
            wrong("1,2\n", half, 1e-300, false));
  expect_in("column 1: -1 divided by 1e-300 is beyond bfloat16, whose limit is 3.38953e+38",
            wrong("-1,2\n", brain, 1e-300, false));
  expect_in("column 2: 3.4e+38 is beyond bfloat16", wrong("1,3.4e38\n", brain, 1, false));
  expect_in("column 3: 1e+06 is beyond binary16", wrong("1,2,1e6\n", half, 100, true));
}

TEST(Dataset, TheNameTellsTheFormat) {
  EXPECT_EQ(data_format("a.csv.gz"), DataFormat::Csv);
  EXPECT_EQ(data_format("t10k-images-idx3-ubyte.gz"), DataFormat::Idx);
  EXPECT_EQ(data_format("a.safetensors"), DataFormat::Safetensors);
  expect_in("the name tells no format", refusal_of([] { data_format("a.txt"); }));
}

TEST(WeightsFile, GivesBackTheSameBits) {
  const std::string path = temporary_path("network.safetensors");
  for (const HalfType type : {HalfType::Binary16, HalfType::Bfloat16}) {
    const std::vector<LayerShape> shapes = {{5, 7, "relu", true}, {7, 3, "none", false}};
    Weights weights;
    Rng rng(1);
    for (const WeightSpec& spec : specs_of(shapes)) {
      std::vector<float>& values = weights[spec.name];
      for (uint64_t n = 0; n < spec.shape[0] * (spec.half ? spec.shape[1] : 1); ++n) {
        const double x = 2 * rng.uniform() - 1;
        values.push_back(spec.half ? from_half(type, to_half(type, x)) : static_cast<float>(x));
      }
    }
    weights["layers.1.weight"][0] = -0.0f;
    save_weights(path, type, specs_of(shapes), weights);
    EXPECT_EQ(load_weights(path, type, specs_of(shapes)), weights);
    EXPECT_FALSE(std::signbit(load_weights(path, type, specs_of(shapes))["layers.1.weight"][0]));
    EXPECT_EQ(load_weights(path, std::nullopt, specs_of(shapes)), weights);
    const auto wrong = [&](HalfType t, const std::vector<LayerShape>& s) {
      return refusal_of([&] { load_weights(path, t, specs_of(s)); });
    };
    const HalfType other = type == HalfType::Binary16 ? HalfType::Bfloat16 : HalfType::Binary16;
    expect_in("tensor 'layers.0.weight' is", wrong(other, shapes));
    expect_in("tensor 'layers.1.weight' has the shape [3, 7], the network wants [4, 7]",
              wrong(type, {shapes[0], {7, 4, "none", false}}));
    expect_in("tensor 'layers.1.bias' is missing", wrong(type, {shapes[0], {7, 3, "none", true}}));
    expect_in("tensor 'layers.1.weight' is not one of the network's", wrong(type, {shapes[0]}));
  }
}

// A checkpoint of a training: masks, moments and check sums are not the network's.
TEST(WeightsFile, TakesTheWeightsOfACheckpoint) {
  const std::string path = temporary_path("checkpoint.safetensors");
  const Tensor one = {TensorType::F32, {1, 1}, {0, 0, 0x80, 0x3F}};
  const Tensor sums = {TensorType::U32, {1}, {1, 2, 3, 4}};
  Tensors tensors = {{"layers.0.weight", one},
                     {"layers.0.weight_mask", {TensorType::U8, {1, 1}, {1}}},
                     {"optimizer.0.layers.0.weight", one},
                     {"openwafer.crc32", sums}};
  const auto wrong = [&] {
    write_safetensors(path, tensors);
    return refusal_of([&] {
      Weights n = load_weights(path, HalfType::Binary16, specs_of({{1, 1, "none", false}}));
      EXPECT_EQ(n["layers.0.weight"][0], 1.0f);
    });
  };
  EXPECT_EQ(wrong(), "");
  tensors["layers.1.weight"] = one;
  expect_in("tensor 'layers.1.weight' is not one of the network's", wrong());
  tensors.erase("layers.1.weight");
  tensors.erase("openwafer.crc32");
  expect_in("tensor 'layers.0.weight_mask' is not one of the network's", wrong());
}

// A checkpoint with optimizer state of 5 GiB before the weights. Only the weights are read.
TEST(WeightsFile, LiesInAFileOfMoreThan4GiB) {
  const std::string path = temporary_path("large.safetensors");
  const std::vector<TensorHead> heads = {{"optimizer.0.x", TensorType::U8, {uint64_t{5} << 30}},
                                         {"layers.0.weight", TensorType::F32, {1, 1}},
                                         {"openwafer.crc32", TensorType::U32, {1}}};
  const std::string header = safetensors_header(heads, {});
  const uint8_t rest[] = {0, 0, 0x80, 0x3F, 0, 0, 0, 0};
  const int file = open(path.c_str(), O_CREAT | O_RDWR | O_TRUNC, 0600);
  ASSERT_EQ(pwrite(file, header.data(), header.size(), 0), static_cast<ssize_t>(header.size()));
  const auto at = static_cast<off_t>(header.size() + heads[0].bytes());  // a hole before it
  ASSERT_EQ(pwrite(file, rest, sizeof rest, at), static_cast<ssize_t>(sizeof rest));
  close(file);
  Weights n = load_weights(path, HalfType::Binary16, specs_of({{1, 1, "none", false}}));
  EXPECT_EQ(n["layers.0.weight"][0], 1.0f);
  unlink(path.c_str());
}

TEST(Safetensors, APipeIsNoFile) {
  const std::string pipe = temporary_path("pipe.safetensors");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  alarm(60);  // ends a test that waits for a writer
  expect_in("not a regular file", refusal_of([&] { const SafetensorsFile file(pipe); }));
  alarm(0);
  unlink(pipe.c_str());
}

// Other programs have other names; what is there says which.
TEST(WeightsFile, TellsTheNamesThatItHasInstead) {
  const std::string path = temporary_path("names.safetensors");
  const auto wrong = [&](const Tensors& tensors) {
    write_safetensors(path, tensors);
    return refusal_of([&] {
      load_weights(path, HalfType::Binary16, specs_of({{1, 1, "none", false}}));
    });
  };
  const Tensor one{TensorType::F16, {1, 1}, {0, 0}};
  const std::string missing = path + ": tensor 'layers.0.weight' is missing: ";
  EXPECT_EQ(wrong({}), missing + "the file has no tensor");
  EXPECT_EQ(wrong({{"fc.w\n", one}}), missing + "the file has 'fc.w?'");
  Tensors many;
  for (const char k : std::string("abcdefghijk")) many[std::string(1, k)] = one;
  EXPECT_EQ(wrong(many),
            missing + "the file has 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h' and 3 more");
  DataSource source;
  source.file = path;
  source.format = DataFormat::Safetensors;
  write_safetensors(path, {{"x", one}});
  EXPECT_EQ(wrong_data(source), path + ": tensor 'inputs' is missing: the file has 'x'");
}

TEST(WeightsFile, RefusesWeightsThatAreNotFinite) {
  const std::string path = temporary_path("infinite.safetensors");
  const auto wrong = [&](HalfType type, TensorType element, const std::vector<uint8_t>& bytes) {
    write_safetensors(path, {{"layers.0.weight", {element, {1, 2}, bytes}}});
    return refusal_of([&] { load_weights(path, type, specs_of({{2, 1, "none", false}})); });
  };
  const HalfType half = HalfType::Binary16, brain = HalfType::Bfloat16;
  const std::string where = "tensor 'layers.0.weight' holds a number that is not finite in ";
  const std::vector<uint8_t> million = {0, 0, 0, 0, 0, 0x24, 0x74, 0x49};  // 0 and 1e6
  expect_in(where + "binary16, at 1", wrong(half, TensorType::F32, million));
  EXPECT_EQ(wrong(brain, TensorType::F32, million), "");
  expect_in(where + "bfloat16, at 0",
            wrong(brain, TensorType::F32, {0, 0, 0xC0, 0x7F, 0, 0, 0, 0}));
  expect_in(where + "binary16, at 0", wrong(half, TensorType::F16, {0, 0x7E, 0, 0}));
  expect_in(where + "binary16, at 1", wrong(half, TensorType::F16, {0, 0, 0, 0xFC}));
  EXPECT_EQ(wrong(half, TensorType::F16, {0xFF, 0x7B, 0xFF, 0xFB}), "");
  expect_in(where + "bfloat16, at 1", wrong(brain, TensorType::BF16, {0, 0, 0x80, 0x7F}));
}

TEST(WeightsFile, RoundsWeightsOf32BitsOnce) {
  const std::string path = temporary_path("single.safetensors");
  write_safetensors(path, {{"layers.0.weight", {TensorType::F32, {1, 1}, {1, 0, 0x80, 0x3F}}}});
  EXPECT_EQ(load_weights(path, HalfType::Binary16,
                         specs_of({{1, 1, "none", false}}))["layers.0.weight"][0],
            1.0f);
}

}  // namespace
}  // namespace ow
