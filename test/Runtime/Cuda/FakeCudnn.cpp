#include "FakeCudnn.h"
#include "FakeCudnnMath.h"

#include <cstring>
#include <memory>

using namespace mpc;
using namespace mpc::runtime;
using namespace mpc::runtime::fake;

static FakeCudnn *current = nullptr;

namespace {
struct Described;
/// What was set: bytes, or what other descriptors were when it was.
struct Attribute {
  cudnnBackendAttributeType_t type = CUDNN_TYPE_INT64;
  std::vector<std::byte> bytes = {};
  std::vector<std::shared_ptr<const Described>> descriptors = {};
};
struct Described {
  cudnnBackendDescriptorType_t kind;
  bool finalized = false;
  int engine = 0; ///< of a proposal, and of its engine
  std::map<int, Attribute> attributes = {};

  const Attribute &get(int name) const { return attributes.at(name); }
  const Described &part(int name) const { return *get(name).descriptors.at(0); }
  template <typename T> std::vector<T> list(int name) const {
    const std::vector<std::byte> &bytes = get(name).bytes;
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!bytes.empty())
      std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  template <typename T> T value(int name) const {
    T value;
    std::memcpy(&value, get(name).bytes.data(), sizeof value);
    return value;
  }
};
struct Handle {
  cudaStream_t stream = nullptr;
};

Described &as(cudnnBackendDescriptor_t handle) {
  return *static_cast<Described *>(handle);
}

/// Of one element of an attribute; 0: a descriptor.
size_t sizeOf(cudnnBackendAttributeType_t type) {
  switch (type) {
  case CUDNN_TYPE_INT64:
  case CUDNN_TYPE_DOUBLE:
  case CUDNN_TYPE_VOID_PTR:
    return 8;
  case CUDNN_TYPE_BOOLEAN:
  case CUDNN_TYPE_CHAR:
    return 1;
  case CUDNN_TYPE_BACKEND_DESCRIPTOR:
    return 0;
  default:
    return 4;
  }
}

/// What each kind of descriptor cannot be without.
const std::map<cudnnBackendDescriptorType_t, std::vector<int>> &needs() {
  static const std::map<cudnnBackendDescriptorType_t, std::vector<int>> table =
      {{CUDNN_BACKEND_TENSOR_DESCRIPTOR,
        {CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_ATTR_TENSOR_DATA_TYPE,
         CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_ATTR_TENSOR_STRIDES,
         CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT}},
       {CUDNN_BACKEND_MATMUL_DESCRIPTOR, {CUDNN_ATTR_MATMUL_COMP_TYPE}},
       {CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR,
        {CUDNN_ATTR_OPERATION_MATMUL_ADESC, CUDNN_ATTR_OPERATION_MATMUL_BDESC,
         CUDNN_ATTR_OPERATION_MATMUL_CDESC, CUDNN_ATTR_OPERATION_MATMUL_DESC}},
       {CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR,
        {CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_ATTR_CONVOLUTION_CONV_MODE,
         CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS,
         CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS,
         CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_ATTR_CONVOLUTION_DILATIONS,
         CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES}},
       {CUDNN_BACKEND_POINTWISE_DESCRIPTOR,
        {CUDNN_ATTR_POINTWISE_MODE, CUDNN_ATTR_POINTWISE_MATH_PREC}},
       {CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR,
        {CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR,
         CUDNN_ATTR_OPERATION_POINTWISE_XDESC,
         CUDNN_ATTR_OPERATION_POINTWISE_YDESC}},
       {CUDNN_BACKEND_REDUCTION_DESCRIPTOR,
        {CUDNN_ATTR_REDUCTION_OPERATOR, CUDNN_ATTR_REDUCTION_COMP_TYPE}},
       {CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR,
        {CUDNN_ATTR_OPERATION_REDUCTION_XDESC,
         CUDNN_ATTR_OPERATION_REDUCTION_YDESC,
         CUDNN_ATTR_OPERATION_REDUCTION_DESC}},
       {CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR,
        {CUDNN_ATTR_OPERATION_RESHAPE_XDESC,
         CUDNN_ATTR_OPERATION_RESHAPE_YDESC}},
       {CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR,
        {CUDNN_ATTR_OPERATIONGRAPH_OPS}},
       {CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR,
        {CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, CUDNN_ATTR_ENGINEHEUR_MODE,
         CUDNN_ATTR_ENGINEHEUR_DEVICEPROP}},
       {CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR,
        {CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG,
         CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP}},
       {CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR,
        {CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS,
         CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS}}};
  return table;
}
} // namespace

#define FAKE_INTERFERE(name)                                                   \
  if (current->interfere)                                                      \
    if (cudnnStatus_t answer = current->interfere(name);                       \
        answer != CUDNN_STATUS_SUCCESS)                                        \
      return answer;

static size_t getVersion() { return current->version; }
static const char *getErrorString(cudnnStatus_t status) {
  return status == CUDNN_STATUS_SUCCESS         ? "CUDNN_STATUS_SUCCESS"
         : status == CUDNN_STATUS_BAD_PARAM     ? "CUDNN_STATUS_BAD_PARAM"
         : status == CUDNN_STATUS_NOT_SUPPORTED ? "CUDNN_STATUS_NOT_SUPPORTED"
                                                : "CUDNN_STATUS_INTERNAL_ERROR";
}
static void getLastErrorString(char *text, size_t room) {
  std::strncpy(text, "as the fake says", room);
}

static cudnnStatus_t create(cudnnHandle_t *handle) {
  FAKE_INTERFERE("cudnnCreate")
  *handle = reinterpret_cast<cudnnHandle_t>(new Handle());
  ++current->live;
  return CUDNN_STATUS_SUCCESS;
}
static cudnnStatus_t destroy(cudnnHandle_t handle) {
  if (current->closes)
    current->closes();
  delete reinterpret_cast<Handle *>(handle);
  --current->live;
  return CUDNN_STATUS_SUCCESS;
}
static cudnnStatus_t setStream(cudnnHandle_t handle, cudaStream_t stream) {
  FAKE_INTERFERE("cudnnSetStream")
  reinterpret_cast<Handle *>(handle)->stream = stream;
  return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t createDescriptor(cudnnBackendDescriptorType_t kind,
                                      cudnnBackendDescriptor_t *handle) {
  FAKE_INTERFERE("cudnnBackendCreateDescriptor")
  *handle = new Described{.kind = kind};
  ++current->live;
  return CUDNN_STATUS_SUCCESS;
}
static cudnnStatus_t destroyDescriptor(cudnnBackendDescriptor_t handle) {
  delete static_cast<Described *>(handle);
  --current->live;
  return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t setAttribute(cudnnBackendDescriptor_t handle,
                                  cudnnBackendAttributeName_t name,
                                  cudnnBackendAttributeType_t type,
                                  int64_t count, const void *values) {
  FAKE_INTERFERE("cudnnBackendSetAttribute")
  Described &target = as(handle);
  if (target.finalized || !values)
    return CUDNN_STATUS_BAD_PARAM;
  Attribute attribute = {.type = type};
  if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR) {
    for (int64_t i = 0; i < count; ++i) {
      const Described &part =
          as(static_cast<const cudnnBackendDescriptor_t *>(values)[i]);
      if (!part.finalized)
        return CUDNN_STATUS_BAD_PARAM;
      attribute.descriptors.push_back(std::make_shared<Described>(part));
    }
  } else {
    auto *bytes = static_cast<const std::byte *>(values);
    attribute.bytes.assign(bytes,
                           bytes + sizeOf(type) * static_cast<size_t>(count));
  }
  target.attributes[name] = std::move(attribute);
  return CUDNN_STATUS_SUCCESS;
}

static CudnnTensor readTensor(const Described &tensor) {
  auto flag = [&](int name) {
    return tensor.attributes.contains(name) && tensor.value<bool>(name);
  };
  return {tensor.value<int64_t>(CUDNN_ATTR_TENSOR_UNIQUE_ID),
          tensor.value<cudnnDataType_t>(CUDNN_ATTR_TENSOR_DATA_TYPE),
          tensor.list<int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS),
          tensor.list<int64_t>(CUDNN_ATTR_TENSOR_STRIDES),
          flag(CUDNN_ATTR_TENSOR_IS_VIRTUAL),
          flag(CUDNN_ATTR_TENSOR_IS_BY_VALUE)};
}

/// What each operation of a convolution calls its parts.
struct ConvolutionNames {
  int how, alpha, beta, input, weight, result;
};
static const ConvolutionNames *
findConvolution(cudnnBackendDescriptorType_t kind) {
  static const std::map<cudnnBackendDescriptorType_t, ConvolutionNames> table =
      {{CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
        {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
         CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
         CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA,
         CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
         CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
         CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y}},
       {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
        {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
         CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
         CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA,
         CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
         CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
         CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY}},
       {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
        {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
         CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
         CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA,
         CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
         CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
         CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY}}};
  auto found = table.find(kind);
  return found == table.end() ? nullptr : &found->second;
}

static CudnnOperation readConvolution(const Described &operation,
                                      const ConvolutionNames &names) {
  const Described &how = operation.part(names.how);
  return {.kind = CudnnKind::Convolution,
          .x = readTensor(operation.part(names.input)),
          .result = readTensor(operation.part(names.result)),
          .b = readTensor(operation.part(names.weight)),
          .convolution = operation.kind,
          .windows = {how.list<int64_t>(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES),
                      how.list<int64_t>(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS),
                      how.list<int64_t>(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS),
                      how.list<int64_t>(CUDNN_ATTR_CONVOLUTION_DILATIONS)}};
}

/// All is there and goes together; the sum is 1 times the convolution, and 0
/// times what was there, in the type that is computed in.
static bool isWhole(const Described &operation, const ConvolutionNames &names) {
  for (int name : {names.how, names.alpha, names.beta, names.input,
                   names.weight, names.result})
    if (!operation.attributes.contains(name))
      return false;
  const Described &how = operation.part(names.how);
  bool isDouble = how.value<cudnnDataType_t>(
                      CUDNN_ATTR_CONVOLUTION_COMP_TYPE) == CUDNN_DATA_DOUBLE;
  auto isNumber = [&](int name, double wanted) {
    const Attribute &attribute = operation.get(name);
    return isDouble ? attribute.type == CUDNN_TYPE_DOUBLE &&
                          operation.value<double>(name) == wanted
                    : attribute.type == CUDNN_TYPE_FLOAT &&
                          operation.value<float>(name) == wanted;
  };
  return how.value<cudnnConvolutionMode_t>(CUDNN_ATTR_CONVOLUTION_CONV_MODE) ==
             CUDNN_CROSS_CORRELATION &&
         isNumber(names.alpha, 1) && isNumber(names.beta, 0) &&
         fitsWindows(readConvolution(operation, names));
}

static cudnnStatus_t finalize(cudnnBackendDescriptor_t handle) {
  FAKE_INTERFERE("cudnnBackendFinalize")
  Described &target = as(handle);
  if (auto found = needs().find(target.kind); found != needs().end())
    for (int name : found->second)
      if (!target.attributes.contains(name))
        return CUDNN_STATUS_BAD_PARAM;
  if (const ConvolutionNames *names = findConvolution(target.kind);
      names && !isWhole(target, *names))
    return CUDNN_STATUS_BAD_PARAM;
  if (target.kind == CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR) {
    if (target.part(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG).engine <
        current->broken)
      return CUDNN_STATUS_NOT_SUPPORTED;
    ++current->plans;
  }
  target.finalized = true;
  return CUDNN_STATUS_SUCCESS;
}

/// Fills the proposals that the caller made.
static cudnnStatus_t propose(const Described &heuristic, int64_t room,
                             int64_t *count, void *values) {
  bool isFirst = heuristic.value<cudnnBackendHeurMode_t>(
                     CUDNN_ATTR_ENGINEHEUR_MODE) == CUDNN_HEUR_MODE_A;
  int64_t there = isFirst ? current->proposals : 0;
  *count = values ? std::min(room, there) : there;
  for (int64_t i = 0; values && i < *count; ++i) {
    Described &proposal =
        as(static_cast<cudnnBackendDescriptor_t *>(values)[i]);
    proposal.engine = static_cast<int>(i);
    proposal.finalized = true;
    proposal.attributes[-1] =
        heuristic.get(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
  }
  return CUDNN_STATUS_SUCCESS;
}

/// The engine of a proposal, which the caller made; what is noted of one.
static cudnnStatus_t tellOfEngine(const Described &target,
                                  cudnnBackendAttributeName_t name,
                                  int64_t room, int64_t *count, void *values) {
  if (name == CUDNN_ATTR_ENGINECFG_ENGINE) {
    *count = 1;
    if (!values || room < 1)
      return CUDNN_STATUS_SUCCESS;
    Described &engine = as(*static_cast<cudnnBackendDescriptor_t *>(values));
    engine.engine = target.engine;
    engine.finalized = true;
    return CUDNN_STATUS_SUCCESS;
  }
  auto number = static_cast<size_t>(target.engine);
  std::vector<cudnnBackendNumericalNote_t> notes;
  if (number < current->notes.size())
    notes = current->notes[number];
  *count = static_cast<int64_t>(notes.size());
  for (size_t i = 0; i < notes.size() && static_cast<int64_t>(i) < room; ++i)
    static_cast<cudnnBackendNumericalNote_t *>(values)[i] = notes[i];
  return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t getAttribute(cudnnBackendDescriptor_t const handle,
                                  cudnnBackendAttributeName_t name,
                                  cudnnBackendAttributeType_t, int64_t room,
                                  int64_t *count, void *values) {
  FAKE_INTERFERE("cudnnBackendGetAttribute")
  const Described &target = as(handle);
  if (!target.finalized)
    return CUDNN_STATUS_BAD_PARAM;
  if (name == CUDNN_ATTR_ENGINEHEUR_RESULTS)
    return propose(target, room, count, values);
  if (name == CUDNN_ATTR_ENGINECFG_ENGINE ||
      name == CUDNN_ATTR_ENGINE_NUMERICAL_NOTE)
    return tellOfEngine(target, name, room, count, values);
  if (name != CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE)
    return CUDNN_STATUS_NOT_SUPPORTED;
  *static_cast<int64_t *>(values) = current->workspace;
  *count = 1;
  return CUDNN_STATUS_SUCCESS;
}

static CudnnOperation readOperation(const Described &operation) {
  if (const ConvolutionNames *names = findConvolution(operation.kind))
    return readConvolution(operation, *names);
  auto tensor = [&](int name) { return readTensor(operation.part(name)); };
  switch (operation.kind) {
  case CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR:
    return {.kind = CudnnKind::Matmul,
            .x = tensor(CUDNN_ATTR_OPERATION_MATMUL_ADESC),
            .result = tensor(CUDNN_ATTR_OPERATION_MATMUL_CDESC),
            .b = tensor(CUDNN_ATTR_OPERATION_MATMUL_BDESC)};
  case CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR:
    return {.kind = CudnnKind::Reduction,
            .fold = operation.part(CUDNN_ATTR_OPERATION_REDUCTION_DESC)
                        .value<cudnnReduceTensorOp_t>(
                            CUDNN_ATTR_REDUCTION_OPERATOR),
            .x = tensor(CUDNN_ATTR_OPERATION_REDUCTION_XDESC),
            .result = tensor(CUDNN_ATTR_OPERATION_REDUCTION_YDESC)};
  case CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR:
    return {.kind = CudnnKind::Reshape,
            .x = tensor(CUDNN_ATTR_OPERATION_RESHAPE_XDESC),
            .result = tensor(CUDNN_ATTR_OPERATION_RESHAPE_YDESC)};
  default: {
    const Described &how =
        operation.part(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR);
    CudnnOperation made = {
        .kind = CudnnKind::Pointwise,
        .mode = how.value<cudnnPointwiseMode_t>(CUDNN_ATTR_POINTWISE_MODE),
        .x = tensor(CUDNN_ATTR_OPERATION_POINTWISE_XDESC),
        .result = tensor(CUDNN_ATTR_OPERATION_POINTWISE_YDESC)};
    if (how.attributes.contains(CUDNN_ATTR_POINTWISE_AXIS))
      made.axis = how.value<int64_t>(CUDNN_ATTR_POINTWISE_AXIS);
    if (operation.attributes.contains(CUDNN_ATTR_OPERATION_POINTWISE_BDESC))
      made.b = tensor(CUDNN_ATTR_OPERATION_POINTWISE_BDESC);
    if (operation.attributes.contains(CUDNN_ATTR_OPERATION_POINTWISE_TDESC))
      made.condition = tensor(CUDNN_ATTR_OPERATION_POINTWISE_TDESC);
    return made;
  }
  }
}

static cudnnStatus_t execute(cudnnHandle_t handle,
                             cudnnBackendDescriptor_t plan,
                             cudnnBackendDescriptor_t pack) {
  FAKE_INTERFERE("cudnnBackendExecute")
  const Described &addresses = as(pack);
  auto names = addresses.list<int64_t>(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
  auto pointers = addresses.list<void *>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
  auto *workspace = addresses.value<void *>(CUDNN_ATTR_VARIANT_PACK_WORKSPACE);
  if (names.size() != pointers.size() ||
      (current->workspace != 0 && !workspace))
    return CUDNN_STATUS_BAD_PARAM;
  std::map<int64_t, void *> places;
  for (size_t i = 0; i < names.size(); ++i)
    places[names[i]] = pointers[i];
  std::vector<CudnnOperation> operations;
  const Described &graph = *as(plan)
                                .part(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG)
                                .get(-1)
                                .descriptors.at(0);
  for (const auto &operation :
       graph.get(CUDNN_ATTR_OPERATIONGRAPH_OPS).descriptors)
    operations.push_back(readOperation(*operation));
  auto bytes = static_cast<size_t>(current->workspace);
  current->submit(reinterpret_cast<Handle *>(handle)->stream,
                  [operations, places, workspace, bytes]() {
                    if (bytes)
                      std::memset(workspace, 0xFF, bytes);
                    ++current->executed;
                    if (!current->replace)
                      return runCudnn(operations, places);
                    current->replace(places);
                    return std::string();
                  });
  return CUDNN_STATUS_SUCCESS;
}

FakeCudnn::FakeCudnn() {
  current = this;
  submit = [](cudaStream_t, const std::function<std::string()> &work) {
    (void)work();
  };
  table = {.cudnnGetVersion = getVersion,
           .cudnnGetErrorString = getErrorString,
           .cudnnGetLastErrorString = getLastErrorString,
           .cudnnCreate = create,
           .cudnnDestroy = destroy,
           .cudnnSetStream = setStream,
           .cudnnBackendCreateDescriptor = createDescriptor,
           .cudnnBackendDestroyDescriptor = destroyDescriptor,
           .cudnnBackendSetAttribute = setAttribute,
           .cudnnBackendGetAttribute = getAttribute,
           .cudnnBackendFinalize = finalize,
           .cudnnBackendExecute = execute};
}

FakeCudnn::~FakeCudnn() { current = nullptr; }
