// The passes on the graph dialect, one record each in Passes.td. Every pass
// that takes options declares a struct <Pass>Options; `create<Pass>(options)`
// builds it. A library that only builds pipelines includes this header; a file
// that defines a pass sets GEN_PASS_DEF_<PASS> and includes Passes.h.inc
// itself.
#ifndef MPC_DIALECT_GRAPH_TRANSFORMS_PASSES_H
#define MPC_DIALECT_GRAPH_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "mpc/Dialect/Graph/Training/SettingTexts.h"
#include "mpc/Interfaces/LLVM.h"
#include <memory>

namespace mpc::graph {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "mpc/Dialect/Graph/Transforms/Passes.h.inc"

/// mpc-apply-options with the settings of `texts`.
std::unique_ptr<mlir::Pass> createApplyOptions(const SettingTexts &texts,
                                               ApplyOptionsOptions options);

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_TRANSFORMS_PASSES_H
