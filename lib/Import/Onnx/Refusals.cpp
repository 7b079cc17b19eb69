#include "Refusals.h"
#include "mpc/Support/Printable.h"

using namespace mpc;

void mpc::onnx::Refusals::add(const ::onnx::NodeProto &node, StringRef path,
                              const std::string &reason) {
  nodes[{typeOf(node), printable(reason)}].push_back(describe(node, path));
}

LogicalResult mpc::onnx::Refusals::report(Location location) const {
  size_t count = 0;
  for (const auto &[kind, names] : nodes)
    count += names.size();
  InFlightDiagnostic error = mlir::emitError(location);
  error << "expected nodes that can be imported, but " << count << " cannot";
  for (const auto &[kind, names] : nodes)
    error.attachNote(location) << kind.first << ", " << names.size()
                               << (names.size() == 1 ? " node (" : " nodes (")
                               << listSome(names) << "): " << kind.second;
  return error;
}
