// Runs passes and pipelines on graphs.
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mpc/InitAll.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mpc::registerAllDialects(registry);
  mpc::registerAllPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "mpc graph compiler", registry));
}
