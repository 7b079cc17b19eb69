#include "PackedMatmul.h"
#include "MatmulOperands.h"
#include "MatmulShape.h"
#include "mpc/Runtime/Program.h"
#include "mpc/Runtime/ThreadPool.h"

using namespace mpc;
using namespace mpc::runtime;
using namespace mpc::runtime::packed;
using mpc::program::ElementType;
using mpc::program::Epilogue;

static Number getNumber(ElementType type) {
  return type == ElementType::F32   ? Number::F32
         : type == ElementType::F16 ? Number::F16
                                    : Number::BF16;
}

static Function getFunction(Epilogue epilogue) {
  switch (epilogue) {
  case Epilogue::None:
    break;
  case Epilogue::Relu:
    return Function::Relu;
  case Epilogue::GeluErf:
    return Function::GeluErf;
  case Epilogue::GeluTanh:
    return Function::GeluTanh;
  case Epilogue::Tanh:
    return Function::Tanh;
  case Epilogue::Sigmoid:
    return Function::Sigmoid;
  }
  return Function::None;
}

/// Addresses are void: of `type`, 2 or 4 bytes.
static const void *skip(const void *data, int64_t elements, Number type) {
  return static_cast<const uint8_t *>(data) +
         elements * (type == Number::F32 ? 4 : 2);
}

namespace {
class PackedMatmul final : public HostCall {
public:
  PackedMatmul(const program::Call &call, uint32_t workers,
               const Kernels &kernels)
      : PackedMatmul(call, program::MatmulCall(call), workers, kernels) {}
  Status check() const { return shape.check(); }

  HostWorkspace workspace() const override;
  std::string describe() const override;
  Status bind(const HostMemory &given) override {
    memory = given;
    return {};
  }
  Status run(ThreadPool &pool, void *const *args) override;

private:
  PackedMatmul(const program::Call &call, const program::MatmulCall &product,
               uint32_t workers, const Kernels &kernels)
      : arguments(call), shape(analyzePackedMatmul(product)),
        operandType(getNumber(product.lhs->type())),
        resultType(getNumber(product.result->type())),
        function(getFunction(product.options.epilogue())), workers(workers),
        kernels(kernels) {}
  void runBlock(uint32_t index, uint32_t buffer) const;

  MatmulArguments arguments;
  MatmulShape shape;
  Number operandType, resultType;
  Function function;
  uint32_t workers;
  const Kernels &kernels;
  HostMemory memory;
  MatmulOperands operands; ///< of the run in progress
};
} // namespace

std::string PackedMatmul::describe() const {
  return std::string("matmul ") +
         (operandType == Number::F16 ? "f16 " : "bf16 ") + shape.describe() +
         ", as f32";
}

HostWorkspace PackedMatmul::workspace() const {
  HostWorkspace bytes;
  int64_t floats = kernels.countScratch(shape.blockRows, shape.blockColumns,
                                        shape.inner, resultType);
  bytes.perWorker =
      (static_cast<uint64_t>(floats) * sizeof(float) + 63) / 64 * 64;
  bytes.pieces = shape.countBlocks();
  return bytes;
}

void PackedMatmul::runBlock(uint32_t index, uint32_t buffer) const {
  MatmulBlock part = shape.block(index);
  Block block = {};
  block.rows = part.rows;
  block.columns = part.columns;
  block.inner = shape.inner;
  block.operandType = operandType;
  block.left = {skip(operands.lhs, part.offsets.lhs, operandType), shape.lhsRow,
                shape.lhsInner};
  block.right = {skip(operands.rhs, part.offsets.rhs, operandType),
                 shape.rhsInner, shape.rhsColumn};
  block.function = function;
  block.resultType = resultType;
  if (operands.bias)
    block.bias = skip(operands.bias, part.column, resultType);
  block.result = const_cast<void *>(
      skip(operands.result, part.offsets.result, resultType));
  block.resultRow = shape.columns;
  kernels.multiply(block,
                   reinterpret_cast<float *>(memory.perWorker +
                                             buffer * memory.perWorkerBytes));
}

Status PackedMatmul::run(ThreadPool &pool, void *const *args) {
  operands = arguments.pick(args);
  auto task = [](void *self, uint32_t chunk, uint32_t worker) {
    auto &own = *static_cast<const PackedMatmul *>(self);
    own.runBlock(
        chunk, pickBuffer(own.shape.countBlocks(), own.workers, chunk, worker));
  };
  pool.run(shape.countBlocks(), task, this);
  return {};
}

std::vector<PackedKernels> runtime::findPackedKernels() {
  std::vector<PackedKernels> found = {{"x86-64-v3", &kKernelsV3}};
  if (canRun("x86-64-v4"))
    found.push_back({"x86-64-v4", &kKernelsV4});
  return found;
}

Result<std::unique_ptr<HostCall>>
runtime::makePackedMatmul(const program::Call &call, uint32_t workers,
                          const Kernels &kernels) {
  auto made = std::make_unique<PackedMatmul>(call, workers, kernels);
  if (Status status = made->check(); !status.ok())
    return status;
  return std::unique_ptr<HostCall>(std::move(made));
}
