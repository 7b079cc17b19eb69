#include "FakeCublasLt.h"

#include "FakeBlasMath.h"

#include <algorithm>
#include <cstring>

using namespace mpc;
using namespace mpc::runtime;
using namespace mpc::runtime::fake;

static FakeCublasLt *current = nullptr;

// The opaque types behind the handles are ours to define the inside of; memory
// of our own structs stands behind their pointers.
namespace {
struct Handle {};
constexpr uint64_t kMagic = 0x666b63756c74; // in the first word of algorithms

uint64_t hash(uint64_t seed, uint64_t value) {
  return (seed ^ value) * 0x9e3779b97f4a7c15u + (seed >> 29);
}

/// An algorithm is only good for the kind of product it was proposed for.
uint64_t fingerprint(const Operation &operation, const Layout &a,
                     const Layout &b, const Layout &d) {
  uint64_t value = hash(operation.epilogue, operation.compute);
  value = hash(value, static_cast<uint64_t>(operation.transA) << 8 |
                          static_cast<uint64_t>(operation.transB));
  for (const Layout *layout : {&a, &b, &d})
    for (uint64_t fact :
         {static_cast<uint64_t>(layout->type), layout->rows, layout->columns,
          static_cast<uint64_t>(layout->leading),
          static_cast<uint64_t>(layout->batch)})
      value = hash(value, fact);
  return value;
}

template <typename T, typename Opaque> T &as(Opaque *handle) {
  return *reinterpret_cast<T *>(handle);
}

template <typename T, typename Opaque> void make(Opaque **handle) {
  *handle = reinterpret_cast<Opaque *>(new T());
  ++current->live;
}

template <typename T, typename Opaque> cublasStatus_t destroy(Opaque *handle) {
  if (!handle)
    return CUBLAS_STATUS_INVALID_VALUE;
  delete reinterpret_cast<T *>(handle);
  --current->live;
  return CUBLAS_STATUS_SUCCESS;
}

/// Copies an attribute if its size is right.
template <typename T>
cublasStatus_t assign(T &member, const void *value, size_t size) {
  if (!value || size != sizeof(T))
    return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(&member, value, size);
  return CUBLAS_STATUS_SUCCESS;
}
} // namespace

#define FAKE_INTERFERE(name)                                                   \
  if (current->interfere)                                                      \
    if (cublasStatus_t answer = current->interfere(name);                      \
        answer != CUBLAS_STATUS_SUCCESS)                                       \
      return answer;

static size_t getVersion() { return current->version; }
static const char *getStatusName(cublasStatus_t status) {
  switch (status) {
  case CUBLAS_STATUS_SUCCESS:
    return "CUBLAS_STATUS_SUCCESS";
  case CUBLAS_STATUS_ALLOC_FAILED:
    return "CUBLAS_STATUS_ALLOC_FAILED";
  case CUBLAS_STATUS_INVALID_VALUE:
    return "CUBLAS_STATUS_INVALID_VALUE";
  case CUBLAS_STATUS_NOT_SUPPORTED:
    return "CUBLAS_STATUS_NOT_SUPPORTED";
  default:
    return "CUBLAS_STATUS_INTERNAL_ERROR";
  }
}
static const char *getStatusString(cublasStatus_t) {
  return "as its name says";
}

static cublasStatus_t create(cublasLtHandle_t *handle) {
  FAKE_INTERFERE("cublasLtCreate")
  make<Handle>(handle);
  return CUBLAS_STATUS_SUCCESS;
}
static cublasStatus_t destroyHandle(cublasLtHandle_t handle) {
  return destroy<Handle>(handle);
}

static cublasStatus_t createOperation(cublasLtMatmulDesc_t *operation,
                                      cublasComputeType_t compute,
                                      cudaDataType_t scaleType) {
  FAKE_INTERFERE("cublasLtMatmulDescCreate")
  make<Operation>(operation);
  as<Operation>(*operation).compute = compute;
  as<Operation>(*operation).scaleType = scaleType;
  return CUBLAS_STATUS_SUCCESS;
}
static cublasStatus_t destroyOperation(cublasLtMatmulDesc_t operation) {
  return destroy<Operation>(operation);
}

static cublasStatus_t setOperation(cublasLtMatmulDesc_t handle,
                                   cublasLtMatmulDescAttributes_t attribute,
                                   const void *value, size_t size) {
  FAKE_INTERFERE("cublasLtMatmulDescSetAttribute")
  auto &operation = as<Operation>(handle);
  switch (attribute) {
  case CUBLASLT_MATMUL_DESC_TRANSA:
    return assign(operation.transA, value, size);
  case CUBLASLT_MATMUL_DESC_TRANSB:
    return assign(operation.transB, value, size);
  case CUBLASLT_MATMUL_DESC_EPILOGUE:
    return assign(operation.epilogue, value, size);
  case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
    return assign(operation.bias, value, size);
  case CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE:
    return assign(operation.biasStride, value, size);
  case CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE:
    return assign(operation.biasType, value, size);
  case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER:
    return assign(operation.aux, value, size);
  case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD:
    return assign(operation.auxLeading, value, size);
  case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE:
    return assign(operation.auxStride, value, size);
  case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE:
    return assign(operation.auxType, value, size);
  case CUBLASLT_MATMUL_DESC_A_SCALE_POINTER:
    return assign(operation.scaleA, value, size);
  case CUBLASLT_MATMUL_DESC_B_SCALE_POINTER:
    return assign(operation.scaleB, value, size);
  default:
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
}

static cublasStatus_t createLayout(cublasLtMatrixLayout_t *layout,
                                   cudaDataType type, uint64_t rows,
                                   uint64_t columns, int64_t leading) {
  FAKE_INTERFERE("cublasLtMatrixLayoutCreate")
  make<Layout>(layout);
  as<Layout>(*layout) = {type, rows, columns, leading, 1, 0};
  return CUBLAS_STATUS_SUCCESS;
}
static cublasStatus_t destroyLayout(cublasLtMatrixLayout_t layout) {
  return destroy<Layout>(layout);
}

static cublasStatus_t setLayout(cublasLtMatrixLayout_t handle,
                                cublasLtMatrixLayoutAttribute_t attribute,
                                const void *value, size_t size) {
  FAKE_INTERFERE("cublasLtMatrixLayoutSetAttribute")
  auto &layout = as<Layout>(handle);
  if (attribute == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT)
    return assign(layout.batch, value, size);
  if (attribute == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET)
    return assign(layout.stride, value, size);
  return CUBLAS_STATUS_NOT_SUPPORTED;
}

static cublasStatus_t createPreference(cublasLtMatmulPreference_t *preference) {
  FAKE_INTERFERE("cublasLtMatmulPreferenceCreate")
  make<FakeCublasLt::Preferences>(preference);
  return CUBLAS_STATUS_SUCCESS;
}
static cublasStatus_t destroyPreference(cublasLtMatmulPreference_t preference) {
  return destroy<FakeCublasLt::Preferences>(preference);
}

static cublasStatus_t
setPreference(cublasLtMatmulPreference_t handle,
              cublasLtMatmulPreferenceAttributes_t attribute, const void *value,
              size_t size) {
  FAKE_INTERFERE("cublasLtMatmulPreferenceSetAttribute")
  auto &preference = as<FakeCublasLt::Preferences>(handle);
  switch (attribute) {
  case CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES:
    return assign(preference.workspace, value, size);
  case CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK:
    return assign(preference.reductionSchemes, value, size);
  case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES:
  case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES:
  case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES:
  case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES:
    return assign(
        preference
            .alignment[attribute - CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES],
        value, size);
  default:
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
}

static cublasStatus_t
propose(cublasLtHandle_t, cublasLtMatmulDesc_t operation,
        cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
        cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
        cublasLtMatmulPreference_t preference, int count,
        cublasLtMatmulHeuristicResult_t results[], int *found) {
  FAKE_INTERFERE("cublasLtMatmulAlgoGetHeuristic")
  ++current->heuristics;
  current->asked = as<FakeCublasLt::Preferences>(preference);
  *found = 0;
  if (cublasStatus_t answer =
          validate(as<Operation>(operation), as<Layout>(a), as<Layout>(b),
                   as<Layout>(c), as<Layout>(d), current->computeCapability);
      answer != CUBLAS_STATUS_SUCCESS)
    return answer;
  if (current->lacking.contains(as<Operation>(operation).epilogue))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  for (int i = 0; i < std::min(count, current->proposals); ++i) {
    cublasLtMatmulHeuristicResult_t &result = results[*found];
    auto number = static_cast<uint64_t>(i);
    result.workspaceSize = number * current->workspacePerProposal;
    if (result.workspaceSize > current->asked.workspace)
      continue;
    const uint32_t *align = current->asked.alignment;
    result.algo.data[0] = kMagic;
    result.algo.data[1] = number;
    result.algo.data[2] = fingerprint(as<Operation>(operation), as<Layout>(a),
                                      as<Layout>(b), as<Layout>(d));
    result.algo.data[3] = result.workspaceSize;
    for (int matrix = 0; matrix < 4; ++matrix)
      result.algo.data[4 + matrix] = align[matrix];
    result.state = CUBLAS_STATUS_SUCCESS;
    ++*found;
  }
  return *found ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}

static bool fits(const cublasLtMatmulAlgo_t &algorithm,
                 const Operation &operation, const Layout &a, const Layout &b,
                 const Layout &d) {
  return algorithm.data[0] == kMagic &&
         algorithm.data[1] < static_cast<uint64_t>(current->proposals) &&
         algorithm.data[2] == fingerprint(operation, a, b, d);
}

static cublasStatus_t check(cublasLtHandle_t, cublasLtMatmulDesc_t operation,
                            cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                            cublasLtMatrixLayout_t, cublasLtMatrixLayout_t d,
                            const cublasLtMatmulAlgo_t *algorithm,
                            cublasLtMatmulHeuristicResult_t *result) {
  FAKE_INTERFERE("cublasLtMatmulAlgoCheck")
  if (!fits(*algorithm, as<Operation>(operation), as<Layout>(a), as<Layout>(b),
            as<Layout>(d)))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  result->workspaceSize = algorithm->data[3];
  result->state = CUBLAS_STATUS_SUCCESS;
  return CUBLAS_STATUS_SUCCESS;
}

static double readScalar(const void *scalar, cudaDataType_t type) {
  return load(type, scalar, 0);
}

static cublasStatus_t
matmul(cublasLtHandle_t, cublasLtMatmulDesc_t handle, const void *alpha,
       const void *A, cublasLtMatrixLayout_t a, const void *B,
       cublasLtMatrixLayout_t b, const void *beta, const void *C,
       cublasLtMatrixLayout_t c, void *D, cublasLtMatrixLayout_t d,
       const cublasLtMatmulAlgo_t *algorithm, void *workspace,
       size_t workspaceBytes, cudaStream_t stream) {
  FAKE_INTERFERE("cublasLtMatmul")
  const auto &operation = as<Operation>(handle);
  Product product = {operation,
                     as<Layout>(a),
                     as<Layout>(b),
                     as<Layout>(c),
                     as<Layout>(d),
                     A,
                     B,
                     C,
                     D,
                     readScalar(alpha, operation.scaleType),
                     readScalar(beta, operation.scaleType)};
  if (cublasStatus_t answer =
          validate(operation, product.a, product.b, product.c, product.d,
                   current->computeCapability);
      answer != CUBLAS_STATUS_SUCCESS)
    return answer;
  if (!fits(*algorithm, operation, product.a, product.b, product.d))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  const void *pointers[] = {A, B, C, D};
  for (int i = 0; i < 4; ++i)
    if (reinterpret_cast<uint64_t>(pointers[i]) % algorithm->data[4 + i])
      return CUBLAS_STATUS_INVALID_VALUE;
  if (workspaceBytes < algorithm->data[3] ||
      (workspaceBytes &&
       (!workspace || reinterpret_cast<uint64_t>(workspace) % 256)))
    return CUBLAS_STATUS_INVALID_VALUE;
  if (current->onMatmul)
    current->onMatmul(algorithm->data[1]);
  current->submit(stream, [product] {
    multiply(product);
    if (current->onResult)
      current->onResult(product.D);
  });
  return CUBLAS_STATUS_SUCCESS;
}

FakeCublasLt::FakeCublasLt() {
  current = this;
  submit = [](cudaStream_t, std::function<void()> work) { work(); };
  table.cublasLtGetVersion = getVersion;
  table.cublasLtGetStatusName = getStatusName;
  table.cublasLtGetStatusString = getStatusString;
  table.cublasLtCreate = create;
  table.cublasLtDestroy = destroyHandle;
  table.cublasLtMatmulDescCreate = createOperation;
  table.cublasLtMatmulDescDestroy = destroyOperation;
  table.cublasLtMatmulDescSetAttribute = setOperation;
  table.cublasLtMatrixLayoutCreate = createLayout;
  table.cublasLtMatrixLayoutDestroy = destroyLayout;
  table.cublasLtMatrixLayoutSetAttribute = setLayout;
  table.cublasLtMatmulPreferenceCreate = createPreference;
  table.cublasLtMatmulPreferenceDestroy = destroyPreference;
  table.cublasLtMatmulPreferenceSetAttribute = setPreference;
  table.cublasLtMatmulAlgoGetHeuristic = propose;
  table.cublasLtMatmulAlgoCheck = check;
  table.cublasLtMatmul = matmul;
}

FakeCublasLt::~FakeCublasLt() { current = nullptr; }
