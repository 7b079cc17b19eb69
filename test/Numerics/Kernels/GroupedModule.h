// Graph functions as groups, run kernel by kernel beside the reference
// interpreter. What a kernel is, a derived class knows: compiled for the CPU
// (KernelModule.h) or for a GPU and emulated (GpuKernels/GpuKernelModule.h).
#ifndef MPC_TEST_NUMERICS_KERNELS_GROUPEDMODULE_H
#define MPC_TEST_NUMERICS_KERNELS_GROUPEDMODULE_H

#include "Reference/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mpc/Dialect/Graph/Analysis/KernelShape.h"
#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"
#include <memory>
#include <new>
#include <string>
#include <vector>

namespace mpc::graph {
class GroupOp;
} // namespace mpc::graph

namespace mpc::test {

/// How the kernels of a function are run. The numbers must not depend on it.
struct RunOptions {
  /// Give a result the buffer of the operand that the kernel may overwrite.
  bool inPlace = false;
  /// On the CPU: work items per call; 0: all at once.
  int64_t itemsPerCall = 0;
  /// On the CPU: last range first.
  bool backwards = false;
  /// On a GPU: of the order of threads.
  uint64_t seed = 1;
};

/// Aligns as the planner aligns buffers.
template <typename T> struct BufferAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{256};
  BufferAllocator() = default;
  template <typename U> BufferAllocator(const BufferAllocator<U> &) {}
  T *allocate(size_t count) {
    return static_cast<T *>(operator new(count * sizeof(T), kAlignment));
  }
  void deallocate(T *memory, size_t) { operator delete(memory, kAlignment); }
  bool operator==(const BufferAllocator &) const = default;
};
using Buffer = std::vector<unsigned char, BufferAllocator<unsigned char>>;

struct KernelBuffer {
  enum class Role { Operand, Result, InPlace };
  Buffer *bytes;
  Role role;
};

class GroupedModule {
public:
  virtual ~GroupedModule();

  /// Whether everything compiled; if not, a diagnostic was shown.
  virtual bool isValid() const = 0;
  std::vector<std::string> getNames() const;
  /// The function as it was written.
  mlir::func::FuncOp getOriginal(const std::string &name) const;
  std::vector<reference::Tensor>
  run(const std::string &name, const std::vector<reference::Tensor> &arguments,
      RunOptions options);
  /// What went wrong in the last run, or "".
  const std::string &getFailure() const { return runFailure; }

protected:
  /// Decomposes and groups all functions of `text`.
  /// Groups as `target` ("cpu" or "cuda") has it.
  GroupedModule(const std::string &text, const std::string &target);
  /// Calls `emit` with each group, the name of its kernel, and whether it
  /// rounds strictly, until that fails.
  LogicalResult
  forEachGroup(llvm::function_ref<LogicalResult(graph::GroupOp,
                                                const std::string &, bool)>
                   emit);
  /// Runs a kernel on the buffers of its operands and results. Sets
  /// `runFailure` if that cannot be done.
  virtual void runKernel(const std::string &name,
                         const graph::KernelShape &shape,
                         const std::vector<KernelBuffer> &buffers,
                         RunOptions options) = 0;

  MLIRContext context;
  mlir::OwningOpRef<ModuleOp> original, grouped;
  DenseMap<Operation *, std::string> kernelNames;
  std::string runFailure;

private:
  void runGroup(graph::GroupOp group, RunOptions options);

  DenseMap<Value, std::shared_ptr<Buffer>> buffers;
};

} // namespace mpc::test

#endif // MPC_TEST_NUMERICS_KERNELS_GROUPEDMODULE_H
