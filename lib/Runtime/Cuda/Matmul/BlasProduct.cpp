#include "BlasProduct.h"

#include "BlasEpilogue.h"
#include "mpc/Support/DType.h"

#include <algorithm>
#include <climits>

using namespace mpc;
using namespace mpc::runtime;
using program::ElementType;
using program::toSpan;

bool BlasProduct::hasBias() const {
  constexpr unsigned vectors = CUBLASLT_EPILOGUE_BIAS | 16 /* *_BGRAD */ |
                               CUBLASLT_EPILOGUE_BGRADA |
                               CUBLASLT_EPILOGUE_BGRADB;
  return epilogue & vectors;
}
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

std::string runtime::describe(const program::Matmul &matmul) {
  auto operand = [](ElementType type, auto *shape, bool transposed) {
    return program::formatTensor(type, toSpan(shape)) +
           (transposed ? " (transposed)" : "");
  };
  std::string text =
      operand(matmul.lhs_type(), matmul.lhs_shape(), matmul.transpose_lhs()) +
      " * " +
      operand(matmul.rhs_type(), matmul.rhs_shape(), matmul.transpose_rhs()) +
      " -> " + operand(matmul.result_type(), matmul.result_shape(), false);
  if (matmul.epilogue() != program::Epilogue::None)
    text += std::string(matmul.derivative() ? ", derivative of " : ", ") +
            std::string(getName(matmul.epilogue()));
  if (matmul.has_bias())
    text += ", with bias";
  if (matmul.has_aux())
    text += ", with auxiliary matrix";
  switch (matmul.bias_gradient()) {
  case program::BiasGradient::None:
    break;
  case program::BiasGradient::OfResult:
    text += ", with sums of the result";
    break;
  case program::BiasGradient::OfLhs:
    text += ", with sums of lhs";
    break;
  case program::BiasGradient::OfRhs:
    text += ", with sums of rhs";
    break;
  }
  return text + (matmul.accumulate() ? ", accumulated" : "");
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
  std::vector<BatchDim> batch; ///< outermost first, none of extent 1
};
} // namespace

static int64_t elements(std::span<const int64_t> dims) {
  int64_t result = 1;
  for (int64_t dim : dims)
    result *= dim;
  return result;
}

/// How far an operand moves with batch dim `axis`, counted from the last one;
/// 0 where it broadcasts.
static int64_t batchStride(std::span<const int64_t> shape, size_t axis) {
  std::span<const int64_t> dims = shape.first(shape.size() - 2);
  if (axis >= dims.size() || dims[dims.size() - 1 - axis] == 1)
    return 0;
  return elements(shape.last(axis + 2));
}

/// Two neighbours are one dim if walking the inner one to its end leads to the
/// next of the outer one, in every operand.
static bool canMerge(const BatchDim &outer, const BatchDim &inner) {
  return outer.lhs == inner.lhs * inner.extent &&
         outer.rhs == inner.rhs * inner.extent &&
         outer.result == inner.result * inner.extent;
}

static RowProduct readProduct(const program::Matmul &matmul) {
  std::span<const int64_t> lhs = toSpan(matmul.lhs_shape()),
                           rhs = toSpan(matmul.rhs_shape()),
                           result = toSpan(matmul.result_shape());
  RowProduct product = {result[result.size() - 2],
                        result[result.size() - 1],
                        lhs[lhs.size() - (matmul.transpose_lhs() ? 2 : 1)],
                        {}};
  for (size_t axis = result.size() - 2; axis-- > 0;) {
    BatchDim dim = {result[result.size() - 3 - axis], batchStride(lhs, axis),
                    batchStride(rhs, axis), elements(result.last(axis + 2))};
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
static void foldRows(RowProduct &product, const program::Matmul &matmul) {
  if (product.batch.empty() || matmul.transpose_lhs())
    return;
  const BatchDim &dim = product.batch.back();
  if (dim.rhs != 0 || dim.lhs != product.rows * product.inner)
    return;
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

static std::vector<BlasPart> listParts(const std::vector<BatchDim> &batch,
                                       const program::Matmul &matmul) {
  auto bytes = [](ElementType type) {
    return static_cast<int64_t>(getInfo(static_cast<DType>(type)).bytes);
  };
  std::vector<BlasPart> parts = {{0, 0, 0}};
  for (const BatchDim &dim : batch) {
    std::vector<BlasPart> next;
    for (const BlasPart &part : parts)
      for (int64_t i = 0; i < dim.extent; ++i)
        next.push_back(
            {part.lhs + i * dim.lhs * bytes(matmul.lhs_type()),
             part.rhs + i * dim.rhs * bytes(matmul.rhs_type()),
             part.result + i * dim.result * bytes(matmul.result_type())});
    parts = std::move(next);
  }
  return parts;
}

static Status checkF8(const program::Matmul &matmul, const RowProduct &product,
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
  if (matmul.lhs_type() == ElementType::F8E5M2 &&
      matmul.rhs_type() == ElementType::F8E5M2)
    return refuse("expected at most one operand of f8E5M2, but got two; "
                  "cuBLASLt has no such product");
  // Blackwell's data centre chips read either layout.
  bool anyLayout = computeCapability >= 100 && computeCapability < 120;
  if (!anyLayout && (matmul.transpose_lhs() || !matmul.transpose_rhs()))
    return refuse("expected f8 operands with the contracted dim last in both "
                  "(lhs [M, K], rhs [N, K] transposed), the one layout that "
                  "this device multiplies; store the operand that way");
  if (product.inner % 16 != 0 || product.columns % 16 != 0)
    return refuse("expected f8 products with multiples of 16 columns and "
                  "contracted elements, but got " +
                  std::to_string(product.columns) + " and " +
                  std::to_string(product.inner) + "; pad them");
  if (matmul.has_bias() && matmul.result_type() == ElementType::F32)
    return refuse("expected a bias only with 16-bit results of f8 products "
                  "(cuBLASLt wants it in bf16 beside f32); add it afterwards");
  if (matmul.bias_gradient() != program::BiasGradient::None)
    return refuse("expected no sums beside an f8 product, since cuBLASLt has "
                  "none; sum them in a kernel");
  if (isF8(matmul.result_type()))
    return refuse("expected f16, bf16 or f32 as the result of an f8 product, "
                  "but got " +
                  program::formatTensor(matmul.result_type(), {}));
  return {};
}

static Status check(const program::Matmul &matmul, const RowProduct &product,
                    const BlasProduct &blas, const BlasRules &rules) {
  auto refuse = [](const std::string &text) -> Status {
    return {StatusCode::InvalidProgram, text};
  };
  bool f8 = isF8(matmul.lhs_type()) && isF8(matmul.rhs_type());
  if (!f8 && matmul.lhs_type() != matmul.rhs_type())
    return refuse("expected operands of one type, but got " +
                  program::formatTensor(matmul.lhs_type(), {}) + " and " +
                  program::formatTensor(matmul.rhs_type(), {}));
  if (f8)
    if (Status status = checkF8(matmul, product, rules.computeCapability);
        !status.ok())
      return status;
  if (matmul.has_scales() && !f8)
    return refuse("expected scales only with f8 operands, but got them with " +
                  program::formatTensor(matmul.lhs_type(), {}));
  if (blas.hasAux() && product.columns % 8 != 0)
    return refuse("expected a multiple of 8 columns beside an auxiliary "
                  "matrix (cuBLASLt's rule), but got " +
                  std::to_string(product.columns) +
                  "; compile the model again, mpc-compile makes a kernel of "
                  "the gelu then");
  bool sums = matmul.bias_gradient() != program::BiasGradient::None;
  if (sums && (blas.batch > 1 || blas.parts.size() > 1))
    return refuse(
        "expected the sums of one product, but got a batch of " +
        std::to_string(static_cast<size_t>(blas.batch) * blas.parts.size()));
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

Result<BlasProduct> runtime::toBlas(const program::Matmul &matmul,
                                    const BlasRules &rules) {
  Result<cudaDataType_t> lhs = toCuda(matmul.lhs_type()),
                         rhs = toCuda(matmul.rhs_type()),
                         result = toCuda(matmul.result_type());
  for (const auto *type : {&lhs, &rhs, &result})
    if (!*type)
      return type->status();
  Result<cublasLtEpilogue_t> epilogue = toBlasEpilogue(matmul);
  if (!epilogue)
    return epilogue.status();

  RowProduct product = readProduct(matmul);
  foldRows(product, matmul);
  BatchDim dim = takeLongest(product.batch);
  BlasProduct blas = {};
  // A row of ours is a column of theirs.
  auto matrix = [](cudaDataType_t type, int64_t rows, int64_t columns,
                   bool transposed, int64_t stride) -> BlasMatrix {
    if (transposed)
      std::swap(rows, columns);
    return {type, columns, rows, columns, stride};
  };
  blas.a = matrix(*rhs, product.inner, product.columns, matmul.transpose_rhs(),
                  dim.rhs);
  blas.b = matrix(*lhs, product.rows, product.inner, matmul.transpose_lhs(),
                  dim.lhs);
  blas.d = matrix(*result, product.rows, product.columns, false, dim.result);
  blas.transposeA = matmul.transpose_rhs();
  blas.transposeB = matmul.transpose_lhs();
  blas.batch = static_cast<int32_t>(std::min<int64_t>(dim.extent, INT_MAX));
  blas.epilogue = *epilogue;
  blas.accumulate = matmul.accumulate();
  blas.scaled = matmul.has_scales();
  blas.parts = listParts(product.batch, matmul);
  chooseTypes(blas, rules);
  if (Status status = check(matmul, product, blas, rules); !status.ok())
    return status;
  return blas;
}
