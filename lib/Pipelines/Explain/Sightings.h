// Where the watched values are in a module, and what can be said of them there.
#ifndef MPC_LIB_PIPELINES_EXPLAIN_SIGHTINGS_H
#define MPC_LIB_PIPELINES_EXPLAIN_SIGHTINGS_H

#include "mpc/Dialect/Graph/IR/Watch.h"
#include "mpc/Pipelines/Explain.h"

namespace mpc::explain {

/// One place where a watched value or its gradient is made.
struct Sighting {
  int64_t id;
  graph::WatchKind kind;
  std::string place; ///< "@model_step", "entry step".
  std::string opName;
  unsigned group;     ///< Number of the group in its function; from 1.
  Operation *op;      ///< Null for arguments.
  Value value;        ///< Null if the op keeps it to itself.
  Operation *groupOp; ///< Null outside groups.
  Type type;          ///< Of the value.

  /// The same value at the same place, inside groups in the same group.
  bool isSame(const Sighting &other) const {
    return id == other.id && kind == other.kind && place == other.place &&
           groupOp == other.groupOp;
  }
  /// Type, group, buffer, casts: lines without indentation, the first begins
  /// with the place.
  std::vector<std::string> describe(const WatchedValue &value) const;
};

/// All sightings in `module`, in order. A value may be made in several places:
/// in two entries, or again in each group that reads it. Where several ops
/// carry the same watch, it is the one of `before`, or one of its name, or the
/// last: what a pass puts at the location of a value leads to it. The others
/// lose their watch.
std::vector<Sighting> findSightings(ModuleOp module,
                                    ArrayRef<WatchedValue> values,
                                    ArrayRef<Sighting> before);

/// Groups become launches, whose kernels are shared: before that, what a group
/// does for a watched value is noted on the group.
void watchGroups(ArrayRef<Sighting> sightings);

/// Notes on what reads the values that it does, so that it can be asked after
/// a pass what it reads now.
void watchReaders(ArrayRef<Sighting> sightings);

/// Takes those notes back. Of values that are `gone` the watch goes to what
/// their readers read instead, an equal value; returns those for which there is
/// one.
std::vector<Sighting> followReaders(ModuleOp module, ArrayRef<Sighting> gone);

} // namespace mpc::explain

#endif // MPC_LIB_PIPELINES_EXPLAIN_SIGHTINGS_H
