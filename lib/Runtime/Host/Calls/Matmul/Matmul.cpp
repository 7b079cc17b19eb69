// Matrix products: result = epilogue(lhs * rhs + bias).
//
// f32 (and bf16, where the processor has the instructions) go to oneDNN; f16
// is converted to f32 scratch, multiplied, and rounded once at the output; f64
// is a loop of our own, since oneDNN has none.
//
// "Same bits on any number of threads" is not a promise of oneDNN: how it cuts
// a product, and so the order of its sums, depends on the threads it finds.
// Here a product is cut into blocks by its shape alone; each block has all of
// K and is computed by a primitive made for one thread. The blocks are what
// the pool distributes. A run allocates nothing of ours; oneDNN's execute makes
// a few small ones for its argument map.
#include "../MakeCall.h"
#include "Conversion.h"
#include "DnnlPrimitive.h"
#include "DoubleMatmul.h"
#include "FirstProduct.h"
#include "MatmulOperands.h"
#include "MatmulShape.h"
#include "Widening.h"
#include "mpc/Runtime/ThreadPool.h"

#include <algorithm>
#include <array>
#include <atomic>

using namespace mpc;
using namespace mpc::runtime;
using mpc::program::ElementType;

static uint64_t align64(uint64_t bytes) { return (bytes + 63) / 64 * 64; }

namespace {
class DnnlMatmul final : public HostCall {
public:
  DnnlMatmul(const program::Call &call, uint32_t workers, bool converts);
  Status create(bool &unsupported);

  HostWorkspace workspace() const override;
  std::string describe() const override {
    std::string_view type = getInfo(operandType).name;
    return "matmul " + std::string(type) + " " + shape.describe() +
           (converts ? ", as f32" : "");
  }
  Status bind(const HostMemory &memory) override;
  Status run(ThreadPool &pool, void *const *args) override;

private:
  bool roundsResult() const {
    return converts && resultType != ElementType::F32;
  }
  uint64_t blockBytes() const {
    uint64_t elements =
        static_cast<uint64_t>(shape.blockRows * shape.blockColumns);
    return roundsResult() ? align64(elements * sizeof(float)) : 0;
  }
  DnnlPrimitive &primitiveFor(const MatmulBlock &block) {
    return *primitives[(block.rows != shape.blockRows) * 2u +
                       (block.columns != shape.blockColumns)];
  }
  void widenOperands(ThreadPool &pool, MatmulOperands &operands);
  void runBlock(uint32_t index, uint32_t buffer);

  MatmulArguments arguments;
  MatmulShape shape;
  DType operandType;
  ElementType resultType;
  bool hasBias;
  program::Epilogue epilogue;
  uint32_t workers;
  bool converts; ///< operands go through f32 scratch
  Widening lhs, rhs, bias;

  DnnlEngine engine;
  /// By whether the block is cut short below (2) and at the right (1).
  std::array<std::unique_ptr<DnnlPrimitive>, 4> primitives;
  uint64_t scratchBytes = 0;
  HostMemory memory;

  // Of the run in progress.
  MatmulOperands operands = {};
  std::atomic<int> failure{dnnl_success};
};
} // namespace

DnnlMatmul::DnnlMatmul(const program::Call &call, uint32_t workers,
                       bool converts)
    : arguments(call), workers(workers), converts(converts) {
  program::MatmulCall product(call);
  if (converts) {
    lhs = Widening(*product.lhs);
    rhs = Widening(*product.rhs);
    if (product.bias && product.bias->type() != ElementType::F32)
      bias = Widening(*product.bias);
  }
  shape = converts ? analyzeMatmul(product, lhs.strides(), rhs.strides())
                   : analyzeMatmul(product);
  operandType = static_cast<DType>(product.lhs->type());
  resultType = product.result->type();
  hasBias = product.bias != nullptr;
  epilogue = product.options.epilogue();
}

Status DnnlMatmul::create(bool &unsupported) {
  if (Status status = shape.check(); !status.ok())
    return status;
  for (const Widening *widening : {&lhs, &rhs, &bias})
    if (Status status = widening->check(); !status.ok())
      return status;
  dnnl_engine_t made = nullptr;
  dnnl_status_t status =
      callDnnl([&] { return dnnl_engine_create(&made, dnnl_cpu, 0); });
  if (status != dnnl_success)
    return dnnlFailure("engine", status);
  engine.reset(made);
  bool narrowOperands = operandType == DType::BF16 && !converts;
  bool narrowResult = narrowOperands && resultType == ElementType::BF16;
  if (Status first =
          runFirstProduct(engine.get(), narrowOperands ? dnnl_bf16 : dnnl_f32);
      !first.ok())
    return first;
  for (uint32_t corner : shape.corners()) {
    MatmulBlock block = shape.block(corner);
    auto &slot = primitives[(block.rows != shape.blockRows) * 2u +
                            (block.columns != shape.blockColumns)];
    if (slot)
      continue;
    DnnlProduct product = {narrowOperands ? dnnl_bf16 : dnnl_f32,
                           narrowResult ? dnnl_bf16 : dnnl_f32,
                           block.rows,
                           block.columns,
                           shape.inner,
                           shape.lhsRow,
                           shape.lhsInner,
                           shape.rhsInner,
                           shape.rhsColumn,
                           roundsResult() ? block.columns : shape.columns,
                           hasBias,
                           epilogue};
    Result<std::unique_ptr<DnnlPrimitive>> primitive =
        DnnlPrimitive::create(engine.get(), product, unsupported);
    if (!primitive)
      return primitive.status();
    slot = std::move(*primitive);
    scratchBytes = std::max(scratchBytes, align64(slot->scratchBytes()));
  }
  return {};
}

HostWorkspace DnnlMatmul::workspace() const {
  HostWorkspace bytes;
  bytes.perWorker = scratchBytes + blockBytes();
  bytes.pieces = shape.countBlocks();
  if (converts) {
    auto floats = [](int64_t count) {
      return align64(static_cast<uint64_t>(count) * sizeof(float));
    };
    bytes.shared = floats(lhs.elements()) + floats(rhs.elements()) +
                   (hasBias ? floats(shape.columns) : 0);
  }
  return bytes;
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
  return {};
}

void DnnlMatmul::widenOperands(ThreadPool &pool, MatmulOperands &given) {
  uint8_t *next = memory.shared;
  auto replace = [&](const void *&data, Widening &widening) {
    widening.run(pool, data, reinterpret_cast<float *>(next));
    data = next;
    next += align64(static_cast<uint64_t>(widening.elements()) * sizeof(float));
  };
  replace(given.lhs, lhs);
  replace(given.rhs, rhs);
  if (hasBias && resultType != ElementType::F32)
    replace(given.bias, bias);
}

void DnnlMatmul::runBlock(uint32_t index, uint32_t buffer) {
  MatmulBlock block = shape.block(index);
  DnnlPrimitive &primitive = primitiveFor(block);
  bool wide = converts || operandType == DType::F32;
  int64_t width = wide ? 4 : 2,
          outWidth = resultType == ElementType::F32 ? 4 : 2;
  auto *left = static_cast<const uint8_t *>(operands.lhs);
  auto *right = static_cast<const uint8_t *>(operands.rhs);
  auto *row = static_cast<const uint8_t *>(operands.bias);
  auto *result =
      static_cast<uint8_t *>(operands.result) + block.offsets.result * outWidth;
  int64_t biasWidth = converts ? 4 : outWidth;
  if (row)
    row += block.column * biasWidth;
  uint8_t *rounded =
      memory.perWorker + buffer * memory.perWorkerBytes + scratchBytes;
  dnnl_status_t status = primitive.run(buffer, left + block.offsets.lhs * width,
                                       right + block.offsets.rhs * width,
                                       roundsResult() ? rounded : result, row);
  if (status != dnnl_success)
    failure.store(status, std::memory_order_relaxed);
  if (roundsResult())
    for (int64_t i = 0; i < block.rows; ++i)
      narrow(operandType,
             reinterpret_cast<float *>(rounded) + i * block.columns,
             reinterpret_cast<uint16_t *>(result) + i * shape.columns,
             block.columns);
}

Status DnnlMatmul::run(ThreadPool &pool, void *const *args) {
  operands = arguments.pick(args);
  failure.store(dnnl_success, std::memory_order_relaxed);
  if (converts)
    widenOperands(pool, operands);
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
  ElementType operand = program::MatmulCall(call).lhs->type();
  if (operand == ElementType::F64)
    return makeDoubleMatmul(call);
  // Before the OpenMP library is asked for anything: it ends the process where
  // it finds no memory.
  if (dnnl_status_t status = checkMemory(); status != dnnl_success)
    return dnnlFailure("matmul", status);
  OneThread guard;
  // bf16 instructions are a matter of the processor: without them, as f16.
  bool converts = operand == ElementType::F16, unsupported = false;
  auto made = std::make_unique<DnnlMatmul>(call, workers, converts);
  Status status = made->create(unsupported);
  if (unsupported && operand == ElementType::BF16) {
    made = std::make_unique<DnnlMatmul>(call, workers, true);
    status = made->create(unsupported);
  }
  if (!status.ok())
    return status;
  return std::unique_ptr<HostCall>(std::move(made));
}
