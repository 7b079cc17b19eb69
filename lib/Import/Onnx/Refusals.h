// Nodes that cannot be converted, told together when the whole model was read.
#ifndef MPC_LIB_IMPORT_ONNX_REFUSALS_H
#define MPC_LIB_IMPORT_ONNX_REFUSALS_H

#include "mlir/IR/Diagnostics.h"
#include "mpc/Interfaces/LLVM.h"
#include "mpc/Onnx/Nodes.h"
#include "llvm/ADT/MapVector.h"

#include <map>
#include <string>
#include <vector>

namespace mpc::onnx {

class Refusals {
public:
  void add(const ::onnx::NodeProto &node, StringRef path,
           const std::string &reason);
  bool empty() const { return nodes.empty(); }
  /// One error with a note for each kind of refusal.
  LogicalResult report(Location location) const;

private:
  using Kind = std::pair<std::string, std::string>; ///< Op type and reason.
  llvm::MapVector<Kind, std::vector<std::string>, std::map<Kind, unsigned>>
      nodes;
};

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_REFUSALS_H
