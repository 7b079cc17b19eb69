// `graph.training` in a form that can be changed field by field.
//
// Read it from the attribute, set fields by the names that the options have on
// the command line, write the attribute back; its verifier judges the result.
// Fields of the optimizer can be set before the optimizer is chosen.
#ifndef MPC_DIALECT_GRAPH_TRANSFORMS_TRAININGSETTINGS_H
#define MPC_DIALECT_GRAPH_TRANSFORMS_TRAININGSETTINGS_H

#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include <optional>
#include <string>

namespace mpc::graph {

class TrainingSettings {
public:
  using EmitError = function_ref<InFlightDiagnostic()>;

  /// The settings of `attribute`, or the defaults when it is null.
  explicit TrainingSettings(TrainingAttr attribute);

  /// Sets the field `option` ("lr", "loss-scale", ...) from its text. An empty
  /// `text` keeps the field. Fails with an error that names the option when the
  /// text is not a value of the field's type. `option` must be one of the
  /// options of mpc-apply-options.
  LogicalResult set(StringRef option, StringRef text, EmitError emitError);

  /// The attribute, or failure after an error when a value is out of range.
  FailureOr<TrainingAttr> build(MLIRContext *context,
                                EmitError emitError) const;

private:
  // The field of an option by the kind of its value, or null.
  std::string *wordField(StringRef option);
  int64_t *integerField(StringRef option);
  double *numberField(StringRef option);
  void setLossScale(StringRef text);
  FailureOr<OptimizerAttr> buildOptimizer(MLIRContext *context,
                                          EmitError emitError) const;

  std::string precision = "fp32", autocast = "cheapest", rounding = "fused";
  std::string scaleMode = "none";
  double scaleInit = 65536.0, scaleGrowth = 2.0, scaleBackoff = 0.5;
  int64_t scaleInterval = 2000;
  std::string optimizer; // empty: none chosen
  std::optional<double> lr;
  double weightDecay = 0.0, momentum = 0.0;
  bool nesterov = false;
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  double clipNorm = 0.0;
  int64_t bucketBytes = 26214400;
};

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_TRANSFORMS_TRAININGSETTINGS_H
