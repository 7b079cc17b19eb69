// Algorithm: take the space of the group's ops (IterationSpace), which alone
// knows whether there is one; order its dims, item dims first; address every
// tensor; collapse neighbouring dims that every tensor runs through as if they
// were one; then answer the questions of the planner. Linear in the ops.
#include "mpc/Dialect/Graph/Analysis/KernelShape.h"
#include "IterationSpace.h"
#include "mpc/Dialect/Graph/Analysis/SegmentSums.h"
#include "mpc/Dialect/Graph/IR/Ops/Group.h"
#include "mpc/Dialect/Graph/IR/PartialFolds.h"
#include "mpc/Interfaces/TensorBytes.h"
#include "llvm/Support/MathExtras.h"

using namespace mpc;
using namespace mpc::graph;

namespace {
// A column item holds its accumulators in registers: four 64-byte vectors of
// f32. A row item amortises the division of its index.
constexpr int64_t kColumnSegment = 64, kRowSegment = 4096;
constexpr int64_t kElementsPerTask = 16384;

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Items of a task.
int64_t getGrain(int64_t elements, int64_t extent) {
  int64_t perItem = std::max<int64_t>(1, elements / extent);
  return std::clamp<int64_t>(llvm::divideCeil(kElementsPerTask, perItem), 1,
                             extent);
}

class ShapeBuilder {
public:
  explicit ShapeBuilder(GroupOp group)
      : group(group), yield(cast<YieldOp>(group.getBody().front().back())),
        ops(getOps(group)), space(llvm::to_vector_of<const SpaceOp *>(
                                llvm::make_pointer_range(ops))) {}
  FailureOr<KernelShape> build();

private:
  static std::vector<SpaceOp> getOps(GroupOp group);
  LogicalResult checkSpace();
  LogicalResult report(const Misfit &misfit);
  void orderDims();
  void addressValues();
  void addressResults();
  Access getAccess(Value value, ArrayRef<int64_t> strides) const;
  void addressApart(MovementOpInterface op);
  void addressWindow(Access &access, MovementOpInterface op,
                     const Movement &movement);
  void collapse();
  void chooseAxis();
  void followValues();
  void followSweeps();
  void findInPlacePairs();
  void countBytes();
  bool canCollapse(unsigned dim) const;
  template <typename Fn> void forEachAccess(Fn fn);

  GroupOp group;
  YieldOp yield;
  std::vector<SpaceOp> ops;
  IterationSpace space;
  DenseMap<int, int> dimOf;  ///< Dim of the space -> position in shape.dims.
  DenseSet<Value> readApart; ///< Block arguments that slices and gathers read.
  KernelShape shape;
};
} // namespace

FailureOr<KernelShape> ShapeBuilder::build() {
  if (failed(checkSpace()))
    return failure();
  orderDims();
  addressValues();
  addressResults();
  collapse();
  chooseAxis();
  followValues();
  followSweeps();
  findInPlacePairs();
  countBytes();
  return shape;
}

/// The ops that iterate: a splat does only where it is stored.
std::vector<SpaceOp> ShapeBuilder::getOps(GroupOp group) {
  std::vector<SpaceOp> ops;
  Operation *yield = group.getBody().front().getTerminator();
  for (Operation &op : group.getBody().front().without_terminator())
    if (getOpForm(&op) != OpForm::Splat ||
        llvm::is_contained(op.getUsers(), yield))
      ops.emplace_back(&op);
  return ops;
}

LogicalResult ShapeBuilder::checkSpace() {
  if (const auto &misfit = space.getMisfit())
    return report(*misfit);
  for (auto [number, result] : llvm::enumerate(yield.getResults()))
    if (!space.canStore(result))
      return group.emitOpError("expected result ")
             << number << " to have all dims of the group's space of "
             << space.getNumDims() << ", but it lacks some";
  return success();
}

LogicalResult ShapeBuilder::report(const Misfit &misfit) {
  switch (misfit.kind) {
  case Misfit::Kind::NoKernelOp:
    return misfit.op->emitOpError("expected an elementwise op, a reduction or "
                                  "a movement in a kernel");
  case Misfit::Kind::InnerSlice:
    return misfit.op->emitOpError("expected a slice in a kernel to read an "
                                  "operand of the kernel");
  case Misfit::Kind::TwoIndices:
    return misfit.op->emitOpError(
        "needs elements of one value at two indices at once, which a kernel "
        "cannot; put it into a group of its own");
  case Misfit::Kind::OtherFolds:
    return misfit.op->emitOpError(
        "expected all reductions of a group to fold the same dims");
  case Misfit::Kind::OtherParts:
    return misfit.op->emitOpError(
        "expected all folds in parts of a group to take equal parts of its "
        "items, in one order, and to keep what its reductions fold, or "
        "something");
  case Misfit::Kind::ReadsParts:
    return misfit.op->emitOpError(
        "reads parts that are known when the kernel has ended; put it into "
        "another group");
  case Misfit::Kind::TooManyDims:
    return misfit.op->emitOpError("expected an iteration space of at most ")
           << IterationSpace::kMaxDims << " dims, but got "
           << space.getNumDims();
  case Misfit::Kind::TooManySweeps:
    return misfit.op->emitOpError("expected at most ")
           << IterationSpace::kMaxSweeps
           << " sweeps in a kernel: one for each reduction that waits for "
              "another, and one for what waits for the last; split the group";
  }
  llvm_unreachable("all kinds of misfit are listed");
}

void ShapeBuilder::orderDims() {
  SmallVector<int> order = space.getOrder();
  auto isReduced = [&](int dim) { return space.getReduced() >> dim & 1; };
  for (bool wanted : {false, true})
    for (int dim : order)
      if (isReduced(dim) == wanted) {
        dimOf[dim] = shape.dims.size();
        shape.dims.push_back({space.getSize(dim), wanted});
        shape.numItemDims += !wanted;
      }
  bool isColumn =
      space.getReduced() && !order.empty() && !isReduced(order.back());
  shape.kind = isColumn ? GroupKind::Column : group.getKind();
  if (!isColumn && shape.kind == GroupKind::Column)
    shape.kind = GroupKind::Row;
}

Access ShapeBuilder::getAccess(Value value, ArrayRef<int64_t> strides) const {
  Access access;
  access.strides.assign(shape.dims.size(), 0);
  if (auto dims = space.getDims(value))
    for (auto [dim, stride] : llvm::zip(*dims, strides))
      if (dim >= 0)
        access.strides[dimOf.lookup(dim)] = stride;
  return access;
}

void ShapeBuilder::addressApart(MovementOpInterface op) {
  Movement movement = op.getMovement();
  Value operand = op->getOperand(0), result = op->getResult(0);
  auto from = getRowMajorStrides(typeOf(operand).getShape());
  SmallVector<int64_t> strides;
  for (int64_t dim : movement.dims)
    strides.push_back(dim < 0 ? 0 : from[dim] * movement.getStep(dim));
  Access access = getAccess(result, strides);
  if (movement.kind == Movement::Kind::Window)
    addressWindow(access, op, movement);
  else
    for (auto [offset, stride] : llvm::zip(movement.offsets, from))
      access.offset += offset * stride;
  if (movement.kind == Movement::Kind::Gather) {
    access.index = op->getOperand(1);
    access.indexStride = from[movement.indexedDim];
    access.numIndexed = typeOf(operand).getDimSize(movement.indexedDim);
  }
  shape.accesses[result] = access;
  readApart.insert(operand);
}

/// Dims that are read inside alone, and without gaps, are those of a slice.
void ShapeBuilder::addressWindow(Access &access, MovementOpInterface op,
                                 const Movement &movement) {
  ArrayRef<int64_t> shape = typeOf(op->getOperand(0)).getShape();
  ArrayRef<int64_t> sizes = typeOf(op->getResult(0)).getShape();
  auto strides = getRowMajorStrides(shape);
  ArrayRef<int> dims = *space.getDims(op->getResult(0));
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    int64_t step = movement.steps[dim], first = movement.offsets[dim];
    int64_t last = first + (sizes[dim] - 1) * step;
    if (first >= 0 && last < shape[dim] && movement.spread[dim] == 1) {
      access.offset += first * strides[dim];
      continue;
    }
    int own = dims[dim] < 0 ? -1 : dimOf.lookup(dims[dim]);
    access.window.push_back({own, step, first, movement.spread[dim], shape[dim],
                             strides[dim], movement.repeats});
    if (own >= 0)
      access.strides[own] = strides[dim] == 1 ? -1 : strides[dim];
  }
  access.isLowest = movement.isLowest;
}

void ShapeBuilder::addressValues() {
  for (Value argument : group.getBody().getArguments())
    if (space.getDims(argument))
      shape.accesses[argument] =
          getAccess(argument, getRowMajorStrides(typeOf(argument).getShape()));
  for (const SpaceOp &own : ops) {
    if (isAddressedApart(own.form, 0))
      addressApart(cast<MovementOpInterface>(own.op));
    if (own.form != OpForm::Index)
      continue;
    Value result = own.op->getResult(0);
    SmallVector<int64_t> strides(typeOf(result).getRank(), 0);
    strides[cast<MovementOpInterface>(own.op).getMovement().dims[0]] = 1;
    shape.accesses[result] = getAccess(result, strides);
  }
}

void ShapeBuilder::addressResults() {
  shape.rowsPerPart = space.getRowsPerPart();
  for (auto [number, result] : llvm::enumerate(yield.getResults())) {
    SmallVector<int64_t> strides = group.getStridesOf(number);
    Access &access = shape.results.emplace_back(getAccess(result, strides));
    if (getRowsPerPart(result.getDefiningOp()))
      access.partStride = strides.front();
  }
}

template <typename Fn> void ShapeBuilder::forEachAccess(Fn fn) {
  for (auto &entry : shape.accesses)
    fn(entry.second);
  for (Access &access : shape.results)
    fn(access);
}

bool ShapeBuilder::canCollapse(unsigned dim) const {
  auto contiguous = [&](const Access &access) {
    auto isOne = [&](const WindowDim &window) {
      return window.dim == int(dim) || window.dim == int(dim) + 1;
    };
    return llvm::none_of(access.window, isOne) &&
           access.strides[dim] ==
               access.strides[dim + 1] * shape.dims[dim + 1].size;
  };
  return shape.dims[dim].reduced == shape.dims[dim + 1].reduced &&
         llvm::all_of(shape.results, contiguous) &&
         llvm::all_of(shape.accesses, [&](const auto &entry) {
           return contiguous(entry.second);
         });
}

void ShapeBuilder::collapse() {
  for (int dim = int(shape.dims.size()) - 2; dim >= 0; --dim) {
    if (!canCollapse(dim))
      continue;
    shape.dims[dim + 1].size *= shape.dims[dim].size;
    shape.numItemDims -= !shape.dims[dim].reduced;
    shape.dims.erase(shape.dims.begin() + dim);
    forEachAccess([&](Access &access) {
      access.strides.erase(access.strides.begin() + dim);
      for (WindowDim &window : access.window)
        window.dim -= window.dim > dim;
    });
  }
}

int64_t KernelShape::numItems() const {
  int64_t count = 1;
  for (const SpaceDim &dim : ArrayRef(dims).take_front(numItemDims))
    count *= dim.size;
  return count;
}

int64_t KernelShape::numSegments() const {
  return segment ? llvm::divideCeil(dims[axis].size, segment) : 1;
}

void ShapeBuilder::chooseAxis() {
  int64_t elements = 1;
  for (const SpaceDim &dim : shape.dims)
    elements *= dim.size;
  bool hasReduced = shape.numItemDims < shape.dims.size();
  bool isColumn = shape.kind == GroupKind::Column;
  shape.axis = hasReduced && !isColumn ? int(shape.dims.size()) - 1
                                       : int(shape.numItemDims) - 1;
  if (shape.axis >= 0 && !shape.isReducedAxis())
    shape.segment = std::min(shape.dims[shape.axis].size,
                             isColumn ? kColumnSegment : kRowSegment);
  shape.extent = shape.numSegments();
  for (unsigned dim = 0; dim < shape.numItemDims; ++dim)
    if (int(dim) != shape.axis)
      shape.extent *= shape.dims[dim].size;
  if (shape.rowsPerPart)
    shape.extent = llvm::divideCeil(shape.extent, shape.rowsPerPart);
  int64_t perItem = std::max<int64_t>(1, elements / shape.extent);
  shape.grain = std::clamp<int64_t>(llvm::divideCeil(kElementsPerTask, perItem),
                                    1, shape.extent);
}

/// Which dims values vary along, and how many reductions they wait for.
void ShapeBuilder::followValues() {
  for (auto &[value, access] : shape.accesses)
    for (auto [dim, stride] : llvm::enumerate(access.strides))
      if (stride)
        shape.varies[value] |= uint64_t(1) << dim;
  for (const SpaceOp &own : ops) {
    uint64_t varies = shape.varies.lookup(own.op->getResult(0));
    for (auto [number, operand] : llvm::enumerate(own.op->getOperands()))
      if (!isAddressedApart(own.form, number))
        varies |= shape.varies.lookup(operand);
    // Each item folds anew, even what does not differ between items.
    for (Value result : own.op->getResults()) {
      shape.varies[result] = own.folds ? shape.itemMask() : varies;
      shape.depths[result] = space.getDepth(result);
    }
  }
}

bool KernelShape::isSweptResult(unsigned number) const {
  return llvm::any_of(ArrayRef(results[number].strides).drop_front(numItemDims),
                      [](int64_t stride) { return stride != 0; });
}

void ShapeBuilder::followSweeps() {
  auto need = [&](Value value, uint64_t sweeps) {
    if (shape.isSwept(value))
      shape.sweeps[value] |= sweeps;
  };
  for (auto [number, result] : llvm::enumerate(yield.getResults()))
    if (shape.isSweptResult(number))
      need(result, uint64_t(1) << (shape.depths.lookup(result) + 1));
  for (const SpaceOp &own : llvm::reverse(ops)) {
    uint64_t sweeps = 0;
    for (Value result : own.op->getResults())
      sweeps |= own.folds ? uint64_t(1) << shape.depths.lookup(result)
                          : shape.sweeps.lookup(result);
    for (auto [number, operand] : llvm::enumerate(own.op->getOperands()))
      if (!isAddressedApart(own.form, number))
        need(operand, sweeps);
  }
}

void ShapeBuilder::findInPlacePairs() {
  auto arguments = group.getBody().getArguments();
  for (auto [operand, argument] : llvm::enumerate(arguments)) {
    auto access = shape.accesses.find(argument);
    if (access == shape.accesses.end() || readApart.contains(argument))
      continue;
    for (auto [number, result] : llvm::enumerate(yield.getResults())) {
      if (argument.getType() != result.getType() ||
          !(access->second == shape.results[number]))
        continue;
      uint64_t store = uint64_t(1) << (shape.depths.lookup(result) + 1);
      bool readLater = shape.isSweptResult(number) &&
                       shape.sweeps.lookup(argument) >= store * 2;
      if (!readLater)
        shape.inPlacePairs.push_back({unsigned(operand), unsigned(number)});
    }
  }
}

void ShapeBuilder::countBytes() {
  auto count = [&](const Access &access, Value value) {
    int64_t elements = access.partStride ? shape.extent : 1;
    for (auto [dim, stride] : llvm::zip(shape.dims, access.strides))
      if (stride)
        elements *= dim.size;
    return elements * getElementBytes(typeOf(value).getElementType());
  };
  auto countGathered = [&](Value value) {
    uint64_t varies = shape.varies.lookup(value);
    int64_t elements = 1;
    for (auto [number, dim] : llvm::enumerate(shape.dims))
      if (varies >> number & 1)
        elements *= dim.size;
    return elements * getElementBytes(typeOf(value).getElementType());
  };
  for (auto &[value, access] : shape.accesses) {
    Operation *op = value.getDefiningOp();
    if (access.index)
      shape.bytesRead += countGathered(value);
    else if (!access.window.empty()) // Elements may be read several times.
      shape.bytesRead += std::min(count(access, value),
                                  getStoredBytes(typeOf(op->getOperand(0))));
    else if (!op || getOpForm(op) != OpForm::Index)
      shape.bytesRead += count(access, value);
  }
  for (auto [access, result] : llvm::zip(shape.results, yield.getResults()))
    shape.bytesWritten += count(access, result);
}

/// Of an op that is a kernel of its own: its one result, row by row.
static KernelShape getShapeOfOne(Operation *op) {
  KernelShape shape;
  shape.kind = GroupKind::Move;
  RankedTensorType type = typeOf(op->getResult(0));
  shape.bytesWritten = getStoredBytes(type);
  for (Value operand : op->getOperands())
    shape.bytesRead += getStoredBytes(typeOf(operand));
  for (int64_t size : type.getShape())
    shape.dims.push_back({size, false});
  shape.numItemDims = shape.dims.size();
  shape.results.push_back({getRowMajorStrides(type.getShape())});
  return shape;
}

/// A concat or pad: one item per innermost row of the result.
static KernelShape getInsertSlicesShape(Operation *op) {
  KernelShape shape = getShapeOfOne(op);
  shape.axis = int(shape.dims.size()) - 1;
  int64_t row = shape.dims.empty() ? 1 : shape.dims.back().size;
  shape.segment = shape.dims.empty() ? 0 : row;
  int64_t elements = typeOf(op->getResult(0)).getNumElements();
  shape.extent = elements / row;
  shape.grain = getGrain(elements, shape.extent);
  return shape;
}

/// A segment sum: the emitters know its items.
static KernelShape getSegmentSumShape(SegmentSumOpInterface op) {
  KernelShape shape = getShapeOfOne(op);
  shape.extent = SegmentSums(op).numItems();
  return shape;
}

FailureOr<KernelShape> KernelShape::get(GroupOp group) {
  if (group.getKind() == GroupKind::Library)
    return group.emitOpError("expected a row, column or move group: a library "
                             "group has no kernel");
  Block &body = group.getBody().front();
  if (getOpForm(&body.front()) == OpForm::InsertSlices) {
    if (!llvm::hasSingleElement(body.without_terminator()))
      return group.emitOpError("expected a concat or pad to be alone in its "
                               "group");
    return getInsertSlicesShape(&body.front());
  }
  if (auto sum = dyn_cast<SegmentSumOpInterface>(body.front())) {
    if (!llvm::hasSingleElement(body.without_terminator()))
      return group.emitOpError("expected a segment sum to be alone in its "
                               "group");
    return getSegmentSumShape(sum);
  }
  return ShapeBuilder(group).build();
}
