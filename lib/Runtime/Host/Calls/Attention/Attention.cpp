// Attention: means of values, weighted by the softmax of scores that are never
// in memory. The kernels are our own; f16, and bf16 where the processor has no
// products of it, are widened to f32 as they are packed.
//
// Forward a task is some blocks of queries of one head; backward it is one head
// of keys and values with all heads of queries that share it, one after the
// other. No sum is shared between tasks, so the bits of a result depend on the
// call and the instruction set alone. A run allocates nothing.
#include "mpc/Program/Calls/Attention.h"
#include "../MakeCall.h"
#include "HostAttention.h"
#include "InstructionSets.h"
#include "mpc/Runtime/Program.h"
#include "mpc/Runtime/ThreadPool.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mpc;
using namespace mpc::runtime;
using namespace mpc::runtime::attention;
using mpc::program::AttentionCall;
using mpc::program::CallOperand;
using mpc::program::ElementType;

// Blocks of queries in a task.
static constexpr int64_t kTaskBlocks = 8;

static uint64_t align64(uint64_t bytes) { return (bytes + 63) / 64 * 64; }

static Element toElement(ElementType type) {
  switch (type) {
  case ElementType::F16:
    return Element::F16;
  case ElementType::BF16:
    return Element::BF16;
  case ElementType::I1:
    return Element::I1;
  default:
    return Element::F32;
  }
}

namespace {
/// An operand [batch, time, head, width], or a mask [batch, head, query, key],
/// and its argument.
struct Place {
  Place(const program::Call &call, const CallOperand *operand)
      : operand(operand) {
    if (operand)
      argument = *program::findOperand(call, operand->role());
  }
  int64_t stride(size_t dim) const {
    return program::toSpan(operand->strides())[dim];
  }
  /// What begins at element `offset`, with rows along `dim`.
  Rows rows(void *const *args, int64_t offset, size_t dim) const {
    if (!operand)
      return {};
    uint64_t bytes = getInfo(static_cast<DType>(operand->type())).bytes;
    return {toElement(operand->type()),
            static_cast<const uint8_t *>(args[argument]) + offset * bytes,
            stride(dim)};
  }
  /// The rows of one head.
  Rows head(void *const *args, int64_t batch, int64_t head) const {
    return operand ? rows(args, batch * stride(0) + head * stride(2), 1)
                   : Rows();
  }

  /// That of a scalar.
  uint32_t number(void *const *args) const {
    return *static_cast<const uint32_t *>(args[argument]);
  }

  const CallOperand *operand;
  uint32_t argument = 0;
};

class HostAttention final : public HostCall {
public:
  HostAttention(const program::Call &call, const HeadKernels &kernels);
  Status check() const;

  HostWorkspace workspace() const override {
    return {0, align64(sizeof(float) * static_cast<uint64_t>(scratch)),
            static_cast<uint32_t>(countTasks())};
  }
  Status bind(const HostMemory &own) override {
    memory = own;
    return {};
  }
  Status run(ThreadPool &pool, void *const *args) override;

private:
  bool isBackward() const { return shape.options.backward(); }
  int64_t group() const { return shape.heads() / shape.keyHeads(); }
  /// Tasks of one head of queries; forward.
  int64_t parts() const {
    return (shape.queries() + taskQueries() - 1) / taskQueries();
  }
  int64_t taskQueries() const { return kernels.block * kTaskBlocks; }
  int64_t countTasks() const {
    return isBackward() ? shape.batch() * shape.keyHeads()
                        : shape.batch() * shape.heads() * parts();
  }
  Head makeShape() const;
  Head makeHead(int64_t batch, int64_t head) const;
  void runForward(int64_t task, float *scratch) const;
  void runBackward(int64_t task, float *scratch) const;

  AttentionCall shape;
  const HeadKernels &kernels;
  Place query, key, value, mask, result, logSumExp, cotangent, queryGradient,
      keyGradient, valueGradient, randomStep, randomSeed;
  int64_t scratch = 0; ///< floats of a worker
  HostMemory memory;
  // Of the run in progress.
  void *const *args = nullptr;
  uint32_t workers = 0;
};
} // namespace

HostAttention::HostAttention(const program::Call &call,
                             const HeadKernels &kernels)
    : shape(call), kernels(kernels), query(call, shape.query),
      key(call, shape.key), value(call, shape.value), mask(call, shape.mask),
      result(call, shape.result), logSumExp(call, shape.logSumExp),
      cotangent(call, shape.cotangent),
      queryGradient(call, shape.queryGradient),
      keyGradient(call, shape.keyGradient),
      valueGradient(call, shape.valueGradient),
      randomStep(call, shape.randomStep), randomSeed(call, shape.randomSeed) {
  if (check().ok()) // what is counted has 63 bits then
    scratch = isBackward() ? kernels.backwardScratch(makeShape())
                           : kernels.forwardScratch(makeShape());
}

Status HostAttention::check() const {
  if (countTasks() > std::numeric_limits<uint32_t>::max())
    return {StatusCode::InvalidProgram,
            "expected an attention of fewer than 2^32 tasks, but got " +
                std::to_string(countTasks())};
  if (std::max(shape.width(), shape.valueWidth()) > (int64_t(1) << 24))
    return {StatusCode::InvalidProgram,
            "expected rows of at most 2^24 elements, but got " +
                std::to_string(shape.width()) + " and " +
                std::to_string(shape.valueWidth())};
  return {};
}

static Dropout makeDropout(const program::Attention &options) {
  if (options.dropout() == 0)
    return {};
  double leftOut = std::round(options.dropout() * 0x1p16); // of 2^16
  Dropout made;
  made.draws = true;
  made.bound = static_cast<int32_t>(leftOut * 0x1p16 - 0x1p31);
  made.kept = static_cast<float>(1 / (1 - leftOut * 0x1p-16));
  made.stream = options.stream();
  return made;
}

/// What all heads have alike.
Head HostAttention::makeShape() const {
  Head made;
  made.queries = shape.queries();
  made.keys = shape.keys();
  made.width = shape.width();
  made.valueWidth = shape.valueWidth();
  made.causal = shape.options.causal();
  made.window = shape.window();
  made.scale = static_cast<float>(shape.options.scale());
  made.softcap = static_cast<float>(shape.options.softcap());
  Element type = toElement(shape.query->type());
  for (auto [rows, place] :
       {std::pair(&made.query, &query), std::pair(&made.key, &key),
        std::pair(&made.value, &value)})
    *rows = {type, nullptr, place->stride(1)};
  made.isMasked = mask.operand;
  made.dropout = makeDropout(shape.options);
  return made;
}

Head HostAttention::makeHead(int64_t batch, int64_t head) const {
  Head made = makeShape();
  made.query = query.head(args, batch, head);
  made.key = key.head(args, batch, head / group());
  made.value = value.head(args, batch, head / group());
  if (mask.operand) {
    made.mask =
        mask.rows(args, batch * mask.stride(0) + head * mask.stride(1), 2);
    made.maskStride = mask.stride(3);
  }
  if (made.dropout.draws) {
    made.dropout.step = randomStep.number(args);
    made.dropout.seed = randomSeed.number(args);
    made.dropout.row =
        static_cast<uint32_t>((batch * shape.heads() + head) * shape.queries());
  }
  made.result = result.head(args, batch, head);
  if (logSumExp.operand)
    made.logSumExp = static_cast<float *>(args[logSumExp.argument]) +
                     (batch * shape.heads() + head) * shape.queries();
  made.cotangent = cotangent.head(args, batch, head);
  made.queryGradient = queryGradient.head(args, batch, head);
  return made;
}

void HostAttention::runForward(int64_t task, float *memory) const {
  int64_t part = task % parts(), head = task / parts();
  Head own = makeHead(head / shape.heads(), head % shape.heads());
  kernels.forward(own, part * taskQueries(),
                  std::min((part + 1) * taskQueries(), own.queries), memory);
}

void HostAttention::runBackward(int64_t task, float *memory) const {
  int64_t batch = task / shape.keyHeads(), keyHead = task % shape.keyHeads();
  Head first = makeHead(batch, keyHead * group());
  kernels.beginKeys(first, memory);
  for (int64_t i = 0; i < group(); ++i)
    kernels.backward(makeHead(batch, keyHead * group() + i), memory);
  KeyGradients gradients{keyGradient.head(args, batch, keyHead),
                         valueGradient.head(args, batch, keyHead)};
  kernels.endKeys(first, gradients, memory);
}

Status HostAttention::run(ThreadPool &pool, void *const *arguments) {
  args = arguments;
  workers = pool.size();
  auto task = [](void *self, uint32_t chunk, uint32_t worker) {
    auto &own = *static_cast<HostAttention *>(self);
    uint32_t buffer = pickBuffer(static_cast<uint32_t>(own.countTasks()),
                                 own.workers, chunk, worker);
    auto *scratch = reinterpret_cast<float *>(
        own.memory.perWorker + buffer * own.memory.perWorkerBytes);
    if (own.isBackward())
      own.runBackward(chunk, scratch);
    else
      own.runForward(chunk, scratch);
  };
  pool.run(static_cast<uint32_t>(countTasks()), task, this);
  return {};
}

Result<std::unique_ptr<HostCall>>
runtime::makeAttention(const program::Call &call, const HeadKernels &kernels) {
  auto made = std::make_unique<HostAttention>(call, kernels);
  if (Status status = made->check(); !status.ok())
    return status;
  return std::unique_ptr<HostCall>(std::move(made));
}

Result<std::unique_ptr<HostCall>> runtime::makeCall(const program::Attention &,
                                                    const program::Call &call,
                                                    uint32_t) {
  Element type = toElement(AttentionCall(call).query->type());
  return makeAttention(call, *findInstructionSets(type).back().kernels);
}
