// A step allocates nothing. malloc itself is replaced and counted; calls that
// come from inside oneDNN (its execute builds a small map of arguments and
// frees it) are counted apart.
#include "LineProgram.h"
#include "ReplacedMalloc.h"
#include "mpc/Runtime/Session.h"

#include <atomic>
#include <gtest/gtest.h>
#include <malloc.h>

using namespace mpc;
using namespace mpc::test;

#ifndef MPC_SANITIZED
static std::atomic<bool> counting{false};
static std::atomic<long> own{0}, foreign{0};
static const LibraryCode *dnnl = nullptr;

bool test::mayAllocate(const void *caller) {
  if (counting.load(std::memory_order_relaxed))
    (dnnl->holds(caller) ? foreign : own)++;
  return true;
}

static HandMade makeProgram() {
  HandMade made = makeLineProgram();
  EntryT &step = *made.program.entries[1];
  for (ElementType type : {ElementType::F64, ElementType::F32, ElementType::F16,
                           ElementType::BF16}) {
    Arg lhs = made.arena(64 * 256 * 8), rhs = made.arena(256 * 128 * 8),
        out = made.arena(64 * 128 * 8);
    made.program.calls.push_back(
        MatmulSpec{type, type, {64, 256}, {256, 128}, {64, 128}}.call());
    auto target = static_cast<uint32_t>(made.program.calls.size() - 1);
    HandMade::record(step, RecordKind::Fill, 0, {lhs}, 64 * 256 * 8);
    HandMade::record(step, RecordKind::Fill, 0, {rhs}, 256 * 128 * 8);
    for (int time = 0; time < 8; ++time) // the right matrix stays
      HandMade::record(step, RecordKind::Call, target, {lhs, rhs, out});
  }
  uint32_t affine = made.kernel("k_affine", {65536 * 4, 65536 * 4});
  Arg x = made.arena(65536 * 4), y = made.arena(65536 * 4);
  HandMade::record(step, RecordKind::Fill, 0, {x}, 65536 * 4);
  HandMade::record(step, RecordKind::Launch, affine, {x, y}, 65536, 64);
  return made;
}
#endif

TEST(Allocation, NonePerStep) {
#ifdef MPC_SANITIZED
  GTEST_SKIP() << "the sanitizer owns malloc";
#else
  HandMade made = makeProgram();
  auto program = runtime::Program::copy(*serialize(made.program),
                                        {.allowCode = true, .log = {}});
  ASSERT_TRUE(program) << program.status().message();
  runtime::SessionOptions options;
  options.threads = 3;
  auto session = runtime::Session::create(*program, std::move(options));
  ASSERT_TRUE(session) << session.status().message();
  ASSERT_TRUE((*session)->initialize(1).ok());
  LibraryCode code({"libdnnl"});
  ASSERT_FALSE(code.isEmpty());
  dnnl = &code;
  float x[32] = {}, t[32] = {};
  const runtime::Input inputs[] = {{x, 128}, {t, 128}};
  auto run = [&](int steps) {
    bool ok = true;
    for (int i = 0; i < steps; ++i)
      ok &= (*session)->run(1, inputs).ok() &&
            static_cast<bool>((*session)->stepReport(0));
    return ok;
  };
  // Warm-up: the loader allocates once for each thread that enters oneDNN, and
  // on a busy machine a worker may join late. Then a round must be clean.
  size_t before = 0;
  for (int round = 0; round < 10; ++round) {
    before = mallinfo2().uordblks;
    own = 0;
    counting = true;
    bool ok = run(500);
    counting = false;
    ASSERT_TRUE(ok);
    if (own == 0)
      break;
    EXPECT_LE(own, 8) << "the runtime allocates in every step";
  }
  EXPECT_EQ(own, 0) << "the runtime allocates while it runs";
  // The least leak is 16 bytes a step; the allocator's own caches come and go.
  EXPECT_LT(mallinfo2().uordblks, before + 8000) << "a step keeps memory";
  RecordProperty("allocations_inside_onednn", static_cast<int>(foreign));

  counting = true; // the counter counts
  std::free(std::malloc(8));
  counting = false;
  EXPECT_EQ(own, 1);
#endif
}
