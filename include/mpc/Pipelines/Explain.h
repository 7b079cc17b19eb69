// The life of a value: its type through all stages, where it lies in the end,
// and the rule behind each change (mpc-opt --explain).
//
// The value gets a watch (mpc/Dialect/Graph/IR/Watch.h). After every pass the
// module is searched for what carries it; what changed is told in the words
// of the casts, decisions and remarks that the passes left.
#ifndef MPC_PIPELINES_EXPLAIN_H
#define MPC_PIPELINES_EXPLAIN_H

#include "mlir/Pass/PassManager.h"
#include "mpc/Interfaces/LLVM.h"
#include <memory>
#include <string>
#include <vector>

namespace mlir {
class AsmParserState;
} // namespace mlir

namespace mpc {

/// A value of the input that is to be followed.
struct WatchedValue {
  std::string name;      ///< "%h", "%u#1"; as the file spells it.
  std::string function;  ///< "@model".
  std::string what;      ///< "graph.add", "parameter 'w'".
  std::string location;  ///< "model.mlir:5:8".
  std::string parameter; ///< Its name if it is one.
  bool isArgument;
};

/// Puts watches on the values that `text` means, and returns them;
/// their index is the id of their watch. `text` is an SSA name ("%h"), the name
/// of an input, parameter, state or output ("w"), a name given by loc("...") or
/// a place ("model.mlir:5", "model.mlir:5:8", with or without folders). SSA
/// names are those in the file: `names` is what the parser saw.
/// Fails with a message in `error` that lists near names.
FailureOr<std::vector<WatchedValue>>
watchValues(const mlir::AsmParserState &names, StringRef text,
            std::string &error);

class Explanation {
public:
  /// Of values that watchValues found. Looks at `module` as it is now, and at
  /// what every pass of `pm` does to it. Takes the remarks of the context:
  /// those about these values become part of the explanation, others are
  /// dropped.
  Explanation(std::vector<WatchedValue> values, ModuleOp module,
              mlir::PassManager &pm);
  ~Explanation();

  /// One paragraph per value, one line per stage and place.
  void print(llvm::raw_ostream &stream) const;

private:
  class Recorder;
  std::shared_ptr<Recorder> recorder;
};

} // namespace mpc

#endif // MPC_PIPELINES_EXPLAIN_H
