// mlir-opt with the passes of mpc and a dialect that mpc does not know.
#include "Example.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mpc/InitAll.h"

int main(int argc, char **argv) {
  mpc::registerAllPasses();
  mlir::DialectRegistry registry;
  mpc::registerAllDialects(registry);
  registry.insert<example::ExampleDialect>();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "foreign-opt\n", registry));
}
