// Kernels come into the process only if allowed, and only if they fit.
#include "LineProgram.h"
#include "mpc/Runtime/Program.h"
#include "mpc/Runtime/Session.h"

#include <fstream>
#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::test;

static Result<std::shared_ptr<const runtime::Program>> load(HandMade &made,
                                                            bool allow = true) {
  auto bytes = serialize(made.program);
  EXPECT_TRUE(bytes) << bytes.status().message();
  return runtime::Program::copy(*bytes, {.allowCode = allow, .log = {}});
}

TEST(Code, MustBeAllowed) {
  HandMade made = makeLineProgram();
  auto program = load(made, false);
  ASSERT_TRUE(program); // to be described, on any processor
  EXPECT_EQ((*program)->codeTarget(), "");
  auto session = runtime::Session::create(*program, {});
  EXPECT_EQ(session.status().code(), StatusCode::CodeNotAllowed);
  EXPECT_EQ(session.status().message(),
            "the program brings 2 compiled kernels, but it was loaded without "
            "allowing code; set allow_code if you trust where it comes from");
}

TEST(Code, BestTargetIsChosen) {
  HandMade made = makeLineProgram(); // has code of x86-64-v3
  made.code("x86-64-v4-bf16", readKernels());
  made.code("x86-64-v4", readKernels());
  auto program = load(made);
  ASSERT_TRUE(program);
  EXPECT_EQ((*program)->codeTarget(),
            runtime::canRun("x86-64-v4-bf16") ? "x86-64-v4-bf16"
            : runtime::canRun("x86-64-v4")    ? "x86-64-v4"
                                              : "x86-64-v3");
}

/// The builtin that the compiler has asks CPUID and XCR0, as Linux does for
/// the list of what a process may use.
TEST(Code, MachineIsWhatLinuxSays) {
  std::ifstream file("/proc/cpuinfo");
  std::string line, flags;
  while (flags.empty() && std::getline(file, line))
    if (line.starts_with("flags"))
      flags = line + " ";
  auto has = [&](const char *flag) {
    return flags.find(" " + std::string(flag) + " ") != std::string::npos;
  };
  bool hasV3 = has("avx2") && has("bmi1") && has("bmi2") && has("f16c") &&
               has("fma") && has("abm") && has("movbe");
  bool hasV4 = hasV3 && has("avx512f") && has("avx512bw") && has("avx512cd") &&
               has("avx512dq") && has("avx512vl");
  EXPECT_EQ(runtime::canRun("x86-64-v3"), hasV3);
  EXPECT_EQ(runtime::canRun("x86-64-v4"), hasV4);
  EXPECT_EQ(runtime::canRun("x86-64-v4-bf16"), hasV4 && has("avx512_bf16"));
  EXPECT_FALSE(runtime::canRun("x86-64-v5"));
}

TEST(Code, OtherProcessors) {
  HandMade made = makeLineProgram();
  made.program.code[0]->target = "riscv64";
  auto program = load(made);
  EXPECT_EQ(program.status().code(), StatusCode::CpuUnsupported);
  EXPECT_EQ(program.status().message(),
            "no code section of the program runs here: 'riscv64' needs a "
            "processor of that kind; run it on a machine of level x86-64-v3 "
            "or above");
}

TEST(Code, GarbageIsNoSharedObject) {
  HandMade made = makeLineProgram();
  made.program.code[0]->data.assign(1000, 'x');
  auto program = load(made);
  EXPECT_EQ(program.status().code(), StatusCode::CodeUnusable);
  EXPECT_NE(program.status().message().find("could not load the kernels"),
            std::string::npos);
}

TEST(Code, MissingSymbol) {
  HandMade made = makeLineProgram();
  made.program.kernels[1]->symbol = "k_none";
  auto program = load(made);
  EXPECT_EQ(program.status().message(),
            "code section 'x86-64-v3' lacks the kernel 'k_none'; compile the "
            "model again");
}

/// The loader knows libraries by path; two programs must not share one.
TEST(Code, TwoProgramsAtOnce) {
  HandMade made = makeLineProgram();
  auto first = load(made), second = load(made);
  ASSERT_TRUE(first && second);
  EXPECT_NE((*first)->kernel(0), (*second)->kernel(0));
}
