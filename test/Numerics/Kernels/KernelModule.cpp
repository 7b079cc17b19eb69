#include "KernelModule.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "mpc/Emit/RowEmitter.h"
#include "mpc/Target/Cpu.h"
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace mpc;
using namespace mpc::test;
using mlir::func::FuncOp;
using reference::Tensor;

namespace {
template <typename T>
void put(std::vector<unsigned char> &buffer, size_t i, T value) {
  std::memcpy(buffer.data() + i * sizeof(T), &value, sizeof(T));
}
template <typename T>
T take(const std::vector<unsigned char> &buffer, size_t i) {
  T value;
  std::memcpy(&value, buffer.data() + i * sizeof(T), sizeof(T));
  return value;
}

std::vector<unsigned char> toBytes(const Tensor &tensor) {
  std::vector<unsigned char> bytes(tensor.size() * getInfo(tensor.type).bytes);
  for (size_t i = 0; i < tensor.size(); ++i)
    switch (tensor.type) {
    case DType::F64:
      put(bytes, i, tensor.reals[i]);
      break;
    case DType::F32:
      put(bytes, i, float(tensor.reals[i]));
      break;
    case DType::F16:
      put(bytes, i, floatToHalf(float(tensor.reals[i])));
      break;
    case DType::BF16:
      put(bytes, i, floatToBFloat(float(tensor.reals[i])));
      break;
    case DType::I64:
      put(bytes, i, tensor.ints[i]);
      break;
    case DType::I32:
      put(bytes, i, int32_t(tensor.ints[i]));
      break;
    default:
      put(bytes, i, uint8_t(tensor.ints[i]));
      break;
    }
  return bytes;
}

Tensor fromBytes(const std::vector<unsigned char> &bytes, Type type) {
  Tensor tensor = Tensor::zeros(type);
  for (size_t i = 0; i < tensor.size(); ++i)
    switch (tensor.type) {
    case DType::F64:
      tensor.reals[i] = take<double>(bytes, i);
      break;
    case DType::F32:
      tensor.reals[i] = take<float>(bytes, i);
      break;
    case DType::F16:
      tensor.reals[i] = halfToFloat(take<uint16_t>(bytes, i));
      break;
    case DType::BF16:
      tensor.reals[i] = bfloatToFloat(take<uint16_t>(bytes, i));
      break;
    case DType::I64:
      tensor.ints[i] = take<int64_t>(bytes, i);
      break;
    case DType::I32:
      tensor.ints[i] = take<int32_t>(bytes, i);
      break;
    default:
      tensor.ints[i] = take<uint8_t>(bytes, i);
      break;
    }
  return tensor;
}
} // namespace

KernelModule::KernelModule(const std::string &text, const std::string &target) {
  context.loadDialect<mlir::func::FuncDialect, graph::GraphDialect>();
  original = mlir::parseSourceString<ModuleOp>(text, &context);
  if (!original)
    return;
  grouped = original->clone();
  mlir::PassManager passes(&context);
  passes.addPass(graph::createDecompose());
  passes.addPass(mlir::createCSEPass());
  passes.addPass(graph::createGroup());
  if (failed(passes.run(*grouped)))
    return;

  mlir::OwningOpRef<ModuleOp> kernels =
      ModuleOp::create(mlir::UnknownLoc::get(&context));
  OpBuilder builder = OpBuilder::atBlockEnd(kernels->getBody());
  bool emitted = true;
  grouped->walk([&](graph::GroupOp group) {
    std::string name = "k" + std::to_string(kernelNames.size());
    kernelNames[group] = name;
    auto function = group->getParentOfType<FuncOp>();
    emit::EmitOptions options;
    if (auto training =
            function->getAttrOfType<graph::TrainingAttr>(graph::kTrainingAttr))
      options.strictRounding = training.getRounding() == "strict";
    emitted &= succeeded(emit::emitKernel(builder, group, name, options));
  });
  if (!emitted)
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

std::vector<std::string> KernelModule::getNames() const {
  std::vector<std::string> names;
  for (FuncOp function : original.get().getOps<FuncOp>())
    names.push_back(function.getName().str());
  return names;
}

FuncOp KernelModule::getOriginal(const std::string &name) const {
  return original.get().lookupSymbol<FuncOp>(name);
}

void KernelModule::runGroup(graph::GroupOp group, RunOptions options) {
  auto shape = graph::KernelShape::get(group);
  std::vector<std::shared_ptr<Buffer>> results;
  for (Value result : group.getResults())
    results.push_back(
        std::make_shared<Buffer>(toBytes(Tensor::zeros(result.getType()))));
  if (options.inPlace) {
    DenseSet<unsigned> taken;
    DenseSet<unsigned> placed;
    for (auto [operand, result] : shape->inPlacePairs)
      if (!taken.contains(operand) && placed.insert(result).second) {
        taken.insert(operand);
        // A copy of the operand: others may still read it.
        results[result] =
            std::make_shared<Buffer>(*buffers[group.getInputs()[operand]]);
        buffers[group.getInputs()[operand]] = results[result];
      }
  }
  std::vector<void *> args;
  for (Value input : group.getInputs())
    args.push_back(buffers[input]->data());
  for (auto &buffer : results)
    args.push_back(buffer->data());
  auto kernel = reinterpret_cast<KernelFunction>(
      dlsym(library, kernelNames[group].c_str()));
  int64_t step = options.itemsPerCall ? options.itemsPerCall
                                      : std::max<int64_t>(shape->extent, 1);
  std::vector<int64_t> starts;
  for (int64_t lo = 0; lo < shape->extent; lo += step)
    starts.push_back(lo);
  if (options.backwards)
    std::reverse(starts.begin(), starts.end());
  for (int64_t lo : starts)
    kernel(args.data(), lo, std::min(lo + step, shape->extent));
  for (auto [value, buffer] : llvm::zip(group.getResults(), results))
    buffers[value] = buffer;
}

std::vector<Tensor> KernelModule::run(const std::string &name,
                                      const std::vector<Tensor> &arguments,
                                      RunOptions options) {
  auto function = grouped->lookupSymbol<FuncOp>(name);
  buffers.clear();
  for (auto [argument, tensor] : llvm::zip(function.getArguments(), arguments))
    buffers[argument] = std::make_shared<Buffer>(toBytes(tensor));
  // Operands that a kernel overwrites in place are read by later groups from
  // the buffer as it was.
  for (Operation &op : function.getBody().front().without_terminator()) {
    auto before = buffers;
    if (auto group = dyn_cast<graph::GroupOp>(op)) {
      runGroup(group, options);
      for (Value input : group.getInputs())
        buffers[input] = before[input];
    } else {
      buffers[op.getResult(0)] = buffers[op.getOperand(0)];
    }
  }
  std::vector<Tensor> results;
  for (Value result : function.getBody().front().getTerminator()->getOperands())
    results.push_back(fromBytes(*buffers[result], result.getType()));
  return results;
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
  std::vector<std::string> targets = {"x86-64-v3"};
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
    targets.push_back("x86-64-v4");
  return targets;
}
