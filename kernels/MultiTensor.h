// Multi-tensor kernels: one launch works on a whole list of tensors. What each
// computes is said in Program.fbs (table MultiTensor) and, as code, by its
// reference in AdamW.cu, Sgd.cu and UnscaleL2Norm.cu.
//
// The list is fixed when a program is loaded, so all work of the host is done
// then, once:
//
//   Result<Launch> launch = plan(op, counts, arguments, multiprocessors);
//   void *table = <launch->table.size() bytes of the device, aligned to 256>;
//   <copy launch->table to it>;
//   launch->setTable(table);
//
// and a step launches, or a graph holds a kernel node of,
//
//   launch->function, launch->grid, launch->block, launch->kernelParameters()
//
// The table holds the pointers, cut into chunks of about equal size, and the
// workspace of the kernel. A launch leaves it as it was, so it can run any
// number of times; two runs of one launch must not overlap.
//
// No CUDA here: kernels are addresses. They are those of device code where
// mpc_kernels is linked, and of ordinary functions (see test/Kernels) where the
// emulated kernels are.
#ifndef MPC_KERNELS_MULTITENSOR_H
#define MPC_KERNELS_MULTITENSOR_H

#include "kernels/Parameters.h"
#include "mpc/Support/DType.h"
#include "mpc/Support/Status.h"
#include <optional>
#include <span>
#include <vector>

namespace mpc::kernels {

/// The numbers are those of the program file.
enum class Kind : uint8_t { UnscaleL2Norm = 0, AdamW = 1, Sgd = 2 };

/// One operation on lists of tensors; fields as in Program.fbs.
struct MultiTensor {
  Kind kind = Kind::UnscaleL2Norm;
  DType gradientType = DType::F32;    ///< F32, F16 or BF16
  std::optional<DType> copyType = {}; ///< F16 or BF16
  bool hasFoundInf = false, hasScale = false, hasCoefficient = false;
  double beta1 = 0, beta2 = 0, epsilon = 0, weightDecay = 0;
  double momentum = 0; ///< of Sgd; there are buffers if it is not 0
  bool nesterov = false;

  /// Pointers that the operation takes for a list of `tensors` tensors.
  size_t argumentCount(size_t tensors) const;
};

/// A planned operation: a kernel and all that it needs.
struct Launch {
  const void *function = nullptr; ///< for cudaKernelNodeParams::func
  uint32_t grid = 0, block = 0;   ///< no dynamic shared memory
  std::vector<uint8_t> table;     ///< to be copied to the device, once
  Parameters parameters = {};     ///< the only argument of the kernel

  /// Says where the table is. Before that the launch must not run.
  void setTable(void *device);
  /// For cudaLaunchKernel and cudaKernelNodeParams; valid while this lives.
  void **kernelParameters();

private:
  void *addresses[1] = {};
};

/// Plans `op` on tensors of counts[i] elements. `arguments` are the pointers in
/// the order of Program.fbs; the kernel reads and writes there. Each must be
/// aligned to its element, no more; accesses are of 16 bytes where a tensor's
/// pointers allow it together. A result is the memory of its operand, or
/// overlaps nothing. The grid depends on `multiprocessors`, and so does the
/// order of sums.
/// InvalidArgument: a type that no kernel has, or a wrong number of arguments.
Result<Launch> plan(const MultiTensor &op, std::span<const uint64_t> counts,
                    std::span<void *const> arguments, uint32_t multiprocessors);

/// At least the bytes of the table that `plan` will make, whatever the
/// pointers: for who plans memory first.
uint64_t maxTableBytes(const MultiTensor &op, std::span<const uint64_t> counts,
                       uint32_t multiprocessors);

/// The same operation in plain C++, on host pointers, one element at a time:
/// what the kernels are checked against. `op` must be one that `plan` takes.
void runReference(const MultiTensor &op, std::span<const uint64_t> counts,
                  std::span<void *const> arguments);

} // namespace mpc::kernels

#endif // MPC_KERNELS_MULTITENSOR_H
