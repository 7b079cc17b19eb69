// The steps from a GPU kernel to a cubin, in order. Private to the CUDA target.
#ifndef MPC_LIB_TARGET_CUDA_LOWERING_H
#define MPC_LIB_TARGET_CUDA_LOWERING_H

#include "../Subprocess.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mpc/Interfaces/LLVM.h"
#include "mpc/Support/GpuDescription.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace mpc::target {

/// Loads the dialects that lowerToNVVM makes, so that it may run on several
/// modules of `context` at once, and what translation to LLVM IR needs.
void prepareForNVVM(MLIRContext &context);

/// Lowers the kernels of `module` to the NVVM dialect for `gpu`. Arguments
/// become bare pointers; memrefs have static shapes. Math functions become
/// calls of libdevice, but for sqrt, rsqrt and division, which round correctly.
/// On failure an error was emitted at the op that has no lowering.
LogicalResult lowerToNVVM(mlir::gpu::GPUModuleOp module,
                          const GpuDescription &gpu);

/// Vector arithmetic in forms of fewer instructions.
void populateLanePatterns(RewritePatternSet &patterns);

/// Functions of f32 that may be approximated.
void populateApproximations(const mlir::LLVMTypeConverter &converter,
                            RewritePatternSet &patterns);

/// Error at the first conversion between f8 and another type that `gpu` has no
/// instruction for.
LogicalResult checkF8(mlir::gpu::GPUModuleOp module, const GpuDescription &gpu);

/// Conversions between vectors or scalars of f8 and of f16, bf16, f32 as the
/// instructions of pairs. Values out of range become the largest of f8.
void populateF8Patterns(const mlir::LLVMTypeConverter &converter,
                        RewritePatternSet &patterns);

/// Optimises `module` and returns its PTX for `arch`. `libdevice` is bitcode;
/// what is called of it becomes part of the module. Names that are local to the
/// module begin with `prefix`.
llvm::Expected<std::string> emitPtx(llvm::Module &module, llvm::StringRef arch,
                                    llvm::MemoryBufferRef libdevice,
                                    llvm::StringRef prefix);

/// One PTX module of several, all of one version, target and address size.
std::string joinPtx(ArrayRef<StringRef> modules);

/// What `ptxas --version` prints.
llvm::Expected<std::string> ptxasVersion(const std::string &ptxas);

/// The cubin of `ptx`. Where a kernel would keep values in memory so that more
/// than one block fits a multiprocessor, `ptx` is changed to ask for one block.
llvm::Expected<Bytes> assemble(std::string &ptx, StringRef arch,
                               const std::string &ptxas);

/// The kernels that, as `ptxas -v` says in `log`, keep values in memory.
SmallVector<StringRef> spillingKernels(StringRef log);

/// Lets the kernel `name` of `ptx` have all registers of a multiprocessor.
/// False if it could already, or is not there.
bool relaxRegisters(std::string &ptx, StringRef name);

} // namespace mpc::target

#endif // MPC_LIB_TARGET_CUDA_LOWERING_H
