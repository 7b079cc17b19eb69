// Prints what each op of the graph dialect says of itself, one op a line, cells
// between bars: policy, the words of PyTorch on CUDA and on CPU, of Apex O1 and
// of TensorFlow for fp16 and bf16, gradient, kernel kind.
// Everything is asked through interfaces, so a new op is listed by itself.
// docs/Ops.md is made from it.
#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"
#include "llvm/Support/raw_ostream.h"

using namespace mpc;
using mlir::RegisteredOperationName;

namespace {
/// What becomes kernel code, in the words of KernelOpInterfaces.h; "none" for
/// frames, constants and collectives.
StringRef kernelKind(RegisteredOperationName op) {
  if (op.hasInterface<KernelBodyOpInterface>())
    return "elementwise";
  if (op.hasInterface<ReductionOpInterface>())
    return "reduction";
  if (op.hasInterface<MovementOpInterface>())
    return "movement";
  if (op.hasInterface<LibraryCallOpInterface>())
    return "library call";
  if (op.hasInterface<DecomposableOpInterface>())
    return "composite";
  return "none";
}

void printRow(RegisteredOperationName op) {
  auto *autocast = op.getInterface<AutocastOpInterface>();
  SmallVector<StringRef> cells = {
      op.getStringRef(),
      stringifyAutocastPolicy(autocast->getAutocastPolicy())};
  for (TorchLists lists : {TorchLists::Cuda, TorchLists::Cpu, TorchLists::Apex})
    cells.push_back(stringifyTorchPolicy(autocast->getTorchPolicy(lists)));
  for (TensorFlowLists lists : {TensorFlowLists::Fp16, TensorFlowLists::Bf16})
    cells.push_back(
        stringifyTensorFlowPolicy(autocast->getTensorFlowPolicy(lists)));
  bool differentiable = op.hasInterface<DifferentiableOpInterface>();
  cells.push_back(differentiable ? "yes" : "no");
  cells.push_back(kernelKind(op));
  llvm::interleave(cells, llvm::outs(), " | ");
  llvm::outs() << "\n";
}
} // namespace

int main() {
  MLIRContext context;
  context.loadDialect<graph::GraphDialect>();
  for (RegisteredOperationName op : context.getRegisteredOperations())
    if (op.getDialectNamespace() == graph::GraphDialect::getDialectNamespace())
      printRow(op);
}
