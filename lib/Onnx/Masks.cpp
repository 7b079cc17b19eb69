#include "mpc/Onnx/Masks.h"
#include "Body.h"
#include "mpc/Onnx/ElementTypes.h"
#include "mpc/Onnx/Nodes.h"
#include "mpc/Onnx/Parameters.h"
#include "mpc/Onnx/UnknownFields.h"

#include <algorithm>
#include <cmath>
#include <set>

using namespace mpc;
using namespace mpc::onnx;
using ::onnx::NodeProto;

bool mpc::onnx::isDrawnAlways(const NodeProto &node) {
  return std::ranges::any_of(readMetadata(node), [](const auto &entry) {
    return entry.first == "mpc.drawn" && entry.second == "always";
  });
}

static bool isOneOf(const NodeProto &node,
                    std::initializer_list<std::string_view> types) {
  bool isOwn = node.domain().empty() || node.domain() == "ai.onnx";
  return isOwn && std::ranges::find(types, node.op_type()) != types.end();
}

static bool isUnitUniform(const NodeProto &node) {
  auto real = [&](const char *name, float otherwise) {
    const auto *attribute = findAttribute(node, name);
    return attribute ? attribute->f() : otherwise;
  };
  return isOneOf(node, {"RandomUniform", "RandomUniformLike"}) &&
         real("low", 0) == 0 && real("high", 1) == 1;
}

/// Stops of gradients change no number, and casts to a float no zero and one.
static bool isCast(const Use &use) {
  if (use.node->domain() == kOwnDomain)
    return use.node->op_type() == "StopGradient";
  return use.operand == 0 &&
         isOneOf(*use.node, {"Cast", "CastLike", "Identity"});
}

/// The same of numbers that are drawn, which are others as integers.
static bool isFloatCast(const Use &use) {
  if (!isCast(use) || use.node->op_type() == "CastLike")
    return false;
  const auto *type = findAttribute(*use.node, "to");
  return !type || isFloatType(int(type->i()));
}

static bool isReshaping(const Use &use) {
  return use.operand == 0 &&
         isOneOf(*use.node, {"Expand", "Flatten", "Reshape", "Squeeze",
                             "Transpose", "Unsqueeze"});
}

namespace {
/// Follows what is drawn to what multiplies it. One that reads it otherwise,
/// and so the whole, is no dropout.
class MaskSearch {
public:
  MaskSearch(const Body &body, const NodeProto &draw)
      : body(body), draw(draw) {}

  std::map<const NodeProto *, MaskNode> parts;

  bool find() {
    if (draw.op_type() == "Bernoulli") {
      std::optional<Number> p = body.numberOf(draw.input(0));
      return p && takeKept(draw, *p) && isWhole();
    }
    return followDrawn(draw.output(0)) && isWhole();
  }

private:
  bool isWhole() const { // and not numbers that nobody reads
    return std::ranges::any_of(parts, [](const auto &entry) {
      return entry.second.part == MaskPart::Scaled ||
             entry.second.part == MaskPart::Product;
    });
  }

  /// Values that are met twice, as in a file with a cycle, are of no mask.
  template <typename Reader>
  bool forEachUse(const std::string &name, Reader reads) {
    return visited.size() < kMost && visited.insert(name).second &&
           !body.isSeenOutside(name) &&
           std::ranges::all_of(
               body.usesOf(name),
               [&](const Use &use) {
                 return readsNoValue(use) ||
                        (use.node->output_size() > 0 && reads(use));
               });
  }

  void add(const NodeProto &node, MaskPart part, int mask) {
    parts[&node] = {part, mask, &draw, keep->value};
  }

  bool followDrawn(const std::string &name) {
    return forEachUse(name, [&](const Use &use) {
      const NodeProto &node = *use.node;
      if (isFloatCast(use))
        return followDrawn(node.output(0));
      bool isBelow = isOneOf(node, {use.operand == 0 ? "Less" : "Greater"});
      bool isSum = isOneOf(node, {"Add"});
      if ((!isBelow && !isSum) || node.input_size() != 2)
        return false;
      std::optional<Number> p = oneNumber(node.input(1 - use.operand));
      if (p && isBelow)
        return takeKept(node, *p);
      return p && forEachUse(node.output(0), [&](const Use &floor) {
               return isOneOf(*floor.node, {"Floor"}) &&
                      takeKept(*floor.node, *p);
             });
    });
  }

  bool takeKept(const NodeProto &node, const Number &p) {
    if (!(p.value > 0 && p.value <= 1) || (keep && keep->value != p.value))
      return false;
    keep = p;
    add(node, MaskPart::Kept, 0);
    return followKept(node.output(0));
  }

  bool isNear(const Number &a, double b) const {
    return std::abs(a.value - b) <=
           std::max(a.precision, keep->precision) * std::abs(b);
  }

  /// One that gives what it is computed with no other shape.
  std::optional<Number> oneNumber(const std::string &name) const {
    std::optional<Number> number = body.numberOf(name);
    return number && number->isOne ? number : std::nullopt;
  }

  bool followKept(const std::string &name) {
    return forEachUse(name, [&](const Use &use) {
      const NodeProto &node = *use.node;
      if (isCast(use))
        return followKept(node.output(0));
      if (!isOneOf(node, {"Div", "Mul"}) || node.input_size() != 2)
        return false;
      const std::string &other = node.input(1 - use.operand);
      bool isQuotient = node.op_type() == "Div";
      std::optional<Number> by = oneNumber(other);
      if (by && isQuotient && use.operand == 0 && isNear(*by, keep->value)) {
        add(node, MaskPart::Scaled, use.operand);
        return followScaled(node.output(0));
      }
      if (by && !isQuotient && isNear(*by, 1 / keep->value)) {
        add(node, MaskPart::Scaled, use.operand);
        return followScaled(node.output(0));
      }
      return !isQuotient && takeProduct(use, other);
    });
  }

  /// x / p, times the mask: whoever else reads x / p reads no x.
  bool takeProduct(const Use &use, const std::string &quotient) {
    const NodeProto *maker = body.makerOf(quotient);
    if (!maker || !isOneOf(*maker, {"Div"}) || maker->input_size() != 2)
      return false;
    std::optional<Number> by = oneNumber(maker->input(1));
    if (!by || !isNear(*by, keep->value) || body.isSeenOutside(quotient) ||
        body.usesOf(quotient).size() != 1 ||
        !body.isOfArguments(maker->input(0)))
      return false;
    add(*maker, MaskPart::Quotient, 0);
    add(*use.node, MaskPart::Product, use.operand);
    return true;
  }

  bool followScaled(const std::string &name) {
    return forEachUse(name, [&](const Use &use) {
      if (isCast(use) || isReshaping(use))
        return followScaled(use.node->output(0));
      return isOneOf(*use.node, {"Mul"}) && use.node->input_size() == 2 &&
             body.isOfArguments(use.node->input(1 - use.operand));
    });
  }

  static constexpr size_t kMost = 256; ///< Values of a mask.

  const Body &body;
  const NodeProto &draw;
  std::optional<Number> keep;
  std::set<std::string> visited;
};
} // namespace

static void findMasks(const Body &body, const NodeList &nodes,
                      std::map<const NodeProto *, MaskNode> &found) {
  for (const NodeProto &node : nodes) {
    bool isDraw = isUnitUniform(node) ||
                  (isOneOf(node, {"Bernoulli"}) && node.input_size() > 0);
    if (isDraw && node.output_size() == 1 && !isDrawnAlways(node))
      if (MaskSearch search(body, node); search.find())
        found.merge(search.parts);
    for (const auto &attribute : node.attribute()) {
      if (attribute.has_g())
        findMasks(Body(attribute.g(), nullptr), attribute.g().node(), found);
      for (const auto &graph : attribute.graphs())
        findMasks(Body(graph, nullptr), graph.node(), found);
    }
  }
}

Masks::Masks(const ::onnx::ModelProto &model) {
  Parameters parameters(model.graph());
  findMasks(Body(model.graph(), &parameters), model.graph().node(), nodes);
  for (const auto &function : model.functions())
    findMasks(Body(function), function.node(), nodes);
}
