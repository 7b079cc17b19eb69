#include "mpc/Onnx/Masks.h"
#include "Body.h"
#include "mpc/Onnx/ElementTypes.h"
#include "mpc/Onnx/Nodes.h"
#include "mpc/Onnx/Parameters.h"
#include "mpc/Onnx/UnknownFields.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

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
/// Flags that are made of numbers between 0 and 1: whether those are below a
/// bound or above it, and how probable that is.
struct Flags {
  bool isBelow;
  Number probability;

  Flags negated() const {
    const auto &[p, precision, isOne] = probability;
    double rest = 1 - p;
    return {!isBelow, {rest, rest > 0 ? precision / rest : 0, isOne}};
  }
};

/// Follows what is drawn to what multiplies it, or chooses by it. One that
/// reads it otherwise, and so the whole, is no dropout.
class MaskSearch {
public:
  MaskSearch(const Body &body, const NodeProto &draw)
      : body(body), draw(draw) {}

  std::map<const NodeProto *, MaskNode> parts;

  bool find() {
    if (draw.op_type() == "Bernoulli") {
      std::optional<Number> p = body.numberOf(draw.input(0));
      return p && takeFlags(draw, {true, *p}) && finish();
    }
    return followDrawn(draw.output(0)) && finish();
  }

private:
  /// False of numbers that nobody reads.
  bool finish() {
    for (auto &[node, part] : parts)
      part.keep = kept ? kept->probability.value : 1;
    for (const auto &[node, flags] : made)
      parts[node].isKept = kept && flags.isBelow == kept->isBelow;
    return kept && std::ranges::any_of(parts, [](const auto &entry) {
             return entry.second.part != MaskPart::Kept &&
                    entry.second.part != MaskPart::Quotient;
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

  void add(const NodeProto &node, MaskPart part, int operand) {
    parts[&node] = {part, operand, &draw};
  }

  bool followDrawn(const std::string &name) {
    return forEachUse(name, [&](const Use &use) {
      const NodeProto &node = *use.node;
      if (isFloatCast(use))
        return followDrawn(node.output(0));
      bool isLess = isOneOf(node, {"Less", "LessOrEqual"});
      bool isGreater = isOneOf(node, {"Greater", "GreaterOrEqual"});
      bool isSum = isOneOf(node, {"Add"});
      if ((!isLess && !isGreater && !isSum) || node.input_size() != 2)
        return false;
      std::optional<Number> p = oneNumber(node.input(1 - use.operand));
      if (!p)
        return false;
      Flags below{true, *p};
      if (!isSum)
        return takeFlags(node, isLess == (use.operand == 0) ? below
                                                            : below.negated());
      return forEachUse(node.output(0), [&](const Use &floor) {
        return isOneOf(*floor.node, {"Floor"}) &&
               takeFlags(*floor.node, {false, *p});
      });
    });
  }

  bool takeFlags(const NodeProto &node, const Flags &flags) {
    if (!(flags.probability.value >= 0 && flags.probability.value <= 1))
      return false;
    add(node, MaskPart::Kept, 0);
    made[&node] = flags;
    return followFlags(node.output(0), flags);
  }

  /// Whether what flags are true of is what all others keep.
  bool keeps(const Flags &flags) {
    if (!kept)
      kept = flags;
    return flags.probability.value > 0 && flags.isBelow == kept->isBelow &&
           isNear(flags.probability, kept->probability.value);
  }

  bool isNear(const Number &a, double b) const {
    return std::abs(a.value - b) <=
           std::max(a.precision, kept->probability.precision) * std::abs(b);
  }

  /// One that gives what it is computed with no other shape.
  std::optional<Number> oneNumber(const std::string &name) const {
    std::optional<Number> number = body.numberOf(name);
    return number && number->isOne ? number : std::nullopt;
  }

  bool followFlags(const std::string &name, const Flags &flags) {
    return forEachUse(name, [&](const Use &use) {
      const NodeProto &node = *use.node;
      if (isCast(use))
        return followFlags(node.output(0), flags);
      if (isNegation(use))
        return followFlags(node.output(0), flags.negated());
      if (use.operand == 0 && isOneOf(node, {"Where"}))
        return node.input_size() == 3 && takeChoice(node, flags);
      if (!keeps(flags))
        return false;
      if (scaledBy(node) == use.operand) {
        add(node, MaskPart::Scaled, use.operand);
        return followScaled(node.output(0));
      }
      if (!isOneOf(node, {"Mul"}) || node.input_size() != 2)
        return false;
      add(node, MaskPart::Product, use.operand);
      return takeScale(node, 1 - use.operand);
    });
  }

  /// Not, and 1 - x.
  bool isNegation(const Use &use) const {
    if (isOneOf(*use.node, {"Not"}))
      return true;
    if (!isOneOf(*use.node, {"Sub"}) || use.operand != 1)
      return false;
    std::optional<Number> one = oneNumber(use.node->input(0));
    return one && one->value == 1;
  }

  /// The operand that a node scales by the probability of what is kept; -1 of
  /// another node.
  int scaledBy(const NodeProto &node) const {
    if (!isOneOf(node, {"Div", "Mul"}) || node.input_size() != 2)
      return -1;
    bool isQuotient = node.op_type() == "Div";
    double scale = kept->probability.value;
    for (int i : {0, 1})
      if (std::optional<Number> by = oneNumber(node.input(1 - i)))
        if (isNear(*by, isQuotient ? scale : 1 / scale) &&
            !(isQuotient && i == 1))
          return i;
    return -1;
  }

  /// Of a value, times the mask: x / p, which whoever else reads reads no x, or
  /// x, where the product alone is divided.
  bool takeScale(const NodeProto &product, int operand) {
    const std::string &value = product.input(operand);
    const NodeProto *maker = body.makerOf(value);
    if (int i = maker ? scaledBy(*maker) : -1; i >= 0) {
      if (!findReader(value) || !body.isOfArguments(maker->input(i)))
        return false;
      add(*maker, MaskPart::Quotient, i);
      return true;
    }
    const Use *use = findReader(product.output(0));
    if (!use || !body.isOfArguments(value) || use->node->output_size() == 0 ||
        scaledBy(*use->node) != use->operand)
      return false;
    add(*use->node, MaskPart::Quotient, use->operand);
    return true;
  }

  /// The only one; null if there are more, or none. One that asks for the type
  /// or the shape alone is none.
  const Use *findReader(const std::string &name) const {
    const Use *found = nullptr;
    for (const Use &use : body.usesOf(name))
      if (!readsNoValue(use) && std::exchange(found, &use))
        return nullptr;
    return body.isSeenOutside(name) ? nullptr : found;
  }

  /// A value or zero; or of numbers a mask.
  bool takeChoice(const NodeProto &node, const Flags &flags) {
    for (int value : {1, 2}) {
      std::optional<Number> zero = body.numberOf(node.input(3 - value));
      if (!zero || zero->value != 0)
        continue;
      Flags those = value == 1 ? flags : flags.negated();
      std::optional<Number> number = oneNumber(node.input(value));
      if (number && number->value == 1)
        return zero->isOne && followFlags(node.output(0), those);
      if (!keeps(those))
        return false;
      add(node, number ? MaskPart::Weight : MaskPart::Choice, value);
      if (!number)
        return takeScale(node, value);
      return zero->isOne && isNear(*number, 1 / kept->probability.value) &&
             followScaled(node.output(0));
    }
    return false;
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
  std::optional<Flags> kept; ///< What is not dropped.
  std::map<const NodeProto *, Flags> made;
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
