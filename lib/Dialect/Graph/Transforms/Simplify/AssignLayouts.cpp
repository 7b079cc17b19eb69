// Purpose: let each op run with its dims in the order that was decided
// (Analysis/LayoutAnalysis.h), and transpose where orders meet.
//
// An op that runs in another order is a copy of it on permuted operands. A
// value that lies in another order is transposed back for who reads it as it
// was, once for all of them; the other way about, a value is transposed for who
// wants it permuted. What cancels then, folds do.
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Remarks.h"
#include "mpc/Dialect/Graph/Analysis/LayoutAnalysis.h"
#include "mpc/Dialect/Graph/IR/Expression.h"
#include "mpc/Dialect/Graph/Transforms/DeadOps.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "mpc/Interfaces/DimsOpInterfaces.h"
#include "llvm/Support/FormatVariadic.h"

namespace mpc::graph {
#define GEN_PASS_DEF_ASSIGNLAYOUTS
#include "mpc/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mpc::graph

using namespace mpc;
using namespace mpc::graph;
using namespace mpc::graph::expr;
namespace remark = mlir::remark;

namespace {

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

SmallVector<int64_t> invert(ArrayRef<int64_t> order) {
  SmallVector<int64_t> inverse(order.size());
  for (auto [at, dim] : llvm::enumerate(order))
    inverse[dim] = static_cast<int64_t>(at);
  return inverse;
}

RankedTensorType permuteType(RankedTensorType type, ArrayRef<int64_t> order) {
  if (order.empty())
    return type;
  return type.clone(llvm::map_to_vector(
      order, [&](int64_t dim) { return type.getDimSize(dim); }));
}

/// Rewrites one block.
class Rewriter {
public:
  explicit Rewriter(Block &block) : block(block), layouts(block) {}

  void run() {
    SmallVector<Operation *> ops = llvm::map_to_vector(
        block, [](Operation &op) { return &op; }); // copies come in between
    for (Operation *op : ops)
      if (layouts.getOrder(op).empty())
        readAsWritten(op);
      else
        runPermuted(op);
    if (moved > 0)
      eraseDeadOps(block);
  }

  int64_t moved = 0; ///< Ops that run in another order.

private:
  /// `op` where it stands, on values as the model says them.
  void readAsWritten(Operation *op) {
    for (mlir::OpOperand &operand : op->getOpOperands())
      if (!layouts.getOrder(operand.get()).empty())
        operand.set(getAsWritten(operand.get()));
  }

  /// `value` as the model says it, in whatever order it lies.
  Value getAsItWas(Value value) {
    return layouts.getOrder(value).empty() ? value : getAsWritten(value);
  }

  /// `value`, which lies in another order, as it was.
  Value getAsWritten(Value value) {
    Value &known = asWritten[value];
    if (known)
      return known;
    Value permuted = copies.lookup(value);
    mlir::ImplicitLocOpBuilder builder(permuted.getLoc(), block.getParentOp());
    builder.setInsertionPointAfterValue(permuted);
    known = transpose(Expr(builder, permuted), invert(layouts.getOrder(value)));
    return known;
  }

  /// `value` with its dims in `order`, which may be longer: it then broadcasts.
  Value getPermuted(mlir::ImplicitLocOpBuilder &builder, Value value,
                    ArrayRef<int64_t> order) {
    ArrayRef<int64_t> present = layouts.getOrder(value);
    if (!present.empty() && present == order)
      return copies.lookup(value);
    // What is made of repeated elements is made again: a transpose would store
    // it.
    Operation *maker = value.getDefiningOp();
    if (present.empty() && isRepeated(value) &&
        isa<KernelBodyOpInterface>(maker)) {
      Value operand = getPermuted(builder, maker->getOperand(0), order);
      Operation *copy = builder.clone(*maker);
      copy->setOperand(0, operand);
      copy->getResult(0).setType(permuteType(typeOf(value), order));
      return copy->getResult(0);
    }
    Value whole = getAsItWas(value);
    RankedTensorType type = typeOf(whole);
    size_t missing = order.size() - type.getRank();
    if (type.getRank() == 0)
      return whole; // broadcasts to any
    if (missing > 0) {
      SmallVector<int64_t> shape(missing, 1);
      llvm::append_range(shape, type.getShape());
      whole = reshape(Expr(builder, whole), shape);
    }
    return transpose(Expr(builder, whole), order);
  }

  void runPermuted(Operation *op) {
    ++moved;
    ArrayRef<int64_t> order = layouts.getOrder(op);
    mlir::ImplicitLocOpBuilder builder(op->getLoc(), op);
    SmallVector<Value> operands;
    bool hasChannels = isa<ChannelsOpInterface>(op);
    for (Value operand : op->getOperands()) {
      // What has no dims of space, as a number for each channel, has no order.
      bool isKept = hasChannels && typeOf(operand).getRank() <
                                       static_cast<int64_t>(order.size());
      operands.push_back(isKept ? getAsItWas(operand)
                                : getPermuted(builder, operand, order));
    }
    Operation *copy = builder.clone(*op);
    copy->setOperands(operands);
    if (auto channels = dyn_cast<ChannelsOpInterface>(copy))
      channels.moveChannelsLast();
    if (auto permutable = dyn_cast<PermutableOpInterface>(copy))
      permutable.permuteDims(order);
    for (auto [from, to] :
         llvm::zip_equal(op->getResults(), copy->getResults())) {
      ArrayRef<int64_t> lies = layouts.getOrder(from);
      to.setType(permuteType(typeOf(from), lies));
      if (lies.empty())
        replaced.push_back({from, to});
      else
        copies[from] = to;
    }
    for (auto [from, to] : replaced)
      from.replaceAllUsesWith(to);
    replaced.clear();
  }

  Block &block;
  LayoutAnalysis layouts;
  DenseMap<Value, Value> copies;    ///< In the order that was decided.
  DenseMap<Value, Value> asWritten; ///< Those transposed back.
  SmallVector<std::pair<Value, Value>> replaced;
};

struct AssignLayouts final : impl::AssignLayoutsBase<AssignLayouts> {
  using Base::Base;

  void runOnOperation() override {
    for (auto func : getOperation().getOps<mlir::func::FuncOp>()) {
      if (func.isExternal())
        continue;
      Rewriter rewriter(func.getBody().front());
      rewriter.run();
      if (rewriter.moved > 0)
        remark::passed(func.getLoc(), remark::RemarkOpts::name("moved")
                                          .category("mpc-assign-layouts")
                                          .function(func.getName()))
            << llvm::formatv("{0} ops run with their channels last",
                             rewriter.moved)
                   .str();
    }
  }
};

} // namespace
