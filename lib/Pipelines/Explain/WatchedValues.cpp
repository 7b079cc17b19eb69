// From what somebody typed to the values that are meant.
#include "../SourceNames.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "mpc/Dialect/Graph/IR/Names.h"
#include "mpc/Dialect/Graph/IR/Watch.h"
#include "mpc/Dialect/Graph/Precision/PolicyRules.h"
#include "mpc/Pipelines/Explain.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mpc;
using mlir::func::FuncOp;

namespace {

/// A value of the file, and everything that it is called.
struct Candidate {
  Value value;
  std::string name; ///< SSA name.
  std::string mark; ///< "parameter 'w'", or empty.
  SmallVector<std::string> names;
};

/// "dir/model.mlir:5:8" is also called model.mlir:5:8, dir/model.mlir:5 and
/// model.mlir:5.
void addPlaces(StringRef place, SmallVectorImpl<std::string> &names) {
  StringRef base = place.substr(place.rfind('/') + 1);
  for (StringRef full : {place, base}) {
    names.push_back(full.str());
    names.push_back(full.rsplit(':').first.str());
  }
}

void addLocations(Candidate &candidate) {
  SmallVector<std::string> names;
  graph::collectLocationNames(candidate.value.getLoc(), names);
  for (const std::string &name : names) {
    if (StringRef(name).count(':') >= 2)
      addPlaces(name, candidate.names);
    else
      candidate.names.push_back(name);
  }
}

/// Inputs, parameters and state are called by their marks; so is what a
/// function returns under a name.
void addMarks(Candidate &candidate) {
  auto argument = dyn_cast<mlir::BlockArgument>(candidate.value);
  if (argument) {
    auto func = dyn_cast<FuncOp>(argument.getOwner()->getParentOp());
    for (auto [attr, word] : {std::pair(graph::kInputAttr, "input"),
                              std::pair(graph::kParameterAttr, "parameter"),
                              std::pair(graph::kStateAttr, "state")})
      if (StringAttr mark = func ? graph::getName(func.getArgAttr(
                                       argument.getArgNumber(), attr))
                                 : StringAttr()) {
        candidate.mark = (word + Twine(" '") + mark.getValue() + "'").str();
        candidate.names.push_back(mark.str());
      }
  }
  for (OpOperand &use : candidate.value.getUses())
    if (auto func = dyn_cast<FuncOp>(use.getOwner()->getParentOp());
        func && use.getOwner()->hasTrait<mlir::OpTrait::IsTerminator>())
      if (auto mark = func.getResultAttrOfType<StringAttr>(
              use.getOperandNumber(), graph::kOutputAttr))
        candidate.names.push_back(mark.str());
}

class Candidates {
public:
  explicit Candidates(const mlir::AsmParserState &state) {
    for (const auto &block : state.getBlockDefs())
      for (auto [index, argument] : llvm::enumerate(block.arguments))
        if (isa_and_present<FuncOp>(block.block->getParentOp()) &&
            index < block.block->getNumArguments())
          add(block.block->getArgument(index), textOf(argument.loc));
    for (const auto &op : state.getOpDefs())
      for (const NamedResult &result : namesOfResults(op))
        add(result.value, result.name, result.group);
  }

  SmallVector<const Candidate *> find(StringRef text) const {
    SmallVector<const Candidate *> found;
    for (const Candidate &candidate : all)
      if (llvm::is_contained(candidate.names, text))
        found.push_back(&candidate);
    return found;
  }

  /// The names that are least unlike `text`, at most three.
  std::string near(StringRef text) const {
    std::vector<std::pair<unsigned, std::string>> names;
    for (const Candidate &candidate : all)
      for (const std::string &name : candidate.names)
        if (!StringRef(name).contains('/'))
          names.emplace_back(StringRef(name).edit_distance(text), name);
    llvm::sort(names);
    names.erase(llvm::unique(names), names.end());
    if (names.size() > 3)
      names.resize(3);
    return llvm::join(
        llvm::map_range(
            names, [](const auto &name) { return "'" + name.second + "'"; }),
        ", ");
  }

private:
  void add(Value value, const std::string &name, StringRef group = "") {
    Candidate candidate{value, name, "", {}};
    if (!name.empty())
      candidate.names.push_back(name);
    if (!group.empty())
      candidate.names.push_back(group.str());
    addMarks(candidate);
    addLocations(candidate);
    all.push_back(std::move(candidate));
  }

  std::vector<Candidate> all;
};

std::string placeOf(Location location) {
  SmallVector<std::string> names;
  graph::collectLocationNames(location, names);
  if (names.empty())
    return "unknown place";
  return names.back().substr(names.back().rfind('/') + 1);
}

/// Describes the value and puts watch `id` on it.
WatchedValue watch(const Candidate &candidate, int64_t id) {
  Value value = candidate.value;
  auto result = dyn_cast<mlir::OpResult>(value);
  auto argument = dyn_cast<mlir::BlockArgument>(value);
  auto func = value.getParentRegion()->getParentOfType<FuncOp>();
  StringRef parameter = candidate.mark;
  WatchedValue watched;
  watched.name = candidate.name.empty() ? candidate.mark : candidate.name;
  watched.function = func ? "@" + func.getName().str() : "";
  watched.what = result ? result.getOwner()->getName().getStringRef().str()
                        : candidate.mark;
  watched.location = placeOf(value.getLoc());
  if (parameter.consume_front("parameter '"))
    watched.parameter = parameter.drop_back().str();
  watched.isArgument = argument != nullptr;
  if (result)
    result.getOwner()->setLoc(
        graph::addWatch(value.getLoc(), {graph::WatchKind::Value, id,
                                         result.getResultNumber()}));
  else
    argument.setLoc(
        graph::addWatch(value.getLoc(), {graph::WatchKind::Value, id, 0}));
  return watched;
}

} // namespace

FailureOr<std::vector<WatchedValue>>
mpc::watchValues(const mlir::AsmParserState &names, StringRef text,
                 std::string &error) {
  Candidates candidates(names);
  SmallVector<const Candidate *> found = candidates.find(text);
  if (found.empty()) {
    std::string near = candidates.near(text);
    error = "expected the name or the place of a value, but got '" +
            text.str() + "'" +
            (near.empty() ? ": the module has no values"
                          : "; near names are " + near);
    return failure();
  }
  std::vector<WatchedValue> values;
  for (const Candidate *candidate : found)
    values.push_back(watch(*candidate, values.size()));
  return values;
}
