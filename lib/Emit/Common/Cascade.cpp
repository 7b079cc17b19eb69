#include "Cascade.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mpc;
using namespace mpc::emit;
namespace arith = mlir::arith;
namespace scf = mlir::scf;

// Terms of a running sum. With the 64 accumulators that a row has at most on a
// CPU, a block of it has 4096 elements.
constexpr int64_t kRun = 64;
// Sums of blocks that are added one after the other. Two would be best for the
// error, but each loop costs registers for its sums.
constexpr int64_t kRadix = 16;

Cascade Cascade::choose(int64_t iterations, int64_t terms) {
  if (iterations * terms <= kRun)
    return makePlain(iterations, terms);
  Cascade cascade;
  int64_t block = std::max<int64_t>(kRun / terms, 1);
  cascade.depth = block * terms;
  for (; block < iterations; block *= kRadix) {
    cascade.blocks.insert(cascade.blocks.begin(), block);
    int64_t count = llvm::divideCeil(iterations, block);
    cascade.depth += std::min(count, kRadix);
  }
  return cascade;
}

bool emit::dependsOnOrder(ReductionOpInterface op) {
  Type type = mlir::getElementTypeOrSelf(op->getResult(0).getType());
  return op.getCombiner() == ReductionCombiner::Add && isa<FloatType>(type);
}

namespace {
using Accumulators = CascadeBody::Accumulators;

class CascadeBuilder {
public:
  CascadeBuilder(mlir::ImplicitLocOpBuilder &builder, const CascadeBody &body,
                 int64_t step)
      : b(builder), body(body), step(step) {}

  /// The iterations from `from` to `to` in `blocks`, the longest first.
  Accumulators build(ArrayRef<int64_t> blocks, Value from, Value to,
                     ValueRange accumulators);

private:
  scf::ForOp makeLoop(Value from, Value to, int64_t width,
                      ValueRange accumulators);
  void enter(scf::ForOp loop);
  /// What the block of `loop` adds up to, in its body.
  Accumulators buildBlock(ArrayRef<int64_t> blocks, scf::ForOp loop, Value to);
  Value constant(Type type, int64_t number) {
    return arith::ConstantOp::create(b, b.getIntegerAttr(type, number));
  }

  mlir::ImplicitLocOpBuilder &b;
  const CascadeBody &body;
  int64_t step;
  scf::ForOp outermost;
};
} // namespace

scf::ForOp CascadeBuilder::makeLoop(Value from, Value to, int64_t width,
                                    ValueRange accumulators) {
  auto loop = scf::ForOp::create(
      b, from, to, constant(from.getType(), width * step), accumulators);
  if (!outermost)
    outermost = loop;
  enter(loop);
  return loop;
}

/// A loop without accumulators has its terminator from the beginning.
void CascadeBuilder::enter(scf::ForOp loop) {
  Block *block = loop.getBody();
  if (block->mightHaveTerminator())
    b.setInsertionPoint(block->getTerminator());
  else
    b.setInsertionPointToEnd(block);
}

Accumulators CascadeBuilder::buildBlock(ArrayRef<int64_t> blocks,
                                        scf::ForOp loop, Value to) {
  Accumulators fresh = body.begin();
  if (blocks.front() == 1) // An iteration is a block.
    return body.fill(outermost, loop, fresh);
  Value first = loop.getInductionVar();
  Value width = constant(first.getType(), blocks.front() * step);
  Value end =
      arith::MinUIOp::create(b, arith::AddIOp::create(b, first, width), to);
  return build(blocks.drop_front(), first, end, fresh);
}

Accumulators CascadeBuilder::build(ArrayRef<int64_t> blocks, Value from,
                                   Value to, ValueRange accumulators) {
  scf::ForOp loop =
      makeLoop(from, to, blocks.empty() ? 1 : blocks.front(), accumulators);
  Accumulators totals(loop.getRegionIterArgs());
  if (blocks.empty())
    totals = body.fill(outermost, loop, totals);
  else
    body.add(totals, buildBlock(blocks, loop, to));
  enter(loop);
  if (!totals.empty())
    scf::YieldOp::create(b, totals);
  b.setInsertionPointAfter(loop);
  return Accumulators(loop.getResults());
}

SmallVector<Value> emit::buildCascade(mlir::ImplicitLocOpBuilder &builder,
                                      const Cascade &cascade, Value from,
                                      Value to, int64_t step,
                                      ValueRange accumulators,
                                      const CascadeBody &body) {
  return CascadeBuilder(builder, body, step)
      .build(cascade.blocks, from, to, accumulators);
}
