// Compiles the text of kernel functions for this machine and loads them.
#ifndef MPC_TEST_TARGET_CPU_KERNELCODE_H
#define MPC_TEST_TARGET_CPU_KERNELCODE_H

#include "mpc/Target/Cpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

namespace mpc::target {

using KernelFunction = void (*)(void *const *args, int64_t lo, int64_t hi);

class KernelCode {
public:
  KernelCode() {
    context.loadDialect<mlir::func::FuncDialect, mlir::arith::ArithDialect,
                        mlir::math::MathDialect, mlir::memref::MemRefDialect,
                        mlir::scf::SCFDialect, mlir::vector::VectorDialect>();
  }
  ~KernelCode() {
    for (void *library : libraries)
      dlclose(library);
    for (int file : files)
      close(file);
  }
  KernelCode(const KernelCode &) = delete;

  mlir::OwningOpRef<ModuleOp> parse(const std::string &text) {
    return mlir::parseSourceString<ModuleOp>(text, &context);
  }

  /// Kernel "k" of `text`, for one target; null if that failed. The machine of
  /// every test has x86-64-v3; v4 is run where the machine has it.
  KernelFunction compile(const std::string &text,
                         const std::string &target = "x86-64-v3") {
    auto module = parse(text);
    if (!module)
      return nullptr;
    CpuOptions options;
    options.targets = {target};
    auto code = compileCpuKernels(*module, options);
    if (failed(code))
      return nullptr;
    return load((*code)[0].data, "k");
  }

  /// Function `name` of a shared object; null if it cannot be loaded.
  KernelFunction load(const std::vector<uint8_t> &data, const char *name) {
    int file = memfd_create("kernels", MFD_CLOEXEC);
    // Kept open: dlopen takes two libraries of one path for the same.
    files.push_back(file);
    if (write(file, data.data(), data.size()) != ssize_t(data.size()))
      return nullptr;
    std::string path = "/proc/self/fd/" + std::to_string(file);
    void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library)
      return nullptr;
    libraries.push_back(library);
    return reinterpret_cast<KernelFunction>(dlsym(library, name));
  }

  static std::vector<std::string> machineTargets() {
    std::vector<std::string> targets = {std::string(kV3)};
    if (__builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq"))
      targets.emplace_back(kV4);
    if (targets.back() == kV4 && __builtin_cpu_supports("avx512bf16"))
      targets.emplace_back(kV4WithBFloat);
    return targets;
  }

  MLIRContext context;

private:
  std::vector<void *> libraries;
  std::vector<int> files;
};

} // namespace mpc::target

#endif // MPC_TEST_TARGET_CPU_KERNELCODE_H
