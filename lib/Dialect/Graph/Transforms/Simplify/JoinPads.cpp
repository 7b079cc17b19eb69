// Purpose: sums of tensors that are zero almost everywhere become one tensor.
// The gradient of a tensor that is cut into slices is a sum of pads, each as
// large as the whole; where no two of them cover an element, the parts can lie
// beside each other at once.
// Before: pad(a) + pad(b) + pad(c). After: concat(a, b, c), with zeros where
// nothing lies, in a pad where they begin or end.
//
// Algorithm: the terms of a sum get levels, on each of which none overlap; what
// is no pad overlaps all. Adding level by level keeps the order in which the
// terms of each element are added, or swaps two that are all: a term comes on
// the lowest level that is free, and where that turned an order around, one
// above the last that it overlaps. So the result is the same to the bit, but
// that a zero keeps its sign where it became +0 by adding zeros. (With strict
// rounding sums therefore stay.) The pads of a level are joined along one dim
// after the other, those that agree in all others.
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Remarks.h"
#include "mpc/Dialect/Graph/IR/Ops/Constant.h"
#include "mpc/Dialect/Graph/IR/Ops/Elementwise.h"
#include "mpc/Dialect/Graph/IR/Ops/Shape.h"
#include "mpc/Dialect/Graph/IR/TrainingAttrs.h"
#include "mpc/Dialect/Graph/IR/Watch.h"
#include "mpc/Dialect/Graph/Transforms/DeadOps.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>

namespace mpc::graph {
#define GEN_PASS_DEF_JOINPADS
#include "mpc/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mpc::graph

using namespace mpc;
using namespace mpc::graph;
namespace remark = mlir::remark;

namespace {

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// A part of a tensor, and what lies there; everywhere else are zeros.
struct Box {
  Value value;
  SmallVector<int64_t> low;

  int64_t end(unsigned dim) const { return low[dim] + shapeOf(value)[dim]; }
  bool overlaps(const Box &other) const {
    return llvm::all_of(llvm::seq<unsigned>(0, low.size()), [&](unsigned dim) {
      return low[dim] < other.end(dim) && other.low[dim] < end(dim);
    });
  }
};

/// A pad without its frame; anything else as a whole.
Box boxOf(Value term) {
  if (auto pad = term.getDefiningOp<PadOp>())
    return {pad.getInput(), SmallVector<int64_t>(pad.getLow())};
  return {term, SmallVector<int64_t>(shapeOf(term).size(), 0)};
}

/// Whether `value` is a sum of which no other than its reader needs to know.
bool isInnerSum(Value value, Type type) {
  auto add = value.getDefiningOp<AddOp>();
  return add && value.hasOneUse() && value.getType() == type;
}

struct Sum {
  SmallVector<Value> terms; ///< In the order in which they are added.
  SmallVector<AddOp> adds;  ///< Last first.
};

/// The sum that ends in `root`. A sum on both sides is one term on the right:
/// who takes it apart adds in another order.
Sum sumOf(AddOp root) {
  Sum sum;
  Type type = root.getType();
  Value rest = root;
  while (rest == root || isInnerSum(rest, type)) {
    auto add = rest.getDefiningOp<AddOp>();
    Value before = add.getLhs(), term = add.getRhs();
    if (!isInnerSum(before, type) && isInnerSum(term, type))
      std::swap(before, term);
    if (term.getType() != type || before.getType() != type)
      break;
    sum.adds.push_back(add);
    sum.terms.push_back(term);
    rest = before;
  }
  sum.terms.push_back(rest);
  std::reverse(sum.terms.begin(), sum.terms.end());
  return sum;
}

/// Pads that together are the sum of a level.
class Joiner {
public:
  explicit Joiner(mlir::ImplicitLocOpBuilder &builder) : builder(builder) {}

  /// `boxes` of one tensor, no two of which overlap, as fewer where that can
  /// be.
  SmallVector<Box> join(SmallVector<Box> boxes) {
    unsigned rank = boxes.front().low.size();
    for (unsigned dim = 0; dim < rank && boxes.size() > 1; ++dim)
      boxes = joinAlong(dim, boxes);
    return boxes;
  }

private:
  SmallVector<Box> joinAlong(unsigned dim, ArrayRef<Box> boxes);
  Box concat(unsigned dim, ArrayRef<Box> row);
  Value zeros(Value like, unsigned dim, int64_t size);

  mlir::ImplicitLocOpBuilder &builder;
};

Value Joiner::zeros(Value like, unsigned dim, int64_t size) {
  auto type = cast<RankedTensorType>(like.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = size;
  return ConstantOp::create(
      builder,
      cast<mlir::ElementsAttr>(builder.getZeroAttr(type.clone(shape))));
}

/// One box of a row of boxes, and of zeros between them.
Box Joiner::concat(unsigned dim, ArrayRef<Box> row) {
  if (row.size() == 1)
    return row.front();
  SmallVector<Value> parts;
  int64_t next = row.front().low[dim];
  for (const Box &box : row) {
    if (box.low[dim] > next)
      parts.push_back(zeros(box.value, dim, box.low[dim] - next));
    parts.push_back(box.value);
    next = box.end(dim);
  }
  return {ConcatOp::create(builder, parts, dim), row.front().low};
}

/// Whether `next` comes after a row that goes from `first` to `last`, and no
/// more zeros between them than there are elements on both sides: they are
/// written, read and written again.
static bool continues(unsigned dim, const Box &first, const Box &last,
                      const Box &next) {
  int64_t gap = next.low[dim] - last.end(dim);
  int64_t sides =
      last.end(dim) - first.low[dim] + next.end(dim) - next.low[dim];
  return 0 <= gap && gap <= sides;
}

SmallVector<Box> Joiner::joinAlong(unsigned dim, ArrayRef<Box> boxes) {
  // Rows by where they lie in the other dims.
  std::map<std::vector<int64_t>, SmallVector<Box>> rows;
  for (const Box &box : boxes) {
    std::vector<int64_t> others;
    for (unsigned other = 0; other < box.low.size(); ++other)
      if (other != dim)
        others.insert(others.end(), {box.low[other], box.end(other)});
    rows[others].push_back(box);
  }
  SmallVector<Box> joined;
  for (auto &[_, row] : rows) {
    llvm::sort(row, [&](const Box &a, const Box &b) {
      return a.low[dim] < b.low[dim];
    });
    // Zeros of a row that was joined before may cover others.
    for (size_t begin = 0, end; begin < row.size(); begin = end) {
      for (end = begin + 1; end < row.size() &&
                            continues(dim, row[begin], row[end - 1], row[end]);)
        ++end;
      joined.push_back(concat(dim, ArrayRef(row).slice(begin, end - begin)));
    }
  }
  return joined;
}

struct Counts {
  int64_t pads = 0, left = 0;
};

/// Which boxes overlap each box before it.
using Overlaps = SmallVector<SmallVector<unsigned>>;

Overlaps overlapsOf(ArrayRef<Box> boxes) {
  Overlaps overlaps(boxes.size());
  for (unsigned number = 0; number < boxes.size(); ++number)
    for (unsigned before = 0; before < number; ++before)
      if (boxes[number].overlaps(boxes[before]))
        overlaps[number].push_back(before);
  return overlaps;
}

/// The lowest level on which each box overlaps none.
SmallVector<unsigned> fitLevels(const Overlaps &overlaps) {
  SmallVector<unsigned> levels;
  for (ArrayRef<unsigned> before : overlaps) {
    llvm::SmallDenseSet<unsigned> taken;
    for (unsigned other : before)
      taken.insert(levels[other]);
    unsigned level = 0;
    while (taken.contains(level))
      ++level;
    levels.push_back(level);
  }
  return levels;
}

/// Whether the terms of each element are added in the order in which they were,
/// or are only two.
bool keepsOrder(const Overlaps &overlaps, ArrayRef<unsigned> levels) {
  for (auto [number, before] : llvm::enumerate(overlaps))
    for (unsigned other : before) {
      if (levels[other] < levels[number])
        continue;
      // Boxes of which each two overlap have an element in common.
      for (unsigned third = 0; third < overlaps.size(); ++third) {
        auto meets = [&](unsigned box) {
          return llvm::is_contained(overlaps[std::max(box, third)],
                                    std::min(box, third));
        };
        if (third != number && third != other && meets(number) && meets(other))
          return false;
      }
    }
  return true;
}

/// The numbers of the boxes on each level, in program order.
SmallVector<SmallVector<unsigned>> levelsOf(ArrayRef<Box> boxes) {
  Overlaps overlaps = overlapsOf(boxes);
  SmallVector<unsigned> levels = fitLevels(overlaps);
  if (!keepsOrder(overlaps, levels))
    for (auto [number, before] : llvm::enumerate(overlaps)) {
      levels[number] = 0;
      for (unsigned other : before)
        levels[number] = std::max(levels[number], levels[other] + 1);
    }
  SmallVector<SmallVector<unsigned>> sets(*llvm::max_element(levels) + 1);
  for (auto [number, level] : llvm::enumerate(levels))
    sets[level].push_back(number);
  return sets;
}

Value padTo(mlir::ImplicitLocOpBuilder &builder, const Box &box,
            RankedTensorType type) {
  if (box.value.getType() == type)
    return box.value;
  SmallVector<int64_t> high;
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    high.push_back(size - box.end(dim));
  return PadOp::create(builder, box.value, box.low, high);
}

/// Joins what can be joined of the sum that ends in `root`.
void joinPads(AddOp root, Counts &counts) {
  SmallVector<Value> terms = sumOf(root).terms;
  auto isPad = [](Value term) {
    return term.getDefiningOp<PadOp>() != nullptr;
  };
  if (llvm::count_if(terms, isPad) < 2)
    return;
  SmallVector<Box> boxes = llvm::map_to_vector(terms, boxOf);
  mlir::ImplicitLocOpBuilder builder(withoutWatches(root.getLoc()), root);
  Value sum;
  size_t left = 0;
  for (ArrayRef<unsigned> level : levelsOf(boxes)) {
    SmallVector<Box> disjoint;
    for (unsigned number : level)
      disjoint.push_back(boxes[number]);
    for (const Box &box : Joiner(builder).join(disjoint)) {
      Value term = padTo(builder, box, root.getType());
      sum = sum ? AddOp::create(builder, sum, term).getResult() : term;
      ++left;
    }
  }
  if (left == terms.size())
    return; // All overlap, or lie askew.
  counts.pads += terms.size();
  counts.left += left;
  sum.getDefiningOp()->setLoc(root.getLoc());
  root.getResult().replaceAllUsesWith(sum);
}

struct JoinPads final : impl::JoinPadsBase<JoinPads> {
  using Base::Base;

  void runOnFunction(mlir::func::FuncOp func) {
    if (roundsStrictly(func))
      return;
    Counts counts;
    Block &block = func.getBody().front();
    DenseSet<Operation *> inner;
    SmallVector<AddOp> roots;
    for (Operation &op : llvm::reverse(block))
      if (auto add = dyn_cast<AddOp>(op); add && !inner.contains(add)) {
        roots.push_back(add);
        for (AddOp own : sumOf(add).adds)
          inner.insert(own);
      }
    // In program order, for one sum may be a term of another.
    for (AddOp root : llvm::reverse(roots))
      joinPads(root, counts);
    eraseDeadOps(block);
    if (counts.pads > 0)
      remark::passed(func.getLoc(), remark::RemarkOpts::name("joined")
                                        .category("mpc-join-pads")
                                        .function(func.getName()))
          << llvm::formatv("{0} terms of sums are {1} now", counts.pads,
                           counts.left)
                 .str();
  }

  void runOnOperation() override {
    for (auto func : getOperation().getOps<mlir::func::FuncOp>())
      if (!func.isExternal())
        runOnFunction(func);
  }
};

} // namespace
