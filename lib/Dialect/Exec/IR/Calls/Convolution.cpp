// A convolution as the program file has it.
#include "mpc/Dialect/Exec/IR/ExecDialect.h"
#include "mpc/Program/Program.h"

using namespace mpc;
using namespace mpc::exec;

void ConvolutionAttr::setOptions(program::CallT &call) const {
  program::ConvolutionT options;
  options.strides.assign(getStrides().begin(), getStrides().end());
  options.low.assign(getLow().begin(), getLow().end());
  options.dilations.assign(getDilations().begin(), getDilations().end());
  options.groups = getGroups();
  call.options.Set(std::move(options));
}
