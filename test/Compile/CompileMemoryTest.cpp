// Where memory ends while a model is compiled, the compilation fails, and the
// application lives on: it compiles again (docs/Embedding.md). Each case is a
// process of its own, so that a crash is a result.
//
// Operator new fails, as the standard's does or as one of an application that
// asks no handler; the words that LLVM has for malloc are FatalErrorsTest's.
#include "mpc/Compile/Compile.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <iostream>
#include <new>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace mpc;

/// Allocations of the process, until the one that fails.
static std::atomic<long> made = 0, failing = 0;
static bool asksHandler = true;

static void *allocateOrThrow(size_t bytes, size_t alignment) {
  bool fails = ++made == failing;
  void *memory = nullptr;
  while (fails || posix_memalign(&memory, alignment, bytes ? bytes : 1) != 0) {
    std::new_handler handler = std::get_new_handler();
    if (!handler || !asksHandler)
      throw std::bad_alloc();
    handler();
  }
  return memory;
}

// Seen by all libraries of the process.
static constexpr size_t kUsual = alignof(std::max_align_t);
void *operator new(size_t bytes) { return allocateOrThrow(bytes, kUsual); }
void *operator new[](size_t bytes) { return allocateOrThrow(bytes, kUsual); }
void *operator new(size_t bytes, std::align_val_t alignment) {
  return allocateOrThrow(bytes, std::max(kUsual, size_t(alignment)));
}
void *operator new[](size_t bytes, std::align_val_t alignment) {
  return allocateOrThrow(bytes, std::max(kUsual, size_t(alignment)));
}
void operator delete(void *memory) noexcept { free(memory); }
void operator delete[](void *memory) noexcept { free(memory); }
void operator delete(void *memory, size_t) noexcept { free(memory); }
void operator delete[](void *memory, size_t) noexcept { free(memory); }
void operator delete(void *memory, std::align_val_t) noexcept { free(memory); }
void operator delete[](void *memory, std::align_val_t) noexcept {
  free(memory);
}
void operator delete(void *memory, size_t, std::align_val_t) noexcept {
  free(memory);
}
void operator delete[](void *memory, size_t, std::align_val_t) noexcept {
  free(memory);
}

namespace {

/// How a child ends.
enum Ending { Refused = 40, WentWell, SaysSomethingElse, NeverCompilesAgain };

constexpr const char *kModel = R"(
func.func @line(%x: tensor<32x1xf32> {graph.input = "x"},
    %w: tensor<1x1xf32> {graph.parameter = "w", graph.init = #graph.zeros})
    -> (tensor<f32> {graph.loss}) {
  %0 = graph.matmul %x, %w : (tensor<32x1xf32>, tensor<1x1xf32>) -> tensor<32x1xf32>
  %loss = graph.mean %0 dims = [0, 1] : (tensor<32x1xf32>) -> tensor<f32>
  return %loss : tensor<f32>
})";

constexpr const char *kNoMemory = "no memory for the compilation";

std::string readAndCompile(const std::vector<compile::NamedValue> &names) {
  Result<compile::Options> options = compile::readOptions(names);
  if (!options)
    return options.status().message();
  std::string said;
  compile::Listener listener;
  listener.diagnostic = [&](const compile::Diagnostic &diagnostic) {
    failing = 0; // It may be said.
    said += diagnostic.message;
  };
  const compile::Model model = {kModel, "model.mlir", /*isTerminated=*/true};
  compile::Compiled compiled;
  auto exit = compile::compile(model, *options, listener, compiled);
  return exit == compile::Exit::Ok ? "" : said;
}

/// What is said of it; "" if all is well. The n-th allocation fails: `which`.
std::string compileModel(long which = 0) {
  static const std::vector<compile::NamedValue> names = {{"optimizer", "sgd"},
                                                         {"lr", "0.1"}};
  std::string said;
  made = 0;
  failing = which;
  try {
    said = readAndCompile(names);
  } catch (const std::bad_alloc &) { // of the caller's thread
    said = kNoMemory;
  }
  failing = 0;
  return said;
}

int compileWithout(long allocation) {
  alarm(100); // A lock that nobody lets go of is a crash, too.
  std::string said = compileModel(allocation);
  if (said.empty())
    return WentWell;
  if (!said.ends_with(kNoMemory)) { // "kernel 'k_0f': " in front
    std::cerr << said << "\n";
    return SaysSomethingElse;
  }
  said = compileModel();
  return said.empty() ? Refused : NeverCompilesAgain;
}

/// Lets one of `all` allocations fail in each of `cases` children, in which
/// `prepare` is called first, and expects that most of them notice. Every
/// second one `throws`, and asks no handler.
void failIn(int cases, long all, bool throws,
            const std::function<void()> &prepare) {
  int refused = 0;
  for (int i = 0; i < cases; ++i) {
    long allocation = 1 + i * (all - 1) / cases;
    asksHandler = !throws || i % 2 == 0;
    pid_t child = fork();
    if (child == 0) {
      prepare();
      _exit(compileWithout(allocation));
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status))
        << "allocation " << allocation << ": signal " << WTERMSIG(status);
    // Where an exception says it, a sort does without a buffer.
    refused += WEXITSTATUS(status) == Refused;
    EXPECT_TRUE(WEXITSTATUS(status) == Refused ||
                WEXITSTATUS(status) == WentWell)
        << "allocation " << allocation << ": exit " << WEXITSTATUS(status);
  }
  EXPECT_GT(refused, cases * 3 / 4);
}

void setCache(const std::string &name) {
  setenv("MPC_CACHE_DIR", (testing::TempDir() + name).c_str(), 1);
}

} // namespace

TEST(CompileMemory, EndsTheCompilationAlone) {
  setCache("compile-memory");
  // Kernels are in the cache then, and what LLVM makes once is made.
  ASSERT_EQ(compileModel(), "");
  ASSERT_EQ(compileModel(), "");
  const long all = made;
  ASSERT_GT(all, 1000);
  failIn(60, all, /*throws=*/true, [] {});
}

/// Kernels are compiled then, by LLVM and ld.lld, each on a thread of its own.
/// Code generation has functions through which nothing may be thrown.
TEST(CompileMemory, EndsAColdCompilationAlone) {
  const std::string cold = "compile-memory-cold";
  auto makeCold = [&] {
    std::filesystem::remove_all(testing::TempDir() + cold);
    setCache(cold);
  };
  for (int i = 0; i < 2; ++i) { // What LLVM makes once is made by the first.
    makeCold();
    ASSERT_EQ(compileModel(), "");
  }
  const long all = made;
  ASSERT_GT(all, 20000) << "kernels were in the cache";
  failIn(60, all, /*throws=*/false, makeCold);
  std::filesystem::remove_all(testing::TempDir() + cold);
}
