// A place in the loops of a kernel where values of the group's body can be
// computed: once per kernel, per item, per chunk of the axis, per index of the
// reduced dims, or per point.
#ifndef MPC_EMIT_COMMON_SCOPE_H
#define MPC_EMIT_COMMON_SCOPE_H

#include "mpc/Interfaces/LLVM.h"

namespace mpc::emit {

/// Where a value lies, and whether there is one; null: always.
struct Place {
  Value address, isThere;
};

struct Scope {
  /// Dims of the space whose index is known here, one bit each.
  uint64_t available = 0;
  /// Values are vectors along the axis; else scalars.
  bool isVector = false;
  /// Where code of this scope is appended: before `loop`, the loop that is
  /// being filled, or else at the end of the block.
  Block *block = nullptr;
  Operation *loop = nullptr;
  /// Index of each available dim; of the axis, that of the first element.
  SmallVector<Value> index;
  /// Lanes that exist; null: all.
  Value mask;
  /// Of those, how many; 0: all.
  int64_t liveLanes = 0;
  /// Whether the thread has anything to read and to fold here; null: yes.
  Value predicate;
  /// Whether the thread is the one that writes; null: as `predicate`.
  Value writer;
  /// Number of the part that the row belongs to; null: none is folded in parts.
  Value part;
  /// The scope around this one, which must stay where it is; null: the kernel.
  Scope *outer = nullptr;
  /// A scope of the item that this one sees as well, though no loop of this one
  /// runs in it: of the column that a point lies in, beside that of its row.
  Scope *beside = nullptr;
  /// Values of the body that are computed here; scalars of outer scopes as
  /// vectors.
  DenseMap<Value, Value> values, splats;
  /// What was loaded before it was needed, as memory holds it.
  DenseMap<Value, Value> stored;
  /// Place of each accessed value so far as it is known per item.
  DenseMap<Value, Place> places;
  /// The sweep that runs; later sweeps read what earlier ones kept.
  unsigned sweep = 0;

  /// A scope in this one, at the end of `innerBlock`, that knows no more yet.
  Scope makeInner(Block *innerBlock) {
    Scope inner;
    inner.available = available;
    inner.block = innerBlock;
    inner.index = index;
    inner.predicate = predicate;
    inner.part = part;
    inner.outer = this;
    inner.sweep = sweep;
    return inner;
  }
  /// Scopes that this one sees, the widest first, this one last.
  SmallVector<Scope *> getSeen() {
    SmallVector<Scope *> seen;
    for (Scope *scope = this; scope; scope = scope->outer)
      seen.insert(seen.begin(), scope);
    if (beside)
      seen.insert(std::next(llvm::find(seen, beside->outer)), beside);
    return seen;
  }
  /// The scope of the item, or that of the kernel where there is none.
  Scope &getItem() {
    Scope *scope = this;
    while (scope->outer && scope->outer->outer)
      scope = scope->outer;
    return *scope;
  }
  void setIndex(unsigned dim, Value value) {
    available |= uint64_t(1) << dim;
    index[dim] = value;
  }
};

} // namespace mpc::emit

#endif // MPC_EMIT_COMMON_SCOPE_H
