// Purpose: let the backward compute again what it shall not keep: the results
// of ops that carry the mark `graph.recompute`. Before: ops of the backward
// read values of the forward. After: where such a value is marked they read a
// copy of its op, which reads what is kept through
// `graph.optimization_barrier`, after a value of the backward that is there
// just before the copy is needed. So no copy is equal to what it copies, and
// none runs early. Algorithm: walk the backward in order; the first op that
// reads a marked value gets copies of all marked ops that it takes, in front of
// it. Copies are shared by all that follow.
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "mpc/Dialect/Graph/Analysis/Memory/ForwardPart.h"
#include "mpc/Dialect/Graph/Analysis/Memory/RecomputeMarks.h"
#include "mpc/Dialect/Graph/IR/Ops/Shape.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "mpc/Dialect/Graph/Transforms/Signature.h"
#include "mpc/Program/Names.h"
#include "mpc/Text/Phases.h"

namespace mpc::graph {
#define GEN_PASS_DEF_RECOMPUTE
#include "mpc/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mpc::graph

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;

namespace {

/// Works on one step.
class Recomputation {
public:
  Recomputation(FuncOp step, FuncOp forward)
      : block(step.getBody().front()), forward(step, forward),
        recomputed(findRecomputed(
            block, [&](Operation *op) { return this->forward.contains(op); })) {
    for (Operation &op : block)
      placeOf[&op] = placeOf.size();
  }

  void run();

private:
  bool isMarked(Value value) const {
    return recomputed.contains(value.getDefiningOp());
  }
  Value findToken(Operation *reader) const;
  SmallVector<Operation *> findMissing(Value value) const;
  Value get(Value value, Operation *reader, Value token);
  void copy(Operation *op, Operation *reader, Value token);
  Value getBarrier(Value value, Operation *reader, Value token);

  Block &block;
  ForwardPart forward;
  DenseSet<Operation *> recomputed;
  DenseMap<Operation *, size_t> placeOf; ///< Of the ops that were there.
  mlir::IRMapping copies; ///< Marked values to those computed again.
  mlir::IRMapping kept;   ///< What copies read to its barrier, at one place.
  DenseSet<Operation *> made; ///< Copies and barriers.
};

} // namespace

/// A value of the backward that is there before `reader` and that `reader`, or
/// what follows from it, waits for: a cotangent. Null where there is none, as
/// in front of the first: there is no time between forward and backward then.
Value Recomputation::findToken(Operation *reader) const {
  constexpr size_t kMostOps = 256;
  SmallVector<Operation *> open{reader};
  DenseSet<Operation *> seen{reader};
  for (size_t next = 0; next < open.size() && next < kMostOps; ++next) {
    for (Value operand : open[next]->getOperands()) {
      Operation *maker = operand.getDefiningOp();
      if (maker && maker->getNumOperands() != 0 && !forward.contains(maker) &&
          !made.contains(maker) &&
          placeOf.lookup(maker) < placeOf.lookup(reader))
        return operand;
    }
    for (Operation *user : open[next]->getUsers())
      if (!user->hasTrait<mlir::OpTrait::IsTerminator>() &&
          seen.insert(user).second)
        open.push_back(user);
  }
  return nullptr;
}

/// `value` of the forward, not before `token` is there. Whoever reads it from
/// here on may share a kernel with the copies.
Value Recomputation::getBarrier(Value value, Operation *reader, Value token) {
  if (Value known = kept.lookupOrNull(value))
    return known;
  OpBuilder builder(reader);
  auto barrier = OptimizationBarrierOp::create(builder, reader->getLoc(),
                                               value.getType(), value, token);
  made.insert(barrier);
  kept.map(value, barrier.getResult());
  value.replaceUsesWithIf(barrier, [&](OpOperand &use) {
    Operation *user = use.getOwner();
    return !forward.contains(user) && !made.contains(user) &&
           !user->hasTrait<mlir::OpTrait::IsTerminator>() &&
           placeOf.lookup(user) >= placeOf.lookup(reader) &&
           forward.isMade(value);
  });
  return barrier;
}

/// The marked ops that have no copy yet and that a copy of `value` takes, in
/// order.
SmallVector<Operation *> Recomputation::findMissing(Value value) const {
  SmallVector<Operation *> ops;
  DenseSet<Operation *> seen;
  SmallVector<Value> open{value};
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (!isMarked(next) || copies.contains(next) ||
        !seen.insert(next.getDefiningOp()).second)
      continue;
    ops.push_back(next.getDefiningOp());
    llvm::append_range(open, ops.back()->getOperands());
  }
  llvm::sort(ops, [&](Operation *a, Operation *b) {
    return placeOf.lookup(a) < placeOf.lookup(b);
  });
  return ops;
}

/// Copies `op`, in front of `reader`; what it takes is copied already, or kept.
void Recomputation::copy(Operation *op, Operation *reader, Value token) {
  mlir::IRMapping map;
  bool isApart = false;
  for (Value operand : op->getOperands()) {
    Value own = copies.lookupOrNull(operand);
    if (!own)
      own = forward.isMade(operand) ? getBarrier(operand, reader, token)
                                    : operand;
    isApart |= own != operand;
    map.map(operand, own);
  }
  // Of arguments and constants alone the copy would be what it copies.
  if (!isApart)
    map.map(op->getOperand(0), getBarrier(op->getOperand(0), reader, token));
  Operation *copy = OpBuilder(reader).clone(*op, map);
  copy->setLoc(nameRecomputed(op->getLoc()));
  copy->removeAttr(kRecomputeAttr);
  made.insert(copy);
  copies.map(op->getResults(), copy->getResults());
  mlir::remark::passed(
      op->getLoc(),
      mlir::remark::RemarkOpts::name("copied").category("mpc-recompute"))
      << mlir::remark::metric("op", op->getName().getStringRef());
}

/// What `reader` reads in the place of `value`, which is marked.
Value Recomputation::get(Value value, Operation *reader, Value token) {
  for (Operation *op : findMissing(value))
    copy(op, reader, token);
  return copies.lookup(value);
}

void Recomputation::run() {
  SmallVector<Operation *> readers;
  for (Operation &op : block.without_terminator())
    if (!forward.contains(&op))
      readers.push_back(&op);
  for (Operation *reader : readers)
    for (OpOperand &operand : reader->getOpOperands()) {
      if (!isMarked(operand.get()))
        continue;
      Value known = copies.lookupOrNull(operand.get());
      Value token = known ? Value() : findToken(reader);
      if (!known && !token)
        continue;
      kept.clear();
      operand.set(known ? known : get(operand.get(), reader, token));
    }
}

namespace {
struct Recompute final : graph::impl::RecomputeBase<Recompute> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto forwards = entryFunctions(module, program::kForwardEntry);
    if (!forwards.empty())
      for (StringRef entry : {program::kAccumulateEntry, program::kStepEntry})
        for (FuncOp step : entryFunctions(module, entry))
          if (isMarked(step))
            Recomputation(step, forwards.front()).run();
    module.walk([](Operation *op) {
      op->removeAttr(kRecomputeAttr);
      op->removeAttr(kRecomputeInsideAttr);
    });
  }

private:
  static bool isMarked(FuncOp func) {
    return func
        .walk([](Operation *op) {
          return op->hasAttr(kRecomputeAttr) ? mlir::WalkResult::interrupt()
                                             : mlir::WalkResult::advance();
        })
        .wasInterrupted();
  }
};
} // namespace
