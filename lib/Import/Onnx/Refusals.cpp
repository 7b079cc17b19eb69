#include "Refusals.h"
#include "mpc/Support/Printable.h"

using namespace mpc;

std::string mpc::onnx::describe(const ::onnx::NodeProto &node, StringRef path) {
  if (!node.name().empty())
    return "'" + path.str() + node.name() + "'";
  for (const std::string &output : node.output())
    if (!output.empty())
      return "that of '" + output + "'";
  return "one without a name";
}

std::string mpc::onnx::typeOf(const ::onnx::NodeProto &node) {
  if (node.domain().empty() || node.domain() == "ai.onnx")
    return node.op_type();
  return node.domain() + ":" + node.op_type();
}

std::string mpc::onnx::listSome(ArrayRef<std::string> names) {
  constexpr size_t most = 4;
  std::string list;
  for (const std::string &name : names.take_front(most))
    list += (list.empty() ? "" : ", ") + name;
  if (names.size() > most)
    list += " and " + std::to_string(names.size() - most) + " more";
  return list;
}

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
