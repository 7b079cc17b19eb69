// Products of every type, epilogue, transpose and batch.
#include "MatmulProblem.h"
#include "mpc/Runtime/Program.h"

#include <cmath>
#include <cstdlib>

using namespace mpc;
using namespace mpc::test;

TEST(Matmul, ShapesAndTransposes) {
  struct Size {
    int64_t m, k, n;
  };
  for (auto [operand, result] : kTypes)
    for (Size s : {Size{1, 1, 1}, Size{3, 5, 7}, Size{64, 784, 128},
                   Size{128, 64, 10}, Size{17, 33, 65}})
      for (int swapped = 0; swapped < 4; ++swapped) {
        bool left = swapped & 1, right = swapped & 2;
        MatmulSpec spec = {operand,
                           result,
                           left ? Dims{s.k, s.m} : Dims{s.m, s.k},
                           right ? Dims{s.n, s.k} : Dims{s.k, s.n},
                           {s.m, s.n},
                           left,
                           right};
        SCOPED_TRACE(describe(spec));
        checkProduct(spec);
      }
}

static void checkEpilogues(ElementType operand, ElementType result) {
  for (bool bias : {false, true})
    for (int e = 0; e <= static_cast<int>(Epilogue::MAX); ++e) {
      MatmulSpec spec = {operand, result, {12, 20}, {20, 37}, {12, 37}};
      spec.bias = bias;
      spec.epilogue = static_cast<Epilogue>(e);
      SCOPED_TRACE(describe(spec));
      checkProduct(spec);
    }
}

TEST(Matmul, EpiloguesAndBias) {
  for (auto [operand, result] : kTypes)
    checkEpilogues(operand, result);
}

TEST(Matmul, BatchesBroadcast) {
  struct Batch {
    Dims lhs, rhs, out;
  };
  const Batch batches[] = {
      {{4, 6, 8}, {4, 8, 5}, {4, 6, 5}},
      {{4, 6, 8}, {8, 5}, {4, 6, 5}}, // folds into rows
      {{6, 8}, {4, 8, 5}, {4, 6, 5}},
      {{2, 1, 6, 8}, {3, 8, 5}, {2, 3, 6, 5}},
      {{2, 3, 6, 8}, {2, 3, 8, 5}, {2, 3, 6, 5}},
      {{1, 6, 8}, {1, 8, 5}, {1, 6, 5}},
  };
  for (auto [operand, result] : kTypes)
    for (const Batch &batch : batches) {
      MatmulSpec spec = {operand, result, batch.lhs, batch.rhs, batch.out};
      spec.bias = true;
      SCOPED_TRACE(describe(spec));
      checkProduct(spec);
    }
}

/// Many small matrices whose numbers and sizes nothing divides.
TEST(Matmul, OddBatches) {
  for (auto [operand, result] : kTypes)
    for (int swapped = 0; swapped < 4; ++swapped)
      for (Dims size : {Dims{7, 5, 3, 9}, Dims{37, 33, 17, 31},
                        Dims{5, 1, 65, 19}, Dims{3, 70, 1, 1}}) {
        int64_t g = size[0], m = size[1], k = size[2], n = size[3];
        bool left = swapped & 1, right = swapped & 2;
        MatmulSpec spec = {operand,
                           result,
                           left ? Dims{3, g, k, m} : Dims{3, g, m, k},
                           right ? Dims{3, 1, n, k} : Dims{3, 1, k, n},
                           {3, g, m, n},
                           left,
                           right};
        spec.epilogue = Epilogue::Tanh;
        SCOPED_TRACE(describe(spec));
        checkProduct(spec);
      }
}

/// What a call of a batch of g products, m x k by k x n, says that it does, and
/// with a right matrix that is kept, where it can.
static std::string describeCall(ElementType type, Dims size, bool right = false,
                                bool keeps = false) {
  int64_t g = size[0], m = size[1], k = size[2], n = size[3];
  MatmulSpec spec = {
      type,      type,  {g, m, k}, right ? Dims{g, n, k} : Dims{g, k, n},
      {g, m, n}, false, right};
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(program::Call::Pack(builder, spec.call().get()));
  auto made = runtime::makeHostCall(
      *flatbuffers::GetRoot<program::Call>(builder.GetBufferPointer()), 2);
  if (!made)
    return made.status().message();
  if (keeps && (*made)->keptOperand())
    (*made)->prepareKept();
  return (*made)->describe();
}

/// A batch of small matrices is no call of the library for each, nor a task.
TEST(Matmul, SmallMatricesShareTasks) {
  bool isGrouped = runtime::canRun("x86-64-v4");
  EXPECT_EQ(describeCall(F32, {48, 64, 64, 64}),
            isGrouped
                ? "matmul f32 48 of 64x64x64: 1x1 blocks of 64x64, 4096 "
                  "elements copied of 4096, 3 of them a call"
                : "matmul f32 48 of 64x64x64: 1x1 blocks of 64x64, 0 elements "
                  "copied of 0, 2 blocks a task, by our kernels");
  EXPECT_EQ(describeCall(F16, {256, 16, 32, 32}),
            "matmul f16 256 of 16x32x32: 1x1 blocks of 16x32, 1536 elements "
            "copied of 1536, 32 blocks a task, as f32 by our kernels");
  // Large ones are the library's, and few rows by many columns that are turned.
  EXPECT_EQ(describeCall(F32, {48, 96, 96, 96}),
            "matmul f32 48 of 96x96x96: 1x1 blocks of 96x96, 9216 elements "
            "copied of 9216, 2 of them a call");
  EXPECT_EQ(describeCall(F32, {64, 1, 64, 256}, true),
            "matmul f32 64 of 1x64x256: 1x1 blocks of 1x256, 16384 elements "
            "copied of 16384, 32 of them a call");
  EXPECT_EQ(describeCall(F32, {8, 256, 64, 256}),
            "matmul f32 8 of 256x64x256: 1x1 blocks of 256x256, 16384 elements "
            "copied of 16384");
}

/// oneDNN's kernels for AVX2 copy no operand of few rows, and read a right
/// matrix slowly whose rows begin a multiple of a page apart: ours pack it.
TEST(Matmul, RightRowsThatBeginPagesApart) {
  for (int64_t rows : {64, 200})
    for (int64_t inner : {30, 70}) {
      MatmulSpec spec = {F32, F32, {rows, inner}, {inner, 1024}, {rows, 1024}};
      spec.bias = true;
      spec.epilogue = Epilogue::Relu;
      SCOPED_TRACE(describe(spec));
      checkProduct(spec);
    }
  bool isAvx2 = !runtime::canRun("x86-64-v4");
  auto isOurs = [](Dims size) {
    return describeCall(F32, size).ends_with("by our kernels");
  };
  EXPECT_EQ(isOurs({1, 64, 300, 1024}), isAvx2);
  EXPECT_EQ(isOurs({1, 256, 300, 2048}), isAvx2);
  EXPECT_FALSE(isOurs({1, 32, 300, 1024}));  // too few for what packing takes
  EXPECT_FALSE(isOurs({1, 256, 300, 1040})); // no pages
  EXPECT_FALSE(isOurs({1, 600, 30, 1024}));  // copied by oneDNN
}

/// Steps of time of a recurrent layer: its weight is packed once for all of
/// them, and rows are cut where there are enough.
TEST(Matmul, RightMatricesThatStay) {
  for (auto [operand, result] : kTypes)
    for (Dims size : {Dims{32, 128, 320}, Dims{31, 130, 321}, Dims{66, 96, 200},
                      Dims{5, 511, 500}})
      for (bool right : {false, true}) {
        int64_t m = size[0], k = size[1], n = size[2];
        MatmulSpec spec = {
            operand, result, {m, k}, right ? Dims{n, k} : Dims{k, n},
            {m, n},  false,  right};
        spec.bias = true;
        spec.epilogue = Epilogue::Tanh;
        SCOPED_TRACE(describe(spec));
        checkProduct(spec);
      }
}

TEST(Matmul, SaysHowItIsCutWhereTheRightMatrixStays) {
  const char *limit = std::getenv("ONEDNN_MAX_CPU_ISA");
  if (!runtime::canRun("x86-64-v4") || (limit && limit == std::string("AVX2")))
    GTEST_SKIP() << "with AVX2 oneDNN asks for no layout";
  auto isKept = [](Dims size) {
    return describeCall(F32, size, false, true).find("stays") !=
           std::string::npos;
  };
  EXPECT_EQ(describeCall(F32, {1, 32, 256, 1024}),
            "matmul f32 32x256x1024: 1x2 blocks of 32x512, 262144 elements "
            "copied of 262144");
  EXPECT_EQ(describeCall(F32, {1, 32, 256, 1024}, false, true),
            "matmul f32 32x256x1024: 1x2 blocks of 32x512, 262144 elements "
            "copied of 262144; 2 blocks of 16 rows where the right matrix "
            "stays");
  EXPECT_TRUE(isKept({1, 256, 256, 1024}));
  EXPECT_FALSE(isKept({1, 257, 256, 1024})); // many rows
  EXPECT_FALSE(isKept({1, 32, 64, 64}));     // by our kernels
  EXPECT_FALSE(isKept({2, 32, 256, 1024}));  // a right matrix for each left
}

/// Columns that are read as rows, many to one right matrix.
TEST(Matmul, TransposedRowsOfABatch) {
  for (auto [operand, result] : kTypes)
    for (int64_t inner : {1, 7}) {
      MatmulSpec spec = {operand,    result,       {2, 3, inner, 1},
                         {inner, 5}, {2, 3, 1, 5}, true,
                         false};
      SCOPED_TRACE(describe(spec));
      checkProduct(spec);
    }
}

/// Large enough to be cut into blocks that do not divide the shape, and into
/// panels within them.
static void checkUnevenBlocks(ElementType operand, ElementType result) {
  for (int swapped = 0; swapped < 4; ++swapped) {
    bool left = swapped & 1, right = swapped & 2;
    MatmulSpec spec = {operand,
                       result,
                       left ? Dims{300, 500} : Dims{500, 300},
                       right ? Dims{700, 300} : Dims{300, 700},
                       {500, 700},
                       left,
                       right};
    spec.bias = true;
    spec.epilogue = Epilogue::Relu;
    SCOPED_TRACE(describe(spec));
    checkProduct(spec);
  }
}

TEST(Matmul, BlocksOfUnevenShapes) {
  for (auto [operand, result] : kTypes)
    if (operand != F64) // one sum per element: blocks cannot matter
      checkUnevenBlocks(operand, result);
}

/// Blocks whose sums are bounded, more columns than a panel has, strips below
/// and at the right, and a last block whose one panel is wider than the two of
/// the first.
static void checkRoundedBlocks(ElementType type) {
  for (Dims sizes : {Dims{700, 3, 1201}, Dims{3001, 2, 333}, Dims{9, 530, 2600},
                     Dims{64, 40, 2049}}) {
    MatmulSpec spec = {type,
                       type,
                       {sizes[0], sizes[1]},
                       {sizes[1], sizes[2]},
                       {sizes[0], sizes[2]}};
    spec.bias = true;
    SCOPED_TRACE(describe(spec));
    checkProduct(spec);
  }
}

TEST(Matmul, RoundedBlocks) {
  for (ElementType type : {F16, BF16})
    checkRoundedBlocks(type);
}

/// All kernels that the processor runs, f32 of any size, and bf16 even where it
/// has instructions for it.
TEST(Matmul, KernelsOfEachInstructionSet) {
  for (const runtime::PackedKernels &set : runtime::findPackedKernels()) {
    SCOPED_TRACE(set.name);
    UseKernels guard(*set.kernels);
    for (auto [operand, result] : kTypes)
      if (operand != F64) {
        checkUnevenBlocks(operand, result);
        checkEpilogues(operand, result);
        checkRoundedBlocks(operand);
      }
  }
}

TEST(Matmul, InfinityAndNanPass) {
  for (auto [operand, result] : kTypes) {
    MatmulSpec spec = {operand, result, {1, 2}, {2, 1}, {1, 1}};
    Values lhs(operand, 2), rhs(operand, 2), bias(result, 1);
    auto product = [&](double left) {
      lhs.set(0, left);
      lhs.set(1, 1);
      rhs.set(0, 1);
      rhs.set(1, 1);
      Values out(result, 1);
      out.bytes = runProduct(spec, lhs, rhs, bias, 1);
      return out.get(0);
    };
    EXPECT_EQ(product(INFINITY), INFINITY) << describe(spec);
    EXPECT_TRUE(std::isnan(product(NAN))) << describe(spec);
  }
}

/// NaN, inf of both signs, and 0 times inf. NaN stays in every epilogue; relu
/// does what the definition says, and what it makes 0 has no sign.
static void checkNans(const MatmulSpec &spec, bool keeps) {
  SCOPED_TRACE(describe(spec) + (keeps ? " kept" : ""));
  Values lhs = makeRandom(spec.operand, countOf(spec.lhs), 1);
  Values rhs = makeRandom(spec.operand, countOf(spec.rhs), 2);
  Values bias = makeRandom(spec.result, spec.out.back(), 3);
  int64_t inner = spec.lhs.back(), columns = spec.out.back();
  lhs.set(1 * inner + 2, NAN);
  lhs.set(3 * inner + 1, INFINITY);
  lhs.set(4 * inner + 4, -INFINITY);
  rhs.set(1 * columns + 3, 0);
  rhs.set(2 * columns + 5, -NAN);
  bias.set(6, NAN);
  bias.set(7, -INFINITY);
  for (Values *values : {&lhs, &rhs, &bias})
    values->decode();
  std::vector<double> truth = computeExactly(spec, lhs, rhs, bias);
  Values ours(spec.result, countOf(spec.out));
  ours.bytes = runProduct(spec, lhs, rhs, bias, 2, keeps);
  ours.decode();
  auto isRight = [&](double x, double y) {
    if (std::isnan(y))
      return std::isnan(x);
    if (spec.epilogue != Epilogue::Relu)
      return true;
    return std::isinf(y) ? x == y
                         : std::abs(x - y) <= 0.1 + 0.1 * y && !std::signbit(x);
  };
  int64_t nans = 0, wrong = 0;
  for (size_t i = 0; i < truth.size(); ++i) {
    nans += std::isnan(truth[i]);
    wrong += !isRight(ours.exact[i], truth[i]);
  }
  EXPECT_GE(nans, columns + spec.out.end()[-2]);
  EXPECT_EQ(wrong, 0) << "of " << truth.size();
}

/// By kernels of ours, by the library in one block and in many, in groups of
/// matrices, and with a right matrix that stays.
TEST(Matmul, EpiloguesKeepNan) {
  struct Sizes {
    Dims lhs, rhs, out;
  };
  const Sizes all[] = {{{12, 20}, {20, 37}, {12, 37}},
                       {{65, 90}, {90, 129}, {65, 129}},
                       {{512, 24}, {24, 700}, {512, 700}},
                       {{24, 64, 64}, {24, 64, 64}, {24, 64, 64}},
                       {{32, 64}, {64, 1023}, {32, 1023}}};
  for (auto [operand, result] : kTypes)
    for (const Sizes &sizes : all)
      for (int e = 1; e <= static_cast<int>(Epilogue::MAX); ++e) {
        MatmulSpec spec = {operand, result, sizes.lhs, sizes.rhs, sizes.out};
        spec.epilogue = static_cast<Epilogue>(e);
        for (bool bias : {false, true}) {
          spec.bias = bias;
          checkNans(spec, false);
        }
        checkNans(spec, true);
      }
}

TEST(Matmul, HalfOverflowsAtTheOutputOnly) {
  // The sum passes 65504 on its way but ends below it: f32 inside.
  MatmulSpec spec = {F16, F16, {1, 3}, {3, 1}, {1, 1}};
  Values lhs(F16, 3), rhs(F16, 3), bias(F16, 1);
  double left[] = {256, 256, -256}, right[] = {250, 100, 200};
  for (int i = 0; i < 3; ++i) {
    lhs.set(i, left[i]);
    rhs.set(i, right[i]);
  }
  Values out(F16, 1);
  out.bytes = runProduct(spec, lhs, rhs, bias, 1);
  EXPECT_EQ(out.get(0), 38400);
}
