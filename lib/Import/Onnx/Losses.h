// Losses that are added to a model: --loss.
#ifndef MPC_LIB_IMPORT_ONNX_LOSSES_H
#define MPC_LIB_IMPORT_ONNX_LOSSES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mpc/Interfaces/LLVM.h"
#include "llvm/ADT/StringSet.h"

#include <string>
#include <utility>
#include <vector>

namespace mpc::onnx {

struct Loss {
  std::string kind;   ///< A loss of the graph dialect; empty: `output` is it.
  std::string output; ///< Empty: no loss at all.
  std::string target;
  std::vector<std::pair<std::string, std::string>> parameters;
  int64_t classDim = -1; ///< Of the output, where the loss has classes.
  /// The sum over the number of samples, which dim 0 is, and no mean.
  bool isBatchMean = false;
};

/// Reads what `Options::loss` says for a model with these outputs, each of
/// which a text may be, whatever is in its name; an error at `location` if it
/// is none.
FailureOr<Loss> readLoss(StringRef text, const llvm::StringSet<> &outputs,
                         Location location);

/// What is wrong with `text` as a loss, whatever the model is. What may be the
/// name of an output, as "loss:0", is not wrong yet.
std::optional<std::string> findLossMistake(StringRef text);

/// The type of the target beside an output of `type`: labels are of all dims
/// but that of the classes.
FailureOr<mlir::RankedTensorType>
targetType(const Loss &loss, mlir::RankedTensorType type, Location location);

/// The loss of rank 0; null, with what is wrong in `error`, if it cannot be.
Value finishLoss(const Loss &loss, Value output, Value target,
                 mlir::ImplicitLocOpBuilder &builder, std::string &error);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_LOSSES_H
