#include "EmulatedModule.h"
#include "EmitObject.h"
#include "Lowering.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mpc/Target/Cpu.h"
#include "llvm/IR/IRBuilder.h"

using namespace mpc;
using namespace mpc::emulation;

namespace {
/// As in EmulationTable.
constexpr const char *kEntries[] = {"barrier",   "shuffle",   "isShuffleValid",
                                    "blockSize", "gridSize",  "read",
                                    "write",     "copyLater", "awaitCopies"};

/// Gives each declared entry of the table a body that calls it.
void defineEntries(llvm::Module &module) {
  llvm::IRBuilder<> b(module.getContext());
  llvm::Type *pointer = b.getPtrTy();
  auto *table = new llvm::GlobalVariable(
      module, pointer, /*isConstant=*/false, llvm::GlobalValue::ExternalLinkage,
      llvm::ConstantPointerNull::get(b.getPtrTy()), "mpc_emulation");
  for (auto [number, entry] : llvm::enumerate(kEntries)) {
    llvm::Function *function =
        module.getFunction("emulation." + std::string(entry));
    if (!function)
      continue;
    function->setLinkage(llvm::GlobalValue::InternalLinkage);
    b.SetInsertPoint(
        llvm::BasicBlock::Create(module.getContext(), "", function));
    llvm::Value *slot = b.CreateConstGEP1_64(
        pointer, b.CreateLoad(pointer, table), uint64_t(number));
    llvm::Value *target = b.CreateLoad(pointer, slot);
    SmallVector<llvm::Value *> args;
    for (llvm::Argument &argument : function->args())
      args.push_back(&argument);
    llvm::Value *result =
        b.CreateCall(function->getFunctionType(), target, args);
    if (function->getReturnType()->isVoidTy())
      b.CreateRetVoid();
    else
      b.CreateRet(result);
  }
}

void defineLaunch(llvm::Module &module, const HostKernel &kernel) {
  uint64_t needs[] = {uint64_t(kernel.numArgs), uint64_t(kernel.sharedBytes)};
  auto *value = llvm::ConstantDataArray::get(module.getContext(), needs);
  new llvm::GlobalVariable(module, value->getType(), /*isConstant=*/true,
                           llvm::GlobalValue::ExternalLinkage, value,
                           kernel.name + ".launch");
}

llvm::Expected<std::vector<uint8_t>> makeObject(llvm::Module &module,
                                                const std::string &target) {
  auto object = target::emitObject(module, target);
  if (!object)
    return object.takeError();
  return target::linkObjects({*object}, target::findLinker());
}
} // namespace

FailureOr<std::vector<uint8_t>>
emulation::compileKernels(mlir::gpu::GPUModuleOp module,
                          const CompileOptions &options) {
  mlir::DialectRegistry registry;
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  module.getContext()->appendDialectRegistry(registry);

  mlir::OwningOpRef<ModuleOp> host = ModuleOp::create(module.getLoc());
  auto kernels = lowerKernels(module, *host, options.checksMemory);
  if (failed(kernels))
    return failure();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code;
  if (succeeded(target::expandMath(*host)) &&
      succeeded(target::expandStorageTypes(
          *host, target::BFloatRounding::ByIntegers)) &&
      succeeded(target::lowerToLLVM(*host)))
    code = mlir::translateModuleToLLVMIR(*host, context);
  if (!code)
    return module.emitError("cannot be lowered for the CPU"), failure();
  defineEntries(*code);
  for (const HostKernel &kernel : *kernels)
    defineLaunch(*code, kernel);
  auto object = makeObject(*code, options.target);
  if (!object)
    return module.emitError(llvm::toString(object.takeError())), failure();
  return std::move(*object);
}
