#include "BlasProduct.h"

#include "BlasEpilogue.h"
#include "mpc/Support/DType.h"

#include <algorithm>
#include <climits>

using namespace mpc;
using namespace mpc::runtime;
using program::ElementType;
using program::MatmulCall;
using program::MatrixLayout;
using program::toSpan;

bool BlasProduct::hasBias() const { return epilogue & CUBLASLT_EPILOGUE_BIAS; }
bool BlasProduct::hasAux() const { return epilogue & 128; }

static bool isF8(ElementType type) {
  return type == ElementType::F8E4M3 || type == ElementType::F8E5M2;
}

static Result<cudaDataType_t> toCuda(ElementType type) {
  switch (type) {
  case ElementType::F64:
    return CUDA_R_64F;
  case ElementType::F32:
    return CUDA_R_32F;
  case ElementType::F16:
    return CUDA_R_16F;
  case ElementType::BF16:
    return CUDA_R_16BF;
  case ElementType::F8E4M3:
    return CUDA_R_8F_E4M3;
  case ElementType::F8E5M2:
    return CUDA_R_8F_E5M2;
  case ElementType::I64:
  case ElementType::I32:
  case ElementType::I1:
    break;
  }
  return Status(StatusCode::InvalidProgram,
                "expected matrices of floating-point numbers, but got " +
                    program::formatTensor(type, {}));
}

std::string runtime::describe(const MatmulCall &call) {
  // As it is stored.
  auto matrix = [](const program::CallOperand &operand,
                   const MatrixLayout &layout) {
    auto shape = toSpan(operand.shape());
    std::vector<int64_t> stored(shape.begin(), shape.end());
    if (layout.transposed)
      std::swap(stored.end()[-1], stored.end()[-2]);
    std::string text = program::formatTensor(operand.type(), stored);
    if (layout.leading != stored.back())
      text += " of rows " + std::to_string(layout.leading) + " apart";
    return text + (layout.transposed ? " (transposed)" : "");
  };
  std::string text = matrix(*call.lhs, getLhsLayout(call)) + " * " +
                     matrix(*call.rhs, getRhsLayout(call)) + " -> " +
                     formatOperand(*call.result);
  if (call.options.epilogue() != program::Epilogue::None)
    text += std::string(call.options.derivative() ? ", derivative of " : ", ") +
            std::string(getName(call.options.epilogue()));
  if (call.bias)
    text += ", with bias";
  if (call.aux)
    text += ", with auxiliary matrix";
  return text + (call.addend ? ", with addend" : "");
}

namespace {
/// One dim of the batch: its extent, and how far the operands move with it.
struct BatchDim {
  int64_t extent;
  int64_t lhs, rhs, result;
};

/// The product before cuBLASLt's words: row-major, in elements.
struct RowProduct {
  int64_t rows, columns, inner;
  MatrixLayout lhs, rhs;
  std::vector<BatchDim> batch; ///< outermost first, none of extent 1
};
} // namespace

/// Two neighbours are one dim if walking the inner one to its end leads to the
/// next of the outer one, in every operand.
static bool canMerge(const BatchDim &outer, const BatchDim &inner) {
  return outer.lhs == inner.lhs * inner.extent &&
         outer.rhs == inner.rhs * inner.extent &&
         outer.result == inner.result * inner.extent;
}

static RowProduct readProduct(const MatmulCall &call) {
  RowProduct product = {call.rows(),        call.columns(),     call.inner(),
                        getLhsLayout(call), getRhsLayout(call), {}};
  std::span<const int64_t> lhs = toSpan(call.lhs->strides()),
                           rhs = toSpan(call.rhs->strides()),
                           result = toSpan(call.result->strides());
  for (size_t axis = 0; axis < call.batch().size(); ++axis) {
    BatchDim dim = {call.batch()[axis], lhs[axis], rhs[axis], result[axis]};
    if (dim.extent == 1)
      continue;
    if (!product.batch.empty() && canMerge(product.batch.back(), dim)) {
      dim.extent *= product.batch.back().extent;
      product.batch.pop_back();
    }
    product.batch.push_back(dim);
  }
  return product;
}

/// One right matrix for all left ones (a linear layer on [batch, time,
/// width]): the innermost dim of the batch is only more rows.
static void foldRows(RowProduct &product) {
  if (product.batch.empty() || product.lhs.transposed)
    return;
  const BatchDim &dim = product.batch.back();
  bool follows = product.rows == 1
                     ? dim.lhs >= product.inner
                     : dim.lhs == product.rows * product.lhs.leading;
  if (dim.rhs != 0 || !follows)
    return;
  product.lhs.leading = dim.lhs / product.rows;
  product.rows *= dim.extent;
  product.batch.pop_back();
}

/// The dim that cuBLASLt walks, the longest; the others are calls.
static BatchDim takeLongest(std::vector<BatchDim> &batch) {
  if (batch.empty())
    return {1, 0, 0, 0};
  auto longest =
      std::max_element(batch.begin(), batch.end(),
                       [](auto &a, auto &b) { return a.extent < b.extent; });
  BatchDim taken = *longest;
  batch.erase(longest);
  return taken;
}

/// A product of more calls than these would be captured, and run, for ever.
static Status checkParts(const std::vector<BatchDim> &batch) {
  constexpr int64_t most = 1 << 16;
  int64_t parts = 1; // of fewer than 2^48 elements
  for (const BatchDim &dim : batch)
    parts *= dim.extent;
  if (parts <= most)
    return {};
  return {StatusCode::InvalidProgram,
          "expected a batch of at most " + std::to_string(most) +
              " calls of cuBLASLt, but got " + std::to_string(parts) +
              ": it walks one dim, or several that lie alike in all operands"};
}

static std::vector<BlasPart> listParts(const std::vector<BatchDim> &batch,
                                       const MatmulCall &call) {
  auto bytes = [](const program::CallOperand *operand) {
    return static_cast<int64_t>(
        getInfo(static_cast<DType>(operand->type())).bytes);
  };
  std::vector<BlasPart> parts = {{0, 0, 0}};
  for (const BatchDim &dim : batch) {
    std::vector<BlasPart> next;
    for (const BlasPart &part : parts)
      for (int64_t i = 0; i < dim.extent; ++i)
        next.push_back({part.lhs + i * dim.lhs * bytes(call.lhs),
                        part.rhs + i * dim.rhs * bytes(call.rhs),
                        part.result + i * dim.result * bytes(call.result)});
    parts = std::move(next);
  }
  return parts;
}

/// Of f8 operands, which no graph op has yet: the products of f8 recipes will
/// have them, with their scales as operands.
static Status checkF8(const MatmulCall &call, const RowProduct &product,
                      int computeCapability) {
  auto refuse = [](const std::string &text) -> Status {
    return {StatusCode::InvalidProgram, text};
  };
  if (computeCapability < 89)
    return {StatusCode::DeviceUnsupported,
            "expected a device of compute capability 8.9 or more for f8 "
            "products, but got " +
                std::to_string(computeCapability / 10) + "." +
                std::to_string(computeCapability % 10) +
                "; compile the model with f16 or bf16"};
  if (call.lhs->type() == ElementType::F8E5M2 &&
      call.rhs->type() == ElementType::F8E5M2)
    return refuse("expected at most one operand of f8E5M2, but got two; "
                  "cuBLASLt has no such product");
  // Blackwell's data centre chips read either layout.
  bool anyLayout = computeCapability >= 100 && computeCapability < 120;
  if (!anyLayout && (product.lhs.transposed || !product.rhs.transposed))
    return refuse("expected f8 operands with the contracted dim last in both "
                  "(lhs [M, K], rhs [N, K] transposed), the one layout that "
                  "this device multiplies; store the operand that way");
  if (product.inner % 16 != 0 || product.columns % 16 != 0)
    return refuse("expected f8 products with multiples of 16 columns and "
                  "contracted elements, but got " +
                  std::to_string(product.columns) + " and " +
                  std::to_string(product.inner) + "; pad them");
  if (call.bias && call.result->type() == ElementType::F32)
    return refuse("expected a bias only with 16-bit results of f8 products "
                  "(cuBLASLt wants it in bf16 beside f32); add it afterwards");
  if (isF8(call.result->type()))
    return refuse("expected f16, bf16 or f32 as the result of an f8 product, "
                  "but got " +
                  program::formatTensor(call.result->type(), {}));
  return {};
}

static Status check(const MatmulCall &call, const RowProduct &product,
                    const BlasProduct &blas, const BlasRules &rules) {
  auto refuse = [](const std::string &text) -> Status {
    return {StatusCode::InvalidProgram, text};
  };
  bool f8 = isF8(call.lhs->type()) && isF8(call.rhs->type());
  if (!f8 && call.lhs->type() != call.rhs->type())
    return refuse("expected operands of one type, but got " +
                  program::formatTensor(call.lhs->type(), {}) + " and " +
                  program::formatTensor(call.rhs->type(), {}));
  if (f8)
    if (Status status = checkF8(call, product, rules.computeCapability);
        !status.ok())
      return status;
  if (call.hasScales() && !f8)
    return refuse("expected scales only with f8 operands, but got them with " +
                  program::formatTensor(call.lhs->type(), {}));
  if (blas.hasAux() && product.columns % 8 != 0)
    return refuse("expected a multiple of 8 columns beside an auxiliary "
                  "matrix (cuBLASLt's rule), but got " +
                  std::to_string(product.columns) +
                  "; compile the model again, mpc-compile makes a kernel of "
                  "the gelu then");
  if (int64_t longest = std::max(
          {product.rows, product.columns, product.inner, int64_t(blas.batch)});
      longest > INT_MAX)
    return refuse("expected dims below 2^31, which is what cuBLASLt counts "
                  "to, but got " +
                  std::to_string(longest));
  return {};
}

static void chooseTypes(BlasProduct &blas, const BlasRules &rules) {
  bool f64 = blas.a.type == CUDA_R_64F;
  bool tf32 = blas.a.type == CUDA_R_32F && rules.allowTf32;
  blas.compute = f64    ? CUBLAS_COMPUTE_64F
                 : tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32
                        : CUBLAS_COMPUTE_32F;
  blas.scaleType = f64 ? CUDA_R_64F : CUDA_R_32F;
}

Result<BlasProduct> runtime::toBlas(const MatmulCall &call,
                                    const BlasRules &rules) {
  Result<cudaDataType_t> lhs = toCuda(call.lhs->type()),
                         rhs = toCuda(call.rhs->type()),
                         result = toCuda(call.result->type());
  for (const auto *type : {&lhs, &rhs, &result})
    if (!*type)
      return type->status();
  Result<cublasLtEpilogue_t> epilogue = toBlasEpilogue(call);
  if (!epilogue)
    return epilogue.status();

  RowProduct product = readProduct(call);
  foldRows(product);
  BatchDim dim = takeLongest(product.batch);
  if (Status status = checkParts(product.batch); !status.ok())
    return status;
  BlasProduct blas = {};
  // A row of ours is a column of theirs.
  auto matrix = [](cudaDataType_t type, int64_t rows, int64_t columns,
                   MatrixLayout layout, int64_t stride) -> BlasMatrix {
    if (layout.transposed)
      std::swap(rows, columns);
    return {type, columns, rows, layout.leading, stride};
  };
  blas.a = matrix(*rhs, product.inner, product.columns, product.rhs, dim.rhs);
  blas.b = matrix(*lhs, product.rows, product.inner, product.lhs, dim.lhs);
  blas.d = matrix(*result, product.rows, product.columns,
                  {false, product.columns}, dim.result);
  blas.transposeA = product.rhs.transposed;
  blas.transposeB = product.lhs.transposed;
  blas.batch = static_cast<int32_t>(std::min<int64_t>(dim.extent, INT_MAX));
  blas.epilogue = *epilogue;
  blas.addend = call.addend != nullptr;
  blas.scaled = call.hasScales();
  blas.parts = listParts(product.batch, call);
  chooseTypes(blas, rules);
  if (Status status = check(call, product, blas, rules); !status.ok())
    return status;
  return blas;
}
