// Groups with a matrix product become calls of that kind, with what follows the
// product inside the group as bias and epilogue, and what the library stores
// besides as a further output.
#include "CallBuilder.h"
#include "mpc/Dialect/Graph/IR/Ops/Contraction.h"
#include "mpc/Dialect/Graph/IR/Ops/Group.h"
#include "mpc/Interfaces/Target.h"

using namespace mpc;

namespace {

/// What a library group computes, gathered from its body in order.
struct Product {
  graph::MatmulOp matmul;
  Value last; ///< The result so far.
  Value bias; ///< From outside, or null.
  PlainCall plain = {};
  Value addend; ///< The same, of `plain.addition`.
  exec::Epilogue epilogue = exec::Epilogue::None;
  Value storable;     ///< What the epilogue is applied to, if the library can
                      ///< store it.
  Value derivativeAt; ///< From outside, or null: aux is read.
};

/// The function of the program that `epilogue` is; bias and addend are none.
exec::Epilogue functionOf(Epilogue epilogue) {
  switch (epilogue) {
  case Epilogue::Bias:
  case Epilogue::Addend:
    return exec::Epilogue::None;
  case Epilogue::Relu:
    return exec::Epilogue::Relu;
  case Epilogue::GeluErf:
    return exec::Epilogue::GeluErf;
  case Epilogue::GeluTanh:
    return exec::Epilogue::GeluTanh;
  case Epilogue::Tanh:
    return exec::Epilogue::Tanh;
  case Epilogue::Sigmoid:
    return exec::Epilogue::Sigmoid;
  case Epilogue::GeluTanhBackward:
    return exec::Epilogue::GeluTanh;
  }
  llvm_unreachable("all epilogues are listed");
}

bool isOutside(Value value) { return isa<mlir::BlockArgument>(value); }

/// Takes `add`, which follows the product or a bias, into `product`.
bool absorbAddend(Operation *add, Product &product) {
  bool isFirst = !product.plain.addition;
  bool isLeft = add->getOperand(0) == product.last;
  product.addend = add->getOperand(isLeft ? 1 : 0);
  product.plain.addition = add;
  product.plain.sum = product.last;
  bool isOn = llvm::count(add->getOperands(), product.last) == 1;
  product.last = add->getResult(0);
  return isFirst && isOn && isOutside(product.addend);
}

/// Takes `tail`, which follows the product, a bias or more, into `product`.
bool absorbEpilogue(EpilogueOpInterface tail, Product &product) {
  std::optional<Epilogue> epilogue = tail.getEpilogue();
  if (epilogue == Epilogue::Addend)
    return product.epilogue == exec::Epilogue::None &&
           product.matmul.supportsEpilogue(graph::getTarget(tail), *epilogue) &&
           absorbAddend(tail, product);
  if (!epilogue || product.epilogue != exec::Epilogue::None ||
      tail->getOperand(0) != product.last ||
      !product.matmul.supportsEpilogue(graph::getTarget(tail), *epilogue))
    return false;
  const TargetDescription &target = graph::getTarget(tail);
  int64_t columns = product.matmul.getType().getShape().back();
  product.storable =
      target.canStoreInputOf(*epilogue, columns) ? product.last : Value();
  product.last = tail->getResult(0);
  product.epilogue = functionOf(*epilogue);
  if (*epilogue == Epilogue::GeluTanhBackward) {
    product.derivativeAt = tail->getOperand(1);
    return !product.bias && !product.addend && isOutside(product.derivativeAt);
  }
  if (*epilogue != Epilogue::Bias)
    return true;
  bool isFirst = !product.bias;
  product.bias = tail->getOperand(1);
  return isFirst && isOutside(product.bias);
}

/// Takes `op` into `product`, if the library can do it besides what is there:
/// movements of operands, the product, then a bias and an addend from outside,
/// then one function.
bool absorb(Operation *op, Product &product) {
  if (auto matmul = dyn_cast<graph::MatmulOp>(op)) {
    bool isFirst = !product.matmul;
    product.matmul = matmul;
    product.last = product.plain.product = matmul.getResult();
    return isFirst;
  }
  if (isa<MovementOpInterface>(op))
    return !product.matmul; // a matter of strides, see findMatrix
  auto tail = dyn_cast<EpilogueOpInterface>(op);
  return tail && product.matmul && absorbEpilogue(tail, product);
}

FailureOr<Product> gather(graph::GroupOp group) {
  Product product;
  Block &body = group.getBody().front();
  for (Operation &op : body.without_terminator())
    if (!absorb(&op, product))
      return op.emitError("expected a matmul, then at most a bias row, another "
                          "tensor and a function that the library knows, but "
                          "got '")
             << op.getName() << "' in a library group";
  return product;
}

/// A matrix as it is read: the last two dims swapped if `isTransposed`, and the
/// batch dims of `result`, those that broadcast with stride 0.
FailureOr<CallBuilder::Operand> findMatrix(CallBuilder &call, Value matrix,
                                           bool isTransposed,
                                           ArrayRef<int64_t> result) {
  FailureOr<CallBuilder::Operand> operand = call.find(matrix);
  if (failed(operand))
    return failure();
  StridedShape &lies = operand->lies;
  if (isTransposed) {
    std::swap(lies.shape.end()[-1], lies.shape.end()[-2]);
    std::swap(lies.strides.end()[-1], lies.strides.end()[-2]);
  }
  size_t missing = result.size() - lies.shape.size();
  lies.shape.insert(lies.shape.begin(), missing, 1);
  lies.strides.insert(lies.strides.begin(), missing, 0);
  for (auto [i, dim] : llvm::enumerate(result.drop_back(2)))
    if (lies.shape[i] != dim) {
      lies.shape[i] = dim;
      lies.strides[i] = 0;
    }
  return operand;
}

} // namespace

bool mpc::isMatmul(Operation *op) { return isa<graph::MatmulOp>(op); }

LogicalResult mpc::convertMatmul(graph::GroupOp group, EntryBuilder &entry) {
  using program::OperandRole;
  FailureOr<Product> product = gather(group);
  if (failed(product))
    return failure();
  graph::MatmulOp matmul = product->matmul;
  ArrayRef<int64_t> shape = matmul.getType().getShape();
  CallBuilder call(group, entry);
  FailureOr<CallBuilder::Operand> lhs = findMatrix(call, matmul.getLhs(),
                                                   matmul.getTransposeLhs(),
                                                   shape),
                                  rhs = findMatrix(call, matmul.getRhs(),
                                                   matmul.getTransposeRhs(),
                                                   shape);
  if (failed(lhs) || failed(rhs))
    return failure();
  call.read(OperandRole::Lhs, *lhs);
  call.read(OperandRole::Rhs, *rhs);
  if (product->bias)
    call.read(OperandRole::Bias, product->bias);
  if (product->addend)
    call.read(OperandRole::Addend, product->addend);
  if (product->derivativeAt)
    call.read(OperandRole::Aux, product->derivativeAt);
  call.write(OperandRole::Result, product->last);
  Operation *yield = group.getBody().front().getTerminator();
  if (product->storable &&
      llvm::is_contained(yield->getOperands(), product->storable))
    call.write(OperandRole::Aux, product->storable);
  auto kind = exec::MatmulAttr::get(group.getContext(), product->epilogue,
                                    static_cast<bool>(product->derivativeAt));
  return call.create(kind, product->plain);
}
