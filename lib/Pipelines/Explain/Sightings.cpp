#include "Sightings.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mpc/Dialect/Exec/IR/ExecOps.h"
#include "mpc/Dialect/Graph/IR/Ops/Group.h"
#include "llvm/ADT/STLExtras.h"

using namespace mpc;
using namespace mpc::explain;
using graph::Watch;
using graph::WatchKind;
using mlir::func::FuncOp;

namespace {

void dropWatch(Operation &op, const Watch &dropped) {
  Location location = graph::withoutWatches(op.getLoc());
  auto watches = graph::watchesOf(op.getLoc()); // llvm::reverse keeps none.
  for (const Watch &watch : llvm::reverse(watches))
    if (watch != dropped)
      location = graph::addWatch(location, watch);
  op.setLoc(location);
}

bool isReader(WatchKind kind) {
  return kind == WatchKind::Reader || kind == WatchKind::GradientReader;
}

/// The kind of watch on what reads a value of `kind`.
WatchKind readerOf(WatchKind kind) {
  return kind == WatchKind::Gradient ? WatchKind::GradientReader
                                     : WatchKind::Reader;
}

class Search {
public:
  Search(ArrayRef<WatchedValue> values, ArrayRef<Sighting> before)
      : values(values), before(before) {}

  void visit(ModuleOp module) {
    for (Operation &op : *module.getBody()) {
      if (auto func = dyn_cast<FuncOp>(op); func && !func.isExternal())
        visitFunction(func);
      else if (auto entry = dyn_cast<exec::EntryOp>(op))
        visitBody("entry " + entry.getSymName().str(), entry.getBody().front());
    }
  }

  std::vector<Sighting> take() { return std::move(found); }

private:
  void visitFunction(FuncOp func) {
    std::string place = "@" + func.getName().str();
    for (mlir::BlockArgument argument : func.getArguments())
      for (const Watch &watch : graph::watchesOf(argument.getLoc()))
        if (watch.kind == WatchKind::Value && values[watch.id].isArgument)
          found.push_back({watch.id, watch.kind, place, "", 0, nullptr,
                           argument, nullptr, argument.getType()});
    visitBody(place, func.getBody().front());
  }

  void visitBody(const std::string &place, Block &block) {
    size_t begin = found.size();
    unsigned groups = 0;
    for (Operation &op : block) {
      visitOp(place, 0, op, nullptr, begin);
      if (auto group = dyn_cast<graph::GroupOp>(op)) {
        ++groups;
        size_t inside = found.size();
        for (Operation &inner : group.getBody().front())
          visitOp(place, groups, inner, group, inside);
      } else {
        op.walk([&](Operation *inner) { // Regions of the model.
          if (inner != &op)
            visitOp(place, 0, *inner, nullptr, begin);
        });
      }
    }
  }

  /// What is at the same location after another one replaces it.
  void visitOp(const std::string &place, unsigned group, Operation &op,
               Operation *groupOp, size_t begin) {
    for (const Watch &watch : graph::watchesOf(op.getLoc())) {
      if (!isMeant(watch, op))
        continue;
      Sighting sighting{watch.id,
                        watch.kind,
                        place,
                        op.getName().getStringRef().str(),
                        group,
                        &op,
                        resultOf(op, watch),
                        groupOp,
                        {}};
      sighting.type = sighting.value ? sighting.value.getType() : Type();
      auto same = std::find_if(
          found.begin() + begin, found.end(),
          [&](const Sighting &other) { return other.isSame(sighting); });
      if (same == found.end() || isGroup(watch.kind)) {
        found.push_back(sighting);
      } else {
        if (!isKnown(*same) || isKnown(sighting))
          std::swap(*same, sighting);
        dropWatch(*sighting.op, watch);
      }
    }
  }

  /// Whether it is the op that was there before, or has its name.
  bool isKnown(const Sighting &sighting) const {
    return llvm::any_of(before, [&](const Sighting &old) {
      return old.id == sighting.id && old.kind == sighting.kind &&
             old.place == sighting.place && old.opName == sighting.opName;
    });
  }

  /// Ops at the location of an argument are made for it, and are not it; but
  /// in a program the argument is an op.
  bool isMeant(const Watch &watch, Operation &op) const {
    if (isReader(watch.kind) || isa<graph::GroupOp>(op) ||
        op.hasTrait<mlir::OpTrait::IsTerminator>())
      return false;
    bool isArgument =
        watch.kind == WatchKind::Value && values[watch.id].isArgument;
    if (!isa_and_present<exec::EntryOp>(op.getParentOp()))
      return !isArgument && !isGroup(watch.kind);
    if (isArgument)
      return isa<exec::InputOp, exec::StateOp>(op);
    if (isa<exec::StepOpInterface>(op))
      return isGroup(watch.kind) || !isWatchedGroup(op);
    return !isGroup(watch.kind) &&
           isa<exec::ViewOp, exec::RenewOp, exec::ConstantOp>(op);
  }

  static bool isGroup(WatchKind kind) {
    return kind == WatchKind::Group || kind == WatchKind::GradientGroup;
  }

  static bool isWatchedGroup(Operation &op) {
    return llvm::any_of(graph::watchesOf(op.getLoc()),
                        [](const Watch &watch) { return isGroup(watch.kind); });
  }

  static Value resultOf(Operation &op, const Watch &watch) {
    llvm::SmallSetVector<Value, 4> values;
    if (auto step = dyn_cast<exec::StepOpInterface>(op))
      for (Value write : step.getWrites())
        values.insert(exec::getViewed(write)); // once for all of its parts
    else
      values.insert_range(op.getResults());
    if (watch.result >= 0 && watch.result < int64_t(values.size()))
      return values[watch.result];
    return watch.result < 0 || values.empty() ? Value() : values.front();
  }

  ArrayRef<WatchedValue> values;
  ArrayRef<Sighting> before;
  std::vector<Sighting> found;
};

} // namespace

std::vector<Sighting> explain::findSightings(ModuleOp module,
                                             ArrayRef<WatchedValue> values,
                                             ArrayRef<Sighting> before) {
  Search search(values, before);
  search.visit(module);
  return search.take();
}

void explain::watchGroups(ArrayRef<Sighting> sightings) {
  DenseMap<Operation *, SmallVector<Watch>> watches;
  for (const Sighting &sighting : sightings) {
    if (!sighting.groupOp)
      continue;
    Operation *yield = cast<graph::GroupOp>(sighting.groupOp)
                           .getBody()
                           .front()
                           .getTerminator();
    auto operand = llvm::find(yield->getOperands(), sighting.value);
    int64_t result =
        operand == yield->operand_end() ? -1 : operand - yield->operand_begin();
    WatchKind kind = sighting.kind == WatchKind::Gradient
                         ? WatchKind::GradientGroup
                         : WatchKind::Group;
    watches[sighting.groupOp].push_back({kind, sighting.id, result});
  }
  for (auto &[group, all] : watches) {
    Location location = graph::withoutWatches(group->getLoc());
    for (const Watch &watch : all)
      location = graph::addWatch(location, watch);
    group->setLoc(location);
  }
}

void explain::watchReaders(ArrayRef<Sighting> sightings) {
  for (const Sighting &sighting : sightings)
    if (sighting.op && sighting.value && !sighting.groupOp &&
        isa<FuncOp>(sighting.op->getParentOp()))
      for (OpOperand &use : sighting.value.getUses())
        use.getOwner()->setLoc(graph::addWatch(
            use.getOwner()->getLoc(), {readerOf(sighting.kind), sighting.id,
                                       int64_t(use.getOperandNumber())}));
}

std::vector<Sighting> explain::followReaders(ModuleOp module,
                                             ArrayRef<Sighting> gone) {
  std::vector<Sighting> moved;
  module.walk([&](Operation *op) {
    for (const Watch &watch : graph::watchesOf(op->getLoc())) {
      if (!isReader(watch.kind))
        continue;
      dropWatch(*op, watch);
      auto func = op->getParentOfType<FuncOp>();
      auto old = llvm::find_if(gone, [&](const Sighting &sighting) {
        return sighting.id == watch.id &&
               readerOf(sighting.kind) == watch.kind && func &&
               sighting.place == "@" + func.getName().str();
      });
      auto now = watch.result < int64_t(op->getNumOperands())
                     ? dyn_cast<OpResult>(op->getOperand(watch.result))
                     : OpResult();
      bool isTaken = llvm::any_of(moved, [&](const Sighting &sighting) {
        return old != gone.end() && sighting.isSame(*old);
      });
      if (old == gone.end() || isTaken || !now || now.getType() != old->type)
        continue;
      now.getOwner()->setLoc(
          graph::addWatch(now.getOwner()->getLoc(),
                          {old->kind, old->id, now.getResultNumber()}));
      moved.push_back(*old);
    }
  });
  return moved;
}
