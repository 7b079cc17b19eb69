// What cuBLASLt has no call for is refused with what to do; what it refuses,
// and what fails, becomes a status, and nothing is left behind.
#include "MatmulCase.h"

#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::runtime;
using namespace mpc::runtime::fake;
using program::Epilogue;
using testing::Test;

namespace {
constexpr auto kF16 = ElementType::F16;

/// A product of 16x32 and 32x48 with one thing changed.
template <typename Change>
Status refuse(const Change &change, int computeCapability = 90,
              MatmulCase product = MatmulCase(kF16, {16, 32}, {32, 48})) {
  change(product.spec);
  return toBlas(program::MatmulCall(product.call()), {false, computeCapability})
      .status();
}

#define EXPECT_REFUSED(status, text)                                           \
  do {                                                                         \
    Status refused = status;                                                   \
    EXPECT_EQ(refused.code(), StatusCode::InvalidProgram);                     \
    EXPECT_EQ(refused.message(), text);                                        \
  } while (false)

const std::string kAgain = "; compile the model for target cuda with this "
                           "version of mpc-compile";
} // namespace

TEST(MatmulRefusal, activationsThatCublasLtHasNotOrNotSo) {
  const std::pair<Epilogue, std::string> epilogues[] = {
      {Epilogue::Relu, "relu"},
      {Epilogue::GeluErf, "gelu_erf"},
      {Epilogue::Tanh, "tanh"},
      {Epilogue::Sigmoid, "sigmoid"}};
  for (const auto &[epilogue, name] : epilogues)
    EXPECT_REFUSED(refuse([&](auto &spec) { spec.epilogue = epilogue; }),
                   "expected gelu_tanh (cuBLASLt's gelu is the tanh form, "
                   "and its relu makes 0 of NaN), but got " +
                       name + kAgain);
}

TEST(MatmulRefusal, derivativesAndAuxiliaryMatrices) {
  EXPECT_REFUSED(refuse([](auto &spec) {
                   spec.epilogue = Epilogue::Relu;
                   spec.derivative = true;
                 }),
                 "expected a product with the derivative of gelu_tanh, but "
                 "got the derivative of relu" +
                     kAgain);
  EXPECT_REFUSED(refuse([](auto &spec) {
                   spec.epilogue = Epilogue::Relu;
                   spec.aux = true;
                 }),
                 "expected an auxiliary matrix only with gelu_tanh, but got "
                 "one with relu" +
                     kAgain);
  for (bool bias : {true, false})
    EXPECT_REFUSED(refuse([&](auto &spec) {
                     spec.epilogue = Epilogue::GeluTanh;
                     spec.derivative = true;
                     spec.bias = bias;
                     spec.addend = !bias;
                   }),
                   "expected a derivative without bias and addend, but got "
                   "one with" +
                       kAgain);
  EXPECT_REFUSED(
      refuse(
          [](auto &spec) {
            spec.epilogue = Epilogue::GeluTanh;
            spec.aux = true;
          },
          90, MatmulCase(kF16, {16, 32}, {32, 44})),
      "expected a multiple of 8 columns beside an auxiliary matrix (cuBLASLt's "
      "rule), but got 44; compile the model again, mpc-compile makes a kernel "
      "of the gelu then");
}

TEST(MatmulRefusal, typesAndSizes) {
  EXPECT_REFUSED(
      refuse([](auto &spec) { spec.rhsOperand = ElementType::BF16; }),
      "expected operands of one type, but got f16 and bf16");
  EXPECT_REFUSED(refuse([](auto &spec) { spec.operand = ElementType::I32; }),
                 "expected matrices of floating-point numbers, but got i32");
  EXPECT_REFUSED(refuse([](auto &spec) { spec.scales = true; }),
                 "expected scales only with f8 operands, but got them with "
                 "f16");
  EXPECT_REFUSED(refuse([](auto &) {}, 90,
                        MatmulCase(kF16, {int64_t(1) << 31, 1}, {1, 8})),
                 "expected dims below 2^31, which is what cuBLASLt counts to, "
                 "but got 2147483648");
}

TEST(MatmulRefusal, f8LayoutsAndSizes) {
  auto f8 = [](int64_t rows, int64_t inner, int64_t columns) {
    MatmulCase product(ElementType::F8E4M3, {rows, inner}, {inner, columns});
    product.result(ElementType::BF16).transpose(false, true);
    return product;
  };
  auto nothing = [](auto &) {};
  EXPECT_TRUE(refuse(nothing, 90, f8(16, 32, 48)).ok());
  EXPECT_REFUSED(
      refuse(nothing, 90,
             f8(16, 32, 48).transpose(false, true).transpose(true, false)),
      "expected f8 operands with the contracted dim last in both (lhs [M, K], "
      "rhs [N, K] transposed), the one layout that this device multiplies; "
      "store the operand that way");
  EXPECT_REFUSED(refuse(nothing, 90, f8(16, 40, 48)),
                 "expected f8 products with multiples of 16 columns and "
                 "contracted elements, but got 48 and 40; pad them");
  EXPECT_REFUSED(refuse(
                     [](auto &spec) {
                       spec.operand = spec.rhsOperand = ElementType::F8E5M2;
                     },
                     90, f8(16, 32, 48)),
                 "expected at most one operand of f8E5M2, but got two; "
                 "cuBLASLt has no such product");
  EXPECT_REFUSED(
      refuse([](auto &spec) { spec.result = ElementType::F8E4M3; }, 90,
             f8(16, 32, 48)),
      "expected f16, bf16 or f32 as the result of an f8 product, but got "
      "f8E4M3FN");
  EXPECT_REFUSED(refuse(
                     [](auto &spec) {
                       spec.result = ElementType::F32;
                       spec.bias = true;
                     },
                     90, f8(16, 32, 48)),
                 "expected a bias only with 16-bit results of f8 products "
                 "(cuBLASLt wants it in bf16 beside f32); add it afterwards");
  Status old = refuse(nothing, 80, f8(16, 32, 48));
  EXPECT_EQ(old.code(), StatusCode::DeviceUnsupported);
  EXPECT_EQ(old.message(),
            "expected a device of compute capability 8.9 or more for f8 "
            "products, but got 8.0; compile the model with f16 or bf16");
}

namespace {
class MatmulFailure : public Test {
protected:
  Result<CublasLtMatmul> make(CublasLt &blas, MatmulCase &product,
                              const Operands &with) {
    return blas.make(product.call(),
                     readPointers(product.call(), with.arguments()));
  }
  std::unique_ptr<CublasLt> open() {
    auto made = CublasLt::create(library.api(), cuda, {"a card", 90}, {});
    EXPECT_TRUE(made);
    return std::move(*made);
  }
  CudaApi cuda;
  FakeCublasLt library;
};
} // namespace

TEST_F(MatmulFailure, noAlgorithmIsAMessageWithTheShape) {
  library.proposals = 0;
  MatmulCase product(kF16, {16, 32}, {32, 48});
  product.spec.bias = true;
  product.spec.epilogue = Epilogue::GeluTanh;
  Operands with(product, 1);
  auto blas = open();
  Status status = make(*blas, product, with).status();
  EXPECT_EQ(status.code(), StatusCode::LibraryError);
  EXPECT_EQ(status.message(),
            "matrix product 16x32xf16 * 32x48xf16 -> 16x48xf16, gelu_tanh, "
            "with bias: cuBLASLt 130100 has no algorithm for it on 'a card' "
            "(compute capability 9.0), and the program no kernel for what "
            "stands beside the product; compile the model with this version "
            "of mpc-compile");
  product.spec.bias = false;
  product.spec.epilogue = Epilogue::None;
  EXPECT_EQ(make(*blas, product, with).status().message(),
            "matrix product 16x32xf16 * 32x48xf16 -> 16x48xf16: cuBLASLt "
            "130100 has no algorithm for it on 'a card' (compute capability "
            "9.0); compile the model with another precision, or use another "
            "version of cuBLASLt");
}

// Every call of a product's life, each failing once.
TEST_F(MatmulFailure, anyCallThatFailsIsAStatusAndLeavesNothing) {
  MatmulCase product(kF16, {3, 2, 16, 32}, {3, 1, 32, 48});
  product.spec.bias = product.spec.aux = true;
  product.spec.epilogue = Epilogue::GeluTanh;
  product.transpose(true, true);
  Operands with(product, 1);
  int calls = 1;
  for (int failing = 0; failing < calls; ++failing) {
    calls = 0;
    std::string failed;
    library.interfere = [&](const char *function) {
      if (calls++ != failing)
        return CUBLAS_STATUS_SUCCESS;
      failed = function;
      return CUBLAS_STATUS_ALLOC_FAILED;
    };
    Status status;
    {
      auto blas = CublasLt::create(library.api(), cuda, {"a card", 90}, {});
      status = blas.status();
      if (blas) {
        auto made = make(**blas, product, with);
        status = made ? made->enqueue(nullptr, nullptr) : made.status();
      }
    }
    EXPECT_EQ(library.live, 0) << "after a failed " << failed;
    if (failing == calls)
      break; // One more than there are.
    EXPECT_EQ(status.code(), StatusCode::OutOfMemory) << failed;
    EXPECT_NE(
        status.message().find(failed + ": CUBLAS_STATUS_ALLOC_FAILED (3)"),
        std::string::npos)
        << status.message();
    ++calls; // The failure cut the rest off.
  }
  EXPECT_GT(calls, 20);
}
