// Compiles the kernels of graph functions and runs them, group by group, beside
// the reference interpreter.
#ifndef MPC_TEST_NUMERICS_KERNELS_KERNELMODULE_H
#define MPC_TEST_NUMERICS_KERNELS_KERNELMODULE_H

#include "Reference/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mpc/Dialect/Graph/Analysis/KernelShape.h"
#include <memory>
#include <string>
#include <vector>

namespace mpc::test {

using KernelFunction = void (*)(void *const *args, int64_t lo, int64_t hi);

/// How the work items of a kernel are handed out.
struct RunOptions {
  /// Items per call; 0: all at once.
  int64_t itemsPerCall = 0;
  /// Last range first.
  bool backwards = false;
  /// Give a result the buffer of the operand that the kernel may overwrite.
  bool inPlace = false;
};

class KernelModule {
public:
  /// Decomposes, groups, emits and compiles all functions of `text` for one
  /// instruction set. On failure `isValid` is false and a diagnostic was shown.
  KernelModule(const std::string &text, const std::string &target);
  ~KernelModule();

  bool isValid() const { return library != nullptr; }
  std::vector<std::string> getNames() const;
  /// The function as it was written.
  mlir::func::FuncOp getOriginal(const std::string &name) const;
  std::vector<reference::Tensor>
  run(const std::string &name, const std::vector<reference::Tensor> &arguments,
      RunOptions options);

  /// The kernel of a function that became one group; null if it did not.
  struct OnlyKernel {
    KernelFunction run = nullptr;
    graph::KernelShape shape;
    SmallVector<Type> types; ///< Of its operands, then of its results.
  };
  OnlyKernel getOnlyKernel(const std::string &name);

private:
  using Buffer = std::vector<unsigned char>;
  void runGroup(graph::GroupOp group, RunOptions options);
  bool load(const std::vector<uint8_t> &code);

  MLIRContext context;
  mlir::OwningOpRef<ModuleOp> original, grouped;
  DenseMap<Operation *, std::string> kernelNames;
  DenseMap<Value, std::shared_ptr<Buffer>> buffers;
  void *library = nullptr;
  int file = -1;
};

/// Instruction sets that this machine can run.
std::vector<std::string> getMachineTargets();

} // namespace mpc::test

#endif // MPC_TEST_NUMERICS_KERNELS_KERNELMODULE_H
