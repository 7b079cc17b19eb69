// What messages call nodes, and what walks over a whole model share.
#ifndef MPC_ONNX_NODES_H
#define MPC_ONNX_NODES_H

#include "onnx.pb.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace mpc::onnx {

/// The domain of op types that ONNX does not have, and we do.
constexpr std::string_view kOwnDomain = "mpc";

/// "'node'", or by its first output if it has no name; `path` are the calls of
/// functions in which it stands, as "call/".
std::string describe(const ::onnx::NodeProto &node, std::string_view path = "");
/// "Add", or "domain:Type" of other domains than ONNX' own.
std::string typeOf(const ::onnx::NodeProto &node);
/// "'a', 'b', 'c' and 4 more".
std::string listSome(std::span<const std::string> names);

/// Calls `visit` with each graph: the model's, and those in its nodes and
/// functions.
void forEachGraph(::onnx::ModelProto &model,
                  const std::function<void(::onnx::GraphProto &)> &visit);
/// The same with each node.
void forEachNode(::onnx::ModelProto &model,
                 const std::function<void(::onnx::NodeProto &)> &visit);
/// The same with each tensor, those in attributes among them.
void forEachTensor(::onnx::ModelProto &model,
                   const std::function<void(::onnx::TensorProto &)> &visit);

} // namespace mpc::onnx

#endif // MPC_ONNX_NODES_H
