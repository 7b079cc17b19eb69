// A matrix product as the program file has it.
#include "mpc/Dialect/Exec/IR/ExecDialect.h"
#include "mpc/Program/Program.h"

using namespace mpc;
using namespace mpc::exec;

#define MPC_SAME(kind, word)                                                   \
  static_assert(static_cast<int>(exec::kind::word) ==                          \
                static_cast<int>(program::kind::word))
MPC_SAME(Epilogue, None);
MPC_SAME(Epilogue, Relu);
MPC_SAME(Epilogue, GeluErf);
MPC_SAME(Epilogue, GeluTanh);
MPC_SAME(Epilogue, Tanh);
MPC_SAME(Epilogue, Sigmoid);
static_assert(getMaxEnumValForEpilogue() ==
              static_cast<unsigned>(program::Epilogue::MAX));

void MatmulAttr::setOptions(program::CallT &call) const {
  program::MatmulT options;
  options.epilogue = static_cast<program::Epilogue>(getEpilogue());
  options.derivative = getDerivative();
  call.options.Set(options);
}
