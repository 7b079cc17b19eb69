// Which records share what a call has made of an operand that stays, and that a
// product computes with the right matrix that is there now.
#include "../../lib/Runtime/Host/KeptOperands.h"
#include "Kernels.h"
#include "OpenSession.h"
#include "Values.h"

#include <cmath>
#include <string>

using namespace mpc;
using namespace mpc::test;
using runtime::KeptUse;

namespace {
/// Keeps its right matrix, in 128 bytes.
class FakeCall final : public runtime::HostCall {
public:
  runtime::HostWorkspace workspace() const override { return {}; }
  Status bind(const runtime::HostMemory &) override { return {}; }
  Status run(runtime::ThreadPool &, void *const *) override { return {}; }
  std::optional<runtime::KeptOperand> keptOperand() const override {
    return runtime::KeptOperand{1, 128};
  }
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
  /// "2*0 3@0": record 2 makes what is at offset 0, record 3 finds it there.
  std::string plan(uint64_t *bytes = nullptr) {
    std::shared_ptr<const runtime::Program> loaded = load(made);
    const program::Program &program = *loaded->file();
    std::vector<std::unique_ptr<runtime::HostCall>> calls;
    for (int i = 0; i < 2; ++i)
      calls.push_back(std::make_unique<FakeCall>());
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
  enough.products(6, enough.first);
  uint64_t bytes = 0;
  EXPECT_EQ(enough.plan(&bytes), "0*0 1@0 2@0 3@0 4@0 5@0 ");
  EXPECT_EQ(bytes, 128u);
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
