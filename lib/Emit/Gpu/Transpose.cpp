// Transposes on a GPU: a block takes a square tile, which lies in rows of the
// operand and in columns of the result. It reads rows, leaves the tile in
// shared memory, and writes rows of the result. A row of the tile in shared
// memory is one bank longer than it need be, so that the elements of a column
// lie in different banks.
#include "Kernels.h"
#include "Memory.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mpc/Interfaces/TensorBytes.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mpc;
using namespace mpc::emit;
using mpc::graph::Access;
namespace arith = mlir::arith;
namespace memref = mlir::memref;

namespace {
constexpr int64_t kThreads = 256, kMaxWidth = 8, kBankBytes = 4;

/// A tensor and how the tile lies in it.
struct Side {
  const Access &access;
  int fast;          ///< The dim of the space with stride 1.
  int slow;          ///< The other dim of the tile.
  int64_t width = 1; ///< Elements per access.
};

class TransposeEmitter {
public:
  TransposeEmitter(GpuTask task, unsigned operandFast)
      : task(task), shape(task.shape),
        operand{shape.accesses.find(getOperand())->second, int(operandFast),
                shape.axis},
        result{shape.results[0], shape.axis, int(operandFast)} {
    bytes = getElementBytes(mlir::getElementTypeOrSelf(getOperand()));
    tile = bytes >= kBankBytes ? 32 : 64;
    pitch = tile + std::max<int64_t>(1, kBankBytes / bytes);
    operand.width = chooseWidth(operand);
    result.width = chooseWidth(result);
  }
  FailureOr<GpuKernel> emit();

private:
  Value getOperand() { return task.body.getArgument(0); }
  int64_t chooseWidth(const Side &side) const;
  int64_t numTiles(int dim) const {
    return llvm::divideCeil(shape.dims[dim].size, tile);
  }
  SmallVector<int64_t> getBlockSizes() const;
  void placeBlock();
  Value getAddress(const Side &side, Value fast, Value slow);
  /// Calls `visit` with each access of the thread: the place in the tile, and
  /// in a vector scope whether it lies in the tensor.
  void forEachAccess(
      const Side &side,
      llvm::function_ref<void(Value fast, Value slow, Scope &scope)> visit);
  Value inTile(Value operandFast, Value resultFast, int64_t further);
  void readRows(Value shared);
  void writeRows(Value shared);

  GpuTask task;
  const graph::KernelShape &shape;
  Side operand, result;
  int64_t bytes, tile, pitch;
  GpuFunction *function = nullptr;
  SmallVector<Value> index; ///< Of the block's first element.
};
} // namespace

/// The largest access that no row cuts and that is always aligned.
int64_t TransposeEmitter::chooseWidth(const Side &side) const {
  int64_t common = std::gcd(shape.dims[side.fast].size, side.access.offset);
  for (auto [dim, stride] : llvm::enumerate(side.access.strides))
    if (int(dim) != side.fast)
      common = std::gcd(common, stride);
  int64_t width = std::min(16 / bytes, kMaxWidth);
  while (common % width)
    width /= 2;
  return width;
}

/// Tiles of the two dims of the tile, indices of the others.
SmallVector<int64_t> TransposeEmitter::getBlockSizes() const {
  SmallVector<int64_t> sizes;
  for (auto [dim, space] : llvm::enumerate(shape.dims))
    sizes.push_back(int(dim) == operand.fast || int(dim) == result.fast
                        ? numTiles(int(dim))
                        : space.size);
  return sizes;
}

void TransposeEmitter::placeBlock() {
  auto &f = *function;
  Value rest = f.blockId();
  SmallVector<int64_t> sizes = getBlockSizes();
  index.resize(sizes.size());
  for (size_t dim = sizes.size(); dim-- > 0;) {
    index[dim] = dim == 0 ? rest : f.remainder(rest, sizes[dim]);
    rest = dim == 0 ? rest : f.divide(rest, sizes[dim]);
    if (int(dim) == operand.fast || int(dim) == result.fast)
      index[dim] = f.multiply(index[dim], tile);
  }
}

Value TransposeEmitter::getAddress(const Side &side, Value fast, Value slow) {
  auto &f = *function;
  Value address = f.index(side.access.offset);
  for (auto [dim, stride] : llvm::enumerate(side.access.strides)) {
    Value at = index[dim];
    if (int(dim) == side.fast)
      at = f.add(at, fast);
    else if (int(dim) == side.slow)
      at = f.add(at, slow);
    if (stride)
      address = f.add(address, f.multiply(at, stride));
  }
  return address;
}

void TransposeEmitter::forEachAccess(
    const Side &side,
    llvm::function_ref<void(Value fast, Value slow, Scope &scope)> visit) {
  auto &f = *function;
  int64_t perRow = tile / side.width;
  for (int64_t first = 0; first < perRow * tile; first += kThreads) {
    Value number = f.add(f.threadId(), f.index(first));
    Value fast = f.multiply(f.remainder(number, perRow), side.width);
    Value slow = f.divide(number, perRow);
    Scope scope = f.makeEntry();
    scope.isVector = true;
    auto limit = [&](int dim, Value at) {
      int64_t size = shape.dims[dim].size;
      if (size % tile)
        scope.predicate =
            f.both(scope.predicate, f.isBelow(f.add(index[dim], at), size));
    };
    limit(side.fast, fast);
    limit(side.slow, slow);
    visit(fast, slow, scope);
  }
}

/// Where an element lies in shared memory, `further` elements on from there.
Value TransposeEmitter::inTile(Value operandFast, Value resultFast,
                               int64_t further) {
  auto &f = *function;
  Value at = f.add(f.multiply(resultFast, pitch), operandFast);
  if (further)
    at = f.add(at, f.index(further));
  return arith::IndexCastUIOp::create(f.b, f.b.getIndexType(), at);
}

/// All loads first, so that they are under way together.
void TransposeEmitter::readRows(Value shared) {
  auto &f = *function;
  GpuMemory memory(f.b, operand.width);
  Value source = f.flatten(0);
  struct Read {
    Value fast, slow, value;
  };
  SmallVector<Read> reads;
  forEachAccess(operand, [&](Value fast, Value slow, Scope &scope) {
    Value address = getAddress(operand, fast, slow);
    reads.push_back({fast, slow, memory.read(source, address, 1, scope)});
  });
  for (const Read &read : reads)
    for (int64_t lane = 0; lane < operand.width; ++lane) {
      Value element = read.value;
      if (operand.width > 1)
        element = mlir::vector::ExtractOp::create(f.b, element, lane);
      memref::StoreOp::create(f.b, element, shared,
                              inTile(read.fast, read.slow, lane));
    }
}

void TransposeEmitter::writeRows(Value shared) {
  auto &f = *function;
  GpuMemory memory(f.b, result.width);
  Value target = f.flatten(1);
  forEachAccess(result, [&](Value fast, Value slow, Scope &scope) {
    SmallVector<Value> elements;
    for (int64_t lane = 0; lane < result.width; ++lane)
      elements.push_back(memref::LoadOp::create(
          f.b, shared, inTile(slow, fast, lane * pitch)));
    Value value = elements.front();
    if (result.width > 1)
      value = mlir::vector::FromElementsOp::create(
          f.b, getLanesType(value.getType(), result.width), elements);
    memory.write(target, getAddress(result, fast, slow), 1, value, scope);
  });
}

FailureOr<GpuKernel> TransposeEmitter::emit() {
  int64_t blocks = 1;
  for (int64_t size : getBlockSizes())
    blocks *= size;
  auto stage = makeGpuStage(task, blocks, kThreads);
  if (failed(stage))
    return failure();
  GpuFunction own(task, *stage);
  function = &own;
  placeBlock();
  Type element =
      cast<mlir::MemRefType>(own.memrefs().front().getType()).getElementType();
  Value shared = own.allocateShared(tile * pitch, element);
  readRows(shared);
  own.synchronize();
  writeRows(shared);
  own.finish();
  return GpuKernel{{*stage}};
}

/// The dim along which the operand's elements are neighbours, if the result's
/// are not; else -1.
static int findOperandFast(const graph::KernelShape &shape,
                           const Access &access) {
  if (shape.axis < 0 || access.strides[shape.axis] == 1 ||
      shape.results[0].strides[shape.axis] != 1)
    return -1;
  for (auto [dim, stride] : llvm::enumerate(access.strides))
    if (stride == 1)
      return int(dim);
  return -1;
}

FailureOr<GpuKernel> emit::emitGpuTranspose(GpuTask task) {
  auto access = task.shape.accesses.find(task.body.getArgument(0));
  int fast = access == task.shape.accesses.end()
                 ? -1
                 : findOperandFast(task.shape, access->second);
  if (fast < 0) // Rows stay rows.
    return emitGpuPointwise(task);
  return TransposeEmitter(task, unsigned(fast)).emit();
}
