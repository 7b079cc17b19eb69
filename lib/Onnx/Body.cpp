#include "Body.h"
#include "mpc/Onnx/ElementTypes.h"
#include "mpc/Onnx/Nodes.h"
#include "mpc/Onnx/Parameters.h"

#include <algorithm>
#include <bit>
#include <cstring>

using namespace mpc;
using namespace mpc::onnx;

const ::onnx::AttributeProto *
mpc::onnx::findAttribute(const ::onnx::NodeProto &node, std::string_view name) {
  for (const auto &attribute : node.attribute())
    if (attribute.name() == name)
      return &attribute;
  return nullptr;
}

bool mpc::onnx::readsNoValue(const Use &use) {
  constexpr std::string_view all[] = {"Shape", "Size", "EyeLike",
                                      "RandomNormalLike", "RandomUniformLike"};
  std::string_view type = use.node->op_type();
  return std::ranges::find(all, type) != std::end(all) ||
         (type == "CastLike" && use.operand == 1);
}

//===-- Who reads what ----------------------------------------------------===//

void mpc::onnx::collectInner(const ::onnx::NodeProto &node,
                             std::set<std::string, std::less<>> &names) {
  auto visit = [&](const ::onnx::GraphProto &graph) {
    for (const auto &inner : graph.node()) {
      names.insert(inner.input().begin(), inner.input().end());
      collectInner(inner, names);
    }
    for (const auto &output : graph.output())
      names.insert(output.name());
  };
  for (const auto &attribute : node.attribute()) {
    if (attribute.has_g())
      visit(attribute.g());
    for (const auto &graph : attribute.graphs())
      visit(graph);
  }
}

void Body::read(const NodeList &nodes) {
  for (const auto &node : nodes) {
    for (const std::string &name : node.output())
      if (!name.empty())
        makers[name] = &node;
    for (int i = 0; i < node.input_size(); ++i)
      if (!node.input(i).empty())
        uses[node.input(i)].push_back({&node, i});
    collectInner(node, outside);
  }
}

Body::Body(const ::onnx::GraphProto &graph, const Parameters *parameters)
    : parameters(parameters) {
  for (const auto &tensor : graph.initializer())
    initializers[tensor.name()] = &tensor;
  for (const auto &output : graph.output())
    outside.insert(output.name());
  read(graph.node());
}

Body::Body(const ::onnx::FunctionProto &function) {
  outside.insert(function.output().begin(), function.output().end());
  read(function.node());
}

const std::vector<Use> &Body::usesOf(const std::string &name) const {
  static const std::vector<Use> none;
  auto found = uses.find(name);
  return found == uses.end() ? none : found->second;
}

//===-- Numbers -----------------------------------------------------------===//

static double readReal(const char *bytes, DType format) {
  uint64_t bits = 0; // little-endian, as the file
  std::memcpy(&bits, bytes, getInfo(format).bytes);
  switch (format) {
  case DType::F64:
    return std::bit_cast<double>(bits);
  case DType::F16:
    return halfToFloat(uint16_t(bits));
  case DType::BF16:
    return bfloatToFloat(uint16_t(bits));
  default:
    return std::bit_cast<float>(uint32_t(bits));
  }
}

/// Exporters write numbers of a program as it has them, and cast them.
static std::optional<Number> integerIn(const ::onnx::TensorProto &tensor) {
  bool isShort = tensor.data_type() == ::onnx::TensorProto::INT32;
  if ((!isShort && tensor.data_type() != ::onnx::TensorProto::INT64) ||
      tensor.dims_size() > 1 ||
      (tensor.dims_size() == 1 && tensor.dims(0) != 1))
    return std::nullopt;
  const std::string &raw = tensor.raw_data();
  int64_t number = 0;
  int32_t half = 0;
  if (isShort && raw.size() == sizeof(half)) {
    std::memcpy(&half, raw.data(), sizeof(half));
    number = half;
  } else if (!isShort && raw.size() == sizeof(number)) {
    std::memcpy(&number, raw.data(), sizeof(number));
  } else if (isShort && tensor.int32_data_size() == 1) {
    number = tensor.int32_data(0);
  } else if (!isShort && tensor.int64_data_size() == 1) {
    number = tensor.int64_data(0);
  } else {
    return std::nullopt;
  }
  return Number{double(number), 0};
}

static std::optional<Number> numberIn(const ::onnx::TensorProto &tensor) {
  std::optional<DType> format = floatFormatOf(tensor.data_type());
  if (!format && tensor.data_location() != ::onnx::TensorProto::EXTERNAL)
    return integerIn(tensor);
  if (!format || tensor.data_location() == ::onnx::TensorProto::EXTERNAL)
    return std::nullopt;
  std::optional<double> first;
  auto take = [&](double real) {
    if (!first)
      first = real;
    return real == *first;
  };
  size_t bytes = getInfo(*format).bytes;
  const std::string &raw = tensor.raw_data();
  bool isSame = true;
  for (size_t at = 0; isSame && at + bytes <= raw.size(); at += bytes)
    isSame = take(readReal(raw.data() + at, *format));
  isSame =
      isSame && std::ranges::all_of(tensor.float_data(), take) &&
      std::ranges::all_of(tensor.double_data(), take) &&
      std::ranges::all_of(tensor.int32_data(), [&](int32_t bits) {
        return bytes == 2 &&
               take(readReal(reinterpret_cast<const char *>(&bits), *format));
      });
  if (!isSame || !first)
    return std::nullopt;
  bool isOne = tensor.dims_size() == 0 ||
               (tensor.dims_size() == 1 && tensor.dims(0) == 1);
  return Number{*first, bytes == 2 ? 0x1p-8 : 1e-6, isOne};
}

/// Of what is no node's operand.
static std::optional<Number> numberMadeBy(const ::onnx::NodeProto &node) {
  const auto *tensor = findAttribute(node, "value");
  const auto *real = findAttribute(node, "value_float");
  if (real)
    return Number{real->f(), 1e-6};
  std::optional<Number> number = tensor ? numberIn(tensor->t()) : std::nullopt;
  if (number && node.op_type() == "ConstantOfShape")
    number->isOne = false;
  return number;
}

std::optional<Number> Body::numberOf(const std::string &name) const {
  constexpr int most = 16;
  std::string at = name;
  bool isOne = true;
  std::optional<Number> number;
  for (int steps = 0; steps < most; ++steps) {
    const ::onnx::NodeProto *maker = makerOf(at);
    std::string_view type = maker ? maker->op_type() : std::string_view();
    auto tensor = initializers.find(at);
    if (tensor != initializers.end())
      number = numberIn(*tensor->second);
    else if (type == "Constant" || type == "ConstantOfShape")
      number = numberMadeBy(*maker);
    bool isCast = type == "Cast" || type == "CastLike" || type == "Identity";
    bool isShaped =
        type == "Expand" || type == "Reshape" || type == "Unsqueeze";
    if (number || !(isCast || isShaped) || maker->input_size() == 0)
      break;
    isOne &= !isShaped;
    at = maker->input(0);
  }
  if (number)
    number->isOne &= isOne;
  return number;
}

//===-- Values ------------------------------------------------------------===//

bool Body::isOfArguments(const std::string &name) const {
  constexpr size_t most = 1024;
  std::vector<std::string> sources = {name};
  std::set<std::string> seen = {name};
  for (size_t i = 0; i < sources.size() && i < most; ++i) {
    const ::onnx::NodeProto *maker = makerOf(sources[i]);
    auto tensor = initializers.find(sources[i]);
    if (!maker && tensor == initializers.end())
      return true; // an input, or of a graph around
    if (!maker && parameters && parameters->contains(*tensor->second))
      return true;
    for (int k = 0; maker && k < maker->input_size(); ++k)
      if (!maker->input(k).empty() && !readsNoValue({maker, k}) &&
          seen.insert(maker->input(k)).second)
        sources.push_back(maker->input(k));
  }
  return false;
}
