// The kernels of a program, each distinct computation once.
#ifndef MPC_LIB_CONVERSION_GRAPHTOEXEC_KERNELS_H
#define MPC_LIB_CONVERSION_GRAPHTOEXEC_KERNELS_H

#include "mpc/Dialect/Exec/IR/ExecOps.h"
#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"
#include <unordered_map>

namespace mpc::graph {
class GroupOp;
} // namespace mpc::graph

namespace mpc {

class KernelTable {
public:
  /// Kernels go where `builder` stands; `strict`: rounding after every op.
  KernelTable(OpBuilder builder, bool strict);

  /// The kernel that computes `group`, made if it is new. Groups are equal when
  /// their bodies and types are, whatever they were written for: locations,
  /// marks and reasons do not count. The name is a hash of the content.
  FailureOr<exec::KernelOp> get(graph::GroupOp group);

private:
  FailureOr<exec::KernelOp> create(graph::GroupOp group, StringRef name);

  OpBuilder builder;
  bool strict;
  /// By a hash of what the group computes.
  std::unordered_multimap<size_t, exec::KernelOp> kernels;
};

} // namespace mpc

#endif // MPC_LIB_CONVERSION_GRAPHTOEXEC_KERNELS_H
