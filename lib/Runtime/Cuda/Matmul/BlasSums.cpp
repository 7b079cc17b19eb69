#include "BlasSums.h"

#include "mpc/Support/DType.h"

#include <cstring>

using namespace mpc;
using namespace mpc::runtime;

namespace {
/// A number of equal bytes.
struct Repeated {
  int fill;
  uint64_t bytes;
  double value;
};
} // namespace

static Repeated repeatedOf(cudaDataType_t type) {
  double wide;
  float single;
  uint16_t half;
  switch (type) {
  case CUDA_R_64F:
    std::memset(&wide, 0x3f, sizeof wide);
    return {0x3f, sizeof wide, wide};
  case CUDA_R_32F:
    std::memset(&single, 0x3f, sizeof single);
    return {0x3f, sizeof single, static_cast<double>(single)};
  case CUDA_R_16F:
    std::memset(&half, 0x3c, sizeof half);
    return {0x3c, sizeof half, static_cast<double>(halfToFloat(half))};
  default: // f8 products make no sums.
    std::memset(&half, 0x3f, sizeof half);
    return {0x3f, sizeof half, static_cast<double>(bfloatToFloat(half))};
  }
}

std::optional<BlasSums> runtime::splitSums(const BlasProduct &product,
                                           const MatmulPointers &pointers) {
  BlasSums split = {};
  BlasMatrix summed; // Along its columns, as it is stored.
  split.main = product;
  split.main.epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  switch (product.epilogue) {
  case CUBLASLT_EPILOGUE_BGRADA:
    summed = product.a;
    split.sumsPointers.rhs = pointers.rhs;
    break;
  case CUBLASLT_EPILOGUE_BGRADB:
    summed = product.b;
    split.sumsPointers.rhs = pointers.lhs;
    break;
  case CUBLASLT_EPILOGUE_DGELU_BGRAD:
    split.main.epilogue = CUBLASLT_EPILOGUE_DGELU;
    summed = product.d;
    split.sumsPointers.rhs = pointers.result;
    break;
  default:
    return std::nullopt;
  }
  split.mainPointers = pointers;
  split.mainPointers.biasGradient = nullptr;
  split.sumsPointers.result = pointers.biasGradient;

  Repeated number = repeatedOf(summed.type);
  split.fill = number.fill;
  split.alpha = 1 / number.value;
  split.vectorBytes = number.bytes * static_cast<uint64_t>(summed.columns);
  BlasProduct &sums = split.sums;
  // Exact f32 even where tf32 is allowed, which would round the number.
  sums.compute =
      summed.type == CUDA_R_64F ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F;
  sums.scaleType = product.scaleType;
  sums.a = summed;
  sums.b = {summed.type, summed.columns, 1, summed.columns, 0};
  sums.d = {product.d.type, summed.rows, 1, summed.rows, 0};
  sums.batch = 1;
  sums.epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  sums.parts = {{0, 0, 0}};
  return split;
}
