// Losses that are added to a model: --loss.
#ifndef MPC_LIB_IMPORT_ONNX_LOSSES_H
#define MPC_LIB_IMPORT_ONNX_LOSSES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mpc/Interfaces/LLVM.h"

#include <string>
#include <utility>
#include <vector>

namespace mpc::onnx {

struct Loss {
  std::string kind;   ///< A loss of the graph dialect; empty: `output` is it.
  std::string output; ///< Empty: no loss at all.
  std::string target;
  std::vector<std::pair<std::string, std::string>> parameters;
};

/// Reads what `Options::loss` says; an error at `location` if it is none.
FailureOr<Loss> readLoss(StringRef text, Location location);

/// What is wrong with `text` as a loss, whatever the model is.
std::optional<std::string> findLossMistake(StringRef text);

/// The type of the target beside an output of `type`.
FailureOr<mlir::RankedTensorType>
targetType(const Loss &loss, mlir::RankedTensorType type, Location location);

/// The loss of rank 0; null, with what is wrong in `error`, if it cannot be.
Value finishLoss(const Loss &loss, Value output, Value target,
                 mlir::ImplicitLocOpBuilder &builder, std::string &error);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_LOSSES_H
