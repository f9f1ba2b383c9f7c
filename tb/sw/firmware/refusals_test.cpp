// SPDX-License-Identifier: Apache-2.0
// What the headers of kernels refuse to compile, and what they must not refuse.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>

namespace {

std::string messages(const std::string& command) {
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  std::string text;
  char buffer[4096];
  size_t got;
  while ((got = std::fread(buffer, 1, sizeof(buffer), pipe)) != 0) text.append(buffer, got);
  const int status = pclose(pipe);
  EXPECT_EQ(status == 0, text.empty()) << text;
  return text;
}

std::string source_path() {
  return testing::TempDir() + "refusal" + std::to_string(getpid()) + ".c";
}

// The compiler's messages about a function with these statements; "" if there are none.
std::string compile(const std::string& statements, const std::string& flags,
                    const std::string& before = "") {
  const std::string path = source_path();
  std::ofstream(path) << "#include \"openwafer/tile/export.h\"\n#include "
                         "\"openwafer/tile/kernels.h\"\n#include \"openwafer/tile/print.h\"\n"
                      << before << "\nvoid f(uint32_t n, int32_t i, float x, double d);\n"
                      << "void f(uint32_t n, int32_t i, float x, double d) {\n(void)n, (void)i, "
                         "(void)x, (void)d;\n"
                      << statements << "\n}\n";
  return messages(std::string(OW_TILE_COMPILE) + " " + flags + " -c -o /dev/null " + path);
}

// The linker's messages about a program with so many descriptors.
std::string link(int descriptors) {
  const std::string path = source_path();
  {
    std::ofstream source(path);
    source << "#include \"openwafer/tile/export.h\"\nvoid _start(void);\nvoid _start(void) {}\n";
    for (int i = 0; i < descriptors; ++i) source << "OW_DSR(D" << i << ");\n";
  }
  return messages(std::string(OW_TILE_COMPILE) + " " OW_TILE_LINK " -o /dev/null " + path);
}

void refused(const std::string& statements, const std::string& message,
             const std::string& before = "") {
  for (const char* level : {"-Os", "-O2"}) {
    const std::string text = compile(statements, level, before);
    EXPECT_NE(text.find(message), std::string::npos)
        << statements << " at " << level << ": " << (text.empty() ? "accepted" : text);
  }
}

void accepted(const std::string& statements, const std::string& before = "") {
  for (const char* level : {"-Os", "-O2", "-O0"}) {
    EXPECT_EQ(compile(statements, level, before), "") << statements << " at " << level;
  }
}

// Fails if constants that do not fit a field are cut.
TEST(Refusals, ConstantsThatDoNotFitAField) {
  refused("ow_dsr_mem1(0, OW_F16, 0, 100000, 2);", "length of a dimension is 1 to 65,535");
  refused("ow_dsr_mem1(0, OW_F16, 0, 0, 2);", "length of a dimension is 1 to 65,535");
  refused("ow_dsr_mem2(0, OW_F16, 0, 8, 2, 70000, 16);", "length of a dimension is 1 to 65,535");
  refused("ow_dsr_mem4(0, OW_F16, 0, 8, 2, 8, 2, 8, 2, 65536, 2);", "length of a dimension");
  refused("ow_dsr_mem2(0, OW_F16, 0, 20000, 2, 8, 2);", "a step (a stride less");
  refused("ow_dsr_mem1(0, OW_F16, 0, 8, 40000);", "-32,768 to 32,767 bytes");
  refused("ow_dsr_fabric_in(0, OW_F16, 0, 65536);", "length of a stream is 0 to 65,535");
  refused("ow_dsr_mem1(40, OW_F16, 0, 8, 2);", "a descriptor is 0 to 31");
  refused("ow_dsr_mem1(&n, OW_F16, 0, 8, 2);", "makes integer from pointer");
  refused("ow_dsrw(32, 0, n);", "a descriptor is 0 to 31");
  refused("ow_dsrw(0, 6, n);", "a descriptor has words 0 to 5");
  refused("static const struct ow_dsr_words w[2]; ow_dsr_load(32, &w[1]);",
          "a descriptor is 0 to 31");
  const auto table = [](const std::string& words) {
    return "static const struct ow_dsr_words w[] = {" + words + "}; ow_dsr_load(0, w);";
  };
  refused(table("OW_WORDS_MEM1(OW_F16, 0, 65536, 2)"), "length of a dimension is 1 to 65,535");
  refused(table("OW_WORDS_MEM2(OW_F16, 0, 8, 2, 0, 2)"), "length of a dimension is 1 to 65,535");
  refused(table("OW_WORDS_MEM2(OW_F16, 0, 20000, 2, 8, 2)"), "a step (a stride less");
  refused(table("OW_WORDS_MEM1(OW_F16, 0, 8, -32769)"), "-32,768 to 32,767 bytes");
  refused(table("OW_WORDS_FABRIC_IN(OW_F16, 0, 65536, 0)"), "length of a dimension is 0 to 65,535");
  refused(table("OW_WORDS_FABRIC_OUT(OW_F16, 8, 8, 0)"), "a queue is 0 to 7");
  refused(table("OW_WORDS_FIFO(OW_F16, 4, 0, 64)"), "a FIFO register is 0 to 3");
  refused("(void)ow_fifo_count(33);", "a descriptor is 0 to 31");
  refused("ow_dsr_fabric_in(0, OW_F16, 9, 8);", "a queue is 0 to 7");
  refused("ow_dsr_fabric_out(0, OW_F16, 8, 8, 0);", "a queue is 0 to 7");
  refused("ow_push(12, n);", "a queue is 0 to 7");
  refused("ow_push_control(8, n);", "a queue is 0 to 7");
  refused("ow_dsr_fifo(0, OW_F16, 4, 0, 64);", "a FIFO register is 0 to 3");
  refused("ow_dsr_fifo(0, OW_F16, 0, 0, 65536);", "length of a dimension");
  refused("ow_mov(OW_F16, OW_CTL(32, 0, 0, 0));", "a descriptor is 0 to 31");
  refused("ow_mov(OW_F16, OW_CTL(0, 0, 0, 13));", "a thread is 0 (the core waits)");
  refused("ow_mov(OW_F16, OW_CTL(0, 0, 31, 1) | OW_THEN_ACTIVATE(77));", "a task is 0 to 31");
  refused("ow_mov(OW_F16, OW_CTL(0, 0, 31, 1) | OW_THEN_UNBLOCK(32));", "a task is 0 to 31");
  refused("ow_task_activate(77);", "a task is 0 to 31");
  refused("ow_task_register(32, 0);", "a task is 0 to 31");
  refused("enum { T = OW_TASK_LOCAL(16) }; ow_task_activate(T);", "OW_TASK_LOCAL(0) to (15)");
  refused("enum { T = OW_TASK_DATA(8) }; ow_task_activate(T);", "data task is 0 to 7");
  refused("enum { T = OW_TASK_CONTROL(8) }; ow_task_activate(T);", "control task is 0 to 7");
  refused("ow_dsr_fabric_out(0, OW_F16, 0, 8, OW_CLOSE(2, 0));", "stream_end of OW_CLOSE");
  refused("ow_reg_write(OW_REG_RED_ACT_LT, OW_RED_OUT(8));", "a queue is 0 to 7");
  refused("ow_tensor(n, OW_F16, 0, 0);", "operation and type of a tensor instruction");
}

// Fails if a float given to a scalar intrinsic becomes an integer.
TEST(Refusals, ScalarsOfTheWrongKind) {
  refused("ow_mul_s(OW_F32, OW_CTL(0, 0, 31, 0), 2);", "a signed integer is no scalar");
  refused("ow_mul_s(OW_F16, OW_CTL(0, 0, 31, 0), i);", "a signed integer is no scalar");
  refused("ow_add_s(OW_I32, OW_CTL(0, 0, 31, 0), 1.5f);", "a float is no scalar");
  refused("ow_add_s(OW_I16, OW_CTL(0, 0, 31, 0), d);", "a float is no scalar");
  refused("ow_add_s(OW_I16, OW_CTL(0, 0, 31, 0), 40000000);", "-32,768 to 65,535");
  refused("ow_add_s(OW_I8, OW_CTL(0, 0, 31, 0), 300);", "-128 to 255");
  refused("ow_add_s(OW_F16, OW_CTL(0, 0, 31, 0), 0x3F800000u);", "0 to 0xffff");
  refused("ow_dot_f32(1.5f, n, n, n);", "conversion from 'float' to 'uint32_t'");
  refused("ow_scal_f32(8, 2, n);", "a signed integer is no scalar");
}

// The first error names the limit, whatever else the compiler says of the macro.
TEST(Refusals, MoreThanAMacroTakes) {
  const auto first_error = [](const std::string& statements, const std::string& before,
                              const std::string& message) {
    const std::string text = compile(statements, "-Os", before);
    const size_t error = text.find("error: ");
    ASSERT_NE(error, std::string::npos) << statements << before << " is accepted";
    const std::string line = text.substr(error, text.find('\n', error) - error);
    EXPECT_NE(line.find(message), std::string::npos) << text;
  };
  const std::string six = "1, 2, 3, 4, 5, 6";
  accepted("ow_printf(\"%d%d%d%d%d%d\", " + six + ");");
  for (const char* more : {", 7", ", 7, 8", ", 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19"}) {
    const std::string call = "ow_printf(\"%d%d\", " + six + more + ");";
    first_error(call, "", "ow_printf: at most 6 arguments");
    EXPECT_EQ(compile(call, "-Os").find("error: "), compile(call, "-Os").rfind("error: "))
        << "one error";
  }
  for (const char* more : {"", ", 1", ", 1, 1, 1, 1", ", 1, 1, 1, 1, 1, 1"}) {
    first_error("", "OW_EXPORT(u32, x, 1, 2, 3, 4, 5" + std::string(more) + ");",
                "OW_EXPORT(x): at most 4 dimensions");
  }
  const std::string eight = "u32 a, u32 b, u32 c, u32 d, u32 e, u32 f, u32 g, u32 h";
  const std::string body =
      " { (void)a; (void)b; (void)c; (void)d; (void)e; (void)f; (void)g; (void)h; }";
  accepted("", "OW_LAUNCH(l, " + eight + ")" + body);
  first_error("", "OW_LAUNCH(l, " + eight + ", u32 k)" + body, "OW_LAUNCH(l): at most 8 arguments");
  first_error("", "OW_LAUNCH(l, " + eight + ", u32 k, u32 m, u32 n, u32 o)" + body,
              "OW_LAUNCH(l): at most 8 arguments");
  accepted("", "OW_DSR(A, B, C, D, E, F, G, H);");
  first_error("", "OW_DSR(A, B, C, D, E, F, G, H, I);", "OW_DSR: at most 8 names a line");
}

TEST(Refusals, ParametersOfALaunchThatHaveNoTypeOfAnExport) {
  const auto refusal = [](const std::string& parameters) {
    return compile("", "-Os", "OW_LAUNCH(run, " + parameters + ") {}");
  };
  EXPECT_EQ(compile("", "-Os", "OW_LAUNCH(run, u32 n, f32 a) { (void)n, (void)a; }"), "");
  EXPECT_NE(refusal("n").find("'OW_TYPE_AND_NAME_n' undeclared"), std::string::npos);
  EXPECT_NE(refusal("uint32_t n").find("unknown type name 'OW_C_TYPE_uint32_t'"),
            std::string::npos);
}

// Fails if a name gets the number of the absent operand.
TEST(Refusals, MoreNamesOfDescriptorsThanThereAreNumbers) {
  EXPECT_EQ(link(31), "");
  const std::string text = link(32);
  EXPECT_NE(text.find("more than 31 descriptors have names"), std::string::npos) << text;
}

TEST(Refusals, WhatTheProgramAloneKnowsIsNotRefused) {
  accepted("ow_dsr_mem1(n, OW_F16, n, n, i);");
  accepted("ow_dsr_mem2(n, OW_F16, n, n, i, n, i);");
  accepted(
      "ow_dsr_mem2(X, OW_F16, n, n, i, n, i); ow_dsrw(X, 0, n); ow_dsr_fifo(X, OW_F16, 0, 0, 64);",
      "OW_DSR(X);");
  accepted("ow_dsr_load(n, &w[n]); ow_dsr_load(X, w);",
           "OW_DSR(X); static uint16_t m[64]; static const struct ow_dsr_words w[] = {"
           "OW_WORDS_MEM1(OW_F16, OW_ADDR(m), 65535, -32768), "
           "OW_WORDS_MEM4(OW_F32, OW_ADDR(&m[4]), 2, 4, 2, 8, 2, 16, 2, -4), "
           "OW_WORDS_INDEXED(OW_F16, OW_ADDR(m), 32, 8, 64), OW_WORDS_VECTORS(OW_F16, 7, 8, 64), "
           "OW_WORDS_FABRIC_IN(OW_F16, 7, 0, OW_TAGGED), "
           "OW_WORDS_FABRIC_OUT(OW_F16, 7, 65535, OW_CLOSE(1, 0) | OW_SKIP_ZEROS), "
           "OW_WORDS_FIFO(OW_I8, 3, OW_ADDR(m), 64)};");
  accepted(
      "const struct ow_dsr_words w = OW_WORDS_MEM2(OW_F16, n, n, i, n, i); ow_dsr_load(n, &w);");
  accepted("(void)ow_fifo_count(Y); ow_add(OW_F16, OW_CTL(X, n ? X : Y, Y, n));", "OW_DSR(X, Y);");
  accepted("ow_mov(OW_F16, OW_CTL(X, 3, OW_NONE, 1));", "OW_DSR_DECLARE(X);");
  accepted("ow_push(n, n); ow_task_activate(n); ow_dsr_fabric_in(n, OW_F16, n, n);");
  accepted("static const uint32_t k = 3; ow_push(k, n); ow_task_activate(OW_TASK_LOCAL(k));");
  accepted("ow_reg_write(OW_REG_RED_ACT_LT, OW_RED_IN0(n) | OW_RED_OUT(n));");
  accepted("ow_fma_s(OW_F32, OW_CTL(n, n, n, n), x);");
  accepted("ow_fma_s(OW_F16, OW_CTL(0, 1, 31, 0), d); ow_fma_s(OW_BF16, OW_CTL(0, 1, 31, 0), x);");
  accepted("ow_fma_s(OW_F16, OW_CTL(0, 1, 31, 0), n); ow_mov_s(OW_F16, OW_CTL(0, 1, 31, 0), 0);");
  accepted("ow_add_s(OW_I16, OW_CTL(0, 1, 31, 0), -3); ow_add_s(OW_I32, OW_CTL(0, 1, 31, 0), i);");
  accepted("ow_mul_s(OW_F32, OW_CTL(0, 0, 31, 0), 2.0); ow_axpy_f16(n, 1.5f, n, n);");
  accepted("ow_task_activate(T);", "enum { T = OW_TASK_LOCAL(15) };");
  accepted("ow_task_register(OW_TASK_LOCAL(2), 0); ow_task_register(n, 0);");
  accepted("ow_task_register(OW_TASK_ID(later), 0);", "OW_TASK_DECLARE(later);");
  accepted("(void)table[n];", "static const uint32_t table[] = {OW_CLOSE(1, 0), OW_RED_IN1(7)};");
}

}  // namespace
