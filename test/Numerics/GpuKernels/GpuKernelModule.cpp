#include "GpuKernelModule.h"
#include "Emulation/MemoryChecker.h"
#include "mpc/Dialect/Graph/IR/Ops/Group.h"

using namespace mpc;
using namespace mpc::test;
using emulation::MemoryChecker;

static GpuDescription describe(StringRef arch) {
  auto [name, multiprocessors] = arch.split(':');
  GpuDescription gpu = *findGpu(name);
  if (!multiprocessors.empty())
    multiprocessors.getAsInteger(10, gpu.multiprocessors);
  return gpu;
}

GpuKernelModule::GpuKernelModule(const std::string &text,
                                 const std::string &arch, Edit edit)
    : GroupedModule(text, "cuda") {
  context.loadDialect<mlir::gpu::GPUDialect>();
  mlir::OwningOpRef<ModuleOp> holder =
      ModuleOp::create(mlir::UnknownLoc::get(&context));
  OpBuilder builder = OpBuilder::atBlockEnd(holder->getBody());
  auto module = mlir::gpu::GPUModuleOp::create(
      builder, mlir::UnknownLoc::get(&context), "kernels");
  builder.setInsertionPointToEnd(&module.getBodyRegion().front());
  GpuDescription gpu = describe(arch);
  auto emitOne = [&](graph::GroupOp group, const std::string &name,
                     bool isStrict) -> LogicalResult {
    emit::GpuEmitOptions options;
    options.gpu = &gpu;
    options.strictRounding = isStrict;
    auto kernel = emit::emitGpuKernel(builder, group, name, options);
    if (failed(kernel))
      return failure();
    kernels[name] = *kernel;
    return success();
  };
  if (failed(forEachGroup(emitOne)))
    return;
  if (edit)
    edit(module);
  auto object = emulation::compileKernels(module, {});
  if (succeeded(object))
    code = emulation::EmulatedCode::load(*object, runFailure);
}

void GpuKernelModule::runKernel(const std::string &name,
                                const graph::KernelShape &,
                                const std::vector<KernelBuffer> &buffers,
                                RunOptions options) {
  const emit::GpuKernel &kernel = kernels.at(name);
  Buffer workspace(kernel.workspaceBytes, 0xff);
  MemoryChecker checker;
  std::vector<void *> args;
  for (const KernelBuffer &buffer : buffers) {
    using enum MemoryChecker::Content;
    auto content = buffer.role == KernelBuffer::Role::Operand   ? ReadOnly
                   : buffer.role == KernelBuffer::Role::InPlace ? Written
                                                                : Unwritten;
    checker.addBuffer("buffer " + std::to_string(args.size()),
                      buffer.bytes->data(), buffer.bytes->size(), content);
    args.push_back(buffer.bytes->data());
  }
  if (kernel.workspaceBytes) {
    checker.addBuffer("workspace", workspace.data(), workspace.size(),
                      MemoryChecker::Content::Unwritten);
    args.push_back(workspace.data());
  }
  for (const emit::GpuStage &stage : kernel.stages)
    if (runFailure.empty())
      runFailure = code->run(stage.symbol,
                             {.grid = {stage.grid},
                              .block = {stage.block},
                              .sharedBytes = stage.sharedBytes,
                              .seed = options.seed,
                              .checker = &checker},
                             args.data());
}
