#include "BlasDescriptors.h"

#include <algorithm>

using namespace mpc;
using namespace mpc::runtime;

Status runtime::makeStatus(const CublasLtApi &api, cublasStatus_t status,
                           std::string_view what) {
  if (status == CUBLAS_STATUS_SUCCESS)
    return {};
  return {status == CUBLAS_STATUS_ALLOC_FAILED ? StatusCode::OutOfMemory
                                               : StatusCode::LibraryError,
          std::string(what) + ": " + api.cublasLtGetStatusName(status) + " (" +
              std::to_string(static_cast<int>(status)) + ")"};
}

MatmulPointers runtime::readPointers(const program::Call &call,
                                     std::span<void *const> arguments) {
  using program::OperandRole;
  auto find = [&](OperandRole role) -> void * {
    std::optional<uint32_t> index = findOperand(call, role);
    return index ? arguments[*index] : nullptr;
  };
  return {.lhs = find(OperandRole::Lhs),
          .rhs = find(OperandRole::Rhs),
          .result = find(OperandRole::Result),
          .bias = find(OperandRole::Bias),
          .addend = find(OperandRole::Addend),
          .aux = find(OperandRole::Aux),
          .lhsScale = find(OperandRole::LhsScale),
          .rhsScale = find(OperandRole::RhsScale)};
}

std::vector<ReadMemory> runtime::listReads(const program::Call &call,
                                           const MatmulPointers &pointers) {
  using enum program::OperandRole;
  std::vector<ReadMemory> reads;
  for (auto [role, address] : {std::pair(Lhs, pointers.lhs),
                               {Rhs, pointers.rhs},
                               {Bias, pointers.bias},
                               {Addend, pointers.addend},
                               {Aux, pointers.aux},
                               {LhsScale, pointers.lhsScale},
                               {RhsScale, pointers.rhsScale}})
    if (std::optional<uint32_t> index = findOperand(call, role);
        index && address && !call.operands()->Get(*index)->written())
      reads.push_back({const_cast<void *>(address),
                       getReach(*call.operands()->Get(*index))});
  return reads;
}

/// The largest power of two up to 256 that divides the number.
static uint32_t alignmentOf(uint64_t number) {
  uint64_t lowest = number & (~number + 1);
  return static_cast<uint32_t>(lowest == 0 ? 256
                                           : std::min<uint64_t>(lowest, 256));
}

static uint32_t alignmentOf(const void *pointer) {
  return alignmentOf(reinterpret_cast<uint64_t>(pointer));
}

BlasAlignments runtime::findAlignments(const BlasProduct &product,
                                       const MatmulPointers &pointers) {
  uint64_t lhs = 0, rhs = 0, result = 0;
  for (const BlasPart &part : product.parts) {
    lhs |= static_cast<uint64_t>(part.lhs);
    rhs |= static_cast<uint64_t>(part.rhs);
    result |= static_cast<uint64_t>(part.result);
  }
  // Without an addend C is D.
  const void *c = product.addend ? pointers.addend : pointers.result;
  return {std::min(alignmentOf(pointers.rhs), alignmentOf(rhs)),
          std::min(alignmentOf(pointers.lhs), alignmentOf(lhs)),
          std::min(alignmentOf(c), alignmentOf(result)),
          std::min(alignmentOf(pointers.result), alignmentOf(result)),
          alignmentOf(pointers.bias),
          pointers.aux
              ? std::min(alignmentOf(pointers.aux), alignmentOf(result))
              : 256};
}

BlasDescriptors::BlasDescriptors(const CublasLtApi &api)
    : api(&api), matmul(nullptr, api.cublasLtMatmulDescDestroy),
      layouts{Layout(nullptr, api.cublasLtMatrixLayoutDestroy),
              Layout(nullptr, api.cublasLtMatrixLayoutDestroy),
              Layout(nullptr, api.cublasLtMatrixLayoutDestroy)} {}

template <typename Value>
Status BlasDescriptors::set(cublasLtMatmulDescAttributes_t attribute,
                            const Value &value) {
  // Where the value is itself a pointer, its address is what is passed.
  const auto *bytes = static_cast<const void *>(&value);
  return makeStatus(*api,
                    api->cublasLtMatmulDescSetAttribute(matmul.get(), attribute,
                                                        bytes, sizeof(value)),
                    "cublasLtMatmulDescSetAttribute");
}

Status BlasDescriptors::setAux(const void *aux) {
  return set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, aux);
}

Status BlasDescriptors::setEpilogue(const BlasProduct &product,
                                    const MatmulPointers &pointers) {
  if (Status status = set(CUBLASLT_MATMUL_DESC_EPILOGUE,
                          static_cast<uint32_t>(product.epilogue));
      !status.ok())
    return status;
  if (product.hasBias()) {
    if (Status status = set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, pointers.bias);
        !status.ok())
      return status;
    if (Status status = set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE,
                            static_cast<int32_t>(product.d.type));
        !status.ok())
      return status;
  }
  if (!product.hasAux())
    return {};
  if (Status status = setAux(pointers.aux); !status.ok())
    return status;
  if (Status status =
          set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, product.d.leading);
      !status.ok())
    return status;
  if (Status status =
          set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, product.d.stride);
      !status.ok())
    return status;
  return set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE,
             static_cast<int32_t>(product.d.type));
}

Status BlasDescriptors::createOperation(const BlasProduct &product,
                                        const MatmulPointers &pointers) {
  cublasLtMatmulDesc_t made = nullptr;
  if (Status status = makeStatus(*api,
                                 api->cublasLtMatmulDescCreate(
                                     &made, product.compute, product.scaleType),
                                 "cublasLtMatmulDescCreate");
      !status.ok())
    return status;
  matmul.reset(made);
  auto operation = [](bool transposed) -> int32_t {
    return transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  };
  if (Status status =
          set(CUBLASLT_MATMUL_DESC_TRANSA, operation(product.transposeA));
      !status.ok())
    return status;
  if (Status status =
          set(CUBLASLT_MATMUL_DESC_TRANSB, operation(product.transposeB));
      !status.ok())
    return status;
  if (product.scaled) {
    if (Status status =
            set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, pointers.rhsScale);
        !status.ok())
      return status;
    if (Status status =
            set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, pointers.lhsScale);
        !status.ok())
      return status;
  }
  return setEpilogue(product, pointers);
}

Status BlasDescriptors::createLayout(Layout &layout, const BlasMatrix &matrix,
                                     int32_t batch) {
  cublasLtMatrixLayout_t made = nullptr;
  if (Status status =
          makeStatus(*api,
                     api->cublasLtMatrixLayoutCreate(
                         &made, matrix.type, static_cast<uint64_t>(matrix.rows),
                         static_cast<uint64_t>(matrix.columns), matrix.leading),
                     "cublasLtMatrixLayoutCreate");
      !status.ok())
    return status;
  layout.reset(made);
  if (batch == 1)
    return {};
  constexpr const char *who = "cublasLtMatrixLayoutSetAttribute";
  if (Status status = makeStatus(
          *api,
          api->cublasLtMatrixLayoutSetAttribute(
              made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch, sizeof(batch)),
          who);
      !status.ok())
    return status;
  return makeStatus(*api,
                    api->cublasLtMatrixLayoutSetAttribute(
                        made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                        &matrix.stride, sizeof(matrix.stride)),
                    who);
}

Result<BlasDescriptors>
BlasDescriptors::create(const CublasLtApi &api, const BlasProduct &product,
                        const MatmulPointers &pointers) {
  BlasDescriptors made(api);
  if (Status status = made.createOperation(product, pointers); !status.ok())
    return status;
  const BlasMatrix *matrices[] = {&product.a, &product.b, &product.d};
  for (size_t i = 0; i < made.layouts.size(); ++i)
    if (Status status =
            made.createLayout(made.layouts[i], *matrices[i], product.batch);
        !status.ok())
      return status;
  return made;
}
