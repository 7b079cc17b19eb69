// Kernel functions -> LLVM dialect, and the wrapper with the kernel ABI.
#include "Lowering.h"
#include "RoundBFloat.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Affine/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/Passes.h"

using namespace mpc;
using namespace mpc::target;
namespace LLVM = mlir::LLVM;

/// Whether `function` stores past the caches. Such stores are not in the order
/// of those by which a worker says that it is done.
static bool streams(LLVM::LLVMFuncOp function) {
  return function
      .walk([](LLVM::StoreOp store) {
        return store.getNontemporal() ? mlir::WalkResult::interrupt()
                                      : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// Renames `inner`, hides it, and puts a function of its old name with the
/// kernel ABI before it:
///   void name(ptr args, i64 lo, i64 hi) { inner(args[0], ..., lo, hi); }
static void addWrapper(LLVM::LLVMFuncOp inner) {
  mlir::ImplicitLocOpBuilder b(inner.getLoc(), inner);
  std::string name = inner.getName().str();
  inner.setName(name + ".body");
  inner.setLinkage(LLVM::Linkage::Internal);
  inner.setAlwaysInline(true);

  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  Type i64 = b.getI64Type();
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(b.getContext()), {pointer, i64, i64});
  auto wrapper = LLVM::LLVMFuncOp::create(b, name, type);
  Block *entry = wrapper.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  SmallVector<Value> operands;
  unsigned pointers = inner.getNumArguments() - 2;
  for (unsigned i = 0; i < pointers; ++i) {
    Value slot = LLVM::GEPOp::create(b, pointer, pointer, entry->getArgument(0),
                                     ArrayRef<LLVM::GEPArg>{int32_t(i)});
    operands.push_back(LLVM::LoadOp::create(b, pointer, slot));
  }
  operands.push_back(entry->getArgument(1));
  operands.push_back(entry->getArgument(2));
  LLVM::CallOp::create(b, inner, operands);
  if (streams(inner))
    LLVM::CallIntrinsicOp::create(b, b.getStringAttr("llvm.x86.sse.sfence"),
                                  ValueRange());
  LLVM::ReturnOp::create(b, ValueRange{});
}

LoweringToLLVM::LoweringToLLVM(mlir::MLIRContext *context)
    : passes(context, ModuleOp::getOperationName()) {
  passes.enableVerifier(false);
  passes.addPass(mlir::createCanonicalizerPass());
  passes.addPass(mlir::createCSEPass());
  passes.addPass(mlir::createSCFToControlFlowPass());
  passes.addPass(mlir::memref::createExpandStridedMetadataPass());
  passes.addPass(mlir::createLowerAffinePass());
  passes.addPass(mlir::createConvertVectorToLLVMPass());
  passes.addPass(
      mlir::createConvertMathToLLVMPass({/*approximateLog1p=*/false}));
  passes.addPass(mlir::createFinalizeMemRefToLLVMConversionPass());
  passes.addPass(mlir::createArithToLLVMConversionPass());
  passes.addPass(mlir::createConvertIndexToLLVMPass());
  mlir::ConvertFuncToLLVMPassOptions barePointers;
  barePointers.useBarePtrCallConv = true;
  passes.addPass(mlir::createConvertFuncToLLVMPass(barePointers));
  passes.addPass(mlir::createConvertControlFlowToLLVMPass());
  passes.addPass(mlir::createUBToLLVMConversionPass());
  passes.addPass(mlir::createReconcileUnrealizedCastsPass());
}

LogicalResult LoweringToLLVM::run(ModuleOp module) {
  if (failed(passes.run(module)))
    return failure();
  for (auto function : llvm::to_vector(module.getOps<LLVM::LLVMFuncOp>()))
    if (isRounding(function.getName())) {
      function.setLinkage(LLVM::Linkage::Internal);
      function.setAlwaysInline(true);
    } else if (!function.isExternal()) {
      addWrapper(function);
    }
  return success();
}

LogicalResult mpc::target::lowerToLLVM(ModuleOp module) {
  return LoweringToLLVM(module.getContext()).run(module);
}
