// DLPack at the C interface: tensors of others are checked and used in place,
// ours go out with what keeps their memory.
#include "Handles.h"
#include "mpc/Program/Program.h"

using namespace mpc;
using namespace mpc::capi;
using namespace mpc::runtime;

//===-- What comes in -----------------------------------------------------===//

static std::optional<DType> typeOf(const mpc_dltensor &tensor) {
  struct Row {
    uint8_t code, bits;
    DType type;
  };
  static constexpr Row rows[] = {
      {MPC_DLPACK_FLOAT, 64, DType::F64},
      {MPC_DLPACK_FLOAT, 32, DType::F32},
      {MPC_DLPACK_FLOAT, 16, DType::F16},
      {MPC_DLPACK_BFLOAT, 16, DType::BF16},
      {MPC_DLPACK_INT, 64, DType::I64},
      {MPC_DLPACK_INT, 32, DType::I32},
      {MPC_DLPACK_BOOL, 8, DType::I1},
      {MPC_DLPACK_FLOAT8_E4M3FN, 8, DType::F8E4M3},
      {MPC_DLPACK_FLOAT8_E5M2, 8, DType::F8E5M2},
  };
  for (const Row &row : rows)
    if (row.code == tensor.type.code && row.bits == tensor.type.bits &&
        tensor.type.lanes == 1)
      return row.type;
  return std::nullopt;
}

static std::string describeType(const mpc_dltensor &tensor) {
  if (std::optional<DType> type = typeOf(tensor))
    return std::string(getInfo(*type).name);
  return "DLPack type code " + std::to_string(tensor.type.code) + " of " +
         std::to_string(tensor.type.bits) + " bits and " +
         std::to_string(tensor.type.lanes) + " lanes";
}

static std::string join(const int64_t *numbers, int32_t count) {
  std::string text = "(";
  for (int32_t i = 0; i < count; ++i)
    text += (i ? ", " : "") + std::to_string(numbers[i]);
  return text + ")";
}

static bool isOfProcessor(int32_t kind) {
  return kind == MPC_DLPACK_CPU || kind == MPC_DLPACK_CUDA_HOST ||
         kind == MPC_DLPACK_CUDA_MANAGED;
}

/// Row-major without holes, as far as its elements can tell.
static bool isDense(const mpc_dltensor &tensor) {
  std::span<const int64_t> shape(tensor.shape, tensor.ndim);
  if (!tensor.strides || std::ranges::find(shape, 0) != shape.end())
    return true;
  int64_t expected = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    if (shape[i] != 1 && tensor.strides[i] != expected)
      return false;
    expected *= shape[i];
  }
  return true;
}

/// What a tensor has to be, "input 'x'".
struct Expected {
  std::string what;
  DType type;
  std::span<const int64_t> shape;

  Status refuse(StatusCode code, const std::string &expected,
                const std::string &found) const {
    return {code, what + ": expected " + expected + ", but got " + found};
  }
};

static Status checkKind(const mpc_dlpack &given, const Expected &expected) {
  if (given.version.major != MPC_DLPACK_MAJOR)
    return expected.refuse(
        StatusCode::InvalidArgument,
        "a tensor of DLPack " + std::to_string(MPC_DLPACK_MAJOR),
        "one of DLPack " + std::to_string(given.version.major) + "." +
            std::to_string(given.version.minor));
  const mpc_dltensor &tensor = given.tensor;
  if (!isOfProcessor(tensor.device.kind))
    return expected.refuse(StatusCode::InvalidArgument,
                           "memory of the processor (DLPack device 1, 3 or 13)",
                           "device " + std::to_string(tensor.device.kind) +
                               " number " +
                               std::to_string(tensor.device.number) +
                               "; copy it to the processor first");
  if (typeOf(tensor) != expected.type)
    return expected.refuse(StatusCode::TypeMismatch,
                           std::string(getInfo(expected.type).name),
                           describeType(tensor));
  return {};
}

static Status checkShape(const mpc_dltensor &tensor, const Expected &expected) {
  auto rank = static_cast<int32_t>(expected.shape.size());
  if (tensor.ndim != rank)
    return expected.refuse(StatusCode::ShapeMismatch,
                           std::to_string(rank) + " dims",
                           std::to_string(tensor.ndim));
  if (rank && !tensor.shape)
    return expected.refuse(StatusCode::InvalidArgument, "a shape", "null");
  if (!std::equal(expected.shape.begin(), expected.shape.end(), tensor.shape))
    return expected.refuse(StatusCode::ShapeMismatch,
                           join(expected.shape.data(), rank),
                           join(tensor.shape, rank));
  if (!isDense(tensor))
    return expected.refuse(
        StatusCode::InvalidArgument, "a dense, row-major tensor",
        "strides " + join(tensor.strides, rank) + " of shape " +
            join(tensor.shape, rank) + "; make it contiguous first");
  return {};
}

/// The tensor in its place, after all checks.
static Result<TensorView> view(const mpc_dlpack *given,
                               const Expected &expected) {
  if (!given)
    return expected.refuse(StatusCode::InvalidArgument, "a tensor", "null");
  if (Status status = checkKind(*given, expected); !status.ok())
    return status;
  const mpc_dltensor &tensor = given->tensor;
  if (Status status = checkShape(tensor, expected); !status.ok())
    return status;
  uint64_t bytes =
      program::getTensorBytes(static_cast<program::ElementType>(expected.type),
                              expected.shape)
          .value_or(0);
  if (bytes && !tensor.data)
    return expected.refuse(StatusCode::InvalidArgument, "data", "null");
  auto *data = static_cast<uint8_t *>(tensor.data);
  return TensorView{expected.type, expected.shape,
                    data ? data + tensor.byte_offset : nullptr, bytes};
}

static Expected describe(std::string what, const program::Tensor &tensor) {
  return {std::move(what), static_cast<DType>(tensor.type()),
          program::toSpan(tensor.shape())};
}

static Result<Expected> findState(const mpc_session &session,
                                  const char *name) {
  const auto *states = session.session->program().file()->states();
  for (uint32_t i = 0; states && i < states->size(); ++i) {
    const program::State &state = *states->Get(i);
    if (state.name()->string_view() == name)
      return Expected{"state '" + state.name()->str() + "'",
                      static_cast<DType>(state.type()),
                      program::toSpan(state.shape())};
  }
  return Status(StatusCode::NotFound,
                std::string("the program has no state '") + name + "'");
}

static Result<const program::Entry *> findEntry(const mpc_session &session,
                                                uint32_t entry) {
  const auto *entries = session.session->program().file()->entries();
  uint32_t count = entries ? entries->size() : 0;
  if (entry < count)
    return entries->Get(entry);
  return Status(StatusCode::NotFound, "expected an entry below " +
                                          std::to_string(count) + ", but got " +
                                          std::to_string(entry));
}

//===-- What goes out -----------------------------------------------------===//

namespace {
/// A tensor that was handed out, and what keeps its memory.
struct Holder {
  mpc_dlpack managed = {};
  std::vector<int64_t> shape, strides;
  std::shared_ptr<Session> session;
  std::vector<uint8_t> copy;
};
} // namespace

static void setType(DType type, mpc_dltensor &tensor) {
  auto set = [&](int code) {
    tensor.type.code = static_cast<uint8_t>(code);
    tensor.type.bits = static_cast<uint8_t>(8 * getInfo(type).bytes);
    tensor.type.lanes = 1;
  };
  switch (type) {
  case DType::F64:
  case DType::F32:
  case DType::F16:
    return set(MPC_DLPACK_FLOAT);
  case DType::BF16:
    return set(MPC_DLPACK_BFLOAT);
  case DType::I64:
  case DType::I32:
    return set(MPC_DLPACK_INT);
  case DType::I1:
    return set(MPC_DLPACK_BOOL);
  case DType::F8E4M3:
    return set(MPC_DLPACK_FLOAT8_E4M3FN);
  case DType::F8E5M2:
    return set(MPC_DLPACK_FLOAT8_E5M2);
  }
}

static void release(mpc_dlpack *managed) {
  delete static_cast<Holder *>(managed->manager_ctx);
}

/// Makes `holder`, whose memory is `data`, the caller's.
static mpc_dlpack *handOut(std::unique_ptr<Holder> holder,
                           const Expected &tensor, const void *data,
                           uint64_t flags) {
  holder->shape.assign(tensor.shape.begin(), tensor.shape.end());
  holder->strides.assign(tensor.shape.size(), 1);
  for (size_t i = tensor.shape.size(); i-- > 1;)
    holder->strides[i - 1] = holder->strides[i] * holder->shape[i];
  bool isEmpty = std::ranges::find(tensor.shape, 0) != tensor.shape.end();
  mpc_dlpack &managed = holder->managed;
  managed.version.major = MPC_DLPACK_MAJOR;
  managed.version.minor = MPC_DLPACK_MINOR;
  managed.deleter = release;
  managed.flags = flags;
  managed.tensor.data = isEmpty ? nullptr : const_cast<void *>(data);
  managed.tensor.device.kind = MPC_DLPACK_CPU;
  managed.tensor.ndim = static_cast<int32_t>(holder->shape.size());
  managed.tensor.shape = holder->shape.data();
  managed.tensor.strides = holder->strides.data();
  setType(tensor.type, managed.tensor);
  managed.manager_ctx = holder.get();
  return &holder.release()->managed;
}

//===-- The table ---------------------------------------------------------===//

static mpc_code runDlpack(mpc_session *session, uint32_t entry,
                          const mpc_dlpack *const *inputs, uint32_t count,
                          mpc_status *status) {
  return guard(status, [&]() -> Status {
    if (!session || (count && !inputs))
      return nullArgument("a session and its inputs");
    Result<const program::Entry *> found = findEntry(*session, entry);
    if (!found)
      return found.status();
    const auto *expected = (*found)->inputs();
    std::vector<Input> memory(count); // a wrong number is run's to refuse
    for (uint32_t i = 0; i < count && expected && i < expected->size(); ++i) {
      const program::Tensor &input = *expected->Get(i);
      auto tensor = view(
          inputs[i], describe("input '" + input.name()->str() + "'", input));
      if (!tensor)
        return tensor.status();
      memory[i] = {tensor->data, tensor->bytes};
    }
    return session->session->run(entry, memory);
  });
}

static mpc_code outputDlpack(const mpc_session *session, uint32_t entry,
                             uint32_t index, mpc_dlpack **tensor,
                             mpc_status *status) {
  return guard(status, [&]() -> Status {
    if (!session || !tensor)
      return nullArgument("a session and a place for the tensor");
    *tensor = nullptr;
    auto memory = session->session->output(entry, index);
    if (!memory)
      return memory.status();
    Result<const program::Entry *> found = findEntry(*session, entry);
    if (!found)
      return found.status();
    auto holder = std::make_unique<Holder>();
    holder->session = session->session;
    *tensor = handOut(std::move(holder),
                      describe("", *(*found)->outputs()->Get(index)),
                      memory->data(), MPC_DLPACK_READ_ONLY);
    return {};
  });
}

static mpc_code getStateDlpack(const mpc_session *session, const char *name,
                               mpc_dlpack **tensor, mpc_status *status) {
  return guard(status, [&]() -> Status {
    if (!session || !name || !tensor)
      return nullArgument("a session, a name and a place for the tensor");
    *tensor = nullptr;
    Result<Expected> state = findState(*session, name);
    if (!state)
      return state.status();
    auto holder = std::make_unique<Holder>();
    auto type = static_cast<program::ElementType>(state->type);
    holder->copy.resize(
        program::getTensorBytes(type, state->shape).value_or(0));
    std::vector<uint8_t> &copy = holder->copy;
    TensorView view{state->type, state->shape, copy.data(), copy.size()};
    if (Status read = session->session->getState(name, view); !read.ok())
      return read;
    *tensor =
        handOut(std::move(holder), *state, copy.data(), MPC_DLPACK_IS_COPIED);
    return {};
  });
}

static mpc_code readStateDlpack(const mpc_session *session, const char *name,
                                const mpc_dlpack *destination,
                                mpc_status *status) {
  return guard(status, [&]() -> Status {
    if (!session || !name)
      return nullArgument("a session and a name");
    Result<Expected> state = findState(*session, name);
    if (!state)
      return state.status();
    auto tensor = view(destination, *state);
    if (!tensor)
      return tensor.status();
    if (destination->flags & MPC_DLPACK_READ_ONLY)
      return state->refuse(StatusCode::InvalidArgument,
                           "a tensor that may be written to",
                           "one that is marked read-only");
    return session->session->getState(name, *tensor);
  });
}

static mpc_code setStateDlpack(mpc_session *session, const char *name,
                               const mpc_dlpack *source, mpc_status *status) {
  return guard(status, [&]() -> Status {
    if (!session || !name)
      return nullArgument("a session and a name");
    Result<Expected> state = findState(*session, name);
    if (!state)
      return state.status();
    auto tensor = view(source, *state);
    return tensor ? session->session->setState(name, *tensor) : tensor.status();
  });
}

void capi::addDlpack(mpc_api &api) {
  api.session_run_dlpack = runDlpack;
  api.session_output_dlpack = outputDlpack;
  api.session_get_state_dlpack = getStateDlpack;
  api.session_read_state_dlpack = readStateDlpack;
  api.session_set_state_dlpack = setStateDlpack;
}
