// Fields that are newer than the schema with which messages are parsed: those
// that change nothing are let through or read here, others are refused, since
// what they say would be lost.
#ifndef MPC_ONNX_UNKNOWNFIELDS_H
#define MPC_ONNX_UNKNOWNFIELDS_H

#include "onnx.pb.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mpc::onnx {

/// What is wrong with a message of `model`; nothing if all is understood.
std::optional<std::string> findNewField(const ::onnx::ModelProto &model);

/// The metadata of a graph or a node (metadata_props, of IR version 10): keys
/// and values.
std::vector<std::pair<std::string, std::string>>
readMetadata(const ::onnx::GraphProto &graph);
std::vector<std::pair<std::string, std::string>>
readMetadata(const ::onnx::NodeProto &node);

} // namespace mpc::onnx

#endif // MPC_ONNX_UNKNOWNFIELDS_H
