// SPDX-License-Identifier: Apache-2.0
// NumPy's files: what is read of them, and how what is wrong is refused.
#include "ow/tensor/npy.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "messages.h"
#include "numpy_files.h"
#include "ow/tensor/dataset.h"
#include "ow/tensor/network.h"
#include "temporary_file.h"
#include "weight_specs.h"

namespace ow {
namespace {

Tensor npy(const std::string& contents) {
  return read_npy(temporary_file("good.npy", contents), 10000);
}

std::string wrong_npy(const std::string& contents) {
  const std::string path = temporary_file("bad.npy", contents);
  return refusal_of([&] { read_npy(path, 10000); });
}

std::string wrong_npz(const std::string& contents, size_t limit = 10000) {
  const std::string path = temporary_file("bad.npz", contents);
  return refusal_of([&] { read_npz(path, limit); });
}

std::vector<double> values(const Tensor& t) {
  std::vector<double> all;
  for (size_t k = 0; k < t.elements(); ++k) all.push_back(t.value(k));
  return all;
}

template <typename T>
std::string bytes_of(const std::vector<T>& numbers, bool big_endian = false) {
  std::string all;
  for (const T& number : numbers) {
    std::string one(sizeof number, '\0');
    std::memcpy(one.data(), &number, sizeof number);
    all += big_endian ? std::string(one.rbegin(), one.rend()) : one;
  }
  return all;
}

// -2 and 3 in a type, in both orders of bytes.
template <typename T>
void expect_type(const std::string& code, TensorType type) {
  const std::vector<T> numbers = {static_cast<T>(-2), static_cast<T>(3)};
  for (const bool big : {false, true}) {
    const char order = sizeof(T) == 1 ? '|' : big ? '>' : '<';
    const Tensor t = npy(npy_of(order + code, "(2,)", bytes_of(numbers, big)));
    EXPECT_EQ(t.type, type) << code;
    EXPECT_EQ(values(t), (std::vector<double>{static_cast<double>(numbers[0]), 3})) << code;
  }
}

TEST(Npy, HasEveryTypeOfNumbersInBothOrdersOfBytes) {
  expect_type<float>("f4", TensorType::F32);
  expect_type<double>("f8", TensorType::F64);
  expect_type<int8_t>("i1", TensorType::I8);
  expect_type<int16_t>("i2", TensorType::I16);
  expect_type<int32_t>("i4", TensorType::I32);
  expect_type<int64_t>("i8", TensorType::I64);
  expect_type<uint8_t>("u1", TensorType::U8);
  expect_type<uint16_t>("u2", TensorType::U16);
  expect_type<uint32_t>("u4", TensorType::U32);
  expect_type<uint64_t>("u8", TensorType::U64);
  const std::vector<uint16_t> halves = {0xC000, 0x3C00};  // -2 and 1
  for (const bool big : {false, true}) {
    const Tensor t = npy(npy_of(big ? ">f2" : "<f2", "(2,)", bytes_of(halves, big)));
    EXPECT_EQ(values(t), (std::vector<double>{-2, 1}));
  }
  EXPECT_EQ(values(npy(npy_of("|b1", "(3,)", std::string("\1\0\1", 3)))),
            (std::vector<double>{1, 0, 1}));
}

TEST(Npy, HasItsThreeVersionsAndAnyNumberOfDimensions) {
  for (const int version : {1, 2, 3}) {
    const Tensor t = npy(npy_of("|u1", "(2, 3)", "abcdef", false, version));
    EXPECT_EQ(t.shape, (std::vector<uint64_t>{2, 3}));
    EXPECT_EQ(t.value(5), 'f');
  }
  EXPECT_TRUE(npy(npy_of("|u1", "()", "a")).shape.empty());
  EXPECT_EQ(npy(npy_of("<f8", "(0, 5)", "")).elements(), 0u);
  // As other writers may have it.
  EXPECT_EQ(
      npy(npy_with("{\"shape\":(1,),\"descr\":\"|u1\",\"fortran_order\":False}", "a")).value(0),
      'a');
}

// The first index runs fastest in the file, the last one in a tensor.
TEST(Npy, InFortransOrderIsTurned) {
  const Tensor two = npy(npy_of("|u1", "(2, 3)", "adbecf", true));
  EXPECT_EQ(std::string(two.bytes.begin(), two.bytes.end()), "abcdef");
  std::string file(24, ' '), want(24, ' ');
  for (size_t i = 0; i < 2; ++i) {
    for (size_t j = 0; j < 3; ++j) {
      for (size_t k = 0; k < 4; ++k) {
        const auto value = static_cast<char>('a' + 12 * i + 4 * j + k);
        file[i + 2 * j + 6 * k] = want[12 * i + 4 * j + k] = value;
      }
    }
  }
  const Tensor three = npy(npy_of("|i1", "(2, 3, 4)", file, true));
  EXPECT_EQ(std::string(three.bytes.begin(), three.bytes.end()), want);
  EXPECT_EQ(values(npy(npy_of(">i2", "(2, 2)", bytes_of<int16_t>({1, 3, 2, 4}, true), true))),
            (std::vector<double>{1, 2, 3, 4}));
}

TEST(Npy, RefusesWhatIsNoArrayOfNumbers) {
  const std::string good = npy_of("<f4", "(2,)", "12345678");
  EXPECT_EQ(wrong_npy(good), "");
  expect_in("is no .npy file", wrong_npy("abc"));
  expect_in("is no .npy file", wrong_npy(""));
  expect_in("is version 4 of .npy, not 1 to 3",
            wrong_npy(npy_of("<f4", "(2,)", "12345678", false, 4)));
  expect_in("is cut short in its header", wrong_npy(good.substr(0, 11)));
  expect_in("is cut short in its header", wrong_npy(good.substr(0, 60)));
  expect_in("F32 of shape [2] does not take the 7 bytes",
            wrong_npy(good.substr(0, good.size() - 1)));
  expect_in("does not take the 9 bytes", wrong_npy(good + "9"));
  expect_in("does not take", wrong_npy(npy_of("<f4", "(4294967296, 4294967296, 4)", "12345678")));
  expect_in("holds a text, not numbers", wrong_npy(npy_of("<U2", "(1,)", "12345678")));
  for (const char* object : {"|O", "<O"}) {
    expect_in("holds Python objects", wrong_npy(npy_of(object, "(1,)", "12345678")));
  }
  for (const char* other : {"<c8", "<f16", "|S8", "<M8[s]", "|V2", "<f3", "f4", "", "?"}) {
    expect_in("must be b1, f2, f4, f8, i1 to i8 or u1 to u8",
              wrong_npy(npy_of(other, "(1,)", "12345678")));
  }
  expect_in("holds records", wrong_npy(npy_with("{'descr': [('a', '<f4')], 'fortran_order': False, "
                                                "'shape': (2,)}",
                                                "12345678")));
  expect_in("has more than 8 dimensions", wrong_npy(npy_of("|u1", "(1,1,1,1,1,1,1,1,1)", "a")));
  for (const char* header :
       {"", "[]", "{'descr': '<f4'}", "{'descr': '<f4', 'fortran_order': 1, 'shape': (2,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': 2}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,", "{'descr': '<f4",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000000000000,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'colour': 3}"}) {
    expect_in("the header must be {'descr'", wrong_npy(npy_with(header, "12345678")));
  }
  expect_in("more than 10000 bytes, the limit", wrong_npy(std::string(10001, 'x')));
}

TEST(Npz, GivesArraysByTheirNamesStoredOrDeflated) {
  const std::string one = npy_of("|u1", "(1,)", "a"),
                    large = npy_of("|u1", "(5000,)", std::string(5000, 'b'));
  for (const bool packed : {false, true}) {
    for (const std::string comment : {"", "PK\5\6 is not the end"}) {
      const Tensors t = read_npz(
          temporary_file("good.npz",
                         zip_of({{"x.npy", one}, {"layers.0.weight.npy", large}}, packed, comment)),
          10000);
      ASSERT_EQ(t.size(), 2u);
      EXPECT_EQ(t.at("x").value(0), 'a');
      EXPECT_EQ(t.at("layers.0.weight").elements(), 5000u);
    }
  }
  EXPECT_TRUE(read_npz(temporary_file("empty.npz", zip_of({}, false)), 100).empty());
}

TEST(Npz, RefusesWhatIsDamagedOrNotRead) {
  const std::string one = npy_of("|u1", "(1,)", "a");
  const std::string good = zip_of({{"x.npy", one}}, true);
  EXPECT_EQ(wrong_npz(good), "");
  const auto changed = [&](size_t at, char value) {
    std::string file = good;
    file[at] = value;
    return wrong_npz(file);
  };
  const size_t directory = good.find("PK\1\2"), end = good.find("PK\5\6");
  expect_in("is no ZIP archive, or is cut short", wrong_npz("abc"));
  expect_in("is no ZIP archive, or is cut short", wrong_npz(good.substr(0, good.size() - 1)));
  expect_in("'x.npy' is packed by method 12", changed(directory + 10, 12));
  expect_in("'x.npy' is encrypted", changed(directory + 8, 1));
  expect_in("is a part of an archive", changed(end + 4, 1));
  expect_in("the archive is damaged", changed(directory, 'x'));
  expect_in("the archive is damaged", changed(0, 'x'));
  expect_in("the archive is damaged", changed(directory + 42, 1));
  expect_in("'x.npy' is damaged: it does not unpack", changed(directory - 3, 'x'));
  expect_in("'x.npy' is damaged: its check sum differs", changed(directory + 16, 'x'));
  std::string bomb = good;
  bomb.replace(directory + 24, 4, little(100'000'000, 4));
  expect_in("the archive is damaged", wrong_npz(bomb, size_t{1} << 32));
  expect_in("holds more than 10000 bytes, the limit", wrong_npz(bomb));
  std::string large = good;
  large.replace(directory + 20, 4, little(0xFFFFFFFF, 4));
  expect_in("'x.npy' has a ZIP64 size, the limit is 2 GiB", wrong_npz(large));
  large = good;
  large.replace(end + 16, 4, little(0xFFFFFFFF, 4));
  expect_in("is a ZIP64 archive, the limit is 2 GiB", wrong_npz(large));
  expect_in("'x.npy' is there twice", wrong_npz(zip_of({{"x.npy", one}, {"x.npy", one}}, false)));
  expect_in("'x.txt' is no .npy file", wrong_npz(zip_of({{"x.txt", one}}, false)));
  expect_in("'x.npy': holds Python objects",
            wrong_npz(zip_of({{"x.npy", npy_of("|O", "(1,)", "abc")}}, false)));
}

TEST(Dataset, TheSameSamplesFromNumpysFiles) {
  const std::string samples = npy_of("|u1", "(2, 2, 2)", "\1\2\3\4\5\6\7\x8");
  const std::string classes = npy_of("<i8", "(2,)", bytes_of<int64_t>({0, 2}));
  const std::string hot = npy_of("<f4", "(2, 3)", bytes_of<float>({1, 0, 0, 0, 0, 1}));
  DataSource csv;
  csv.file = temporary_file("same.csv", "1,2,3,4,0\n5,6,7,8,2\n");
  const Dataset want = load_dataset(csv, HalfType::Binary16, 4, 3);
  DataSource one, pair;
  one.format = DataFormat::Npz;
  pair.format = DataFormat::Npy;
  pair.file = temporary_file("same.npy", samples);
  for (const std::string& labels : {classes, hot}) {
    one.file =
        temporary_file("same.npz", zip_of({{"inputs.npy", samples}, {"labels.npy", labels}}, true));
    pair.labels = temporary_file("labels.npy", labels);
    for (const DataSource& source : {one, pair}) {
      const Dataset got = load_dataset(source, HalfType::Binary16, 4, 3);
      EXPECT_EQ(got.values, want.values);
      EXPECT_EQ(got.labels, want.labels);
    }
  }
  const auto refused = [&](const std::string& labels) {
    pair.labels = temporary_file("labels.npy", labels);
    return refusal_of([&] { load_dataset(pair, HalfType::Binary16, 4, 3); });
  };
  for (const std::vector<float>& row : {std::vector<float>{1, 1, 0}, {0, 0, 0}, {0, 0.5f, 0}}) {
    std::vector<float> both = {0, 1, 0};
    both.insert(both.end(), row.begin(), row.end());
    expect_in("sample 1: a one-hot class is one 1 and zeros",
              refused(npy_of("<f4", "(2, 3)", bytes_of(both))));
  }
  expect_in("classes of shape [3, 2] for 2 samples",
            refused(npy_of("<f4", "(3, 2)", bytes_of<float>({1, 0, 0, 0, 0, 1}))));
  // Values are in the second file, too.
  pair.targets = true;
  pair.labels =
      temporary_file("values.npy", npy_of("<f4", "(2, 3)", bytes_of<float>({1, 2, 3, 4, 5, 6})));
  EXPECT_EQ(load_dataset(pair, HalfType::Binary16, 4, 3).targets,
            (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST(WeightsFile, MayBeNumpys) {
  const std::vector<LayerShape> shapes = {{2, 1, "none", true}};
  const std::string weights = npy_of("<f2", "(1, 2)", bytes_of<uint16_t>({0x3C00, 0xC000}));
  const std::string bias = npy_of("<f8", "(1,)", bytes_of<double>({0.1}));
  const std::string path = temporary_file(
      "w.npz", zip_of({{"layers.0.weight.npy", weights}, {"layers.0.bias.npy", bias}}, true));
  Weights network = load_weights(path, HalfType::Binary16, specs_of(shapes));
  EXPECT_EQ(network["layers.0.weight"], (std::vector<float>{1, -2}));
  EXPECT_EQ(network["layers.0.bias"], std::vector<float>{0.1f}) << "rounded once";
  // One array without a name.
  const std::string alone = temporary_file("w.npy", weights);
  network.erase("layers.0.bias");
  EXPECT_EQ(load_weights(alone, HalfType::Binary16, specs_of({{2, 1, "none", false}})), network);
  expect_in("w.npy: one array without a name is the weights of one layer without a bias",
            refusal_of([&] { load_weights(alone, HalfType::Binary16, specs_of(shapes)); }));
}

// 1 + 2^-11 + 2^-40 is just above the middle of two numbers of binary16. By way of binary32 it
// would be the middle, which rounds to even, that is down.
TEST(WeightsFile, RoundsWeightsOf64BitsOnce) {
  const double w = 1 + 0x1p-11 + 0x1p-40;
  const std::string path = temporary_file("w.npy", npy_of("<f8", "(1, 1)", bytes_of<double>({w})));
  EXPECT_EQ(load_weights(path, HalfType::Binary16, specs_of({{1, 1, "none", false}})),
            (Weights{{"layers.0.weight", {1 + 0x1p-10f}}}));
}

}  // namespace
}  // namespace ow
