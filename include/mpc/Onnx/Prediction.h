// A model that was exported as it trains, made one that predicts.
#ifndef MPC_ONNX_PREDICTION_H
#define MPC_ONNX_PREDICTION_H

#include "mpc/Support/Status.h"
#include "onnx.pb.h"

#include <string>
#include <vector>

namespace mpc::onnx {

/// The nodes that run as in training, "Dropout 'drop'": dropout that drops,
/// batch norm by its batch, and random numbers. None of those that are drawn
/// always (Masks.h).
std::vector<std::string> findTraining(::onnx::ModelProto &model);

/// Makes dropout pass its operand on, masks that are dropout ones (Masks.h),
/// and batch norm use the mean and variance that it has kept. Other random
/// numbers stay, since a model may mean them. Fails, having changed some, where
/// a node reads what only a batch norm that trains computes.
Status makePredicting(::onnx::ModelProto &model);

} // namespace mpc::onnx

#endif // MPC_ONNX_PREDICTION_H
