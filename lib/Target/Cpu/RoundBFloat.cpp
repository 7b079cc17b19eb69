#include "RoundBFloat.h"
#include "Lowering.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "mpc/Support/Assert.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace mpc;
using namespace mpc::target;
namespace arith = mlir::arith;
namespace func = mlir::func;

/// What kernels call, and the two that it may become.
static constexpr llvm::StringLiteral kRound = "mpc.round_to_bf16",
                                     kByIntegers = "mpc.round_to_bf16.integers",
                                     kByInstruction =
                                         "mpc.round_to_bf16.instruction";

Value ShapedConstants::integer(Type like, unsigned bits, int64_t value) const {
  auto element = builder.getIntegerType(bits);
  mlir::TypedAttr attr = builder.getIntegerAttr(element, value);
  if (auto vector = dyn_cast<mlir::VectorType>(like))
    attr = mlir::DenseElementsAttr::get(vector.clone(element),
                                        static_cast<Attribute>(attr));
  return arith::ConstantOp::create(builder, attr);
}

bool mpc::target::hasSixteenLanes(Type type) {
  auto vector = dyn_cast<mlir::VectorType>(type);
  return vector && vector.getNumElements() == 16 && vector.getRank() == 1;
}

// Add half of the last kept bit (and that bit itself on a tie), then drop the
// lower half.
Value mpc::target::roundByIntegers(mlir::ImplicitLocOpBuilder &b, Value value) {
  ShapedConstants constants{b};
  Type i32 = withElement(value.getType(), b.getI32Type());
  Type i16 = withElement(value.getType(), b.getI16Type());
  Value word = arith::BitcastOp::create(b, i32, value);
  Value sixteen = constants.integer(i32, 32, 16);
  Value upper = arith::ShRUIOp::create(b, word, sixteen);
  Value odd = arith::AndIOp::create(b, upper, constants.integer(i32, 32, 1));
  Value bias =
      arith::AddIOp::create(b, odd, constants.integer(i32, 32, 0x7fff));
  Value rounded = arith::AddIOp::create(b, word, bias);
  Value isNaN =
      arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, value, value);
  Value all = constants.integer(i32, 32, -1);
  Value bits = arith::ShRUIOp::create(
      b, arith::SelectOp::create(b, isNaN, all, rounded), sixteen);
  return arith::TruncIOp::create(b, i16, bits);
}

/// Whether a lane is one that VCVTNEPS2BF16 treats otherwise than integers do:
/// of a NaN it keeps bits, and a subnormal it flushes, whatever MXCSR says.
/// VFPCLASSPS does heed MXCSR (with DAZ a subnormal is a zero to it), so this
/// holds where threads run with plain arithmetic, as those of a session do.
static Value anyIsOther(mlir::ImplicitLocOpBuilder &b, Value value) {
  constexpr int32_t kQuietNaN = 0x01, kSubnormal = 0x20, kSignalingNaN = 0x80;
  Type flag = withElement(value.getType(), b.getI1Type());
  Value classes = arith::ConstantOp::create(
      b, b.getI32IntegerAttr(kQuietNaN | kSubnormal | kSignalingNaN));
  Value isOther =
      mlir::LLVM::CallIntrinsicOp::create(
          b, flag, b.getStringAttr("llvm.x86.avx512.fpclass.ps.512"),
          mlir::ValueRange{value, classes})
          .getResult(0);
  Value any = mlir::vector::ReductionOp::create(
      b, mlir::vector::CombiningKind::OR, isOther);
  Value no = arith::ConstantOp::create(b, b.getBoolAttr(false));
  return mlir::LLVM::CallIntrinsicOp::create(b, b.getI1Type(),
                                             b.getStringAttr("llvm.expect.i1"),
                                             mlir::ValueRange{any, no})
      .getResult(0);
}

static Value roundByInstruction(mlir::ImplicitLocOpBuilder &b, Value value) {
  Type i16 = withElement(value.getType(), b.getI16Type());
  Type bf16 = withElement(value.getType(), b.getBF16Type());
  auto rounded = mlir::scf::IfOp::create(
      b, anyIsOther(b, value),
      [&](mlir::OpBuilder &builder, mlir::Location loc) {
        mlir::ImplicitLocOpBuilder inside(loc, builder);
        mlir::scf::YieldOp::create(inside, roundByIntegers(inside, value));
      },
      [&](mlir::OpBuilder &builder, mlir::Location loc) {
        mlir::ImplicitLocOpBuilder inside(loc, builder);
        Value half = inHardware(arith::TruncFOp::create(inside, bf16, value));
        Value bits = arith::BitcastOp::create(inside, i16, half);
        mlir::scf::YieldOp::create(inside, bits);
      });
  return rounded.getResult(0);
}

Value mpc::target::callRounding(mlir::ImplicitLocOpBuilder &b, Value value) {
  Type i16 = withElement(value.getType(), b.getI16Type());
  return func::CallOp::create(b, kRound, i16, value).getResult(0);
}

void mpc::target::defineRoundings(ModuleOp module) {
  bool calls = module
                   ->walk([](func::CallOp call) {
                     return call.getCallee() == kRound
                                ? mlir::WalkResult::interrupt()
                                : mlir::WalkResult::advance();
                   })
                   .wasInterrupted();
  if (!calls)
    return;
  module.getContext()
      ->loadDialect<mlir::LLVM::LLVMDialect, mlir::scf::SCFDialect,
                    mlir::vector::VectorDialect>();
  auto b =
      mlir::ImplicitLocOpBuilder::atBlockEnd(module.getLoc(), module.getBody());
  auto type = b.getFunctionType(mlir::VectorType::get(16, b.getF32Type()),
                                mlir::VectorType::get(16, b.getI16Type()));
  func::FuncOp::create(b, kRound, type).setPrivate();
  auto define = [&](StringRef name, auto round) {
    auto function = func::FuncOp::create(b, name, type);
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(function.addEntryBlock());
    func::ReturnOp::create(b, round(b, function.getArgument(0)));
  };
  define(kByIntegers, roundByIntegers);
  define(kByInstruction, roundByInstruction);
}

bool mpc::target::isRounding(StringRef function) {
  return function == kByIntegers || function == kByInstruction;
}

void mpc::target::declareRounding(llvm::Module &module) {
  if (llvm::Function *called = module.getFunction(kRound)) {
    called->setDoesNotAccessMemory();
    called->setDoesNotThrow();
    called->setWillReturn();
    called->setSpeculatable();
  }
}

void mpc::target::inlineRounding(llvm::Module &module, bool takesInstruction) {
  // No call is left, and nothing of kRound, where all that is rounded is known.
  if (llvm::Function *called = module.getFunction(kRound)) {
    llvm::Function *taken =
        module.getFunction(takesInstruction ? kByInstruction : kByIntegers);
    for (llvm::User *user : llvm::make_early_inc_range(called->users())) {
      auto *call = llvm::cast<llvm::CallInst>(user);
      call->setCalledFunction(taken);
      llvm::InlineFunctionInfo info;
      bool inlined = llvm::InlineFunction(*call, info).isSuccess();
      MPC_ASSERT(inlined, "the function is known, and plain arithmetic");
    }
  }
  // Not all processors have the instructions of both.
  for (StringRef name :
       {StringRef(kRound), StringRef(kByIntegers), StringRef(kByInstruction)})
    if (llvm::Function *function = module.getFunction(name))
      function->eraseFromParent();
}

bool mpc::target::roundsVectorsToBFloat(Operation *kernel) {
  return kernel
      ->walk([](arith::TruncFOp op) {
        bool isOne = mlir::getElementTypeOrSelf(op.getType()).isBF16() &&
                     hasSixteenLanes(op.getType());
        return isOne ? mlir::WalkResult::interrupt()
                     : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}
