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

namespace {
/// Puts functions with the kernel ABI before a lowered kernel function:
///   void name(ptr args, i64 lo, i64 hi) { inner(args[0], ..., lo, hi); }
/// or, where kernels share it, one that they call with their numbers:
///   void shared(ptr args, i64 lo, i64 hi, ptr numbers) {
///     inner(args[0], ..., lo, hi, numbers[0], ...);
///   }
///   void name(ptr args, i64 lo, i64 hi) { shared(args, lo, hi, {64, 256}); }
class Wrapper {
public:
  /// Hides `inner`, and gives it another name. The last `numbers` of its
  /// arguments are numbers.
  Wrapper(LLVM::LLVMFuncOp inner, unsigned numbers);

  void addAlone(StringRef name);
  void addShared(ArrayRef<KernelEntry> entries);

private:
  LLVM::LLVMFuncOp start(const Twine &name, bool takesNumbers);
  void callInner(LLVM::LLVMFuncOp wrapper);
  SmallVector<Value> load(Value array, Type type, unsigned count);
  void addEntry(const KernelEntry &entry, LLVM::LLVMFuncOp shared);

  LLVM::LLVMFuncOp inner;
  mlir::ImplicitLocOpBuilder b;
  unsigned numbers;
  Type pointer, i64;
};
} // namespace

Wrapper::Wrapper(LLVM::LLVMFuncOp inner, unsigned numbers)
    : inner(inner), b(inner.getLoc(), inner), numbers(numbers),
      pointer(LLVM::LLVMPointerType::get(b.getContext())), i64(b.getI64Type()) {
  inner.setName(inner.getName().str() + ".body");
  inner.setLinkage(LLVM::Linkage::Internal);
  inner.setAlwaysInline(true);
}

/// A function of the kernel ABI, and the builder in it.
LLVM::LLVMFuncOp Wrapper::start(const Twine &name, bool takesNumbers) {
  SmallVector<Type> types{pointer, i64, i64};
  if (takesNumbers)
    types.push_back(pointer);
  b.setInsertionPoint(inner);
  auto wrapper = LLVM::LLVMFuncOp::create(
      b, name.str(),
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                  types));
  b.setInsertionPointToStart(wrapper.addEntryBlock(b));
  return wrapper;
}

SmallVector<Value> Wrapper::load(Value array, Type type, unsigned count) {
  SmallVector<Value> values;
  for (unsigned i = 0; i < count; ++i) {
    Value slot = LLVM::GEPOp::create(b, pointer, type, array,
                                     ArrayRef<LLVM::GEPArg>{int32_t(i)});
    values.push_back(LLVM::LoadOp::create(b, type, slot));
  }
  return values;
}

void Wrapper::callInner(LLVM::LLVMFuncOp wrapper) {
  unsigned pointers = inner.getNumArguments() - 2 - numbers;
  SmallVector<Value> operands = load(wrapper.getArgument(0), pointer, pointers);
  operands.push_back(wrapper.getArgument(1));
  operands.push_back(wrapper.getArgument(2));
  if (numbers)
    operands.append(load(wrapper.getArgument(3), i64, numbers));
  LLVM::CallOp::create(b, inner, operands);
  if (streams(inner))
    LLVM::CallIntrinsicOp::create(b, b.getStringAttr("llvm.x86.sse.sfence"),
                                  ValueRange());
  LLVM::ReturnOp::create(b, ValueRange{});
}

void Wrapper::addAlone(StringRef name) {
  callInner(start(name, /*takesNumbers=*/false));
}

void Wrapper::addEntry(const KernelEntry &entry, LLVM::LLVMFuncOp shared) {
  mlir::func::FuncOp function = entry.function;
  auto wrapper = start(function.getName(), /*takesNumbers=*/false);
  SmallVector<Value> operands(wrapper.getArguments());
  if (numbers) {
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(wrapper);
    auto type = mlir::RankedTensorType::get({int64_t(numbers)}, i64);
    auto constants = LLVM::GlobalOp::create(
        b, LLVM::LLVMArrayType::get(i64, numbers), /*isConstant=*/true,
        LLVM::Linkage::Internal, (function.getName() + ".numbers").str(),
        mlir::DenseElementsAttr::get(type, ArrayRef(entry.numbers)));
    b.setInsertionPointToStart(&wrapper.getBody().front());
    operands.push_back(LLVM::AddressOfOp::create(b, constants));
  }
  b.setInsertionPointToEnd(&wrapper.getBody().front());
  auto call = LLVM::CallOp::create(b, shared, operands);
  call.setTailCallKind(LLVM::TailCallKind::Tail);
  LLVM::ReturnOp::create(b, ValueRange{});
}

void Wrapper::addShared(ArrayRef<KernelEntry> entries) {
  mlir::func::FuncOp first = entries[0].function;
  auto shared = start(first.getName() + ".shared", numbers != 0);
  shared.setLinkage(LLVM::Linkage::Internal);
  shared.setNoInline(true);
  callInner(shared);
  for (const KernelEntry &entry : entries)
    addEntry(entry, shared);
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

static SmallVector<LLVM::LLVMFuncOp> kernelsOf(ModuleOp module) {
  return llvm::to_vector(llvm::make_filter_range(
      module.getOps<LLVM::LLVMFuncOp>(), [](LLVM::LLVMFuncOp function) {
        return !function.isExternal() && !isRounding(function.getName());
      }));
}

LogicalResult LoweringToLLVM::run(ModuleOp module) {
  if (failed(passes.run(module)))
    return failure();
  for (LLVM::LLVMFuncOp kernel : kernelsOf(module)) {
    std::string name = kernel.getName().str();
    Wrapper(kernel, /*numbers=*/0).addAlone(name);
  }
  return success();
}

LogicalResult LoweringToLLVM::run(ModuleOp module, const KernelSet &set) {
  if (set.entries.size() == 1)
    return run(module);
  if (failed(passes.run(module)))
    return failure();
  for (LLVM::LLVMFuncOp code : kernelsOf(module))
    Wrapper(code, set.entries[0].numbers.size()).addShared(set.entries);
  return success();
}

LogicalResult mpc::target::lowerToLLVM(ModuleOp module) {
  return LoweringToLLVM(module.getContext()).run(module);
}
