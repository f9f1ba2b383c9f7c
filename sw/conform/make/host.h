// SPDX-License-Identifier: Apache-2.0
// What tests of a host that trains are made with.
#ifndef OW_CONFORM_MAKE_HOST_H_
#define OW_CONFORM_MAKE_HOST_H_

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "maker.h"
#include "ow/graph/training.h"

namespace ow::conform {

using Json = nlohmann::json;

// [kind, from, to, steps, base], as the reader of jobs has it.
Json piece(const char* kind, double from, double to, uint64_t steps, double base = 1);
// The same value in all steps.
Json always(double value);

// A training that a test goes through.
class HostTest {
 public:
  HostTest(Maker* maker, const std::string& name, const std::string& about,
           const std::vector<std::string>& features, const Rules& rules, const Json& job);

  const TrainingJob& job() const { return job_; }
  // Asks for all parameters: value, first, second, mask or gradient.
  void ask(const std::string& what, const Rules& rules = {});
  // Gives parameters numbers of this range, or these.
  void set(const std::string& parameter, double low, double high);
  void set(const std::string& parameter, const std::vector<float>& values);
  // Gives a micro-batch's gradients, those outside the masks 0 unless `dense`.
  using Number = std::function<float(size_t parameter, size_t element)>;
  void gradients(const Number& number, bool dense = false);
  void gradients(double low, double high, bool dense = false);
  void step(const Rules& rules = {});
  // A random micro-batch of numbers.
  void batch(const Rules& rules = {});
  // A micro-batch of sequences of these lengths; the others slots are empty.
  void sequences(const std::vector<int>& lengths, int vocabulary, const Rules& rules = {});
  float between(double low, double high);
  // A micro-batch of these encodings. Returns the last layer's outputs.
  std::vector<uint32_t> run(const std::vector<uint32_t>& inputs,
                            const std::vector<uint32_t>& targets, const Rules& rules);

 private:
  Maker* const m_;
  const TrainingJob job_;
};

}  // namespace ow::conform

#endif  // OW_CONFORM_MAKE_HOST_H_
