// What a library call does after its product (a bias, a function, sums), as a
// kernel: for devices whose library turns out to have no algorithm for both
// together. The kernel reads the plain product where the result goes, and
// overwrites it.
#include "EntryBuilder.h"
#include "mlir/IR/IRMapping.h"
#include "mpc/Dialect/Graph/IR/Ops/Group.h"
#include "mpc/Support/Assert.h"

using namespace mpc;

namespace {

/// Neither the product nor a movement of its operands.
bool isBeside(Operation *op, Value product) {
  return op != product.getDefiningOp() && !isa<MovementOpInterface>(op);
}

/// The ops of `group` beside the product, in a group of their own that reads
/// `operands` and yields `results`, values in the body of `group`. Sums are
/// over the leading dims.
graph::GroupOp cloneTail(graph::GroupOp group, Value product,
                         ArrayRef<Value> operands, ArrayRef<Value> results) {
  OpBuilder builder(group.getContext());
  Block &source = group.getBody().front();
  bool sums = !source.getOps<ReductionOpInterface>().empty();
  auto tail = graph::GroupOp::create(
      builder, group.getLoc(), TypeRange(ValueRange(results)), operands,
      sums ? graph::GroupKind::Column : graph::GroupKind::Row);
  Block &body = tail.getBody().emplaceBlock();
  mlir::IRMapping inside;
  for (Value operand : operands)
    inside.map(operand, body.addArgument(operand.getType(), operand.getLoc()));
  builder.setInsertionPointToEnd(&body);
  for (Operation &op : source.without_terminator())
    if (isBeside(&op, product))
      builder.clone(op, inside);
  SmallVector<Value> yielded;
  for (Value result : results)
    yielded.push_back(inside.lookup(result));
  graph::YieldOp::create(builder, group.getLoc(), yielded);
  return tail;
}

/// What the ops after the product read from outside of them.
llvm::SetVector<Value> operandsOf(graph::GroupOp group, Value product) {
  llvm::SetVector<Value> operands;
  for (Operation &op : group.getBody().front().without_terminator())
    for (Value operand : op.getOperands())
      if (isBeside(&op, product) &&
          (operand == product || isa<mlir::BlockArgument>(operand)))
        operands.insert(operand);
  return operands;
}

} // namespace

FailureOr<TailKernel> mpc::makeTailKernel(graph::GroupOp group, Value product,
                                          ArrayRef<Value> inputs,
                                          ArrayRef<Value> outputs,
                                          KernelTable &kernels) {
  auto body = group.getBody().front().without_terminator();
  if (llvm::none_of(body,
                    [&](Operation &op) { return isBeside(&op, product); }))
    return TailKernel{};
  // The plain product lies in the first output; beside that it may be asked for
  // as what a function is applied to.
  SmallVector<Value> results(outputs);
  bool isPlain = results.front() == product;
  if (isPlain)
    results.erase(results.begin());
  if (results.empty())
    return TailKernel{};
  llvm::SetVector<Value> operands = operandsOf(group, product);
  if (llvm::is_contained(results, product))
    operands.insert(product);

  graph::GroupOp tail =
      cloneTail(group, product, operands.getArrayRef(), results);
  FailureOr<exec::KernelOp> kernel = kernels.get(tail);
  tail->erase();
  if (failed(kernel))
    return failure();
  TailKernel made{*kernel, {}};
  int64_t first = inputs.size();
  for (Value operand : operands) {
    const Value *input = llvm::find(inputs, operand);
    MPC_ASSERT(operand == product || input != inputs.end(),
               "the call reads all of what its tail reads");
    made.buffers.push_back(operand == product ? first : input - inputs.begin());
  }
  for (auto [number, output] : llvm::enumerate(outputs))
    if (number > 0 || !isPlain)
      made.buffers.push_back(first + int64_t(number));
  return made;
}
