// Purpose: what random ops draw from becomes state, so that a step that is done
// again from the same state draws the same numbers.
//
// Algorithm: in the entry "forward" an op that has another meaning in
// evaluation becomes that: dropout its input, attention one without dropout,
// batch_norm one by running statistics.
// All ops that are left get a key: the states `random.step` and `random.seed`,
// which entries that train and draw have both of. Each run of "accumulate" or
// "step" adds one to `random.step`, whether the step is skipped or not:
// micro-batches draw numbers of their own.
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mpc/Dialect/Graph/IR/Expression.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "mpc/Dialect/Graph/Transforms/Signature.h"
#include "mpc/Interfaces/TrainingOpInterfaces.h"
#include "mpc/Program/Names.h"

namespace mpc::graph {
#define GEN_PASS_DEF_SEEDRANDOM
#include "mpc/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mpc::graph

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;

/// Replaces what evaluation does not draw, or does not take of its batch.
static void evaluate(FuncOp forward) {
  forward.walk([](RandomOpInterface op) { op.evaluate(); });
  forward.walk([](RunningStatisticsOpInterface op) { op.evaluate(); });
}

/// Gives all random ops of `func` their key.
static LogicalResult seed(FuncOp func, bool trains) {
  SmallVector<RandomOpInterface> draws;
  func.walk([&](RandomOpInterface op) {
    if (op.draws() && op.getRandomKey().empty())
      draws.push_back(op);
  });
  for (RandomOpInterface op : draws)
    if (!op.getStream())
      return op.emitError("expected a stream to draw from, but got none; run "
                          "mpc-number-random first");
  if (draws.empty())
    return success();
  SignatureEditor signature(func);
  auto scalar = RankedTensorType::get({}, Builder(func).getI32Type());
  auto addState = [&](std::string_view name, Role role) {
    return signature.addState(
        {StringRef(name), scalar, role, ZerosAttr::get(func.getContext()), ""});
  };
  FailureOr<Value> step = addState(program::kRandomStepState, Role::RandomStep);
  FailureOr<Value> seed = addState(program::kRandomSeedState, Role::RandomSeed);
  if (failed(step) || failed(seed))
    return failure();
  for (RandomOpInterface op : draws)
    op.getRandomKeyMutable().append({*step, *seed});
  if (trains) {
    mlir::ImplicitLocOpBuilder b(func.getLoc(),
                                 func.getBody().front().getTerminator());
    signature.addResult(Expr(b, *step) + 1.0, kUpdatesAttr,
                        StringRef(program::kRandomStepState));
  }
  signature.finish();
  return success();
}

namespace {
struct SeedRandom final : impl::SeedRandomBase<SeedRandom> {
  using Base::Base;

  void runOnOperation() override {
    for (auto func : getOperation().getOps<FuncOp>()) {
      auto entry = func->getAttrOfType<StringAttr>(kEntryAttr);
      if (!entry || func.isExternal())
        continue;
      bool isForward = entry.getValue() == StringRef(program::kForwardEntry);
      if (isForward)
        evaluate(func);
      if (failed(seed(func, /*trains=*/!isForward)))
        return signalPassFailure();
    }
  }
};
} // namespace
