// Every combination of transposes, batches, epilogues and types: what is asked
// of cuBLASLt in its column-major words gives the row-major product that the
// program file means. A wrong orientation of a bias or of an auxiliary matrix
// does not pass.
#include "MatmulVariants.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::runtime;
using namespace mpc::runtime::fake;
using program::Epilogue;

namespace {
class MatmulNumbers : public testing::Test {
protected:
  std::unique_ptr<CublasLt> open() {
    CublasLtOptions options;
    options.log = [this](LogLevel, const std::string &line) { logged = line; };
    Result<std::unique_ptr<CublasLt>> made = CublasLt::create(
        library.api(), cuda, {"a card", library.computeCapability},
        std::move(options));
    EXPECT_TRUE(made) << made.status().message();
    return std::move(*made);
  }

  void check(MatmulCase product) {
    SCOPED_TRACE(product.text());
    Operands with(product, 7);
    Expected expected = multiplyPlainly(with);
    std::unique_ptr<CublasLt> blas = open();
    Result<CublasLtMatmul> made = blas->make(
        product.call(), readPointers(product.call(), with.arguments()));
    ASSERT_TRUE(made) << made.status().message();
    Status status = made->enqueue(nullptr, workspace.data());
    ASSERT_TRUE(status.ok()) << status.message();
    compare("result", with.result, expected.result);
    if (product.spec.aux)
      compare("auxiliary matrix", with.aux, expected.aux);
  }

  static void compare(const char *what, const Tensor &got,
                      const std::vector<double> &expected) {
    ASSERT_EQ(static_cast<size_t>(got.count()), expected.size());
    for (size_t i = 0; i < expected.size(); ++i)
      ASSERT_NEAR(got.at(static_cast<int64_t>(i)), expected[i],
                  roundingError(got.type, expected[i]))
          << what << " " << i;
    EXPECT_TRUE(got.intact()) << what << " was written beyond its end";
  }

  FakeCublasLt library;
  CudaApi cuda;
  std::string logged;
  Tensor workspace = {ElementType::F32, {8 << 20}};
};
} // namespace

// No two of rows, columns and contracted elements are equal, so that a mixed-up
// pair of them cannot go unnoticed.
TEST_F(MatmulNumbers, everyTypeTransposeAndEpilogue) {
  for (Types types : kTypes)
    for (int swaps = 0; swaps < 4; ++swaps)
      for (const Extra &extra : kExtras)
        check(with(MatmulCase(types.operand, {5, 7}, {7, 8})
                       .result(types.result)
                       .transpose(swaps & 1, swaps & 2),
                   extra));
}

TEST_F(MatmulNumbers, everyBatchAndTranspose) {
  constexpr auto type = ElementType::BF16;
  const std::pair<Dims, Dims> shapes[] = {
      {{3, 5, 7}, {3, 7, 8}},             // one strided batch
      {{3, 5, 7}, {7, 8}},                // a linear layer: more rows
      {{5, 7}, {3, 7, 8}},                // one left matrix for all
      {{3, 1, 5, 7}, {4, 7, 8}},          // each with each: calls
      {{2, 3, 5, 7}, {2, 1, 7, 8}},       // more rows, in a batch
      {{2, 1, 5, 7}, {2, 3, 7, 8}},       // one left matrix for some
      {{2, 3, 4, 5, 7}, {2, 1, 4, 7, 8}}, // a hole in the broadcast
      {{1, 1, 5, 7}, {1, 1, 7, 8}},       // a batch of one
      {{3, 5, 7}, {1, 7, 8}}};            // the same as a linear layer
  for (const auto &[lhs, rhs] : shapes)
    for (int swaps = 0; swaps < 4; ++swaps)
      for (const Extra &extra : kExtras)
        check(with(MatmulCase(type, lhs, rhs)
                       .result(ElementType::F32)
                       .transpose(swaps & 1, swaps & 2),
                   extra));
}

TEST_F(MatmulNumbers, plainOnlyWhereTheRestIsDoneElsewhere) {
  for (const Extra &extra : kExtras) {
    MatmulCase product =
        with(MatmulCase(ElementType::F16, {5, 7}, {7, 8}), extra);
    Operands operands(product, 7);
    MatmulPointers pointers =
        readPointers(product.call(), operands.arguments());
    uint32_t epilogue =
        toBlas(program::MatmulCall(product.call()), {false, 90})->epilogue;
    bool isPlain = epilogue == CUBLASLT_EPILOGUE_DEFAULT;
    library.lacking.clear();
    auto fused = open()->make(product.call(), pointers, true);
    ASSERT_TRUE(fused);
    EXPECT_FALSE(fused->isPlain()) << "although there is an algorithm";
    if (isPlain)
      continue;
    library.lacking = {epilogue};
    EXPECT_EQ(open()->make(product.call(), pointers).status().code(),
              StatusCode::LibraryError);
    std::unique_ptr<CublasLt> blas = open();
    logged.clear();
    auto plain = blas->make(product.call(), pointers, true);
    ASSERT_TRUE(plain) << plain.status().message();
    EXPECT_TRUE(plain->isPlain());
    EXPECT_NE(logged.find(": cuBLASLt has no algorithm for what stands beside "
                          "it; a kernel after the plain product does that"),
              std::string::npos)
        << logged;
    // Nothing but the product of lhs and rhs, and the addend.
    ASSERT_TRUE(plain->enqueue(nullptr, workspace.data()).ok());
    MatmulCase bare =
        with(product, {.addend = extra.addend, .inPlace = extra.inPlace});
    compare("result", operands.result,
            multiplyPlainly(Operands(bare, 7)).result);
  }
}

TEST_F(MatmulNumbers, withoutAnyAlgorithmThereIsNoPlainProductEither) {
  library.proposals = 0;
  MatmulCase product = with(MatmulCase(ElementType::F16, {5, 7}, {7, 8}),
                            {.epilogue = Epilogue::GeluTanh});
  Operands operands(product, 7);
  auto made = open()->make(
      product.call(), readPointers(product.call(), operands.arguments()), true);
  EXPECT_EQ(made.status().code(), StatusCode::LibraryError);
  EXPECT_NE(made.status().message().find("compile the model with another"),
            std::string::npos);
}

TEST_F(MatmulNumbers, singleRowsAndColumns) {
  for (Dims lhs : {Dims{1, 7}, Dims{5, 1}, Dims{1, 1}})
    for (int64_t columns : {1, 8})
      for (int swaps = 0; swaps < 4; ++swaps)
        for (const Extra &extra : {kExtras[0], kExtras[1], kExtras[7]})
          check(with(MatmulCase(ElementType::F32, lhs, {lhs[1], columns})
                         .transpose(swaps & 1, swaps & 2),
                     extra));
}

TEST_F(MatmulNumbers, f8WithScales) {
  const std::pair<ElementType, ElementType> operands[] = {
      {ElementType::F8E4M3, ElementType::F8E4M3},
      {ElementType::F8E4M3, ElementType::F8E5M2},
      {ElementType::F8E5M2, ElementType::F8E4M3}};
  for (auto [lhs, rhs] : operands)
    for (auto result : {ElementType::F16, ElementType::BF16, ElementType::F32})
      for (bool scales : {false, true}) {
        MatmulCase product(lhs, {5, 48}, {48, 32});
        product.result(result).transpose(false, true);
        product.spec.rhsOperand = rhs;
        product.spec.scales = scales;
        product.spec.bias = result != ElementType::F32;
        check(product);
      }
}

TEST_F(MatmulNumbers, onBlackwellF8InEveryLayout) {
  library.computeCapability = 100;
  for (int swaps = 0; swaps < 4; ++swaps) {
    MatmulCase product(ElementType::F8E4M3, {16, 48}, {48, 32});
    product.result(ElementType::BF16).transpose(swaps & 1, swaps & 2);
    check(product);
  }
}

TEST_F(MatmulNumbers, tf32OnlyOnRequest) {
  MatmulCase product(ElementType::F32, {5, 7}, {7, 8});
  Result<BlasProduct> exact = toBlas(program::MatmulCall(product.call()),
                                     {false, 90}),
                      fast = toBlas(program::MatmulCall(product.call()),
                                    {true, 90});
  ASSERT_TRUE(exact && fast);
  EXPECT_EQ(exact->compute, CUBLAS_COMPUTE_32F);
  EXPECT_EQ(fast->compute, CUBLAS_COMPUTE_32F_FAST_TF32);
  MatmulCase half(ElementType::F16, {5, 7}, {7, 8});
  EXPECT_EQ(toBlas(program::MatmulCall(half.call()), {true, 90})->compute,
            CUBLAS_COMPUTE_32F);
}

TEST_F(MatmulNumbers, aBatchIsOneCallWhereItCanBe) {
  auto calls = [](Dims lhs, Dims rhs) {
    MatmulCase product(ElementType::F32, std::move(lhs), std::move(rhs));
    Result<BlasProduct> blas = toBlas(program::MatmulCall(product.call()), {});
    EXPECT_TRUE(blas);
    return std::pair(blas->parts.size(), blas->batch);
  };
  EXPECT_EQ(calls({2, 3, 5, 7}, {2, 3, 7, 8}), std::pair(size_t(1), 6));
  EXPECT_EQ(calls({2, 3, 5, 7}, {7, 8}), std::pair(size_t(1), 1));
  EXPECT_EQ(calls({2, 3, 5, 7}, {2, 1, 7, 8}), std::pair(size_t(1), 2));
  // Each with each: no single stride leads through it.
  EXPECT_EQ(calls({2, 1, 5, 7}, {1, 3, 7, 8}), std::pair(size_t(2), 3));
  EXPECT_EQ(calls({5, 7}, {2, 3, 7, 8}), std::pair(size_t(1), 6));
  EXPECT_EQ(calls({1, 3, 5, 7}, {2, 3, 7, 8}), std::pair(size_t(2), 3));
}

/// Before a list of the calls is made.
TEST_F(MatmulNumbers, aBatchOfTooManyCallsIsRefused) {
  constexpr int64_t many = int64_t(1) << 20;
  MatmulCase product(ElementType::F32, {many, 1, 5, 7}, {1, many, 7, 8});
  Result<BlasProduct> blas = toBlas(program::MatmulCall(product.call()), {});
  ASSERT_FALSE(blas);
  EXPECT_EQ(blas.status().code(), StatusCode::InvalidProgram);
  EXPECT_TRUE(blas.status().message().starts_with(
      "expected a batch of at most 65536 calls of cuBLASLt, but got 1048576"))
      << blas.status().message();
}
