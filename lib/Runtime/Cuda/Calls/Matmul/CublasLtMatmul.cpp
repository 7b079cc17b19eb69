#include "CublasLtMatmul.h"

using namespace mpc;
using namespace mpc::runtime;

namespace {
/// Alpha or beta in the scale type, which is f64 or f32.
union Scalar {
  double f64;
  float f32;
};
} // namespace

static Scalar makeScalar(cudaDataType_t type, double value) {
  Scalar scalar;
  if (type == CUDA_R_64F)
    scalar.f64 = value;
  else
    scalar.f32 = static_cast<float>(value);
  return scalar;
}

Status CublasLtMatmul::enqueue(cudaStream_t stream, void *workspace) {
  return enqueue(stream, workspace, plan);
}

Status CublasLtMatmul::enqueue(cudaStream_t stream, void *workspace,
                               const MatmulPlan &with) {
  Scalar factor = makeScalar(product.scaleType, 1),
         beta = makeScalar(product.scaleType, product.addend ? 1 : 0);
  auto at = [](const void *base, int64_t offset) {
    return static_cast<const uint8_t *>(base) + offset;
  };
  for (const BlasPart &part : product.parts) {
    if (product.hasAux() && product.parts.size() > 1)
      if (Status status = descriptors.setAux(at(pointers.aux, part.result));
          !status.ok())
        return status;
    void *result = static_cast<uint8_t *>(pointers.result) + part.result;
    const void *c = product.addend ? at(pointers.addend, part.result) : result;
    cublasStatus_t answer = api->cublasLtMatmul(
        handle, descriptors.operation(), &factor, at(pointers.rhs, part.rhs),
        descriptors.a(), at(pointers.lhs, part.lhs), descriptors.b(), &beta, c,
        descriptors.d(), result, descriptors.d(), &with.algorithm, workspace,
        with.workspaceBytes, stream);
    if (answer != CUBLAS_STATUS_SUCCESS) {
      Status status = makeStatus(*api, answer, "cublasLtMatmul");
      return {status.code(), status.message() + " for " + text};
    }
  }
  return {};
}
