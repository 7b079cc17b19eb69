#include "FakeBlasMath.h"

#include "mpc/Support/DType.h"

#include <cmath>
#include <cstring>
#include <vector>

using namespace mpc;
using namespace mpc::runtime;
using namespace mpc::runtime::fake;

template <typename T> static T read(const void *base, int64_t index) {
  T value;
  std::memcpy(&value,
              static_cast<const uint8_t *>(base) +
                  index * static_cast<int64_t>(sizeof(T)),
              sizeof(T));
  return value;
}

template <typename T> static void write(void *base, int64_t index, T value) {
  std::memcpy(static_cast<uint8_t *>(base) +
                  index * static_cast<int64_t>(sizeof(T)),
              &value, sizeof(T));
}

/// An f8 number of `exponentBits`; infinities and NaN do not occur in tests.
static double decodeF8(uint8_t bits, int exponentBits) {
  int mantissaBits = 7 - exponentBits, bias = (1 << (exponentBits - 1)) - 1;
  int exponent = (bits >> mantissaBits) & ((1 << exponentBits) - 1);
  double mantissa = bits & ((1 << mantissaBits) - 1);
  double scale = std::ldexp(1.0, -mantissaBits);
  double value = exponent == 0
                     ? std::ldexp(mantissa * scale, 1 - bias)
                     : std::ldexp(1 + mantissa * scale, exponent - bias);
  return bits & 0x80 ? -value : value;
}

double fake::load(cudaDataType_t type, const void *base, int64_t index) {
  switch (type) {
  case CUDA_R_64F:
    return read<double>(base, index);
  case CUDA_R_32F:
    return static_cast<double>(read<float>(base, index));
  case CUDA_R_16F:
    return static_cast<double>(halfToFloat(read<uint16_t>(base, index)));
  case CUDA_R_16BF:
    return static_cast<double>(bfloatToFloat(read<uint16_t>(base, index)));
  default:
    return decodeF8(read<uint8_t>(base, index), type == CUDA_R_8F_E4M3 ? 4 : 5);
  }
}

void fake::store(cudaDataType_t type, void *base, int64_t index, double value) {
  auto narrow = static_cast<float>(value);
  switch (type) {
  case CUDA_R_64F:
    return write(base, index, value);
  case CUDA_R_32F:
    return write(base, index, narrow);
  case CUDA_R_16F:
    return write(base, index, floatToHalf(narrow));
  default: // No product makes f8.
    return write(base, index, floatToBFloat(narrow));
  }
}

static constexpr double kRoot2OverPi = 0.79788456080286535588;

static double gelu(double x) {
  return 0.5 * x * (1 + std::tanh(kRoot2OverPi * (x + 0.044715 * x * x * x)));
}

static double geluDerivative(double x) {
  double t = std::tanh(kRoot2OverPi * (x + 0.044715 * x * x * x));
  return 0.5 * (1 + t) +
         0.5 * x * (1 - t * t) * kRoot2OverPi * (1 + 3 * 0.044715 * x * x);
}

namespace {
/// op(A) or op(B) of one matrix of the batch, column-major and dense.
struct Dense {
  int64_t rows, columns;
  std::vector<double> values;
  double at(int64_t r, int64_t c) const {
    return values[static_cast<size_t>(r + c * rows)];
  }
};

class Epilogue {
public:
  Epilogue(const Product &product, int64_t matrix)
      : operation(product.operation), d(product.d), matrix(matrix) {}
  double apply(int64_t r, int64_t c, double value) const;

private:
  bool has(unsigned bits) const { return operation.epilogue & bits; }
  cudaDataType_t typeOr(int32_t type) const {
    return type < 0 ? d.type : static_cast<cudaDataType_t>(type);
  }

  const Operation &operation;
  const Layout &d;
  int64_t matrix;
};
} // namespace

double Epilogue::apply(int64_t r, int64_t c, double value) const {
  int64_t aux = r + c * operation.auxLeading + matrix * operation.auxStride;
  if (has(CUBLASLT_EPILOGUE_BIAS))
    value += load(typeOr(operation.biasType), operation.bias,
                  r + matrix * operation.biasStride);
  if (has(CUBLASLT_EPILOGUE_GELU)) {
    if (has(128))
      store(typeOr(operation.auxType), operation.aux, aux, value);
    return gelu(value);
  }
  if (operation.epilogue == CUBLASLT_EPILOGUE_DGELU)
    return value *
           geluDerivative(load(typeOr(operation.auxType), operation.aux, aux));
  return has(CUBLASLT_EPILOGUE_RELU) && value < 0 ? 0 : value;
}

static Dense gather(const Layout &layout, const void *base, int32_t transpose,
                    int64_t matrix) {
  bool swap = transpose != CUBLAS_OP_N;
  auto rows = static_cast<int64_t>(layout.rows),
       columns = static_cast<int64_t>(layout.columns);
  Dense dense = {swap ? columns : rows, swap ? rows : columns, {}};
  dense.values.resize(static_cast<size_t>(rows * columns));
  for (int64_t c = 0; c < columns; ++c)
    for (int64_t r = 0; r < rows; ++r)
      dense.values[static_cast<size_t>(swap ? c + r * columns : r + c * rows)] =
          load(layout.type, base,
               r + c * layout.leading + matrix * layout.stride);
  return dense;
}

/// sums(r, c) of op(A) op(B).
static Dense contract(const Dense &a, const Dense &b) {
  Dense sums = {a.rows, b.columns, {}};
  sums.values.assign(static_cast<size_t>(a.rows * b.columns), 0);
  for (int64_t c = 0; c < b.columns; ++c)
    for (int64_t k = 0; k < a.columns; ++k) {
      double factor = b.at(k, c);
      double *column = &sums.values[static_cast<size_t>(c * a.rows)];
      const double *from = &a.values[static_cast<size_t>(k * a.rows)];
      for (int64_t r = 0; r < a.rows; ++r)
        column[r] += from[r] * factor;
    }
  return sums;
}

void fake::multiply(const Product &product) {
  const Operation &operation = product.operation;
  double alpha = product.alpha;
  for (const void *scale : {operation.scaleA, operation.scaleB})
    if (scale)
      alpha *= load(CUDA_R_32F, scale, 0);
  for (int64_t matrix = 0; matrix < product.d.batch; ++matrix) {
    Dense a = gather(product.a, product.A, operation.transA, matrix),
          b = gather(product.b, product.B, operation.transB, matrix),
          result = contract(a, b);
    Epilogue epilogue(product, matrix);
    for (int64_t c = 0; c < result.columns; ++c)
      for (int64_t r = 0; r < result.rows; ++r) {
        double value = alpha * result.at(r, c);
        if (product.beta != 0)
          value += product.beta *
                   load(product.c.type, product.C,
                        r + c * product.c.leading + matrix * product.c.stride);
        store(product.d.type, product.D,
              r + c * product.d.leading + matrix * product.d.stride,
              epilogue.apply(r, c, value));
      }
  }
}

static bool isF8(cudaDataType_t type) {
  return type == CUDA_R_8F_E4M3 || type == CUDA_R_8F_E5M2;
}

/// The rows of the documentation's table that have real numbers.
static bool isListed(const Operation &operation, const Layout &a,
                     const Layout &b, const Layout &d) {
  if (operation.compute == CUBLAS_COMPUTE_64F)
    return operation.scaleType == CUDA_R_64F && a.type == CUDA_R_64F &&
           b.type == CUDA_R_64F && d.type == CUDA_R_64F;
  if (operation.scaleType != CUDA_R_32F)
    return false;
  if (operation.compute == CUBLAS_COMPUTE_32F_FAST_TF32)
    return a.type == CUDA_R_32F && b.type == CUDA_R_32F && d.type == CUDA_R_32F;
  if (operation.compute != CUBLAS_COMPUTE_32F)
    return false;
  if (isF8(a.type) && isF8(b.type))
    return !(a.type == CUDA_R_8F_E5M2 && b.type == CUDA_R_8F_E5M2) &&
           (d.type == CUDA_R_32F || d.type == CUDA_R_16F ||
            d.type == CUDA_R_16BF);
  return a.type == b.type && (d.type == a.type || d.type == CUDA_R_32F) &&
         (a.type == CUDA_R_32F || a.type == CUDA_R_16F ||
          a.type == CUDA_R_16BF);
}

static cublasStatus_t validateF8(const Operation &operation, const Layout &a,
                                 const Layout &d, int computeCapability) {
  if (computeCapability < 89)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  bool only = computeCapability < 100 || computeCapability >= 120;
  if (only &&
      (operation.transA != CUBLAS_OP_T || operation.transB != CUBLAS_OP_N))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  uint64_t inner = operation.transA == CUBLAS_OP_N ? a.columns : a.rows;
  bool bias16 = operation.epilogue & CUBLASLT_EPILOGUE_BIAS &&
                d.type == CUDA_R_32F && operation.biasType != CUDA_R_16BF;
  return inner % 16 || d.rows % 16 || bias16 ? CUBLAS_STATUS_NOT_SUPPORTED
                                             : CUBLAS_STATUS_SUCCESS;
}

static bool epilogueHolds(const Operation &operation, const Layout &d) {
  switch (operation.epilogue) {
  case CUBLASLT_EPILOGUE_DEFAULT:
  case CUBLASLT_EPILOGUE_RELU:
  case CUBLASLT_EPILOGUE_GELU:
    return true;
  case CUBLASLT_EPILOGUE_BIAS:
  case CUBLASLT_EPILOGUE_RELU_BIAS:
  case CUBLASLT_EPILOGUE_GELU_BIAS:
    return operation.bias != nullptr;
  case CUBLASLT_EPILOGUE_GELU_AUX:
  case CUBLASLT_EPILOGUE_DGELU:
    break;
  case CUBLASLT_EPILOGUE_GELU_AUX_BIAS:
    if (!operation.bias)
      return false;
    break;
  default:
    return false;
  }
  return operation.aux && operation.auxLeading % 8 == 0 &&
         operation.auxStride % 8 == 0 &&
         operation.auxLeading >= static_cast<int64_t>(d.rows);
}

cublasStatus_t fake::validate(const Operation &operation, const Layout &a,
                              const Layout &b, const Layout &c, const Layout &d,
                              int computeCapability) {
  bool swapA = operation.transA != CUBLAS_OP_N,
       swapB = operation.transB != CUBLAS_OP_N;
  uint64_t m = swapA ? a.columns : a.rows, k = swapA ? a.rows : a.columns,
           n = swapB ? b.rows : b.columns, kB = swapB ? b.columns : b.rows;
  if (k != kB || d.rows != m || d.columns != n || c.rows != m ||
      c.columns != n || c.type != d.type)
    return CUBLAS_STATUS_INVALID_VALUE;
  for (const Layout *layout : {&a, &b, &c, &d})
    if (layout->leading < static_cast<int64_t>(layout->rows) ||
        layout->batch != d.batch)
      return CUBLAS_STATUS_INVALID_VALUE;
  // Inputs may be the same for the whole batch, results may not.
  if (d.batch > 1 && d.stride < d.leading * static_cast<int64_t>(n))
    return CUBLAS_STATUS_INVALID_VALUE;
  if (!epilogueHolds(operation, d))
    return CUBLAS_STATUS_INVALID_VALUE;
  if (!isListed(operation, a, b, d))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  if (isF8(a.type))
    return validateF8(operation, a, d, computeCapability);
  if (operation.scaleA || operation.scaleB)
    return CUBLAS_STATUS_INVALID_VALUE;
  return CUBLAS_STATUS_SUCCESS;
}
