// SPDX-License-Identifier: Apache-2.0
// The suite of the engine's tests that run with both widths.
#pragma once

#include <gtest/gtest.h>

namespace ow_engine {

template <typename T>
class EngineTest : public ::testing::Test {};

}  // namespace ow_engine
