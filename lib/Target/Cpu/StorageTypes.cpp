// f16 and bf16 as i16: the integer forms of narrow floats.
#include "Lowering.h"
#include "RoundBFloat.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mpc;
using namespace mpc::target;
namespace arith = mlir::arith;

namespace {

bool isNarrowFloat(Type type) { return type.isF16() || type.isBF16(); }

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

/// bf16 bits -> f32: the upper half of the word.
Value extendBFloat(mlir::ImplicitLocOpBuilder &b, Value bits) {
  ShapedConstants constants{b};
  Type i32 = withElement(bits.getType(), b.getI32Type());
  Value word = arith::ExtUIOp::create(b, i32, bits);
  word = arith::ShLIOp::create(b, word, constants.integer(i32, 32, 16));
  return arith::BitcastOp::create(b, withElement(i32, b.getF32Type()), word);
}

/// f64 -> f32 such that rounding the f32 again to a narrower format gives the
/// same as rounding the f64 once: round to odd.
Value truncateToOdd(mlir::ImplicitLocOpBuilder &b, Value value) {
  ShapedConstants constants{b};
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
                  BFloatRounding rounding)
      : OpConversionPattern(converter, context), rounding(rounding) {}

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
      bool calls = rounding == BFloatRounding::ByCalls &&
                   hasSixteenLanes(value.getType());
      rewriter.replaceOp(op, calls ? callRounding(b, value)
                                   : roundByIntegers(b, value));
      return success();
    }
    Value half = inHardware(arith::TruncFOp::create(b, op.getType(), value));
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(
        op, withElement(half.getType(), b.getI16Type()), half);
    return success();
  }

private:
  BFloatRounding rounding;
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

LogicalResult mpc::target::expandStorageTypes(ModuleOp module,
                                              BFloatRounding rounding) {
  MLIRContext *context = module.getContext();
  StorageTypeConverter converter;
  mlir::ConversionTarget target(*context);
  target.markUnknownOpDynamicallyLegal([&](Operation *op) {
    // What we made ourselves touches narrow floats where hardware does.
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
  patterns.add<TruncatePattern>(converter, context, rounding);
  if (failed(mlir::applyFullConversion(module, target, std::move(patterns))))
    return failure();
  defineRoundings(module);
  return success();
}
