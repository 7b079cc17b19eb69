// Attention as a call, on every instruction set that the machine has, against
// its definition in f64: types, odd shapes, shared heads, masks, windows,
// packed operands, dropout, queries that see nothing; and the same bits on any
// number of threads, wherever results lie.
#include "../../lib/Runtime/Host/Calls/Attention/InstructionSets.h"
#include "AttentionProblem.h"
#include "LineProgram.h"
#include "OpenSession.h"

#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::test;
using runtime::attention::HeadKernels;

/// Calls `visit` with the kernels for `type` that run here.
template <typename Visit>
static void forEachKernels(ElementType type, Visit visit) {
  using namespace runtime::attention;
  Element element = type == ElementType::F32   ? Element::F32
                    : type == ElementType::F16 ? Element::F16
                                               : Element::BF16;
  for (const InstructionSet &set : findInstructionSets(element)) {
    SCOPED_TRACE(set.name);
    visit(*set.kernels);
  }
}

static void check(const Spec &spec, uint32_t seed) {
  Problem problem(spec, seed);
  forEachKernels(spec.type, [&](const HeadKernels &kernels) {
    problem.checkForward(kernels);
    problem.checkBackward(kernels);
  });
}

static constexpr ElementType kTypes[] = {ElementType::F32, ElementType::F16,
                                         ElementType::BF16};

TEST(Attention, OddShapes) {
  for (ElementType type : kTypes)
    for (int64_t queries : {1, 7, 32, 33, 70})
      for (int64_t keys : {1, 9, 65, 130}) {
        SCOPED_TRACE(std::to_string(queries) + " x " + std::to_string(keys));
        check({.type = type,
               .batch = 2,
               .queries = queries,
               .keys = keys,
               .heads = 2,
               .keyHeads = 2,
               .width = 5,
               .valueWidth = 19},
              1);
      }
}

TEST(Attention, LongRowsInSeveralTasks) {
  for (ElementType type : kTypes)
    for (int64_t window : {0, 151}) {
      Spec spec{.type = type, .queries = 600, .keys = 600, .heads = 2};
      spec.width = spec.valueWidth = 64;
      spec.causal = spec.isPacked = true;
      spec.window = window;
      spec.mask = window ? Mask::Bool : Mask::None;
      check(spec, 2);
    }
}

/// Rows so far apart that they are gathered first.
TEST(Attention, RowsFarApart) {
  for (ElementType type : kTypes)
    for (int64_t window : {0, 1000})
      check({.type = type,
             .queries = 3,
             .keys = 3000,
             .heads = 24,
             .keyHeads = 24,
             .width = 32,
             .valueWidth = 31,
             .window = window},
            9);
}

/// Windows that hold no key: of a whole task, of a block, of the last queries.
TEST(Attention, EmptyWindows) {
  for (ElementType type : kTypes)
    for (int64_t queries : {48, 256, 300})
      for (int64_t keys : {9, 10})
        for (int64_t window : {1, 2, 4, 30}) {
          SCOPED_TRACE(std::to_string(queries) + " x " + std::to_string(keys) +
                       ", window " + std::to_string(window));
          check({.type = type,
                 .queries = queries,
                 .keys = keys,
                 .width = 64,
                 .valueWidth = 33,
                 .causal = window == 4,
                 .window = window},
                6);
        }
}

/// Scores far beyond what exponentials hold: the largest takes all. (What is
/// rounded off such scores decides where two are near, so few queries.)
TEST(Attention, LargeScores) {
  for (ElementType type : kTypes)
    for (double size : {8000.0, 1e8}) {
      if (size > 8000 && type == ElementType::F16)
        continue;
      SCOPED_TRACE(size);
      Problem problem({.type = type,
                       .queries = 20,
                       .keys = 300,
                       .width = 64,
                       .valueWidth = 20,
                       .size = size},
                      8);
      forEachKernels(type, [&](const HeadKernels &kernels) {
        problem.checkForward(kernels);
      });
    }
}

/// What each of many blocks of keys is off by adds up.
TEST(Attention, ManyKeys) {
  for (ElementType type : kTypes)
    check({.type = type, .keys = 70000, .width = 3, .valueWidth = 2}, 7);
}

TEST(Attention, WritesWhatIsAskedFor) {
  for (ElementType type : kTypes) {
    Problem problem({.type = type,
                     .queries = 40,
                     .keys = 50,
                     .heads = 4,
                     .keyHeads = 2,
                     .width = 9,
                     .valueWidth = 6,
                     .dropout = 0.25},
                    5);
    forEachKernels(
        type, [&](const HeadKernels &kernels) { problem.checkParts(kernels); });
  }
}

TEST(Attention, Dropout) {
  for (ElementType type : kTypes)
    for (double ratio : {0.1, 0.5, 0.99998})
      for (int64_t keys : {1, 7, 66, 133}) {
        SCOPED_TRACE(std::to_string(ratio) + ", " + std::to_string(keys));
        check({.type = type,
               .batch = 2,
               .queries = 70,
               .keys = keys,
               .heads = 4,
               .keyHeads = 2,
               .width = 8,
               .valueWidth = 5,
               .window = keys == 133 ? 30 : 0,
               .dropout = ratio},
              4);
      }
}

TEST(Attention, RandomProblems) {
  std::mt19937 random(3);
  auto pick = [&](int64_t below) { return int64_t(random() % below); };
  for (uint32_t seed = 0; seed < 200; ++seed) {
    Spec spec;
    spec.type = kTypes[pick(3)];
    spec.batch = 1 + pick(2);
    spec.keyHeads = 1 + pick(2);
    spec.heads = spec.keyHeads * (1 + pick(3));
    spec.queries = 1 + pick(80);
    spec.keys = pick(2) ? spec.queries : 1 + pick(150);
    spec.width = 1 + pick(40);
    spec.valueWidth = pick(2) ? spec.width : 1 + pick(40);
    spec.causal = pick(2);
    spec.window = pick(3) ? 0 : 1 + pick(60);
    constexpr double kCaps[] = {1.5, 50, 1000};
    spec.softcap = pick(3) ? 0 : kCaps[pick(3)];
    spec.mask = Mask(pick(4));
    spec.dropout = pick(4) ? 0 : 0.25;
    // Beside the least number of f16, f32 has no digits left for scores.
    if (spec.mask == Mask::Least &&
        (spec.queries == 1 || spec.type == ElementType::F16))
      spec.mask = Mask::Float;
    spec.isPacked =
        spec.queries == spec.keys && spec.width == spec.valueWidth && pick(2);
    SCOPED_TRACE("problem " + std::to_string(seed));
    check(spec, seed);
    if (testing::Test::HasFailure())
      break;
  }
}

/// Strides of 0 let a small file state rows that there is no memory to pack.
TEST(Attention, WorkspaceThatWraps) {
  constexpr int64_t keys = (int64_t(1) << 30) - 48, width = 1 << 24;
  HandMade line = makeLineProgram();
  auto call = std::make_unique<CallT>();
  call->options.Set(program::AttentionT());
  auto add = [&](OperandRole role, int64_t times, bool written) {
    auto operand = std::make_unique<program::CallOperandT>();
    operand->role = role;
    operand->type = ElementType::F16;
    operand->shape = {1, times, 1, width};
    operand->strides = {0, 0, 0, 1};
    if (written)
      operand->strides = program::getDenseStrides(operand->shape);
    operand->written = written;
    call->operands.push_back(std::move(operand));
  };
  add(OperandRole::Query, 1, false);
  add(OperandRole::Key, keys, false);
  add(OperandRole::Value, keys, false);
  add(OperandRole::Result, 1, true);
  line.program.calls.push_back(std::move(call));
  Arg row = line.arena(2 * width), result = line.arena(2 * width);
  HandMade::record(*line.program.entries[1], RecordKind::Call, 0,
                   {row, row, row, result});
  auto program = load(line);
  for (uint32_t threads : {1, 37, 64, 128}) {
    runtime::SessionOptions options;
    options.threads = threads;
    auto session = Session::create(program, std::move(options));
    ASSERT_FALSE(session) << threads;
    EXPECT_EQ(session.status().code(), StatusCode::OutOfMemory)
        << session.status().message();
  }
}
