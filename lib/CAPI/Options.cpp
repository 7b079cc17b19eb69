// The options of a session, from C to C++.
#include "Handles.h"

using namespace mpc;
using namespace mpc::capi;
using namespace mpc::runtime;

static_assert(sizeof(mpc_reduced) == sizeof(ReducedTensor) &&
                  offsetof(mpc_reduced, count) ==
                      offsetof(ReducedTensor, count),
              "a bucket is handed on as it is");

/// "CollectiveFailed", of what is a code.
static std::string nameOf(mpc_code code) {
  std::string name(getName(static_cast<StatusCode>(code)));
  return name.empty() ? std::to_string(code) : name;
}

namespace {
/// A group of the application, which works beside the session.
class ForeignGroup final : public Communicator {
public:
  explicit ForeignGroup(const mpc_rank_group &foreign) : foreign(foreign) {}
  uint32_t rank() const override { return foreign.rank; }
  uint32_t size() const override { return foreign.size; }
  Status start(const Bucket &bucket, uint64_t &ticket) override {
    MPC_STRUCT(mpc_bucket, given);
    given.tensors =
        reinterpret_cast<const mpc_reduced *>(bucket.tensors.data());
    given.num_tensors = bucket.tensors.size();
    given.type = static_cast<mpc_type>(bucket.type);
    given.kind = static_cast<mpc_reduce>(bucket.kind);
    given.name = bucket.name;
    return answer("start", foreign.start(foreign.context, &given, &ticket));
  }
  Status finish(uint64_t ticket) override {
    return answer("finish", foreign.finish(foreign.context, ticket));
  }

private:
  Status answer(const char *what, mpc_code code) const {
    if (code == MPC_OK)
      return {};
    mpc_status why = {};
    if (foreign.failure)
      foreign.failure(foreign.context, &why);
    why.message[sizeof why.message - 1] = 0;
    return {code == MPC_COLLECTIVE_TIMED_OUT ? StatusCode::CollectiveTimedOut
                                             : StatusCode::CollectiveFailed,
            std::string(what) + " of the group of ranks answered " +
                nameOf(code) + (why.message[0] ? ": " : "") + why.message};
  }

  mpc_rank_group foreign;
};

/// A communicator of the application.
class ForeignCommunicator final : public BlockingCommunicator {
public:
  explicit ForeignCommunicator(const mpc_communicator &foreign)
      : foreign(foreign) {}
  uint32_t rank() const override { return foreign.rank; }
  uint32_t size() const override { return foreign.size; }
  Status allReduce(const void *source, void *result, uint64_t count, DType type,
                   ReduceKind kind) override {
    mpc_code code = foreign.all_reduce(foreign.context, source, result, count,
                                       static_cast<mpc_type>(type),
                                       static_cast<mpc_reduce>(kind));
    if (code == MPC_OK)
      return {};
    return {StatusCode::CollectiveFailed,
            "the application's all_reduce of " + std::to_string(count) +
                " elements answered " + nameOf(code)};
  }

private:
  mpc_communicator foreign;
};
} // namespace

static std::vector<uint8_t> copyBytes(const void *data, size_t bytes) {
  const auto *first = static_cast<const uint8_t *>(data);
  return data ? std::vector<uint8_t>(first, first + bytes)
              : std::vector<uint8_t>();
}

static Status readRanks(const mpc_nccl &given, RankOptions &result) {
  mpc_nccl options;
  if (Status status = readStruct(&given, options); !status.ok())
    return status;
  result.communicator = options.communicator;
  result.uniqueId = copyBytes(options.unique_id, options.unique_id_bytes);
  if (!result.given())
    return nullArgument("an NCCL communicator or a unique id");
  if (!options.communicator) {
    result.rank = options.rank;
    result.size = options.size;
  }
  if (options.timeout_ms)
    result.timeoutMilliseconds = options.timeout_ms;
  if (options.find_loss)
    result.findLoss = [find = options.find_loss,
                       context = options.find_loss_context]() -> Status {
      mpc_status status = {};
      mpc_code code = find(context, &status);
      if (code == MPC_OK)
        return {};
      return {static_cast<StatusCode>(code), status.message};
    };
  return {};
}

static Status readDevice(const mpc_device_options &given,
                         DeviceOptions &result) {
  mpc_device_options options;
  if (Status status = readStruct(&given, options); !status.ok())
    return status;
  result.ordinal = options.device;
  result.pluginPath = options.plugin ? options.plugin : "";
  result.stream = options.stream;
  if (Status status =
          readFlag("allow_nondeterministic", options.allow_nondeterministic,
                   result.allowNondeterministic);
      !status.ok())
    return status;
  if (Status status =
          readFlag("allow_tf32", options.allow_tf32, result.allowTf32);
      !status.ok())
    return status;
  if (Status status = readFlag("nvtx", options.nvtx, result.nvtx); !status.ok())
    return status;
  if (Status status =
          readFlag("own_attention", options.own_attention, result.ownAttention);
      !status.ok())
    return status;
  result.tuningMilliseconds = options.tuning_ms;
  result.plans = copyBytes(options.plans, options.plans_bytes);
  return options.nccl ? readRanks(*options.nccl, result.ranks) : Status();
}

static Status readGroup(const mpc_rank_group &given, SessionOptions &result) {
  mpc_rank_group group;
  if (Status status = readStruct(&given, group); !status.ok())
    return status;
  if (result.communicator)
    return {StatusCode::InvalidArgument,
            "expected a communicator or a group of ranks, but got both"};
  if (!group.start || !group.finish || group.rank >= group.size)
    return {StatusCode::InvalidArgument,
            "expected a group with start, finish and a rank below its size, "
            "but got rank " +
                std::to_string(group.rank) + " of " +
                std::to_string(group.size)};
  result.communicator = std::make_unique<ForeignGroup>(group);
  return {};
}

Status capi::readOptions(const mpc_session_options *given,
                         SessionOptions &result) {
  mpc_session_options options;
  if (Status status = readStruct(given, options); !status.ok())
    return status;
  result.threads = options.threads;
  result.log = makeLog(options.log, options.log_context);
  if (const mpc_allocator *allocator = options.allocator) {
    if (!allocator->allocate || !allocator->release)
      return nullArgument("both functions of the allocator");
    result.allocator =
        Allocator{allocator->context, allocator->allocate, allocator->release};
  }
  if (const mpc_communicator *communicator = options.communicator) {
    if (!communicator->all_reduce || communicator->rank >= communicator->size)
      return {StatusCode::InvalidArgument,
              "expected a communicator with all_reduce and a rank below its "
              "size, but got rank " +
                  std::to_string(communicator->rank) + " of " +
                  std::to_string(communicator->size)};
    result.communicator = std::make_unique<ForeignCommunicator>(*communicator);
  }
  if (options.ranks)
    if (Status status = readGroup(*options.ranks, result); !status.ok())
      return status;
  return options.device ? readDevice(*options.device, result.device) : Status();
}
