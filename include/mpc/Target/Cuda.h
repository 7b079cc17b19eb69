// The CUDA target: gpu.func kernels in, cubins and PTX out, on a machine that
// needs no GPU and no driver. The CUDA toolkit (libdevice, ptxas) is found by
// option, environment, PATH or its usual folder; LLVM's NVPTX back end writes
// the PTX, ptxas the cubins.
//
//   gpu.module of kernels (lib/Emit)
//     NVVM dialect, LLVM IR with libdevice at O3, PTX    per kernel, cached
//     several kernels to a module, ptxas                 per module, cached
//
// Nothing here aborts: what LLVM or ptxas would die of is checked before, and
// is a diagnostic.
#ifndef MPC_TARGET_CUDA_H
#define MPC_TARGET_CUDA_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mpc/Emit/GpuEmitter.h"
#include "mpc/Target/ArtifactCache.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace mpc::target {

/// Where the toolkit is.
struct CudaToolkit {
  std::string folder; ///< "/usr/local/cuda"
  std::string ptxas;  ///< "" if there is none: then only PTX can be made
  std::string libdevice;
  /// `folder` if given, else $CUDA_HOME, $CUDA_ROOT, $CUDA_PATH, the folder of
  /// nvcc or ptxas on the PATH, /usr/local/cuda. `ptxas` may be overridden by
  /// $MPC_PTXAS. Without libdevice: an error that lists the places looked at.
  static llvm::Expected<CudaToolkit> find(const std::string &folder = "");
};

struct CudaOptions {
  /// Architectures: "sm_80", "sm_90", ...; each is in knownGpus().
  std::vector<std::string> archs = {"sm_90"};
  CudaToolkit toolkit;
  /// Of compiled kernels, which other processes may use too.
  ArtifactCache cache;
  /// Threads that compile; 0: as many as the machine has cores.
  unsigned threads = 0;
};

/// A kernel to compile for one architecture.
struct CudaKernel {
  unsigned number; ///< of the program
  emit::GpuKernel launch;
};

/// The kernels of a program emitted for one architecture.
struct CudaKernels {
  std::string arch;
  mlir::gpu::GPUModuleOp module; ///< holds the gpu.func of every stage
  std::vector<CudaKernel> kernels;
};

/// One compiled module: some of the kernels.
struct CudaCode {
  std::string arch;
  std::vector<CudaKernel> kernels;
  std::vector<uint8_t> cubin; ///< empty without ptxas
  std::string ptx;
};

struct CudaStatistics {
  unsigned kernelsCompiled = 0, kernelsFromCache = 0; ///< to PTX
  unsigned modulesAssembled = 0, modulesFromCache = 0;
};

/// Compiles the kernels of every element. Same input, same bytes. On failure a
/// diagnostic was emitted at the kernel; of ptxas, with the command and what it
/// printed.
FailureOr<std::vector<CudaCode>>
compileCudaKernels(ArrayRef<CudaKernels> kernels, const CudaOptions &options,
                   CudaStatistics *statistics = nullptr);

} // namespace mpc::target

#endif // MPC_TARGET_CUDA_H
