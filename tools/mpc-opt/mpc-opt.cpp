// Runs passes and pipelines on graphs.
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::func::FuncDialect, mpc::graph::GraphDialect>();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "mpc graph compiler", registry));
}
