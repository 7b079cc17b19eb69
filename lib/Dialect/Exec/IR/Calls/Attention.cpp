// Attention as the program file has it.
#include "mpc/Dialect/Exec/IR/ExecDialect.h"
#include "mpc/Program/Program.h"

using namespace mpc;
using namespace mpc::exec;

void AttentionAttr::setOptions(program::CallT &call) const {
  program::AttentionT options;
  options.backward = getBackward();
  options.causal = getCausal();
  options.window = getWindow();
  options.scale = getScale().value;
  options.softcap = getSoftcap().value;
  options.dropout = getDropout().value;
  options.stream = getStream();
  call.options.Set(options);
}
