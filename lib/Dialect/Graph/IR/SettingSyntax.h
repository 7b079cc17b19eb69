// Parts of the settings as text of their attributes: `name = value` between <
// and >, in any order, without what is the default. Names, values and defaults
// are those of the table of settings.
#ifndef MPC_LIB_DIALECT_GRAPH_IR_SETTINGSYNTAX_H
#define MPC_LIB_DIALECT_GRAPH_IR_SETTINGSYNTAX_H

#include "mlir/IR/OpImplementation.h"
#include "mpc/Dialect/Graph/Settings/SettingsTable.h"

namespace mpc::graph {

/// What an attribute holds besides fields of settings.
struct OtherField {
  StringRef name;
  function_ref<mlir::ParseResult()> parse;
  bool isNeeded = false;
};

/// Reads < fields >: those of `parts` into `settings`, and `others`.
mlir::ParseResult parseFields(mlir::AsmParser &parser, ArrayRef<Part> parts,
                              TrainingSettings &settings,
                              ArrayRef<OtherField> others = {});

/// "true" or "false".
mlir::ParseResult parseFlag(mlir::AsmParser &parser, bool &value);

/// Writes < fields >.
class FieldPrinter {
public:
  explicit FieldPrinter(mlir::AsmPrinter &printer) : printer(printer) {
    printer << "<";
  }
  ~FieldPrinter() { printer << ">"; }

  /// What of the part is not the default.
  void print(Part part, const TrainingSettings &settings);
  /// "name = ", for a value that is to follow.
  mlir::AsmPrinter &begin(StringRef name);

private:
  mlir::AsmPrinter &printer;
  bool isFirst = true;
};

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_IR_SETTINGSYNTAX_H
