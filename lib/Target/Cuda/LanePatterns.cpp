// Forms of vector arithmetic that take fewer instructions of a GPU.
//
// A row kernel of 16-bit numbers does about 20 instructions per element while
// memory would allow for 10, so each one counts.
#include "Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"

using namespace mpc;
using namespace mpc::target;
namespace arith = mlir::arith;
namespace vector = mlir::vector;

namespace {

/// bf16 in a word is f32 but for a shift or a mask. The backend takes each
/// number out of its word first, which is one more for the upper ones.
struct WidenPattern final : mlir::OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    auto from = dyn_cast<mlir::VectorType>(op.getIn().getType());
    auto to = dyn_cast<mlir::VectorType>(op.getType());
    if (!from || !to || from.getRank() != 1 || from.getDimSize(0) % 2 ||
        !from.getElementType().isBF16() || !to.getElementType().isF32())
      return failure();
    mlir::ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    int64_t words = from.getDimSize(0) / 2;
    auto ints = mlir::VectorType::get(words, b.getI32Type());
    auto floats = mlir::VectorType::get(words, b.getF32Type());
    auto spread = [&](uint32_t number) -> Value {
      return arith::ConstantOp::create(
          b, mlir::DenseElementsAttr::get(ints, llvm::APInt(32, number)));
    };
    Value bits = vector::BitCastOp::create(b, ints, op.getIn());
    Value lower = arith::ShLIOp::create(b, bits, spread(16));
    Value upper = arith::AndIOp::create(b, bits, spread(0xffff0000u));
    SmallVector<int64_t> inTurns;
    for (int64_t word = 0; word < words; ++word)
      llvm::append_values(inTurns, word, words + word);
    rewriter.replaceOpWithNewOp<vector::ShuffleOp>(
        op, vector::BitCastOp::create(b, floats, lower),
        vector::BitCastOp::create(b, floats, upper), inTurns);
    return success();
  }
};

/// x + [0, 1, ...] == y as y - x == [0, 1, ...]: numbers that the instruction
/// holds, and one subtraction for all lanes.
struct ComparePattern final : mlir::OpRewritePattern<arith::CmpIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::CmpIOp op,
                                PatternRewriter &rewriter) const override {
    using arith::CmpIPredicate;
    if (op.getPredicate() != CmpIPredicate::eq &&
        op.getPredicate() != CmpIPredicate::ne)
      return failure();
    auto sum = op.getLhs().getDefiningOp<arith::AddIOp>();
    Value y = getSpread(op.getRhs());
    Value x = sum ? getSpread(sum.getLhs()) : Value();
    if (!x || !y || !mlir::matchPattern(sum.getRhs(), mlir::m_Constant()))
      return failure();
    mlir::ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value difference = arith::SubIOp::create(b, y, x);
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(
        op, op.getPredicate(),
        vector::BroadcastOp::create(b, sum.getType(), difference),
        sum.getRhs());
    return success();
  }

  /// The scalar in all lanes of `value`, if that is such a vector.
  static Value getSpread(Value value) {
    auto broadcast = value.getDefiningOp<vector::BroadcastOp>();
    Value source = broadcast ? broadcast.getSource() : Value();
    return source && !isa<mlir::VectorType>(source.getType()) ? source
                                                              : Value();
  }
};

} // namespace

void mpc::target::populateLanePatterns(RewritePatternSet &patterns) {
  patterns.add<WidenPattern, ComparePattern>(patterns.getContext());
}
