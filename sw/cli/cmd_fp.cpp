// SPDX-License-Identifier: Apache-2.0
// `ow fp`: the RTL's floating-point datapath against test vectors in Berkeley TestFloat's text
// form, and the generation of such vectors from the golden formats.
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli.h"
#include "ow/base/error.h"
#include "ow/measure/fp.h"

namespace ow::cli {
namespace {

struct Options {
  std::string op;
  std::string gen;
  uint64_t limit = 20;
  uint64_t count = 100000;
  uint64_t seed = 1;
};

struct Vector {
  fp::Operands in;
  uint32_t result;
  uint64_t line;
};

// Lines held at a time: memory stays small however many vectors come.
constexpr size_t kBlock = 65536;

constexpr uint32_t kInvalid = 0x10;  // TestFloat's flag

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> words;
  size_t i = 0;
  while (i < line.size()) {
    const size_t begin = line.find_first_not_of(" \t\r", i);
    if (begin == std::string::npos) break;
    const size_t end = std::min(line.find_first_of(" \t\r", begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    i = end;
  }
  return words;
}

uint32_t parse_hex(const std::string& word, int bits, uint64_t line) {
  const size_t digits = static_cast<size_t>(bits) / 4;
  const bool hex = word.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
  if (!hex || word.size() > digits) {
    throw BadInput(
        fmt::format("standard input, line {}: '{}' is not a number of at most {} hex "
                    "digits",
                    line, word, digits));
  }
  return static_cast<uint32_t>(std::stoul(word, nullptr, 16));
}

Vector parse(const fp::Op& op, const std::string& text, uint64_t line) {
  const std::vector<std::string> words = split(text);
  const size_t need = static_cast<size_t>(op.operands) + 1;
  if (words.size() != need && words.size() != need + 1) {
    throw BadInput(
        fmt::format("standard input, line {}: {} words; {} takes {} operands, a result "
                    "and perhaps flags",
                    line, words.size(), op.name, op.operands));
  }
  Vector v{};
  v.line = line;
  v.in.a = parse_hex(words[0], op.bits(0), line);
  if (op.operands > 1) v.in.b = parse_hex(words[1], op.bits(1), line);
  if (op.operands > 2) v.in.c = parse_hex(words[2], op.bits(2), line);
  v.result = parse_hex(words[need - 1], op.result_bits(), line);
  if (op.relation()) v.result = v.result != 0 ? fp::one(op.dst) : 0;
  if (words.size() > need) {
    // Flags are read and not compared. An invalid conversion to an integer may give anything by
    // IEEE 754: here it saturates and makes 0 of a NaN.
    const uint32_t flags = parse_hex(words[need], 8, line);
    if ((flags & kInvalid) != 0 && op.to_integer()) v.result = op.golden(v.in);
  }
  return v;
}

std::string operands_text(const fp::Op& op, const fp::Operands& in) {
  std::string text = fmt::format("{:0{}X}", in.a, op.bits(0) / 4);
  if (op.operands > 1) text += fmt::format(" {:0{}X}", in.b, op.bits(1) / 4);
  if (op.operands > 2) text += fmt::format(" {:0{}X}", in.c, op.bits(2) / 4);
  return text;
}

int generate(const Options& options) {
  const fp::Op& op = fp::find_op(options.gen);
  fp::Generator generator(op, options.seed);
  for (uint64_t i = 0; i < options.count; ++i) {
    const fp::Operands in = generator.next();
    const uint32_t result = op.golden(in);
    std::fputs(
        op.relation()
            ? fmt::format("{} {}\n", operands_text(op, in), result != 0 ? 1 : 0).c_str()
            : fmt::format("{} {:0{}X}\n", operands_text(op, in), result, op.result_bits() / 4)
                  .c_str(),
        stdout);
  }
  return 0;
}

int check(const Options& options, nlohmann::json& result) {
  const fp::Op& op = fp::find_op(options.op);
  fp::Datapath datapath;
  uint64_t line = 0;
  uint64_t vectors = 0;
  uint64_t mismatches = 0;
  std::string text;
  std::vector<Vector> block;
  std::vector<fp::Operands> inputs;
  bool more = true;
  while (more) {
    block.clear();
    inputs.clear();
    while (block.size() < kBlock && (more = static_cast<bool>(std::getline(std::cin, text)))) {
      ++line;
      if (text.find_first_not_of(" \t\r") == std::string::npos) continue;
      block.push_back(parse(op, text, line));
      inputs.push_back(block.back().in);
    }
    const std::vector<uint32_t> got = datapath.run(op.op, op.src, op.dst, inputs);
    for (size_t i = 0; i < block.size(); ++i) {
      const Vector& v = block[i];
      if (got[i] == v.result) continue;
      if (fp::is_nan(got[i], op.dst) && fp::is_nan(v.result, op.dst)) continue;
      if (++mismatches <= options.limit) {
        std::fputs(fmt::format("line {}: {} {}: expected {:0{}X}, RTL {:0{}X}\n", v.line, op.name,
                               operands_text(op, v.in), v.result, op.result_bits() / 4, got[i],
                               op.result_bits() / 4)
                       .c_str(),
                   stdout);
      }
    }
    vectors += block.size();
  }
  if (vectors == 0) throw BadInput("standard input holds no vectors");
  std::fputs(fmt::format("{}: {} vectors, {} mismatches\n", op.name, vectors, mismatches).c_str(),
             stdout);
  result["op"] = op.name;
  result["vectors"] = vectors;
  result["mismatches"] = mismatches;
  return mismatches == 0 ? 0 : 1;
}

}  // namespace

void add_fp(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* sub = context.add(
      app, "fp",
      "Drive the RTL floating-point datapath with TestFloat vectors (operands, result and perhaps "
      "flags in hex, one vector a line) from standard input",
      [options, &context] {
        if (options->op.empty() == options->gen.empty()) {
          throw BadInput("ow fp needs one of --op and --gen");
        }
        if (!options->gen.empty()) return generate(*options);
        context.check_files({{"standard input", "/dev/stdin"}}, {});
        return check(*options, context.result());
      });
  sub->add_option(
      "--op", options->op,
      "Operation by TestFloat's name: f16_add, f32_mulAdd, f32_to_i32 and so on; also of "
      "bf16, i8, i16, i32, and f16_f32_mulAdd (binary16 a, b; binary32 c and result)");
  sub->add_option("--limit-mismatches", options->limit, "Mismatches to print")
      ->check(whole_number(0, 1000000000))
      ->capture_default_str();
  sub->add_option("--gen", options->gen, "Print vectors of this operation instead");
  sub->add_option("--count", options->count, "How many vectors to print")
      ->check(whole_number(1, 1000000000000))
      ->capture_default_str();
  sub->add_option("--seed", options->seed, "Seed of the vectors")
      ->check(whole_number(0))
      ->capture_default_str();
}

}  // namespace ow::cli
