// Conversions between f8 and wider floats. The hardware has them for pairs:
// from two f32, and to two f16.
//
// No op of the graph has f8 tensors yet. Recipes for f8 (a scale per tensor,
// from the largest magnitudes of earlier steps or of this one) will: their
// casts in front of products come here.
#include "Lowering.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mpc;
namespace arith = mlir::arith;
namespace LLVM = mlir::LLVM;
namespace NVVM = mlir::NVVM;

static bool isF8(Type type) {
  Type element = mlir::getElementTypeOrSelf(type);
  return isa<mlir::Float8E4M3FNType, mlir::Float8E5M2Type>(element);
}

/// Elements of `type`: a scalar or a vector of one dimension; else nothing.
static std::optional<int64_t> countOf(Type type) {
  auto vector = dyn_cast<mlir::VectorType>(type);
  if (!vector)
    return 1;
  if (vector.getRank() != 1 || vector.isScalable())
    return std::nullopt;
  return vector.getNumElements();
}

namespace {

/// Builds LLVM ops on scalars and vectors.
struct Builder : mlir::ImplicitLocOpBuilder {
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;

  Value index(int64_t value) {
    return LLVM::ConstantOp::create(*this, getI32IntegerAttr(value));
  }
  Value extract(Value vector, int64_t at) {
    return LLVM::ExtractElementOp::create(*this, vector, index(at));
  }
  Value insert(Value vector, Value element, int64_t at) {
    return LLVM::InsertElementOp::create(*this, vector, element, index(at));
  }
  Value undefined(Type element, int64_t count) {
    return LLVM::UndefOp::create(*this, mlir::VectorType::get(count, element));
  }
  Value bitcast(Type type, Value value) {
    return LLVM::BitcastOp::create(*this, type, value);
  }
};

/// arith.truncf to f8.
struct TruncatePattern final : mlir::ConvertOpToLLVMPattern<arith::TruncFOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(arith::TruncFOp op, OpAdaptor adaptor,
                  mlir::ConversionPatternRewriter &rewriter) const override {
    Type from = mlir::getElementTypeOrSelf(op.getIn());
    Type to = mlir::getElementTypeOrSelf(op.getType());
    auto count = countOf(op.getType());
    // Through f32, f64 would be rounded twice.
    if (!isF8(to) || !count || from.isF64())
      return rewriter.notifyMatchFailure(op, "no instruction");
    Builder b(op.getLoc(), rewriter);
    auto element = [&](int64_t at) -> Value {
      if (at >= *count)
        return LLVM::ConstantOp::create(b, b.getF32FloatAttr(0));
      Value value = isa<mlir::VectorType>(op.getType())
                        ? b.extract(adaptor.getIn(), at)
                        : adaptor.getIn();
      return from.isF32() ? value
                          : LLVM::FPExtOp::create(b, b.getF32Type(), value);
    };
    int64_t pairs = (*count + 1) / 2;
    Value words = b.undefined(b.getI16Type(), pairs);
    for (int64_t pair = 0; pair < pairs; ++pair) {
      // The first operand becomes the upper byte.
      Value word = NVVM::ConvertF32x2ToF8x2Op::create(
          b, b.getI16Type(), element(2 * pair + 1), element(2 * pair),
          NVVM::FPRoundingMode::RN, NVVM::SaturationMode::SATFINITE,
          /*relu=*/false, to);
      words = b.insert(words, word, pair);
    }
    Type bytes = mlir::VectorType::get(2 * pairs, b.getI8Type());
    rewriter.replaceOp(op, take(b, b.bitcast(bytes, words), op.getType()));
    return success();
  }

private:
  /// The elements of `bytes` that a value of `type` has.
  static Value take(Builder &b, Value bytes, Type type) {
    auto vector = dyn_cast<mlir::VectorType>(type);
    if (!vector)
      return b.extract(bytes, 0);
    SmallVector<int32_t> kept(vector.getNumElements());
    std::iota(kept.begin(), kept.end(), 0);
    if (kept.size() ==
        size_t(cast<mlir::VectorType>(bytes.getType()).getNumElements()))
      return bytes;
    return LLVM::ShuffleVectorOp::create(b, bytes, bytes, kept);
  }
};

/// arith.extf from f8.
struct ExtendPattern final : mlir::ConvertOpToLLVMPattern<arith::ExtFOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(arith::ExtFOp op, OpAdaptor adaptor,
                  mlir::ConversionPatternRewriter &rewriter) const override {
    Type from = mlir::getElementTypeOrSelf(op.getIn());
    auto count = countOf(op.getType());
    if (!isF8(from) || !count)
      return rewriter.notifyMatchFailure(op, "no instruction");
    Builder b(op.getLoc(), rewriter);
    Type half = b.getF16Type();
    auto two = [](Type element) { return mlir::VectorType::get(2, element); };
    Value halves = b.undefined(half, *count);
    for (int64_t i = 0; i < *count; i += 2) {
      Value bytes = LLVM::ZeroOp::create(b, two(b.getI8Type()));
      for (int64_t k = i; k < std::min(i + 2, *count); ++k)
        bytes = b.insert(bytes,
                         isa<mlir::VectorType>(op.getType())
                             ? b.extract(adaptor.getIn(), k)
                             : adaptor.getIn(),
                         k - i);
      Value pair = NVVM::ConvertF8x2ToF16x2Op::create(b, two(half), bytes,
                                                      /*relu=*/false, from);
      for (int64_t k = i; k < std::min(i + 2, *count); ++k)
        halves = b.insert(halves, b.extract(pair, k - i), k);
    }
    rewriter.replaceOp(op, widen(b, halves, op.getType()));
    return success();
  }

private:
  /// f16 to what the op yields. Every f8 number is one of f16, bf16 and f32.
  Value widen(Builder &b, Value halves, Type type) const {
    Value value = isa<mlir::VectorType>(type) ? halves : b.extract(halves, 0);
    Type element = mlir::getElementTypeOrSelf(type);
    if (element.isF16())
      return value;
    Type f32 = b.getF32Type();
    if (auto vector = dyn_cast<mlir::VectorType>(type))
      f32 = vector.clone(f32);
    Type wide = getTypeConverter()->convertType(type);
    if (!element.isBF16())
      return LLVM::FPExtOp::create(b, wide, value);
    value = LLVM::FPExtOp::create(b, f32, value);
    return LLVM::FPTruncOp::create(b, wide, value);
  }
};

} // namespace

/// The oldest architecture that converts f8.
static StringRef oldestWithF8() {
  for (const GpuDescription &gpu : knownGpus())
    if (gpu.convertsF8)
      return gpu.arch;
  return "none";
}

LogicalResult target::checkF8(mlir::gpu::GPUModuleOp module,
                              const GpuDescription &gpu) {
  if (gpu.convertsF8)
    return success();
  bool found = false;
  module.walk([&](Operation *op) {
    if (!isa<arith::ExtFOp, arith::TruncFOp>(op))
      return;
    Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
    if (!isF8(from) && !isF8(to))
      return;
    found = true;
    op->emitError("expected an architecture with instructions between ")
        << mlir::getElementTypeOrSelf(from) << " and "
        << mlir::getElementTypeOrSelf(to) << ", which " << oldestWithF8()
        << " is the oldest of, but got " << gpu.arch;
  });
  return failure(found);
}

void target::populateF8Patterns(const mlir::LLVMTypeConverter &converter,
                                RewritePatternSet &patterns) {
  patterns.add<TruncatePattern, ExtendPattern>(converter, /*benefit=*/2);
}
