// Matrix products: result = epilogue(lhs * rhs + bias).
//
// f32 (and bf16, where the processor multiplies it) go to oneDNN; other 16 bits
// to kernels of ours, which widen what they pack, and round once at the output,
// and so do small matrices of f32, and those that oneDNN would read slowly
// where they lie; f64 is a loop of our own, since oneDNN has none.
//
// "Same bits on any number of threads" is not a promise of oneDNN: how it cuts
// a product, and so the order of its sums, depends on the threads it finds.
// Here a product is cut into blocks by its shape alone; each block has all of
// K and is computed by a primitive made for one thread. The blocks are what
// the pool distributes. A run allocates nothing of ours; oneDNN's execute makes
// a few small ones for its argument map.
#include "../MakeCall.h"
#include "DnnlPrimitive.h"
#include "DoubleMatmul.h"
#include "FirstProduct.h"
#include "KeptProduct.h"
#include "MatmulOperands.h"
#include "MatmulShape.h"
#include "PackedMatmul.h"
#include "mpc/Runtime/ThreadPool.h"

#include <algorithm>
#include <array>
#include <atomic>

using namespace mpc;
using namespace mpc::runtime;
using mpc::program::ElementType;

namespace {
class DnnlMatmul final : public HostCall {
public:
  DnnlMatmul(const program::Call &call, uint32_t workers);
  Status create(bool &unsupported);

  HostWorkspace workspace() const override;
  std::string describe() const override {
    return (isNarrow ? "matmul bf16 " : "matmul f32 ") + shape.describe() +
           (kept ? "; " + kept->describe() : "");
  }
  Status bind(const HostMemory &memory) override;
  Status run(ThreadPool &pool, void *const *args) override;

  std::optional<KeptOperand> keptOperand() const override;
  Status keep(ThreadPool &pool, const void *operand, uint8_t *to) override {
    return kept->keep(pool, operand, to);
  }
  Status runKept(ThreadPool &pool, void *const *args,
                 const uint8_t *from) override;

private:
  DnnlPrimitive &primitiveFor(const MatmulBlock &block) {
    return *primitives[(block.rows != shape.blockRows) * 2u +
                       (block.columns != shape.blockColumns)];
  }
  void runBlock(uint32_t index, uint32_t buffer);
  DnnlProduct describeBlock(int64_t rows, int64_t columns) const;

  MatmulArguments arguments;
  MatmulShape shape;
  bool isNarrow, hasNarrowResult; ///< bf16, else f32
  bool hasBias;
  program::Epilogue epilogue;
  uint32_t workers;

  DnnlEngine engine;
  /// By whether the block is cut short below (2) and at the right (1).
  std::array<std::unique_ptr<DnnlPrimitive>, 4> primitives;
  uint64_t scratchBytes = 0;
  HostMemory memory;
  std::unique_ptr<KeptProduct> kept; ///< Null where it is no faster.

  // Of the run in progress.
  MatmulOperands operands = {};
  std::atomic<int> failure{dnnl_success};
};
} // namespace

DnnlMatmul::DnnlMatmul(const program::Call &call, uint32_t workers)
    : arguments(call), shape(analyzeMatmul(program::MatmulCall(call))),
      workers(workers) {
  program::MatmulCall product(call);
  isNarrow = product.lhs->type() == ElementType::BF16;
  hasNarrowResult = product.result->type() == ElementType::BF16;
  hasBias = product.bias != nullptr;
  epilogue = product.options.epilogue();
}

DnnlProduct DnnlMatmul::describeBlock(int64_t rows, int64_t columns) const {
  return {isNarrow ? dnnl_bf16 : dnnl_f32,
          hasNarrowResult ? dnnl_bf16 : dnnl_f32,
          rows,
          columns,
          shape.inner,
          shape.lhsRow,
          shape.lhsInner,
          shape.rhsInner,
          shape.rhsColumn,
          shape.columns,
          hasBias,
          epilogue};
}

Status DnnlMatmul::create(bool &unsupported) {
  if (Status status = shape.check(); !status.ok())
    return status;
  dnnl_status_t status = callDnnl([&] { return makeEngine(engine); });
  if (status != dnnl_success)
    return dnnlFailure("engine", status);
  if (Status first =
          runFirstProduct(engine.get(), isNarrow ? dnnl_bf16 : dnnl_f32);
      !first.ok())
    return first;
  for (uint32_t corner : shape.corners()) {
    MatmulBlock block = shape.block(corner);
    auto &slot = primitives[(block.rows != shape.blockRows) * 2u +
                            (block.columns != shape.blockColumns)];
    if (slot)
      continue;
    Result<std::unique_ptr<DnnlPrimitive>> primitive = DnnlPrimitive::create(
        engine.get(), describeBlock(block.rows, block.columns), unsupported);
    if (!primitive)
      return primitive.status();
    slot = std::move(*primitive);
    scratchBytes =
        std::max(scratchBytes, (slot->scratchBytes() + 63) / 64 * 64);
  }
  if (shape.matrices != 1)
    return {};
  Result<std::unique_ptr<KeptProduct>> made = KeptProduct::create(
      engine.get(), describeBlock(shape.rows, shape.columns), workers);
  if (!made)
    return made.status();
  kept = std::move(*made);
  if (kept)
    scratchBytes = std::max(scratchBytes, kept->scratchBytes());
  return {};
}

HostWorkspace DnnlMatmul::workspace() const {
  uint32_t blocks = shape.countBlocks();
  return {.perWorker = scratchBytes,
          .pieces = kept ? std::max(blocks, kept->countBlocks()) : blocks};
}

Status DnnlMatmul::bind(const HostMemory &given) {
  memory = given;
  for (auto &primitive : primitives)
    if (primitive) {
      Status status = primitive->bind(
          engine.get(), countBuffers(shape.countBlocks(), workers),
          memory.perWorker, memory.perWorkerBytes);
      if (!status.ok())
        return status;
    }
  return kept ? kept->bind(engine.get(), memory) : Status();
}

std::optional<KeptOperand> DnnlMatmul::keptOperand() const {
  if (!kept)
    return std::nullopt;
  return KeptOperand{arguments.rightNumber(), kept->bytes()};
}

Status DnnlMatmul::runKept(ThreadPool &pool, void *const *args,
                           const uint8_t *from) {
  MatmulOperands given = arguments.pick(args);
  given.rhs = from;
  return kept->run(pool, given);
}

void DnnlMatmul::runBlock(uint32_t index, uint32_t buffer) {
  MatmulBlock block = shape.block(index);
  int64_t width = isNarrow ? 2 : 4, resultWidth = hasNarrowResult ? 2 : 4;
  auto *left = static_cast<const uint8_t *>(operands.lhs);
  auto *right = static_cast<const uint8_t *>(operands.rhs);
  auto *row = static_cast<const uint8_t *>(operands.bias);
  auto *result = static_cast<uint8_t *>(operands.result);
  if (row)
    row += block.column * resultWidth;
  dnnl_status_t status =
      primitiveFor(block).run(buffer, left + block.offsets.lhs * width,
                              right + block.offsets.rhs * width,
                              result + block.offsets.result * resultWidth, row);
  if (status != dnnl_success)
    failure.store(status, std::memory_order_relaxed);
}

Status DnnlMatmul::run(ThreadPool &pool, void *const *args) {
  operands = arguments.pick(args);
  failure.store(dnnl_success, std::memory_order_relaxed);
  auto task = [](void *self, uint32_t chunk, uint32_t worker) {
    auto &own = *static_cast<DnnlMatmul *>(self);
    own.runBlock(
        chunk, pickBuffer(own.shape.countBlocks(), own.workers, chunk, worker));
  };
  pool.run(shape.countBlocks(), task, this);
  int status = failure.load(std::memory_order_relaxed);
  if (status != dnnl_success)
    return dnnlFailure("matmul", static_cast<dnnl_status_t>(status));
  return {};
}

Result<std::unique_ptr<HostCall>> runtime::makeCall(const program::Matmul &,
                                                    const program::Call &call,
                                                    uint32_t workers) {
  program::MatmulCall product(call);
  ElementType operand = product.lhs->type();
  if (operand == ElementType::F64)
    return makeDoubleMatmul(call);
  const packed::Kernels &kernels = *findPackedKernels().back().kernels;
  if (operand == ElementType::F16 ||
      (operand == ElementType::BF16 && !multipliesBFloat()) ||
      (operand == ElementType::F32 && isFasterPacked(product)))
    return makePackedMatmul(call, workers, kernels);
  // Before the OpenMP library is asked for anything: it ends the process where
  // it finds no memory.
  if (dnnl_status_t status = checkMemory(); status != dnnl_success)
    return dnnlFailure("matmul", status);
  OneThread guard;
  bool unsupported = false;
  auto made = std::make_unique<DnnlMatmul>(call, workers);
  Status status = made->create(unsupported);
  // A product that oneDNN has no kernel for.
  if (unsupported && operand == ElementType::BF16)
    return makePackedMatmul(call, workers, kernels);
  if (!status.ok())
    return status;
  return std::unique_ptr<HostCall>(std::move(made));
}
