#include "KernelModule.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mpc/Dialect/Graph/IR/Ops/Group.h"
#include "mpc/Emit/CpuEmitter.h"
#include "mpc/Target/Cpu.h"
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace mpc;
using namespace mpc::test;
using mlir::func::FuncOp;

KernelModule::KernelModule(const std::string &text, const std::string &target)
    : GroupedModule(text, "cpu") {
  mlir::OwningOpRef<ModuleOp> kernels =
      ModuleOp::create(mlir::UnknownLoc::get(&context));
  OpBuilder builder = OpBuilder::atBlockEnd(kernels->getBody());
  auto emitOne = [&](graph::GroupOp group, const std::string &name,
                     bool isStrict) -> LogicalResult {
    emit::CpuEmitOptions options;
    options.strictRounding = isStrict;
    options.streamedBytes = 256; // some of what is tested
    return emit::emitCpuKernel(builder, group, name, options);
  };
  if (failed(forEachGroup(emitOne)))
    return;
  target::CpuOptions options;
  options.targets = {target};
  options.threads = 2;
  auto code = target::compileCpuKernels(*kernels, options);
  if (succeeded(code))
    load(code->front().data);
}

bool KernelModule::load(const std::vector<uint8_t> &code) {
  file = memfd_create("kernels", MFD_CLOEXEC);
  if (write(file, code.data(), code.size()) != ssize_t(code.size()))
    return false;
  std::string path = "/proc/self/fd/" + std::to_string(file);
  library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  return library;
}

KernelModule::~KernelModule() {
  if (library)
    dlclose(library);
  if (file >= 0)
    close(file);
}

void KernelModule::runKernel(const std::string &name,
                             const graph::KernelShape &shape,
                             const std::vector<KernelBuffer> &buffers,
                             RunOptions options) {
  std::vector<void *> args;
  for (const KernelBuffer &buffer : buffers)
    args.push_back(buffer.bytes->data());
  auto kernel = reinterpret_cast<KernelFunction>(dlsym(library, name.c_str()));
  int64_t step = options.itemsPerCall ? options.itemsPerCall
                                      : std::max<int64_t>(shape.extent, 1);
  std::vector<int64_t> starts;
  for (int64_t lo = 0; lo < shape.extent; lo += step)
    starts.push_back(lo);
  if (options.backwards)
    std::reverse(starts.begin(), starts.end());
  for (int64_t lo : starts)
    kernel(args.data(), lo, std::min(lo + step, shape.extent));
}

KernelModule::OnlyKernel KernelModule::getOnlyKernel(const std::string &name) {
  auto function = grouped->lookupSymbol<FuncOp>(name);
  auto groups = llvm::to_vector(function.getOps<graph::GroupOp>());
  if (groups.size() != 1)
    return OnlyKernel();
  graph::GroupOp group = groups.front();
  OnlyKernel kernel;
  kernel.run = reinterpret_cast<KernelFunction>(
      dlsym(library, kernelNames[group].c_str()));
  kernel.shape = *graph::KernelShape::get(group);
  llvm::append_range(kernel.types, group.getOperandTypes());
  llvm::append_range(kernel.types, group.getResultTypes());
  return kernel;
}

std::vector<std::string> mpc::test::getMachineTargets() {
  std::vector<std::string> targets = {std::string(target::kV3)};
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
    targets.emplace_back(__builtin_cpu_supports("avx512bf16")
                             ? target::kV4WithBFloat
                             : target::kV4);
  return targets;
}
