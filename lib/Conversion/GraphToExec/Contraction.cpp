// Family Contraction: library groups become exec.matmul, with what follows the
// product inside the group as bias and epilogue.
#include "EntryBuilder.h"

using namespace mpc;

namespace {

/// What a library group computes, gathered from its body in order.
struct Product {
  graph::MatmulOp matmul;
  Value bias;
  exec::Epilogue epilogue = exec::Epilogue::None;
  Value last; ///< The result so far.
};

/// The function of the program that `epilogue` is; a bias is none.
exec::Epilogue functionOf(Epilogue epilogue) {
  switch (epilogue) {
  case Epilogue::Bias:
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
  }
  llvm_unreachable("all epilogues are listed");
}

/// Takes `op` into `product`, if the library can do it behind what is there:
/// the product, then a bias from outside, then one function.
bool absorb(Operation *op, Product &product) {
  if (auto matmul = dyn_cast<graph::MatmulOp>(op)) {
    bool isFirst = !product.matmul;
    product.matmul = matmul;
    return isFirst;
  }
  auto tail = dyn_cast<EpilogueOpInterface>(op);
  std::optional<Epilogue> epilogue;
  if (tail && product.matmul && product.epilogue == exec::Epilogue::None &&
      op->getOperand(0) == product.last)
    epilogue = tail.getEpilogue();
  if (!epilogue || !product.matmul.supportsEpilogue(*epilogue))
    return false;
  product.epilogue = functionOf(*epilogue);
  if (*epilogue != Epilogue::Bias)
    return true;
  bool isFirst = !product.bias;
  product.bias = op->getOperand(1);
  return isFirst && isa<mlir::BlockArgument>(product.bias);
}

FailureOr<Product> gather(graph::GroupOp group) {
  Product product;
  Block &body = group.getBody().front();
  for (Operation &op : body.without_terminator()) {
    if (!absorb(&op, product))
      return op.emitError("expected a matmul, then at most a bias row and a "
                          "function that the library knows, but got '")
             << op.getName() << "' in a library group";
    product.last = op.getResult(0);
  }
  Operation *yield = body.getTerminator();
  if (yield->getNumOperands() != 1 || yield->getOperand(0) != product.last)
    return yield->emitError("expected a library group to yield its last value "
                            "only, but it yields ")
           << yield->getNumOperands() << " values";
  return product;
}

} // namespace

LogicalResult mpc::convertLibraryGroup(graph::GroupOp group,
                                       EntryBuilder &entry) {
  FailureOr<Product> product = gather(group);
  if (failed(product))
    return failure();
  auto bufferOf = [&](Value inside) {
    auto argument = cast<mlir::BlockArgument>(inside);
    return entry.buffer(group.getInputs()[argument.getArgNumber()]);
  };
  graph::MatmulOp matmul = product->matmul;
  SmallVector<Value> inputs{bufferOf(matmul.getLhs()),
                            bufferOf(matmul.getRhs())};
  if (product->bias)
    inputs.push_back(bufferOf(product->bias));
  exec::MatmulOp::create(
      entry.builder, inputs, entry.allocate(group.getResult(0)),
      matmul.getTransposeLhs(), matmul.getTransposeRhs(), product->epilogue);
  return success();
}
