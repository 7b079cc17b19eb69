#include "mpc/Onnx/UnknownFields.h"

#include <algorithm>
#include <google/protobuf/io/coded_stream.h>

using namespace mpc;
using google::protobuf::io::CodedInputStream;

namespace {
/// The numbers and, of those with a length, contents of fields.
struct Field {
  int number;
  std::string content;
};
} // namespace

/// Of what the parser has kept, and so found well-formed.
static std::vector<Field> readFields(const std::string &bytes) {
  std::vector<Field> fields;
  CodedInputStream stream(reinterpret_cast<const uint8_t *>(bytes.data()),
                          int(bytes.size()));
  while (uint32_t tag = stream.ReadTag()) {
    Field field{int(tag >> 3), ""};
    uint64_t ignored = 0;
    uint32_t length = 0, four = 0;
    bool isGood = false;
    switch (tag & 7) {
    case 0:
      isGood = stream.ReadVarint64(&ignored);
      break;
    case 1:
      isGood = stream.ReadLittleEndian64(&ignored);
      break;
    case 2:
      isGood = stream.ReadVarint32(&length) &&
               stream.ReadString(&field.content, int(length));
      break;
    case 5:
      isGood = stream.ReadLittleEndian32(&four);
      break;
    default:
      break;
    }
    fields.push_back(std::move(field));
    if (!isGood)
      break;
  }
  return fields;
}

namespace {
class Search {
public:
  std::optional<std::string> found;

  /// Of `message`, the fields `known` change nothing.
  template <typename Message>
  void check(const Message &message, const char *what,
             std::initializer_list<int> known) {
    if (found || message.unknown_fields().empty())
      return;
    for (const Field &field : readFields(message.unknown_fields()))
      if (std::ranges::find(known, field.number) == known.end()) {
        found = std::string("field ") + std::to_string(field.number) + " of " +
                what;
        return;
      }
  }

  void visit(const ::onnx::TensorProto &tensor) {
    check(tensor, "a TensorProto", {16}); // metadata_props
  }
  void visit(const ::onnx::ValueInfoProto &value) {
    check(value, "a ValueInfoProto", {4}); // metadata_props
    check(value.type(), "a TypeProto", {});
    check(value.type().tensor_type(), "a TypeProto.Tensor", {});
    for (const auto &dim : value.type().tensor_type().shape().dim())
      check(dim, "a dimension", {});
  }
  void visit(const ::onnx::AttributeProto &attribute) {
    check(attribute, "an AttributeProto", {});
    visit(attribute.t());
    for (const auto &tensor : attribute.tensors())
      visit(tensor);
    if (attribute.has_g())
      visit(attribute.g());
    for (const auto &graph : attribute.graphs())
      visit(graph);
  }
  void visit(const ::onnx::NodeProto &node) {
    // metadata_props; how devices share a node, which is no meaning.
    check(node, "a NodeProto", {9, 10});
    for (const auto &attribute : node.attribute())
      visit(attribute);
  }
  void visit(const ::onnx::GraphProto &graph) {
    check(graph, "a GraphProto", {16}); // metadata_props
    for (const auto &node : graph.node())
      visit(node);
    for (const auto &tensor : graph.initializer())
      visit(tensor);
    for (const auto &value : graph.input())
      visit(value);
  }
};
} // namespace

std::optional<std::string>
mpc::onnx::findNewField(const ::onnx::ModelProto &model) {
  Search search;
  search.check(model, "a ModelProto", {26}); // how devices share it
  search.visit(model.graph());
  for (const auto &function : model.functions()) {
    // value_info, metadata_props; not 11, defaults of attributes, nor 13, which
    // of several functions of a name it is.
    search.check(function, "a FunctionProto", {12, 14});
    for (const auto &node : function.node())
      search.visit(node);
  }
  return search.found;
}

static std::vector<std::pair<std::string, std::string>>
readPairs(const std::string &unknown, int number) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const Field &field : readFields(unknown)) {
    ::onnx::StringStringEntryProto entry;
    if (field.number == number && entry.ParseFromString(field.content))
      pairs.emplace_back(entry.key(), entry.value());
  }
  return pairs;
}

std::vector<std::pair<std::string, std::string>>
mpc::onnx::readMetadata(const ::onnx::GraphProto &graph) {
  return readPairs(graph.unknown_fields(), 16);
}

std::vector<std::pair<std::string, std::string>>
mpc::onnx::readMetadata(const ::onnx::NodeProto &node) {
  return readPairs(node.unknown_fields(), 9);
}
