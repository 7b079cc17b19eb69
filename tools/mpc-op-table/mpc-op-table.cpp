// Prints what each op of the graph dialect says of itself, one op a line, cells
// between bars: policy, PyTorch's word on CUDA and CPU, gradient, kernel kind.
// Everything is asked through interfaces, so a new op is listed by itself.
// docs/Ops.md is made from it.
#include "mpc/Dialect/Graph/IR/GraphOps.h"
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
  if (op.hasInterface<DecomposableOpInterface>())
    return "composite";
  if (op.hasInterface<LibraryCallOpInterface>())
    return "library call";
  return "none";
}

void printRow(RegisteredOperationName op) {
  auto *autocast = op.getInterface<AutocastOpInterface>();
  bool differentiable = op.hasInterface<DifferentiableOpInterface>();
  llvm::outs()
      << op.getStringRef() << " | "
      << stringifyAutocastPolicy(autocast->getAutocastPolicy()) << " | "
      << stringifyTorchPolicy(autocast->getTorchPolicy(TorchDevice::Cuda))
      << " | "
      << stringifyTorchPolicy(autocast->getTorchPolicy(TorchDevice::Cpu))
      << " | " << (differentiable ? "yes" : "no") << " | " << kernelKind(op)
      << "\n";
}
} // namespace

int main() {
  MLIRContext context;
  context.loadDialect<graph::GraphDialect>();
  for (RegisteredOperationName op : context.getRegisteredOperations())
    if (op.getDialectNamespace() == graph::GraphDialect::getDialectNamespace())
      printRow(op);
}
