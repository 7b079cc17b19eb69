// Programs run: records, inputs, outputs, errors, determinism.
#include "mpc/Runtime/Session.h"
#include "LineProgram.h"
#include "OpenSession.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <immintrin.h>

using namespace mpc;
using namespace mpc::test;
using runtime::Input;
using runtime::Session;
using runtime::SessionOptions;
using runtime::TensorView;

TEST(Session, TrainsALine) {
  HandMade made = makeLineProgram();
  auto session = open(made);
  ASSERT_TRUE(session->initialize(42).ok());
  Line line;
  for (int step = 0; step < 300; ++step)
    ASSERT_TRUE(session->run(1, line.inputs()).ok());
  auto loss = session->output(1, 0);
  ASSERT_TRUE(loss);
  float value;
  std::memcpy(&value, loss->data(), 4);
  EXPECT_LT(value, 1e-8f);
  float w = getState<float>(*session, "w", {1, 1}, DType::F32)[0];
  EXPECT_NEAR(w, 3, 1e-4);
  EXPECT_NEAR(getState<float>(*session, "b", {1}, DType::F32)[0], -1, 1e-4);
  EXPECT_EQ(getState<float>(*session, "w.copy", {1, 1}, DType::F32)[0], w);
}

TEST(Session, KeepsSmallResultsOfTheLastRuns) {
  HandMade made = makeLineProgram();
  EntryT &entry = made.entry("echo");
  Arg given = HandMade::input(entry, "given", ElementType::F32, {3});
  Arg big = made.arena(8192);
  HandMade::output(entry, "same", ElementType::F32, {3}, given);
  HandMade::output(entry, "big", ElementType::F32, {2048}, big);
  auto session = open(made);
  ASSERT_TRUE(session->initialize(1).ok());
  EXPECT_EQ(session->result(1, 0, 0).status().message(),
            "entry 'step' has not been run yet: it has no results");
  for (uint32_t run = 0; run < 10; ++run) {
    float values[3] = {static_cast<float>(run), 0, -1};
    Input input = {values, sizeof values};
    ASSERT_TRUE(session->run(2, {&input, 1}).ok());
    values[0] = 1e9f; // an input belongs to the caller again
    Line line;
    ASSERT_TRUE(session->run(1, line.inputs()).ok());
    uint32_t kept = std::min(run + 1, runtime::Executor::kResultRuns);
    for (uint32_t age = 0; age < kept; ++age) {
      auto result = session->result(2, 0, age);
      ASSERT_TRUE(result) << result.status().message();
      float found[3];
      ASSERT_EQ(result->size(), sizeof found);
      std::memcpy(found, result->data(), sizeof found);
      EXPECT_EQ(found[0], static_cast<float>(run - age));
      EXPECT_EQ(found[2], -1);
    }
    EXPECT_EQ(session->result(2, 0, kept).status().message(),
              "entry 2: expected an age below " + std::to_string(kept) +
                  ", the number of runs whose results are kept, but got " +
                  std::to_string(kept));
  }
  EXPECT_EQ(session->result(2, 1, 0).status().message(),
            "output 1 of entry 2: expected at most 4096 bytes, but got 8192: "
            "results of earlier runs are kept of small outputs; ask for the "
            "output instead");
  EXPECT_EQ(session->result(2, 2, 0).status().code(), StatusCode::NotFound);
  EXPECT_EQ(session->result(9, 0, 0).status().code(), StatusCode::NotFound);
  EXPECT_TRUE(session->synchronize().ok());
  EXPECT_EQ(session->waitCounts().synchronizations, 0u);
}

TEST(Session, InputsAreChecked) {
  HandMade made = makeLineProgram();
  auto session = open(made);
  ASSERT_TRUE(session->initialize(1).ok());
  Line line;
  std::vector<Input> inputs = line.inputs();
  EXPECT_EQ(session->run(1, {}).message(),
            "entry 'step': expected 2 inputs, but got 0");
  EXPECT_EQ(session->run(9, inputs).code(), StatusCode::NotFound);
  inputs[1].bytes = 64;
  EXPECT_EQ(session->run(1, inputs).message(),
            "input 'target': expected 128 bytes for 32x1xf32, but got 64");
  inputs[1] = {nullptr, 128};
  EXPECT_EQ(session->run(1, inputs).message(),
            "input 'target': expected a pointer, but got null");
}

TEST(Session, FlagsAreZeroOrOne) {
  HandMade made;
  Arg copy = made.arena(4);
  EntryT &entry = made.entry("forward");
  Arg mask = HandMade::input(entry, "mask", ElementType::I1, {4});
  HandMade::record(entry, RecordKind::Copy, 0, {mask, copy}, 4);
  HandMade::output(entry, "copy", ElementType::I1, {4}, copy);
  auto session = open(made);
  ASSERT_TRUE(session->initialize(1).ok());
  uint8_t flags[] = {0, 1, 1, 0};
  EXPECT_TRUE(session->run(0, std::vector<Input>{{flags, 4}}).ok());
  flags[2] = 2;
  EXPECT_EQ(session->run(0, std::vector<Input>{{flags, 4}}).message(),
            "input 'mask': expected flags that are 0 or 1, but element 2 is 2");
}

TEST(Session, OutputsBelongToTheLastRun) {
  HandMade made = makeLineProgram();
  auto session = open(made);
  ASSERT_TRUE(session->initialize(1).ok());
  EXPECT_EQ(session->output(1, 0).status().code(), StatusCode::InvalidArgument);
  Line line;
  ASSERT_TRUE(session->run(1, line.inputs()).ok());
  EXPECT_TRUE(session->output(1, 0));
  EXPECT_EQ(session->output(1, 5).status().code(), StatusCode::NotFound);
}

/// A wide launch, a fill, a copy and an input that is passed through.
TEST(Session, RecordsOnAnyNumberOfThreads) {
  constexpr int64_t n = 100003;
  HandMade made;
  Arg y = made.arena(n * 4), z = made.arena(n * 4);
  uint32_t affine = made.kernel("k_affine", {n * 4, n * 4});
  made.code("x86-64-v3", readKernels());
  EntryT &entry = made.entry("forward");
  Arg x = HandMade::input(entry, "x", ElementType::F32, {n});
  HandMade::record(entry, RecordKind::Fill, 0, {z}, n * 4);
  HandMade::record(entry, RecordKind::Launch, affine, {x, y}, n, 64);
  HandMade::record(entry, RecordKind::Copy, 0, {y, z}, (n - 1) * 4);
  HandMade::output(entry, "z", ElementType::F32, {n}, z);
  HandMade::output(entry, "x", ElementType::F32, {n}, x);
  std::vector<float> input(n);
  for (int64_t i = 0; i < n; ++i)
    input[i] = static_cast<float>(i % 1000);
  for (uint32_t threads : {1, 2, 3, 8}) {
    auto session = open(made, threads);
    ASSERT_TRUE(session->initialize(1).ok());
    std::vector<Input> inputs = {{input.data(), n * 4}};
    ASSERT_TRUE(session->run(0, inputs).ok());
    auto *out = reinterpret_cast<const float *>(session->output(0, 0)->data());
    for (int64_t i = 0; i < n - 1; ++i)
      ASSERT_EQ(out[i], 2 * input[i] + 1) << i;
    EXPECT_EQ(out[n - 1], 0);
    EXPECT_EQ(session->output(0, 1)->data(),
              reinterpret_cast<uint8_t *>(input.data()));
  }
}

/// The application may flush subnormals; the program's results may not change.
TEST(Session, ArithmeticOfTheCallerIsNotOurs) {
  HandMade made;
  constexpr ElementType f32 = ElementType::F32;
  Arg product = made.arena(4);
  made.program.calls.push_back(
      MatmulSpec{f32, f32, {1, 1}, {1, 1}, {1, 1}}.call());
  EntryT &entry = made.entry("forward");
  Arg x = HandMade::input(entry, "x", f32, {1, 1});
  HandMade::record(entry, RecordKind::Call, 0, {x, x, product});
  HandMade::output(entry, "product", f32, {1, 1}, product);
  auto session = open(made);
  ASSERT_TRUE(session->initialize(1).ok());
  float value = 1e-20f; // its square is subnormal
  std::vector<Input> inputs = {{&value, 4}};
  uint32_t before = _mm_getcsr(), flushing = before | 0x8040;
  _mm_setcsr(flushing);
  ASSERT_TRUE(session->run(0, inputs).ok());
  EXPECT_EQ(_mm_getcsr() & 0x8040, 0x8040u) << "the caller's state is his";
  _mm_setcsr(before);
  float result;
  std::memcpy(&result, session->output(0, 0)->data(), 4);
  EXPECT_EQ(result, 1e-20f * 1e-20f);
  EXPECT_NE(result, 0);
}

namespace {
/// Pretends to be one of two ranks whose other rank has twice our values.
struct Doubling final : runtime::BlockingCommunicator {
  uint32_t rank() const override { return 0; }
  uint32_t size() const override { return 2; }
  Status allReduce(const void *source, void *result, uint64_t count, DType type,
                   runtime::ReduceKind kind) override {
    if (type != DType::F32)
      return {StatusCode::CollectiveFailed, "the peer has gone"};
    double factor = kind == runtime::ReduceKind::Sum       ? 3
                    : kind == runtime::ReduceKind::Average ? 1.5
                                                           : 2;
    for (uint64_t i = 0; i < count; ++i)
      static_cast<float *>(result)[i] =
          static_cast<float>(static_cast<const float *>(source)[i] * factor);
    return {};
  }
};
} // namespace

static HandMade makeAllReduce(ElementType type) {
  HandMade made;
  Arg first = made.arena(16), second = made.arena(4);
  auto collective = std::make_unique<CollectiveT>();
  collective->kind = ReduceKind::Average;
  collective->type = type;
  collective->counts = {4, 1};
  made.program.collectives.push_back(std::move(collective));
  made.program.names = {"all_reduce at a.mlir:7"};
  EntryT &entry = made.entry("step");
  Arg x = HandMade::input(entry, "x", ElementType::F32, {4});
  HandMade::record(entry, RecordKind::AllReduce, 0, {x, first, first, second},
                   1, 1, 0);
  HandMade::output(entry, "mean", ElementType::F32, {4}, first);
  return made;
}

static Status runAllReduce(ElementType type, bool alone, float *result) {
  HandMade made = makeAllReduce(type);
  SessionOptions options;
  if (!alone)
    options.communicator = std::make_unique<Doubling>();
  auto session = Session::create(load(made), std::move(options));
  EXPECT_TRUE((*session)->initialize(1).ok());
  float x[] = {1, 2, 3, 4};
  std::vector<Input> inputs = {{x, 16}};
  Status status = (*session)->run(0, inputs);
  if (status.ok())
    std::memcpy(result, (*session)->output(0, 0)->data(), 16);
  return status;
}

TEST(Session, AllReduceAsksTheCommunicator) {
  float result[4];
  ASSERT_TRUE(runAllReduce(ElementType::F32, false, result).ok());
  EXPECT_EQ(result[3], 6);
  ASSERT_TRUE(runAllReduce(ElementType::F32, true, result).ok());
  EXPECT_EQ(result[3], 4);
  EXPECT_EQ(runAllReduce(ElementType::I32, false, result).message(),
            "entry 'step', record 0 (all_reduce at a.mlir:7): rank 0 of 2: "
            "all-reduce (average) of 2 tensors, 20 bytes of i32: the peer has "
            "gone");
}

namespace {
/// Notes what it is told, and doubles when it is waited for.
struct Later final : runtime::Communicator {
  explicit Later(std::vector<std::string> &log) : log(log) {}
  uint32_t rank() const override { return 0; }
  uint32_t size() const override { return 2; }
  Status start(const runtime::Bucket &bucket, uint64_t &ticket) override {
    log.push_back("start " + std::to_string(bucket.tensors.size()));
    names.emplace_back(bucket.name);
    buckets.emplace_back(bucket.tensors.begin(), bucket.tensors.end());
    ticket = buckets.size();
    return buckets.size() == failsAt
               ? Status(StatusCode::CollectiveFailed, "the peer has gone")
               : Status();
  }
  Status finish(uint64_t ticket) override {
    log.push_back("finish " + std::to_string(ticket));
    for (const runtime::ReducedTensor &tensor : buckets[ticket - 1])
      for (uint64_t i = 0; i < tensor.count; ++i)
        static_cast<float *>(tensor.result)[i] =
            2 * static_cast<const float *>(tensor.source)[i];
    return {};
  }
  std::vector<std::string> &log;
  std::vector<std::vector<runtime::ReducedTensor>> buckets;
  std::vector<std::string> names;
  size_t failsAt = 0;
};
} // namespace

/// Two all-reduces are under way at a time, while x is copied elsewhere.
static HandMade makeOverlap() {
  HandMade made;
  Arg first = made.arena(16), second = made.arena(16), copy = made.arena(16);
  auto collective = std::make_unique<CollectiveT>();
  collective->type = ElementType::F32;
  collective->counts = {4};
  made.program.collectives.push_back(std::move(collective));
  EntryT &entry = made.entry("step");
  Arg x = HandMade::input(entry, "x", ElementType::F32, {4});
  HandMade::record(entry, RecordKind::AllReduceStart, 0, {x, first});
  HandMade::record(entry, RecordKind::AllReduceStart, 0, {x, second});
  HandMade::record(entry, RecordKind::Copy, 0, {x, copy}, 16);
  HandMade::record(entry, RecordKind::AllReduceDone, 0, {x, second}, 1);
  HandMade::record(entry, RecordKind::AllReduceDone, 0, {x, first}, 0);
  for (auto [name, place] : {std::pair{"first", first}, {"copy", copy}})
    HandMade::output(entry, name, ElementType::F32, {4}, place);
  return made;
}

TEST(Session, AllReducesGoOnBesideOtherRecords) {
  std::vector<std::string> log;
  SessionOptions options;
  options.communicator = std::make_unique<Later>(log);
  HandMade made = makeOverlap();
  auto session = Session::create(load(made), std::move(options));
  ASSERT_TRUE((*session)->initialize(1).ok());
  float x[] = {1, 2, 3, 4};
  std::vector<Input> inputs = {{x, 16}};
  ASSERT_TRUE((*session)->run(0, inputs).ok());
  EXPECT_EQ(log, (std::vector<std::string>{"start 1", "start 1", "finish 2",
                                           "finish 1"}));
  auto read = [&](uint32_t output) {
    return reinterpret_cast<const float *>(
        (*session)->output(0, output)->data())[3];
  };
  EXPECT_EQ(read(0), 8);
  EXPECT_EQ(read(1), 4);
}

// The session's memory is its own again when a run comes back.
TEST(Session, AllReducesUnderWayAreWaitedForAfterAFailure) {
  std::vector<std::string> log;
  SessionOptions options;
  auto ranks = std::make_unique<Later>(log);
  Later &later = *ranks;
  later.failsAt = 2;
  options.communicator = std::move(ranks);
  HandMade made = makeOverlap();
  auto session = Session::create(load(made), std::move(options));
  ASSERT_TRUE((*session)->initialize(1).ok());
  float x[] = {1, 2, 3, 4};
  std::vector<Input> inputs = {{x, 16}};
  Status status = (*session)->run(0, inputs);
  EXPECT_NE(status.message().find("record 1"), std::string::npos)
      << status.message();
  EXPECT_EQ(log, (std::vector<std::string>{"start 1", "start 1", "finish 1"}));
  EXPECT_EQ(later.names,
            (std::vector<std::string>{
                "bucket 1 of 2 of entry 'step' (1 tensor), record 0",
                "bucket 2 of 2 of entry 'step' (1 tensor), record 1"}));
  EXPECT_TRUE((*session)->run(0, inputs).ok());
}

// Each rank would train for itself.
TEST(Session, GroupNeedsAProgramThatReduces) {
  HandMade made;
  EntryT &entry = made.entry("step");
  Arg x = HandMade::input(entry, "x", ElementType::F32, {4});
  Arg copy = made.arena(16);
  HandMade::record(entry, RecordKind::Copy, 0, {x, copy}, 16, 1);
  SessionOptions options;
  options.communicator = std::make_unique<Doubling>();
  auto session = Session::create(load(made), std::move(options));
  ASSERT_FALSE(session);
  EXPECT_EQ(session.status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(session.status().message(),
            "expected a program that reduces its gradients, for a group of 2 "
            "ranks, but this one reduces none; compile it with "
            "--reduce=average");
}

TEST(Session, MemoryIsAsPlannedToTheByte) {
  HandMade made = makeLineProgram();
  made.program.calls.push_back(
      MatmulSpec{ElementType::F16, ElementType::F16, {8, 8}, {8, 8}, {8, 8}}
          .call());
  static uint64_t live; // of the counting allocator
  live = 0;
  SessionOptions options;
  options.threads = 2;
  options.allocator = runtime::Allocator{
      nullptr,
      [](void *, size_t bytes, size_t alignment) {
        live += bytes;
        EXPECT_GE(alignment, 256u);
        return std::aligned_alloc(alignment, (bytes + 255) / 256 * 256);
      },
      [](void *, void *memory, size_t bytes) {
        live -= bytes;
        std::free(memory);
      }};
  {
    auto session = Session::create(load(made), std::move(options));
    ASSERT_TRUE(session);
    runtime::MemoryUse use = (*session)->memory();
    EXPECT_EQ(use.planned.arena, made.program.arena_bytes);
    EXPECT_EQ(use.used.arena, use.planned.arena);
    EXPECT_EQ(use.used.state, made.program.state_bytes);
    EXPECT_EQ(use.used.workspace, use.planned.workspace);
    EXPECT_EQ(live, use.used.arena + use.used.state + use.used.workspace);
  }
  EXPECT_EQ(live, 0u);
}

/// One block: a second thread has nothing to keep.
TEST(Session, WorkspaceIsForWorkersThatHaveWork) {
  auto bytesOn = [](uint32_t threads) {
    HandMade made = makeLineProgram();
    made.program.calls.push_back(
        MatmulSpec{ElementType::F16, ElementType::F16, {8, 8}, {8, 8}, {8, 8}}
            .call());
    SessionOptions options;
    options.threads = threads;
    auto session = Session::create(load(made), std::move(options));
    EXPECT_TRUE(session);
    return (*session)->memory().planned.workspace;
  };
  EXPECT_GE(bytesOn(1), 8 * 8 * sizeof(float));
  EXPECT_EQ(bytesOn(7), bytesOn(1));
}

TEST(Session, OutOfMemoryIsAStatus) {
  HandMade made = makeLineProgram();
  made.program.memory.push_back(std::make_unique<MemoryCategoryT>());
  made.program.memory[0]->name = "parameters";
  made.program.memory[0]->bytes = 8;
  static int allowed;
  for (int n = 0; n < 2; ++n) {
    allowed = n;
    SessionOptions options;
    options.allocator = runtime::Allocator{
        nullptr,
        [](void *, size_t bytes, size_t alignment) -> void * {
          return allowed-- > 0 ? std::aligned_alloc(alignment, bytes) : nullptr;
        },
        [](void *, void *memory, size_t) { std::free(memory); }};
    auto session = Session::create(load(made), std::move(options));
    ASSERT_FALSE(session);
    EXPECT_EQ(session.status().code(), StatusCode::OutOfMemory);
    EXPECT_EQ(session.status().message(),
              std::string("no memory for ") +
                  (n == 0 ? "1024 bytes of state" : "768 bytes of arena") +
                  "; planned bytes: parameters 8, state 1024, arena 768, "
                  "workspace of library calls 0");
  }
}

TEST(Session, TooManyThreads) {
  HandMade made = makeLineProgram();
  SessionOptions options;
  options.threads = 100000;
  auto session = Session::create(load(made), std::move(options));
  EXPECT_EQ(session.status().message(),
            "expected at most 4096 threads, but got 100000");
}
