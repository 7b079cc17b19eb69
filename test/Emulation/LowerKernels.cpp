// gpu.func -> func.func: indices become arguments, barriers and shuffles calls,
// workgroup memory a part of the block's arena.
#include "AccessReports.h"
#include "EmulatedModule.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mpc;
using namespace mpc::emulation;
namespace arith = mlir::arith;
namespace func = mlir::func;
namespace gpu = mlir::gpu;
namespace memref = mlir::memref;
namespace nvgpu = mlir::nvgpu;

namespace {
/// No GPU has more shared memory.
constexpr int64_t kArenaBytes = 256 * 1024;

Type withoutSpace(Type type) {
  auto memref = dyn_cast<mlir::MemRefType>(type);
  if (!memref)
    return type;
  return mlir::MemRefType::Builder(memref).setMemorySpace(Attribute());
}

class KernelLowering {
public:
  KernelLowering(gpu::GPUFuncOp source, ModuleOp host)
      : source(source), host(host), b(source.getLoc(), source.getContext()) {}

  FailureOr<HostKernel> lower(bool checksMemory);

private:
  void createFunction();
  void placeAttributions(mlir::IRMapping &map);
  LogicalResult replace(Operation *op);
  Value getIndex(Operation *op);
  FailureOr<Value> shuffle(gpu::ShuffleOp op);
  LogicalResult copyLater(nvgpu::DeviceAsyncCopyOp op);
  Value call(StringRef entry, ValueRange args, bool hasResult) {
    return callEntry(b, host, entry, args, hasResult);
  }
  Value index(int64_t number) {
    return arith::ConstantIndexOp::create(b, number);
  }

  gpu::GPUFuncOp source;
  ModuleOp host;
  mlir::ImplicitLocOpBuilder b;
  func::FuncOp function;
  HostKernel kernel;
  int64_t barriers = 0;
};
} // namespace

void KernelLowering::createFunction() {
  SmallVector<Type> types(source.getArgumentTypes());
  types.push_back(mlir::MemRefType::get({kArenaBytes}, b.getI8Type()));
  types.append(2, b.getIndexType());
  b.setInsertionPointToEnd(host.getBody());
  function =
      func::FuncOp::create(b, source.getName(), b.getFunctionType(types, {}));
  b.setInsertionPointToStart(function.addEntryBlock());
}

void KernelLowering::placeAttributions(mlir::IRMapping &map) {
  Value arena = function.getArgument(kernel.numArgs);
  for (mlir::BlockArgument attribution : source.getWorkgroupAttributions()) {
    auto type = cast<mlir::MemRefType>(withoutSpace(attribution.getType()));
    Value offset = index(kernel.sharedBytes);
    map.map(attribution,
            memref::ViewOp::create(b, type, arena, offset, ValueRange{}));
    int64_t bits = type.getNumElements() * type.getElementTypeBitWidth();
    kernel.sharedBytes += llvm::alignTo((bits + 7) / 8, 16);
  }
}

/// What `op` knows of the thread; null if it asks for something else.
Value KernelLowering::getIndex(Operation *op) {
  Value block = function.getArgument(kernel.numArgs + 1);
  Value thread = function.getArgument(kernel.numArgs + 2);
  auto along = [&](gpu::Dimension dim, Value x, int64_t other) {
    return dim == gpu::Dimension::x ? x : index(other);
  };
  Value warp = index(emulation::kWarpSize);
  if (auto id = dyn_cast<gpu::ThreadIdOp>(op))
    return along(id.getDimension(), thread, 0);
  if (auto id = dyn_cast<gpu::BlockIdOp>(op))
    return along(id.getDimension(), block, 0);
  if (auto size = dyn_cast<gpu::BlockDimOp>(op))
    return along(size.getDimension(), call("blockSize", {}, true), 1);
  if (auto size = dyn_cast<gpu::GridDimOp>(op))
    return along(size.getDimension(), call("gridSize", {}, true), 1);
  if (isa<gpu::LaneIdOp>(op))
    return arith::RemUIOp::create(b, thread, warp);
  if (isa<gpu::SubgroupIdOp>(op))
    return arith::DivUIOp::create(b, thread, warp);
  if (isa<gpu::SubgroupSizeOp>(op))
    return warp;
  return Value();
}

FailureOr<Value> KernelLowering::shuffle(gpu::ShuffleOp op) {
  Value value = op.getValue();
  Type type = value.getType(), i64 = b.getI64Type();
  auto width = op.getWidth().getDefiningOp<arith::ConstantIntOp>();
  if (!type.isIntOrFloat() || type.isF16() || type.isBF16())
    return op.emitError(
               "expected a shuffle of f32, f64 or an integer, but got ")
           << type;
  if (!width || width.value() != emulation::kWarpSize)
    return op.emitError("expected a shuffle of 32 lanes");
  Type bits = b.getIntegerType(type.getIntOrFloatBitWidth());
  if (bits != type)
    value = arith::BitcastOp::create(b, bits, value);
  if (bits != i64)
    value = arith::ExtUIOp::create(b, i64, value);
  // ShuffleMode's order.
  int64_t modes[] = {0, 2, 1, 3};
  auto asIndex = [&](Value number) {
    return arith::IndexCastOp::create(b, b.getIndexType(), number);
  };
  value = call("shuffle",
               {index(modes[int(op.getMode())]), asIndex(value),
                asIndex(op.getOffset())},
               true);
  value = arith::IndexCastOp::create(b, i64, value);
  if (bits != i64)
    value = arith::TruncIOp::create(b, bits, value);
  if (bits != type)
    value = arith::BitcastOp::create(b, type, value);
  return value;
}

LogicalResult KernelLowering::copyLater(nvgpu::DeviceAsyncCopyOp op) {
  if (op.getSrcElements())
    return op.emitError("expected a copy of all elements");
  auto type = cast<mlir::MemRefType>(op.getDst().getType());
  int64_t bytes =
      op.getDstElements().getSExtValue() * type.getElementTypeBitWidth() / 8;
  call("copyLater",
       {buildAddress(b, op.getDst(), op.getDstIndices()),
        buildAddress(b, op.getSrc(), op.getSrcIndices()), index(bytes)},
       false);
  return success();
}

LogicalResult KernelLowering::replace(Operation *op) {
  b.setInsertionPoint(op);
  b.setLoc(op->getLoc());
  if (isa<gpu::ReturnOp>(op)) {
    func::ReturnOp::create(b);
  } else if (isa<gpu::BarrierOp>(op)) {
    call("barrier", index(++barriers), false);
  } else if (auto shuffled = dyn_cast<gpu::ShuffleOp>(op)) {
    FailureOr<Value> value = shuffle(shuffled);
    if (failed(value))
      return failure();
    shuffled.getShuffleResult().replaceAllUsesWith(*value);
    Value isValid = call("isShuffleValid", {}, true);
    shuffled.getValid().replaceAllUsesWith(
        arith::CmpIOp::create(b, arith::CmpIPredicate::ne, isValid, index(0)));
  } else if (auto dynamic = dyn_cast<gpu::DynamicSharedMemoryOp>(op)) {
    int64_t rest = kArenaBytes - kernel.sharedBytes;
    Value view = memref::ViewOp::create(
        b, cast<mlir::MemRefType>(withoutSpace(dynamic.getType())),
        function.getArgument(kernel.numArgs), index(kernel.sharedBytes),
        ValueRange(index(rest)));
    dynamic.replaceAllUsesWith(view);
  } else if (auto later = dyn_cast<nvgpu::DeviceAsyncCopyOp>(op)) {
    if (failed(copyLater(later)))
      return failure();
    op->dropAllDefinedValueUses();
  } else if (isa<nvgpu::DeviceAsyncCreateGroupOp>(op)) {
    op->dropAllDefinedValueUses();
  } else if (auto wait = dyn_cast<nvgpu::DeviceAsyncWaitOp>(op)) {
    if (wait.getNumGroups().value_or(0))
      return op->emitError("expected to wait for all copies");
    call("awaitCopies", {}, false);
  } else if (Value known = getIndex(op)) {
    op->getResult(0).replaceAllUsesWith(known);
  } else {
    return op->emitError("cannot be emulated");
  }
  op->erase();
  return success();
}

FailureOr<HostKernel> KernelLowering::lower(bool checksMemory) {
  if (!source.getBody().hasOneBlock() || source.getNumPrivateAttributions())
    return source.emitError("expected a structured kernel without private "
                            "attributions");
  kernel.name = source.getName().str();
  kernel.numArgs = source.getNumArguments();
  createFunction();
  mlir::IRMapping map;
  for (auto [from, to] :
       llvm::zip(source.getArguments(), function.getArguments()))
    map.map(from, to);
  placeAttributions(map);
  for (Operation &op : source.getBody().front())
    b.clone(op, map);

  SmallVector<Operation *> gpuOps;
  function.walk([&](Operation *op) {
    for (Value result : op->getResults())
      result.setType(withoutSpace(result.getType()));
    for (mlir::Region &region : op->getRegions())
      for (Value argument : region.getArguments())
        argument.setType(withoutSpace(argument.getType()));
    if (isa<gpu::GPUDialect, nvgpu::NVGPUDialect>(op->getDialect()))
      gpuOps.push_back(op);
  });
  for (Operation *op : gpuOps)
    if (failed(replace(op)))
      return failure();
  if (checksMemory && failed(reportAccesses(function, host)))
    return failure();
  return kernel;
}

FailureOr<std::vector<HostKernel>>
emulation::lowerKernels(gpu::GPUModuleOp module, ModuleOp host,
                        bool checksMemory) {
  module.getContext()
      ->loadDialect<arith::ArithDialect, func::FuncDialect,
                    memref::MemRefDialect, nvgpu::NVGPUDialect,
                    mlir::vector::VectorDialect>();
  mlir::OwningOpRef<gpu::GPUModuleOp> copy = module.clone();
  mlir::RewritePatternSet patterns(module.getContext());
  mlir::populateGpuLowerSubgroupReduceToShufflePatterns(patterns,
                                                        emulation::kWarpSize);
  if (failed(mlir::applyPatternsGreedily(*copy, std::move(patterns))))
    return failure();
  std::vector<HostKernel> kernels;
  for (auto source : copy->getOps<gpu::GPUFuncOp>()) {
    auto kernel = KernelLowering(source, host).lower(checksMemory);
    if (failed(kernel))
      return failure();
    kernels.push_back(*kernel);
  }
  return kernels;
}
