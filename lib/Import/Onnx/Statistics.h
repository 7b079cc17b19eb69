// Running statistics that a model reads itself.
#ifndef MPC_LIB_IMPORT_ONNX_STATISTICS_H
#define MPC_LIB_IMPORT_ONNX_STATISTICS_H

#include "Constant.h"

namespace mpc::onnx {

/// Whether `model` says of its initializer `name` that it is the running
/// statistic wherever it is read, and no constant that is equal: readers have
/// the value from before the step, and no gradient.
bool isReadStatistic(const ::onnx::ModelProto &model, StringRef name);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_STATISTICS_H
