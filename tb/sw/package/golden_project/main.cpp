// SPDX-License-Identifier: Apache-2.0
// One operation, one reduction and one layer of golden, checked by hand.
#include <openwafer/golden.h>

#include <cstdio>
#include <vector>

namespace {

int failures = 0;

void check(bool condition, const char* what) {
  if (condition) return;
  std::printf("wrong: %s (%s)\n", what, ow_golden_error());
  ++failures;
}

void check_operations() {
  const int f16 = ow_golden_type("f16"), f32 = ow_golden_type("f32");
  // 1 + 2^-11 is a tie in binary16; even is 1.
  const uint32_t a[] = {0x3C00, 0x3C01}, b[] = {0x1000, 0x1000};
  uint32_t sum[2] = {};
  check(ow_golden_apply(ow_golden_op("add"), f16, 2, a, b, nullptr, sum) == 0, "add");
  check(sum[0] == 0x3C00 && sum[1] == 0x3C02, "ties of add");
  const std::vector<uint32_t> ones(33, 0x3C00);
  uint32_t total = 0;
  check(ow_golden_reduce(ow_golden_op("sum"), f16, f32, ones.size(), ones.data(), nullptr,
                         &total) == 0 &&
            total == 0x42040000,
        "33 ones");
  check(ow_golden_apply(ow_golden_op("fma"), ow_golden_type("i8"), 1, a, b, a, sum) == -1 &&
            ow_golden_error()[0] != 0,
        "fma of i8 is refused");
}

// y = W x on two grid rows, with the loss of its mean squares.
void check_layer() {
  ow_golden_numerics numerics = {};
  numerics.type = ow_golden_type("f16");
  numerics.rows = 2;
  numerics.samples = 1;
  ow_golden_network* net = ow_golden_network_new(&numerics, 2);
  const char* key = "outputs";
  const double outputs = 1;
  check(ow_golden_network_add(net, "fc", "linear", "input", 1, &key, &outputs) == 0, "linear");
  check(ow_golden_network_add(net, "loss", "mean_squared_error", "fc,targets", 0, nullptr,
                              nullptr) == 0,
        "loss");
  check(ow_golden_network_begin(net) == 0, "begin");
  const float weights[] = {2, 3};
  check(ow_golden_parameter_set(net, 0, weights) == 0, "weights");
  const uint16_t x[] = {0x3C00, 0x4000}, target[] = {0};  // 1, 2; 0
  check(ow_golden_run(net, x, nullptr, nullptr, nullptr, target) == 0, "run");
  uint32_t partial[2] = {};
  uint16_t y = 0, delta = 0;
  check(ow_golden_partial_sums(net, "fc", partial) == 0 && partial[0] == 0x40000000 &&
            partial[1] == 0x40C00000,
        "partial sums 2 and 6");
  check(ow_golden_output(net, "fc", &y) == 0 && y == 0x4800, "output 8");
  check(ow_golden_delta(net, "fc", &delta) == 0 && delta == 0x4C00, "delta 16");
  uint32_t data[2] = {};
  uint8_t control[2] = {};
  check(ow_golden_stream(net, "fc", 1, data, control) == 2 && data[0] == 0x4200 &&
            control[1] == 1 && data[1] == 3,
        "the stream of row 1: weight 3 at index 0, then the end");
  ow_golden_network_free(net);
}

}  // namespace

int main() {
  check_operations();
  check_layer();
  std::printf("golden %s: %d wrong\n", ow_golden_version(), failures);
  return failures == 0 ? 0 : 1;
}
