// Matrix products: result = epilogue(lhs * rhs + bias).
//
// f32 (and bf16, where the processor multiplies it) go to oneDNN; other 16 bits
// to kernels of ours, which widen what they pack, and round once at the output,
// and so do small matrices of f32, but of a batch with AVX-512, and those that
// oneDNN would read slowly where they lie; f64 is a loop of our own, since
// oneDNN has none.
//
// "Same bits on any number of threads" is not a promise of oneDNN: how it cuts
// a product, and so the order of its sums, depends on the threads it finds.
// Here a product is cut into blocks by its shape alone; each block has all of
// K and is computed by a primitive made for one thread. The blocks are what
// the pool distributes; of small matrices as many in a call as make a task. A
// run allocates nothing of ours; oneDNN's execute makes a few small ones for
// its argument map.
#include "../MakeCall.h"
#include "DnnlPrimitive.h"
#include "DoubleMatmul.h"
#include "FirstProduct.h"
#include "KeptProduct.h"
#include "MatmulOperands.h"
#include "MatmulShape.h"
#include "MatrixGroups.h"
#include "PackedMatmul.h"
#include "mpc/Runtime/Program.h"
#include "mpc/Runtime/ThreadPool.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <string_view>

using namespace mpc;
using namespace mpc::runtime;
using mpc::program::ElementType;

namespace {
class DnnlMatmul final : public HostCall {
public:
  DnnlMatmul(const program::Call &call, uint32_t workers);
  Status create(bool &unsupported);
  /// Whether a call multiplies several matrices.
  bool isGrouped() const { return !groups.areOne(); }

  HostWorkspace workspace() const override;
  std::string describe() const override {
    return (isNarrow ? "matmul bf16 " : "matmul f32 ") + shape.describe() +
           (groups.areOne()
                ? ""
                : ", " + std::to_string(groups.perCall) + " of them a call") +
           (kept ? "; " + kept->describe() : "");
  }
  Status bind(const HostMemory &memory) override;
  Status run(ThreadPool &pool, void *const *args) override;

  std::optional<uint32_t> keptOperand() const override;
  uint64_t prepareKept() override;
  void dropKept() override { kept = nullptr; }
  Status keep(ThreadPool &pool, const void *operand, uint8_t *to) override {
    return kept->keep(pool, operand, to);
  }
  Status runKept(ThreadPool &pool, void *const *args,
                 const uint8_t *from) override;

private:
  Result<std::unique_ptr<DnnlPrimitive>> make(const DnnlProduct &product,
                                              bool &unsupported);
  Status createGroups();
  DnnlPrimitive &primitiveFor(const MatmulBlock &block) {
    return *primitives[(block.rows != shape.blockRows) * 2u +
                       (block.columns != shape.blockColumns)];
  }
  void runCall(uint32_t index, uint32_t buffer);
  void runOn(DnnlPrimitive &primitive, const MatmulBlock &block,
             uint32_t buffer);
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
  MatrixGroups groups;
  /// Of whole groups, and of the last one of a run.
  std::array<std::unique_ptr<DnnlPrimitive>, 2> ofGroups;
  uint64_t scratchBytes = 0;
  HostMemory memory;
  std::unique_ptr<KeptProduct> kept; ///< Where runs use it.

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
    Result<std::unique_ptr<DnnlPrimitive>> primitive =
        make(describeBlock(block.rows, block.columns), unsupported);
    if (!primitive)
      return primitive.status();
    slot = std::move(*primitive);
  }
  return shape.matrices == 1 ? Status() : createGroups();
}

Result<std::unique_ptr<DnnlPrimitive>>
DnnlMatmul::make(const DnnlProduct &product, bool &unsupported) {
  Result<std::unique_ptr<DnnlPrimitive>> made =
      DnnlPrimitive::create(engine.get(), product, unsupported);
  if (made)
    scratchBytes =
        std::max(scratchBytes, ((*made)->scratchBytes() + 63) / 64 * 64);
  return made;
}

/// Only where the library has the same kernels for a batch: it has slow ones
/// for layouts that are none of a batch to it.
Status DnnlMatmul::createGroups() {
  groups = groupMatrices(shape);
  if (groups.areOne())
    return {};
  DnnlProduct product = describeBlock(shape.rows, shape.columns);
  product.lhsMatrix = groups.lhs;
  product.rhsMatrix = groups.rhs;
  for (bool isRest : {false, true}) {
    product.matrices = isRest ? groups.rest() : groups.perCall;
    if (product.matrices == 0)
      continue;
    bool unsupported = false;
    Result<std::unique_ptr<DnnlPrimitive>> made = make(product, unsupported);
    if (!made && made.status().code() == StatusCode::OutOfMemory)
      return made.status();
    if (!made || std::string_view((*made)->implementation()) !=
                     primitives[0]->implementation()) {
      groups = {};
      ofGroups = {};
      return {};
    }
    ofGroups[isRest] = std::move(*made);
  }
  return {};
}

HostWorkspace DnnlMatmul::workspace() const {
  HostWorkspace needs = {.perWorker = scratchBytes,
                         .pieces = groups.countCalls(shape)};
  if (kept) {
    needs.perWorker = std::max(needs.perWorker, kept->scratchBytes());
    needs.pieces = std::max(needs.pieces, kept->countBlocks());
  }
  return needs;
}

Status DnnlMatmul::bind(const HostMemory &given) {
  memory = given;
  uint32_t buffers = countBuffers(groups.countCalls(shape), workers);
  auto bindAll = [&](auto &all) {
    for (auto &primitive : all)
      if (primitive)
        if (Status status = primitive->bind(
                engine.get(), buffers, memory.perWorker, memory.perWorkerBytes);
            !status.ok())
          return status;
    return Status();
  };
  if (Status status = groups.areOne() ? bindAll(primitives) : bindAll(ofGroups);
      !status.ok())
    return status;
  return kept ? kept->bind(engine.get(), memory) : Status();
}

std::optional<uint32_t> DnnlMatmul::keptOperand() const {
  if (shape.matrices != 1)
    return std::nullopt;
  return arguments.rightNumber();
}

uint64_t DnnlMatmul::prepareKept() {
  OneThread guard;
  if (!kept)
    kept = KeptProduct::create(
        engine.get(), describeBlock(shape.rows, shape.columns), workers);
  return kept ? kept->bytes() : 0;
}

Status DnnlMatmul::runKept(ThreadPool &pool, void *const *args,
                           const uint8_t *from) {
  MatmulOperands given = arguments.pick(args);
  given.rhs = from;
  return kept->run(pool, given);
}

/// Of the pool's calls.
void DnnlMatmul::runCall(uint32_t index, uint32_t buffer) {
  if (!groups.areOne()) {
    bool isRest = groups.count(index) != groups.perCall;
    auto first = static_cast<uint32_t>(groups.first(index)); // is its block
    return runOn(*ofGroups[isRest], shape.block(first), buffer);
  }
  MatmulBlock block = shape.block(index);
  runOn(primitiveFor(block), block, buffer);
}

void DnnlMatmul::runOn(DnnlPrimitive &primitive, const MatmulBlock &block,
                       uint32_t buffer) {
  int64_t width = isNarrow ? 2 : 4, resultWidth = hasNarrowResult ? 2 : 4;
  auto *left = static_cast<const uint8_t *>(operands.lhs);
  auto *right = static_cast<const uint8_t *>(operands.rhs);
  auto *row = static_cast<const uint8_t *>(operands.bias);
  auto *result = static_cast<uint8_t *>(operands.result);
  if (row)
    row += block.column * resultWidth;
  dnnl_status_t status =
      primitive.run(buffer, left + block.offsets.lhs * width,
                    right + block.offsets.rhs * width,
                    result + block.offsets.result * resultWidth, row);
  if (status != dnnl_success)
    failure.store(status, std::memory_order_relaxed);
}

Status DnnlMatmul::run(ThreadPool &pool, void *const *args) {
  operands = arguments.pick(args);
  failure.store(dnnl_success, std::memory_order_relaxed);
  auto task = [](void *self, uint32_t call, uint32_t worker) {
    auto &own = *static_cast<DnnlMatmul *>(self);
    uint32_t calls = own.groups.countCalls(own.shape);
    own.runCall(call, pickBuffer(calls, own.workers, call, worker));
  };
  pool.run(groups.countCalls(shape), task, this);
  int status = failure.load(std::memory_order_relaxed);
  if (status != dnnl_success)
    return dnnlFailure("matmul", static_cast<dnnl_status_t>(status));
  return {};
}

/// Groups of oneDNN are faster than kernels of ours with AVX-512, and slower
/// with AVX2.
static bool mayBeGrouped(const program::MatmulCall &product) {
  return canRun("x86-64-v4") && !groupMatrices(analyzeMatmul(product)).areOne();
}

Result<std::unique_ptr<HostCall>> runtime::makeCall(const program::Matmul &,
                                                    const program::Call &call,
                                                    uint32_t workers) {
  program::MatmulCall product(call);
  ElementType operand = product.lhs->type();
  if (operand == ElementType::F64)
    return makeDoubleMatmul(call);
  const packed::Kernels &kernels = *findPackedKernels().back().kernels;
  bool isSmall = operand == ElementType::F32 && isFasterPacked(product);
  if (operand == ElementType::F16 ||
      (operand == ElementType::BF16 && !multipliesBFloat()) ||
      (isSmall && !mayBeGrouped(product)))
    return makePackedMatmul(call, workers, kernels);
  // Before the OpenMP library is asked for anything: it ends the process where
  // it finds no memory.
  if (dnnl_status_t status = checkMemory(); status != dnnl_success)
    return dnnlFailure("matmul", status);
  OneThread guard;
  bool unsupported = false;
  auto made = std::make_unique<DnnlMatmul>(call, workers);
  Status status = made->create(unsupported);
  // A product that oneDNN has no kernel for, or none for batches; kernels of
  // ours have all small ones.
  bool isPacked =
      status.ok() ? isSmall && !made->isGrouped()
                  : (unsupported && operand == ElementType::BF16) ||
                        (isSmall && status.code() != StatusCode::OutOfMemory);
  if (isPacked)
    return makePackedMatmul(call, workers, kernels);
  if (!status.ok())
    return status;
  return std::unique_ptr<HostCall>(std::move(made));
}
