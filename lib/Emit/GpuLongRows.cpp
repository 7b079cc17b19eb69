// Rows that are too long for the registers of a block.
//
// All threads run the same rounds of kRound chunks; the rest of the row follows
// in one round with predicates. Each chunk of a round has accumulators of its
// own, so that additions need not wait for each other and sums stay short.
#include "GpuRowEmitter.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <limits>
#include <vector>

using namespace mpc;
using namespace mpc::emit;
namespace arith = mlir::arith;
namespace scf = mlir::scf;

constexpr int64_t kRound = RowGeometry::kRound;

GpuRowEmitter::Accumulators
GpuRowEmitter::visitRounds(Value begin, int64_t rounds, bool isGuarded,
                           Accumulators accumulators, Visitor visit) {
  auto &b = function.b;
  auto loop = scf::ForOp::create(b, function.index(0), function.index(rounds),
                                 function.index(1), accumulators);
  entry.loop = item.loop = loop;
  Scope body = item.makeInner(loop.getBody());
  points.enter(body);
  Value first =
      function.add(begin, function.multiply(loop.getInductionVar(),
                                            geometry.chunksPerRound()));
  std::vector<Scope> chunks;
  for (int64_t k = 0; k < kRound; ++k) {
    Value number =
        k ? function.add(first, function.index(k * geometry.threads)) : first;
    Value inside;
    if (isGuarded)
      inside = function.isBelow(number, geometry.chunksPerRow);
    chunks.push_back(makeChunk(body, number, inside));
  }
  for (Scope &chunk : chunks)
    chunk.chain.push_back(&chunk);
  Accumulators next(loop.getRegionIterArgs());
  visit(chunks, next);
  points.enter(body);
  if (!next.empty())
    scf::YieldOp::create(b, next);
  entry.loop = item.loop = nullptr;
  b.setInsertionPointAfter(loop);
  return Accumulators(loop.getResults());
}

GpuRowEmitter::Accumulators GpuRowEmitter::visitRow(Accumulators accumulators,
                                                    Visitor visit) {
  int64_t perRound = geometry.chunksPerRound();
  int64_t rounds = geometry.chunksPerRow / perRound;
  if (rounds)
    accumulators = visitRounds(thread, rounds, /*isGuarded=*/false,
                               std::move(accumulators), visit);
  std::vector<Scope> chunks;
  for (int64_t done = rounds * perRound; done < geometry.chunksPerRow;
       done += geometry.threads) {
    Value number = function.add(thread, function.index(done));
    Value inside;
    if (done + geometry.threads > geometry.chunksPerRow)
      inside = function.isBelow(number, geometry.chunksPerRow);
    chunks.push_back(makeChunk(item, number, inside));
  }
  for (Scope &chunk : chunks)
    chunk.chain.push_back(&chunk);
  if (!chunks.empty())
    visit(chunks, accumulators);
  points.enter(item);
  return accumulators;
}

bool GpuRowEmitter::isOnline(ReductionOpInterface op) {
  return llvm::any_of(onlineSums, [&](const OnlineSum &pair) {
    return pair.sum == op || pair.max == op;
  });
}

SmallVector<OnlineSum> GpuRowEmitter::getOnlineSums(unsigned sweep) {
  SmallVector<OnlineSum> sums;
  for (OnlineSum pair : onlineSums)
    if (shape.depths.lookup(pair.max->getResult(0)) == sweep)
      sums.push_back(pair);
  return sums;
}

/// What a sum that refers to `from` is to be multiplied by to refer to `to`. As
/// long as all elements are -inf, so are both, and nothing is to be done.
Value GpuRowEmitter::buildScale(OnlineSum sum, Value from, Value to) {
  auto &b = function.b;
  Value power = sum.buildElement(b, from, to);
  Value one = arith::ConstantOp::create(b, b.getFloatAttr(power.getType(), 1));
  Value same = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, from, to);
  return arith::SelectOp::create(b, same, one, power);
}

/// `state` is, per online sum, the largest element so far, one number per
/// thread, and the vector of sums that refer to it.
void GpuRowEmitter::foldOnline(ArrayRef<OnlineSum> sums,
                               MutableArrayRef<Scope> chunks,
                               MutableArrayRef<Value> state) {
  auto &b = function.b;
  for (auto [number, pair] : llvm::enumerate(sums)) {
    Value &largest = state[2 * number], &total = state[2 * number + 1];
    SmallVector<Value> elements;
    for (Scope &chunk : chunks)
      elements.push_back(points.getFolded(pair.max, chunk));
    Value round = elements.front();
    for (Value element : ArrayRef(elements).drop_front())
      round = points.combine(pair.max, round, element);
    Value reference =
        points.combine(pair.max, largest, points.foldLanes(pair.max, round));
    Type type = reference.getType();
    auto spread = [&](Value scalar) -> Value {
      return total.getType() == type
                 ? scalar
                 : mlir::vector::BroadcastOp::create(b, total.getType(), scalar)
                       .getResult();
    };
    total = arith::MulFOp::create(b, total,
                                  spread(buildScale(pair, largest, reference)));
    // inf - inf is no number: differences refer to 0 where all is -inf, and
    // finishOnline has the last word on what is infinite.
    auto real = cast<FloatType>(type);
    Value infinite = arith::CmpFOp::create(
        b, arith::CmpFPredicate::OEQ, mlir::math::AbsFOp::create(b, reference),
        arith::ConstantOp::create(
            b, b.getFloatAttr(
                   real, llvm::APFloat::getInf(real.getFloatSemantics()))));
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
    Value finite = arith::SelectOp::create(b, infinite, zero, reference);
    OnlineSum sum = pair;
    for (auto [chunk, element] : llvm::zip(chunks, elements)) {
      Value power = sum.buildElement(b, element, spread(finite));
      if (chunk.predicate)
        power = arith::SelectOp::create(
            b, chunk.predicate, power,
            points.getNeutral(pair.sum, /*isVector=*/true));
      total = points.combine(pair.sum, total, power);
    }
    largest = reference;
  }
}

/// Each thread's sum refers to its own largest element; now to that of the row.
void GpuRowEmitter::finishOnline(ArrayRef<OnlineSum> sums,
                                 ArrayRef<Value> state) {
  auto &b = function.b;
  SmallVector<ReductionOpInterface> reductions;
  SmallVector<Value> partials;
  for (auto [number, pair] : llvm::enumerate(sums)) {
    Value largest = item.values.lookup(pair.max->getResult(0));
    Value partial = points.foldLanes(pair.sum, state[2 * number + 1]);
    reductions.push_back(pair.sum);
    partials.push_back(arith::MulFOp::create(
        b, partial, buildScale(pair, state[2 * number], largest)));
  }
  partials =
      foldThreads(function, points, reductions, partials, geometry.threads);
  for (auto [pair, total] : llvm::zip(sums, partials)) {
    // 1, or NaN where the largest element is not finite, as exp(x - max) is.
    Value largest = item.values.lookup(pair.max->getResult(0));
    OnlineSum sum = pair;
    setTotal(pair.sum, arith::MulFOp::create(
                           b, total, sum.buildElement(b, largest, largest)));
  }
}

SmallVector<Value>
GpuRowEmitter::foldSets(ArrayRef<ReductionOpInterface> reductions,
                        Accumulators accumulators) {
  SmallVector<Value> partials;
  for (auto [number, op] : llvm::enumerate(reductions)) {
    auto at = [&](int64_t set) -> Value & {
      return accumulators[set * reductions.size() + number];
    };
    for (int64_t half = kRound / 2; half >= 1; half /= 2)
      for (int64_t low = 0; low < half; ++low)
        at(low) = points.combine(op, at(low), at(low + half));
    partials.push_back(points.foldLanes(op, at(0)));
  }
  return partials;
}

/// The accumulators are kRound sets of those of the sweep's other reductions,
/// then the state of its online sums.
void GpuRowEmitter::loopOverRow(unsigned sweep) {
  points.enter(item);
  SmallVector<OnlineSum> online = getOnlineSums(sweep);
  SmallVector<ReductionOpInterface> reductions;
  for (ReductionOpInterface op : sweeps.getReductions(sweep))
    if (!isOnline(op))
      reductions.push_back(op);
  if (reductions.empty() && online.empty() && sweeps.getResults(sweep).empty())
    return;
  Accumulators accumulators;
  for (int64_t set = 0; set < kRound; ++set)
    for (ReductionOpInterface op : reductions)
      accumulators.push_back(points.getNeutral(op, /*isVector=*/true));
  for (OnlineSum pair : online) {
    accumulators.push_back(points.getNeutral(pair.max, /*isVector=*/false));
    accumulators.push_back(points.getNeutral(pair.sum, /*isVector=*/true));
  }
  accumulators = visitRow(accumulators, [&](auto chunks, Accumulators &all) {
    for (auto [set, chunk] : llvm::enumerate(chunks)) {
      chunk.sweep = sweep;
      for (auto [number, op] : llvm::enumerate(reductions)) {
        Value &own = all[set * reductions.size() + number];
        own = points.combine(op, own, points.getFolded(op, chunk));
      }
      sweeps.storeResults(chunk, sweep);
    }
    size_t used = kRound * reductions.size();
    foldOnline(online, chunks, MutableArrayRef<Value>(all).drop_front(used));
  });
  SmallVector<Value> partials = foldSets(reductions, accumulators);
  ArrayRef<Value> state =
      ArrayRef<Value>(accumulators).drop_front(kRound * reductions.size());
  for (auto [number, pair] : llvm::enumerate(online)) {
    reductions.push_back(pair.max);
    partials.push_back(state[2 * number]);
  }
  partials =
      foldThreads(function, points, reductions, partials, geometry.threads);
  for (auto [op, total] : llvm::zip(reductions, partials))
    setTotal(op, total);
  if (!online.empty())
    finishOnline(online, state);
}
