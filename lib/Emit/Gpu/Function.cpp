#include "Function.h"
#include "../Common/Approximations.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mpc/Dialect/Graph/IR/Ops/Group.h"
#include "mpc/Interfaces/TensorBytes.h"

using namespace mpc;
using namespace mpc::emit;
namespace arith = mlir::arith;
namespace gpu = mlir::gpu;
namespace memref = mlir::memref;
namespace nvgpu = mlir::nvgpu;
namespace scf = mlir::scf;

// What may be added to an index of an element on the way to an address.
constexpr int64_t kMargin = int64_t(1) << 20;
constexpr auto kNoOverflow =
    arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw;

/// Memory for so many elements of a tensor: i1 is stored as i8.
static mlir::MemRefType getMemRefType(ArrayRef<int64_t> shape, Type tensor) {
  Type element = getElementTypeOrSelf(tensor);
  if (element.isInteger(1))
    element = IntegerType::get(tensor.getContext(), 8);
  return mlir::MemRefType::get(shape, element);
}

/// That of operands, then of results.
static SmallVector<Type> getMemRefTypes(Block &body) {
  SmallVector<Type> types;
  auto add = [&](Type type) {
    auto shape = cast<RankedTensorType>(type).getShape();
    types.push_back(getMemRefType(shape, type));
  };
  llvm::for_each(body.getArgumentTypes(), add);
  auto group = cast<graph::GroupOp>(body.getParentOp());
  for (mlir::OpResult result : group.getResults()) {
    unsigned number = result.getResultNumber();
    if (group.isDense(number))
      add(result.getType());
    else
      types.push_back(getMemRefType(group.getReach(number), result.getType()));
  }
  return types;
}

static SmallVector<Value> getTensors(Block &body) {
  return llvm::to_vector(llvm::concat<Value>(
      body.getArguments(), body.getTerminator()->getOperands()));
}

Type emit::getGpuIndexType(GpuTask task) {
  int64_t largest = 1;
  for (Value value : getTensors(task.body))
    largest = std::max(
        largest, cast<RankedTensorType>(value.getType()).getNumElements());
  auto group = cast<graph::GroupOp>(task.body.getParentOp());
  for (unsigned number = 0; number < group.getNumResults(); ++number)
    largest = std::max(largest, group.getReach(number));
  int64_t points = 1;
  for (const graph::SpaceDim &dim : task.shape.dims)
    points *= dim.size;
  bool isSmall = std::max(largest, points) < (int64_t(1) << 31) - kMargin;
  return isSmall ? Type(task.builder.getI32Type())
                 : Type(task.builder.getI64Type());
}

EvaluatorOptions emit::getGpuEvaluation(GpuTask task, int64_t lanes) {
  return {.lanes = lanes,
          .indexType = getGpuIndexType(task),
          .overflow = kNoOverflow,
          .strictRounding = task.options.strictRounding};
}

/// What the compiler of the body may assume of each pointer. A result in the
/// buffer of an operand makes both of them aliases.
static void setPointerAttributes(gpu::GPUFuncOp function, GpuTask task) {
  DenseSet<unsigned> shared;
  unsigned numOperands = task.body.getNumArguments();
  for (auto [operand, result] : task.shape.inPlacePairs) {
    shared.insert(operand);
    shared.insert(numOperands + result);
  }
  OpBuilder b(function);
  for (unsigned number = 0; number < function.getNumArguments(); ++number) {
    function.setArgAttr(number, "llvm.align", b.getI64IntegerAttr(256));
    if (shared.contains(number))
      continue;
    function.setArgAttr(number, "llvm.noalias", b.getUnitAttr());
    if (number < numOperands)
      function.setArgAttr(number, "llvm.readonly", b.getUnitAttr());
  }
}

GpuFunction::GpuFunction(GpuTask task, const GpuStage &stage,
                         uint64_t workspaceBytes)
    : b(task.body.getParentOp()->getLoc(), task.builder), task(task),
      indexType(getGpuIndexType(task)), threadsPerBlock(stage.block) {
  SmallVector<Type> types = getMemRefTypes(task.body);
  if (workspaceBytes)
    types.push_back(
        mlir::MemRefType::get({int64_t(workspaceBytes)}, b.getI8Type()));
  function =
      gpu::GPUFuncOp::create(b, stage.symbol, b.getFunctionType(types, {}));
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  function.setKnownBlockSizeAttr(
      b.getDenseI32ArrayAttr({int32_t(stage.block), 1, 1}));
  function.setKnownGridSizeAttr(
      b.getDenseI32ArrayAttr({int32_t(stage.grid), 1, 1}));
  setPointerAttributes(function, task);
  b.setInsertionPointToStart(&function.getBody().front());
  Value threadIndex = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  Value blockIndex = gpu::BlockIdOp::create(b, gpu::Dimension::x);
  thread = arith::IndexCastUIOp::create(b, indexType, threadIndex);
  block = arith::IndexCastUIOp::create(b, indexType, blockIndex);
}

void GpuFunction::finish() {
  b.setInsertionPointToEnd(&function.getBody().front());
  gpu::ReturnOp::create(b);
  keepDigitsNearZero(function);
}

Value GpuFunction::flatten(unsigned number) {
  return emit::flatten(b, function.getArgument(number));
}

Scope GpuFunction::makeEntry() {
  Scope entry;
  entry.block = &function.getBody().front();
  entry.index.resize(task.shape.dims.size());
  return entry;
}

Value GpuFunction::index(int64_t number) {
  return arith::ConstantOp::create(b, b.getIntegerAttr(indexType, number));
}

Value GpuFunction::add(Value x, Value y) {
  return arith::AddIOp::create(b, x, y, kNoOverflow);
}

Value GpuFunction::multiply(Value x, int64_t factor) {
  return factor == 1 ? x
                     : arith::MulIOp::create(b, x, index(factor), kNoOverflow)
                           .getResult();
}

Value GpuFunction::divide(Value x, int64_t divisor) {
  return divisor == 1
             ? x
             : arith::DivUIOp::create(b, x, index(divisor)).getResult();
}

Value GpuFunction::remainder(Value x, int64_t divisor) {
  return arith::RemUIOp::create(b, x, index(divisor));
}

Value GpuFunction::isEqual(Value x, int64_t number) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, x, index(number));
}

Value GpuFunction::isBelow(Value x, int64_t bound) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, x, index(bound));
}

Value GpuFunction::both(Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  return arith::AndIOp::create(b, x, y);
}

Value GpuFunction::allocateShared(int64_t count, Type element) {
  auto space =
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  auto type = mlir::MemRefType::get({count}, element,
                                    mlir::MemRefLayoutAttrInterface(), space);
  // Vectors of it are accessed at addresses aligned to their size.
  unsigned number = function.getNumWorkgroupAttributions();
  Value memory = function.addWorkgroupAttribution(type, b.getLoc());
  function.setWorkgroupAttributionAttr(number, "llvm.align",
                                       b.getI64IntegerAttr(32));
  return memory;
}

Value GpuFunction::viewDynamicShared(int64_t offset, int64_t count,
                                     Type element) {
  return viewDynamicShared(arith::ConstantIndexOp::create(b, offset), count,
                           element);
}

Value GpuFunction::viewDynamicShared(Value offset, int64_t count,
                                     Type element) {
  auto space =
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  mlir::MemRefLayoutAttrInterface rowMajor;
  auto bytes = mlir::MemRefType::get({mlir::ShapedType::kDynamic},
                                     b.getI8Type(), rowMajor, space);
  auto type = mlir::MemRefType::get({count}, element, rowMajor, space);
  return memref::ViewOp::create(b, type,
                                gpu::DynamicSharedMemoryOp::create(b, bytes),
                                offset, ValueRange());
}

/// Streams pass by the first cache.
void GpuFunction::copyLater(Value from, Value fromIndex, Value to,
                            Value toIndex, int64_t count) {
  auto toPlace = [&](Value number) -> Value {
    return arith::IndexCastUIOp::create(b, b.getIndexType(), number);
  };
  Type element = cast<mlir::MemRefType>(to.getType()).getElementType();
  bool isWide = count * getElementBytes(element) == 16;
  nvgpu::DeviceAsyncCopyOp::create(
      b, nvgpu::DeviceAsyncTokenType::get(b.getContext()), to, toPlace(toIndex),
      from, toPlace(fromIndex), b.getIndexAttr(count), /*srcElements=*/Value(),
      isWide ? b.getUnitAttr() : mlir::UnitAttr());
}

void GpuFunction::awaitCopies() {
  auto token = nvgpu::DeviceAsyncTokenType::get(b.getContext());
  Value all = nvgpu::DeviceAsyncCreateGroupOp::create(b, token, ValueRange());
  nvgpu::DeviceAsyncWaitOp::create(b, all, mlir::IntegerAttr());
}

void GpuFunction::synchronize() { gpu::BarrierOp::create(b); }

/// Folds each of `values` over groups of `threads` lanes of a warp.
static void foldWarp(GpuFunction &function, PointEvaluator &points,
                     ArrayRef<ReductionOpInterface> reductions,
                     MutableArrayRef<Value> values, int64_t threads) {
  auto shuffle = [&](Value value, int64_t offset) -> Value {
    return gpu::ShuffleOp::create(function.b, value, int32_t(offset),
                                  int32_t(kWarp), gpu::ShuffleMode::XOR)
        .getShuffleResult();
  };
  for (int64_t offset = threads / 2; offset >= 1; offset /= 2)
    points.forEach(reductions, values,
                   [&](ReductionOpInterface op, MutableArrayRef<Value> own) {
                     SmallVector<Value> others;
                     for (Value value : own)
                       others.push_back(shuffle(value, offset));
                     points.combine(op, own, others);
                   });
}

SmallVector<Value> emit::foldThreads(GpuFunction &function,
                                     PointEvaluator &points,
                                     ArrayRef<ReductionOpInterface> reductions,
                                     SmallVector<Value> partials,
                                     int64_t threads) {
  foldWarp(function, points, reductions, partials, std::min(threads, kWarp));
  int64_t warps = threads / kWarp;
  if (warps <= 1 || partials.empty())
    return partials;
  auto &b = function.b;
  int64_t groups = function.blockSize() / threads;
  Value lane = function.remainder(function.threadId(), kWarp);
  Value warp = function.divide(function.threadId(), kWarp);
  auto toIndex = [&](Value number) -> Value {
    return arith::IndexCastUIOp::create(b, b.getIndexType(), number);
  };
  SmallVector<Value> buffers;
  for (Value partial : partials)
    buffers.push_back(
        function.allocateShared(groups * warps, partial.getType()));
  auto first = scf::IfOp::create(b, function.isEqual(lane, 0),
                                 /*withElseRegion=*/false);
  b.setInsertionPoint(first.thenYield());
  Value slot = toIndex(warp);
  for (auto [partial, buffer] : llvm::zip(partials, buffers))
    memref::StoreOp::create(b, partial, buffer, slot);
  b.setInsertionPointAfter(first);
  function.synchronize();
  Value own = function.remainder(lane, warps);
  if (groups > 1)
    own = function.add(
        function.multiply(function.divide(function.threadId(), threads), warps),
        own);
  Value wanted = toIndex(own);
  for (auto [partial, buffer] : llvm::zip(partials, buffers))
    partial = memref::LoadOp::create(b, buffer, wanted);
  foldWarp(function, points, reductions, partials, warps);
  return partials;
}
