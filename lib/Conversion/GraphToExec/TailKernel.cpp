// What a library call does after its product (a bias, a function), as a kernel:
// for devices whose library turns out to have no algorithm for both
// together. The kernel reads the plain product where the result goes, and
// overwrites it.
#include "EntryBuilder.h"
#include "mlir/IR/IRMapping.h"
#include "mpc/Dialect/Graph/IR/Ops/Group.h"
#include "mpc/Support/Assert.h"

using namespace mpc;

namespace {

/// Neither the plain call nor a movement of its operands.
bool isBeside(Operation *op, const PlainCall &plain) {
  return op != plain.product.getDefiningOp() && op != plain.addition &&
         !isa<MovementOpInterface>(op);
}

/// The ops of `group` beside the plain call, in a group of their own that reads
/// `operands` and yields `results`, values in the body of `group` without the
/// addition.
graph::GroupOp cloneTail(graph::GroupOp group, const PlainCall &plain,
                         ArrayRef<Value> operands, ArrayRef<Value> results) {
  OpBuilder builder(group.getContext());
  Block &source = group.getBody().front();
  auto tail = graph::GroupOp::create(builder, group.getLoc(),
                                     TypeRange(ValueRange(results)), operands,
                                     graph::GroupKind::Row);
  Block &body = tail.getBody().emplaceBlock();
  mlir::IRMapping inside;
  for (Value operand : operands)
    inside.map(operand, body.addArgument(operand.getType(), operand.getLoc()));
  builder.setInsertionPointToEnd(&body);
  for (Operation &op : source.without_terminator())
    if (&op == plain.addition)
      inside.map(op.getResult(0), inside.lookupOrDefault(plain.sum));
    else if (isBeside(&op, plain))
      builder.clone(op, inside);
  SmallVector<Value> yielded;
  for (Value result : results)
    yielded.push_back(inside.lookup(result));
  graph::YieldOp::create(builder, group.getLoc(), yielded);
  return tail;
}

/// What the ops after the plain call read from outside of them.
llvm::SetVector<Value> operandsOf(graph::GroupOp group,
                                  const PlainCall &plain) {
  llvm::SetVector<Value> operands;
  for (Operation &op : group.getBody().front().without_terminator())
    for (Value operand : op.getOperands()) {
      Value read = plain.withoutAddition(operand);
      if (isBeside(&op, plain) &&
          (read == plain.product || isa<mlir::BlockArgument>(read)))
        operands.insert(read);
    }
  return operands;
}

} // namespace

FailureOr<TailKernel> mpc::makeTailKernel(graph::GroupOp group,
                                          const PlainCall &plain,
                                          ArrayRef<Value> inputs,
                                          ArrayRef<Value> outputs,
                                          KernelTable &kernels) {
  auto body = group.getBody().front().without_terminator();
  if (llvm::none_of(body, [&](Operation &op) { return isBeside(&op, plain); }))
    return TailKernel{};
  // The plain product lies in the first output; beside that it may be asked for
  // as what a function is applied to.
  SmallVector<Value> results = llvm::map_to_vector(
      outputs, [&](Value output) { return plain.withoutAddition(output); });
  llvm::SetVector<Value> operands = operandsOf(group, plain);
  if (llvm::is_contained(results, plain.product))
    operands.insert(plain.product);

  graph::GroupOp tail =
      cloneTail(group, plain, operands.getArrayRef(), results);
  FailureOr<exec::KernelOp> kernel = kernels.get(tail);
  tail->erase();
  if (failed(kernel))
    return failure();
  TailKernel made{*kernel, {}};
  int64_t first = inputs.size();
  for (Value operand : operands) {
    const Value *input = llvm::find(inputs, operand);
    bool isProduct = operand == plain.product;
    MPC_ASSERT(isProduct || input != inputs.end(),
               "the call reads all of what its tail reads");
    made.buffers.push_back(isProduct ? first : input - inputs.begin());
  }
  for (int64_t number = 0; number < int64_t(outputs.size()); ++number)
    made.buffers.push_back(first + number);
  return made;
}
