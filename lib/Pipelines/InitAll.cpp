#include "mpc/InitAll.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/Passes.h"
#include "mpc/Conversion/Passes.h"
#include "mpc/Dialect/Exec/IR/ExecDialect.h"
#include "mpc/Dialect/Exec/Transforms/Passes.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "mpc/Emit/Passes.h"
#include "mpc/Pipelines/Passes.h"
#include "mpc/Pipelines/Pipelines.h"

void mpc::registerAllDialects(mlir::DialectRegistry &registry) {
  registry.insert<mlir::func::FuncDialect, graph::GraphDialect,
                  exec::ExecDialect>();
}

void mpc::registerAllPasses() {
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::registerSymbolDCEPass();
  graph::registerGraphTransformsPasses();
  registerConvertGraphToExec();
  exec::registerPlanBuffers();
  exec::registerVerifyExec();
  exec::registerPrintMemory();
  registerLimitMemory();
  emit::registerEmitKernels();
  registerPipelines();
}
