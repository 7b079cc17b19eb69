// Which records share what a call has made of an operand that stays, and that a
// product computes with the right matrix that is there now.
#include "../../lib/Runtime/Host/KeptOperands.h"
#include "Kernels.h"
#include "OpenSession.h"
#include "Values.h"

#include <cmath>
#include <cstdlib>
#include <string>

using namespace mpc;
using namespace mpc::test;
using runtime::KeptUse;

namespace {
/// Keeps its right matrix, in so many bytes.
class FakeCall final : public runtime::HostCall {
public:
  explicit FakeCall(uint64_t bytes) : bytes(bytes) {}
  runtime::HostWorkspace workspace() const override { return {}; }
  Status bind(const runtime::HostMemory &) override { return {}; }
  Status run(runtime::ThreadPool &, void *const *) override { return {}; }
  std::optional<uint32_t> keptOperand() const override { return 1; }
  uint64_t prepareKept() override {
    isPrepared = true;
    return bytes;
  }
  bool isPrepared = false;

private:
  uint64_t bytes;
};

/// A program with products of 2x4 by 4x4 in f32.
struct Planned {
  HandMade made;
  EntryT &entry = made.entry("step");
  Arg left = made.arena(32), out = made.arena(32), first = made.arena(64),
      second = made.arena(64);

  Planned() {
    for (int same = 0; same < 2; ++same)
      made.program.calls.push_back(
          MatmulSpec{F32, F32, {2, 4}, {4, 4}, {2, 4}}.call());
  }
  void product(Arg right, uint32_t call = 0) {
    HandMade::record(entry, RecordKind::Call, call, {left, right, out});
  }
  void products(int count, Arg right, uint32_t call = 0) {
    for (int i = 0; i < count; ++i)
      product(right, call);
  }
  std::vector<std::unique_ptr<runtime::HostCall>> calls;
  bool isPrepared() const {
    return static_cast<const FakeCall &>(*calls[0]).isPrepared;
  }
  /// "2*0 3@0": record 2 makes what is at offset 0, record 3 finds it there.
  std::string plan(uint64_t *bytes = nullptr, uint64_t ofOne = 128) {
    std::shared_ptr<const runtime::Program> loaded = load(made);
    const program::Program &program = *loaded->file();
    calls.clear();
    for (int i = 0; i < 2; ++i)
      calls.push_back(std::make_unique<FakeCall>(ofOne));
    runtime::KeptPlan found =
        runtime::planKeptOperands(program, *program.entries()->Get(0), calls);
    std::string text;
    for (const KeptUse &use : found.uses)
      text += std::to_string(use.record) + (use.isFirst ? "*" : "@") +
              std::to_string(use.offset) + " ";
    if (bytes)
      *bytes = found.bytes;
    return text;
  }
};
} // namespace

TEST(KeptOperands, OfSixRunsAndMore) {
  Planned few, enough;
  few.products(5, few.first);
  EXPECT_EQ(few.plan(), "");
  EXPECT_FALSE(few.isPrepared());
  enough.products(6, enough.first);
  uint64_t bytes = 0;
  EXPECT_EQ(enough.plan(&bytes), "0*0 1@0 2@0 3@0 4@0 5@0 ");
  EXPECT_EQ(bytes, 128u);
  EXPECT_TRUE(enough.isPrepared());
  EXPECT_EQ(enough.plan(&bytes, 0), "") << "nothing is gained";
  EXPECT_EQ(bytes, 0u);
}

TEST(KeptOperands, AWriteBetweenEndsThem) {
  Planned planned;
  planned.products(6, planned.first);
  HandMade::record(planned.entry, RecordKind::Fill, 0, {planned.first}, 4);
  planned.products(6, planned.first);
  EXPECT_EQ(planned.plan(),
            "0*0 1@0 2@0 3@0 4@0 5@0 7*0 8@0 9@0 10@0 11@0 12@0 ");
}

TEST(KeptOperands, AWriteBesideDoesNot) {
  Planned planned;
  planned.products(3, planned.first);
  Arg behind(Space::Arena, 0, planned.first.offset() + 64);
  HandMade::record(planned.entry, RecordKind::Fill, 0, {behind}, 64);
  Arg before(Space::Arena, 0, planned.first.offset() - 32);
  HandMade::record(planned.entry, RecordKind::Fill, 0, {before}, 32);
  planned.products(3, planned.first);
  EXPECT_EQ(planned.plan(), "0*0 1@0 2@0 5@0 6@0 7@0 ");
  // Its last byte.
  HandMade::record(planned.entry, RecordKind::Fill, 0,
                   {Arg(Space::Arena, 0, planned.first.offset() + 63)}, 1);
  planned.products(2, planned.first);
  EXPECT_EQ(planned.plan(), "0*0 1@0 2@0 5@0 6@0 7@0 ");
}

TEST(KeptOperands, WhatIsKeptAtOneTimeLiesApart) {
  Planned planned;
  for (int i = 0; i < 6; ++i) {
    planned.product(planned.first);
    planned.product(planned.second, 1);
  }
  planned.products(6, planned.second); // by another call: another layout
  uint64_t bytes = 0;
  EXPECT_EQ(planned.plan(&bytes),
            "0*0 1*128 2@0 3@128 4@0 5@128 6@0 7@128 8@0 9@128 10@0 11@128 "
            "12*0 13@0 14@0 15@0 16@0 17@0 ");
  EXPECT_EQ(bytes, 256u);
}

TEST(KeptOperands, KernelsReadTheirOperandsAndWriteTheirResults) {
  Planned planned;
  planned.made.code("x86-64-v3", readKernels());
  uint32_t kernel = planned.made.kernel("k_affine", {32, 32});
  planned.products(3, planned.first);
  HandMade::record(planned.entry, RecordKind::Launch, kernel,
                   {planned.first, planned.out}, 8, 8);
  planned.products(3, planned.first);
  EXPECT_EQ(planned.plan(), "0*0 1@0 2@0 4@0 5@0 6@0 ");
  HandMade::record(planned.entry, RecordKind::Launch, kernel,
                   {planned.out, planned.first}, 8, 8);
  planned.products(6, planned.first);
  EXPECT_EQ(planned.plan(), "0*0 1@0 2@0 4@0 5@0 6@0 8*0 9@0 10@0 11@0 12@0 "
                            "13@0 ");
}

/// Eight products of one weight, then it becomes another, then eight more; of
/// the last left matrix of each the result is an output.
TEST(KeptOperands, TheMatrixThatIsThereNow) {
  constexpr int64_t m = 32, k = 96, n = 384, times = 8;
  for (ElementType type : {F32, BF16}) {
    HandMade made;
    EntryT &step = made.entry("step");
    made.program.calls.push_back(
        MatmulSpec{type, F32, {m, k}, {k, n}, {m, n}}.call());
    uint64_t width = type == F32 ? 4 : 2;
    Arg weight = made.state("w", type, {k, n});
    Arg left = HandMade::input(step, "x", type, {m, k});
    Arg results[] = {made.arena(m * n * 4), made.arena(m * n * 4)};
    for (int half = 0; half < 2; ++half) {
      Arg right = HandMade::input(step, half ? "v" : "w", type, {k, n});
      HandMade::record(step, RecordKind::Copy, 0, {right, weight},
                       k * n * width);
      for (int i = 0; i < times; ++i)
        HandMade::record(step, RecordKind::Call, 0,
                         {left, weight, results[half]});
      HandMade::output(step, half ? "b" : "a", F32, {m, n}, results[half]);
    }
    Values x = makeRandom(type, m * k, 1);
    Values rights[] = {makeRandom(type, k * n, 2), makeRandom(type, k * n, 3)};
    std::vector<uint8_t> first;
    for (uint32_t threads : {1, 2, 3}) {
      auto session = open(made, threads);
      ASSERT_TRUE(session->initialize(1).ok());
      ASSERT_TRUE(
          session
              ->run(0,
                    std::vector<runtime::Input>{
                        {x.bytes.data(), x.bytes.size()},
                        {rights[0].bytes.data(), rights[0].bytes.size()},
                        {rights[1].bytes.data(), rights[1].bytes.size()}})
              .ok());
      for (int half = 0; half < 2; ++half) {
        auto output = session->output(0, half);
        ASSERT_TRUE(output) << output.status().message();
        Values found(F32, m * n);
        found.bytes.assign(output->begin(), output->end());
        found.decode();
        for (int64_t at : {int64_t(0), n + 1, 16 * n, m * n - 1}) {
          double sum = 0;
          for (int64_t p = 0; p < k; ++p)
            sum += x.exact[at / n * k + p] * rights[half].exact[p * n + at % n];
          EXPECT_NEAR(found.exact[at], sum, 1e-4) << half << ", " << at;
        }
        if (half == 1 && threads == 1)
          first = found.bytes;
        if (half == 1)
          EXPECT_EQ(first, found.bytes) << threads << " threads";
      }
    }
  }
}

/// Whether oneDNN asks for another layout than a right matrix has.
static bool canKeep() {
  const char *limit = std::getenv("ONEDNN_MAX_CPU_ISA");
  return runtime::canRun("x86-64-v4") &&
         !(limit && limit == std::string("AVX2"));
}

namespace {
/// A session whose step multiplies with one matrix so many times, in so much
/// memory, and what it has told and found.
struct Loop {
  static constexpr int64_t m = 32, k = 96, n = 384;
  static inline uint64_t allowed;

  explicit Loop(int times, uint64_t memory = UINT64_MAX) {
    EntryT &step = made.entry("step");
    made.program.calls.push_back(
        MatmulSpec{F32, F32, {m, k}, {k, n}, {m, n}}.call());
    Arg weight = made.state("w", F32, {k, n});
    Arg left = HandMade::input(step, "x", F32, {m, k});
    Arg right = HandMade::input(step, "w", F32, {k, n});
    Arg result = made.arena(m * n * 4);
    HandMade::record(step, RecordKind::Copy, 0, {right, weight}, k * n * 4);
    for (int i = 0; i < times; ++i)
      HandMade::record(step, RecordKind::Call, 0, {left, weight, result});
    HandMade::output(step, "y", F32, {m, n}, result);
    allowed = memory;
    SessionOptions options;
    options.threads = 2;
    options.log = [this](runtime::LogLevel, const std::string &line) {
      told += line + "\n";
    };
    options.allocator = runtime::Allocator{
        nullptr,
        [](void *, size_t bytes, size_t alignment) -> void * {
          if (bytes > allowed)
            return nullptr;
          allowed -= bytes;
          return std::aligned_alloc(alignment, (bytes + alignment - 1) /
                                                   alignment * alignment);
        },
        [](void *, void *block, size_t) { std::free(block); }};
    auto opened = Session::create(load(made), std::move(options));
    status = opened.status();
    if (opened)
      session = std::move(*opened);
  }
  bool isKept() const {
    return told.find("where the right matrix stays") != std::string::npos;
  }
  uint64_t workspace() const { return session->memory().used.workspace; }
  std::vector<uint8_t> run() {
    Values x = makeRandom(F32, m * k, 1), w = makeRandom(F32, k * n, 2);
    EXPECT_TRUE(session->initialize(1).ok());
    EXPECT_TRUE(
        session
            ->run(0,
                  std::vector<runtime::Input>{{x.bytes.data(), x.bytes.size()},
                                              {w.bytes.data(), w.bytes.size()}})
            .ok());
    auto output = session->output(0, 0);
    EXPECT_TRUE(output) << output.status().message();
    return {output->begin(), output->end()};
  }

  HandMade made;
  std::string told;
  Status status;
  std::unique_ptr<Session> session;
};
} // namespace

TEST(KeptOperands, VerboseTellsOfThemAlone) {
  Loop few(5), enough(6);
  ASSERT_TRUE(few.session && enough.session);
  EXPECT_FALSE(few.isKept()) << few.told;
  EXPECT_EQ(enough.isKept(), canKeep()) << enough.told;
  EXPECT_EQ(enough.workspace() > few.workspace(), canKeep());
}

/// A session that has memory for all but what is kept runs as one that keeps
/// nothing.
TEST(KeptOperands, NothingFailsForThem) {
  Loop few(5), enough(6);
  ASSERT_TRUE(few.session && enough.session);
  uint64_t plan = few.made.program.state_bytes + few.made.program.arena_bytes;
  Loop tight(6, plan + enough.workspace() - canKeep());
  ASSERT_TRUE(tight.session) << tight.status.message();
  EXPECT_FALSE(tight.isKept()) << tight.told;
  EXPECT_EQ(tight.workspace(), few.workspace());
  EXPECT_EQ(tight.run(), few.run());
  Loop none(6, plan - 1);
  EXPECT_FALSE(none.session);
  EXPECT_EQ(none.status.code(), StatusCode::OutOfMemory);
}
