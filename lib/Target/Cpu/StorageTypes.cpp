// f16 and bf16 as i16: the integer forms of narrow floats.
#include "Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mpc;
namespace arith = mlir::arith;

namespace {

/// Marks the conversions between f16 and f32 that one instruction does.
constexpr StringRef kInHardware = "mpc.in_hardware";

template <typename ConversionOp> Value inHardware(ConversionOp op) {
  op->setAttr(kInHardware, mlir::UnitAttr::get(op.getContext()));
  return op;
}

bool isNarrowFloat(Type type) { return type.isF16() || type.isBF16(); }

/// `shape` (a vector or scalar type) with another element type.
Type withElement(Type shape, Type element) {
  if (auto vector = dyn_cast<mlir::VectorType>(shape))
    return vector.clone(element);
  return element;
}

struct StorageTypeConverter : mlir::TypeConverter {
  StorageTypeConverter() {
    addConversion([](Type type) { return type; });
    addConversion([](FloatType type) -> Type {
      return isNarrowFloat(type) ? IntegerType::get(type.getContext(), 16)
                                 : Type(type);
    });
    addConversion([this](mlir::VectorType type) -> Type {
      return type.clone(convertType(type.getElementType()));
    });
    addConversion([this](mlir::MemRefType type) -> Type {
      return mlir::MemRefType::Builder(type).setElementType(
          convertType(type.getElementType()));
    });
  }
};

/// Integer and float constants shaped like `like`.
struct Constants {
  mlir::ImplicitLocOpBuilder &builder;

  Value integer(Type like, unsigned bits, int64_t value) const {
    auto element = builder.getIntegerType(bits);
    mlir::TypedAttr attr = builder.getIntegerAttr(element, value);
    if (auto vector = dyn_cast<mlir::VectorType>(like))
      attr = mlir::DenseElementsAttr::get(vector.clone(element),
                                          static_cast<Attribute>(attr));
    return arith::ConstantOp::create(builder, attr);
  }
};

/// bf16 bits -> f32: the upper half of the word.
Value extendBFloat(mlir::ImplicitLocOpBuilder &b, Value bits) {
  Constants constants{b};
  Type i32 = withElement(bits.getType(), b.getI32Type());
  Value word = arith::ExtUIOp::create(b, i32, bits);
  word = arith::ShLIOp::create(b, word, constants.integer(i32, 32, 16));
  return arith::BitcastOp::create(b, withElement(i32, b.getF32Type()), word);
}

/// f32 -> bf16 bits, nearest even: add half of the last kept bit (and that bit
/// itself on a tie), then drop the lower half. Of NaN all bits are set: that is
/// one instruction less than to keep its own.
Value truncateToBFloat(mlir::ImplicitLocOpBuilder &b, Value value) {
  Constants constants{b};
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

/// What one register of AVX-512 holds.
bool isRegisterOfFloats(Type type) {
  auto vector = dyn_cast<mlir::VectorType>(type);
  return vector && vector.getNumElements() == 16 && vector.getRank() == 1;
}

/// The same by AVX512-BF16 (VCVTNEPS2BF16), but for what it does otherwise.
Value truncateInHardware(mlir::ImplicitLocOpBuilder &b, Value value) {
  constexpr int32_t kQuietNaN = 0x01, kSubnormal = 0x20, kSignalingNaN = 0x80;
  Type flag = withElement(value.getType(), b.getI1Type());
  Type i16 = withElement(value.getType(), b.getI16Type());
  Type bf16 = withElement(value.getType(), b.getBF16Type());
  Value classes = arith::ConstantOp::create(
      b, b.getI32IntegerAttr(kQuietNaN | kSubnormal | kSignalingNaN));
  Value isOther =
      mlir::LLVM::CallIntrinsicOp::create(
          b, flag, b.getStringAttr("llvm.x86.avx512.fpclass.ps.512"),
          mlir::ValueRange{value, classes})
          .getResult(0);
  Value anyOther = mlir::vector::ReductionOp::create(
      b, mlir::vector::CombiningKind::OR, isOther);
  Value no = arith::ConstantOp::create(b, b.getBoolAttr(false));
  anyOther = mlir::LLVM::CallIntrinsicOp::create(
                 b, b.getI1Type(), b.getStringAttr("llvm.expect.i1"),
                 mlir::ValueRange{anyOther, no})
                 .getResult(0);
  auto rounded = mlir::scf::IfOp::create(
      b, anyOther,
      [&](mlir::OpBuilder &builder, mlir::Location loc) {
        mlir::ImplicitLocOpBuilder inside(loc, builder);
        mlir::scf::YieldOp::create(inside, truncateToBFloat(inside, value));
      },
      [&](mlir::OpBuilder &builder, mlir::Location loc) {
        mlir::ImplicitLocOpBuilder inside(loc, builder);
        Value half = inHardware(arith::TruncFOp::create(inside, bf16, value));
        Value bits = arith::BitcastOp::create(inside, i16, half);
        mlir::scf::YieldOp::create(inside, bits);
      });
  return rounded.getResult(0);
}

/// f64 -> f32 such that rounding the f32 again to a narrower format gives the
/// same as rounding the f64 once: round to odd.
Value truncateToOdd(mlir::ImplicitLocOpBuilder &b, Value value) {
  Constants constants{b};
  Type f32 = withElement(value.getType(), b.getF32Type());
  Type i32 = withElement(value.getType(), b.getI32Type());
  Value nearest = arith::TruncFOp::create(b, f32, value);
  Value back = arith::ExtFOp::create(b, value.getType(), nearest);
  Value bits = arith::BitcastOp::create(b, i32, nearest);
  Value one = constants.integer(i32, 32, 1);
  // Inexact results get an odd last bit, on the side towards the true value.
  Value inexact =
      arith::CmpFOp::create(b, arith::CmpFPredicate::ONE, back, value);
  Value isEven = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                       arith::AndIOp::create(b, bits, one),
                                       constants.integer(i32, 32, 0));
  Value tooBig = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT,
                                       mlir::math::AbsFOp::create(b, back),
                                       mlir::math::AbsFOp::create(b, value));
  Value down = arith::SubIOp::create(b, bits, one);
  Value up = arith::AddIOp::create(b, bits, one);
  Value odd = arith::SelectOp::create(b, tooBig, down, up);
  Value change = arith::AndIOp::create(b, inexact, isEven);
  bits = arith::SelectOp::create(b, change, odd, bits);
  return arith::BitcastOp::create(b, f32, bits);
}

/// arith.extf from a narrow float.
struct ExtendPattern final : mlir::OpConversionPattern<arith::ExtFOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::ExtFOp op, OpAdaptor adaptor,
                  mlir::ConversionPatternRewriter &rewriter) const override {
    mlir::ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type narrow = mlir::getElementTypeOrSelf(op.getIn().getType());
    if (!isNarrowFloat(narrow))
      return rewriter.notifyMatchFailure(op, "operand is no narrow float");
    Value bits = adaptor.getIn();
    Type f32 = withElement(bits.getType(), b.getF32Type());
    Value value;
    if (narrow.isBF16()) {
      value = extendBFloat(b, bits);
    } else {
      Value half =
          arith::BitcastOp::create(b, withElement(f32, b.getF16Type()), bits);
      value = inHardware(arith::ExtFOp::create(b, f32, half));
    }
    if (op.getType() != f32)
      value = arith::ExtFOp::create(b, op.getType(), value);
    rewriter.replaceOp(op, value);
    return success();
  }
};

/// arith.truncf to a narrow float.
struct TruncatePattern final : mlir::OpConversionPattern<arith::TruncFOp> {
  TruncatePattern(const mlir::TypeConverter &converter, MLIRContext *context,
                  bool roundsBFloat)
      : OpConversionPattern(converter, context), roundsBFloat(roundsBFloat) {}

  LogicalResult
  matchAndRewrite(arith::TruncFOp op, OpAdaptor adaptor,
                  mlir::ConversionPatternRewriter &rewriter) const override {
    mlir::ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type narrow = mlir::getElementTypeOrSelf(op.getType());
    if (!isNarrowFloat(narrow))
      return rewriter.notifyMatchFailure(op, "result is no narrow float");
    Value value = adaptor.getIn();
    if (mlir::getElementTypeOrSelf(value.getType()).isF64())
      value = truncateToOdd(b, value);
    if (narrow.isBF16()) {
      bool takesOne = roundsBFloat && isRegisterOfFloats(value.getType());
      rewriter.replaceOp(op, takesOne ? truncateInHardware(b, value)
                                      : truncateToBFloat(b, value));
      return success();
    }
    Value half = inHardware(arith::TruncFOp::create(b, op.getType(), value));
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(
        op, withElement(half.getType(), b.getI16Type()), half);
    return success();
  }

private:
  bool roundsBFloat;
};

/// Narrow float constants become their bits.
struct ConstantPattern final : mlir::OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::ConstantOp op, OpAdaptor,
                  mlir::ConversionPatternRewriter &rewriter) const override {
    Type i16 = rewriter.getI16Type();
    auto bitsOf = [](const llvm::APFloat &value) {
      return value.bitcastToAPInt();
    };
    mlir::TypedAttr bits;
    if (auto elements = dyn_cast<mlir::DenseFPElementsAttr>(op.getValue()))
      bits = elements.mapValues(i16, bitsOf);
    else if (auto value = dyn_cast<mlir::FloatAttr>(op.getValue()))
      bits = rewriter.getIntegerAttr(i16, bitsOf(value.getValue()));
    else
      return rewriter.notifyMatchFailure(op, "not a float constant");
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, bits);
    return success();
  }
};

/// Any other op only carries the bits: same op on the storage types.
struct CarryPattern final : mlir::ConversionPattern {
  CarryPattern(const mlir::TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), /*benefit=*/0,
                          context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  mlir::ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertTypes(op->getResultTypes(), types)))
      return rewriter.notifyMatchFailure(op, "result types do not convert");
    mlir::OperationState state(op->getLoc(), op->getName());
    state.addOperands(operands);
    state.addTypes(types);
    state.addSuccessors(op->getSuccessors());
    state.attributes = op->getDiscardableAttrDictionary();
    state.propertiesAttr = op->getPropertiesAsAttribute();
    for (Region &region : op->getRegions()) {
      Region *moved = state.addRegion();
      rewriter.inlineRegionBefore(region, *moved, moved->end());
      if (failed(rewriter.convertRegionTypes(moved, *getTypeConverter())))
        return failure();
    }
    rewriter.replaceOp(op, rewriter.create(state)->getResults());
    return success();
  }
};

} // namespace

bool mpc::target::roundsVectorsToBFloat(Operation *kernel) {
  return kernel
      ->walk([](arith::TruncFOp op) {
        bool isOne = mlir::getElementTypeOrSelf(op.getType()).isBF16() &&
                     isRegisterOfFloats(op.getType());
        return isOne ? mlir::WalkResult::interrupt()
                     : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult mpc::target::expandStorageTypes(ModuleOp module,
                                              bool roundsBFloat) {
  MLIRContext *context = module.getContext();
  if (roundsBFloat)
    context->loadDialect<mlir::LLVM::LLVMDialect, mlir::scf::SCFDialect,
                         mlir::vector::VectorDialect>();
  StorageTypeConverter converter;
  mlir::ConversionTarget target(*context);
  target.markUnknownOpDynamicallyLegal([&](Operation *op) {
    // What we made ourselves still touches f16, but no bf16.
    if (isa<arith::BitcastOp>(op) || op->hasAttr(kInHardware))
      return true;
    if (auto function = dyn_cast<mlir::func::FuncOp>(op))
      return converter.isSignatureLegal(function.getFunctionType());
    return converter.isLegal(op);
  });
  RewritePatternSet patterns(context);
  mlir::populateFunctionOpInterfaceTypeConversionPattern<mlir::func::FuncOp>(
      patterns, converter);
  patterns.add<ExtendPattern, ConstantPattern, CarryPattern>(converter,
                                                             context);
  patterns.add<TruncatePattern>(converter, context, roundsBFloat);
  return mlir::applyFullConversion(module, target, std::move(patterns));
}
