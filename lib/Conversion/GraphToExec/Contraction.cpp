// Family Contraction: library groups become exec.matmul, with what follows the
// product inside the group as bias and epilogue, and what the library stores or
// sums besides as further outputs.
#include "mpc/Dialect/Graph/IR/Ops/Contraction.h"
#include "EntryBuilder.h"
#include "mpc/Dialect/Graph/IR/Ops/Group.h"
#include "mpc/Interfaces/Target.h"

using namespace mpc;

namespace {

/// What a library group computes, gathered from its body in order.
struct Product {
  graph::MatmulOp matmul;
  Value last; ///< The result so far.
  Value bias; ///< From outside, or null.
  exec::Epilogue epilogue = exec::Epilogue::None;
  Value storable;           ///< What the epilogue is applied to, if the
                            ///< library can store it.
  Value derivativeAt;       ///< From outside, or null: aux is read.
  ReductionOpInterface sum; ///< Of an operand, or null.
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
  case Epilogue::GeluTanhBackward:
    return exec::Epilogue::GeluTanh;
  }
  llvm_unreachable("all epilogues are listed");
}

bool isOutside(Value value) { return isa<mlir::BlockArgument>(value); }

/// Takes `tail`, which follows the product, a bias or both, into `product`.
bool absorbEpilogue(EpilogueOpInterface tail, Product &product) {
  std::optional<Epilogue> epilogue = tail.getEpilogue();
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
    return !product.bias && isOutside(product.derivativeAt);
  }
  if (*epilogue != Epilogue::Bias)
    return true;
  bool isFirst = !product.bias;
  product.bias = tail->getOperand(1);
  return isFirst && isOutside(product.bias);
}

/// Takes `op` into `product`, if the library can do it besides what is there:
/// the product, then a bias from outside, then one function; or the sum of an
/// operand.
bool absorb(Operation *op, Product &product) {
  if (auto matmul = dyn_cast<graph::MatmulOp>(op)) {
    bool isFirst = !product.matmul;
    product.matmul = matmul;
    product.last = matmul.getResult();
    return isFirst;
  }
  if (auto sum = dyn_cast<ReductionOpInterface>(op)) {
    bool isFirst = !product.sum;
    product.sum = sum;
    return isFirst && isOutside(sum->getOperand(0)) &&
           sum.getCombiner() == ReductionCombiner::Add;
  }
  auto tail = dyn_cast<EpilogueOpInterface>(op);
  return tail && product.matmul && absorbEpilogue(tail, product);
}

/// Which operand of the product the sum is of.
FailureOr<exec::BiasGradient> kindOfSum(const Product &product) {
  ReductionOpInterface sum = product.sum;
  graph::MatmulOp matmul = product.matmul;
  if (!sum)
    return exec::BiasGradient::None;
  for (unsigned index : {0, 1})
    if (matmul->getOperand(index) == sum->getOperand(0) &&
        matmul.getSummableDims(index) == sum.getReducedDims())
      return index == 0 ? exec::BiasGradient::OfLhs : exec::BiasGradient::OfRhs;
  return sum->emitError("expected the sum of an operand of the product over "
                        "the dim that it contracts");
}

FailureOr<Product> gather(graph::GroupOp group) {
  Product product;
  Block &body = group.getBody().front();
  for (Operation &op : body.without_terminator())
    if (!absorb(&op, product))
      return op.emitError("expected a matmul, then at most a bias row and a "
                          "function that the library knows, but got '")
             << op.getName() << "' in a library group";
  return product;
}

/// Null if there is no tail.
mlir::FlatSymbolRefAttr symbolOf(TailKernel tail) {
  return tail.kernel ? mlir::FlatSymbolRefAttr::get(tail.kernel)
                     : mlir::FlatSymbolRefAttr();
}

} // namespace

LogicalResult mpc::convertLibraryGroup(graph::GroupOp group,
                                       EntryBuilder &entry) {
  FailureOr<Product> product = gather(group);
  if (failed(product))
    return failure();
  FailureOr<exec::BiasGradient> sums = kindOfSum(*product);
  if (failed(sums))
    return failure();
  auto bufferOf = [&](Value inside) {
    auto argument = cast<mlir::BlockArgument>(inside);
    return entry.buffer(group.getInputs()[argument.getArgNumber()]);
  };
  Operation *yield = group.getBody().front().getTerminator();
  SmallVector<Value> yielded(yield->getOperands());
  // Allocates the result that is `inside`, if the group yields it.
  auto allocate = [&](Value inside) -> Value {
    auto found = llvm::find(yielded, inside);
    if (!inside || found == yielded.end())
      return nullptr;
    *found = nullptr;
    return entry.allocate(group.getResult(found - yielded.begin()));
  };

  graph::MatmulOp matmul = product->matmul;
  SmallVector<Value> read{matmul.getLhs(), matmul.getRhs()};
  for (Value value : {product->bias, product->derivativeAt})
    if (value)
      read.push_back(value);
  SmallVector<Value> inputs;
  for (Value value : read)
    inputs.push_back(bufferOf(value));
  SmallVector<Value> written{product->last};
  SmallVector<Value> outputs{allocate(product->last)};
  auto write = [&](Value inside) {
    written.push_back(inside);
    outputs.push_back(allocate(inside));
    return outputs.back();
  };
  bool stores =
      product->storable && llvm::is_contained(yielded, product->storable);
  Value aux = stores ? write(product->storable) : Value();
  if (product->sum)
    write(product->sum->getResult(0));
  bool isWhole = llvm::none_of(yielded, [](Value value) { return value; });
  if (!isWhole || llvm::is_contained(outputs, Value()))
    return yield->emitError("expected a library group to yield its last value, "
                            "what the library can store and nothing else");
  FailureOr<TailKernel> tail = TailKernel();
  if (graph::getTarget(group).mayLackEpilogues)
    tail =
        makeTailKernel(group, matmul.getResult(), read, written, entry.kernels);
  if (failed(tail))
    return failure();
  exec::MatmulOp::create(entry.builder, inputs, outputs,
                         matmul.getTransposeLhs(), matmul.getTransposeRhs(),
                         product->epilogue, static_cast<bool>(aux),
                         static_cast<bool>(product->derivativeAt), *sums,
                         symbolOf(*tail), tail->buffers);
  return success();
}
