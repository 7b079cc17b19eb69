#include "JoinConcats.h"
#include "mpc/Dialect/Graph/IR/Ops/Group.h"
#include "mpc/Dialect/Graph/IR/PartialFolds.h"
#include "mpc/Interfaces/StridedShape.h"
#include "mpc/Interfaces/Target.h"
#include "mpc/Interfaces/TensorBytes.h"

using namespace mpc;
using namespace mpc::graph;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// The op that puts parts beside each other, if `group` does nothing else, and
/// they make up all of it.
static MovementOpInterface getConcat(GroupOp group) {
  Block &body = group.getBody().front();
  auto concat = dyn_cast<MovementOpInterface>(body.front());
  if (!llvm::hasSingleElement(body.without_terminator()) || !concat ||
      concat.getMovement().kind != Movement::Kind::InsertSlices ||
      !llvm::equal(concat->getOperands(), body.getArguments()))
    return {};
  int64_t elements = 0;
  for (Value part : concat->getOperands())
    elements += typeOf(part).getNumElements();
  return elements == typeOf(concat->getResult(0)).getNumElements()
             ? concat
             : MovementOpInterface();
}

/// Whether the kernel that makes `part` may write it with strides, for the one
/// that reads it.
static bool isWrittenAnywhere(Value part) {
  auto maker = part.getDefiningOp<GroupOp>();
  if (!maker || !part.hasOneUse() || maker.getKind() != GroupKind::Row)
    return false;
  unsigned number = cast<mlir::OpResult>(part).getResultNumber();
  Value made = maker.getBody().front().getTerminator()->getOperand(number);
  return maker.isDense(number) && !getRowsPerPart(made.getDefiningOp());
}

static void setStrides(Value part, ArrayRef<int64_t> strides) {
  auto maker = part.getDefiningOp<GroupOp>();
  Builder builder(maker.getContext());
  SmallVector<Attribute> all(maker.getNumResults(),
                             builder.getDenseI64ArrayAttr({}));
  if (maker.getStrides())
    all.assign(maker.getStrides()->begin(), maker.getStrides()->end());
  all[cast<mlir::OpResult>(part).getResultNumber()] =
      builder.getDenseI64ArrayAttr(strides);
  maker.setStridesAttr(builder.getArrayAttr(all));
}

void graph::joinConcats(Block &block, const TargetDescription &target) {
  for (auto group : llvm::make_early_inc_range(block.getOps<GroupOp>())) {
    MovementOpInterface concat = getConcat(group);
    if (!concat || !llvm::all_of(group.getInputs(), isWrittenAnywhere))
      continue;
    RankedTensorType whole = typeOf(concat->getResult(0));
    SmallVector<int64_t> strides = getDenseShape(whole.getShape()).strides;
    Movement movement = concat.getMovement();
    int64_t width = getStoredBytes({}, whole.getElementType());
    bool isAligned = llvm::all_of(
        movement.insertions, [&](const SmallVector<int64_t> &first) {
          int64_t offset = 0;
          for (auto [index, stride] : llvm::zip_equal(first, strides))
            offset += index * stride * width;
          return offset % target.operandAlignment == 0;
        });
    if (!isAligned)
      continue;
    for (Value part : group.getInputs())
      setStrides(part, strides);
    OpBuilder builder(group);
    Operation *outside = builder.clone(*concat);
    outside->setOperands(group.getInputs());
    group->replaceAllUsesWith(outside);
    group->erase();
  }
}
