#include "mpc/Interfaces/KnownAttributes.h"

using namespace mpc;

/// What the op has beside its attributes goes between <{ and }>.
static bool isProperty(Operation *op, StringRef name) {
  auto properties =
      dyn_cast_or_null<mlir::DictionaryAttr>(op->getPropertiesAsAttribute());
  return properties && properties.contains(name);
}

/// The attribute of `op` that `name` is a misspelling of; empty: none.
static StringRef findNearest(Operation *op, StringRef name) {
  StringRef nearest;
  unsigned least =
      std::max<unsigned>(2, static_cast<unsigned>(name.size()) / 2);
  for (mlir::StringAttr known : op->getName().getAttributeNames())
    if (unsigned distance = name.edit_distance(known.getValue());
        distance < least) {
      nearest = known;
      least = distance;
    }
  return nearest;
}

LogicalResult mpc::verifyKnownAttributes(Operation *op) {
  for (mlir::NamedAttribute attribute : op->getDiscardableAttrs()) {
    StringRef name = attribute.getName();
    if (name.contains('.'))
      continue;
    if (isProperty(op, name))
      return op->emitOpError("expected '")
             << name << "' among its properties: <{" << name << " = "
             << attribute.getValue() << "}>";
    InFlightDiagnostic error = op->emitOpError("has no attribute '");
    error << name << "'";
    if (StringRef nearest = findNearest(op, name); !nearest.empty())
      error << ", did you mean '" << nearest << "'?";
    return error;
  }
  return success();
}
