// Nodes that cannot be converted, told together when the whole model was read.
#ifndef MPC_LIB_IMPORT_ONNX_REFUSALS_H
#define MPC_LIB_IMPORT_ONNX_REFUSALS_H

#include "mlir/IR/Diagnostics.h"
#include "mpc/Interfaces/LLVM.h"
#include "onnx.pb.h"
#include "llvm/ADT/MapVector.h"

#include <map>
#include <string>
#include <vector>

namespace mpc::onnx {

/// "'node'", or by its first output if it has no name; `path` are the calls of
/// functions in which it stands, as "call/".
std::string describe(const ::onnx::NodeProto &node, StringRef path = "");
/// The domain of op types that ONNX does not have, and we do.
constexpr llvm::StringLiteral kOwnDomain = "mpc";

/// "Add", or "domain:Type" of other domains than ONNX' own.
std::string typeOf(const ::onnx::NodeProto &node);
/// "'a', 'b', 'c' and 4 more".
std::string listSome(ArrayRef<std::string> names);

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
