// Planning: the pointers of an operation cut into chunks, and its numbers in
// the types that its kernel computes with.
#include "kernels/MultiTensor.h"
#include "kernels/Kernels.h"
#include <algorithm>
#include <cstring>

using namespace mpc;
using namespace mpc::kernels;

/// Tiles of a chunk at most, and chunks that each resident block should have: a
/// chunk is large enough to hide the reading of its pointers, and small enough
/// that all multiprocessors finish together.
static constexpr uint64_t kMaxTiles = 4, kChunksPerBlock = 16;

static Kernel findKernel(const MultiTensor &op) {
  switch (op.kind) {
  case Kind::UnscaleL2Norm:
    return findUnscaleL2Norm(op.gradientType);
  case Kind::AdamW:
    return findAdamW(op.gradientType, op.copyType);
  case Kind::Sgd:
    return findSgd(op.gradientType, op.copyType, op.momentum != 0);
  }
  return {};
}

static uint64_t chunkElements(const Kernel &kernel,
                              std::span<const uint64_t> counts,
                              uint32_t multiprocessors) {
  uint64_t total = 0;
  for (uint64_t count : counts)
    total += count;
  uint64_t blocks = uint64_t(multiprocessors) * kernel.blocksPerMultiprocessor;
  uint64_t tiles = total / (kernel.tileElements * blocks * kChunksPerBlock);
  return kernel.tileElements * std::clamp<uint64_t>(tiles, 1, kMaxTiles);
}

static uint32_t gridOf(const Kernel &kernel, uint64_t numChunks,
                       uint32_t multiprocessors) {
  uint64_t resident =
      uint64_t(multiprocessors) * kernel.blocksPerMultiprocessor;
  return uint32_t(std::clamp<uint64_t>(numChunks, 1, resident));
}

/// Elements of a list.
static uint32_t elementBytes(const MultiTensor &op, int list) {
  bool isGradient = list == (op.kind == Kind::UnscaleL2Norm ? int(norm::G)
                             : op.kind == Kind::AdamW       ? int(adamw::G)
                                                            : int(sgd::G));
  bool isCopy = (op.kind == Kind::AdamW && list == adamw::Copy) ||
                (op.kind == Kind::Sgd && list == sgd::Copy);
  if (isGradient)
    return getInfo(op.gradientType).bytes;
  return isCopy && op.copyType ? getInfo(*op.copyType).bytes : 4;
}

namespace {
/// Cuts tensors into chunks.
class Cutter {
public:
  Cutter(const MultiTensor &op, const Kernel &kernel, const Arguments &args,
         uint64_t chunkElements)
      : op(op), kernel(kernel), args(args), chunkElements(chunkElements) {}

  void cut(size_t tensor, uint64_t count) {
    if (count == 0)
      return;
    std::optional<uint32_t> head = commonHead(tensor);
    // The first chunk takes the head, so that all others begin on a boundary.
    uint64_t end = std::min(count, chunkElements + head.value_or(0));
    add(tensor, 0, end, head ? std::min<uint64_t>(*head, end) : end);
    for (uint64_t start = end; start < count; start = end) {
      end = std::min(count, start + chunkElements);
      add(tensor, start, end, head ? 0 : end - start);
    }
  }

  std::vector<Chunk> chunks;

private:
  void *address(int list, size_t tensor) const {
    return args.lists[list].empty() ? nullptr : args.lists[list][tensor];
  }

  /// Elements before the first boundary that all lists share, or nothing.
  std::optional<uint32_t> commonHead(size_t tensor) const {
    std::optional<uint32_t> common;
    for (int list = 0; list < kernel.numLists; ++list) {
      void *start = address(list, tensor);
      if (!start)
        continue;
      uint64_t element =
          reinterpret_cast<uintptr_t>(start) / elementBytes(op, list);
      uint32_t head = uint32_t(-element % kernel.packElements);
      if (common && *common != head)
        return std::nullopt;
      common = head;
    }
    return common;
  }

  void add(size_t tensor, uint64_t start, uint64_t end, uint64_t head) {
    Chunk chunk = {};
    for (int list = 0; list < kernel.numLists; ++list)
      if (void *first = address(list, tensor))
        chunk.at[list] =
            static_cast<uint8_t *>(first) + start * elementBytes(op, list);
    chunk.count = uint32_t(end - start);
    chunk.head = uint32_t(head);
    chunks.push_back(chunk);
  }

  const MultiTensor &op;
  const Kernel &kernel;
  const Arguments &args;
  uint64_t chunkElements;
};
} // namespace

static Parameters parametersOf(const MultiTensor &op, const Arguments &args) {
  Parameters p = {};
  p.foundInf = args.foundInf;
  p.scale = args.scale;
  p.coefficient = args.coefficient;
  p.learningRate = args.learningRate;
  p.step = args.step;
  p.beta1 = op.beta1;
  p.beta2 = op.beta2;
  p.weightDecay = op.weightDecay;
  double weight = 1 - op.beta1;
  p.lerpFromEnd = weight >= 0.5;
  p.firstWeight = float(p.lerpFromEnd ? 1 - weight : weight);
  p.secondDecay = float(op.beta2);
  p.secondWeight = float(1 - op.beta2);
  p.epsilon = float(op.epsilon);
  p.momentum = float(op.momentum);
  p.decay = float(op.weightDecay);
  p.nesterov = op.nesterov;
  p.foundInfResult = args.foundInfResult;
  p.normResult = args.normResult;
  return p;
}

/// The workspace after the chunks: the counter on a boundary of its own, then
/// one partial per block.
static constexpr uint64_t kCounterBytes = 16;

static uint64_t tableBytes(const MultiTensor &op, uint64_t numChunks,
                           uint32_t grid) {
  uint64_t workspace = op.kind == Kind::UnscaleL2Norm
                           ? kCounterBytes + grid * sizeof(Partial)
                           : 0;
  return numChunks * sizeof(Chunk) + workspace;
}

static Status checkArguments(const MultiTensor &op, size_t tensors,
                             size_t arguments) {
  size_t expected = op.argumentCount(tensors);
  if (arguments == expected)
    return {};
  return {StatusCode::InvalidArgument,
          "expected " + std::to_string(expected) +
              " pointers for a multi-tensor operation on " +
              std::to_string(tensors) + " tensors, but got " +
              std::to_string(arguments)};
}

static Status missingKernel(const MultiTensor &op) {
  std::string copies =
      op.copyType ? std::string(getInfo(*op.copyType).name) : "no";
  return {StatusCode::InvalidArgument,
          "expected f32, f16 or bf16 gradients and f16, bf16 or no copies for "
          "a multi-tensor operation, but got " +
              std::string(getInfo(op.gradientType).name) + " gradients and " +
              copies + " copies"};
}

Result<Launch> kernels::plan(const MultiTensor &op,
                             std::span<const uint64_t> counts,
                             std::span<void *const> arguments,
                             uint32_t multiprocessors) {
  Kernel kernel = findKernel(op);
  if (!kernel.function)
    return missingKernel(op);
  if (Status status = checkArguments(op, counts.size(), arguments.size());
      !status.ok())
    return status;

  Arguments args(op, counts.size(), arguments);
  Cutter cutter(op, kernel, args,
                chunkElements(kernel, counts, multiprocessors));
  for (size_t tensor = 0; tensor < counts.size(); ++tensor)
    cutter.cut(tensor, counts[tensor]);

  Launch launch;
  launch.function = kernel.function;
  launch.grid = gridOf(kernel, cutter.chunks.size(), multiprocessors);
  launch.block = kThreads;
  launch.parameters = parametersOf(op, args);
  launch.parameters.numChunks = uint32_t(cutter.chunks.size());
  launch.table.resize(tableBytes(op, cutter.chunks.size(), launch.grid));
  if (!cutter.chunks.empty())
    std::memcpy(launch.table.data(), cutter.chunks.data(),
                cutter.chunks.size() * sizeof(Chunk));
  return launch;
}

uint64_t kernels::maxTableBytes(const MultiTensor &op,
                                std::span<const uint64_t> counts,
                                uint32_t multiprocessors) {
  Kernel kernel = findKernel(op);
  uint64_t elements = chunkElements(kernel, counts, multiprocessors);
  uint64_t numChunks = 0;
  for (uint64_t count : counts)
    numChunks += (count + elements - 1) / elements;
  return tableBytes(op, numChunks, gridOf(kernel, numChunks, multiprocessors));
}

void Launch::setTable(void *device) {
  auto *start = static_cast<uint8_t *>(device);
  parameters.chunks = reinterpret_cast<const Chunk *>(start);
  uint64_t chunkBytes = parameters.numChunks * sizeof(Chunk);
  if (chunkBytes == table.size())
    return; // no workspace
  parameters.finished = reinterpret_cast<uint32_t *>(start + chunkBytes);
  parameters.partials =
      reinterpret_cast<Partial *>(start + chunkBytes + kCounterBytes);
}

void **Launch::kernelParameters() {
  addresses[0] = &parameters;
  return addresses;
}

void kernels::runReference(const MultiTensor &op,
                           std::span<const uint64_t> counts,
                           std::span<void *const> arguments) {
  Arguments args(op, counts.size(), arguments);
  switch (op.kind) {
  case Kind::UnscaleL2Norm:
    return referenceUnscaleL2Norm(op, counts, args);
  case Kind::AdamW:
    return referenceAdamW(op, counts, args);
  case Kind::Sgd:
    return referenceSgd(op, counts, args);
  }
}
