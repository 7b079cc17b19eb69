// Decides what a library executes together with each call of a block, by what
// the library of the target can do (mpc/Interfaces/Target.h):
//   - transposes, slices and broadcasts in front of it that the library can
//     read in place, by strides;
//   - epilogues after the product: a bias, another tensor of its size where
//     that saves bytes (of two products that are added, the later takes the
//     result of the earlier), then a function, when nothing else reads what is
//     between, or when the library can store that as well;
//   - or transposes of its results, and a concat of them, where the library can
//     write each where it comes to lie.
// Reads only. Ops that no call takes are fused as any others.
#ifndef MPC_DIALECT_GRAPH_ANALYSIS_LIBRARYCALLS_H
#define MPC_DIALECT_GRAPH_ANALYSIS_LIBRARYCALLS_H

#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"
#include "mpc/Interfaces/StridedShape.h"
#include "mpc/Interfaces/Target.h"

namespace mpc::graph {

class LibraryCalls {
public:
  /// What a call cannot take along although it has the form.
  struct Refusal {
    Operation *call, *op;
    std::string reason;
  };

  /// A tensor that a call adds to its product.
  struct Addend {
    Operation *call, *add;
    int64_t savedBytes; ///< Of those that are moved.
    /// Between product and addend: the call adds the tensor only if the reshape
    /// comes after that. Null if there is none.
    Operation *reshape;
  };

  /// Without `fusedRounding`, calls take nothing along: values between the
  /// product and what follows it are rounded, and the product is summed in the
  /// same order wherever it stands.
  LibraryCalls(Block &block, const TargetDescription &target,
               bool fusedRounding);
  ~LibraryCalls();

  /// What `call` takes along of what stands in front of it and after it, each
  /// op behind those that it reads.
  ArrayRef<Operation *> getHead(Operation *call) const;
  ArrayRef<Operation *> getTail(Operation *call) const;
  bool isTaken(Operation *op) const { return taken.contains(op); }
  ArrayRef<Refusal> getRefusals() const { return refusals; }
  ArrayRef<Addend> getAddends() const { return addends; }

private:
  void takeMovements(LibraryCallOpInterface call);
  void takeEpilogues(LibraryCallOpInterface call);
  bool addsOther(Operation *call, Operation *add, Value result,
                 Operation *reshape);
  void findAddendBehindReshape(LibraryCallOpInterface call, Value result);
  void takeConcats(StridedResultsOpInterface call);
  void takeTransposes(StridedResultsOpInterface call);
  void take(Operation *call, Operation *op);

  Block &block;
  const TargetDescription &target;
  std::unique_ptr<class Addends> decisions; ///< Made when it is asked.
  DenseMap<Operation *, SmallVector<Operation *, 2>> heads, tails;
  DenseSet<Operation *> taken;
  SmallVector<Refusal> refusals;
  SmallVector<Addend> addends;
};

/// The movements in front of operand `index` of `call` that the library of
/// `target` can do by reading in place, in program order. Who takes them along
/// needs copies of his own where others read them, too.
SmallVector<Operation *> getMovementsInPlace(LibraryCallOpInterface call,
                                             unsigned index,
                                             const TargetDescription &target);

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_ANALYSIS_LIBRARYCALLS_H
