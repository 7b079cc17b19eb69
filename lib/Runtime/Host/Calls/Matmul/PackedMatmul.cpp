#include "PackedMatmul.h"
#include "MatmulOperands.h"
#include "MatmulShape.h"
#include "mpc/Runtime/Program.h"
#include "mpc/Runtime/ThreadPool.h"

#include <algorithm>

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

/// A task is so many operations at least: some 10 microseconds of work beside a
/// tenth of one for taking it. A matrix takes its time however small it is.
static uint32_t countBlocksOfTask(const MatmulShape &shape) {
  constexpr double minFlops = 1 << 20, minOfBlock = 1 << 14;
  double flops = 2.0 * static_cast<double>(shape.blockRows) *
                 static_cast<double>(shape.blockColumns) *
                 static_cast<double>(shape.inner);
  return static_cast<uint32_t>(
      std::max(1.0, minFlops / std::max(flops, minOfBlock)));
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
        blocksOfTask(countBlocksOfTask(shape)), kernels(kernels) {}
  uint32_t countTasks() const {
    return (shape.countBlocks() - 1) / blocksOfTask + 1;
  }
  void runTask(uint32_t task, uint32_t worker) const;
  void runBlock(uint32_t index, uint32_t buffer) const;

  MatmulArguments arguments;
  MatmulShape shape;
  Number operandType, resultType;
  Function function;
  uint32_t workers;
  uint32_t blocksOfTask;
  const Kernels &kernels;
  HostMemory memory;
  MatmulOperands operands; ///< of the run in progress
};
} // namespace

std::string PackedMatmul::describe() const {
  std::string type = operandType == Number::F32   ? "f32 "
                     : operandType == Number::F16 ? "f16 "
                                                  : "bf16 ";
  std::string text = "matmul " + type + shape.describe();
  if (blocksOfTask > 1)
    text += ", " + std::to_string(blocksOfTask) + " blocks a task";
  return text + (operandType == Number::F32 ? ", by our kernels"
                                            : ", as f32 by our kernels");
}

HostWorkspace PackedMatmul::workspace() const {
  HostWorkspace bytes;
  int64_t floats = kernels.countScratch(shape.blockRows, shape.blockColumns,
                                        shape.inner, resultType);
  bytes.perWorker =
      (static_cast<uint64_t>(floats) * sizeof(float) + 63) / 64 * 64;
  bytes.pieces = countTasks();
  return bytes;
}

/// Where there is one element, its stride may be any number.
static int64_t getStep(int64_t stride, int64_t size) {
  return size > 1 ? stride : 1;
}

void PackedMatmul::runBlock(uint32_t index, uint32_t buffer) const {
  MatmulBlock part = shape.block(index);
  Block block = {};
  block.rows = part.rows;
  block.columns = part.columns;
  block.inner = shape.inner;
  block.operandType = operandType;
  block.left = {skip(operands.lhs, part.offsets.lhs, operandType),
                getStep(shape.lhsRow, shape.rows),
                getStep(shape.lhsInner, shape.inner), shape.copiesLeft};
  block.right = {skip(operands.rhs, part.offsets.rhs, operandType),
                 getStep(shape.rhsInner, shape.inner),
                 getStep(shape.rhsColumn, shape.columns), shape.copiesLeft};
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

void PackedMatmul::runTask(uint32_t task, uint32_t worker) const {
  uint32_t buffer = pickBuffer(countTasks(), workers, task, worker),
           first = task * blocksOfTask,
           count = std::min(blocksOfTask, shape.countBlocks() - first);
  for (uint32_t i = 0; i < count; ++i)
    runBlock(first + i, buffer);
}

Status PackedMatmul::run(ThreadPool &pool, void *const *args) {
  operands = arguments.pick(args);
  auto task = [](void *self, uint32_t chunk, uint32_t worker) {
    static_cast<const PackedMatmul *>(self)->runTask(chunk, worker);
  };
  pool.run(countTasks(), task, this);
  return {};
}

/// What oneDNN reads where it lies with AVX2, and slowly so: rows of the right
/// matrix begin a multiple of a page apart. Ours pack it, which some rows of
/// the left one pay for.
static bool readsAcrossPages(const program::MatmulCall &call) {
  constexpr int64_t floatsOfPage = 1024, minRows = 64;
  MatmulShape shape = analyzeMatmul(call);
  return shape.rhsColumn == 1 && shape.rhsInner % floatsOfPage == 0 &&
         shape.columns >= floatsOfPage && shape.rows >= minRows &&
         !shape.hasLargeBlocks();
}

/// A call of oneDNN takes half a microsecond, and up to a million operations
/// ours are no slower than what it calls. They turn what lies by columns, which
/// takes some rows to pay.
bool runtime::isFasterPacked(const program::MatmulCall &call) {
  constexpr double maxTurned = 1 << 11;
  MatmulShape shape = analyzePackedMatmul(call);
  if (shape.flops() > kMaxSmall)
    return !canRun("x86-64-v4") && readsAcrossPages(call);
  double right =
      static_cast<double>(shape.inner) * static_cast<double>(shape.columns);
  return !shape.copiesRight || shape.rows >= 16 || right <= maxTurned;
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
