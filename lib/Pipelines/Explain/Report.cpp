// What is said of a value at one place of a module.
#include "Sightings.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mpc/Dialect/Exec/IR/ExecOps.h"
#include "mpc/Dialect/Graph/IR/Ops/Cast.h"
#include "mpc/Dialect/Graph/IR/Ops/Group.h"
#include "mpc/Dialect/Graph/Transforms/Signature.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include <deque>

using namespace mpc;
using namespace mpc::explain;
using graph::WatchKind;
using mlir::func::FuncOp;

namespace {

std::string text(Type type) {
  std::string result;
  llvm::raw_string_ostream(result) << type;
  return result;
}

//===-- On graphs ---------------------------------------------------------===//

/// The ops that read `value`, through the borders of groups.
void collectReaders(Value value, SmallVectorImpl<Operation *> &readers) {
  for (OpOperand &use : value.getUses()) {
    Operation *owner = use.getOwner();
    if (auto group = dyn_cast<graph::GroupOp>(owner))
      collectReaders(
          group.getBody().front().getArgument(use.getOperandNumber()), readers);
    else if (auto yield = dyn_cast<graph::YieldOp>(owner))
      collectReaders(yield->getParentOp()->getResult(use.getOperandNumber()),
                     readers);
    else
      readers.push_back(owner);
  }
}

/// "cast to f32 because ..." for each cast of the value.
void describeCasts(Value value, std::vector<std::string> &lines) {
  SmallVector<Operation *> readers;
  collectReaders(value, readers);
  size_t begin = lines.size();
  for (Operation *reader : readers) {
    auto cast = dyn_cast<graph::CastOp>(reader);
    if (!cast)
      continue;
    std::string line =
        "cast to " + text(mlir::getElementTypeOrSelf(cast.getType())) +
        (cast.getReason() ? " because \"" + cast.getReason().str() + "\""
                          : std::string(", written in the model"));
    if (std::find(lines.begin() + begin, lines.end(), line) == lines.end())
      lines.push_back(line);
  }
}

/// ", made by graph.select (gradient of graph.relu)" for a gradient.
std::string makerOf(const Sighting &sighting) {
  if (!sighting.op)
    return "";
  std::string name = sighting.op->getName().getStringRef().str();
  auto rule =
      dyn_cast<mlir::NameLoc>(graph::withoutWatches(sighting.op->getLoc()));
  return ", made by " + name +
         (rule ? " (" + rule.getName().str() + ")" : std::string());
}

std::string placeInGroup(const Sighting &sighting) {
  auto group = cast<graph::GroupOp>(sighting.groupOp);
  Operation *yield = group.getBody().front().getTerminator();
  auto operand = llvm::find(yield->getOperands(), sighting.value);
  std::string result =
      operand == yield->operand_end()
          ? "not stored"
          : "stored as result " +
                std::to_string(operand - yield->operand_begin());
  return ", in group " + std::to_string(sighting.group) + " (" +
         graph::stringifyGroupKind(group.getKind()).str() + "), " + result;
}

/// The ops that a parameter's gradient passes on its way to the next value:
/// those whose results have its shape.
class GradientPath {
public:
  GradientPath(Value gradient, StringRef parameter)
      : shape(cast<mlir::ShapedType>(gradient.getType()).getShape()),
        parameter(parameter) {
    reached[gradient] = nullptr;
    queue.push_back(gradient);
  }

  std::string find() {
    while (!queue.empty()) {
      Value value = queue.front();
      queue.pop_front();
      for (OpOperand &use : value.getUses())
        if (std::string end = visit(value, use); !end.empty())
          return end;
    }
    return "";
  }

private:
  std::string visit(Value value, OpOperand &use) {
    Operation *user = use.getOwner();
    if (user->hasTrait<mlir::OpTrait::IsTerminator>())
      return endAt(value, use);
    for (Value result : user->getResults()) {
      auto type = dyn_cast<mlir::ShapedType>(result.getType());
      bool matches = type && type.getShape() == shape &&
                     (user->getNumResults() == 1 ||
                      correspond(use, cast<mlir::OpResult>(result)));
      if (matches && reached.insert({result, value}).second)
        queue.push_back(result);
    }
    return "";
  }

  /// An op on lists: the last operands are those that its results belong to.
  static bool correspond(OpOperand &use, mlir::OpResult result) {
    Operation *op = use.getOwner();
    mlir::OperandRange operands = op->getOperands();
    size_t same = llvm::count_if(op->getResults(), [&](Value other) {
      return llvm::is_contained(operands.getTypes(), other.getType());
    });
    size_t first = operands.size() - std::min(same, operands.size());
    return result.getResultNumber() >= same || use.getOperandNumber() < first ||
           use.getOperandNumber() - first == result.getResultNumber();
  }

  std::string endAt(Value value, OpOperand &use) {
    auto func = dyn_cast<FuncOp>(use.getOwner()->getParentOp());
    for (auto [mark, word] : {std::pair(graph::kUpdatesAttr, "next '"),
                              std::pair(graph::kGradientAttr, "gradient of '")})
      if (auto name = func ? func.getResultAttrOfType<StringAttr>(
                                 use.getOperandNumber(), mark)
                           : StringAttr();
          name && name.getValue() == parameter)
        return pathTo(value) + word + parameter.str() + "'";
    return "";
  }

  std::string pathTo(Value value) {
    std::string path;
    for (; value && reached[value]; value = reached[value])
      path =
          value.getDefiningOp()->getName().getStringRef().str() + " -> " + path;
    return path;
  }

  ArrayRef<int64_t> shape;
  StringRef parameter;
  std::deque<Value> queue;
  DenseMap<Value, Value> reached;
};

/// States that belong to a parameter: copies and moments.
void describeStates(Value argument, StringRef parameter,
                    std::vector<std::string> &lines) {
  auto func = cast<FuncOp>(argument.getParentBlock()->getParentOp());
  for (mlir::BlockArgument state : func.getArguments()) {
    unsigned index = state.getArgNumber();
    graph::StateAttr mark = graph::getState(func, index);
    StringAttr owner = graph::getParameter(func, index);
    if (mark && owner && owner == parameter)
      lines.push_back((stringifyRole(mark.getRole()) + " '" +
                       mark.getName().getValue() +
                       "': " + text(state.getType()))
                          .str());
  }
}

void describeGraph(const Sighting &sighting, const WatchedValue &value,
                   std::vector<std::string> &lines) {
  bool isGradient = sighting.kind == WatchKind::Gradient;
  std::string line = sighting.place + ": " + (isGradient ? "gradient " : "") +
                     text(sighting.value.getType());
  if (isGradient)
    line += makerOf(sighting);
  if (sighting.groupOp)
    line += placeInGroup(sighting);
  lines.push_back(line);
  describeCasts(sighting.value, lines);
  if (value.parameter.empty() || sighting.groupOp)
    return;
  if (!isGradient)
    describeStates(sighting.value, value.parameter, lines);
  else if (std::string path =
               GradientPath(sighting.value, value.parameter).find();
           !path.empty())
    lines.push_back("to " + path);
}

//===-- On programs -------------------------------------------------------===//

std::string describeBuffer(Value buffer) {
  if (!buffer)
    return "in registers only";
  Operation *maker = exec::getRoot(buffer).getDefiningOp();
  std::string type = text(buffer.getType());
  return llvm::TypeSwitch<Operation *, std::string>(maker)
      .Case([&](exec::StateOp op) {
        return type + " in state '" + op.getName().str() + "'";
      })
      .Case([&](exec::InputOp op) {
        return type + " in input '" + op.getName().str() + "'";
      })
      .Case([&](exec::AllocOp op) {
        auto category = op.getCategory().value_or(exec::Category::Workspace);
        return type + ", " + exec::stringifyCategory(category).str() +
               (op.getOffset() ? " at byte " + std::to_string(*op.getOffset()) +
                                     " of the arena"
                               : std::string());
      })
      .Default([&](Operation *) { return type + ", constant"; });
}

std::string describeStep(Operation *op) {
  if (auto launch = dyn_cast<exec::LaunchOp>(op))
    return "kernel @" + launch.getKernel().str();
  return op->getName().getStringRef().str();
}

} // namespace

std::vector<std::string> Sighting::describe(const WatchedValue &watched) const {
  std::vector<std::string> lines;
  if (!op || !isa<exec::EntryOp>(op->getParentOp())) {
    describeGraph(*this, watched, lines);
    return lines;
  }
  bool isGradient =
      kind == WatchKind::Gradient || kind == WatchKind::GradientGroup;
  lines.push_back(place + ": " + (isGradient ? "gradient, " : "") +
                  describeStep(op) + ", " + describeBuffer(value));
  return lines;
}
