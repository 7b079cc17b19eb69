// What happens where memory ends: a session is refused, or a run is, with a
// status; the application lives on. Each case is a process of its own, so that
// a crash is a result.
//
//   Faults  the n-th allocation fails, for every n: all of them but those that
//           oneDNN makes while it makes its objects, of which it does not look
//           at all (docs/Limits.md).
//   Limits  the address space is limited, less and less: here those count too,
//           since the runtime looks whether there is room before it asks.
#include "ConvolutionProblem.h"
#include "LineProgram.h"
#include "OpenSession.h"
#include "ReplacedMalloc.h"
#include "mpc/Data/Safetensors.h"
#include "mpc/Runtime/HostCall.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <dlfcn.h>
#include <execinfo.h>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mpc;
using namespace mpc::test;

#ifndef MPC_SANITIZED

/// How a child ends. Whatever else it ends with is a failure: a signal, or the
/// 1 of a library that gives up.
enum Ending { Done = 0, Refused = 40, RunFailed, Foreign };
static constexpr int kSignalsLeftBlocked = 50, kNeverRunsAgain = 51;

static bool isEnding(int status, Ending last) {
  int code = WEXITSTATUS(status);
  return WIFEXITED(status) &&
         (code == Done || (code >= Refused && code <= last));
}

static std::atomic<bool> armed{false};
/// Allocations until the one that fails, and those that were made.
static std::atomic<long> until{0}, made{0};
static bool failsInLibraries = false;

/// Whether oneDNN or its OpenMP library is asking, by the calls on the stack.
static bool asksForLibrary() {
  void *calls[64];
  int count = backtrace(calls, 64);
  static const auto *libraries = new LibraryCode({"libdnnl", "libgomp"});
  return std::any_of(calls, calls + count,
                     [](void *call) { return libraries->holds(call); });
}

bool test::mayAllocate(const void *) {
  if (!armed.load())
    return true;
  made++;
  if (until-- != 1)
    return true;
  armed = false; // the search allocates too
  if (!failsInLibraries && asksForLibrary())
    _exit(Foreign);
  armed = true;
  return false;
}

/// Runs `work` in a child and returns what waitpid tells of it.
template <typename Work> static int inChild(const Work &work) {
  pid_t child = fork();
  if (child == 0) {
    std::signal(SIGABRT, SIG_DFL);
    _exit(work());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

static std::string describe(int status) {
  return WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                             : "exit " + std::to_string(WEXITSTATUS(status));
}

/// Bytes of address space that this process has.
static uint64_t measureSpace() {
  uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

/// Memory that children write to.
template <typename T> static T *share() {
  return static_cast<T *>(mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE,
                               MAP_SHARED | MAP_ANONYMOUS, -1, 0));
}

/// What oneDNN answers to the next products that run, if it is not 0, success.
static std::atomic<int> answer{0};

/// In the place of oneDNN's, which it calls.
extern "C" int dnnl_primitive_execute(const void *primitive, void *stream,
                                      int count, const void *arguments) {
  if (int failure = answer.load())
    return failure;
  static auto *execute = reinterpret_cast<decltype(dnnl_primitive_execute) *>(
      dlsym(RTLD_NEXT, "dnnl_primitive_execute"));
  return execute(primitive, stream, count, arguments);
}

/// What a product of f32 says of itself that is made while oneDNN answers so.
static Result<std::string> makeProduct(const Dims &lhs, const Dims &rhs,
                                       const Dims &out, int oneDnn) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(program::Call::Pack(
      builder, MatmulSpec{ElementType::F32, ElementType::F32, lhs, rhs, out}
                   .call()
                   .get()));
  answer = oneDnn;
  auto made = runtime::makeHostCall(
      *flatbuffers::GetRoot<program::Call>(builder.GetBufferPointer()), 1);
  if (!made)
    return made.status();
  return (*made)->describe();
}

/// The product that oneDNN runs first in a process is none of the caller's, but
/// its error is; and it is tried again. Before all tests that multiply.
TEST(FirstProduct, FailsInTheCallThatNeedsIt) {
  auto make = [](int oneDnn) {
    return makeProduct({99, 99}, {99, 99}, {99, 99}, oneDnn).status();
  };
  int status = inChild([&]() -> int {
    constexpr const char *what =
        "a first product, for what oneDNN makes once: a first matmul: oneDNN "
        "answered ";
    Status noMemory = make(1), other = make(5);
    EXPECT_EQ(noMemory.code(), StatusCode::OutOfMemory);
    EXPECT_EQ(noMemory.message(), what + std::string("1 (out of memory)"));
    EXPECT_EQ(other.code(), StatusCode::LibraryError);
    EXPECT_EQ(other.message(), what + std::string("5 (runtime error)"));
    EXPECT_TRUE(make(0).ok()) << "with memory again";
    EXPECT_TRUE(make(1).ok()) << "what is made once runs again";
    return testing::Test::HasFailure();
  });
  EXPECT_TRUE(isEnding(status, Done)) << describe(status);
}

/// Kernels of ours multiply small matrices of f32 where oneDNN cannot; that it
/// has no memory is no reason.
TEST(FirstProduct, IsNoneOfWhatKernelsOfOursCanDo) {
  int status = inChild([&]() -> int {
    auto make = [](int oneDnn) {
      return makeProduct({48, 16, 16}, {48, 16, 16}, {48, 16, 16}, oneDnn);
    };
    auto other = make(5);
    EXPECT_TRUE(other) << other.status().message();
    EXPECT_TRUE(other && other->ends_with("by our kernels"));
    if (runtime::canRun("x86-64-v4")) { // else oneDNN is not asked
      EXPECT_EQ(make(1).status().code(), StatusCode::OutOfMemory);
    }
    EXPECT_TRUE(make(0));
    return testing::Test::HasFailure();
  });
  EXPECT_TRUE(isEnding(status, Done)) << describe(status);
}

/// Trains a line, and multiplies matrices of every type, some in many blocks,
/// and batches of small ones, several in a call. Where the library multiplies
/// it allocates.
static std::shared_ptr<const runtime::Program> makeProgram() {
  HandMade line = makeLineProgram();
  EntryT &step = *line.program.entries[1];
  auto add = [&](const MatmulSpec &spec) {
    std::vector<Arg> args;
    for (const Dims *shape : {&spec.lhs, &spec.rhs, &spec.out}) {
      int64_t bytes = countOf(*shape) * 8;
      args.push_back(line.arena(static_cast<uint64_t>(bytes)));
      if (shape != &spec.out)
        HandMade::record(step, RecordKind::Fill, 0, {args.back()}, bytes);
    }
    line.program.calls.push_back(spec.call());
    auto target = static_cast<uint32_t>(line.program.calls.size() - 1);
    for (int twice = 0; twice < 2; ++twice)
      HandMade::record(step, RecordKind::Call, target, args);
  };
  for (ElementType type : {ElementType::F64, ElementType::F32, ElementType::F16,
                           ElementType::BF16})
    add({type, type, {160, 32}, {32, 200}, {160, 200}});
  for (ElementType type : {ElementType::F32, ElementType::BF16})
    add({type, type, {37, 33, 17}, {37, 17, 31}, {37, 33, 31}});
  return load(line);
}

/// Trains a line, and makes convolutions with all that they may need: memory
/// for a weight in another order, for images that are widened, and gradients of
/// pieces of the batch and of the channels; by the library, by the definition.
/// Then a loop, whose steps multiply with one matrix, which is brought into the
/// library's order once.
static std::shared_ptr<const runtime::Program> makeConvolutions() {
  HandMade line = makeLineProgram();
  EntryT &step = *line.program.entries[1];
  auto add = [&](std::unique_ptr<CallT> call, int times) {
    std::vector<Arg> args;
    for (const auto &operand : call->operands) {
      int64_t bytes = countOf(operand->shape) * 8;
      args.push_back(line.arena(static_cast<uint64_t>(bytes)));
      if (!operand->written)
        HandMade::record(step, RecordKind::Fill, 0, {args.back()}, bytes);
    }
    line.program.calls.push_back(std::move(call));
    auto target = static_cast<uint32_t>(line.program.calls.size() - 1);
    for (int i = 0; i < times; ++i)
      HandMade::record(step, RecordKind::Call, target, args);
  };
  auto addConvolution = [&](const ConvolutionSpec &spec,
                            ConvolutionTensor written) {
    add(std::make_unique<CallT>(makeCall(spec, written)), 1);
  };
  for (ConvolutionTensor written : kConvolutionTensors) {
    addConvolution({.type = ElementType::F16}, written);
    addConvolution({.batch = 3, .channels = 128, .results = 16}, written);
  }
  addConvolution({.type = ElementType::F64}, ConvolutionTensor::Result);
  addConvolution({.type = ElementType::BF16, .bias = ElementType::BF16},
                 ConvolutionTensor::Result);
  add(
      MatmulSpec{
          ElementType::F32, ElementType::F32, {32, 64}, {64, 256}, {32, 256}}
          .call(),
      6);
  return load(line);
}

namespace {
/// When a child's allocations fail: the `nth` of the phase.
struct Fault {
  enum Phase { Never, Creating, Running } phase = Never;
  long nth = 0; ///< 0: none, but they are counted
};
} // namespace

static void arm(const Fault &fault, Fault::Phase phase) {
  until = fault.nth;
  armed = fault.phase == phase;
  failsInLibraries = phase == Fault::Running;
}

/// A session's life: made, initialized, run twice. In a child.
static int live(const std::shared_ptr<const runtime::Program> &program,
                uint32_t threads, const Fault &fault) {
  sigset_t before, after;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  int ending = Done;
  try {
    runtime::SessionOptions options;
    options.threads = threads;
    arm(fault, Fault::Creating);
    auto session = Session::create(program, std::move(options));
    armed = false;
    if (!session)
      ending = Refused;
    float x[32] = {}, t[32] = {};
    const runtime::Input inputs[] = {{x, 128}, {t, 128}};
    bool ok = ending == Done && (*session)->initialize(1).ok();
    arm(fault, Fault::Running);
    for (int i = 0; ok && i < 2; ++i)
      ok = (*session)->run(1, inputs).ok();
    armed = false;
    if (!ok && ending == Done)
      ending = RunFailed;
    // What failed may be done again as soon as there is memory; the line is
    // updated before matrices are multiplied, so it begins anew.
    if (ending == RunFailed && fault.phase == Fault::Running &&
        ((*session)->run(1, inputs).ok() || !(*session)->initialize(1).ok() ||
         !(*session)->run(1, inputs).ok()))
      return kNeverRunsAgain;
  } catch (const std::bad_alloc &) { // the C interface makes a status of it
    armed = false;
    ending = Refused;
  }
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  for (int signal : {SIGINT, SIGTERM})
    if (sigismember(&before, signal) != sigismember(&after, signal))
      return kSignalsLeftBlocked;
  return ending;
}

static void failEach(Fault::Phase phase, uint32_t threads,
                     const std::shared_ptr<const runtime::Program> &program) {
  // What oneDNN generates once in a process is there before children are made:
  // without AVX-512 it is 23,000 allocations of its own.
  ASSERT_EQ(live(program, 1, {}), Done);
  auto *total = share<long>();
  ASSERT_EQ(inChild([&] {
              int ending = live(program, threads, {phase, 0});
              *total = made;
              return ending;
            }),
            Done);
  ASSERT_GT(*total, 10);
  std::map<int, long> endings;
  for (long n = 1; n <= *total; ++n) {
    int status = inChild([&] { return live(program, threads, {phase, n}); });
    endings[WEXITSTATUS(status)]++;
    ASSERT_TRUE(isEnding(status, Foreign))
        << "allocation " << n << " of " << *total << ": " << describe(status);
  }
  munmap(total, sizeof(long));
  EXPECT_GT(endings[phase == Fault::Creating ? Refused : RunFailed], 10);
  if (phase == Fault::Running) {
    EXPECT_EQ(endings[Foreign], 0);
  }
}

TEST(Faults, WhileASessionIsMade) {
  failEach(Fault::Creating, 1, makeProgram());
}
TEST(Faults, WhileASessionOfThreeThreadsIsMade) {
  failEach(Fault::Creating, 3, makeProgram());
}
TEST(Faults, WhileItRuns) { failEach(Fault::Running, 1, makeProgram()); }
TEST(Faults, WhileItRunsOnThreeThreads) {
  failEach(Fault::Running, 3, makeProgram());
}
TEST(Faults, WhileConvolutionsAndLoopsAreMade) {
  failEach(Fault::Creating, 3, makeConvolutions());
}
TEST(Faults, WhileConvolutionsAndLoopsRun) {
  failEach(Fault::Running, 3, makeConvolutions());
}

/// A checkpoint is written, and read again.
static int saveAndLoad(const std::string &path, long nth) {
  float values[4] = {1, 2, 3, 4};
  auto bytes = std::as_bytes(std::span(values));
  int ending = Done;
  try {
    until = nth;
    armed = true;
    bool good = data::writeSafetensors(
                    path,
                    {{"fc1.weight", DType::F32, {2, 2}, bytes},
                     {"fc1.bias", DType::F32, {4}, bytes}},
                    {{"format", "mpc checkpoint 1"}, {"steps", "12"}})
                    .ok();
    good = good && data::readSafetensors(path);
    ending = good ? Done : Refused;
  } catch (const std::bad_alloc &) { // the C interface makes a status of it
    ending = Refused;
  }
  armed = false;
  return ending;
}

TEST(Faults, WhileACheckpointIsWrittenAndRead) {
  std::string path =
      testing::TempDir() + "mpc-fault-" + std::to_string(getpid());
  failsInLibraries = true;
  ASSERT_EQ(saveAndLoad(path, 0), Done);
  long total = made;
  ASSERT_GT(total, 40);
  for (long n = 1; n <= total; ++n) {
    int status = inChild([&] { return saveAndLoad(path, n); });
    // One that the C++ library can do without is no failure.
    ASSERT_TRUE(isEnding(status, Refused))
        << "allocation " << n << " of " << total << ": " << describe(status);
  }
  std::remove(path.c_str());
}

/// Whether it is libgomp that has ended the child, for want of memory for a
/// thread, which between two allocations of ours may just be gone
/// (docs/Limits.md). By what it says: it exits with 1, like who gives up.
static bool isEndOfLibgomp(int status, int errors) {
  constexpr std::string_view kWords = "\nlibgomp: Out of memory allocating ";
  char text[512];
  ssize_t length = pread(errors, text, sizeof text, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 1 && length > 0 &&
         std::string_view(text, size_t(length)).starts_with(kWords);
}

static void limitSpace(uint32_t threads) {
  auto program = makeProgram();
  std::map<int, long> endings;
  int errors = memfd_create("stderr", 0);
  for (uint64_t room = 0; room < uint64_t(84) << 20; room += 700 << 10) {
    ASSERT_EQ(ftruncate(errors, 0), 0);
    int status = inChild([&] {
      dup2(errors, STDERR_FILENO);
      lseek(errors, 0, SEEK_SET);
      rlimit limit;
      limit.rlim_cur = limit.rlim_max = measureSpace() + room;
      setrlimit(RLIMIT_AS, &limit);
      return live(program, threads, {});
    });
    if (isEndOfLibgomp(status, errors)) {
      endings[Foreign]++;
      continue;
    }
    ASSERT_TRUE(isEnding(status, RunFailed))
        << (room >> 10) << " KB: " << describe(status);
    endings[WEXITSTATUS(status)]++;
  }
  close(errors);
  EXPECT_GT(endings[Refused], 10);
  EXPECT_GT(endings[Done], 10);
  EXPECT_LT(endings[Foreign], 3);
}

TEST(Limits, OfOneThread) { limitSpace(1); }
TEST(Limits, OfThreeThreads) { limitSpace(3); }

#else
TEST(OutOfMemory, NeedsMalloc) {
  GTEST_SKIP() << "the sanitizer owns malloc and most of the address space";
}
#endif
